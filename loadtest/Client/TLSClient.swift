// TLS over memory buffers: OpenSSL has no access to sockets. Nearly all calls of OpenSSL are here. Pointers live for
// one call, or as long as the object that frees them.

import COpenSSL

/// The state shared by all connections: versions and trusted authorities.
@safe final class TLSContext {  // Owns the pointer, which no one else frees.
  fileprivate let pointer: OpaquePointer
  /// The IP address that the server's certificate must contain, if certificates are checked.
  fileprivate let address: String?

  /// - Parameters:
  ///   - authority: a PEM file of trusted certificates; `nil` trusts any server.
  ///   - address: the server's IP address.
  init(authority: String?, address: String) throws(TLSError) {
    guard let context = unsafe SSL_CTX_new(TLS_client_method()) else { throw TLSError("no TLS context") }
    unsafe pointer = context
    self.address = authority == nil ? nil : address
    // Idle connections release their record buffers. (`SSL_CTX_set_mode` is a macro.)
    _ = unsafe SSL_CTX_ctrl(context, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
    guard let authority else { return }
    guard unsafe SSL_CTX_load_verify_locations(context, authority, nil) == 1 else {
      throw TLSError("\(authority) holds no certificate")
    }
    unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
  }

  deinit { unsafe SSL_CTX_free(pointer) }
}

/// The client side of one TLS connection: network bytes on one side, application bytes on the other.
@safe final class TLSClient {  // Owns the pointers: freeing `ssl` frees both buffers.
  private let ssl: OpaquePointer
  private let fromNetwork: OpaquePointer
  private let toNetwork: OpaquePointer
  private(set) var isConnected = false
  private(set) var isEnded = false

  init(_ context: TLSContext) throws(TLSError) {
    guard let ssl = unsafe SSL_new(context.pointer), let input = unsafe BIO_new(BIO_s_mem()),
      let output = unsafe BIO_new(BIO_s_mem())
    else { throw TLSError("no memory for TLS") }
    unsafe (self.ssl, fromNetwork, toNetwork) = (ssl, input, output)
    unsafe SSL_set_bio(ssl, input, output)
    unsafe SSL_set_connect_state(ssl)
    if let address = context.address {
      guard unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), address) == 1 else {
        throw TLSError("\(address) is no address")
      }
    }
    try shakeHands()
  }

  deinit { unsafe SSL_free(ssl) }

  /// Takes network bytes, and passes the decrypted bytes to `body` through `buffer`.
  func receive(
    _ bytes: Span<UInt8>, through buffer: inout [UInt8], _ body: (inout MutableSpan<UInt8>) throws -> Void
  ) throws {
    let taken = unsafe bytes.withUnsafeBytes { unsafe BIO_write(fromNetwork, $0.baseAddress, Int32($0.count)) }
    guard Int(taken) == bytes.count else { throw TLSError("no memory for TLS") }
    if !isConnected { try shakeHands() }
    while isConnected {
      var span = buffer.mutableSpan
      ERR_clear_error()
      let count = unsafe span.withUnsafeMutableBytes { unsafe SSL_read(ssl, $0.baseAddress, Int32($0.count)) }
      guard count > 0 else { return try check(count, "reading") }
      var text = span._mutatingExtracting(0..<Int(count))
      try body(&text)
    }
  }

  /// Encrypts all bytes for sending.
  func send(_ bytes: Span<UInt8>) throws(TLSError) {
    guard !bytes.isEmpty else { return }
    ERR_clear_error()
    let count = unsafe bytes.withUnsafeBytes { unsafe SSL_write(ssl, $0.baseAddress, Int32($0.count)) }
    guard Int(count) == bytes.count else { return try check(count, "writing") }
  }

  /// Appends the network output to `bytes`.
  func takeOutput(into bytes: inout [UInt8]) {
    let waiting = unsafe BIO_ctrl_pending(toNetwork)
    guard waiting > 0 else { return }
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: waiting))
    var span = bytes.mutableSpan
    var rest = span._mutatingExtracting(start..<start + waiting)
    let count = unsafe rest.withUnsafeMutableBytes { unsafe BIO_read(toNetwork, $0.baseAddress, Int32($0.count)) }
    precondition(Int(count) == waiting, "a buffer in memory holds what it says")
  }

  private func shakeHands() throws(TLSError) {
    ERR_clear_error()
    let result = unsafe SSL_do_handshake(ssl)
    if result == 1 { isConnected = true } else { try check(result, "the handshake") }
  }

  /// Returns if more network bytes are needed; otherwise throws the reason of the failure.
  private func check(_ result: Int32, _ what: String) throws(TLSError) {
    switch unsafe SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return
    case SSL_ERROR_ZERO_RETURN: isEnded = true
    default:
      var text = [CChar](repeating: 0, count: 256)
      unsafe ERR_error_string_n(ERR_get_error(), &text, text.count)
      let reason = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      throw TLSError("TLS failed in \(what): \(reason)")
    }
  }
}

struct TLSError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
