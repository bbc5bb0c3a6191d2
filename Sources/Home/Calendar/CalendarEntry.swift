import Rooms

/// Something in a person's calendar: one time of it, or all times of a rule (CHO-27).
struct CalendarEntry {
  var uid: String
  var title: String
  var note: String?
  var category: Category
  /// When it was last changed.
  var at: Instant
  /// The day on which it begins, the first time.
  var day: LocalDay
  /// Minutes since midnight; `nil` for whole days.
  var minute: Int?
  /// How many days later it ends; with a `minute`, by which minute of that day. Without that it is a moment.
  var length = 0
  var endMinute: Int?
  var series: Series?

  enum Category: String {
    case birthday, chore, event, rota
  }

  /// How an entry comes again.
  struct Series {
    var rule: Recurrence
    /// The day from which the rule counts.
    var first: LocalDay
    /// The last day on which it can begin; without one it never ends.
    var last: LocalDay?

    func day(after day: LocalDay) -> LocalDay? {
      let next = rule.day(after: day, from: first)
      return last.map { next <= $0 } ?? true ? next : nil
    }

    func contains(_ day: LocalDay) -> Bool { self.day(after: day.adding(-1)) == day }
  }
}

/// Writes the entries of a calendar, by the clocks of one zone.
struct CalendarWriter {
  let name: String
  let zoneName: String
  /// The day on which it is written.
  let today: LocalDay

  /// The day from which on series are written: those that are older begin with their first time after it. So the clocks
  /// of older days need not be described.
  static func beginning(on today: LocalDay) -> LocalDay { LocalDay(year: today.year - 1, month: 1, day: 1) }

  func write(_ entries: [CalendarEntry]) -> [UInt8] {
    let zone = ZoneTime(zoneName)
    // A day earlier, so that the first changes are found by whatever day it is in UTC.
    let first = min(entries.map(\.day).min() ?? today, Self.beginning(on: today)).adding(-1)
    let isTimed = entries.contains { $0.minute != nil }
    let last = LocalDay(year: today.year + Limits.calendarClockYears, month: 12, day: 31)
    let changes = isTimed ? zone.changes(from: first, to: last) : []
    var calendar = ICalendar()
    calendar.component("VCALENDAR") { calendar in
      calendar.line("VERSION", "2.0")
      calendar.line("PRODID", "-//Hearth//Hearth//EN")
      calendar.line("CALSCALE", "GREGORIAN")
      // RFC 7986; clients that do not know it take the older names.
      calendar.text("NAME", name)
      calendar.text("X-WR-CALNAME", name)
      calendar.line("X-WR-TIMEZONE", zoneName)
      calendar.line("REFRESH-INTERVAL;VALUE=DURATION", "PT1H")
      calendar.line("X-PUBLISHED-TTL", "PT1H")
      if isTimed { calendar.zone(zoneName, from: first, offset: zone.offset(on: first), changes) }
      // A series that leaves nights out cannot say so for ever.
      let near = changes.filter { $0.second < (today.number ?? 0) * 86_400 + Limits.calendarNightYears * 366 * 86_400 }
      let events = EventWriter(zone: zone, zoneName: zoneName, changes: near)
      for entry in entries.sorted(by: { $0.uid < $1.uid }) { events.write(entry, to: &calendar) }
    }
    return calendar.bytes
  }
}

/// Writes entries as VEVENTs (RFC 5545 §3.6.1).
///
/// A series and its rule say when it takes place by the clock on the wall. In a night in which clocks are changed the
/// format means another time than the household does, or leaves it to the reader: such times stand by themselves.
private struct EventWriter {
  let zone: ZoneTime
  let zoneName: String
  let changes: [ClockChange]

  func write(_ entry: CalendarEntry, to calendar: inout ICalendar) {
    guard let series = entry.series else { return event(entry, on: entry.day, to: &calendar) }
    var first: LocalDay? = entry.day
    // The first time is written as it is, so it must be one that the format understands as the household does.
    while let day = first, !isPlain(entry, on: day) || (day == series.first && !series.rule.names(first: day)) {
      single(entry, on: day, to: &calendar)
      first = series.day(after: day)
    }
    guard let first else { return }
    let odd = oddDays(of: entry, in: series, after: first)
    event(entry, on: first, to: &calendar) { event in
      event.line("RRULE", rule(of: series, for: entry))
      if !odd.isEmpty {
        event.line("EXDATE" + parameter(of: entry), odd.map { wallTime(of: entry, on: $0) }.joined(separator: ","))
      }
    }
    for day in odd { single(entry, on: day, to: &calendar) }
  }

