import Rooms

/// A share on a terminal: a map, and beside it, or below it in a narrow window, everything else that is known.
///
/// It reads no clock. Each line begins with a word in Latin letters, and no number follows a name, so that a name
/// in Hebrew or Arabic letters turns nothing else around.
struct ShareScreen {
  let share: ShownShare
  /// The place of the person who looks on.
  let here: Coordinate?
  /// The server's time.
  let time: Instant

  /// The columns of the details beside a map.
  private static let detailColumns = 40
  /// The fewest columns and rows of a map.
  private static let leastColumns = 30
  private static let leastRows = 5
  /// The most rows of a map.
  private static let mostRows = 40
  /// A place farther away than this, in metres, stands at the edge of the map.
  private static let fittedMetres = 20_000.0

  func lines(columns: Int, rows: Int) -> [ScreenLine] {
    let details = details
    guard let map else { return details }
    let beside = columns - Self.detailColumns - 2
    if beside >= Self.leastColumns {
      // The scale takes a row.
      let height = min(max(rows - 1, Self.leastRows), Self.mostRows)
      let (drawn, scale) = map.drawn(columns: beside, rows: height)
      return (0..<max(drawn.count, details.count)).map { row in
        let left = row < drawn.count ? drawn[row] : String(repeating: " ", count: beside)
        let right = row < details.count ? details[row] : ScreenLine("", .plain)
        return ScreenLine("\(left)  ", .plain) + right
      } + [legend(scale)]
    }
    let height = min(rows - details.count - 1, Self.mostRows, columns / 2)
    guard height >= Self.leastRows else { return details }
    let (drawn, scale) = map.drawn(columns: columns, rows: height)
    return drawn.map { ScreenLine($0, .plain) } + [legend(scale)] + details
  }

  // MARK: map

  private var map: TerminalMap? {
    guard let position = share.position else { return nil }
    var map = TerminalMap(trail: share.trail, marks: [])
    if let destination = share.destination {
      map.circle = (destination.place, destination.radius)
      map.marks.append(TerminalMap.Mark(sign: "#", place: destination.place))
    }
    if let here {
      let isNear = here.distance(to: position.place) <= Self.fittedMetres
      map.marks.append(TerminalMap.Mark(sign: "x", place: here, isFitted: isNear))
    }
    map.marks.append(TerminalMap.Mark(sign: "@", place: position.place))
    return map
  }

  private func legend(_ scale: String) -> ScreenLine {
    var parts = ["scale \(scale)"]
    if here != nil { parts.append("x here") }
    parts.append("@ \(share.sharer)")
    if let destination = share.destination { parts.append("# \(destination.label)") }
    return ScreenLine(parts.joined(separator: "  "), .faint)
  }

  // MARK: details

  private var details: [ScreenLine] {
    var lines = positionLines
    if let destination = share.destination {
      let way = share.position.map { ", still \(Self.way(from: $0.place, to: destination.place))" } ?? ""
      lines.append(ScreenLine("to \(destination.label)\(way)", .plain))
    }
    if let arrival = share.arrival { lines.append(ScreenLine("arrival \(ShareWords.plain(arrival))", .plain)) }
    if let until = share.until { lines.append(end(until)) }
    if let stopsAt = share.stopsAt {
      let what = share.silenceConfirms ? "takes effect in" : "open for"
      lines.append(ScreenLine("stop requested, \(what) \(ShareWords.span(stopsAt - time))", .news))
    }
    if let pickup = share.pickup {
      lines.append(ScreenLine("ride \(ShareWords.ride(pickup, at: time))", pickup.isLate ? .bad : .news))
    }
    if let note = share.note { lines.append(ScreenLine("note \(note)", .plain)) }
    lines += Self.groups(share.receivers, .plain) + Self.groups(share.formerReceivers, .faint)
    return lines
  }

  private var positionLines: [ScreenLine] {
    var lines: [ScreenLine] = []
    if let cause = share.lost {
      let age = share.lostAt.map { " since \(ShareWords.span(time - $0))" } ?? ""
      lines.append(ScreenLine("lost\(age): \(ShareWords.plain(cause))", .bad))
    }
    guard let position = share.position else {
      return lines.isEmpty ? [ScreenLine("no position yet", .news)] : lines
    }
    if let here { lines.append(ScreenLine("from here \(Self.way(from: here, to: position.place))", .title)) }
    if let age = share.age(at: time) {
      let freshness = ShownShare.Freshness(age: age)
      let ink: ScreenLine.Ink = freshness == .fresh ? .good : freshness == .stale ? .news : .bad
      lines.append(ScreenLine("fixed \(AdminStatistics.duration(Int(age))) ago, \(freshness.rawValue)", ink))
    }
    if let link = share.link, let at = position.at, link - at > .seconds(5) {
      lines.append(ScreenLine("phone heard \(ShareWords.span(time - link)) ago", .faint))
    }
    let accuracy = position.accuracy.map { " ±\(Lengths.metric($0))" } ?? ""
    lines.append(
      ScreenLine(
        "at \(Coordinate.decimals(position.place.lat)), \(Coordinate.decimals(position.place.lon))\(accuracy)", .plain))
    if position.isCoarse { lines.append(ScreenLine("coarse: the accuracy is bad or unknown", .news)) }
    if position.isSuspect { lines.append(ScreenLine("suspect: too far from the place before", .bad)) }
    if let still = position.stillSince {
      lines.append(ScreenLine("still for \(ShareWords.span(time - still))", .plain))
    }
    if let battery = position.battery {
      lines.append(ScreenLine("battery \(battery) %", battery <= 15 ? .bad : .plain))
    }
    return lines
  }

  private func end(_ until: Instant) -> ScreenLine {
    let left = until - time
    let ink: ScreenLine.Ink = left < .seconds(600) ? .news : .plain
    guard let destination = share.destination else {
      return ScreenLine("ends in \(ShareWords.span(until - time))", ink)
    }
    return ScreenLine("ends at \(destination.label), or in \(ShareWords.span(until - time))", ink)
  }

  /// A line for each state, with the names of all who are in it.
  private static func groups(_ receivers: [ShownShare.Receiver], _ ink: ScreenLine.Ink) -> [ScreenLine] {
    var groups: [(state: String, names: [String])] = []
    for receiver in receivers {
      if groups.last?.state == receiver.state {
        groups[groups.count - 1].names.append(receiver.name)
      } else {
        groups.append((receiver.state, [receiver.name]))
      }
    }
    return groups.map { ScreenLine("\(ShareWords.plain($0.state)): \($0.names.joined(separator: ", "))", ink) }
  }

  private static func way(from: Coordinate, to: Coordinate) -> String {
    let metres = from.distance(to: to)
    // The direction to a place a step away means nothing.
    return metres < 1 ? Lengths.text(metres) : "\(Lengths.text(metres)), \(Lengths.bearing(from.bearing(to: to)))"
  }
}
