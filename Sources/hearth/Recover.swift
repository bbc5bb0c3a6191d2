import ArgumentParser
import Foundation
import Platform
import Storage

/// Saves what is whole of a damaged database.
struct Recover: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Saves what is whole of a damaged database into a new folder.",
    discussion: """
      Rooms, accounts and sessions that can be read go into a new database; what is lost is listed. The damaged one \
      stays as it is. The server must be stopped.
      """)

  @Option(help: "The folder of the damaged database.")
  var data: String

  @Option(help: "The folder for the new one; made if there is none.")
  var to: String

  func run() throws {
    let reader = try StoreReader(path: URL(filePath: data).appending(path: "hearth.db").path)
    let folder = URL(filePath: to)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let saved = try reader.recover(to: folder.appending(path: "hearth.db").path) { room, stored in
      StoredContent.rebuild(room, stored)
    }
    for problem in reader.problems { say(problem) }
    say("Saved \(saved.rooms) rooms, \(saved.accounts) accounts and \(saved.sessions) sessions in \(to).")
  }
}
