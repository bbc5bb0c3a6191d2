import Rooms

/// The notifications that a share sends to the people in it (LOC-25, LOC-34).
extension ShareState {
  /// Notifies people of something that one of them has done.
  func tell(
    _ kind: NotificationKind, by actor: ID<Person>, _ name: String, to people: some Sequence<ID<Person>>,
    until: Instant? = nil, in context: Context
  ) {
    guard case .share(let id) = context.room else { return }
    let notification = Notification(
      kind: kind, room: context.room.name, ref: id.cast(), actor: actor, actorName: name, at: context.now, until: until)
    for person in people { context.send(Notify(notification: notification), to: .person(person)) }
  }

  /// Notifies the receivers that the position is lost, or is back.
  func tellReceivers(_ kind: NotificationKind, in context: Context) {
    guard case .share(let id) = context.room else { return }
    let notification = Notification(
      kind: kind, room: context.room.name, ref: id.cast(), actor: share.value.sharer,
      actorName: share.value.name, at: context.now, until: share.value.until, cause: share.value.lost,
      fixedAt: position.value.at, battery: position.value.battery)
    for person in receivers.keys { context.send(Notify(notification: notification), to: .person(person)) }
  }
}
