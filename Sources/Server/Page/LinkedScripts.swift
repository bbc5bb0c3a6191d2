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
      guard let module = modules[path], module.canBeLinked else { return false }
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
  /// Whether its exports are names that keep their values, and it does not ask where it stands.
  private(set) var canBeLinked: Bool

  /// `nil` if it imports in another form than `import { names } from "./path.js";`.
  init?(_ source: String, at path: String) {
    self.path = path
    canBeLinked = !source.contains("import.meta")
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
        guard let match = statement.wholeMatch(of: #/import (?:\{([^}]*)\} from )?"(\.[^"]+)";/#) else { return nil }
        let target = Self.resolve(match.2, from: path)
        imports.append(target)
        pieces.append(.imported(names: String(match.1 ?? ""), path: target, statement: statement))
      } else if let match = statement.wholeMatch(of: #/export \{([\w$,\s]*)\};/#) {
        exports += match.1.split(separator: ",").map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
        pieces.append(.exported(code: "", statement: statement))
      } else if let match = line.prefixMatch(of: #/export (?:async )?(?:function\*?|class|const) ([\w$]+)/#) {
        exports.append(String(match.1))
        pieces.append(.exported(code: line.dropFirst("export ".count), statement: statement))
      } else {
        canBeLinked = false
        pieces.append(.code(line))
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
    // Patterns are slow, and few lines load a module.
    guard line.contains("import(") else { return String(line) }
    return line.replacing(#/import\((["`])(\.[^"`$]*)/#) { "import(\($0.1)./\(Self.resolve($0.2, from: path))" }
      .description
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
