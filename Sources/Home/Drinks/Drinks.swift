import JSON
import Rooms

/// The drinks of a household: the stock of each kind, and what each person has drunk and bought in a period (DRK-1 to
/// DRK-7).
///
/// Counts change only by signed entries, so that two people who count at once both count. A kind is named by its key,
/// the same for all spellings of its name: two phones that use a new name offline mean one kind.
struct Drinks: Subject {
  typealias State = HouseholdState
  static let history = [
    HistoryKind(ListDrinks.history, of: DrinkEntry.self, lifetime: Limits.activityAge),
    HistoryKind(ListDrinkPeriods.history, of: DrinkPeriod.self, lifetime: nil),
  ]

  var kinds = Table<String, Drink>()
  /// Each member's newest entries, which they may undo. The history has all.
  var entries = Table<ID<DrinkEntry>, DrinkEntry>()
  var period = Single<OpenDrinkPeriod>()

  mutating func parts(_ part: inout some PartVisitor) {
    part("drinks", &kinds)
    part("drinkEntries", &entries)
    part("drinkPeriod", &period)
  }

  // MARK: entries

  /// Counts what an entry says; a kind that is not known yet gets a name.
  mutating func count(_ entry: DrinkEntry, named name: String) throws(Refusal) {
    if kinds.count >= Limits.drinkKinds, !kinds.contains(entry.kind) {
      throw .full("drinkKinds", "At most \(Limits.drinkKinds) kinds of drinks are counted.")
    }
    var drink = kinds[entry.kind] ?? Drink(name: name)
    drink.add(entry, n: entry.n)
    guard drink.counts.count <= Limits.drinkPersons else {
      throw .full("drinkPersons", "At most \(Limits.drinkPersons) people are counted in a period: close it.")
    }
    let numbers = [drink.stock, drink.unaccounted] + drink.counts.values.flatMap { [$0.drunk, $0.bought, $0.carried] }
    guard numbers.allSatisfy({ abs($0) <= Limits.drinkCount }) else {
      throw .full("drinkCount", "A count goes up to \(Limits.drinkCount).")
    }
    kinds[entry.kind] = drink
  }

  /// Keeps an entry, so that its author may undo it. Returns the one that is no longer kept, if there is one.
  mutating func keep(_ entry: DrinkEntry, as id: ID<DrinkEntry>) -> ID<DrinkEntry>? {
    entries[id] = entry
    let own = entries.filter { $0.value.by == entry.by }
    guard own.count > Limits.drinkEntries else { return nil }
    let oldest = own.min { ($0.value.at, $0.key) < ($1.value.at, $1.key) }?.key
    if let oldest { entries[oldest] = nil }
    return oldest
  }

  /// Takes an entry back.
  mutating func undo(_ id: ID<DrinkEntry>) {
    guard let entry = entries.exchange(nil, at: id) else { return }
    kinds[entry.kind]?.add(entry, n: -entry.n)
  }

  /// Forgets the entries that match. Returns their ids, which are not used again.
  mutating func forgetEntries(where isForgotten: (DrinkEntry) -> Bool = { _ in true }) -> [ID<DrinkEntry>] {
    let ids = entries.keys(where: isForgotten)
    for id in ids { entries[id] = nil }
    return ids
  }

  // MARK: the period

  /// The sums of all kinds that each person has drunk and bought.
  var totals: [ID<Person>: DrinkCount] {
    var totals: [ID<Person>: DrinkCount] = [:]
    for (person, count) in kinds.values.lazy.flatMap(\.counts) { totals[person, default: DrinkCount()].add(count) }
    return totals
  }

  var isEmpty: Bool { kinds.values.allSatisfy { $0.counts.isEmpty && $0.unaccounted == 0 } }

