import ArgumentParser
import Foundation
import Gateways
import Glibc
package import Platform
import Server
import Transport

/// Runs the server until a signal or a failing store stops it.
struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Runs the server.", usage: "hearth serve [--SETTING VALUE ...]",
    discussion: """
      The server keeps everything in one folder. Ctrl-C (SIGINT) or SIGTERM stops
      it: accepted changes are on disk, clients are told when to reconnect, and the
      next start finds everything. A second signal ends it at once and loses nothing
      either. SIGHUP reloads the certificate; connections stay open.

      Each setting is a flag, an environment variable and a key of the JSON file
      that --config names. A flag overrides a variable, a variable the file. In the
      file, numbers, true and false are bare, lists are in brackets, everything else
      is in quotes. If any setting is wrong, nothing starts.

      \(Setting.helpText)
      """)

  /// Read by `SettingReader`, from one list for flags, variables and the file.
  @Argument(parsing: .allUnrecognized, help: .hidden)
  var arguments: [String] = []

  func run() async throws { try await runServer(arguments) }

  fileprivate static func serve(
    _ chosen: ServeOptions, _ wrap: @escaping @Sendable (any RoomStore) -> any RoomStore
  ) async throws {
    Descriptors.raiseLimit()
    let server = try chosen.tls.server()
    let folder = URL(filePath: chosen.data)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let output = LogOutput(chosen.logFormat)
    defer { output.flush() }
    let log = output.logger(from: chosen.logLevel)
    var options = chosen.node
    options.path = folder.appending(path: "hearth.db").path
    options.address = chosen.listenerAddress
    options.tls = server
    options.log = log
    options.web = chosen.page
    let loginLinks = LoginLinks()
    if chosen.sample { options.loginLinks = loginLinks }
    options.configuration.names.formUnion(chosen.names)
    options.configuration.openIDSecrets = try chosen.readOpenIDSecrets()
    options.mail = try chosen.mail.gateway(log)
    options.https = HTTPSFetcher(version: Hearth.version, workers: WorkerQueues(name: "hearth.fetch", count: 1))
    let (stopping, stop) = AsyncStream<Stop>.makeStream()
    options.storeFailed = { stop.yield(.storeFailed($0)) }
    options.wrap = wrap
    options.adminPath = AdminSocket(folder: chosen.data).path
    options.stopRequested = { stop.yield(.drained) }
    FreedMemory.share(arenas: options.loopCount)
    FreedMemory.overwrite()
    let node: Node
    do {
      node = try await Node.start(options)
    } catch let error as SystemError where error.call == "bind" && error.isInUse {
      throw ValidationError("Port \(options.port) is in use: stop the other program, or choose another with --port.")
    } catch let error as SystemError where error.call == "bind" {
      throw ValidationError("Cannot listen on \(chosen.address ?? "127.0.0.1"), port \(options.port) (\(error)).")
    }
    let signalCount = Locked(0)
    let signals = try ProcessSignals([.interrupt, .terminate], poster: SpotPoster()) { _ in
      let count = signalCount.withLock { count in
        count += 1
        return count
      }
      // A second signal means: do not wait. Everything answered is on disk, as after a crash.
      if count > 1 { _exit(130) }
      stop.yield(.signal)
    }
    defer { signals.cancel() }
    let reloading = try server?.reloadOnHangUp(log)
    defer { reloading?.cancel() }
    let keeping = MemoryKeeper.keep()
    defer { keeping.cancel() }
    let host = chosen.address.map { $0.contains(":") ? "[\($0)]" : $0 } ?? "127.0.0.1"
    say("Hearth listens on \(server == nil ? "ws" : "wss")://\(host):\(node.port)/sync")
    if !chosen.servesNoPage { say("The page is at \(server == nil ? "http" : "https")://\(host):\(node.port)/") }
    var walk: Task<Void, Never>?
    if chosen.sample {
      let sample = try await Sample.prepare(in: folder, port: node.port)
      let (share, task) = try await SampleWalk(sample: sample, port: node.port).start()
      walk = task
      let links = chosen.servesNoPage ? nil : sample.loginLinks(loginLinks, port: node.port)
      say(sample.introduction(port: node.port, share: share, links: links))
    }
    let reason = await stopping.first { _ in true }
    if case .storeFailed(let why) = reason {
      log(.error, "store.failed", ["why": "\(why)"])
      if chosen.logFormat == .text {
        complain(
          "The server cannot write to its database and stops. Everything it has answered is on disk. Check the disk "
            + "before you start it again.")
      }
    } else {
      say("\nStopping.")
    }
    walk?.cancel()
    await node.stop()
    if case .storeFailed = reason { throw ExitCode.failure }
  }

  private enum Stop {
    case signal, drained
    case storeFailed(String)
  }
}

/// Runs the server as `arguments`, the environment and a file of settings say. `wrap` puts something between the server
/// and its store.
package func runServer(
  _ arguments: [String], wrap: @escaping @Sendable (any RoomStore) -> any RoomStore = { $0 }
) async throws {
  let chosen: ChosenSettings
  do throws(SettingProblems) {
    chosen = try SettingReader.read(arguments: arguments, environment: ProcessInfo.processInfo.environment) {
      try Array(Data(contentsOf: URL(filePath: $0)))
    }
  } catch {
    throw ValidationError(error.description)
  }
  if chosen.options.printConfig { return say(chosen.report()) }
  if let problem = ZoneData.problem(in: ProcessInfo.processInfo.environment) { throw ValidationError(problem) }
  try await Serve.serve(chosen.options, wrap)
}
