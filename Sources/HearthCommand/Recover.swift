import ArgumentParser
import Foundation
import Platform
import Storage

/// Copies everything readable of a damaged database into a new one.
struct Recover: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copies everything readable of a damaged database into a new folder.",
    discussion: """
      Copies the rooms, accounts and sessions that can be read, and lists what is lost. The old database is not \
      changed. The new one starts a new log, so clients load the full state. Stop the server first.
      """)

  @Option(help: "The folder of the damaged database.")
  var data: String

  @Option(help: "The folder for the new one; created if missing.")
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
