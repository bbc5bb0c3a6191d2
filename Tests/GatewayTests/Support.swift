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
