import Foundation
import JSON
import TestSupport
import Testing

@testable import loadtest

/// Runs against the server of the `openssl` command, which shares no code with ours.
@Suite("Load test: TLS")
struct TLSClientTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "hearth-loadtest-tls-\(UUID())")
  private var certificate: String { folder.appending(path: "certificate.pem").path }
  private var key: String { folder.appending(path: "key.pem").path }

  private func makeCertificate() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let (_, end) = try ChildProcess.run([
      "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
      "2",
      "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
    ])
    #expect(end == .exited(0))
  }

  /// Sends a line over TLS to a server that answers it reversed, `piece` bytes of the network at a time.
  private func reverse(_ line: String, port: UInt16, _ context: TLSContext, piece: Int) throws -> String {
    let descriptor = try System.connect(to: "127.0.0.1", port: port)
    defer { System.close(descriptor) }
    let poller = try Poller()
    try poller.add(descriptor, token: 0, interest: Poller.readable | Poller.writable)
    let tls = try TLSClient(context)
    var buffer = [UInt8](repeating: 0, count: piece)
    var plain = [UInt8](repeating: 0, count: 64)
    var output: [UInt8] = []
    var answer = ""
    var isSent = false
    var failure: (any Error)?
    let deadline = System.nanoseconds + 20_000_000_000
    while !answer.hasSuffix("\n"), failure == nil {
      guard System.nanoseconds < deadline else { throw TLSError("no more data arrived after \(answer)") }
      if tls.isConnected, !isSent {
        isSent = true
        try tls.send(Array("\(line)\n".utf8).span)
      }
      tls.takeOutput(into: &output)
      if !output.isEmpty {
        let count = System.send(descriptor, output.span)
        if count > 0 { output.removeFirst(count) } else { try #require(System.isTemporary(count)) }
      }
      poller.wait(until: System.nanoseconds + 10_000_000) { _, _, _ in }
      let count = System.receive(descriptor, into: &buffer) { bytes, _ in
        do {
          try tls.receive(bytes.span, through: &plain) { text in
            answer += String(decoding: text.span.copied, as: UTF8.self)
          }
        } catch {
          failure = error
        }
      }
      if count == 0 { throw TLSError("the server closed the connection") }
    }
    if let failure { throw failure }
    return answer
  }

  @Test("the TLS client talks to another implementation's server and checks certificates on request")
  func conversation() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try makeCertificate()
    let server = try ChildProcess(
      ["/usr/bin/openssl", "s_server", "-accept", "0", "-cert", certificate, "-key", key, "-rev"], errors: .output)
    // Children inherit blocked signals from the thread that starts them, so a gentler signal would not arrive.
    defer { server.send(SIGKILL) }
    var text = ""
    while text.firstMatch(of: /ACCEPT \S*:(\d+)\s/) == nil {
      let data = server.output.availableData
      try #require(!data.isEmpty, "the server has ended: \(text)")
      text += String(decoding: data, as: UTF8.self)
    }
    let port = try #require(text.firstMatch(of: /ACCEPT \S*:(\d+)\s/).flatMap { UInt16($0.1) })
    let line = String(repeating: "load", count: 50)
    let backwards = String(line.reversed()) + "\n"

    let trusting = try TLSContext(authority: nil, address: "127.0.0.1")
    #expect(try reverse(line, port: port, trusting, piece: 4096) == backwards)
    #expect(try reverse(line, port: port, trusting, piece: 7) == backwards, "in pieces of 7 bytes")
    let checking = try TLSContext(authority: certificate, address: "127.0.0.1")
    #expect(try reverse(line, port: port, checking, piece: 4096) == backwards)
    let elsewhere = try TLSContext(authority: certificate, address: "127.0.0.2")
    #expect(throws: TLSError.self, "the certificate names another address") {
      try reverse(line, port: port, elsewhere, piece: 4096)
    }
  }

  @Test("a file without a certificate is rejected at once")
  func noCertificate() throws {
    #expect(throws: TLSError.self) { try TLSContext(authority: "/dev/null", address: "127.0.0.1") }
  }
}
