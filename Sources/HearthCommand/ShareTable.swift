import Foundation
import HearthClient
import JSON
import Rooms

/// All shares of a person at one time, as a table for people and as objects for programs.
struct ShareTable {
  /// One share, as `me` lists it and as its own room shows it.
  struct Row {
    var id: String
    /// The entry in `me`.
    var entry: JSON
    var share: ShownShare

    /// - Parameters:
    ///   - room: the answer to subscribing to the share; `nil` if it has ended meanwhile.
    init(id: String, entry: JSON, room: JSON?, me: ID<Person>?) {
      self.id = id
      self.entry = entry
      share = ShownShare(state: room?["state"] ?? [:], live: room?["live"] ?? [:], me: me)
      if room == nil { share.sharer = entry["sharer"]?.string == me?.description ? "you" : name }
      share.until = share.until ?? entry["until"].instant
      // Only `me` says whether anybody drives, where the share's room is of an older server.
      guard share.pickup == nil, let state = entry["pickup"]?.string else { return }
      share.pickup = ShownShare.Pickup(
        state: state, driver: entry["driverName"]?.string, arriveBy: entry["arriveBy"].instant, isLate: false)
    }

    private var name: String { entry["name"]?.string ?? "somebody" }

    var state: String {
      let state = entry["state"]?.string ?? "active"
      return share.lost == nil ? state : "\(state), lost"
    }

    /// The destination, as far as it is told.
    var place: String? { share.destination?.label ?? entry["place"]?.string }
  }

  /// In order of their ends.
  let rows: [Row]
  /// The place of the person who asks.
  let here: Coordinate?
  /// The server's time.
  let time: Instant

  init(_ rows: [Row], here: Coordinate?, time: Instant) {
    self.rows = rows.sorted { left, right in
      let ends = (left.share.until ?? Instant(), right.share.until ?? Instant())
      return ends.0 == ends.1 ? left.id < right.id : ends.0 < ends.1
    }
    self.here = here
    self.time = time
  }

  // MARK: people

  /// The table; `nil` without any share.
  var text: String? {
    guard !rows.isEmpty else { return nil }
    // A name in Hebrew or Arabic letters has a Latin word on each side, so that it turns nothing else around.
    var table = TextTable(
      ["ROLE", "WHO", "STATE", "ENDS", "AGE", "KM", "MILES", "RIDE", "SHARE", "DIRECTIONS"], numbers: [4, 5, 6])
    for row in rows {
      let metres = metres(to: row)
      table.add(
        row.entry["role"]?.string ?? "", row.share.sharer, row.state, end(of: row), age(of: row),
        metres.map { Lengths.decimals($0 / 1000) } ?? "",
        metres.map { Lengths.decimals($0 / Lengths.metresPerMile) } ?? "",
        row.share.pickup.map { ShareWords.ride($0, at: time) } ?? "", "share/\(row.id)",
        directions(to: row) ?? "")
    }
    return table.text
  }

  private func end(of row: Row) -> String {
    let left = row.share.until.map { "in \(ShareWords.span($0 - time))" }
    return [row.place.map { "at \($0)" }, left].compactMap(\.self).joined(separator: ", or ")
  }

  private func age(of row: Row) -> String {
    guard let age = row.share.age(at: time) else { return "" }
    let freshness = ShownShare.Freshness(age: age)
    return AdminStatistics.duration(Int(age)) + (freshness == .fresh ? "" : " (\(freshness.rawValue))")
  }

  // MARK: places

  private func metres(to row: Row) -> Double? {
    guard let here, let position = row.share.position else { return nil }
    return here.distance(to: position.place)
  }

  /// A page with the way to the sharer.
  private func directions(to row: Row) -> String? {
    guard let position = row.share.position else { return nil }
    let from = here.map { "from=\($0.text)&" } ?? ""
    return "https://www.openstreetmap.org/directions?\(from)to=\(position.place.text)"
  }

  // MARK: programs

  /// An object for each share.
  var objects: [JSON] {
    rows.map { row in
      var members = row.entry.object ?? [:]
      members["room"] = .string("share/\(row.id)")
      members["lost"] = row.share.lost.map(JSON.string)
      if let pickup = row.share.pickup {
        members["pickup"] = .string(pickup.state)
        members["driverName"] = pickup.driver.map(JSON.string) ?? members["driverName"]
        members["arriveBy"] = pickup.arriveBy.map { .string($0.description) } ?? members["arriveBy"]
        if pickup.isLate { members["late"] = true }
      }
      guard let position = row.share.position else { return .object(members) }
      members["lat"] = .rounded(position.place.lat)
      members["lon"] = .rounded(position.place.lon)
      members["accuracy"] = position.accuracy.map { .rounded($0) }
      members["battery"] = position.battery.map { .number(JSON.Number($0)) }
      members["at"] = position.at.map { .string($0.description) }
      members["ageSeconds"] = row.share.age(at: time).map { .number(JSON.Number(Int($0))) }
      members["directions"] = directions(to: row).map(JSON.string)
      if let here, let metres = metres(to: row) {
        members["metres"] = .number(JSON.Number(Int(metres.rounded())))
        members["bearing"] = .number(JSON.Number(Int(here.bearing(to: position.place).rounded()) % 360))
      }
      return .object(members)
    }
  }
}
