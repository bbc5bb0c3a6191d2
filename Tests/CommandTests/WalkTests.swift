import HearthClient
import JSON
import Rooms
import Testing

@testable import HearthCommand

/// A track of places on the equator, with or without times in seconds.
private func track(_ points: (lon: Double, second: Int?)...) throws -> GPXTrack {
  let start = Instant("2026-05-01T09:00:00Z") ?? Instant()
  let lines = points.map { lon, second in
    let time = second.map { "<time>\(start + .seconds($0))</time>" } ?? ""
    return "<trkpt lat='0' lon='\(lon)'>\(time)</trkpt>"
  }
  return try GPXTrack(Array("<gpx>\(lines.joined())</gpx>".utf8))
}

/// Metres in a thousandth of a degree of the equator.
private let step = 111.195

@Suite("Walking along a track")
struct RouteTests {
  @Test("a timed track is walked at its own pace, or so many times as fast")
  func timed() throws {
    let walk = try track((0, 0), (0.001, 10), (0.003, 30))
    for speed in [1.0, 4] {
      let route = Route(walk, speed: speed)
      #expect(route.duration == .seconds(30) / speed && abs(route.length - 3 * step) < 0.1)
      let places = [0, 5, 10, 20, 30, 99].map { route.stop(after: .seconds($0) / speed).place.text }
      #expect(
        places
          == ["0.00000,0.00000", "0.00000,0.00050", "0.00000,0.00100", "0.00000,0.00200", "0.00000,0.00300", places[4]])
      #expect(abs(route.stop(after: .seconds(20) / speed).walked - 2 * step) < 0.1)
      #expect(route.point(from: .seconds(11) / speed)?.after == .seconds(30) / speed)
      #expect(route.point(from: .seconds(31) / speed) == nil)
      #expect(!route.isOver(after: .seconds(29) / speed) && route.isOver(after: .seconds(30) / speed))
    }
  }

  @Test("a track without times is walked at 1.4 m/s, with a point at least every five seconds")
  func untimed() throws {
    let route = Route(try track((0, nil), (0.001, nil)))
    #expect(abs(route.duration / .seconds(1) - step / 1.4) < 0.01)
    var points: [Route.Stop] = []
    while let next = route.point(from: points.last.map { $0.after + .milliseconds(1) } ?? .zero) { points.append(next) }
    #expect(points.count == 17)
    #expect(zip(points, points.dropFirst()).allSatisfy { $0.1.after - $0.0.after <= .seconds(5) })
    let middle = route.stop(after: route.duration / 2)
    #expect(abs(middle.place.lon - 0.0005) < 1e-6 && abs(middle.walked - step / 2) < 0.1)
  }

  @Test("a repeated walk turns at both ends, and never jumps")
  func repeated() throws {
    let route = Route(try track((0, 0), (0.001, 10), (0.003, 30)), isRepeated: true)
    #expect(!route.isOver(after: .seconds(1000)))
    let lons = [0, 30, 40, 50, 60, 65, 95].map { (route.stop(after: .seconds($0)).place.lon * 1e4).rounded() }
    #expect(lons == [0, 30, 20, 10, 0, 5, 25])
    #expect(abs(route.stop(after: .seconds(65)).walked - 6.5 * step) < 0.2)
    let ahead = [0, 1, 11, 31, 51, 61].map { route.point(from: .seconds($0))?.after }
    #expect(ahead == [0, 10, 30, 50, 60, 70].map { .seconds($0) })
    // Also one that takes no time.
    let still = Route(try track((0, 0)), isRepeated: true)
    #expect(still.point(from: .milliseconds(1500))?.after == .seconds(2))
    #expect(still.stop(after: .seconds(7)).place.text == "0.00000,0.00000")
  }

  @Test("the sample's walk is a track that takes half an hour")
  func sample() throws {
    let route = Route(try GPXTrack(Array(SampleWalk.track.utf8)), isRepeated: true)
    #expect(Duration.seconds(25 * 60)...Duration.seconds(35 * 60) ~= route.duration)
    #expect(route.stop(after: .zero).place.text == "52.51627,13.37770")
  }
}

@Suite("The phone of a walker")
struct WalkerTests {
  static let start = Instant("2026-11-01T10:00:00Z") ?? Instant()

  /// A server of one sharer, and its clock.
  final class Server {
    var now = WalkerTests.start
    var answers: [Result<JSON, ClientError>] = []
    var reports: [JSON] = []

