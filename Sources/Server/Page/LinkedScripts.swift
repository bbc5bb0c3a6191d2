/// The page's modules, linked for a quick first visit.
///
/// A *bundle* is one script of several modules, each a block with a scope of its own: a root, and what it imports,
/// directly or not. There is one for the frame, `app.js`, without which no screen can be drawn, and one for the first
/// screen, `home.js`. The other modules are loaded when they are needed, and take from a bundle by an import of its
/// root. The client library, `hearth/`, is also served module by module, for other pages.
///
/// On a phone with a slow network each module costs a turn of its six connections: 25 of them cost more than a second.
///
/// The frame must not wait, at its top level, for a module that takes from it: neither would ever begin.
struct LinkedScripts {
  /// Scripts by path, as they are to be served.
  private(set) var texts: [String: String]
  /// The modules that stand in a bundle, and that nothing loads by their own path.
  private(set) var linked: Set<String> = []

  private static let roots = ["app.js", "screens/home.js"]

  /// - Parameter sources: Scripts by path, such as `parts/sheet.js`. If one of them imports or exports in a form that
  ///   linking does not know, all are served as they are written.
  init(_ sources: [String: String]) {
    texts = sources
    var modules: [String: Module] = [:]
    for (path, source) in sources {
      guard let module = Module(source, at: path) else { return }
      modules[path] = module
    }
    var bundles: [Bundle] = []
    for root in Self.roots {
      guard let order = Self.order(from: root, modules, after: bundles) else { break }
      bundles.append(Bundle(root: root, modules: order, after: bundles))
    }
    guard !bundles.isEmpty else { return }
    let names = bundles.reduce(into: [:]) { $0.merge($1.names) { $1 } }
    let loaded = Set(modules.values.flatMap(\.loads))
    for (path, module) in modules where names[path] == nil && !path.hasPrefix("hearth/") {
      texts[path] = Self.imports(module.imports, from: bundles, in: path) + module.code(taking: names)
    }
    for bundle in bundles {
      let others = bundles.filter { $0.root != bundle.root }
      var script = Self.imports(bundle.modules.flatMap { modules[$0]?.imports ?? [] }, from: others, in: bundle.root)
      for path in bundle.modules {
        guard let module = modules[path], let name = names[path] else { continue }
        let code = module.code(taking: names, asPartOf: bundle.root)
        script += "let \(name);\n{\n\(code)\(name) = {\(module.exports.joined(separator: ", "))};\n}\n"
        guard loaded.contains(path) else { continue }
        let own = "export const {\(module.exports.joined(separator: ", "))} = \(name);\n"
        if path != bundle.root { texts[path] = Self.imports([path], from: [bundle], in: path) + own }
        if path == bundle.root { script += own }
      }
      script += "export {\(bundle.modules.compactMap { names[$0] }.joined(separator: ", "))};\n"
      texts[bundle.root] = script
      linked.formUnion(bundle.modules.filter { $0 != bundle.root && !loaded.contains($0) })
    }
  }

  /// The statements by which the module at `path` takes these others from the bundles in which they stand.
  private static func imports(_ targets: [String], from bundles: [Bundle], in path: String) -> String {
    bundles.map { bundle in
      let taken = Set(targets).compactMap { bundle.names[$0] }.sorted()
      let from = top(from: path) + bundle.root
      return taken.isEmpty ? "" : "import {\(taken.joined(separator: ", "))} from \"\(from)\";\n"
    }.joined()
  }

  /// The modules that one needs and that stand in no bundle yet, each after those that it imports; `nil` if one is not
  /// there or cannot be linked.
  private static func order(from start: String, _ modules: [String: Module], after bundles: [Bundle]) -> [String]? {
    var order: [String] = []
    var seen: Set<String> = []
    func visit(_ path: String) -> Bool {
      guard !bundles.contains(where: { $0.names[path] != nil }) else { return true }
      guard seen.insert(path).inserted else { return order.contains(path) }
      guard let module = modules[path], module.canBeLinked, !module.asksWhere else { return false }
      guard module.imports.allSatisfy(visit) else { return false }
      order.append(path)
      return true
    }
    return visit(start) ? order : nil
  }

  /// The page's folder as seen from the module at `path`.
  fileprivate static func top(from path: String) -> String { path.contains("/") ? "../" : "./" }
}

/// Modules that are served as one script.
private struct Bundle {
  let root: String
  /// Paths, each after those that it imports; the root is the last.
  let modules: [String]
  /// The variables that hold the modules' exports, by the modules' paths.
  let names: [String: String]

  init(root: String, modules: [String], after others: [Bundle]) {
    let count = others.reduce(0) { $0 + $1.modules.count }
    self.root = root
    self.modules = modules
    names = Dictionary(uniqueKeysWithValues: modules.enumerated().map { ($1, "$\(count + $0)") })
  }
}

/// A module, taken apart at its imports and exports. They begin lines, as the sources' formatter writes them.
private struct Module {
  private enum Piece {
    case code(Substring)
    case imported(names: String, path: String, statement: String)
    case exported(code: Substring, statement: String)

    /// The line as it stands in a bundle, without `export`; `nil` for an import.
    var code: Substring? {
      switch self {
      case .code(let code), .exported(let code, _): code
      case .imported: nil
      }
    }
  }

  private let path: String
  private var pieces: [Piece] = []
  private(set) var imports: [String] = []
  private(set) var exports: [String] = []
  /// The modules that it loads while it runs, as far as their paths are written out.
  private(set) var loads: [String] = []
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
    // Few lines load a module.
    for line in pieces.compactMap(\.code) where line.utf8.mentions("import(") {
      loads += line.matches(of: #/import\("(\.[^"]*)"\)/#).map { Self.resolve($0.1, from: path) }
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
    pieces.compactMap(\.code).contains { $0.utf8.mentions("import.meta") }
  }

  /// Its code, which takes by name what it imports from linked modules.
  ///
  /// - Parameters:
  ///   - linked: The names of the linked modules by path.
  ///   - root: The root of the bundle that it is a part of. Then it exports nothing, and finds what it loads later from
  ///     where the root stands.
  func code(taking linked: [String: String], asPartOf root: String? = nil) -> String {
    pieces.map { piece in
      switch piece {
      case .code(let line): return relocated(line, to: root)
      case .exported(let code, let statement): return root == nil ? statement : relocated(code, to: root)
      case .imported(let names, let target, let statement):
        guard let name = linked[target] else { return statement }
        return names.isEmpty ? "" : "const {\(names.replacing(" as ", with: ": "))} = \(name);"
      }
    }.joined(separator: "\n")
  }

  /// A line whose modules to be loaded later are named as seen from the root of a bundle.
  private func relocated(_ line: Substring, to root: String?) -> String {
    guard let root, line.utf8.mentions("import(") else { return String(line) }
    return String(
      line.replacing(#/import\((["`])(\.[^"`$]*)/#) {
        "import(\($0.1)\(LinkedScripts.top(from: root))\(Self.resolve($0.2, from: path))"
      })
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
