import Foundation
import Testing

@testable import HearthCommand

@Suite("Time zone data of the machine")
struct ZoneDataTests {
  @Test("HH-1, R-028: a machine without time zone data is told which package to install")
  func folders() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "zones-\(UUID())")
    let zone = folder.appending(path: "America/New_York")
    try FileManager.default.createDirectory(
      at: zone.deletingLastPathComponent(), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let environment = ["TZDIR": folder.path]
    let problem = try #require(ZoneData.problem(in: environment))
    #expect(problem.contains(folder.path) && problem.contains("tzdata") && !problem.contains("\n"))
    try Data("nothing".utf8).write(to: zone)
    #expect(ZoneData.problem(in: environment) != nil)
    try Data("TZif2".utf8).write(to: zone)
    #expect(ZoneData.problem(in: environment) == nil)
  }

  @Test("HH-1: the usual folder counts where TZDIR is not set, or empty")
  func usualFolder() {
    // This machine's zone data may be missing: then both say so.
    let isThere = FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/America/New_York")
    for environment in [[:], ["TZDIR": ""]] {
      #expect((ZoneData.problem(in: environment) == nil) == isThere)
    }
  }
}
