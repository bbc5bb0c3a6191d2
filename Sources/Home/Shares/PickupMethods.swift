import JSON
import Rooms

/// Alerts the receivers that the sharer is ready to be picked up (LOC-13).
struct ReadyForPickup: Mutation {
  static let method: StaticString = "pickup.ready"
  static let summary: StaticString = "Alerts the receivers that the sharer is ready to be picked up (LOC-13)."

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to state: inout ShareState, in context: Context) throws(Refusal) -> NoAnswer {
    try state.requireSharer(context)
    try state.requireOpenPickup()
    if let last = state.pickup.value.requestedAt, context.now - last < Limits.pickupPause {
      throw .asked("The receivers have just been alerted.", last + Limits.pickupPause - context.now)
    }
    state.pickup.value.requestedAt = context.now
    state.setPickup(.requested, by: context.person, state.share.value.name, in: context)
    return NoAnswer()
  }
}

/// Says that the sharer no longer needs a ride (LOC-13).
struct CancelPickup: Mutation {
  static let method: StaticString = "pickup.cancel"
  static let summary: StaticString = "Says that the sharer no longer needs a ride (LOC-13)."

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to state: inout ShareState, in context: Context) throws(Refusal) -> NoAnswer {
    try state.requireSharer(context)
    if state.pickup.value.state == nil { return NoAnswer() }
    if state.pickup.value.state == .collected { throw .collected }
    state.setPickup(nil, by: context.person, state.share.value.name, in: context)
    return NoAnswer()
  }
}

/// Makes the calling receiver the driver, who means to be there in so many minutes; the first one is (LOC-14).
struct AcceptPickup: Mutation {
  static let method: StaticString = "pickup.accept"
  static let summary: StaticString =
    "Makes the calling receiver the driver, who means to be there in so many minutes; the first one is (LOC-14)."
  var minutes = 0

  static func fields(_ field: inout some FieldVisitor<Self>) { field("minutes", \.minutes, Limits.pickupMinutes) }

  func apply(to state: inout ShareState, in context: Context) throws(Refusal) -> NoAnswer {
    let receiver = try state.receiver(context)
    try state.requireOpenPickup()
    if state.pickup.value.state == nil {
      throw Refusal(.conflict, "noPickup", "The sharer does not need a ride, or no longer.")
    }
    state.setPickup(
      .accepted, driver: context.person, named: receiver.name, arriveBy: context.now + .seconds(60 * minutes),
      by: context.person, receiver.name, in: context)
    return NoAnswer()
  }
}

/// Changes when the driver means to be there; the sharer is notified (LOC-14).
struct UpdatePickup: Mutation {
  static let method: StaticString = "pickup.update"
  static let summary: StaticString = "Changes when the driver means to be there; the sharer is notified (LOC-14)."
  var minutes = 0

  static func fields(_ field: inout some FieldVisitor<Self>) { field("minutes", \.minutes, Limits.pickupMinutes) }

  func apply(to state: inout ShareState, in context: Context) throws(Refusal) -> NoAnswer {
    let receiver = try state.receiver(context)
    try state.requireDriver(context)
    state.setPickup(
      .accepted, driver: context.person, named: receiver.name, arriveBy: context.now + .seconds(60 * minutes),
      by: context.person, receiver.name, told: [state.share.value.sharer], in: context)
    return NoAnswer()
  }
}

/// Says that the driver does not come: the sharer needs one again, and everybody is notified (LOC-14).
struct ReleasePickup: Mutation {
  static let method: StaticString = "pickup.release"
  static let summary: StaticString =
    "Says that the driver does not come: the sharer needs one again, and everybody is notified (LOC-14)."

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to state: inout ShareState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try state.receiver(context)
    try state.requireDriver(context)
    state.releasePickup(in: context)
    return NoAnswer()
  }
}

/// Says that the sharer is with the driver; either of them may (LOC-14).
struct CollectPickup: Mutation {
  static let method: StaticString = "pickup.collected"
  static let summary: StaticString = "Says that the sharer is with the driver; either of them may (LOC-14)."

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to state: inout ShareState, in context: Context) throws(Refusal) -> NoAnswer {
    let isSharer = state.share.value.sharer == context.person
    if isSharer { try state.requireSharer(context) } else { _ = try state.receiver(context) }
    let pickup = state.pickup.value
    if pickup.state == .collected, isSharer || pickup.by == context.person { return NoAnswer() }
    if isSharer {
      guard pickup.state == .accepted else { throw Refusal(.conflict, "noDriver", "Nobody has accepted to come.") }
    } else {
      try state.requireDriver(context)
    }
    state.setPickup(
      .collected, driver: pickup.by, named: pickup.byName, by: context.person,
      isSharer ? state.share.value.name : pickup.byName, in: context)
    return NoAnswer()
  }
}

extension ShareState {
  /// Refuses where a driver comes or has come, or the sharer has arrived.
  fileprivate func requireOpenPickup() throws(Refusal) {
    if hasArrived { throw .arrived }
    switch pickup.value.state {
    case .collected: throw .collected
    case .accepted:
      var refusal = Refusal(.conflict, "alreadyAccepted", "Somebody has accepted to come already.")
      refusal.details["by"] = pickup.value.by.map { .string($0.description) }
      refusal.details["arriveBy"] = pickup.value.arriveBy.map { .string($0.description) }
      throw refusal
    case nil, .some(.none), .wanted, .requested: break
    }
  }

  fileprivate func requireDriver(_ context: Context) throws(Refusal) {
    if pickup.value.state == .collected { throw .collected }
    guard pickup.value.state == .accepted, pickup.value.by == context.person else {
      throw Refusal(.conflict, "noDriver", "You are not the driver of this ride.")
    }
  }
}

extension Refusal {
  fileprivate static var collected: Refusal {
    Refusal(.conflict, "collected", "The sharer has been picked up already.")
  }
  static var arrived: Refusal {
    Refusal(.conflict, "arrived", "The sharer has arrived: this share is about to end.")
  }
}
