internal import COpenSSL
internal import Glibc
internal import Platform

/// The reason why TLS cannot be set up, as a sentence that names the file.
public struct TLSError: Error, Sendable, Equatable, CustomStringConvertible {
  public var description: String
}

/// The server side of TLS: a certificate with its key, for any number of listeners and loops.
///
/// It speaks TLS 1.2 and 1.3, without renegotiation and compression. Sessions resume by tickets, so the server keeps
/// none.
public final class TLSServer: Sendable {
  private let certificate: String
  private let key: String
  private let current: Locked<TLSContext>

  /// Reads both PEM files: the certificate, followed by the certificates of its chain, and its private key without a
  /// passphrase.
  public init(certificate: String, key: String) throws(TLSError) {
    self.certificate = certificate
    self.key = key
    current = Locked(try TLSContext(certificate: certificate, key: key))
  }

  /// Reads the files again. New connections get the new certificate, and existing ones continue. If a file is wrong,
  /// nothing changes.
  public func reload() throws(TLSError) {
    let new = try TLSContext(certificate: certificate, key: key)
    current.withLock { $0 = new }
  }

  var context: TLSContext { current.withLock { $0 } }

  /// Whether the certificate is for a host of this name (RFC 6125 §6).
  public func names(_ host: String) -> Bool { context.names(host) }
}

/// The client side of TLS: the authorities that it trusts.
public final class TLSClient: Sendable {
  let context: TLSContext

  /// Trusts the authorities in a PEM file, or those of the operating system if no file is given.
  public init(authorities file: String? = nil) throws(TLSError) { context = try TLSContext(authorities: file) }
}

/// An `SSL_CTX`, from which sessions are created.
@safe final class TLSContext: @unchecked Sendable {  // Only `init` writes it; OpenSSL counts references.
  let pointer: OpaquePointer

  /// Ciphers of TLS 1.2 with forward secrecy and authenticated encryption.
  private static let ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20"
  /// The lifetime of a ticket.
  private static let ticketSeconds = 2 * 3600
  // SSL_OP_NO_COMPRESSION and SSL_OP_NO_RENEGOTIATION, macros that Swift does not import.
  private static let options: UInt64 = 1 << 17 | 1 << 30
  /// `http/1.1` in ALPN's form (RFC 7301 §3.1), since every WebSocket begins as HTTP/1.1.
  fileprivate static let protocols: [UInt8] = [8] + Array("http/1.1".utf8)

  /// Loops may still work while the process exits, so OpenSSL must not free its tables then.
  private static let isSetUp: Bool = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1

  @unsafe private init(method: OpaquePointer?) throws(TLSError) {
    guard Self.isSetUp, let pointer = unsafe SSL_CTX_new(method) else {
      throw TLSError(description: "TLS cannot be set up (\(TLSFailure.take().text)).")
    }
    unsafe self.pointer = pointer
    unsafe SSL_CTX_set_options(pointer, Self.options)
    _ = unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
    // An idle session owns no buffers; they would take 34 KB.
    _ = unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
    // A session cache would grow with every connection (CVE-2024-2511).
    _ = unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
    unsafe SSL_CTX_set_cipher_list(pointer, Self.ciphers)
    unsafe SSL_CTX_set_timeout(pointer, Self.ticketSeconds)
  }

  deinit { unsafe SSL_CTX_free(pointer) }

  convenience init(certificate: String, key: String) throws(TLSError) {
    try unsafe self.init(method: TLS_server_method())
    unsafe SSL_CTX_set_num_tickets(pointer, 1)
    // No person is there to enter a passphrase.
    unsafe SSL_CTX_set_default_passwd_cb(pointer) { _, _, _, _ in -1 }
    unsafe SSL_CTX_set_alpn_select_cb(pointer, chooseProtocol, nil)
    try use(certificate: certificate)
    try use(key: key, of: certificate)
  }

  fileprivate func names(_ host: String) -> Bool {
    guard let certificate = unsafe SSL_CTX_get0_certificate(pointer) else { return false }
    return unsafe X509_check_host(certificate, host, host.utf8.count, 0, nil) == 1
  }

