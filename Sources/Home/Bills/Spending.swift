import JSON
import Rooms

/// The spending of a household in a month in one currency, by category (BIL-12).
struct MonthOfSpending: Record {
  var categories: SmallMap<String, CategorySum> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) { field("categories", \.categories) }

  static func key(_ day: LocalDay, _ currency: String) -> String { "\(day.text.prefix(7)) \(currency)" }
}

/// The cost of the bills of one category, and each person's part of it, in minor units.
struct CategorySum: Record {
  var amount = 0
  var people: SmallMap<ID<Person>, Int> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("amount", \.amount)
    field("people", \.people)
  }

  mutating func add(_ bill: Bill, times sign: Int) {
    amount += sign * bill.amount
    for (person, share) in bill.shares {
      let sum = (people[person] ?? 0) + sign * share
      people[person] = sum == 0 ? nil : sum
    }
  }
}

extension Bills {
  /// Counts a bill in its month, or, with `sign` −1, no longer. Sums of years ago are not kept.
  mutating func count(_ bill: Bill, times sign: Int, at today: LocalDay) {
    let oldest = LocalDay(monthNumber: today.monthNumber - Limits.spendingMonths.upperBound + 1, day: 1)
    let first = MonthOfSpending.key(oldest, "")
    spending.removeAll { key, _ in key < first }
    guard bill.date >= oldest else { return }
    let key = MonthOfSpending.key(bill.date, bill.currency)
    var month = spending[key] ?? MonthOfSpending()
    let category = bill.category ?? BillCategory.other.rawValue
    var sum = month.categories[category] ?? CategorySum()
    sum.add(bill, times: sign)
    month.categories[category] = sum == CategorySum() ? nil : sum
    spending[key] = month.categories.isEmpty ? nil : month
  }
}

/// Adds up what the household has spent, by month, currency and category (BIL-12).
struct SumSpending: Question {
  static let method: StaticString = "bills.spending"
  static let summary: StaticString =
    "Adds up what the household has spent, by month, currency and category (BIL-12)."
  /// The last month, `YYYY-MM`, without it the present one; and how many months, without it twelve.
  var to: MonthText?
  var months: Int?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("to", \.to)
    field("months", \.months, Limits.spendingMonths)
  }

  func answer(from home: HouseholdState, in inquiry: Inquiry) throws(Refusal) -> SpendingAnswer {
    let last = to?.number ?? home.zone.day(at: inquiry.now).monthNumber
    let first = MonthText(number: last - (months ?? 12) + 1).text
    var answer = SpendingAnswer()
    for (key, row) in home.bills.spending {
      let month = String(key.prefix(7))
      guard first <= month, month <= MonthText(number: last).text else { continue }
      answer.months.append(
        SpendingMonth(month: month, currency: String(key.suffix(3)), categories: row.categories))
    }
    return answer
  }
}

/// A month, `YYYY-MM`.
struct MonthText: Field {
  /// Months since January of the year 0.
  var number = 0

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    guard text.utf8.count == 7, let day = LocalDay("\(text)-01") else {
      problems.note("must be a month such as 2026-05")
      return nil
    }
    return MonthText(number: day.monthNumber)
  }

  var text: String { String(LocalDay(monthNumber: number, day: 1).text.prefix(7)) }

  func write(to writer: Writer) { text.write(to: writer) }

  static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    ["type": "string", "pattern": "^[0-9]{4}-(0[1-9]|1[0-2])$"]
  }
}

struct SpendingAnswer: Record {
  /// Only months in which something was spent, the oldest first.
  var months: [SpendingMonth] = []

  static func fields(_ field: inout some FieldVisitor<Self>) { field("months", \.months) }
}

struct SpendingMonth: Record {
  var month = ""
  var currency = ""
  var categories: SmallMap<String, CategorySum> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("month", \.month)
    field("currency", \.currency)
    field("categories", \.categories)
  }
}
