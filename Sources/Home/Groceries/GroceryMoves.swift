import JSON
import Rooms

extension Groceries {
  static let messages: [MessageHandler<HouseholdState>] = [
    .of(GroceryShown.self), .of(GrocerySettled<HouseholdState>.self),
  ]
}

extension OwnGroceries {
  static let messages: [MessageHandler<CornerState>] = [.of(GroceryHidden.self), .of(GrocerySettled<CornerState>.self)]
}

/// A personal item in transit between its owner's corner and the household (GRO-1).
///
/// It stays in its room until the other room has it, so no failure in between can lose or duplicate it. Meanwhile it
/// cannot be changed.
struct MovingGrocery: Record {
  var call = CallReference()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("call", \.call) }
}

extension HasShoppingList {
  /// Offers an item to another room, and makes the call wait for the answer.
  fileprivate mutating func offer(
    _ id: ID<Grocery>, as newID: ID<Grocery>?, to room: RoomID, in context: Context
  ) throws(Refusal) -> GroceryAnswer {
    let (lineID, line) = try list.line(id, writableBy: context.person)
    let newID = context.newID(newID)
    let call = CallReference(context.call)
    list.moving[lineID] = MovingGrocery(call: call)
    var offer = GroceryOffer(call: call, id: lineID, newID: newID, line: line)
    // Lists stay where they are, and the other room knows categories by their names.
    (offer.line.list, offer.line.isLate) = (nil, nil)
    offer.line.category = line.category.map(list.name(ofCategory:))
    switch room {
    case .household: context.send(GroceryShown(offer: offer), to: room)
    default: context.send(GroceryHidden(offer: offer), to: room)
    }
    return GroceryAnswer(id: newID)
  }

  /// Takes an item that another room offers, and tells that room.
  fileprivate mutating func take(_ offer: GroceryOffer, owner: ID<Person>?, in context: Context) -> MoveProblem? {
    guard let source = offer.line.sources.values.first else { return .gone }
    do throws(Refusal) { try checkNew(offer.newID) } catch { return .exists }
    if list.groceries.count >= Limits.groceries { return .full }
    var line = offer.line
    line.owner = owner
    line.was = offer.id
    line.sources = [offer.newID: source]
    // If the room cannot have another category, the item comes without one.
    let category = offer.line.category.flatMap { try? list.category(named: $0) }
    line.category = category ?? usualCategory(of: line.key)
    if let owner, isLate(on: nil, by: owner) { line.isLate = true }
    put(line, at: offer.newID, in: context)
    return nil
  }

  /// Ends a move: if the other room took the item, removes it here; otherwise keeps it.
  fileprivate mutating func settle(_ offered: GrocerySettled<Self>, in context: Context) {
    guard list.moving.contains(offered.id) else { return }
    list.moving[offered.id] = nil
    if let problem = offered.problem { return context.complete(offered.call.key, refused: problem.refusal) }
    removeLine(offered.id, in: context)
    context.complete(offered.call.key, GroceryAnswer(id: offered.newID))
  }

  /// Cancels the moves of a person's items.
  mutating func dropMoves(of person: ID<Person>, in context: Context) {
    for (id, move) in list.moving where move.call.person == person {
      list.moving[id] = nil
      context.complete(move.call.key, refused: .notInRoom)
    }
  }
}

/// Shows an item of one's own list to the household; it gets a new id there (GRO-1).
struct ShowGrocery: Mutation {
  static let method: StaticString = "groceries.show"
  static let summary: StaticString = "Shows an item of one's own list to the household; it gets a new id there (GRO-1)."
  static let isAnsweredLater = true
  var id = ID<Grocery>()
  var newID: ID<Grocery>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("newId", \.newID)
  }

  func apply(to corner: inout CornerState, in context: Context) throws(Refusal) -> GroceryAnswer {
    try corner.offer(id, as: newID, to: .household(context.household), in: context)
  }
}

/// Hides one's own item from the household; it gets a new id on one's own list (GRO-1).
struct HideGrocery: Mutation {
  static let method: StaticString = "groceries.hide"
  static let summary: StaticString =
    "Hides one's own item from the household; it gets a new id on one's own list (GRO-1)."
  static let isAnsweredLater = true
  var id = ID<Grocery>()
  var newID: ID<Grocery>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("newId", \.newID)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> GroceryAnswer {
    let (_, line) = try home.list.line(id, writableBy: context.person)
    guard line.owner == context.person else {
      throw Refusal(.forbidden, "forbidden", "Only a personal item can be hidden.")
    }
    return try home.offer(id, as: newID, to: .corner(context.household, context.person), in: context)
  }
}

/// An item offered by one room to another.
struct GroceryOffer: Record {
  var call = CallReference()
  var id = ID<Grocery>()
  var newID = ID<Grocery>()
  var line = Grocery()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("call", \.call)
    field("id", \.id)
    field("newId", \.newID)
    field("line", \.line)
  }
}

/// A member shows an item of their own.
struct GroceryShown: Message {
  static let name = "groceryShown"
  var offer = GroceryOffer()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("offer", \.offer) }

  func apply(to home: inout HouseholdState, from source: RoomID, in context: Context) {
    guard case .corner(_, let person) = source else { return }
    var problem: MoveProblem? = .gone
    if home.membership.members.contains(person) { problem = home.take(offer, owner: person, in: context) }
    if problem == nil, let line = home.list.groceries[offer.newID] {
      home.groceries.remember(
        name: line.name, key: line.key, category: line.category, barcode: line.barcode, at: context.now)
    }
    context.send(GrocerySettled<CornerState>(offer, problem), to: source)
  }
}

/// A member hides an item of their own.
struct GroceryHidden: Message {
  static let name = "groceryHidden"
  var offer = GroceryOffer()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("offer", \.offer) }

  func apply(to corner: inout CornerState, from source: RoomID, in context: Context) {
    let problem = corner.take(offer, owner: nil, in: context)
    context.send(GrocerySettled<HouseholdState>(offer, problem), to: source)
  }
}

/// The other room's answer to an offered item: taken, or the reason why not.
struct GrocerySettled<State: HasShoppingList>: Message {
  static var name: String { "grocerySettled" }
  var call = CallReference()
  var id = ID<Grocery>()
  var newID = ID<Grocery>()
  var problem: MoveProblem?

  init() {}

  fileprivate init(_ offer: GroceryOffer, _ problem: MoveProblem?) {
    (call, id, newID, self.problem) = (offer.call, offer.id, offer.newID, problem)
  }

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("call", \.call)
    field("id", \.id)
    field("newId", \.newID)
    field("problem", \.problem)
  }

  func apply(to state: inout State, from source: RoomID, in context: Context) {
    state.settle(self, in: context)
  }
}

/// The reason why an item could not move.
enum MoveProblem: String, Word {
  case exists, full, gone

  var refusal: Refusal {
    switch self {
    case .exists: .exists
    case .full: .fullList
    case .gone: .gone("This household or list")
    }
  }
}
