import Foundation
import Fuzzing
import Testing

/// What fuzzing has kept: inputs that reach every part of a target, and every one at which something was wrong once.
@Suite("Inputs that fuzzing has kept")
struct CorpusTests {
  static let corpora = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fuzzing/corpora")

  @Test("D1: nothing is wrong with any of them", arguments: FuzzTarget.allCases)
  func replay(target: FuzzTarget) throws {
    let folder = Self.corpora.appending(path: target.rawValue)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names.count >= 10, "there is next to nothing to try")
    for name in names {
      let input = try Data(contentsOf: folder.appending(path: name))
      #expect(throws: Never.self, "\(name)") { try target.run(Array(input)) }
    }
  }
}
