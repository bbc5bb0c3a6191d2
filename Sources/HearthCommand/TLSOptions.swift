import ArgumentParser
import Platform
import Transport

/// The certificate of a command that serves.
struct TLSOptions: ParsableArguments {
  @Option(
    help: """
      A file with the server's certificate chain in PEM form. With it, and --key, the server speaks TLS only.
      """)
  var certificate: String?

  @Option(help: "A file with the certificate's private key in PEM form.")
  var key: String?

  func validate() throws {
    if (certificate == nil) != (key == nil) { throw ValidationError("--certificate and --key belong together.") }
  }

  /// `nil` for plain text.
  func server() throws -> TLSServer? { try CertificateFiles(certificate: certificate, key: key).server() }
}

/// The files of a server's certificate, if it has one.
struct CertificateFiles: Sendable {
  var certificate: String?
  var key: String?

  /// `nil` for plain text.
  func server() throws -> TLSServer? {
    guard let certificate, let key else { return nil }
    do throws(TLSError) { return try TLSServer(certificate: certificate, key: key) } catch {
      throw ValidationError("\(error)")
    }
  }
}

extension TLSServer {
  /// Reloads the files at each SIGHUP, for as long as the returned value lives.
  func reloadOnHangUp(_ log: Logger) throws -> ProcessSignals {
    try ProcessSignals([.hangUp], poster: SpotPoster()) { [self] _ in
      do throws(TLSError) {
        try reload()
        log(.info, "certificate.read")
      } catch {
        log(.error, "certificate.refused", ["why": "\(error) The old one stays in use."])
      }
    }
  }
}
