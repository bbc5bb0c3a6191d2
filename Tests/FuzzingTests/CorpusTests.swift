import Foundation
import Fuzzing
import Testing

/// Inputs kept by fuzzing: they reach every part of a target, or once caused a failure.
@Suite("Kept inputs of the fuzzer")
struct CorpusTests {
  static let corpora = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fuzzing/corpora")

  @Test("D1: every kept input passes its fuzz target", arguments: FuzzTarget.allCases)
  func replay(target: FuzzTarget) throws {
    let folder = Self.corpora.appending(path: target.rawValue)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names.count >= 10, "too few inputs")
    for name in names {
      let input = try Data(contentsOf: folder.appending(path: name))
      #expect(throws: Never.self, "\(name)") { try target.run(Array(input)) }
    }
  }
}
