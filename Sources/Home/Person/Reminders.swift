import JSON
import Rooms

/// The reminders that a person gets on the day of something, at their own hour (CHO-16, REM-4).
///
/// The household says on which day something is due. The hour is the person's, and so is the timer.
struct Reminders: Subject {
  typealias State = PersonState
  static let methods: [Method] = [.of(Snooze.self)]
  static let messages: [MessageHandler<PersonState>] = [.of(SetReminder.self)]

  /// By what they are about.
  var reminders = Table<ID<Reminded>, Reminder>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) { part("reminders", &reminders, .hidden) }

  mutating func planAll() {
    for reminder in reminders.values { due.plan(reminder.at) }
  }

  /// The id of a reminder: of several of one thing each has its own.
  static func id(_ ref: ID<Thing>, part: Int = 0) -> ID<Reminded> {
    part == 0 ? ref.cast() : .derived("reminder \(part)", ref.bytes)
  }

  mutating func set(_ reminder: Reminder, _ id: ID<Reminded>) {
    reminders[id] = reminder
    reminders.keep(Limits.reminders) { $0.dueAt }
    due.plan(reminder.at)
  }

  /// Forgets the reminders of a thing in a room.
  mutating func forget(_ ref: ID<Thing>, of room: RoomID) {
    if reminders.isEmpty { return }
    for part in Limits.birthdayNotice {
      let id = Self.id(ref, part: part)
      if reminders[id]?.room == room.name { reminders[id] = nil }
    }
  }

  mutating func forgetAll(of room: RoomID) { reminders.removeAll { $1.room == room.name } }

  static func fallDue(in me: inout PersonState, _ context: Context) {
    for id in me.reminders.reminders.keys(where: { $0.at.map { $0 <= context.now } ?? false }) {
      me.remind(of: id, in: context)
    }
    // Nobody snoozes a reminder that is long over.
    me.reminders.reminders.removeAll { context.now - $1.dueAt >= Limits.inboxAge && $1.at == nil }
    me.reminders.due = DueTime()
    me.reminders.planAll()
  }
}

/// The thing of which a person is reminded.
enum Reminded {}

struct Reminder: Record {
  var kind = NotificationKind.choreDue
  /// The thing, and its room by its name on the wire.
  var ref = ID<Thing>()
  var room: String?
  var day = LocalDay()
  var dueAt = Instant()
  /// The household's zone, for a person who has chosen none.
  var zone = ""
  var name: String?
  /// The person whom it is about.
  @Packed var person: ID<Person>? = nil
  /// If its moment is over, it does not come at all.
  var isExact: Bool?
  var isUrgent: Bool?
  /// When the person is reminded; `nil` if they have been.
  @Packed var at: Instant? = nil
  /// How often they have put it off.
  var snoozes = 0
  /// The amount that it is about, in minor units of a currency.
  var amount: Int?
  var currency: String?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("kind", \.kind)
    field("ref", \.ref)
    field("room", \.room)
    field("day", \.day)
    field("dueAt", \.dueAt)
    field("zone", \.zone)
    field("name", \.name)
    field("person", \._person)
    field("exact", \.isExact)
    field("urgent", \.isUrgent)
    field("at", \._at)
    field("snoozes", \.snoozes)
    field("amount", \.amount)
    field("currency", \.currency)
  }

  /// The moment at which a person with these settings is reminded.
  ///
  /// The reminder of something that is due before the person's hour comes with the beginning of its day.
  func moment(_ settings: PersonSettings) -> Instant {
    let own = ZoneTime(settings.timeZone ?? zone)
    let usual = kind == .debts ? Limits.debtHour : Limits.reminderHour
    let hour = own.instant(day, minute: LocalTime(text: settings.hour ?? usual).minute)
    return hour < dueAt ? hour : min(ZoneTime(zone).instant(day), dueAt)
  }
}

/// Says that something of the person's falls due on a day; the message comes from where it is.
struct SetReminder: Message {
  static let name = "setReminder"
  var ref = ID<Thing>()
  /// Which of several reminders of the thing it is.
  var part = 0
  var reminder = Reminder()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("ref", \.ref)
    field("part", \.part)
    field("reminder", \.reminder)
  }

  func apply(to me: inout PersonState, from source: RoomID, in context: Context) {
    var reminder = reminder
    reminder.ref = ref
    reminder.room = source.name
    me.plan(&reminder, at: context.now)
    me.reminders.set(reminder, Reminders.id(ref, part: part))
  }
}

/// Puts a reminder off: it comes back after some time, at most three times (CHO-17).
struct Snooze: Mutation {
  static let method: StaticString = "inbox.snooze"
  static let summary: StaticString = "Puts a reminder off: it comes back after some time, at most three times (CHO-17)."
  /// The notification.
  var id = ID<Notification>()
  var minutes = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("minutes", \.minutes, Limits.snoozeMinutes)
  }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> SnoozeAnswer {
    guard let notification = me.inbox.notifications[id], let ref = notification.ref, notification.kind == .choreDue,
      var reminder = me.reminders.reminders[ref.cast()]
    else { throw .gone("This reminder") }
    if reminder.snoozes >= Limits.snoozes {
      throw Refusal(.conflict, "snoozed", "A reminder can be put off \(Limits.snoozes) times.")
    }
    let at = context.now + .seconds(minutes * 60)
    reminder.at = at
    reminder.snoozes += 1
    me.reminders.set(reminder, ref.cast())
    if notification.readAt == nil { me.inbox.notifications[id]?.readAt = context.now }
    return SnoozeAnswer(at: at)
  }
}

struct SnoozeAnswer: Record {
  /// When the reminder comes back.
  var at = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("at", \.at) }
}

extension PersonState {
  /// Works out when the person is reminded: at once if that time has passed and the thing is still ahead.
  fileprivate func plan(_ reminder: inout Reminder, at now: Instant) {
    let moment = reminder.moment(settings.settings.value)
    let isStillToCome = reminder.isExact != true && reminder.dueAt > now
    reminder.at = moment > now ? moment : isStillToCome ? now : nil
  }

  /// Plans all reminders by the settings of now, except those that have come or were put off.
  mutating func planReminders(at now: Instant) {
    for (id, reminder) in reminders.reminders where reminder.at != nil && reminder.snoozes == 0 {
      var planned = reminder
      plan(&planned, at: now)
      if planned != reminder { reminders.set(planned, id) }
    }
  }

  fileprivate mutating func remind(of id: ID<Reminded>, in context: Context) {
    guard var reminder = reminders.reminders[id], let room = reminder.room, let at = reminder.at else { return }
    reminder.at = nil
    reminders.set(reminder, id)
    // After so long a downtime it would leave the inbox at once.
    if context.now - at >= Limits.inboxAge { return }
    if reminder.kind == .debts {
      // The household says what is owed by then.
      guard let home = RoomID(name: room, caller: ID()) else { return }
      return context.send(DebtsAsked(day: reminder.day, at: at), to: home)
    }
    // The planned time is the cause: after a downtime it is the same notification.
    var notification = Notification(
      kind: reminder.kind, room: room, ref: reminder.ref, at: at, name: reminder.name)
    if let person = reminder.person {
      notification.actor = person
      notification.actorName = memberships.mates[person]?.name
    }
    notification.isUrgent = reminder.isUrgent
    (notification.amount, notification.currency) = (reminder.amount, reminder.currency)
    notification.until = reminder.dueAt
    notify(notification, from: RoomID(name: room, caller: ID()) ?? context.room, in: context)
  }
}
