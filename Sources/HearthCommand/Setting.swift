import JSON

/// One setting of a server: a flag, an environment variable and a key of a file (OPS-3).
///
/// All three follow from its name. `Setting.all` lists all settings.
struct Setting: Sendable {
  /// A source of values.
  enum Place: Sendable, CaseIterable { case flag, variable, file }

  /// The form of a value.
  enum Form: Sendable {
    case text, number, list
    /// `true` or `false`; the flag's name alone means `true`.
    case yesOrNo
  }

  /// Words with hyphens, such as `stall-limit`.
  let name: String
  let help: String
  let form: Form
  /// The requirement on a value, for error messages.
  let allowed: String
  /// Applies the values; returns whether they are allowed. Only a list may have more than one.
  let apply: @Sendable (inout ServeOptions, [String]) -> Bool
  /// The current value, as a user would write it.
  let show: @Sendable (ServeOptions) -> String
  /// Shown instead of the default's value if that depends on the machine.
  var standard: String?
  var places: Set<Place> = Set(Place.allCases)
  /// Whether the value is never printed.
  var isSecret = false
  /// Between the values of a list in a variable.
  var separator: Character = ","

  var flag: String { "--\(name)" }

  var variable: String { "HEARTH_" + name.uppercased().replacing("-", with: "_") }

  /// Camel case, such as `stallLimit`.
  var key: String {
    let words = name.split(separator: "-")
    return words.prefix(1).joined() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// The words of a value in a file; `nil` if it is of the wrong kind.
  func words(of value: JSON) -> [String]? {
    switch (form, value) {
    case (.text, .string(let text)): [text]
    case (.number, .number(let number)): [number.text]
    case (.yesOrNo, .bool(let value)): [String(value)]
    case (.list, .array(let items)):
      items.allSatisfy { $0.string != nil } ? items.compactMap(\.string) : nil
    default: nil
    }
  }

  /// The words of an environment variable.
  func words(of variable: String) -> [String] {
    guard form == .list else { return [variable] }
    return variable.split(separator: separator).map { String($0.trimmingPrefix { $0 == " " }) }
  }
}

// MARK: kinds

extension Setting {
  typealias Path<Value> = any WritableKeyPath<ServeOptions, Value> & Sendable

  static func text(
    _ name: String, _ path: Path<String>, allowed: String = "a text that is not empty", _ help: String
  ) -> Setting {
    Setting(
      name: name, help: help, form: .text, allowed: allowed,
      apply: { options, words in
        options[keyPath: path] = words[0]
        return !words[0].isEmpty
      }, show: { $0[keyPath: path] })
  }

  static func optionalText(
    _ name: String, _ path: Path<String?>, allowed: String = "a text that is not empty", _ help: String,
    _ isAllowed: @escaping @Sendable (String) -> Bool = { !$0.isEmpty }
  ) -> Setting {
    Setting(
      name: name, help: help, form: .text, allowed: allowed,
      apply: { options, words in
        options[keyPath: path] = words[0]
        return isAllowed(words[0])
      }, show: { $0[keyPath: path] ?? "" }, standard: "none")
  }

  static func number<Value: FixedWidthInteger>(
    _ name: String, _ path: Path<Value>, _ range: ClosedRange<Value>, unit: String = "", _ help: String
  ) -> Setting where Value: Sendable {
    let unit = unit.isEmpty ? "" : " of \(unit)"
    return Setting(
      name: name, help: help, form: .number,
      allowed: "a whole number\(unit) from \(range.lowerBound) to \(range.upperBound)",
      apply: { options, words in
        guard let value = Value(words[0]), range.contains(value) else { return false }
        options[keyPath: path] = value
        return true
      }, show: { String($0[keyPath: path]) })
  }

  static func duration(
    _ name: String, _ path: Path<Duration>, _ range: ClosedRange<Duration>, _ help: String
  ) -> Setting {
    Setting(
      name: name, help: help, form: .text,
      allowed: "a time such as 250ms, 30s, 5m or 1h, from \(range.lowerBound.short) to \(range.upperBound.short)",
      apply: { options, words in
        guard let value = Duration(short: words[0]), range.contains(value) else { return false }
        options[keyPath: path] = value
        return true
      }, show: { $0[keyPath: path].short })
  }

  static func yesOrNo(_ name: String, _ path: Path<Bool>, _ help: String) -> Setting {
    Setting(
      name: name, help: help, form: .yesOrNo, allowed: "true or false",
      apply: { options, words in
        guard let value = Bool(words[0]) else { return false }
        options[keyPath: path] = value
        return true
      }, show: { String($0[keyPath: path]) })
  }

  static func choice<Value: RawRepresentable<String> & CaseIterable & Sendable>(
    _ name: String, _ path: Path<Value>, _ help: String
  ) -> Setting {
    Setting(
      name: name, help: help, form: .text,
      allowed: "one of " + Value.allCases.map(\.rawValue).joined(separator: ", "),
      apply: { options, words in
        guard let value = Value(rawValue: words[0]) else { return false }
        options[keyPath: path] = value
        return true
      }, show: { $0[keyPath: path].rawValue })
  }

  static func list<Value: Hashable & Sendable & CustomStringConvertible>(
    _ name: String, _ path: Path<Set<Value>>, separator: Character = ",", each allowed: String, _ help: String,
    _ read: @escaping @Sendable (String) -> Value?
  ) -> Setting {
    var setting = Setting(
      name: name, help: help, form: .list, allowed: allowed,
      apply: { options, words in
        let values = words.compactMap(read)
        options[keyPath: path] = Set(values)
        return values.count == words.count
      }, show: { $0[keyPath: path].map(\.description).sorted().joined(separator: String(separator)) },
      standard: "none")
    setting.separator = separator
    return setting
  }
}

extension Setting {
  /// The same setting, accepted from these sources only.
  func only(_ places: Place...) -> Setting {
    var setting = self
    setting.places = Set(places)
    return setting
  }

  func standing(for standard: String) -> Setting {
    var setting = self
    setting.standard = standard
    return setting
  }

  var secret: Setting {
    var setting = self
    setting.isSecret = true
    return setting
  }
}

extension Duration {
  private static let units: [(name: String, milliseconds: Int64)] = [
    ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000),
  ]

  /// Reads `250ms`, `30s`, `5m` or `1h`.
  init?(short text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let count = Int64(digits), count < 1_000_000_000,
      let unit = Self.units.first(where: { $0.name == text.dropFirst(digits.count) })
    else { return nil }
    self = .milliseconds(count * unit.milliseconds)
  }

  /// The duration in the largest unit that divides it.
  var short: String {
    let (seconds, rest) = components
    let milliseconds = seconds * 1000 + rest / 1_000_000_000_000_000
    guard milliseconds > 0, let unit = Self.units.last(where: { milliseconds % $0.milliseconds == 0 }) else {
      return "0s"
    }
    return "\(milliseconds / unit.milliseconds)\(unit.name)"
  }
}
