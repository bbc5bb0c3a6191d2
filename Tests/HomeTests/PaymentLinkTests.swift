import JSON
import Rooms
import Testing

@testable import Home

@Suite("Payment links")
struct PaymentLinkTests {
  private func link(
    _ platform: PaymentPlatform, _ handle: String, _ amount: Int, _ currency: String = "USD", note: String = "Rent"
  ) -> String? {
    PaymentLinks.link(platform, handle, amount, CurrencyCode(text: currency), note: note)
  }

  @Test("BIL-18: links open Venmo and PayPal with handle, amount, currency and note filled in")
  func filledIn() {
    #expect(link(.venmo, "ana-pays", 1234) == "https://venmo.com/ana-pays?txn=pay&amount=12.34&note=Rent")
    #expect(link(.paypal, "AnaPays", 1234, "EUR") == "https://www.paypal.com/paypalme/AnaPays/12.34EUR")
    #expect(link(.paypal, "AnaPays", 5, "EUR") == "https://www.paypal.com/paypalme/AnaPays/0.05EUR")
    #expect(link(.paypal, "AnaPays", 1500, "JPY") == "https://www.paypal.com/paypalme/AnaPays/1500JPY")
    // PayPal takes no parts of a forint; the ledger has them.
    #expect(link(.paypal, "AnaPays", 150_000, "HUF") == "https://www.paypal.com/paypalme/AnaPays/1500HUF")
    #expect(link(.paypal, "AnaPays", 150_050, "HUF") == nil)
    #expect(link(.venmo, "ana-pays", 1234, "EUR") == nil && link(.paypal, "AnaPays", 1234, "KWD") == nil)
    for platform in [PaymentPlatform.applePay, .other] { #expect(link(platform, "+4915112345678", 1) == nil) }
  }

  @Test("BIL-18: nothing that people enter leads elsewhere or adds to a link")
  func hostile() throws {
    let note = "a&amount=1#/?x=ä \u{1F355}\"<%00>"
    let url = try #require(link(.venmo, "ana-pays", 100, note: note))
    #expect(
      url == "https://venmo.com/ana-pays?txn=pay&amount=1.00"
        + "&note=a%26amount%3D1%23%2F%3Fx%3D%C3%A4%20%F0%9F%8D%95%22%3C%2500%3E")
    for handle in ["", "a/b/c", "ana@evil.example", "../ana-pays", "ana.evil", "ana pays", "anä-pays", "a?b=c#"] {
      #expect(link(.venmo, handle, 100) == nil, "\(handle)")
      #expect(link(.paypal, handle, 100) == nil, "\(handle)")
    }
    #expect(PaymentLinks.encoded("AZaz09-._~") == "AZaz09-._~" && PaymentLinks.encoded("\u{1}+") == "%01%2B")
  }

  @Test("BIL-18, BIL-19: a member asks for the links of another one, who shares them, the preferred first")
  func asked() throws {
    let house = try ChoreWorld("Ana", "Ben")
    let ask: JSON = ["to": house.person(0), "amount": 1250, "currency": "USD"]
    house.world.confirmation = .pin
    try house.world.call(
      house.people[0], "profile.update",
      ["handles": ["venmo": "ana-pays", "paypal": "AnaPays", "applePay": "+4915112345678"], "preferred": "paypal"])
    house.world.confirmation = nil
    #expect(try house.call(1, "payments.link", ask)["links"] == [])
    try house.world.call(house.people[0], "profile.update", ["sharesHandles": true])
    let links = try house.call(1, "payments.link", ask)["links"]?.array ?? []
    #expect(links.map { $0["platform"] } == ["paypal", "venmo"])
    #expect(links.first?["url"] == "https://www.paypal.com/paypalme/AnaPays/12.50USD")
    #expect(links.last?["url"] == "https://venmo.com/ana-pays?txn=pay&amount=12.50&note=Home")
    // The household's currency is the euro.
    let euro = try house.call(1, "payments.link", ["to": house.person(0), "amount": 1250, "note": "Pizza"])["links"]
    #expect(euro == [["platform": "paypal", "url": "https://www.paypal.com/paypalme/AnaPays/12.50EUR"]])
    let stranger = try house.world.signUp("Eve")
    #expect(reason { try house.call(1, "payments.link", ["to": .id(stranger), "amount": 1]) } == "notFound/gone")
  }

  @Test("R-MONEY, R-039: amounts have the decimals of their currency, 0, 2, 3 or 4")
  func decimals() throws {
    // ISO 4217, list one, as published on 2026-01-01.
    for (code, decimals) in [
      ("EUR", 2), ("USD", 2), ("HUF", 2), ("MGA", 2), ("MRU", 2), ("CLP", 0), ("JPY", 0), ("KRW", 0), ("ISK", 0),
      ("UYI", 0), ("XOF", 0), ("KWD", 3), ("TND", 3), ("IQD", 3), ("CLF", 4), ("UYW", 4),
    ] {
      #expect(CurrencyCode(text: code).decimals == decimals, "\(code)")
    }
    let codes = CurrencyCode.schema(nil)["enum"]?.array?.compactMap(\.string) ?? []
    let counts = Dictionary(grouping: codes) { CurrencyCode(text: $0).decimals }.mapValues(\.count)
    #expect(counts == [0: 17, 2: codes.count - 26, 3: 7, 4: 2] && codes.count > 150)
    for (amount, code, text) in [
      (0, "EUR", "0.00"), (5, "EUR", "0.05"), (-5, "EUR", "-0.05"), (100, "EUR", "1.00"), (-123_456, "EUR", "-1234.56"),
      (7, "JPY", "7"), (-7, "JPY", "-7"), (7, "KWD", "0.007"), (12_345, "KWD", "12.345"), (12_345, "CLF", "1.2345"),
      (1_000_000_000_000, "UYW", "100000000.0000"),
    ] {
      #expect(CurrencyCode(text: code).number(amount) == text, "\(amount) \(code)")
    }
  }

  @Test(
    "BIL-18: the number of a card is found in every way of writing it",
    arguments: [
      "4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111", "4111.1111.1111.1111", "4111/1111/1111/1111",
      "4111_1111_1111_1111", "4111,1111,1111,1111", "(4111) (1111) (1111) (1111)", "4111  1111 - 1111 — 1111",
      "4111\u{A0}1111\u{202F}1111\u{2009}1111", "4111\u{2011}1111\u{2013}1111\u{2212}1111",
      "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
      "４１１１１１１１１１１１１１１１", "٤١١١١١١١١١١١١١١١", "Visa 4111 1111 1111 1111 ok", "x4111111111111111x",
      "4111 1111 1111 1111 12/27", "4111111111111111 12/27 123", "12 4111 1111 1111 1111", "3782 822463 10005",
      "5555.5555.5555.4444", "3056 930902 5904", "6759 6498 2643 8453", "2223 0031 2200 3222",
    ])
  func cards(text: String) { #expect(isLikeCard(text)) }

  @Test("BIL-18: telephone numbers, dates, times and references are no cards")
  func noCards() {
    for text in [
      "", "Wero: +4915112345678", "+49 151 12345678", "4KX22113LL556677A", "2026-05-01 18:00", "Invoice 2026/0042",
      "DE89 3704 0044 0532 0130 00", "4111 1111 1111 1112", "41111111", "ana-pays", "100 % of 12.34",
    ] {
      #expect(!isLikeCard(text), "\(text)")
    }
  }
}
