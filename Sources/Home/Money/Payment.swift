import JSON
import Rooms

/// Money that one person has given to another (BIL-5).
struct Payment: Record {
  var from = ID<Person>()
  var to = ID<Person>()
  /// In minor units of the currency, above 0.
  var amount = 0
  /// ISO 4217.
  var currency = ""

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("from", \.from)
    field("to", \.to)
    field("amount", \.amount)
    field("currency", \.currency)
  }
}