  convenience init(authorities file: String?) throws(TLSError) {
    try unsafe self.init(method: TLS_client_method())
    unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
    _ = unsafe Self.protocols.withUnsafeBufferPointer {
      unsafe SSL_CTX_set_alpn_protos(pointer, $0.baseAddress, UInt32($0.count))
    }
    guard let file else {
      unsafe SSL_CTX_set_default_verify_paths(pointer)
      return
    }
    try Self.checkReadable(file, what: "authorities file")
    // A certificate in that file is trusted, whichever authority has signed it.
    unsafe X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(pointer), UInt(X509_V_FLAG_PARTIAL_CHAIN))
    guard unsafe SSL_CTX_load_verify_file(pointer, file) == 1 else {
      throw TLSError(
        description: "The authorities file \(file) holds no certificate in PEM form (\(TLSFailure.take().text)).")
    }
  }

  private func use(certificate: String) throws(TLSError) {
    try Self.checkReadable(certificate, what: "certificate file")
    guard unsafe SSL_CTX_use_certificate_chain_file(pointer, certificate) == 1 else {
      throw TLSError(
        description: """
          The certificate file \(certificate) holds no certificate in PEM form that can be used \
          (\(TLSFailure.take().text)).
          """)
    }
    // A certificate that is not valid yet is accepted: the clock of a machine that has just started may be wrong.
    if let used = unsafe SSL_CTX_get0_certificate(pointer), let end = unsafe X509_get0_notAfter(used),
      unsafe X509_cmp_current_time(end) < 0
    {
      throw TLSError(description: "The certificate in \(certificate) has expired.")
    }
  }

  private func use(key: String, of certificate: String) throws(TLSError) {
    try Self.checkReadable(key, what: "key file")
    let isUsed = unsafe SSL_CTX_use_PrivateKey_file(pointer, key, SSL_FILETYPE_PEM) == 1
    let failure = TLSFailure.take()
    if isUsed ? unsafe SSL_CTX_check_private_key(pointer) != 1 : failure.isMismatch {
      throw TLSError(description: "The key in \(key) does not belong to the certificate in \(certificate).")
    }
    guard isUsed else {
      throw TLSError(
        description: "The key file \(key) holds no private key in PEM form without a passphrase (\(failure.text)).")
    }
  }

  private static func checkReadable(_ file: String, what: String) throws(TLSError) {
    let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw TLSError(description: "The \(what) \(file) cannot be read (\(unsafe String(cString: strerror(errno)))).")
    }
    close(descriptor)
  }
}

/// The errors of this thread, in OpenSSL's words.
struct TLSFailure {
  private let code: UInt

  /// Takes the first error, which says most, and clears the others.
  static func take() -> TLSFailure {
    defer { ERR_clear_error() }
    return TLSFailure(code: ERR_peek_error())
  }

  var text: String {
    guard code != 0 else { return "no reason given" }
    guard let reason = unsafe ERR_reason_error_string(code) else { return "error \(code)" }
    return unsafe String(cString: reason)
  }

  /// Whether the key belongs to another certificate.
  var isMismatch: Bool { ERR_GET_LIB(code) == ERR_LIB_X509 && ERR_GET_REASON(code) == X509_R_KEY_VALUES_MISMATCH }
}

/// Selects our protocol. A client that offers protocols must offer ours (RFC 7301 §3.2).
private let chooseProtocol:
  @convention(c) (
    OpaquePointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt8>?, UnsafePointer<UInt8>?,
    UInt32, UnsafeMutableRawPointer?
  ) -> Int32 = { _, chosen, chosenSize, offered, offeredSize, _ in
    guard let offered = unsafe offered else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    let list = unsafe UnsafeBufferPointer(start: offered, count: Int(offeredSize))
    let ours = TLSContext.protocols
    var start = 0
    while start < list.count {
      let end = unsafe min(list.count, start + 1 + Int(list[start]))
      if unsafe list[start..<end].elementsEqual(ours) {
        unsafe chosen?.pointee = offered + start + 1
        unsafe chosenSize?.pointee = list[start]
        return SSL_TLSEXT_ERR_OK
      }
      start = end
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
  }
