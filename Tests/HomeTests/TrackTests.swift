import Foundation
import JSON
import Rooms
import TestSupport
import Testing

@testable import Home

/// Whole ways to a place, recorded ones and generated ones, through the rules for positions.
@Suite("Tracks")
struct TrackTests {
  /// The notifications and positions that the receivers of a track get.
  private struct Outcome {
    var arrivals: [Double] = []
    /// When they were told of the arrival.
    var toldAt: Double?
    var suspects: [Double] = []
    /// Positions that were shown after later ones.
    var stepsBack = 0
    var losses: [String] = []
    var returnCount = 0
    var end: NotificationKind?
    var arrivedAt: Double?
  }

  /// Replays a track through a share until its place, and follows what a receiver sees.
  private static func replay(_ track: Track) throws -> Outcome {
    let world = World()
    world.checksStates = false
    let people = try world.household(of: "Ana", "Ben")
    let share = ShareEndTests(in: world)
    let place: JSON = [
      "lat": share.number(track.lat), "lon": share.number(track.lon), "r": .number(.init(Int(track.radius))),
      "label": "home",
    ]
    try share.start(people, ["place": place])
    let room = try #require(world.rooms[.share(share.id)] as? TypedRoom<ShareState>)
    let start = world.now
    func moment(_ seconds: Double) -> Instant { start + .milliseconds(Int64((seconds * 1000).rounded())) }
    func seconds(_ moment: Instant) -> Double { Double((moment - start).milliseconds) / 1000 }

    var outcome = Outcome()
    var shown: Track.Fix?
    for upload in track.uploads {
      world.advance(max(.zero, moment(upload.at) - world.now))
      let fixes = upload.fixes.map { fix in
        Home.Fix(
          lat: track.lat(of: fix.north), lon: track.lon(of: fix.east), accuracy: Accuracy(metres: fix.accuracy),
          fixTime: moment(fix.fixTime))
      }
      guard world.rooms[.share(share.id)] != nil else { break }
      let before = room.state.position.value
      let turn = Turn(caller: people[0], client: world.client, session: world.client.cast(), now: world.now)
      try Report(sentAt: moment(upload.sentAt), fixes: fixes).run(in: room, turn)
      let position = room.state.position.value
      world.sealAll()
      world.deliverAll()
      guard position.lat != before.lat || position.lon != before.lon || position.at != before.at else { continue }
      let newest = upload.fixes.first { fix in
        position.lat == Geography.rounded(track.lat(of: fix.north))
          && position.lon == Geography.rounded(track.lon(of: fix.east))
      }
      guard let newest else { continue }
      if let last = shown?.at, newest.at < last { outcome.stepsBack += 1 }
      shown = newest
      if position.suspect == true { outcome.suspects.append(newest.at) }
    }
    world.advance(max(.zero, moment(track.duration) - world.now))
    outcome.arrivedAt = room.state.share.value.arrivedAt.map(seconds)
    world.advance(.seconds(13 * 3600))
    for notification in try share.told(people[1]) {
      switch notification.kind {
      case .arrived: outcome.arrivals.append(seconds(notification.at))
      case .lost: outcome.losses.append(notification.cause?.rawValue ?? "")
      case .back: outcome.returnCount += 1
      default: break
      }
    }
    outcome.toldAt = outcome.arrivals.first
    outcome.end = try share.told(people[1]).map(\.kind).first { [.arrived, .ended, .urgent].contains($0) }
    return outcome
  }

  /// The longest time in seconds from ten seconds at the place to the notification.
  ///
  /// A report comes every thirty seconds, and errors may put a fix or two beyond the edge.
  static let longestDelay = 60.0

  /// Seconds from when the phone had been at the place for ten seconds, and could say so.
  private static func delay(_ outcome: Outcome, of track: Track) -> Double? {
    guard let told = outcome.toldAt, let arrived = track.arrivedAt else { return nil }
    return told - max(arrived, track.reachableFrom)
  }

