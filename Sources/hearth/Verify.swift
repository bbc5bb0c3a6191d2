import ArgumentParser
import Foundation
import Platform
import Rooms
import Storage

/// Looks whether everything in a data folder is whole.
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Looks whether everything in a data folder is whole.",
    discussion: """
      Reads the database from end to end: the file itself, every room, message, account and session. What is wrong is \
      listed, and the exit status is 1 then. The server must be stopped.
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
        "\(path) is not whole. Restore a backup, or save what is whole with `hearth recover --data \(data) --to NEW`.")
      throw ExitCode.failure
    }
    say("\(path) is whole: \(count) rooms.")
  }
}
