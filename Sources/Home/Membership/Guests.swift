import JSON
import Rooms

/// Guests: members for the time that the member who has invited them is away (HH-12).
///
/// A guest has a member's rights, but is never host, and an exclusive household is no matter for them.
extension HouseholdState {
  /// Whether a member is one who stays: no guest.
  func isResident(_ person: ID<Person>) -> Bool { membership.members[person].map { $0.guestOf == nil } ?? false }

  /// Ends the stay of a member's guests, or of all guests.
  mutating func endGuests(of host: ID<Person>? = nil, in context: Context) {
    let guests = membership.members.keys { $0.guestOf != nil && (host == nil || $0.guestOf == host) }
    for guest in guests.sorted() {
      guard let member = membership.members[guest] else { continue }
      letGo(guest, ClosingReason.stayOver, in: context)
      happened(.left, by: guest, in: context)
      notifyOthers(than: guest, .left, ref: guest.cast(), named: member.name, in: context)
      let notification = Notification(
        kind: .stayOver, room: context.room.name, at: context.now, name: info.facts.value.name)
      notify(guest, notification, in: context)
    }
  }

  /// Ends the absences that are over, with the stays of these members' guests.
  mutating func endAbsences(in context: Context) {
    for person in membership.absenceEnds.keys(where: { $0.at <= context.now }).sorted() {
      endAbsence(of: person, in: context)
    }
  }

  mutating func endAbsence(of person: ID<Person>, in context: Context) {
    let before = membership.members[person]?.away
    noteAbsence(of: person, at: context.now)
    keepMissedDinners(of: person, at: context.now)
    membership.note(nil, of: person, in: info.facts.value.timeZone)
    if let before { takeBackTurns(of: person, after: before, in: context) }
    endGuests(of: person, in: context)
  }
}

extension Refusal {
  /// A guest is never host, and is not away with guests of their own.
  static var guest: Refusal { Refusal(.forbidden, "guest", "This is not for guests.") }
}
