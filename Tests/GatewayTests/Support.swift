import Foundation
import JSON
import Platform
import Rooms
import TestSupport
import Testing
import Transport

@testable import Gateways

/// Runs what is posted at once, on the thread that posts.
final class Spot: Poster {
  func post(_ work: @escaping @Sendable () -> Void) { work() }
}

/// A Python program beside the test that prints lines of JSON, the first with its port.
final class Peer {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
  static let interpreter = ProcessInfo.processInfo.environment["HEARTH_PYTHON"] ?? "python3"

  private let process: ChildProcess
  private var output: AsyncStream<String>.Iterator
  private var text = ""
  private(set) var first: JSON = .null
  var port: Int { first["port"]?.int ?? 0 }

  init(_ script: String, _ arguments: [String] = []) async throws {
    process = try ChildProcess(
      ["/usr/bin/env", Self.interpreter, Self.folder.appending(path: script).path] + arguments, errors: .output)
    let (pieces, piece) = AsyncStream<String>.makeStream()
    output = pieces.makeAsyncIterator()
    // A peer whose pipe is full would answer nothing.
    ChildProcess.aside { [output = process.output] in
      while case let data = output.availableData, !data.isEmpty { piece.yield(String(decoding: data, as: UTF8.self)) }
      piece.finish()
    }
    guard let first = try await next() else { throw Unexpected("\(script) has ended") }
    self.first = first
  }

  static func mail(_ arguments: String...) async throws -> Peer { try await Peer("smtp_peer.py", arguments) }

  /// The next line; `nil` at the end.
  func next() async throws -> JSON? {
    while !text.contains("\n") {
      guard let piece = await output.next() else { return nil }
      text += piece
    }
    let line = text.prefix { $0 != "\n" }
    text.removeFirst(line.count + 1)
    do { return try JSON.parse(Array(line.utf8)) } catch {
      // Most likely a package is missing: `script/test` installs them.
      while let piece = await output.next() { text += piece }
      throw Unexpected("the peer printed:\n\(line)\n\(text)")
    }
  }

  /// Ends it; returns what it has printed and nobody has read.
  func end() async throws -> [JSON] {
    process.send(SIGINT)
    var rest: [JSON] = []
    while let line = try await next() { rest.append(line) }
    return rest
  }
}

extension SMTPOptions {
  /// A mail server of the tests.
  static func peer(
    _ port: Int, _ encryption: Encryption = .none, trusting certificate: Certificate? = nil, password: String? = nil
  ) -> SMTPOptions {
    var options = SMTPOptions(host: "localhost", port: port, encryption: encryption, from: "home@hearth.example")
    options.authorities = certificate?.file.path
    options.logIn = password.map { SMTPOptions.LogIn(user: "hearth", password: $0) }
    return options
  }
}

extension SMTPGateway {
  static let date = Instant(milliseconds: 1_795_763_486_000)

  static func make(_ options: SMTPOptions, log: Logger = .none) throws -> SMTPGateway {
    ProcessSignals.ignoreBrokenPipes()
    return try SMTPGateway(options, workers: WorkerQueues(name: "test.mail"), log: log) { date }
  }

  func send(_ mail: Mail) async -> MailOutcome {
    await withCheckedContinuation { continuation in
      send(mail, reply: Reply(on: Spot()) { continuation.resume(returning: $0) })
    }
  }
}

extension Mail {
  static let plain = Mail(
    id: "1", to: "bo@x.example", subject: "Your code", text: "The code is 123456.\n",
    html: "<p>The code is 123456.</p>\n")
}

/// A folder with a certificate, which goes away with the value.
final class Certified {
  let certificate: Certificate

  init() async throws {
    certificate = try await Certificate(
      in: FileManager.default.temporaryDirectory.appending(path: "hearth-gateway-\(UUID())"))
  }

  deinit { try? FileManager.default.removeItem(at: certificate.folder) }

  /// The options with which a peer uses it.
  var arguments: [String] { ["--certificate", certificate.file.path, "--key", certificate.key.path] }
}
