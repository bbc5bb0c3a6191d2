public import Foundation

/// A self-signed certificate made by the `openssl` program.
public struct Certificate: Sendable {
  public let folder: URL
  public var file: URL { folder.appending(path: "certificate.pem") }
  public var key: URL { folder.appending(path: "key.pem") }

  /// Writes a new certificate into `folder`, replacing an existing one.
  public init(in folder: URL, name: String = "first") async throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let names = ["DNS:localhost", "IP:127.0.0.1"] + (Self.ownAddress.map { ["IP:\($0)"] } ?? [])
    let program = try ChildProcess(
      [
        "/usr/bin/openssl", "req", "-x509", "-nodes", "-days", "2", "-newkey", "ec", "-pkeyopt",
        "ec_paramgen_curve:P-256", "-subj", "/CN=\(name)", "-addext", "subjectAltName=\(names.joined(separator: ","))",
        "-keyout", key.path, "-out", file.path,
      ], errors: .output)
    let end = await program.wait()
    guard end == .exited(0) else { throw Unexpected("openssl makes no certificate: \(end)") }
  }

  /// An IPv4 address of this machine other than loopback, if it has one.
  public static let ownAddress: String? = {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return nil }
    defer { freeifaddrs(first) }
    for entry in sequence(first: first, next: { $0?.pointee.ifa_next }) {
      guard let entry, let address = entry.pointee.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET),
        entry.pointee.ifa_flags & UInt32(IFF_LOOPBACK) == 0
      else { continue }
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let size = socklen_t(MemoryLayout<sockaddr_in>.size)
      guard getnameinfo(address, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else { continue }
      return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    return nil
  }()
}
