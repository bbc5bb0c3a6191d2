/// The header fields of a message, in order. Names are compared without regard to case.
public struct Headers: Equatable, Sendable, ExpressibleByDictionaryLiteral {
  /// A header field.
  public struct Field: Equatable, Sendable {
    public let name: String
    public let value: String
  }

  public private(set) var fields: [Field] = []

  public init() {}

  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { add(name, value) }
  }

  /// Appends a field; existing fields of the same name stay.
  ///
  /// A value cannot inject a line: control characters become spaces. A name that is not a token is ignored.
  public mutating func add(_ name: String, _ value: String) {
    guard name.isToken else { return }
    guard !value.utf8.allSatisfy(\.isFieldCharacter) else { return fields.append(Field(name: name, value: value)) }
    let bytes = value.utf8.map { $0.isFieldCharacter ? $0 : .space }
    fields.append(Field(name: name, value: String(decoding: bytes, as: UTF8.self)))
  }

  /// Replaces all fields of this name by one, which is the last.
  mutating func replace(_ name: String, with value: String) {
    fields.removeAll { $0.name.isEqualIgnoringCase(name) }
    add(name, value)
  }

  /// The value of a field that may appear once; `nil` if it is absent or repeated.
  public subscript(name: String) -> String? {
    let values = values(of: name)
    return values.count == 1 ? values[0] : nil
  }

  /// Whether a field of this name is there.
  public func contains(_ name: String) -> Bool { fields.contains { $0.name.isEqualIgnoringCase(name) } }

  /// All values of a field, unchanged.
  public func values(of name: String) -> [String] {
    fields.filter { $0.name.isEqualIgnoringCase(name) }.map(\.value)
  }

  /// The values of a list header joined to one text (RFC 9110 §5.3); `nil` if it is absent.
  public func joined(_ name: String) -> String? {
    let values = values(of: name)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// The elements of a list header from all its lines, trimmed and without empty ones. Commas inside quotes do not
  /// separate.
  public func list(_ name: String) -> [String] {
    var elements: [String] = []
    for value in values(of: name) {
      let bytes = Array(value.utf8)
      var start = 0
      var isQuoted = false
      var isEscaped = false
      for index in 0...bytes.count {
        if index == bytes.count || bytes[index] == .comma && !isQuoted {
          let element = bytes[start..<index].trimmingBlanks()
          if !element.isEmpty { elements.append(String(decoding: element, as: UTF8.self)) }
          start = index + 1
        } else if isEscaped {
          isEscaped = false
        } else if bytes[index] == .backslash && isQuoted {
          isEscaped = true
        } else if bytes[index] == .quote {
          isQuoted.toggle()
        }
      }
    }
    return elements
  }

  /// Whether a list header contains `token`, in any case, such as in `Connection: keep-alive, Upgrade`.
  public func list(_ name: String, contains token: String) -> Bool {
    list(name).contains { $0.isEqualIgnoringCase(token) }
  }

  /// Appends the fields in wire format, without the empty line that ends a head.
  func write(to output: inout [UInt8]) {
    for field in fields {
      output.append(contentsOf: field.name.utf8)
      output.append(contentsOf: ": ".utf8)
      output.append(contentsOf: field.value.utf8)
      output.append(contentsOf: "\r\n".utf8)
    }
  }
}
