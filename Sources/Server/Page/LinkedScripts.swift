/// The page's modules, linked for a quick first visit.
///
/// `app.js` and the modules that it imports, directly or not, are the *frame*: no screen can be drawn without them.
/// They are served as one script, `app.js`, in which each module is a block with a scope of its own. The other modules
/// are loaded when they are needed, and take from the frame by an import of `app.js`. The client library, `hearth/`,
/// is also served module by module, for other pages.
///
/// On a phone with a slow network each module costs a turn of its six connections: 25 of them cost more than a second.
///
/// The frame must not wait, at its top level, for a module that takes from it: neither would ever begin.
struct LinkedScripts {
  /// Scripts by path, as they are to be served.
  private(set) var texts: [String: String]
  /// The modules that `app.js` contains, itself among them.
  private(set) var frame: [String] = []

  private static let start = "app.js"

  /// - Parameter sources: Scripts by path, such as `parts/sheet.js`. If one of them imports or exports in a form that
  ///   linking does not know, all are served as they are written.
  init(_ sources: [String: String]) {
    texts = sources
    var modules: [String: Module] = [:]
    for (path, source) in sources {
      guard let module = Module(source, at: path) else { return }
      modules[path] = module
    }
    guard modules[Self.start] != nil, let frame = Self.order(from: Self.start, modules) else { return }
    self.frame = frame
    let names = Dictionary(uniqueKeysWithValues: frame.enumerated().map { ($1, "$\($0)") })
    var script = ""
    for path in frame {
      guard let module = modules[path], let name = names[path] else { continue }
      script +=
        "let \(name);\n{\n\(module.code(taking: names))\(name) = {\(module.exports.joined(separator: ", "))};\n}\n"
    }
    script += "export {\(frame.compactMap { names[$0] }.joined(separator: ", "))};\n"
    for (path, module) in modules where names[path] == nil && !path.hasPrefix("hearth/") {
      let taken = Set(module.imports).compactMap { names[$0] }.sorted()
      guard !taken.isEmpty else { continue }
      let up = path.split(separator: "/").count == 1 ? "./" : "../"
      texts[path] =
        "import {\(taken.joined(separator: ", "))} from \"\(up)\(Self.start)\";\n" + module.code(taking: names)
    }
    texts[Self.start] = script
  }

  /// The modules that one needs, each after those that it imports; `nil` if one is not there or cannot be linked.
  private static func order(from start: String, _ modules: [String: Module]) -> [String]? {
    var order: [String] = []
    var seen: Set<String> = []
    func visit(_ path: String) -> Bool {
      guard seen.insert(path).inserted else { return order.contains(path) }
      guard let module = modules[path], module.canBeLinked, !module.asksWhere else { return false }
      guard module.imports.allSatisfy(visit) else { return false }
      order.append(path)
      return true
    }
    return visit(start) ? order : nil
  }
}

/// A module, taken apart at its imports and exports. They begin lines, as the sources' formatter writes them.
private struct Module {
  private enum Piece {
    case code(Substring)
    case imported(names: String, path: String, statement: String)
    case exported(code: Substring, statement: String)
  }

  private let path: String
  private var pieces: [Piece] = []
  private(set) var imports: [String] = []
  private(set) var exports: [String] = []
  /// Whether its exports are names that keep their values.
  private(set) var canBeLinked = true

