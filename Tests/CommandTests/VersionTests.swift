import Foundation
import Testing

@testable import HearthCommand

@Suite("Version")
struct VersionTests {
  @Test("the program's version is the newest one in CHANGELOG.md")
  func newest() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let changelog = try String(contentsOf: root.appending(path: "CHANGELOG.md"), encoding: .utf8)
    let newest = try #require(changelog.firstMatch(of: #/\n## (\S+)/#)).output.1
    #expect(Hearth.version == newest)
  }
}
