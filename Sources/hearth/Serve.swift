import ArgumentParser
import Foundation
import Platform
import Server
import Transport

/// Runs the server until it is told to stop.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs the server.",
    discussion: """
      Everything is kept in one folder. Ctrl-C (SIGINT) or SIGTERM stops it: clients are told when to come back, what \
      was accepted is on disk, and the next start finds it.
      """)

  @Option(help: "The folder of the database; made if there is none.")
  var data = "data"

  @Option(help: "The port to listen on; 0 takes a free one.")
  var port: UInt16 = 7400

  @Option(help: "Event loops, each with a thread of its own while it works. [default: one for each processor]")
  var loops: Int?

  @Option(
    name: .customLong("allow-origin"),
    help: "A web page's origin that may connect, such as https://home.example. May be given several times.")
  var allowedOrigins: [String] = []

  @Flag(help: "Makes a sample household on the first start, and lets somebody in it take a walk.")
  var sample = false

  @Option(help: .hidden)
  var crashAt: CrashPoint?

  func validate() throws {
    if let loops, !(1...256).contains(loops) { throw ValidationError("--loops is a number from 1 to 256.") }
  }

  func run() async throws {
    let folder = URL(filePath: data)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    var options = Node.Options(path: folder.appending(path: "hearth.db").path, port: port)
    if let loops { options.loopCount = loops }
    options.configuration.allowedOrigins = Set(allowedOrigins)
    options.log = { complain($0) }
    let (stopping, stop) = AsyncStream<Stop>.makeStream()
    options.storeFailed = { stop.yield(.storeFailed($0)) }
    if let crashAt { options.wrap = { CrashingStore($0, at: crashAt) } }
    let node: Node
    do {
      node = try await Node.start(options)
    } catch let error as SystemError where error.call == "bind" {
      throw ValidationError("Port \(port) is taken: stop what listens there, or choose another with --port.")
    }
    let signals = try ProcessSignals([.interrupt, .terminate], poster: SpotPoster()) { _ in stop.yield(.signal) }
    defer { signals.cancel() }
    say("Hearth listens on ws://127.0.0.1:\(node.port)/sync")
    var walk: Task<Void, Never>?
    if sample {
      let sample = try await Sample.prepare(in: folder, port: node.port)
      let (share, task) = try await Walker(sample: sample, port: node.port).start()
      walk = task
      say(sample.introduction(port: node.port, share: share))
    }
    let reason = await stopping.first { _ in true }
    if case .storeFailed(let what) = reason {
      complain(
        "The database cannot be written (\(what)), so the server stops. Everything it has answered is on disk; look "
          + "at the disk before you start it again.")
    } else {
      say("\nStopping.")
    }
    walk?.cancel()
    await node.stop()
    if case .storeFailed = reason { throw ExitCode.failure }
  }

  private enum Stop {
    case signal
    case storeFailed(String)
  }
}