    func take(_ report: JSON) throws(ClientError) -> JSON {
      reports.append(report)
      return try (answers.isEmpty ? .success(["shares": 2, "intervalSeconds": 30]) : answers.removeFirst()).get()
    }

    /// The seconds of the fixes of a report.
    func seconds(_ report: Int) -> [Int64] {
      (reports[report]["fixes"]?.array ?? []).map { fix in
        ((Instant(fix["fixTime"]?.string ?? "") ?? Instant()) - WalkerTests.start).milliseconds / 1000
      }
    }
  }

  static func walker(seconds: Int, interval: Duration? = nil) throws -> Walker {
    let points = (0...seconds).map {
      "<trkpt lat='0' lon='\(Double($0) / 1e5)'><time>\(start + .seconds($0))</time></trkpt>"
    }
    let track = try GPXTrack(Array("<gpx>\(points.joined())</gpx>".utf8))
    return Walker(WalkingPhone(Route(track), from: start, accuracy: 10, battery: 80), interval: interval)
  }

  static func round(_ walker: inout Walker, _ server: Server, at second: Int) async -> Walker.Round {
    server.now = start + .seconds(second)
    return await walker.walk(now: { server.now }, send: { (report) throws(ClientError) in try server.take(report) })
  }

  @Test("LOC-32: a report has all fixes since the last one, in order, and the server says when the next is due")
  func reports() async throws {
    let server = Server()
    var walker = try Self.walker(seconds: 40)
    let first = await Self.round(&walker, server, at: 0)
    #expect(first.next == .report(after: .seconds(30)) && first.problems.isEmpty)
    #expect(
      first.lines == ["2026-11-01T10:00:00.000Z  0.00000, 0.00000  walked 0 m  1 fix  2 shares  interval 30s"])
    server.answers = [.success(["shares": 1, "intervalSeconds": 10])]
    let second = await Self.round(&walker, server, at: 30)
    #expect(server.seconds(1) == Array(1...30) && second.next == .report(after: .seconds(10)))
    let fix: JSON = [
      "lat": 0, "lon": 0.0003, "accuracy": 10, "fixTime": "2026-11-01T10:00:30.000Z", "battery": 80,
    ]
    #expect(server.reports[1]["fixes"]?.array?.last == fix)
    #expect(server.reports[1]["sentAt"] == "2026-11-01T10:00:30.000Z")
    #expect(second.lines[0].hasSuffix("walked 33 m  30 fixes  1 share  interval 10s"))
    #expect(await Self.round(&walker, server, at: 99).next == .arrived)
    #expect(server.seconds(2) == Array(31...40))
  }

  @Test("LOC-32: fixes that could not be sent go later, in order, at most sixty in a report")
  func offline() async throws {
    let server = Server()
    var walker = try Self.walker(seconds: 1000, interval: .seconds(20))
    _ = await Self.round(&walker, server, at: 0)
    for (second, error) in [(20, ClientError.lost), (40, .offline), (100, .silent)] {
      server.answers = [.failure(error)]
      let round = await Self.round(&walker, server, at: second)
      #expect(round.problems == ["\(error) \(second) fixes are kept for later."])
      #expect(round.lines.isEmpty && round.next == .report(after: .seconds(20)))
    }
    server.reports = []
    let round = await Self.round(&walker, server, at: 130)
    #expect(round.lines.count == 3 && server.reports.count == 3)
    #expect((0..<3).map { server.seconds($0) } == [Array(1...60), Array(61...120), Array(121...130)])
    // The answer to one report is lost: its fixes go again, those before it do not.
    server.reports = []
    server.answers = [.success(["shares": 1]), .failure(.lost)]
    #expect(await Self.round(&walker, server, at: 230).problems == ["\(ClientError.lost) 40 fixes are kept for later."])
    _ = await Self.round(&walker, server, at: 231)
    #expect(server.seconds(2) == Array(191...231))
  }

  @Test("of fixes that wait for more than an hour the newest stay")
  func forgotten() async throws {
    let server = Server()
    var walker = try Self.walker(seconds: 9000)
    server.answers = [.failure(.offline), .failure(.offline)]
    _ = await Self.round(&walker, server, at: 3000)
    let round = await Self.round(&walker, server, at: 4000)
    #expect(round.problems[0].hasSuffix("3600 fixes are kept for later. The 401 oldest are lost."))
    server.reports = []
    _ = await Self.round(&walker, server, at: 4000)
    #expect(server.seconds(0).first == 401 && server.seconds(59).last == 4000 && server.reports.count == 60)
  }

  @Test("fixes that the server refuses are named, and not sent again")
  func refused() async throws {
    let server = Server()
    var walker = try Self.walker(seconds: 1000)
    server.answers = [
      .success(["shares": 1, "refused": [["index": 2, "reason": "lat must be -90 to 90"], ["index": 99], [:]]])
    ]
    let some = await Self.round(&walker, server, at: 3)
    #expect(some.problems == ["The server refused the fix of 2026-11-01T10:00:02.000Z: lat must be -90 to 90."])
    let error = ServerError(code: -32602, message: "Bad.", data: ["fields": ["fixes.0.lat": "is bad"]])
    server.answers = [.failure(.server(error))]
    let all = await Self.round(&walker, server, at: 5)
    #expect(all.problems == ["The server refused a report of 2 fixes: fixes.0.lat is bad."])
    #expect(all.next == .report(after: .seconds(30)) && walker.phone.unsent.isEmpty)
  }

  @Test("a busy server is asked again when it says; other refusals, and the end of all shares, end the walk")
  func ends() async throws {
    let server = Server()
    var walker = try Self.walker(seconds: 1000)
    let busy = ServerError(code: 6, message: "Wait.", data: ["temporary": true, "retryAfter": 7000])
    server.answers = [.failure(.server(busy))]
    let waiting = await Self.round(&walker, server, at: 0)
    #expect(waiting.next == .report(after: .seconds(7)) && waiting.problems == ["Wait. 1 fix is kept for later."])
    let other = ServerError(code: 4, message: "Another.", reason: "otherDevice")
    server.answers = [.failure(.server(other))]
    #expect(await Self.round(&walker, server, at: 1).next == .failed(.server(other)))
    server.answers = [.success(["shares": 0, "intervalSeconds": 30])]
    #expect(await Self.round(&walker, server, at: 2).next == .unwanted)
  }

  @Test(
    "an interval that makes no sense is not believed",
    arguments: [(0, 1), (-5, 1), (100_000, 3600), (nil, 30)] as [(Int?, Int)])
  func interval(said: Int?, taken: Int) async throws {
    let server = Server()
    var walker = try Self.walker(seconds: 10)
    server.answers = [
      .success(.object(["shares": 1, "intervalSeconds": said.map { .number(JSON.Number($0)) } ?? .null]))
    ]
    #expect(await Self.round(&walker, server, at: 0).next == .report(after: .seconds(taken)))
  }

  @Test("the battery sinks by one per cent in five minutes, and never runs out")
  func battery() throws {
    var phone = WalkingPhone(Route(try track((0, 0), (1, 90_000))), from: Self.start, accuracy: 1, battery: 80)
    for (second, battery) in [(299, 80), (300, 79), (90_000, 1)] {
      phone.look(at: Self.start + .seconds(second))
      #expect(phone.last?.battery == battery)
    }
  }
}

