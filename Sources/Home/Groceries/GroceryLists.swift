import JSON
import Rooms

/// The lists of a household beside the main list, such as one for each store, and the order of categories of each
/// (GRO-6).
struct GroceryLists: Subject {
  typealias State = HouseholdState

  var lists = Table<ID<GroceryList>, GroceryList>()
  var mainList = Single<ShelfOrder>()
  /// Removed lists that can still be restored.
  var removedLists = Table<ID<GroceryList>, RemovedGroceryList>()
  /// The ways of shoppers through the shelves, by list. Hidden: only the order that follows from them is shown.
  var shelfWalks = Table<String, ShelfWalks>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("lists", &lists)
    part("mainList", &mainList)
    part("removedLists", &removedLists, .hidden)
    part("shelfWalks", &shelfWalks, .hidden)
  }

  mutating func planAll() {
    for removed in removedLists.values { due.plan(removed.end) }
    for walk in shelfWalks.values.flatMap(\.walks.values) { due.plan(walk.end) }
  }

  func list(_ id: ID<GroceryList>) throws(Refusal) -> GroceryList {
    guard let list = lists[id] else { throw .gone("This list") }
    return list
  }

  func checkSpace() throws(Refusal) {
    if lists.count >= Limits.lists { throw .full("lists", "A household has at most \(Limits.lists) lists.") }
  }

  // MARK: removal

  /// Takes a list away, and keeps it with the additions on it as long as it can be restored.
  mutating func remove(
    _ id: ID<GroceryList>, holding additions: SmallMap<ID<Grocery>, ID<Grocery>>, by person: ID<Person>, at now: Instant
  ) {
    guard let list = lists.exchange(nil, at: id) else { return }
    let removed = RemovedGroceryList(list: list, additions: additions, removedAt: now, removedBy: person)
    removedLists[id] = removed
    due.plan(removed.end)
    removedLists.keep(Limits.lists) { $0.removedAt }
    shelfWalks[Self.key(id)] = nil
  }

  /// A removed list that can still be restored.
  func restorable(_ id: ID<GroceryList>, at now: Instant) throws(Refusal) -> RemovedGroceryList {
    guard let removed = removedLists[id], removed.end > now else { throw .gone("This list") }
    return removed
  }

  // MARK: the order of categories

  /// The order of a list's categories; of the main list if it is `nil`.
  subscript(shelves list: ID<GroceryList>?) -> ShelfOrder {
    get { list.map { lists[$0]?.shelves ?? ShelfOrder() } ?? mainList.value }
    set {
      if newValue == self[shelves: list] { return }
      if let list {
        lists[list]?.shelves = newValue
      } else {
        mainList.value = newValue
        // A record at its defaults is absent from a new state, but would stay in the copies of those who have followed.
        if newValue == ShelfOrder() { mainList.value.isFixed = false }
      }
    }
  }

  private static func key(_ list: ID<GroceryList>?) -> String { list?.description ?? "main" }

  /// Sets the order that a list keeps until it is given another one; with `nil` it goes on learning from there.
  mutating func order(_ list: ID<GroceryList>?, by categories: [String]?) {
    if let categories { self[shelves: list].order = categories }
    self[shelves: list].isFixed = categories == nil ? nil : true
    shelfWalks[Self.key(list)] = nil
  }

  /// Notes that a shopper has met a category: somebody has checked an item of it.
  mutating func met(_ category: String, on list: ID<GroceryList>?, by person: ID<Person>, at now: Instant) {
    if self[shelves: list].isFixed == true { return }
    if let walk = shelfWalks[Self.key(list)]?.walks[person], walk.end <= now { finish(person, on: Self.key(list)) }
    var walks = shelfWalks[Self.key(list)] ?? ShelfWalks()
    var walk = walks.walks[person] ?? ShelfWalk()
    if walk.met.contains(category) { return }
    walk.met.append(category)
    walk.at = now
    walks.walks[person] = walk
    shelfWalks[Self.key(list)] = walks
    due.plan(walk.end)
  }

  /// Learns from a walk that is over.
  private mutating func finish(_ person: ID<Person>, on key: String) {
    guard var walks = shelfWalks[key], let walk = walks.walks[person] else { return }
    let list = ID<GroceryList>(key)
    self[shelves: list].order = CategoryOrder.learned(self[shelves: list].order, from: walk.met, after: walks.last)
    walks.walks[person] = nil
    // A single category says nothing about an order.
    if walk.met.count > 1 { walks.last = walk.met }
    shelfWalks[key] = walks
  }

  mutating func forget(category: String) {
    for list in Array(lists.keys).map(Optional.some) + [nil] {
      self[shelves: list].order.removeAll { $0 == category }
    }
    for key in Array(shelfWalks.keys) {
      shelfWalks[key]?.last.removeAll { $0 == category }
      for person in shelfWalks[key].map({ Array($0.walks.keys) }) ?? [] {
        shelfWalks[key]?.walks[person]?.met.removeAll { $0 == category }
      }
    }
  }

  /// Drops the walks of a person who leaves.
  mutating func forget(_ person: ID<Person>) {
    for key in shelfWalks.keys(where: { $0.walks.contains(person) }) { shelfWalks[key]?.walks[person] = nil }
  }

  static func fallDue(in home: inout HouseholdState, _ context: Context) {
    home.groceryLists.fallDue(at: context.now)
  }

  private mutating func fallDue(at now: Instant) {
    removedLists.removeAll { _, removed in removed.end <= now }
    for (key, walks) in shelfWalks {
      let over = walks.walks.filter { $0.value.end <= now }.sorted { ($0.value.at, $0.key) < ($1.value.at, $1.key) }
      for (person, _) in over { finish(person, on: key) }
    }
    due = DueTime()
    planAll()
  }
}

/// A list of a household (GRO-6).
struct GroceryList: Record {
  var name = ""
  var store: String?
  var shelves = ShelfOrder()
  var by = ID<Person>()
  var at = Instant()
  var editedBy: ID<Person>?
  var editedAt: Instant?
  /// The id of the list before it was removed and restored.
  var was: ID<GroceryList>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("store", \.store)
    field("shelves", \.shelves)
    field("by", \.by)
    field("at", \.at)
    field("editedBy", \.editedBy)
    field("editedAt", \.editedAt)
    field("was", \.was)
  }
}

/// The order of the categories of a list.
struct ShelfOrder: Record {
  /// Categories by their keys; those that are not there come after them.
  var order: [String] = []
  /// `true` if a member has chosen the order: then it is not learned.
  var isFixed: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("order", \.order)
    field("fixed", \.isFixed)
  }
}

/// A list that can be restored for ten minutes, with the additions on it by their ids, and the line of each.
struct RemovedGroceryList: Record {
  var list = GroceryList()
  var additions: SmallMap<ID<Grocery>, ID<Grocery>> = [:]
  var removedAt = Instant()
  var removedBy = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("list", \.list)
    field("additions", \.additions)
    field("removedAt", \.removedAt)
    field("removedBy", \.removedBy)
  }

  var end: Instant { removedAt + Limits.undo }
}

/// The ways of shoppers through the shelves of one list.
struct ShelfWalks: Record {
  var walks: SmallMap<ID<Person>, ShelfWalk> = [:]
  /// The categories of the newest way that is over, in the order in which they were met.
  var last: [String] = []

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("walks", \.walks)
    field("last", \.last)
  }
}

/// The way of one shopper.
struct ShelfWalk: Record {
  var met: [String] = []
  /// The time at which the newest of them was met.
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("met", \.met)
    field("at", \.at)
  }

  var end: Instant { at + Limits.walkPause }
}
