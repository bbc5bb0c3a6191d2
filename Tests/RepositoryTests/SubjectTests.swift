import Foundation
import Testing

/// The shape of the domain: a subject is a folder, and subjects know each other only through the household's verbs.
@Suite("Subjects")
struct SubjectTests {
  static let home = RepositoryTests.files(under: "Sources").filter { $0.target == "Home" }

  /// The names of types that files declare with a conformance, and the file of each.
  static func declared(_ conformances: Set<String>, in sources: [RepositoryTests.Source]) -> [(
    name: String, path: String
  )] {
    sources.flatMap { source in
      source.lines.compactMap { line in
        guard let match = line.wholeMatch(of: /struct (\w+)(<[^>]*>)?: (.*) \{/) else { return nil }
        let list = match.3.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        return conformances.isDisjoint(with: list) ? nil : (String(match.1), source.path)
      }
    }
  }

  @Test("Sources/Home holds folders, and beside them Home.swift and Limits.swift")
  func folders() throws {
    let folder = RepositoryTests.root.appending(path: "Sources/Home")
    let entries = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [.isDirectoryKey])
    let files = try entries.filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == false }
    #expect(Set(files.map(\.lastPathComponent)) == ["Home.swift", "Limits.swift"])
    #expect(entries.count > 8)
  }

  @Test("The file of a subject names no subject of another folder")
  func independence() {
    let subjects = Self.declared(["Subject"], in: Self.home)
    #expect(subjects.count > 10)
    for (_, path) in subjects {
      let folder = path.split(separator: "/").dropLast()
      let others = subjects.filter { $0.path.split(separator: "/").dropLast() != folder }.map(\.name)
      guard let source = Self.home.first(where: { $0.path == path }) else { continue }
      for (number, line) in RepositoryTests.code(source) {
        let words = Set(line.split { !$0.isLetter && !$0.isNumber }.map(String.init))
        let named = words.intersection(others)
        #expect(named.isEmpty, "\(path):\(number) names \(named.sorted().joined(separator: ", "))")
      }
    }
  }

  @Test("Every mutation, question and message stands in a list of its subject")
  func registration() {
    // The server calls these itself.
    let internalMethods: Set<String> = ["OpenPerson", "KeepDevices", "KeepAccount"]
    let declared = Self.declared(["Mutation", "Question", "HistoryPage", "PeoplePage", "Message"], in: Self.home)
    #expect(declared.count > 50)
    let text = Self.home.flatMap(\.lines).joined(separator: "\n")
    let registered = Set(text.matches(of: /\.(?:of|question)\((\w+)(?:<\w+>)?\.self\)/).map { String($0.1) })
    for (name, path) in declared where !internalMethods.contains(name) {
      #expect(registered.contains(name), "\(name) of \(path) is in no list of methods or messages")
    }
  }
}
