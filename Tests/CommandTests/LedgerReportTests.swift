import JSON
import Rooms
import Testing

@testable import HearthCommand

@Suite("Ledger on a terminal and in files")
struct LedgerReportTests {
  static let ana = ID<Person>(high: 0xA000, low: 1)
  static let bo = ID<Person>(high: 0xA000, low: 2)
  static let gone = ID<Person>(high: 0xA000, low: 3)

  static let household: JSON = [
    "household": ["timeZone": "Europe/Berlin"],
    "members": .object([ana.description: ["name": "Ana"], bo.description: ["name": "=Bo, \"B\"\u{1B}[2J"]]),
    "former": .object([gone.description: ["number": 2]]),
    "balances": [
      "EUR": ["people": .object([ana.description: 1850, bo.description: -1850])],
      "KWD": ["people": .object([gone.description: -1000, ana.description: 1000])],
    ],
    "debts": [
      "a": ["from": .string(bo.description), "to": .string(ana.description), "currency": "EUR", "amount": 1850],
      "b": ["from": .string(gone.description), "to": .string(ana.description), "currency": "KWD", "amount": 1000],
    ],
  ]

  static func entry(_ n: Int, _ kind: String, _ at: String, _ currency: String, _ people: [ID<Person>: Int]) -> JSON {
    [
      "n": .number(.init(n)), "kind": .string(kind), "ref": "b1", "at": .string(at), "by": .string(ana.description),
      "currency": .string(currency),
      "people": .object(
        Dictionary(uniqueKeysWithValues: people.map { ($0.key.description, JSON.number(.init($0.value))) })),
    ]
  }

  static let report = LedgerReport(
    household: household,
    entries: [
      entry(3, "payment", "2026-11-30T23:30:00Z", "EUR", [ana: -150, bo: 150]),
      entry(2, "bill", "2026-11-02T10:00:00Z", "KWD", [ana: 1000, gone: -1000]),
      entry(1, "bill", "2026-10-31T23:30:00Z", "EUR", [ana: 2000, bo: -2000]),
    ], bills: [["id": "b1", "bill": ["title": "Pizza"]]], me: ana)

  @Test("R-039: amounts have the decimals of their currency, and are read back exactly")
  func amounts() {
    for (amount, currency, text) in [
      (500, "JPY", "500"), (1000, "KWD", "1.000"), (-5, "EUR", "-0.05"), (0, "EUR", "0.00"),
      (123_456, "EUR", "1234.56"),
      (12_345, "CLF", "1.2345"), (-500, "JPY", "-500"),
    ] {
      #expect(MoneyText.of(amount, currency) == text)
      #expect(MoneyText.amount(text, currency) == amount)
    }
    #expect(MoneyText.amount("12.5", "EUR") == 1250 && MoneyText.amount("12.50", "JPY") == nil)
    #expect(MoneyText.amount("12.00", "JPY") == 12 && MoneyText.amount("-0", "EUR") == 0)
    for text in ["", "-", ".5", "5.", "1,5", "1e3", "+1", "1.2.3", "٣"] {
      #expect(MoneyText.amount(text, "EUR") == nil, "\(text)")
    }
  }

  @Test("BIL-22: balances, debts and a month by the household's clocks; a terminal obeys no name")
  func people() {
    let report = Self.report
    #expect(report.balances.contains("you") && report.balances.contains("former member #2"))
    #expect(report.balances.contains("-18.50") && report.balances.contains("-1.000"))
    #expect(report.debts.contains("18.50") && !report.debts.contains("\u{1B}"))
    let november = report.account(of: "2026-11").split(separator: "\n").dropFirst().map(String.init)
    #expect(november.count == 2 && november[0].hasPrefix("2026-11-01  Pizza") && november[1].hasPrefix("2026-11-02"))
    #expect(report.account(of: "2026-12").contains("payment") && report.account(of: "2026-09") == "Nothing in 2026-09.")
    #expect(LedgerReport(household: [:], entries: [], bills: [], me: nil).balances == "Nobody owes anybody anything.")
  }

  @Test("BIL-22: each person's rows of the exported ledger add up to their balance, and no cell is a formula")
  func export() throws {
    let rows = try #require(CSV.rows(Self.report.csv))
    #expect(rows.count == 7 && rows[0].first == "entry")
    var sums: [String: Int] = [:]
    for row in rows.dropFirst() { sums["\(row[7]) \(row[6])", default: 0] += MoneyText.amount(row[9], row[6]) ?? 0 }
    #expect(
      sums == [
        "\(Self.ana) EUR": 1850, "\(Self.bo) EUR": -1850, "\(Self.ana) KWD": 1000, "\(Self.gone) KWD": -1000,
      ])
    #expect(rows[2][8] == "'=Bo, \"B\"\u{1B}[2J" && rows[1][8] == "Ana")
    #expect(Self.report.json["entries"]?.array?.count == 3)
  }

  @Test("comma-separated values are read with quotes, line breaks and marks of UTF-8")
  func values() {
    #expect(CSV.rows("\u{FEFF}a,\"b \"\"c\"\"\nd\",\r\n\r\n,x") == [["a", "b \"c\"\nd", ""], ["", "x"]])
    #expect(CSV.rows("a,\"b") == nil && CSV.rows("") == [] && CSV.rows("\"\"\n") == [])
    let fields = ["-5", "-x", "@a", "a\"b", "c,d", "e\r\nf", ""]
    #expect(CSV.rows(CSV.row(fields)) == [["-5", "'-x", "'@a", "a\"b", "c,d", "e\r\nf", ""]])
  }
}