@Suite("People to share with")
struct PeopleTests {
  static let ids = (0..<4).map { "a7000000-0000-4000-8000-00000000000\($0)" }
  static let people = People(
    me: ["contacts": .object([ids[1]: ["name": "Bo"]])],
    households: [
      ["members": .object([ids[0]: ["name": "Ana"], ids[1]: ["name": "Bo"], ids[2]: ["name": "Cléo"]])],
      ["members": .object([ids[3]: ["name": "Cléo"]])],
    ], except: ID<Person>(ids[0]))

  @Test("names of mates and contacts, and ids, stand for people")
  func known() throws {
    #expect(try Self.people.ids(in: " bo ,\(Self.ids[2]),") == [Self.ids[1], Self.ids[2]])
  }

  @Test(
    "a name of nobody, of oneself or of several people is refused with what to write instead",
    arguments: [
      ("Dan", "Nobody whom you may share with is called Dan. You know Bo, Cléo, Cléo."),
      ("Ana", "Nobody whom you may share with is called Ana. You know Bo, Cléo, Cléo."),
      ("cléo", "2 people are called cléo. Give an id: \(ids[2]), \(ids[3])."), (" , ", "--with names nobody."),
    ])
  func unknown(list: String, message: String) {
    #expect(throws: People.Failure(description: message)) { try Self.people.ids(in: list) }
  }
}
