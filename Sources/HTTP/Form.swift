/// Names and values as `application/x-www-form-urlencoded` (WHATWG URL §5), in queries and bodies.
public struct Form: Equatable, Sendable {
  public var fields: [(name: String, value: String)]

  public init(_ fields: [(String, String)]) { self.fields = fields.map { (name: $0.0, value: $0.1) } }

  /// Reads a query. Escapes are resolved; a field whose escapes are malformed is left out.
  public init(query: String?) {
    fields = (query ?? "").split(separator: "&").compactMap { field in
      let sides = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Target.decode(Self.spaced(sides[0])) else { return nil }
      guard let value = sides.count > 1 ? Target.decode(Self.spaced(sides[1])) : "" else { return nil }
      return (name: name, value: value)
    }
  }

  private static func spaced(_ text: Substring) -> Substring { Substring(text.replacing("+", with: " ")) }

  /// The value of the only field of a name; `nil` if there is none, or several.
  public subscript(name: String) -> String? {
    let values = fields.filter { $0.name == name }.map(\.value)
    return values.count == 1 ? values[0] : nil
  }

  public var encoded: String {
    fields.map { "\(Self.encode($0.name))=\(Self.encode($0.value))" }.joined(separator: "&")
  }

  private static func encode(_ text: String) -> String {
    var output = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        output.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        output += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return output
  }

  public static func == (a: Form, b: Form) -> Bool { a.fields.elementsEqual(b.fields) { $0 == $1 } }
}