  /// Begins the next period: counts are 0 again, or what these persons still have to buy. The stock stays.
  mutating func beginPeriod(at now: Instant, carryingOver persons: Set<ID<Person>>) {
    for (key, drink) in kinds {
      var next = drink
      next.unaccounted = 0
      next.counts = SmallMap(
        drink.counts.filter { persons.contains($0.key) && $0.value.toBuy != 0 }
          .map { ($0.key, DrinkCount(carried: $0.value.toBuy)) })
      kinds[key] = next
    }
    period.value = OpenDrinkPeriod(number: period.value.number + 1, since: now)
  }
}

/// A kind of drink, with its stock and the counts of the period.
struct Drink: Record {
  var name = ""
  /// Below 0 where drinks were bought and nobody said so.
  var stock = 0
  /// By how much corrections have changed the stock; nobody is charged for it (DRK-3).
  var unaccounted = 0
  var counts: SmallMap<ID<Person>, DrinkCount> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("stock", \.stock)
    field("unaccounted", \.unaccounted)
    field("counts", \.counts)
  }

  /// Whether nothing is open, so that the kind can go.
  var isSettled: Bool { stock == 0 && unaccounted == 0 && counts.isEmpty }

  fileprivate mutating func add(_ entry: DrinkEntry, n: Int) {
    var count = counts[entry.person] ?? DrinkCount()
    switch entry.act {
    case .drunk:
      count.drunk += n
      stock -= n
    case .bought:
      count.bought += n
      stock += n
    case .corrected:
      unaccounted += n
      stock += n
    }
    if entry.act != .corrected { counts[entry.person] = count == DrinkCount() ? nil : count }
  }
}

/// A person's drinks in a period: drunk, bought, and left to buy from the period before (DRK-4).
struct DrinkCount: Record {
  var drunk = 0
  var bought = 0
  var carried = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("drunk", \.drunk)
    field("bought", \.bought)
    field("carried", \.carried)
  }

  /// Below 0 for those who have bought more than they drank.
  var toBuy: Int { carried + drunk - bought }

  mutating func add(_ other: DrinkCount) {
    drunk += other.drunk
    bought += other.bought
    carried += other.carried
  }
}

/// One entry: drinks that a person has drunk or bought, or a correction of the stock.
struct DrinkEntry: Record {
  /// The key of the kind.
  var kind = ""
  var act = DrinkAct.drunk
  var n = 0
  /// The person who has drunk or bought; of a correction, its author.
  var person = ID<Person>()
  var by = ID<Person>()
  var at = Instant()
  /// The price paid, in minor units of a currency.
  var cost: Int?
  var currency: String?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("kind", \.kind)
    field("act", \.act)
    field("n", \.n)
    field("person", \.person)
    field("by", \.by)
    field("at", \.at)
    field("cost", \.cost)
    field("currency", \.currency)
  }
}

enum DrinkAct: String, Word {
  case drunk, bought, corrected
}

/// The period that runs; the first one has no beginning of its own.
struct OpenDrinkPeriod: Record {
  var number = 1
  var since: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("number", \.number)
    field("since", \.since)
  }
}

/// A closed period, as the history keeps it (DRK-5).
struct DrinkPeriod: Record {
  var id = ID<DrinkPeriod>()
  var number = 0
  var since: Instant?
  /// When it was closed, and by whom.
  var at = Instant()
  var by = ID<Person>()
  var drinks: SmallMap<String, Drink> = [:]
  var bill: DrinkBill?
  /// `true` if what each had left to buy went into the next period.
  var carriesOver: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("number", \.number)
    field("since", \.since)
    field("at", \.at)
    field("by", \.by)
    field("drinks", \.drinks)
    field("bill", \.bill)
    field("carryOver", \.carriesOver)
  }
}

/// The cost of a period, paid by one and divided by what each has drunk: the shares are those of an exact split.
struct DrinkBill: Record {
  var cost = 0
  var currency = ""
  var payer = ID<Person>()
  var shares: SmallMap<ID<Person>, Int> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("cost", \.cost)
    field("currency", \.currency)
    field("payer", \.payer)
    field("shares", \.shares)
  }
}
