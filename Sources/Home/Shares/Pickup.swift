import JSON
import Rooms

/// The ride of a sharer: whether they need one, and the receiver who drives (LOC-3, LOC-13 to LOC-16).
struct Pickup: Record {
  /// Absent while nobody needs one, and from the end of the share on.
  var state: PickupState?
  /// The driver.
  var by: ID<Person>?
  var byName: String?
  /// When the driver means to be there.
  var arriveBy: Instant?
  /// The driver is late: both have been told.
  var late: Bool?
  /// The last alert of the receivers.
  var requestedAt: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("state", \.state)
    field("by", \.by)
    field("byName", \.byName)
    field("arriveBy", \.arriveBy)
    field("late", \.late)
    field("requestedAt", \.requestedAt)
  }

  /// Whether a receiver may become the driver.
  var isOpen: Bool { state == .wanted || state == .requested }
  /// Whether somebody drives, or has picked the sharer up.
  var hasDriver: Bool { state == .accepted || state == .collected }
}

/// The progress of a pick-up (LOC-14).
enum PickupState: String, Word {
  case none
  /// Set at the start: the sharer needs a ride.
  case wanted
  /// The sharer is ready, and the receivers are alerted.
  case requested
  /// A receiver comes.
  case accepted
  /// The sharer is with the driver.
  case collected
}

extension ShareState {
  /// When a driver counts as late (LOC-16).
  var lateDue: Instant? {
    guard pickup.value.state == .accepted, pickup.value.late == nil, let arriveBy = pickup.value.arriveBy else {
      return nil
    }
    return arriveBy + Limits.pickupGrace
  }

  /// Notifies the sharer and the driver that the driver is late.
  mutating func noteLate(in context: Context) {
    guard case .share(let id) = context.room, let driver = pickup.value.by else { return }
    pickup.value.late = true
    let notification = Notification(
      kind: .late, room: context.room.name, ref: id.cast(), actor: driver, actorName: pickup.value.byName,
      at: context.now, arriveBy: pickup.value.arriveBy)
    for person in [share.value.sharer, driver] {
      context.send(Notify(notification: notification), to: .person(person))
    }
  }

  /// Changes the pick-up: everybody's own room lists it, and all but the one who acts are notified.
  ///
  /// - Parameter told: The people to notify instead.
  mutating func setPickup(
    _ state: PickupState?, driver: ID<Person>? = nil, named driverName: String? = nil, arriveBy: Instant? = nil,
    by actor: ID<Person>, _ actorName: String?, told: [ID<Person>]? = nil, in context: Context
  ) {
    guard case .share(let id) = context.room else { return }
    pickup.value = Pickup(
      state: state, by: driver, byName: driverName, arriveBy: arriveBy, requestedAt: pickup.value.requestedAt)
    for person in everybody {
      let isTold = told?.contains(person) ?? (person != actor)
      // The receivers need not know each other: the share itself names the driver to them, and only while it runs.
      let isNamed = actor == share.value.sharer || person == share.value.sharer
      context.send(
        PickupChanged(
          share: id, pickup: pickup.value, actor: actor, actorName: isNamed ? actorName : nil,
          isTold: isTold ? true : nil),
        to: .person(person))
    }
  }

  /// The driver is no longer a receiver: if they had not come yet, the others can accept again (LOC-14).
  ///
  /// - Parameter isNamed: Whether the driver still has an account (ACC-9).
  mutating func releasePickup(isNamed: Bool = true, in context: Context) {
    guard let driver = pickup.value.by else { return }
    let name = isNamed ? pickup.value.byName : nil
    if pickup.value.state == .accepted {
      setPickup(.requested, by: driver, name, in: context)
    } else {
      setPickup(pickup.value.state, by: driver, name, told: [], in: context)
    }
  }
}
