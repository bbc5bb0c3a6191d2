import ArgumentParser
import Platform
import Transport

/// The certificate that a command serves with.
struct TLSOptions: ParsableArguments {
  @Option(
    help: """
      A file with the server's certificate in PEM form, followed by those that lead to a known authority. With it, and \
      --key, everything is spoken over TLS.
      """)
  var certificate: String?

  @Option(help: "A file with the certificate's private key in PEM form.")
  var key: String?

  func validate() throws {
    if (certificate == nil) != (key == nil) { throw ValidationError("--certificate and --key belong together.") }
  }

  /// `nil` for clear text.
  func server() throws -> TLSServer? { try CertificateFiles(certificate: certificate, key: key).server() }
}

/// Where a server's certificate is, if it has one.
struct CertificateFiles: Sendable {
  var certificate: String?
  var key: String?

  /// `nil` for clear text.
  func server() throws -> TLSServer? {
    guard let certificate, let key else { return nil }
    do throws(TLSError) { return try TLSServer(certificate: certificate, key: key) } catch {
      throw ValidationError("\(error)")
    }
  }
}

extension TLSServer {
  /// Reads the files again at each SIGHUP, as long as the answer is kept.
  func reloadOnHangUp(_ log: Logger) throws -> ProcessSignals {
    try ProcessSignals([.hangUp], poster: SpotPoster()) { [self] _ in
      do throws(TLSError) {
        try reload()
        log(.info, "certificate.read")
      } catch {
        log(.error, "certificate.refused", ["why": "\(error) The one from before stays."])
      }
    }
  }
}
