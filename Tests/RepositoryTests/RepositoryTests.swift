import Foundation
import Testing

/// Rules that hold for the repository as a whole.
@Suite("Repository")
struct RepositoryTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  struct Source: Sendable, CustomStringConvertible {
    var target: String
    var path: String
    var lines: [String]
    var description: String { path }
  }

  static let sources: [Source] = files(under: "Sources") + files(under: "loadtest")
  static let tests: [Source] = files(under: "Tests")

  static func files(under folder: String) -> [Source] {
    let base = root.appending(path: folder)
    // Hidden folders are what building leaves.
    let walk = FileManager.default.enumerator(
      at: base, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
    return (walk?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }.compactMap { file in
      guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
      let path = file.path.replacingOccurrences(of: root.path + "/", with: "")
      let parts = path.split(separator: "/")
      // Targets of their own within the load generator's folder.
      let isOwn = folder == "Sources" || ["benchmarks", "peers"].contains(parts[1])
      let target = isOwn ? String(parts[1]) : folder
      return Source(target: target, path: path, lines: text.components(separatedBy: "\n"))
    }
  }

  /// Lines of code: neither empty nor comment.
  static func code(_ source: Source) -> [(number: Int, text: String)] {
    source.lines.enumerated().compactMap { index, line in
      let text = line.trimmingCharacters(in: .whitespaces)
      return text.isEmpty || text.hasPrefix("//") ? nil : (index + 1, text)
    }
  }

  // MARK: layers

  /// The modules that each target may import (DESIGN, Layers). A new target needs a row.
  static let allowed: [String: Set<String>] = [
    "Crypto": ["COpenSSL"],
    "HTTP": [],
    "WebSocket": ["CZlib", "Crypto", "HTTP"],
    "JSON": [],
    "Rooms": ["Crypto", "JSON"],
    "Home": ["Crypto", "JSON", "Rooms"],
    "Rehearsal": ["JSON", "Rooms"],
    "Platform": ["Rooms"],
    "Storage": [
      "Crypto", "Rooms", "Platform", "GRDB", "GRDBSQLite", "Foundation", "Dispatch", "Synchronization", "Glibc",
    ],
    "Transport": ["CLinux", "COpenSSL", "Platform", "Rooms", "Dispatch", "Glibc", "Synchronization"],
    "Gateways": ["CCurl", "COpenSSL", "Crypto", "Platform", "Rooms"],
    "Server": ["Crypto", "HTTP", "WebSocket", "JSON", "Rooms", "Home", "Platform"],
    "HearthClient": [
      "Crypto", "HTTP", "WebSocket", "JSON", "Rooms", "Platform", "Transport", "Dispatch", "Synchronization",
    ],
    "HearthCommand": [
      "ArgumentParser", "Crypto", "HTTP", "WebSocket", "JSON", "Rooms", "Rehearsal", "Home", "Platform", "Storage",
      "Transport", "Gateways", "Server", "HearthClient", "Web", "Dispatch", "Foundation", "FoundationEssentials",
      "Glibc", "Synchronization",
    ],
    "hearth": ["HearthCommand"],
    "loadtest": [
      "ArgumentParser", "Crypto", "HTTP", "WebSocket", "JSON", "CLinux", "COpenSSL", "Dispatch", "Foundation",
      "Glibc", "Synchronization",
    ],
    "benchmarks": [
      "Crypto", "JSON", "Rooms", "Rehearsal", "Home", "Platform", "Server", "Storage", "WebSocket", "Dispatch",
      "Foundation", "Glibc",
    ],
    "peers": ["NIOCore", "NIOHTTP1", "NIOPosix", "NIOWebSocket", "PackageDescription"],
  ]

  /// Single files that may import more, each with its reason at its head.
  static let exceptions: [String: Set<String>] = [
    // Unicode normal forms are the system library's.
    "Sources/Home/Values/NormalForms.swift": ["Foundation"],
    // The rules of time zones are the system library's.
    "Sources/Home/Time/ZoneTime.swift": ["Foundation"],
    // The one audited file over raw memory.
    "Sources/JSON/RawBuffer.swift": ["Glibc"],
    // Opening, flushing and renaming files.
    "Sources/HearthClient/FolderFiles.swift": ["Glibc"],
    // The one lock.
    "Sources/Platform/Locked.swift": ["Glibc"],
  ]

  @Test("a target imports only what stands above it", arguments: sources)
  func imports(source: Source) throws {
    let allowed = try #require(Self.allowed[source.target], "a new target needs a row in the table of layers")
    let more = Self.exceptions[source.path] ?? []
    for (number, line) in Self.code(source) {
      // Attributes and access stand before `import`, a kind of declaration may stand behind it.
      let words = line.split(separator: " ")
      guard let at = words.firstIndex(of: "import"), at < 3, !words[..<at].contains(where: { $0.contains("\"") })
      else { continue }
      let name = words[(at + 1)...].first { !["struct", "class", "func", "enum", "protocol"].contains($0) } ?? ""
      let module = String(name.prefix { $0 != "." })
      #expect(allowed.contains(module) || more.contains(module), "\(source.path):\(number) imports \(module)")
    }
  }

  // MARK: traps

  static let networkFacing: Set<String> = [
    "HTTP", "WebSocket", "JSON", "Rooms", "Home", "Transport", "Gateways", "Server",
  ]
  /// Files that are data.
  static let data: Set<String> = ["Sources/Server/Accounts/CommonPasswords.swift"]

  @Test("nothing that a peer reaches can trap by being written so", arguments: sources)
  func traps(source: Source) {
    guard Self.networkFacing.contains(source.target), !Self.data.contains(source.path) else { return }
    for (number, line) in Self.code(source) {
      for banned in ["try!", "as!", "fatalError("] where line.contains(banned) {
        Issue.record("\(source.path):\(number) may trap: \(line)")
      }
      #expect(!Self.unwraps(line), "\(source.path):\(number) may trap: \(line)")
    }
  }

  /// Whether a line has a postfix `!` outside of texts.
  static func unwraps(_ line: String) -> Bool {
    guard line.utf8.contains(UInt8(ascii: "!")) else { return false }
    var isInText = false
    var before: Character = " "
    for (character, next) in zip(line, line.dropFirst() + " ") {
      if character == "\"" && before != "\\" { isInText.toggle() }
      let isPostfix = before.isLetter || before.isNumber || before == "_" || before == ")" || before == "]"
      if character == "!", !isInText, isPostfix, next != "=" { return true }
      before = character
    }
    return false
  }

  @Test("the rule against unwrapping finds what it is for")
  func unwrapping() {
    #expect(Self.unwraps("let a = b!"))
    #expect(Self.unwraps("f(x)!.y"))
    #expect(!Self.unwraps("if a != b, !c { say(\"no!\") }"))
  }

  // MARK: form

  @Test("lines have at most 120 characters, and nothing is left to do", arguments: sources + tests)
  func form(source: Source) {
    for (index, line) in source.lines.enumerated() {
      #expect(line.count <= 120, "\(source.path):\(index + 1) is \(line.count) characters long")
    }
    guard source.target != "Tests" else { return }
    for (number, line) in source.lines.enumerated() {
      let isLeft = ["TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK"].contains { line.contains($0) }
      #expect(!isLeft, "\(source.path):\(number + 1) is not finished")
    }
  }

  @Test("each @unchecked Sendable says why, just above", arguments: sources)
  func unchecked(source: Source) {
    for (index, line) in source.lines.enumerated() where line.contains("@unchecked Sendable") && !line.contains("//") {
      let above = source.lines[max(0, index - 8)..<index].joined(separator: "\n")
      #expect(above.contains("@unchecked"), "\(source.path):\(index + 1) does not say why it is unchecked")
    }
  }

  @Test("B3: every planted bug fits the code as it is")
  func plants() throws {
    let folder = Self.root.appending(path: "Tests/Simulation/plants")
    let patches = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    #expect(patches.count >= 12)
    for patch in patches {
      var file = ""
      // Each hunk: the lines that it expects to find, one after another.
      var hunks: [(file: String, old: [String])] = []
      for line in try String(contentsOf: patch, encoding: .utf8).components(separatedBy: "\n") {
        if line.hasPrefix("--- a/") {
          file = String(line.dropFirst(6))
        } else if line.hasPrefix("@@ ") {
          hunks.append((file, []))
        } else if !hunks.isEmpty, line.hasPrefix(" ") || line.hasPrefix("-") {
          hunks[hunks.count - 1].old.append(String(line.dropFirst()))
        }
      }
      #expect(!hunks.isEmpty, "\(patch.lastPathComponent)")
      for hunk in hunks {
        let text = try String(contentsOf: Self.root.appending(path: hunk.file), encoding: .utf8)
        let old = hunk.old.joined(separator: "\n")
        #expect(text.contains(old), "\(patch.lastPathComponent) does not apply to \(hunk.file)")
      }
    }
  }

  @Test("the top level holds what the layout names, and nothing else")
  func topLevel() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.root.path)
    let layout: Set<String> = [
      "Package.swift", "Sources", "Tests", "README.md", "protocol.md", "loadtest", "script", "LICENSE", "CHANGELOG.md",
      "docs", ".github",
    ]
    for name in names where !name.hasPrefix(".") && name != "Package.resolved" {
      #expect(layout.contains(name), "\(name) is not named by the layout")
    }
    for name in layout { #expect(names.contains(name), "\(name) is missing") }
  }

  // MARK: documents

  static let documents = [
    "README.md", "CHANGELOG.md", "protocol.md", "loadtest/README.md", "docs/architecture.md", "docs/benchmarks.md",
    "docs/hearth-js.md", "docs/operating.md", "docs/phones.md", "docs/storage.md", "docs/tracks.md",
    ".github/CONTRIBUTING.md", ".github/SECURITY.md",
  ]

  @Test("every file that a document names or links to exists", arguments: documents)
  func documentedPaths(document: String) throws {
    let file = Self.root.appending(path: document)
    let text = try String(contentsOf: file, encoding: .utf8)
    var paths = text.matches(of: #/`((?:Sources|Tests|docs|loadtest|script)\/[^`\s*]+)/#).map {
      Self.root.appending(path: String($0.output.1))
    }
    paths += text.matches(of: #/\]\((?!http)([^)#]+)/#).map {
      URL(filePath: String($0.output.1), relativeTo: file.deletingLastPathComponent())
    }
    for path in paths {
      #expect(FileManager.default.fileExists(atPath: path.path), "\(document) names \(path.path)")
    }
    if document == "docs/architecture.md" { #expect(paths.count > 30) }
  }

  @Test("README.md has at most 800 words")
  func readmeLength() throws {
    let text = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
    #expect(text.split(whereSeparator: \.isWhitespace).count <= 800)
  }
}
