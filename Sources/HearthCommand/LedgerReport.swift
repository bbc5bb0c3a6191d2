import JSON
import Rooms

/// The debts of all, and the account of a month, for a terminal; or the whole ledger, for programs (BIL-22).
struct LedgerReport {
  /// The state of the household.
  private let household: JSON
  /// The entries of the ledger, newest first, and the bills by their ids.
  private let entries: [JSON]
  private let bills: [String: JSON]
  private let me: String?

  init(household: JSON, entries: [JSON], bills: [JSON], me: ID<Person>?) {
    self.household = household
    self.entries = entries
    self.bills = Dictionary(bills.compactMap { bill in bill["id"]?.string.map { ($0, bill["bill"] ?? [:]) } }) { $1 }
    self.me = me?.description
  }

  /// The name of a person, as others see them.
  private func name(_ person: String) -> String {
    if person == me { return "you" }
    let row = household["members"]?[person] ?? household["former"]?[person]
    return row?["name"]?.string ?? row?["number"]?.int.map { "former member #\($0)" } ?? "a former member"
  }

  /// A bill's title, or what else an entry is.
  private func title(of entry: JSON) -> String {
    let title = entry["ref"]?.string.flatMap { bills[$0]?["title"]?.string }
    switch entry["kind"]?.string {
    case "reversal": return "taken back: \(title ?? "a payment")"
    case "payment": return "payment"
    default: return title ?? "a bill"
    }
  }

  // MARK: people

  /// The balances of all, by currency.
  var balances: String {
    var table = TextTable(["WHO", "BALANCE", ""], numbers: [1])
    for (currency, row) in (household["balances"]?.object ?? [:]).sorted(by: { $0.key < $1.key }) {
      let people = (row["people"]?.object ?? [:]).map { (name: name($0.key), amount: $0.value.int ?? 0) }
      for person in people.sorted(by: { ($1.amount, $0.name) < ($0.amount, $1.name) }) {
        table.add(person.name, MoneyText.of(person.amount, currency), currency)
      }
    }
    return table.rows.isEmpty ? "Nobody owes anybody anything." : table.text
  }

  /// The debts, a row for each: the advice, where the household wants it.
  var debts: String {
    var table = TextTable(["FROM", "TO", "OWES", ""], numbers: [2])
    let name = household["household"]?["simplify"]?.bool == true ? "transfers" : "debts"
    let rows = (household[name]?.object ?? [:]).values.map { debt in
      (
        from: self.name(debt["from"]?.string ?? ""), to: self.name(debt["to"]?.string ?? ""),
        amount: debt["amount"]?.int ?? 0, currency: debt["currency"]?.string ?? ""
      )
    }
    for debt in rows.sorted(by: { ($0.from, $0.to, $0.currency) < ($1.from, $1.to, $1.currency) }) {
      table.add(debt.from, debt.to, MoneyText.of(debt.amount, debt.currency), debt.currency)
    }
    return table.rows.isEmpty ? "" : table.text
  }

  /// The entries of a month, the oldest first, and by how much it moved one's own balance.
  ///
  /// - Parameter month: `YYYY-MM`, by the household's clocks.
  func account(of month: String) -> String {
    let zone = household["household"]?["timeZone"]?.string ?? "UTC"
    var table = TextTable(["DATE", "WHAT", "BY", "YOU", ""], numbers: [3])
    for entry in entries.reversed() {
      guard let at = entry["at"]?.string.flatMap({ Instant($0) }) else { continue }
      let day = CalendarDay(at: at, in: zone).text
      guard day.hasPrefix(month) else { continue }
      let currency = entry["currency"]?.string ?? ""
      let own = me.flatMap { entry["people"]?[$0]?.int } ?? 0
      table.add(
        day, title(of: entry), entry["by"]?.string.map(name) ?? "", MoneyText.of(own, currency), currency)
    }
    return table.rows.isEmpty ? "Nothing in \(month)." : table.text
  }

  // MARK: programs

  /// A row for each person of each entry. The sum of a person's rows in a currency is their balance.
  var csv: String {
    CSV.row(["entry", "at", "kind", "ref", "title", "by", "currency", "person", "name", "amount"])
      + entries.reversed().flatMap { entry -> [String] in
        let currency = entry["currency"]?.string ?? ""
        let people = (entry["people"]?.object ?? [:]).sorted { $0.key < $1.key }
        return people.map { person, amount in
          CSV.row([
            "\(entry["n"]?.int ?? 0)", entry["at"]?.string ?? "", entry["kind"]?.string ?? "",
            entry["ref"]?.string ?? "", title(of: entry), entry["by"]?.string ?? "", currency, person,
            person == me ? household["members"]?[person]?["name"]?.string ?? "" : name(person),
            MoneyText.of(amount.int ?? 0, currency),
          ])
        }
      }.joined()
  }

  /// Balances, entries and bills, in minor units.
  var json: JSON {
    [
      "household": household["household"] ?? [:], "members": household["members"] ?? [:],
      "former": household["former"] ?? [:], "balances": household["balances"] ?? [:],
      "debts": household["debts"] ?? [:], "entries": .array(entries.reversed()), "bills": .object(bills),
    ]
  }
}
