import Platform
import Transport

/// An HTTP exchange over a real socket: sends bytes and collects everything until the server closes.
final class HTTPExchange: StreamHandler, @unchecked Sendable {
  // @unchecked: everything but `send` is used only on the clients' loop.
  private var received: [UInt8] = []
  private var stream: (any Stream)?
  private var done: CheckedContinuation<String, any Error>?

  static func send(_ request: String, to port: UInt16, tls: TLSClient? = nil) async throws -> String {
    let exchange = HTTPExchange()
    return try await withCheckedThrowingContinuation { continuation in
      ClientWire.loop.run { core in
        exchange.done = continuation
        Connector(loop: core, workers: ClientWire.workers).connect(
          to: "127.0.0.1", port: port, tls: tls,
          opened: { stream in
            exchange.stream = stream
            stream.send(Array(request.utf8).span)
            return exchange
          }, failed: { continuation.resume(throwing: $0) })
      }
    }
  }

  func received(_ bytes: inout MutableSpan<UInt8>) { received += Array(bytes.span) }
  func writable() {}

  func closed(_ reason: StreamEnd) {
    stream = nil
    done?.resume(returning: String(decoding: received, as: UTF8.self))
    done = nil
  }
}
