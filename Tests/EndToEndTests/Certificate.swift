import TestSupport
import Transport

extension Certificate {
  func server() throws -> TLSServer { try TLSServer(certificate: file.path, key: key.path) }
  func client() throws -> TLSClient { try TLSClient(authorities: file.path) }
}
