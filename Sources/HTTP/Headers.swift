/// The header fields of a message, in their order. Names are compared without regard to case.
public struct Headers: Equatable, Sendable, ExpressibleByDictionaryLiteral {
  public struct Field: Equatable, Sendable {
    public let name: String
    public let value: String
  }

  public private(set) var fields: [Field] = []

  public init() {}

  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { add(name, value) }
  }

  /// Puts a field behind the others, whatever of that name there is already.
  ///
  /// A value that comes from elsewhere cannot end the line: control characters become spaces. What is not a token
  /// is no name, and is left out.
  public mutating func add(_ name: String, _ value: String) {
    guard name.isToken else { return }
    guard !value.utf8.allSatisfy(\.isFieldCharacter) else { return fields.append(Field(name: name, value: value)) }
    let bytes = value.utf8.map { $0.isFieldCharacter ? $0 : .space }
    fields.append(Field(name: name, value: String(decoding: bytes, as: UTF8.self)))
  }

  /// The value of a field that may be there once: `nil` where it is absent, and where there are several.
  public subscript(name: String) -> String? {
    let values = values(of: name)
    return values.count == 1 ? values[0] : nil
  }

  public func contains(_ name: String) -> Bool { fields.contains { $0.name.isEqualIgnoringCase(name) } }

  /// Every value, as it came.
  public func values(of name: String) -> [String] {
    fields.filter { $0.name.isEqualIgnoringCase(name) }.map(\.value)
  }

  /// The values of a list header as one text (RFC 9110 §5.3); `nil` where there is none.
  public func joined(_ name: String) -> String? {
    let values = values(of: name)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// The elements of a list header, from all its lines, without blanks around them and without empty ones. Commas
  /// between quotes do not divide.
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

  /// Whether a list header has `token` as an element, in any case: `Connection: keep-alive, Upgrade`.
  public func list(_ name: String, contains token: String) -> Bool {
    list(name).contains { $0.isEqualIgnoringCase(token) }
  }

  /// Appends the lines as they go on the wire, without the empty line that ends a head.
  func write(to output: inout [UInt8]) {
    for field in fields {
      output.append(contentsOf: field.name.utf8)
      output.append(contentsOf: ": ".utf8)
      output.append(contentsOf: field.value.utf8)
      output.append(contentsOf: "\r\n".utf8)
    }
  }
}