  /// Whether the phone was farther away than place and accuracy reach when an arrival is said to have been.
  private static func isFalse(_ outcome: Outcome, of track: Track) -> Bool {
    guard let at = outcome.arrivedAt else { return false }
    let fixes = track.uploads.flatMap(\.fixes)
    let fix = fixes.min { abs($0.at - at) < abs($1.at - at) }
    return track.point(at: fix?.at ?? at).distance > track.radius + (fix?.accuracy ?? 0)
  }

  private static func expect(_ outcome: Outcome, of track: Track) {
    #expect(outcome.arrivals.count == (track.arrives ? 1 : 0), "\(track): arrives")
    #expect(!isFalse(outcome, of: track), "\(track): is at the place")
    if track.arrives {
      let delay = delay(outcome, of: track) ?? .infinity
      #expect(delay <= longestDelay, "\(track): is told in time")
    }
    #expect(outcome.end == (track.arrives ? .arrived : .urgent), "\(track): ends")
    let marked = outcome.suspects.filter { !track.misdated.contains($0) }
    #expect(marked == track.visibleJumps, "\(track): jumps are marked, and nothing else is")
    #expect(outcome.losses == track.losses, "\(track): is lost")
    #expect(outcome.returnCount == track.returnCount, "\(track): is back")
    #expect(outcome.stepsBack == 0, "\(track): the position goes forward")
  }

  @Test(
    """
    LOC-6, LOC-8, LOC-17, LOC-25, LOC-32, R-018 to R-023: on a generated way the arrival is told once and in time, no \
    false one is, and jumps and losses are marked
    """,
    arguments: Walk.kinds.indices)
  func generated(kind: Int) throws {
    for seed in 1...10 as ClosedRange<UInt64> {
      let track = Walk.kinds[kind](seed)
      Self.expect(try Self.replay(track), of: track)
    }
  }

  @Test(
    "LOC-6, LOC-8, LOC-17, LOC-25, R-022: on a recorded way the arrival is told once and in time, and each loss",
    .enabled(if: RecordedTracks.folder != nil, "script/test fetches the tracks"))
  func recorded() throws {
    let tracks = try RecordedTracks.all()
    #expect(tracks.count == RecordedTracks.names.count)
    for track in tracks { Self.expect(try Self.replay(track), of: track) }
  }

  // MARK: the table

  private static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../docs/tracks.md").standardized

  private static func row(_ track: Track, _ outcome: Outcome) -> String {
    let jumps = track.visibleJumps
    let cells = [
      track.name, "\(track.fixCount)", "\(Int((track.duration / 60).rounded()))",
      delay(outcome, of: track).map { "\(Int($0.rounded(.up)))" } ?? "–", "\(outcome.arrivals.count)",
      isFalse(outcome, of: track) ? "1" : "0", "\(outcome.suspects.count { jumps.contains($0) }) of \(jumps.count)",
      "\(outcome.suspects.count { !jumps.contains($0) })", "\(outcome.stepsBack)",
      outcome.losses.isEmpty ? "–" : "\(Set(outcome.losses).sorted().joined(separator: "/")): \(outcome.losses.count)",
      "\(outcome.returnCount)",
    ]
    return "| \(cells.joined(separator: " | ")) |"
  }

  @Test("LOC-17: docs/tracks.md has what the tracks give now; script/tracks writes it")
  func table() throws {
    // Each on a way of its own.
    let tracks = try RecordedTracks.all() + Walk.kinds.enumerated().map { $1(UInt64($0 + 1)) }
    let rows = try tracks.map { Self.row($0, try Self.replay($0)) }
    var lines = try String(contentsOf: Self.page, encoding: .utf8).components(separatedBy: "\n")
    let rule = try #require(lines.firstIndex { $0.hasPrefix("| track |") }) + 1
    let end = try #require(lines[rule...].firstIndex { !$0.hasPrefix("|") })
    if ProcessInfo.processInfo.environment["HEARTH_WRITE_TRACKS"] != nil {
      lines.replaceSubrange(rule + 1..<end, with: rows)
      try lines.joined(separator: "\n").write(to: Self.page, atomically: true, encoding: .utf8)
    } else {
      // Without the recorded tracks the generated ones are compared.
      #expect(Array(lines[rule + 1..<end].suffix(rows.count)) == rows)
      #expect(end - rule - 1 == RecordedTracks.names.count + Walk.kinds.count)
    }
  }
}
