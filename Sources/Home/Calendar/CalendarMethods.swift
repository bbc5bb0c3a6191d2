import Crypto
import JSON
import Rooms

extension CalendarLinks {
  static let methods: [Method] = [.of(LinkCalendar.self), .of(UnlinkCalendar.self), .question(ShowCalendarLink.self)]
}

struct CalendarLinkAnswer: Record {
  /// Below the server's address; nothing else ever tells it.
  var path = ""

  static func fields(_ field: inout some FieldVisitor<Self>) { field("path", \.path) }
}

/// Makes a secret link to the caller's calendar, in place of the one before; only this answer holds it (CHO-27).
struct LinkCalendar: Mutation {
  static let method: StaticString = "calendar.link"
  static let summary: StaticString =
    "Makes a secret link to the caller's calendar, in place of the one before; only this answer holds it (CHO-27)."
  static let makesSecret = true

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> CalendarLinkAnswer {
    _ = try home.caller(context)
    if context.secret.isEmpty {
      throw Refusal(.unavailable, "secret", "There is no secret to make a link of.").temporary()
    }
    let secret = Base64.url.encode(context.secret)
    let hash = SHA256.hash(Array(secret.utf8))
    home.removeCalendarLink(of: context.person, in: context)
    home.calendarLinks.links[context.person] = CalendarLink(hash: Hex.encode(hash), at: context.now)
    context.admit(secretHash: hash)
    return CalendarLinkAnswer(path: HomeRooms.calendarPath + secret + HomeRooms.calendarEnding)
  }
}

/// Makes the link to the caller's calendar invalid at once (CHO-27).
struct UnlinkCalendar: Mutation {
  static let method: StaticString = "calendar.unlink"
  static let summary: StaticString = "Makes the link to the caller's calendar invalid at once (CHO-27)."

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    _ = try home.caller(context)
    home.removeCalendarLink(of: context.person, in: context)
    return NoAnswer()
  }
}

struct CalendarLinkStatus: Record {
  /// Absent if there is no link.
  var linkedAt: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) { field("linkedAt", \.linkedAt) }
}

/// Tells since when there has been a link to the caller's calendar, but not the link (CHO-27).
struct ShowCalendarLink: Question {
  static let method: StaticString = "calendar.show"
  static let summary: StaticString =
    "Tells since when there has been a link to the caller's calendar, but not the link (CHO-27)."

  static func fields(_ field: inout some FieldVisitor<Self>) {}

  func answer(from home: HouseholdState, in inquiry: Inquiry) throws(Refusal) -> CalendarLinkStatus {
    CalendarLinkStatus(linkedAt: home.calendarLinks.links[inquiry.caller]?.at)
  }
}

extension HouseholdState {
  mutating func removeCalendarLink(of person: ID<Person>, in context: Context) {
    guard let link = calendarLinks.links[person] else { return }
    if let hash = Hex.decode(link.hash) { context.forget(secretHash: hash) }
    calendarLinks.links[person] = nil
  }
}
