import JSON
import Rooms

/// The state of a person's own room, `me`: their profile, their memberships and their notifications.
struct PersonState: ComposedState, RemembersIDs, ForgetsPersons {
  static let kind = RoomKindName.me
  static let methods = methodsOfSubjects
  static let messages = messagesOfSubjects
  static let history = historyOfSubjects

  var identity = Identity()
  var memberships = Memberships()
  var dismissed = DismissedHouseholds()
  var contacts = Contacts()
  var inbox = Inbox()
  var reminders = Reminders()
  var mutedSenders = MutedSenders()
  var keptNames = KeptNames()
  var shares = ShareList()
  var asks = Asks()
  var settings = Settings()
  var devices = DeviceList()
  var account = OwnAccount()
  var chats = ChatMarks()
  /// Calls that await another room's answer.
  var pending = PendingCalls()
  var ids = RemovedIDs<PersonState>()

  mutating func subjects(_ subject: inout some SubjectVisitor<Self>) {
    subject(&identity)
    subject(&memberships)
    subject(&dismissed)
    subject(&contacts)
    subject(&inbox)
    subject(&reminders)
    subject(&mutedSenders)
    subject(&keptNames)
    subject(&shares)
    subject(&asks)
    subject(&settings)
    subject(&devices)
    subject(&account)
    subject(&chats)
    subject(&pending)
    subject(&ids)
  }

  func admits(_ person: ID<Person>, to room: RoomID) -> Bool { room == .person(person) }
}
