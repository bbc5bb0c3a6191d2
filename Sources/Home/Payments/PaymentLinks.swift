import JSON
import Rooms

/// Links that open a platform with a payment filled in (BIL-18).
///
/// They lead to these two hosts only. Whatever people have entered is percent-encoded, so that it stays a handle, a
/// number or a note. Nothing is opened or fetched here.
enum PaymentLinks {
  /// The currencies of PayPal. Some cannot be paid abroad, which PayPal says itself.
  private static let currencies = Set(
    """
    AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB TWD USD
    """.split(separator: " ").map(String.init))
  /// Of these PayPal takes whole units only.
  private static let wholeCurrencies: Set = ["HUF", "JPY", "TWD"]

  /// The link by which somebody is paid; `nil` if the platform has none, or cannot take the amount.
  ///
  /// - Parameter handle: As it stands in a profile.
  static func link(
    _ platform: PaymentPlatform, _ handle: String, _ amount: Int, _ currency: CurrencyCode, note: String
  ) -> String? {
    switch platform {
    case .venmo:
      guard VenmoName.isWellFormed(handle.utf8), currency.text == "USD" else { return nil }
      let query = "txn=pay&amount=\(currency.number(amount))&note=\(encoded(note))"
      return "https://venmo.com/\(encoded(handle))?\(query)"
    case .paypal:
      guard PayPalName.isWellFormed(handle.utf8), let number = payPalNumber(amount, currency) else { return nil }
      return "https://www.paypal.com/paypalme/\(encoded(handle))/\(number)\(currency.text)"
    case .applePay, .other: return nil
    }
  }

  private static func payPalNumber(_ amount: Int, _ currency: CurrencyCode) -> String? {
    guard currencies.contains(currency.text) else { return nil }
    let number = currency.number(amount)
    guard wholeCurrencies.contains(currency.text), currency.decimals > 0 else { return number }
    return number.hasSuffix(".00") ? String(number.dropLast(3)) : nil
  }

  /// A text as a part of a link: all but the unreserved characters of RFC 3986 §2.3 is percent-encoded.
  static func encoded(_ text: String) -> String {
    text.utf8.reduce(into: "") { link, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        link.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        link += byte < 16 ? "%0" : "%"
        link += String(byte, radix: 16, uppercase: true)
      }
    }
  }
}

/// Makes the links by which a member can be paid, the one that they prefer first (BIL-18, BIL-19).
struct LinkPayment: Question {
  static let method: StaticString = "payments.link"
  static let summary: StaticString =
    "Makes the links by which a member can be paid, the one that they prefer first (BIL-18, BIL-19)."
  var to = ID<Person>()
  var amount = 0
  /// Without it, the household's.
  var currency: CurrencyCode?
  /// For the payee to read; without it the household's name.
  var note: Line?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("to", \.to)
    field("amount", \.amount, Limits.payment)
    field("currency", \.currency)
    field("note", \.note, Limits.paymentRef)
  }

  func answer(from home: HouseholdState, in inquiry: Inquiry) throws(Refusal) -> PaymentLinkList {
    guard let member = home.membership.members[to] else { throw .gone("This member") }
    let currency = CurrencyCode(text: home.currency(currency))
    let note = note?.text ?? home.info.facts.value.name
    let platforms = PaymentPlatform.allCases.filter { $0 == member.preferred }
    var list = PaymentLinkList()
    for platform in platforms + PaymentPlatform.allCases.filter({ $0 != member.preferred }) {
      guard let handle = member.handles[platform],
        let url = PaymentLinks.link(platform, handle, amount, currency, note: note)
      else { continue }
      list.links.append(PaymentLinkEntry(platform: platform, url: url))
    }
    return list
  }
}

struct PaymentLinkList: Record {
  var links: [PaymentLinkEntry] = []

  static func fields(_ field: inout some FieldVisitor<Self>) { field("links", \.links) }
}

struct PaymentLinkEntry: Record {
  var platform = PaymentPlatform.other
  var url = ""

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("platform", \.platform)
    field("url", \.url)
  }
}
