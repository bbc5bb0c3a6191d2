import JSON
import Rooms

/// The state of a household: its members and everything that they share.
struct HouseholdState: ComposedState, HasShoppingList, RemembersIDs, ForgetsPersons {
  static let kind = RoomKindName.household
  static let methods = methodsOfSubjects
  static let messages = messagesOfSubjects
  static let history = historyOfSubjects

  var info = HouseholdInfo()
  var membership = Membership()
  var board = Board()
  var feed = Feed()
  var chat = Chat()
  var groceries = Groceries()
  var groceryLists = GroceryLists()
  var trips = Trips()
  var stock = Stock()
  var chores = Chores()
  var rewards = Rewards()
  var nudges = Nudges()
  var dinner = Dinner()
  var drinks = Drinks()
  var rota = Rota()
  var events = Events()
  var specialEvents = SpecialEvents()
  var calendarLinks = CalendarLinks()
  var ledger = Ledger()
  var bills = Bills()
  var purchases = Purchases()
  var payments = Payments()
  var recurringBills = RecurringBills()
  var requests = Requests()
  var moneyReminders = MoneyReminders()
  var presence = PresenceBoard()
  var dismissal = Dismissal()
  var ids = RemovedIDs<HouseholdState>()

  mutating func subjects(_ subject: inout some SubjectVisitor<Self>) {
    subject(&info)
    subject(&membership)
    subject(&board)
    subject(&feed)
    subject(&chat)
    subject(&groceries)
    subject(&groceryLists)
    subject(&trips)
    subject(&stock)
    subject(&chores)
    subject(&rewards)
    subject(&nudges)
    subject(&dinner)
    subject(&drinks)
    subject(&rota)
    subject(&events)
    subject(&specialEvents)
    subject(&calendarLinks)
    subject(&ledger)
    subject(&bills)
    subject(&purchases)
    subject(&payments)
    subject(&recurringBills)
    subject(&requests)
    subject(&moneyReminders)
    subject(&presence)
    subject(&dismissal)
    subject(&ids)
  }

  func admits(_ person: ID<Person>, to room: RoomID) -> Bool {
    !dismissal.isDismissed && membership.members.contains(person)
  }

  // A dismissed household is quiet until it is shredded or brought back.

  var nextDue: Instant? { mutating get { dismissal.isDismissed ? dismissal.due.at : dueOfSubjects } }

  mutating func fallDue(in context: Context) {
    if dismissal.isDismissed { Dismissal.fallDue(in: &self, context) } else { subjectsFallDue(in: context) }
  }
}

extension Context {
  /// The household that a household's room or a corner belongs to.
  var household: ID<Household> {
    switch room {
    case .household(let id), .corner(let id, _): id
    case .person, .share: ID()
    }
  }
}
