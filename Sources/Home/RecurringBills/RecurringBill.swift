import JSON
import Rooms

/// A bill that comes again, such as the rent: what is posted each time, and when (BIL-14, BIL-15).
///
/// One member, its host, pays it each time; the others owe them their parts.
struct RecurringBill: Record {
  var title = ""
  /// In minor units of the currency, above 0.
  var amount = 0
  /// ISO 4217.
  var currency = ""
  var host = ID<Person>()
  var split = BillSplit()
  var category: String?
  var note: String?
  /// The first day on which it is due, even if it is not one of the rule.
  var first = LocalDay()
  var recurrence = Recurrence()
  /// How many days before the due day it is posted.
  var lead = Limits.usualLead
  var author = ID<Person>()
  var at = Instant()
  var editedBy: ID<Person>?
  var editedAt: Instant?
  /// The id of it before it was cancelled and brought back.
  var was: ID<RecurringBill>?
  /// The due day that is posted next; absent if it does not come again.
  var next: LocalDay?
  /// When that is posted; absent if it is paused, too.
  var nextAt: Instant?
  /// How often it has come by then, that day included.
  var number = 1
  /// By due day, those that were posted last.
  var posted: SmallMap<LocalDay, PostedBill> = [:]
  /// `true` if nothing is posted until somebody edits it: it names a person who has left, or the books had no room.
  var isPaused: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("title", \.title)
    field("amount", \.amount)
    field("currency", \.currency)
    field("host", \.host)
    field("split", \.split)
    field("category", \.category)
    field("note", \.note)
    field("first", \.first)
    field("repeat", \.recurrence)
    field("lead", \.lead)
    field("author", \.author)
    field("at", \.at)
    field("editedBy", \.editedBy)
    field("editedAt", \.editedAt)
    field("was", \.was)
    field("next", \.next)
    field("nextAt", \.nextAt)
    field("number", \.number)
    field("posted", \.posted)
    field("paused", \.isPaused)
  }

  /// Everybody whom it concerns.
  var people: Set<ID<Person>> { split.named.union([host]) }

  /// The id of the bill that is posted for a due day: for each day there is one.
  static func bill(of id: ID<RecurringBill>, on day: LocalDay) -> ID<Bill> {
    .derived("recurringBill", id.bytes + Array(day.text.utf8))
  }

  /// The bill of a due day, without its shares.
  func bill(of id: ID<RecurringBill>, on day: LocalDay, at now: Instant) -> Bill {
    Bill(
      title: title, amount: amount, currency: currency, paid: [host: amount], split: split, date: day,
      category: category, note: note, dueDate: day, origin: BillOrigin(kind: .recurring, ref: id.cast()), by: author,
      at: now)
  }

  // MARK: days

  /// Goes to the due day after the next one.
  mutating func advance() {
    guard let day = next else { return }
    let following = recurrence.next(after: day, number: number, from: first, completed: day) { _ in false }
    (next, number) = (following.day, following.number)
  }

  /// Finds the next due day: the first one of the rule that is after all posted ones, and not before some day.
  mutating func plan(notBefore day: LocalDay) {
    let earliest = max(day, posted.keys.max().map { $0.adding(1) } ?? day)
    (next, number) = (first, 1)
    while let day = next, day < earliest { advance() }
  }

  /// The day of which "paid" is meant without a day: the last one that is due; once that is paid, the one after it.
  func dayToPay(at today: LocalDay) -> LocalDay? {
    let days = posted.keys.sorted()
    guard let index = days.lastIndex(where: { $0 <= today }) else { return days.first }
    let isPaid = posted[days[index]]?.paidOn != nil
    return isPaid && index + 1 < days.count ? days[index + 1] : days[index]
  }
}

/// A bill that was posted for a due day.
struct PostedBill: Record {
  var bill = ID<Bill>()
  /// The member who pays it.
  var host = ID<Person>()
  /// When and by whom it was said that it is paid, such as to the landlord (BIL-15).
  var paidOn: LocalDay?
  var paidBy: ID<Person>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("bill", \.bill)
    field("host", \.host)
    field("paidOn", \.paidOn)
    field("paidBy", \.paidBy)
  }
}

/// A recurring bill that was cancelled, and can be brought back for ten minutes (R-DEL).
struct CancelledRecurringBill: Record {
  var bill = RecurringBill()
  var removedAt = Instant()
  var removedBy = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("bill", \.bill)
    field("removedAt", \.removedAt)
    field("removedBy", \.removedBy)
  }

  var end: Instant { removedAt + Limits.undo }
}
