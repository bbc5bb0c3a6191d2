internal import COpenSSL
internal import Platform

/// TLS on one connection: what comes in is made readable, what goes out unreadable. Knows no socket: a `SocketStream`
/// gives and takes the bytes.
@safe final class TLSSession {
  enum Side {
    case server(TLSContext)
    /// Believes a peer that is proven to be `host`, a name or a literal address.
    case client(TLSContext, host: String)
  }

  /// Who waits for the end of the handshake.
  struct Opening {
    let opened: (any Stream) -> any StreamHandler
    let failed: ((ConnectError) -> Void)?
  }

  enum Outcome {
    case goesOn
    /// The peer has said that nothing more will come.
    case closedByPeer
    /// It cannot go on; what is to be told the peer is in the output.
    case failed
  }

  let channel: TLSChannel
  /// What leaves once it is encrypted.
  var plain = OutputQueue()
  /// Of what was encrypted, the bytes that the system has not taken, as they were before.
  private(set) var sealedCount = 0
  /// Bytes that TLS has said by itself since nothing waited for the peer.
  var answeredCount = 0
  private(set) var isEstablished = false
  /// Set when the peer is not believed, or does not speak as it should.
  var failure: ConnectError?

  private let side: Side
  private var opening: Opening?
  /// A server's, until the peer's hello is whole; a client's from the start.
  private var ssl: OpaquePointer?
  private var hello: [UInt8] = []
  private var hasSaidGoodbye = false

  init(_ side: Side, channel: TLSChannel, opening: Opening) {
    self.side = side
    self.channel = channel
    self.opening = opening
  }

  deinit { unsafe SSL_free(ssl) }

  /// Once: those who waited for the handshake.
  func takeOpening() -> Opening? { exchange(&opening, with: nil) }

  // MARK: in

  /// Begins the handshake where that is our part. What is to be sent is in the channel's output.
  func start() -> Outcome {
    guard case .client = side else { return .goesOn }
    return makeSSL() ? channel.withInput(Span()) { shakeHands() } : .failed
  }

  /// Takes what came in, and answers how many bytes of it the channel now holds for the handler.
  func receive(_ bytes: Span<UInt8>) -> (plainCount: Int, outcome: Outcome) {
    if unsafe ssl != nil { return channel.withInput(bytes) { work() } }
    hello.append(copying: bytes)
    switch TLSHello.look(at: hello) {
    case .incomplete: return (0, .goesOn)
    case .refused: return (0, .failed)
    case .plainText:
      channel.output += TLSHello.answerToPlainText
      return (0, .failed)
    case .whole:
      guard makeSSL() else { return (0, .failed) }
      let collected = exchange(&hello, with: [])
      return channel.withInput(collected.span) { work() }
    }
  }

  private func work() -> (plainCount: Int, outcome: Outcome) {
    if !isEstablished {
      let outcome = shakeHands()
      guard isEstablished else { return (0, outcome) }
    }
    var outcome = Outcome.goesOn
    let count = unsafe channel.collect { buffer in
      var count = 0
      ERR_clear_error()
      let result = unsafe SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count)
      if result == 1 { return count }
      outcome = self.outcome(of: result)
      return 0
    }
    return (count, outcome)
  }

  private func shakeHands() -> Outcome {
    ERR_clear_error()
    let result = unsafe SSL_do_handshake(ssl)
    isEstablished = result == 1
    return isEstablished ? .goesOn : outcome(of: result)
  }

  private func outcome(of result: Int32) -> Outcome {
    switch unsafe SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ: return .goesOn
    case SSL_ERROR_ZERO_RETURN: return .closedByPeer
    default:
      // Nothing may be said after a fatal alert.
      hasSaidGoodbye = true
      let verdict = unsafe SSL_get_verify_result(ssl)
      let text = TLSFailure.take().text
      if case .client = side, verdict != X509_V_OK {
        failure = .notTrusted(unsafe String(cString: X509_verify_cert_error_string(verdict)))
      } else {
        failure = .notSecured(text)
      }
      return .failed
    }
  }

  // MARK: out

  /// Encrypts the first `count` bytes of what waits, into the channel's output. `false` if it cannot.
  func seal(_ count: Int, _ buffers: inout BufferPool) -> Bool {
    guard count > 0 else { return true }
    ERR_clear_error()
    var done = 0
    let result = unsafe plain.bytes.withUnsafeBytes {
      unsafe SSL_write_ex(ssl, $0.baseAddress.map { unsafe $0 + plain.start }, count, &done)
    }
    guard result == 1, done == count else { return false }
    plain.drop(count, to: &buffers)
    sealedCount += count
    return true
  }

  var owesGoodbye: Bool { isEstablished && !hasSaidGoodbye }

  /// Tells the peer, once, that nothing more will come.
  func sayGoodbye() {
    guard owesGoodbye else { return }
    hasSaidGoodbye = true
    ERR_clear_error()
    _ = unsafe SSL_shutdown(ssl)
  }

  /// The system has left `count` encrypted bytes; answers how many readable ones it has taken, which is so to some 30
  /// bytes in each 16 KiB until it has taken all.
  func taken(leaving count: Int) -> Int {
    let left = min(sealedCount, count)
    defer { sealedCount = left }
    return sealedCount - left
  }

  // MARK: OpenSSL

  private func makeSSL() -> Bool {
    switch side {
    case .server(let context):
      guard let ssl = unsafe SSL_new(context.pointer) else { return false }
      unsafe self.ssl = ssl
      unsafe SSL_set_accept_state(ssl)
    case .client(let context, let host):
      guard let ssl = unsafe SSL_new(context.pointer) else { return false }
      unsafe self.ssl = ssl
      unsafe SSL_set_connect_state(ssl)
      guard expect(host) else { return false }
    }
    guard let bio = unsafe channel.makeBIO() else { return false }
    unsafe SSL_set_bio(ssl, bio, bio)
    return true
  }

  /// Names the server that is meant (RFC 6066 §3; never an address), and makes it prove that it is that one.
  private func expect(_ host: String) -> Bool {
    if SocketAddress(literal: host, port: 0) != nil {
      return unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1
    }
    guard unsafe SSL_set1_host(ssl, host) == 1 else { return false }
    // X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, of a header that is not among ours (RFC 6125 §7.2).
    unsafe SSL_set_hostflags(ssl, 0x4)
    var name = Array(host.utf8CString)
    let command = SSL_CTRL_SET_TLSEXT_HOSTNAME
    return unsafe SSL_ctrl(ssl, command, Int(TLSEXT_NAMETYPE_host_name), &name) == 1
  }
}
