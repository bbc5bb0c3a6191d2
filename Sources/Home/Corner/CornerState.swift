import JSON
import Rooms

/// The state of a member's private corner of a household, `mine`: it begins on joining and ends with the membership.
struct CornerState: ComposedState, HasShoppingList, RemembersIDs {
  static let kind = RoomKindName.corner
  /// The corner begins again whenever its owner joins.
  static let mayBeginAgain = true
  static let methods = methodsOfSubjects
  static let messages = messagesOfSubjects
  static let history = historyOfSubjects

  var lifetime = CornerLifetime()
  var groceries = OwnGroceries()
  var ids = RemovedIDs<CornerState>()

  mutating func subjects(_ subject: inout some SubjectVisitor<Self>) {
    subject(&lifetime)
    subject(&groceries)
    subject(&ids)
  }

  func admits(_ person: ID<Person>, to room: RoomID) -> Bool {
    if case .corner(_, person) = room { !lifetime.isClosed } else { false }
  }
}
