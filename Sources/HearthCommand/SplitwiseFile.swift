import Crypto
import Foundation
import JSON
import Rooms

/// A group's expenses as Splitwise exports them ("Export as spreadsheet"): one row for each, with a column for each
/// person, which holds what they paid less their share.
///
/// A row does not say who paid how much. Those above 0 have paid for the others; what they consumed themselves is the
/// rest of the cost, which is divided in proportion if there are several. So all balances are carried over exactly.
struct SplitwiseFile {
  struct Expense: Hashable {
    /// `YYYY-MM-DD`.
    var date: String
    var title: String
    var category: String
    var amount: Int
    var currency: String
    /// By person, what they paid less their share: the sum is 0.
    var nets: [String: Int]
    /// How many equal expenses stand before it.
    var number = 0
  }

  private(set) var people: [String] = []
  private(set) var expenses: [Expense] = []
  /// Rows that cannot be imported, and why.
  private(set) var problems: [String] = []
  /// The totals at the end of the file, by currency and person.
  private(set) var totals: [String: [String: Int]] = [:]

  /// How often each expense has come so far.
  private var seen: [Expense: Int] = [:]

  private static let columns = ["date", "description", "category", "cost", "currency"]

  init(_ text: String) {
    guard let rows = CSV.rows(text) else {
      problems = ["a quote is never closed"]
      return
    }
    // Exports of a single friend begin with a remark.
    guard let head = rows.firstIndex(where: { $0.prefix(5).map { $0.lowercased() } == Self.columns }) else {
      problems = ["there is no line that begins with Date,Description,Category,Cost,Currency"]
      return
    }
    people = rows[head].dropFirst(5).map { String($0) }
    if Set(people).count != people.count { problems.append("two people have the same name") }
    if people.count < 2 { problems.append("there are no columns for people") }
    guard problems.isEmpty else { return }
    for (index, row) in rows.enumerated().dropFirst(head + 1) { read(row, index + 1) }
  }

  private mutating func read(_ row: [String], _ number: Int) {
    guard row.count == people.count + 5 else { return problems.append("row \(number) has \(row.count) columns") }
    let currency = row[4].trimmed
    var nets: [String: Int] = [:]
    for (person, text) in zip(people, row.dropFirst(5)) {
      guard let amount = MoneyText.amount(text.trimmed, currency) else {
        return problems.append("row \(number): '\(text)' is no amount in \(currency)")
      }
      if amount != 0 { nets[person] = amount }
    }
    if row[1] == "Total balance" {
      totals[currency] = nets
      return
    }
    guard let amount = MoneyText.amount(row[3].trimmed, currency) else {
      return problems.append("row \(number): '\(row[3])' is no cost in \(currency)")
    }
    let date = String(row[0].trimmed.prefix(10))
    if CalendarDay(date) == nil { return problems.append("row \(number): '\(row[0])' is no day") }
    guard nets.values.reduce(0, +) == 0 else { return problems.append("row \(number) does not add up to 0") }
    let given = nets.values.reduce(0) { $0 + max($1, 0) }
    // Money between people outside the columns moves nobody's balance.
    if given == 0 { return }
    guard given <= abs(amount) else { return problems.append("row \(number): people owe more than it cost") }
    let title = row[1].trimmed
    var expense = Expense(
      date: date, title: title.isEmpty ? row[2].trimmed : title, category: row[2].trimmed, amount: abs(amount),
      currency: currency, nets: nets)
    let count = seen[expense] ?? 0
    seen[expense] = count + 1
    expense.number = count
    expenses.append(expense)
  }
}

extension String {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
}

extension SplitwiseFile.Expense {
  /// The parameters of `bills.add`.
  ///
  /// - Parameter members: The ids of the people of the file.
  func bill(members: [String: String]) -> JSON {
    let given = nets.values.reduce(0) { $0 + max($1, 0) }
    var (paid, shares): ([String: Int], [String: Int]) = ([:], [:])
    var rest = amount - given
    let payers = nets.filter { $0.value > 0 }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    for (index, payer) in payers.enumerated() {
      // The last one takes what rounding has left.
      let own =
        index == payers.count - 1
        ? rest : min(rest, Int(Int128(amount - given) * Int128(payer.value) / Int128(given)))
      rest -= own
      paid[payer.key] = payer.value + own
      if own > 0 { shares[payer.key] = own }
    }
    for (person, net) in nets where net < 0 { shares[person] = -net }
    func parts(_ map: [String: Int]) -> JSON {
      .object(Dictionary(uniqueKeysWithValues: map.map { (members[$0.key] ?? "", .number(.init($0.value))) }))
    }
    var bill: [String: JSON] = [
      "title": .string(String(title.prefix(100))), "amount": .number(.init(amount)), "currency": .string(currency),
      "date": .string(date), "paid": parts(paid), "split": ["kind": "exact", "parts": parts(shares)],
    ]
    bill["category"] = .string(Self.categories[category] ?? "other")
    return ["id": .string(id.description), "bill": .object(bill)]
  }

  /// The same for the same row of a file, so that a file that is imported twice makes each bill once.
  private var id: ID<Thing> {
    let parts = nets.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    let text = ([date, title, category, "\(amount)", currency, "\(number)"] + parts).joined(separator: "\u{1F}")
    let hash = SHA256.hash(Array("splitwise\u{1F}\(text)".utf8))
    let id = ID<Thing>(bytes: hash.prefix(16)) ?? ID()
    // RFC 9562 §5.8: version 8, variant 10.
    return ID(high: id.high & ~0xF000 | 0x8000, low: id.low & ~(3 << 62) | 2 << 62)
  }

  /// Splitwise's categories that Hearth has as well; all others become `other`.
  private static let categories = [
    "Rent": "rent", "Mortgage": "rent", "Electricity": "utilities", "Heat/gas": "utilities", "Water": "utilities",
    "Trash": "utilities", "Utilities - Other": "utilities", "TV/Phone/Internet": "internet",
    "Groceries": "groceries", "Household supplies": "household", "Cleaning": "household", "Maintenance": "household",
    "Furniture": "furniture", "Electronics": "furniture", "Dining out": "eatingOut", "Liquor": "drinks",
    "Bus/train": "transport", "Car": "transport", "Gas/fuel": "transport", "Parking": "transport",
    "Plane": "transport", "Taxi": "transport", "Bicycle": "transport", "Medical expenses": "health",
    "Insurance": "health", "Entertainment - Other": "leisure", "Games": "leisure", "Movies": "leisure",
    "Music": "leisure", "Sports": "leisure",
  ]
}
