internal import COpenSSL
internal import Platform

/// TLS of one connection: it decrypts received bytes and encrypts bytes to send. It knows no socket: a `SocketStream`
/// passes the bytes in and out.
@safe final class TLSSession {
  enum Side {
    case server(TLSContext)
    /// Trusts a peer that proves to be `host`, a name or a literal address.
    case client(TLSContext, host: String)
  }

  /// The closures to call at the end of the handshake.
  struct Opening {
    let opened: (any Stream) -> any StreamHandler
    let failed: ((ConnectError) -> Void)?
  }

  enum Outcome {
    case goesOn
    /// The peer has ended its sending direction.
    case closedByPeer
    /// The session has failed. An alert for the peer is in the output.
    case failed
  }

  let channel: TLSChannel
  /// The bytes to encrypt and send.
  var plain = OutputQueue()
  /// The number of plain bytes that are encrypted and that the kernel has not taken.
  private(set) var sealedCount = 0
  /// The number of bytes that TLS itself has written since the output was last empty.
  var answeredCount = 0
  private(set) var isEstablished = false
  /// The reason of a failed handshake.
  var failure: ConnectError?

  private let side: Side
  private var opening: Opening?
  /// `nil` on a server until the peer's hello is complete.
  private var ssl: OpaquePointer?
  private var hello: [UInt8] = []
  private var hasSaidGoodbye = false

  init(_ side: Side, channel: TLSChannel, opening: Opening) {
    self.side = side
    self.channel = channel
    self.opening = opening
  }

  deinit { unsafe SSL_free(ssl) }

  /// Takes the closures of the handshake; `nil` when they have been taken.
  func takeOpening() -> Opening? { exchange(&opening, with: nil) }

  // MARK: in

  /// Begins the handshake on the client side. The bytes to send are in the channel's output.
  func start() -> Outcome {
    guard case .client = side else { return .goesOn }
    return makeSSL() ? channel.withInput(Span()) { shakeHands() } : .failed
  }

  /// Takes received bytes, and returns the number of decrypted bytes that the channel now holds for the handler.
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
      // No bytes may follow a fatal alert.
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

  /// Encrypts the first `count` bytes of `plain` into the channel's output; `false` on failure.
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

  /// Sends `close_notify` to the peer, once.
  func sayGoodbye() {
    guard owesGoodbye else { return }
    hasSaidGoodbye = true
    ERR_clear_error()
    _ = unsafe SSL_shutdown(ssl)
  }

  /// Returns how many plain bytes the kernel has taken, when `count` encrypted bytes are left. The number is off by
  /// about 30 bytes in each 16 KiB until the kernel has taken all.
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

  /// Names the wanted server (RFC 6066 §3; never an address), and requires a certificate for it.
  private func expect(_ host: String) -> Bool {
    if SocketAddress(literal: host, port: 0) != nil {
      return unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1
    }
    guard unsafe SSL_set1_host(ssl, host) == 1 else { return false }
    // X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS, from a header that is not imported (RFC 6125 §7.2).
    unsafe SSL_set_hostflags(ssl, 0x4)
    var name = Array(host.utf8CString)
    let command = SSL_CTRL_SET_TLSEXT_HOSTNAME
    return unsafe SSL_ctrl(ssl, command, Int(TLSEXT_NAMETYPE_host_name), &name) == 1
  }
}
