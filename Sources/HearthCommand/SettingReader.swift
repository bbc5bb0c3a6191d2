import JSON
import Platform

/// The settings in effect, with their sources.
struct ChosenSettings: Sendable {
  /// The source of a value, as users see it.
  enum Origin: Sendable, CustomStringConvertible {
    case flag(String)
    case variable(String)
    case file(String, key: String)

    var description: String {
      switch self {
      case .flag(let name), .variable(let name): name
      case .file(let path, let key): "\(path): \(key)"
      }
    }
  }

  var options = ServeOptions()
  /// Sources by the names of settings; a setting without one has its default.
  var origins: [String: Origin] = [:]

  /// One line per setting: its value and its source.
  func report(_ settings: [Setting] = Setting.all) -> String {
    settings.filter { $0.places.contains(.file) }.map { setting in
      let value = setting.isSecret && origins[setting.name] != nil ? "(not shown)" : setting.show(options)
      return "\(setting.key) = \(value)  (\(origins[setting.name]?.description ?? "default"))"
    }.joined(separator: "\n")
  }
}

/// All errors in the settings, each with its source.
struct SettingProblems: Error, CustomStringConvertible {
  var lines: [String]
  var description: String { "The server does not start:\n" + lines.map { "  \($0)" }.joined(separator: "\n") }
}

/// Reads settings from flags, variables and a file. A flag overrides a variable, a variable the file.
struct SettingReader {
  private let settings: [Setting]
  private var problems: [String] = []
  private var chosen = ChosenSettings()

  /// Variables that other commands and the tests read.
  private static let otherVariables: Set<String> = ["HEARTH_TOKEN"]

  private init(_ settings: [Setting]) { self.settings = settings }

  static func read(
    arguments: [String], environment: [String: String], settings: [Setting] = Setting.all,
    file: (String) throws -> [UInt8]
  ) throws(SettingProblems) -> ChosenSettings {
    var reader = SettingReader(settings)
    let flags = reader.flags(arguments)
    let variables = reader.variables(environment)
    // The file's name must be known first; errors in it are noted below.
    let path = (flags + variables).first { $0.setting.name == "config" }?.words.first
    let values = path.map { reader.values(ofFile: $0, file) } ?? []
    for value in values + variables + flags { reader.apply(value) }
    if reader.problems.isEmpty { reader.problems = reader.chosen.options.contradictions }
    guard reader.problems.isEmpty else { throw SettingProblems(lines: reader.problems) }
    return reader.chosen
  }

  private struct Value {
    var setting: Setting
    var words: [String]
    var origin: ChosenSettings.Origin
  }

  private mutating func apply(_ value: Value) {
    if value.setting.apply(&chosen.options, value.words) {
      chosen.origins[value.setting.name] = value.origin
    } else {
      // Of a list, only those that are wrong.
      let wrong = value.words.filter { word in
        var trial = chosen.options
        return !value.setting.apply(&trial, [word])
      }
      let given = value.setting.isSecret ? "this" : "'\(wrong.joined(separator: ","))'"
      problems.append("\(value.origin): \(given) is not allowed; it must be \(value.setting.allowed)")
    }
  }

  // MARK: flags

  private mutating func flags(_ arguments: [String]) -> [Value] {
    var values: [Value] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard let setting = settings.first(where: { $0.flag == parts[0] && $0.places.contains(.flag) }) else {
        problems.append("\(parts[0]): there is no such setting")
        if parts.count == 1, rest.first?.hasPrefix("--") == false { rest.removeFirst() }
        continue
      }
      let word: String
      if parts.count == 2 {
        word = parts[1]
      } else if setting.form == .yesOrNo {
        word = "true"
      } else if let next = rest.first, !next.hasPrefix("--") {
        word = next
        rest.removeFirst()
      } else {
        problems.append("\(setting.flag): a value is missing; it must be \(setting.allowed)")
        continue
      }
      if let index = values.firstIndex(where: { $0.setting.name == setting.name }) {
        if setting.form == .list {
          values[index].words.append(word)
        } else {
          problems.append("\(setting.flag): is given twice")
        }
      } else {
        values.append(Value(setting: setting, words: [word], origin: .flag(setting.flag)))
      }
    }
    return values
  }

  // MARK: variables

  private mutating func variables(_ environment: [String: String]) -> [Value] {
    var values: [Value] = []
    for (name, text) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix("HEARTH_") {
      if Self.otherVariables.contains(name) { continue }
      guard let setting = settings.first(where: { $0.variable == name && $0.places.contains(.variable) }) else {
        problems.append("\(name): there is no such setting")
        continue
      }
      values.append(Value(setting: setting, words: setting.words(of: text), origin: .variable(name)))
    }
    return values
  }

  // MARK: file

  private mutating func values(ofFile path: String, _ file: (String) throws -> [UInt8]) -> [Value] {
    guard let bytes = try? file(path) else {
      problems.append("\(path): cannot be read")
      return []
    }
    let members: [String: JSON]
    do throws(JSONError) {
      guard let object = try JSON.parse(bytes).object else {
        problems.append("\(path): must be a JSON object")
        return []
      }
      members = object
    } catch {
      problems.append("\(path): is not JSON: \(error)")
      return []
    }
    var values: [Value] = []
    for (key, value) in members.sorted(by: { $0.key < $1.key }) {
      let origin = ChosenSettings.Origin.file(path, key: key)
      guard let setting = settings.first(where: { $0.key == key && $0.places.contains(.file) }) else {
        problems.append("\(origin): there is no such setting")
        continue
      }
      guard let words = setting.words(of: value) else {
        let kind = setting.form == .list ? "a list, each \(setting.allowed)" : setting.allowed
        problems.append("\(origin): must be \(kind)\(setting.form == .text ? ", in quotes" : "")")
        continue
      }
      values.append(Value(setting: setting, words: words, origin: origin))
    }
    return values
  }
}

// MARK: help

extension Setting {
  /// The part of `--help` about all settings.
  static let helpText = all.map(\.helpEntry).joined(separator: "\n")

  private var helpEntry: String {
    let names = places.contains(.variable) ? [variable] : []
    let also = (names + (places.contains(.file) ? ["\"\(key)\""] : [])).joined(separator: ", ")
    let value = standard ?? show(ServeOptions())
    let facts = form == .yesOrNo ? "" : " \(allowed.prefix(1).uppercased() + allowed.dropFirst()); default: \(value)."
    return "  \(flag)\(form == .yesOrNo ? "" : " …")\n" + wrapped(help + facts + (also.isEmpty ? "" : " \(also)"))
  }

  private func wrapped(_ text: String) -> String {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + word.count < 72 {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines.map { "      \($0)" }.joined(separator: "\n")
  }
}
