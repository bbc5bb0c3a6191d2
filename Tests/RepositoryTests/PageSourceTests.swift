import Foundation
import Testing

/// The sources of the page for browsers.
@Suite("Sources of the page")
struct PageSourceTests {
  private static let folder = RepositoryTests.root.appending(path: "Sources/Web")

  private static func files() -> [String] {
    let app = folder.appending(path: "app").standardizedFileURL
    let found = FileManager.default.enumerator(at: app, includingPropertiesForKeys: [.isRegularFileKey])
    var paths: [String] = []
    while let file = found?.nextObject() as? URL {
      let isFile = (try? file.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile == true
      if isFile { paths.append(String(file.standardizedFileURL.path.dropFirst(app.path.count + 1))) }
    }
    return paths.sorted()
  }

  @Test("the program embeds the files of the page, all of them and no others: else run script/web-assets")
  func embedded() throws {
    let list = try String(contentsOf: Self.folder.appending(path: "assets.c"), encoding: .utf8)
    let embedded = list.matches(of: #/#embed "app/(.+)"/#).map { String($0.output.1) }
    let named = list.matches(of: #/\{"(.+)", file_\d+, /#).map { String($0.output.1) }
    #expect(embedded.sorted() == Self.files() && named == embedded)
  }

  @Test("the page makes no markup of text")
  func markup() throws {
    for path in Self.files() {
      let text = try String(contentsOf: Self.folder.appending(path: "app/\(path)"), encoding: .utf8)
      for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        for banned in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
          #expect(!line.contains(banned), "\(path):\(index + 1): \(banned)")
        }
      }
    }
  }
}
