import Foundation
import Glibc
import HTTP
import JSON

/// The local socket of a server, for administration by its owner (OPS-4): calls by `POST /rpc`, each on its own
/// connection.
struct AdminSocket {
  /// The data folder of the server.
  let folder: String

  static let name = "admin.sock"
  var path: String { URL(filePath: folder).appending(path: Self.name).path }

  /// The longest wait for bytes of the server, in seconds.
  private static let patience = 60

  /// Why a call has failed, and what to do.
  enum Failure: Error, Equatable, CustomStringConvertible {
    case notRunning(folder: String)
    case notPermitted(path: String, owner: String?)
    case broken(path: String, why: String)
    /// The server has refused the call.
    case refused(message: String, fields: [String])

    var description: String {
      switch self {
      case .notRunning(let folder):
        """
        No server is running on the folder \(folder). `hearth serve --data \(folder)` starts one; --data names another \
        folder.
        """
      case .notPermitted(let path, let owner):
        """
        Only \(owner ?? "the user who runs the server") and root may open \(path). Run the command as that user, for \
        example by `sudo -u \(owner ?? "USER") hearth admin …`.
        """
      case .broken(let path, let why): "\(path) does not answer (\(why)). Look into the server's log, and try again."
      case .refused(let message, let fields): ([message] + fields.map { "  \($0)" }).joined(separator: "\n")
      }
    }
  }

  /// Calls a method and waits for its answer.
  func call(_ method: String, _ parameters: [String: JSON] = [:]) throws(Failure) -> JSON {
    guard let target = Target("/rpc") else { throw broken("the request has no target") }
    let message: JSON = ["jsonrpc": "2.0", "id": 1, "method": .string(method), "params": .object(parameters)]
    let request = Request(
      "POST", target, host: "localhost",
      headers: ["Content-Type": "application/json", "Connection": "close"], body: Array(message.text.utf8))
    return try result(of: try exchange(request.encoded()))
  }

  private func result(of response: [UInt8]) throws(Failure) -> JSON {
    var parser = ResponseParser()
    guard let (head, consumed) = try? parser.receive(response.span) else {
      throw broken(response.isEmpty ? "it closed the connection" : "the answer is no HTTP response")
    }
    guard let answer = try? JSON.parse(Array(response[consumed...])) else {
      throw broken("the answer, with status \(head.status.rawValue), is incomplete")
    }
    if let result = answer["result"] { return result }
    let fields = answer["error"]?["data"]?["fields"]?.object ?? [:]
    throw .refused(
      message: answer["error"]?["message"]?.string ?? "The server refuses, with status \(head.status.rawValue).",
      fields: fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.string ?? "")" })
  }

  private func broken(_ why: String) -> Failure { .broken(path: path, why: why) }
  private func broken(_ code: Int32) -> Failure { broken(unsafe String(cString: strerror(code))) }

  // MARK: the socket

  /// Sends a request, and reads until the server closes.
  private func exchange(_ request: [UInt8]) throws(Failure) -> [UInt8] {
    let descriptor = try connect()
    defer { close(descriptor) }
    var sent = 0
    while sent < request.count {
      let count = unsafe request.withUnsafeBytes {
        unsafe send(descriptor, $0.baseAddress?.advanced(by: sent), request.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw broken(errno) }
      sent += count
    }
    var response: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      guard count >= 0 else { throw broken(errno) }
      if count == 0 { return response }
      response += buffer[..<count]
    }
  }

  private func connect() throws(Failure) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let isSet = unsafe withUnsafeMutableBytes(of: &address.sun_path) { name in
      guard bytes.count < name.count else { return false }
      unsafe name.copyBytes(from: bytes)
      return true
    }
    guard isSet else {
      throw broken("its path has more than \(MemoryLayout.size(ofValue: address.sun_path) - 1) bytes")
    }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw broken(errno) }
    var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
    for name in [SO_RCVTIMEO, SO_SNDTIMEO] {
      unsafe setsockopt(descriptor, SOL_SOCKET, name, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    let result = unsafe withUnsafePointer(to: address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if result == 0 { return descriptor }
    let code = errno
    close(descriptor)
    switch code {
    case ENOENT, ECONNREFUSED: throw .notRunning(folder: folder)
    case EACCES, EPERM: throw .notPermitted(path: path, owner: owner)
    default: throw broken(code)
    }
  }

  /// The owner of the socket, or of its folder if that shows nobody what is in it.
  private var owner: String? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 || stat(folder, &status) == 0 else { return nil }
    guard let entry = unsafe getpwuid(status.st_uid), let name = unsafe entry.pointee.pw_name else {
      return "user \(status.st_uid)"
    }
    return unsafe String(cString: name)
  }
}
