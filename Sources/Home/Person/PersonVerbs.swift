import Rooms

/// The verbs by which a method of one subject acts on the others of a person's own room.
extension PersonState {
  /// Makes the running call wait. The answer names the returned reference.
  mutating func wait(household: ID<Household>? = nil, share: ID<Share>? = nil, in context: Context) -> CallReference {
    let call = CallReference(context.call)
    pending.add(PendingCall(at: context.now, household: household, share: share), call)
    return call
  }

  mutating func answer(_ call: CallReference?, _ answer: some Record, in context: Context) {
    guard let call else { return }
    pending.remove(call)
    context.complete(call.key, answer)
  }

  mutating func refuse(_ call: CallReference?, _ refusal: Refusal, in context: Context) {
    guard let call else { return }
    pending.remove(call)
    context.complete(call.key, refused: refusal)
  }

  /// Keeps a notification, once for each cause; as read if the person has muted its kind (R-NOTIFY, REM-4).
  mutating func notify(_ notification: Notification, from source: RoomID, in context: Context) {
    var notification = notification
    let isFromMuted =
      notification.kind.isNudge
      && notification.actor.flatMap { mutedSenders.mutedSenders[$0] }.map { $0.until > context.now } ?? false
    if settings.mutes(notification.kind) || isFromMuted { notification.readAt = notification.at }
    let isUrgent = notification.kind.isUrgent || notification.isUrgent == true
    notification.quietUntil = isUrgent ? nil : settings.quietHours?.end(at: context.now)
    inbox.add(notification, from: source)
    noteKeptName(of: notification.actor, in: context)
  }

  /// Takes the name of a person out who has deleted their account (ACC-9).
  mutating func forgetName(of person: ID<Person>) {
    inbox.forgetName(of: person)
    asks.asks[person] = nil
    asks.asked[person] = nil
  }

  /// Withdraws notifications that no longer matter to the person.
  mutating func withdrawNotification(_ kind: NotificationKind, ref: ID<Thing>) { inbox.withdraw(kind, ref: ref) }
}
