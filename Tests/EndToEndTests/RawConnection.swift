import Foundation
import JSON
import Platform
import TestSupport
import Transport
import WebSocket

/// A connection that sends arbitrary bytes at any time.
final class RawConnection: StreamHandler, @unchecked Sendable {
  // @unchecked: the stream is used only on the clients' loop, and received data is behind a lock.
  private struct Arrived {
    var bytes: [UInt8] = []
    var isClosed = false
  }

  private var stream: (any Platform.Stream)?
  private let arrived = Locked(Arrived())

  static func open(port: UInt16) async throws -> RawConnection {
    let connection = RawConnection()
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      ClientWire.loop.run { core in
        Connector(loop: core, workers: ClientWire.workers).connect(
          to: "127.0.0.1", port: port,
          opened: { stream in
            connection.stream = stream
            continuation.resume()
            return connection
          }, failed: { continuation.resume(throwing: $0) })
      }
    }
    return connection
  }

  /// Opens a connection and completes the opening handshake with permessage-deflate.
  static func upgraded(port: UInt16, adding lines: [String] = []) async throws -> RawConnection {
    let connection = try await open(port: port)
    let headers = ["Sec-WebSocket-Extensions: permessage-deflate"] + lines
    connection.send(Array(UpgradeTable.request(adding: headers).utf8))
    let end: [UInt8] = [13, 10, 13, 10]
    try await connection.waits { $0.starts(with: Array("HTTP/1.1 101".utf8)) && $0.firstRange(of: end) != nil }
    // A ping may follow the response at once.
    connection.arrived.withLock { arrived in
      if let head = arrived.bytes.firstRange(of: end) { arrived.bytes.removeSubrange(..<head.upperBound) }
    }
    return connection
  }

  func send(_ bytes: [UInt8]) { ClientWire.loop.run { [self] _ in stream?.send(bytes.span) } }

  /// Says hello and waits for the answer. A ping may come before it.
  func hello(token: String) async throws {
    send(Frame.text(call(1, "hello", ["token": .string(token), "client": .string(newID())]).text, mask: 3))
    try await waits(Self.hasText)
    arrived.withLock { $0.bytes = [] }
  }

  /// Whether a text frame begins in what the server has sent.
  private static func hasText(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while let (header, size) = try? FrameHeader.parse(Array(rest).span, as: .client, payloadLimit: .max) {
      if header.opcode == .text { return true }
      rest = rest.dropFirst(size + header.payloadLength)
    }
    return false
  }

  /// Pauses or resumes reading.
  func setReading(_ isReading: Bool) { ClientWire.loop.run { [self] _ in stream?.isReadingPaused = !isReading } }

  func drop() { ClientWire.loop.run { [self] _ in stream?.abort() } }

  var bytes: [UInt8] { arrived.withLock { $0.bytes } }
  var isClosed: Bool { arrived.withLock { $0.isClosed } }

  /// Waits until the server has closed, and returns everything received.
  func end(within seconds: Double = 30) async throws -> [UInt8] {
    try await waits(within: seconds) { _ in self.isClosed }
    return bytes
  }

  /// The code of the last received frame, a close frame.
  func closeCode(within seconds: Double = 30) async throws -> Int? {
    let bytes = try await end(within: seconds)
    guard let start = bytes.lastIndex(of: 0x88), start + 3 < bytes.count else { return nil }
    return Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
  }

  func waits(within seconds: Double = 30, _ isThere: ([UInt8]) -> Bool) async throws {
    let deadline = Date().addingTimeInterval(seconds)
    while !isThere(bytes) {
      if Date() > deadline || (isClosed && !isThere(bytes)) {
        throw Unexpected("the expected bytes did not arrive, but \(String(decoding: bytes, as: UTF8.self))")
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }

  func received(_ bytes: inout MutableSpan<UInt8>) {
    let copy = Array(bytes.span)
    arrived.withLock { $0.bytes += copy }
  }

  func writable() {}

  func closed(_ reason: StreamEnd) {
    stream = nil
    arrived.withLock { $0.isClosed = true }
  }
}
