import Foundation
import JSON
import Testing

@testable import HearthClient

@Suite("Files of a client")
struct FilesTests {
  static func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-files-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
  }

  @Test("a folder stores bytes by name, readable only by its owner, for one client at a time")
  func folder() throws {
    try Self.withFolder { path in
      let files = try FolderFiles(path: path)
      #expect(try files.read("a") == nil)
      try files.append([1, 2], to: "a")
      try files.append([3], to: "a")
      try files.replace("b", with: [9])
      try files.replace("b", with: [8, 8])
      #expect(try files.read("a") == [1, 2, 3])
      #expect(try files.sizes() == ["a": 3, "b": 2])
      try files.remove("b")
      try files.remove("b")
      #expect(try files.sizes() == ["a": 3])
      #expect(throws: FileError(name: path, reason: .inUse)) { try FolderFiles(path: path) }
      for (name, mode) in [("", 0o700), ("/a", 0o600), ("/lock", 0o600)] {
        #expect(try FileManager.default.attributesOfItem(atPath: path + name)[.posixPermissions] as? Int == mode)
      }
      files.close()
      try Data([7]).write(to: URL(filePath: path + "/c.new"))
      let next = try FolderFiles(path: path)
      #expect(try next.read("a") == [1, 2, 3])
      #expect(!FileManager.default.fileExists(atPath: path + "/c.new"), "a temporary file left by a crash is removed")
    }
  }

  @Test("a folder or file that cannot be opened is reported")
  func inaccessible() throws {
    #expect(throws: FileError(name: "/nowhere/x", reason: .system(2))) { try FolderFiles(path: "/nowhere/x") }
    try Self.withFolder { path in
      let files = try FolderFiles(path: path)
      try FileManager.default.createDirectory(atPath: path + "/d", withIntermediateDirectories: false)
      #expect(throws: FileError(name: "d", reason: .system(21))) { try files.append([1], to: "d") }
      #expect(throws: FileError.self) { try files.replace("d", with: [1]) }
    }
  }

  static func snapshot(_ count: Int) -> RoomSnapshot {
    RoomSnapshot(
      epoch: "e", version: 7, state: ["a": .string(String(repeating: "x", count: count))], live: ["b": 1])
  }

  @Test("SEC-8: a stored room is read back without its live document, and a damaged file counts as absent")
  func cache() throws {
    let files = MemoryFiles()
    var cache = try RoomCache(files, limit: 10_000)
    try cache.write(Self.snapshot(10), of: "me", needed: [])
    var kept = Self.snapshot(10)
    kept.live = [:]
    #expect(cache.read("me") == kept)
    #expect(cache.read("other") == nil)
    let name = try #require(files.sizes().keys.first)
    #expect(!name.contains("me"))
    var bytes = try #require(files.read(name))
    for index in bytes.indices {
      bytes[index] ^= 1
      files.replace(name, with: bytes)
      #expect(cache.read("me") == nil)
      bytes[index] ^= 1
    }
    files.replace(name, with: Array(bytes.dropLast()))
    #expect(cache.read("me") == nil)
  }

  @Test("NFR-8: stored rooms stay within the limit, and rooms that are not followed are evicted first")
  func bounds() throws {
    let files = MemoryFiles()
    var cache = try RoomCache(files, limit: 1000)
    for room in ["a", "b", "c"] { try cache.write(Self.snapshot(200), of: room, needed: ["a"]) }
    #expect(files.sizes().values.reduce(0, +) <= 1000)
    try cache.write(Self.snapshot(500), of: "d", needed: ["a", "d"])
    #expect(cache.read("a") != nil && cache.read("d") != nil)
    #expect(files.sizes().values.reduce(0, +) <= 1000)
    // A document that does not fit is not stored, and its older version is removed.
    try cache.write(Self.snapshot(900), of: "d", needed: ["a", "d"])
    #expect(cache.read("a") != nil && cache.read("d") == nil)
    // Another process learns the sizes from the files.
    var next = try RoomCache(files, limit: 1000)
    try next.write(Self.snapshot(600), of: "e", needed: ["e"])
    #expect(files.sizes().values.reduce(0, +) <= 1000)
    try next.keepOnly(["f"])
    #expect(files.sizes().isEmpty)
  }
}