  /// `nil` if it imports in another form than `import { names } from "./path.js";`.
  init?(_ source: String, at path: String) {
    self.path = path
    var lines = source.split(separator: "\n", omittingEmptySubsequences: false)[...]
    while let line = lines.popFirst() {
      let isImport = line.hasPrefix("import ")
      guard isImport || line.hasPrefix("export ") else {
        pieces.append(.code(line))
        continue
      }
      var statement = String(line)
      if isImport || line.hasPrefix("export {") {
        while !statement.hasSuffix(";"), let more = lines.popFirst() { statement += "\n" + more }
      }
      if isImport {
        guard let (names, target) = Self.imported(by: statement, in: path) else { return nil }
        imports.append(target)
        pieces.append(.imported(names: names, path: target, statement: statement))
      } else if statement.hasPrefix("export {"), statement.hasSuffix("};") {
        exports += Self.names(statement.dropFirst("export {".count).dropLast(2))
        pieces.append(.exported(code: "", statement: statement))
      } else if let name = Self.declared(by: line.dropFirst("export ".count)) {
        exports.append(name)
        pieces.append(.exported(code: line.dropFirst("export ".count), statement: statement))
      } else {
        canBeLinked = false
        pieces.append(.code(line))
      }
    }
  }

  /// The names that `import { names } from "./path.js";` imports, or `import "./path.js";` none, and from where.
  ///
  /// Patterns would read better, but they cost more than all the rest when the server starts.
  private static func imported(by statement: String, in path: String) -> (names: String, target: String)? {
    let parts = statement.split(separator: "\"", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[1].hasPrefix("."), parts[2] == ";" else { return nil }
    let target = resolve(parts[1], from: path)
    if parts[0] == "import " { return ("", target) }
    guard parts[0].hasPrefix("import {"), parts[0].hasSuffix("} from ") else { return nil }
    return (String(parts[0].dropFirst("import {".count).dropLast("} from ".count)), target)
  }

  /// The name that a declaration gives, if it keeps its value.
  private static func declared(by code: Substring) -> String? {
    var words = code.split(separator: " ", maxSplits: 3)[...]
    if words.first == "async" { words.removeFirst() }
    guard let word = words.popFirst(), ["function", "function*", "class", "const"].contains(word) else { return nil }
    let name = words.first?.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" } ?? ""
    return name.isEmpty ? nil : String(name)
  }

  private static func names(_ list: Substring) -> [String] {
    list.split(separator: ",").map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
  }

  /// Whether it asks where it stands, which linking would change.
  var asksWhere: Bool {
    pieces.contains { piece in
      switch piece {
      case .code(let line), .exported(let line, _): line.utf8.mentions("import.meta")
      case .imported: false
      }
    }
  }

  /// Its code, which takes by name what it imports from linked modules.
  ///
  /// - Parameter linked: The names of the linked modules by path. If it is one of them, it exports nothing, and finds
  ///   what it loads later from where the frame stands.
  func code(taking linked: [String: String]) -> String {
    let isLinked = linked[path] != nil
    return pieces.map { piece in
      switch piece {
      case .code(let line): return isLinked ? relocated(line) : String(line)
      case .exported(let code, let statement): return isLinked ? relocated(code) : statement
      case .imported(let names, let target, let statement):
        guard let name = linked[target] else { return statement }
        return names.isEmpty ? "" : "const {\(names.replacing(" as ", with: ": "))} = \(name);"
      }
    }.joined(separator: "\n")
  }

  /// A line whose modules to be loaded later are named as seen from the frame.
  private func relocated(_ line: Substring) -> String {
    // Few lines load a module.
    guard line.utf8.mentions("import(") else { return String(line) }
    return String(
      line.replacing(#/import\((["`])(\.[^"`$]*)/#) { "import(\($0.1)./\(Self.resolve($0.2, from: path))" })
  }

  /// The path that `target` means in the module at `path`.
  private static func resolve(_ target: Substring, from path: String) -> String {
    var parts = path.split(separator: "/").dropLast()
    for part in target.split(separator: "/", omittingEmptySubsequences: false) where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }
}

extension Substring.UTF8View {
  /// Whether a word of ASCII is in it; the search for characters takes many times as long.
  fileprivate func mentions(_ word: StaticString) -> Bool {
    let word = Array("\(word)".utf8)
    var rest = self[...]
    while let start = rest.firstIndex(of: word[0]) {
      rest = rest[start...]
      if rest.starts(with: word) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
