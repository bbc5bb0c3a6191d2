import COpenSSL
import Foundation
import TestSupport
import Testing

@testable import Transport

/// Certificates that the `openssl` program makes, in a folder that is removed with the process.
enum Certificates {
  struct Pair: Sendable {
    let certificate: String
    let key: String

    func server() throws -> TLSServer { try TLSServer(certificate: certificate, key: key) }
  }

  static let folder: String = {
    var template = Array("/tmp/hearth-tls-XXXXXX".utf8CString)
    mkdtemp(&template)
    atexit { try? FileManager.default.removeItem(atPath: Certificates.folder) }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()

  /// Certificates for localhost and 127.0.0.1, each its own authority.
  static let elliptic = make("elliptic", ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"])
  static let rsa = make("rsa", ["rsa:2048"])

  static func make(
    _ name: String, _ algorithm: [String], names: String = "DNS:localhost,IP:127.0.0.1"
  ) -> Pair {
    let pair = Pair(certificate: "\(folder)/\(name).pem", key: "\(folder)/\(name).key")
    let made = try? ChildProcess.run(
      [
        program, "req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=\(name)", "-addext",
        "subjectAltName=\(names)",
      ]
        + ["-keyout", pair.key, "-out", pair.certificate, "-newkey"] + algorithm)
    precondition(made?.end == .exited(0), "openssl makes no certificate: \(made?.output ?? "it does not run")")
    return pair
  }

  /// A certificate of the same key that expired yesterday.
  static func expired(_ pair: Pair) throws -> Pair {
    let (request, certificate) = ("\(folder)/expired.csr", "\(folder)/expired.pem")
    let signing = ["-signkey", pair.key]
    for arguments in [
      ["-x509toreq", "-in", pair.certificate, "-out", request],
      ["-req", "-days", "-1", "-in", request, "-out", certificate],
    ] {
      try #require(ChildProcess.run([program, "x509"] + arguments + signing).end == .exited(0))
    }
    return Pair(certificate: certificate, key: pair.key)
  }

  static func file(_ name: String, _ text: String) -> String {
    let path = "\(folder)/\(name)"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    _ = write(descriptor, text, text.utf8.count)
    close(descriptor)
    return path
  }

  static func text(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
  }

  static let program = "/usr/bin/openssl"
}

/// A blocking TLS client over a `RawPeer`. It chooses the pieces in which its bytes reach the socket, and trusts any
/// server.
final class TLSPeer {
  let socket: RawPeer
  let ssl: OpaquePointer
  private let context: OpaquePointer
  private let input: OpaquePointer
  private let output: OpaquePointer
  /// The number of bytes that leave together.
  var pieceSize = Int.max

  init(
    port: UInt16, receiveBuffer: Int32 = 0, maximum: Int32 = TLS1_3_VERSION, session: OpaquePointer? = nil
  ) throws {
    socket = try RawPeer(port: port, receiveBuffer: receiveBuffer)
    context = try #require(SSL_CTX_new(TLS_client_method()))
    SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(maximum), nil)
    ssl = try #require(SSL_new(context))
    input = try #require(BIO_new(BIO_s_mem()))
    output = try #require(BIO_new(BIO_s_mem()))
    SSL_set_bio(ssl, input, output)
    SSL_set_connect_state(ssl)
    if let session { SSL_set_session(ssl, session) }
  }

  deinit {
    SSL_free(ssl)
    SSL_CTX_free(context)
  }

  var version: String { String(cString: SSL_get_version(ssl)) }
  var isResumed: Bool { SSL_session_reused(ssl) == 1 }
  var serverName: String {
    guard let certificate = SSL_get1_peer_certificate(ssl) else { return "" }
    defer { X509_free(certificate) }
    var text = [CChar](repeating: 0, count: 256)
    X509_NAME_oneline(X509_get_subject_name(certificate), &text, 256)
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The bytes that OpenSSL has for the peer.
  func takeOutput() -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(output))
    if !bytes.isEmpty { BIO_read(output, &bytes, Int32(bytes.count)) }
    return bytes
  }

  func flush() {
    let bytes = takeOutput()
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, pieceSize == .max ? bytes.count : start + pieceSize)
      socket.send(Array(bytes[start..<end]))
      start = end
    }
  }

  /// Repeats `work` until it succeeds, and feeds it received bytes. Returns the last result: `SSL_ERROR_…`, 0 for
  /// success, or -1 when the connection is over.
  @discardableResult
  func repeatedly(_ work: (OpaquePointer) -> Int32) -> Int32 {
    while true {
      ERR_clear_error()
      let result = work(ssl)
      let error = SSL_get_error(ssl, result)
      flush()
      if result > 0 { return 0 }
      guard error == SSL_ERROR_WANT_READ else { return error }
      guard let bytes = socket.receiveSome(), !bytes.isEmpty else { return -1 }
      BIO_write(input, bytes, Int32(bytes.count))
    }
  }

  @discardableResult
  func shakeHands() -> Int32 { repeatedly { SSL_do_handshake($0) } }

  func send(_ bytes: [UInt8]) { #expect(repeatedly { SSL_write($0, bytes, Int32(bytes.count)) } == 0) }

  /// Receives `limit` bytes, fewer after `close_notify`; `nil` when the connection ends without it.
  func receive(_ limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 14)
    while bytes.count < limit {
      var count: Int32 = 0
      let wanted = Int32(min(part.count, limit - bytes.count))
      let error = repeatedly {
        count = SSL_read($0, &part, wanted)
        return count
      }
      if error == SSL_ERROR_ZERO_RETURN { break }
      if error != 0 { return nil }
      bytes += part[..<Int(count)]
    }
    return bytes
  }

  /// Sends `close_notify` without waiting for the peer's.
  func finishSending() {
    SSL_shutdown(ssl)
    flush()
  }
}
