import Rooms

/// The verbs by which a method of one subject acts on the others. Everything else stays inside its own subject.
extension HouseholdState {
  /// The member who calls.
  func caller(_ context: Context) throws(Refusal) -> Member {
    guard let member = membership.members[context.person] else { throw .notInRoom }
    return member
  }

  func isHost(_ person: ID<Person>) -> Bool { info.facts.value.host == person }

  /// Refuses a caller who is neither the author nor the host (HH-15).
  func require(authorOrHost author: ID<Person>, _ context: Context) throws(Refusal) {
    guard author == context.person || isHost(context.person) else { throw .forbidden }
  }

  /// Records an event: the newest are in the state, all of them in the history (ACT-1).
  mutating func happened(
    _ kind: ActivityKind, by actor: ID<Person>?, ref: ID<Thing>? = nil, named name: String? = nil, in context: Context
  ) {
    feed.add(Activity(kind: kind, actor: actor, ref: ref, name: name, at: context.now), in: context)
  }

  /// Notifies one person (R-NOTIFY).
  func notify(_ person: ID<Person>, _ notification: Notification, in context: Context) {
    context.send(Notify(notification: notification), to: .person(person))
  }

  /// Marks the notifications about something as read, for all members: there is nothing left to do or see (REM-6).
  func resolve(_ ref: ID<Thing>, in context: Context) {
    for person in membership.members.keys { context.send(Resolve(ref: ref), to: .person(person)) }
  }

  /// Notifies every member except one (R-NOTIFY).
  func notifyOthers(
    than actor: ID<Person>?, _ kind: NotificationKind, ref: ID<Thing>? = nil, named name: String?, in context: Context
  ) {
    let notification = Notification(
      kind: kind, room: context.room.name, ref: ref, actor: actor, actorName: name, at: context.now)
    for person in membership.members.keys where person != actor { notify(person, notification, in: context) }
  }
}