  private func rule(of series: CalendarEntry.Series, for entry: CalendarEntry) -> String {
    let text = series.rule.text(from: series.first)
    guard let last = series.last else { return text }
    return text + ";UNTIL="
      + (entry.minute.map { ICalendar.time(zone.instant(last, minute: $0)) } ?? ICalendar.date(last))
  }

  // MARK: nights

  /// The days after the first one on which the series takes place while clocks are changed.
  private func oddDays(
    of entry: CalendarEntry, in series: CalendarEntry.Series, after first: LocalDay
  ) -> [LocalDay] {
    guard entry.minute != nil else { return [] }
    var days: Set<LocalDay> = []
    for change in changes {
      let night = LocalDay(number: change.wall.lowerBound.floored(by: 86_400))
      for day in (-1...entry.length).map({ night.adding(-$0) })
      where day > first && !isPlain(entry, on: day) && series.contains(day) {
        days.insert(day)
      }
    }
    return days.sorted()
  }

  /// Whether no clocks are changed while an entry takes place that begins on a day.
  private func isPlain(_ entry: CalendarEntry, on day: LocalDay) -> Bool {
    guard let minute = entry.minute else { return true }
    let start = (day.number ?? 0) * 86_400 + minute * 60
    guard let endMinute = entry.endMinute else {
      // Of a time that is shown twice everybody means the first.
      return !changes.contains { $0.skips && $0.wall.contains(start) }
    }
    let end = ((day.number ?? 0) + entry.length) * 86_400 + endMinute * 60
    return !changes.contains { start < $0.wall.upperBound && end >= $0.wall.lowerBound }
  }

  // MARK: VEVENTs

  /// Writes one time of a series by itself.
  private func single(_ entry: CalendarEntry, on day: LocalDay, to calendar: inout ICalendar) {
    var entry = entry
    entry.uid += "-" + ICalendar.date(day)
    event(entry, on: day, to: &calendar)
  }

  private func event(
    _ entry: CalendarEntry, on day: LocalDay, to calendar: inout ICalendar, _ more: (inout ICalendar) -> Void = { _ in }
  ) {
    calendar.component("VEVENT") { event in
      event.line("UID", entry.uid)
      event.line("DTSTAMP", ICalendar.time(entry.at))
      let (start, end) = times(of: entry, on: day)
      event.line("DTSTART" + parameter(of: entry), start)
      if let end { event.line("DTEND" + parameter(of: entry), end) }
      more(&event)
      event.text("SUMMARY", entry.title)
      if let note = entry.note { event.text("DESCRIPTION", note) }
      event.line("CATEGORIES", entry.category.rawValue)
      // Only an event keeps somebody from doing something else.
      if entry.category != .event || entry.minute == nil { event.line("TRANSP", "TRANSPARENT") }
    }
  }

  private func parameter(of entry: CalendarEntry) -> String {
    entry.minute == nil ? ";VALUE=DATE" : ";TZID=\(zoneName)"
  }

  /// The start and the end as the clocks show them. The end of whole days is the day after; a moment has none.
  private func times(of entry: CalendarEntry, on day: LocalDay) -> (start: String, end: String?) {
    guard let minute = entry.minute else {
      return (ICalendar.date(day), ICalendar.date(day.adding(entry.length + 1)))
    }
    let start = zone.instant(day, minute: minute)
    guard let endMinute = entry.endMinute else { return (shown(start), nil) }
    let end = zone.instant(day.adding(entry.length), minute: endMinute)
    return (shown(start), end > start ? shown(end) : nil)
  }

  private func shown(_ instant: Instant) -> String {
    let (day, minute) = zone.local(instant)
    return ICalendar.time(wall: (day.number ?? 0) * 86_400 + minute * 60)
  }

  /// The time at which the rule has a series begin on a day, even if the clocks do not show it.
  private func wallTime(of entry: CalendarEntry, on day: LocalDay) -> String {
    ICalendar.time(wall: (day.number ?? 0) * 86_400 + (entry.minute ?? 0) * 60)
  }
}
