import ArgumentParser
import Foundation
import HearthClient
import JSON
import Rooms
import Transport

/// Shares a position that moves along a track.
struct Walk: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Reports the way in a GPX file as your position, as a phone would.",
    discussion: """
      hearth walk evening.gpx --with Bo --for 1h      shares it with Bo, then walks
      hearth walk evening.gpx                         walks for the shares that you have started

      The walk starts now, and goes at the pace of the file's times, or at 5 km/h if it has none. All your running \
      shares take it. Fixes that cannot be sent are kept, and sent when the connection is back. Ends with the track, \
      with the last of your shares, or with Ctrl-C; the shares go on until their own end.
      """)

  @Argument(help: "A GPX file of 16 MiB at most, with a track or a route.", completion: .file(extensions: ["gpx"]))
  var file: String

  @Option(help: "How many times as fast as the file says, 0.01 to 1000.")
  var speed = 1.0

  @Option(help: "Seconds between reports, 1 to 3600. [default: as the server asks, usually 30]")
  var interval: Int?

  @Option(help: "The accuracy to report, in metres, 0 to 50000.")
  var accuracy = 10.0

  @Flag(help: "Turn at the end of the track and walk back, again and again.")
  var loop = false

  @Option(
    help: "Start a share with these people first: names of mates and contacts, or ids, with commas between them.")
  var with: String?

  @Option(name: .customLong("for"), help: "How long that share runs, from 15m to 24h. [default: 1h]")
  var time: String?

  @Flag(help: "That share runs until the walk is over, but for 15 minutes at least.")
  var untilEnd = false

  @OptionGroup var server: ServerOptions

  /// The durations of a share (protocol.md, Sharing a position).
  private static let shareDurations = Duration.seconds(15 * 60)...Duration.seconds(24 * 3600)
  /// The time that the call which starts a share may take.
  private static let margin = Duration.seconds(10)

  func validate() throws {
    guard 0.01...1000 ~= speed else { throw ValidationError("--speed must be 0.01 to 1000.") }
    guard 1...3600 ~= interval ?? 1 else { throw ValidationError("--interval must be 1 to 3600 seconds.") }
    guard 0...50_000 ~= accuracy else { throw ValidationError("--accuracy must be 0 to 50000 metres.") }
    guard time == nil || !untilEnd else { throw ValidationError("--for and --until-end exclude each other.") }
    guard with != nil || time == nil && !untilEnd else {
      throw ValidationError("--for and --until-end need --with, which starts a share.")
    }
    guard !loop || !untilEnd else { throw ValidationError("A walk with --loop has no end: use --for.") }
    if let time, Duration(short: time).map({ Self.shareDurations.contains($0) }) != true {
      throw ValidationError("--for must be a time from 15m to 24h, not '\(time)'.")
    }
    guard try server.effectiveToken == nil else { return }
    throw notLoggedIn(at: try server.address())
  }

  func run() async throws {
    guard let token = try server.effectiveToken else { throw ExitCode.validationFailure }
    let track: GPXTrack
    do throws(GPXTrack.Failure) { track = try GPXTrack(file: file) } catch {
      complain(printable(error.description))
      throw ExitCode.failure
    }
    let route = Route(track, speed: speed, isRepeated: loop)
    try await prepareShare(for: route, token: token)

    let (client, _) = try await server.stayConnected(token: token)
    let signals = try ProcessSignals([.interrupt, .terminate], poster: SpotPoster()) { _ in
      Task { await client.close() }
    }
    defer { signals.cancel() }
    let phone = WalkingPhone(route, from: MachineClock.now, accuracy: accuracy)
    let end = await Self.go(Walker(phone, interval: interval.map { .seconds($0) }), client)
    await client.close()
    switch end {
    case .none: break  // Ctrl-C.
    case .report: break
    case .arrived: say("The walk is over, after \(Lengths.text(route.length)).")
    case .unwanted: say("No share takes your position any longer: the walk ends.")
    case .failed(let error):
      let exit = failure(error)
      if case .server(let refusal) = error, refusal.reason == "otherDevice" {
        complain("`hearth call shares.takeOver` makes this login the one that reports.")
      }
      throw exit
    }
  }

  /// Reports until the walk has ended; `nil` if the client was closed before.
  private static func go(_ walker: Walker, _ client: HearthClient) async -> Walker.Next? {
    let events = client.events()
    let (wakes, wake) = AsyncStream.makeStream(of: Wake.self, bufferingPolicy: .bufferingNewest(8))
    // Fixes that were kept are sent as soon as there is a connection again.
    let listening = Task {
      for await event in events {
        switch event {
        case .connected: wake.yield(.due)
        case .disconnected(let error, let delay): complain(printable("\(error) \(nextTry(in: delay))"))
        case .stopped(let error, _): wake.yield(.over(error))
        case .answered, .refused, .delayed, .storageFailed: break
        }
      }
      wake.finish()
    }
    defer { listening.cancel() }
    let send: Walker.Send = { (report) throws(ClientError) in try await client.call("positions.report", report) }
    var walker = walker
    wake.yield(.due)
    var timer: Task<Void, Never>?
    defer { timer?.cancel() }
    for await event in wakes {
      if case .over(let error) = event { return .failed(error) }
      timer?.cancel()
      let round = await walker.walk(now: { MachineClock.now }, send: send)
      for line in round.lines { say(line) }
      for problem in round.problems { complain(printable(problem)) }
      switch round.next {
      case .failed(.closed): return nil
      case .report(let delay):
        timer = Task {
          guard (try? await Task.sleep(for: delay)) != nil else { return }
          wake.yield(.due)
        }
      case .arrived, .unwanted, .failed: return round.next
      }
    }
    return nil
  }

  /// The reasons to stop waiting.
  private enum Wake {
    case due
    case over(ClientError)
  }

  /// Makes sure that somebody receives the walk.
  private func prepareShare(for route: Route, token: String) async throws {
    let (connection, greeting) = try await server.connect(token: token)
    do {
      let me = try await connection.call("room.subscribe", room: "me")["state"] ?? [:]
      if let with {
        let people = try await People.known(to: connection, me: me, except: greeting.me)
        let parameters: JSON = [
          "receivers": .array(try people.ids(in: with).map(JSON.string)),
          "until": .string("\(greeting.now + shareDuration(route))"),
        ]
        let answer = try await connection.call("shares.start", parameters)
        say(printable("You share your position: share/\(answer["id"]?.string ?? "")"))
      } else if !(me["shares"]?.object ?? [:]).contains(where: { $0.value["role"] == "sharer" }) {
        let until = greeting.now + .seconds(3600)
        server.mentionHiddenShares()
        complain("You share your position with nobody now. Start a share, and walk at once:")
        complain("  hearth walk \(printable(file)) --with NAME --for 1h")
        complain("or start one, and walk then:")
        complain("  hearth call shares.start '{\"receivers\": [\"PERSON\"], \"until\": \"\(until)\"}'")
        throw ExitCode.failure
      }
    } catch {
      await connection.close()
      switch error {
      case let error as ClientError: throw failure(error)
      case let error as People.Failure:
        complain(printable(error.description))
        throw ExitCode.failure
      default: throw error
      }
    }
    await connection.close()
  }

  /// How long a share that this command starts runs.
  private func shareDuration(_ route: Route) -> Duration {
    let wanted = untilEnd ? route.duration : time.flatMap { Duration(short: $0) } ?? .seconds(3600)
    let shortest = Self.shareDurations.lowerBound + Self.margin
    return min(max(wanted, shortest), Self.shareDurations.upperBound - Self.margin)
  }
}
