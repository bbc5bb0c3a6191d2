import HearthClient
import JSON
import Rooms

/// The walk of Dan, the fourth person of the sample: the others receive the position.
struct SampleWalk {
  let sample: Sample
  let port: UInt16

  /// A round through the government quarter of Berlin, drawn for this sample. It takes half an hour.
  static let track = """
    <?xml version="1.0" encoding="UTF-8"?>
    <gpx version="1.1" creator="Hearth" xmlns="http://www.topografix.com/GPX/1/1">
      <trk><name>Dan's way home</name><trkseg>
        <trkpt lat="52.51627" lon="13.37770"/>
        <trkpt lat="52.51640" lon="13.37590"/>
        <trkpt lat="52.51790" lon="13.37570"/>
        <trkpt lat="52.51870" lon="13.37480"/>
        <trkpt lat="52.51930" lon="13.37420"/>
        <trkpt lat="52.52010" lon="13.37300"/>
        <trkpt lat="52.52080" lon="13.37080"/>
        <trkpt lat="52.52210" lon="13.36960"/>
        <trkpt lat="52.52370" lon="13.36950"/>
        <trkpt lat="52.52420" lon="13.37250"/>
        <trkpt lat="52.52330" lon="13.37600"/>
        <trkpt lat="52.52220" lon="13.37980"/>
        <trkpt lat="52.52010" lon="13.38010"/>
        <trkpt lat="52.51810" lon="13.37990"/>
        <trkpt lat="52.51700" lon="13.37970"/>
      </trkseg></trk>
    </gpx>
    """

  /// Starts a share if none is running, returns its room, and reports until the connection ends.
  func start() async throws -> (share: String, walk: Task<Void, Never>) {
    let client = try await Sample.connect(port: port)
    _ = try await client.hello(token: sample.people[3].token)
    _ = try await client.subscribe("me")
    let share = try await share(client)
    // A share left by an earlier start may have been reported by another login.
    _ = try await client.call("shares.takeOver")
    let route = Route(try GPXTrack(Array(Self.track.utf8)), isRepeated: true)
    let phone = WalkingPhone(route, from: MachineClock.now, accuracy: 8, battery: 90)
    let send: Walker.Send = { (report) throws(ClientError) in try await client.call("positions.report", report) }
    let walk = Task {
      var walker = Walker(phone)
      while !Task.isCancelled {
        _ = try? await self.share(client)
        let round = await walker.walk(now: { MachineClock.now }, send: send)
        switch round.next {
        case .report(let delay): try? await Task.sleep(for: delay)
        // The next round starts another share.
        case .unwanted: try? await Task.sleep(for: Walker.usualInterval)
        case .arrived, .failed: return
        }
      }
    }
    Task {
      _ = await client.ended()
      walk.cancel()
    }
    return (share, walk)
  }

  /// The running share, or a new one if it has ended.
  private func share(_ client: ServerConnection) async throws -> String {
    let own = await client.state(of: "me")?.state["shares"]?.object?.first { $0.value["role"] == "sharer" }
    if let own { return "share/\(own.key)" }
    let until = MachineClock.now + .seconds(12 * 3600)
    let receivers = sample.people.dropLast().map { JSON.string($0.id) }
    let answer = try await client.call(
      "shares.start",
      ["receivers": .array(receivers), "until": .string(until.description), "note": "Walking home"])
    return "share/\(answer["id"]?.string ?? "")"
  }
}
