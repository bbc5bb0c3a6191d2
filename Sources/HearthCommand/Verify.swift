import ArgumentParser
import Foundation
import Platform
import Rooms
import Storage

/// Checks that nothing in a data folder is damaged.
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Checks that nothing in a data folder is damaged.",
    discussion: """
      Reads the whole database: the file itself, every room, message, account and session. Lists all damage, and exits \
      with 1 if there is any. Stop the server first.
      """)

  @Option(help: "The folder of the database.")
  var data = "data"

  func run() throws {
    let path = URL(filePath: data).appending(path: "hearth.db").path
    let reader = try StoreReader(path: path)
    var count = 0
    reader.verify { room, stored in
      count += 1
      return StoredContent.problem(of: room, stored)
    }
    for problem in reader.problems { say(problem) }
    guard reader.problems.isEmpty else {
      complain(
        "\(path) is damaged. Restore a copy, or save what is readable with `hearth recover --data \(data) --to NEW`.")
      throw ExitCode.failure
    }
    say("\(path) is undamaged: \(count) rooms.")
  }
}
