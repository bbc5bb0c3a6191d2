import Rooms

/// Refusals that more than one rule gives.
extension Refusal {
  static func gone(_ what: String) -> Refusal { Refusal(.notFound, "gone", "\(what) does not exist any more.") }

  static var exists: Refusal {
    Refusal(.conflict, "exists", "This id names something already, or did: choose another.")
  }

  static func full(_ reason: String, _ text: String) -> Refusal { Refusal(.tooLarge, reason, text) }

  static var forbidden: Refusal {
    Refusal(.forbidden, "forbidden", "Only the author or the host may do this.")
  }

  /// A refusal of those who are neither the host nor, by a policy, entitled.
  static var hostOnly: Refusal { Refusal(.forbidden, "forbidden", "Only the host may do this.") }

  static var notInRoom: Refusal { Refusal(.notFound, "room", "There is no such room here.") }
}
