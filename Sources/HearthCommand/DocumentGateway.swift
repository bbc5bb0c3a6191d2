import Dispatch
import Foundation
import Platform

/// Reads files of the operator's, and fetches everything else over HTTPS.
final class DocumentGateway: HTTPSGateway {
  private let https: (any HTTPSGateway)?
  private let queue = DispatchQueue(label: "hearth.documents")

  /// - Parameter https: `nil` where nothing can be fetched.
  init(https: (any HTTPSGateway)?) { self.https = https }

  func fetch(_ url: String, limit: Int, reply: Reply<Result<[UInt8], FetchError>>) {
    let scheme = "file:"
    guard url.hasPrefix(scheme) else {
      guard let https else { return reply(.failure(FetchError("this server cannot fetch over HTTPS"))) }
      return https.fetch(url, limit: limit, reply: reply)
    }
    let path = String(url.dropFirst(scheme.count))
    queue.async { reply(Self.read(path, limit: limit)) }
  }

  func post(_ form: [UInt8], to url: String, limit: Int, reply: Reply<Result<[UInt8], FetchError>>) {
    guard let https else { return reply(.failure(FetchError("this server cannot post over HTTPS"))) }
    https.post(form, to: url, limit: limit, reply: reply)
  }

  private static func read(_ path: String, limit: Int) -> Result<[UInt8], FetchError> {
    do {
      let file = try FileHandle(forReadingFrom: URL(filePath: path))
      defer { try? file.close() }
      let data = try file.read(upToCount: limit + 1) ?? Data()
      guard data.count <= limit else { return .failure(FetchError("\(path) has more than \(limit) bytes")) }
      return .success(Array(data))
    } catch {
      return .failure(FetchError("\(path) cannot be read"))
    }
  }
}
