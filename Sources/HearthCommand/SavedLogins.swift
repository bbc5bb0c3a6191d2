import Foundation
import Glibc
import JSON

/// The log-ins that `hearth login` keeps, one for each server: a file that only its user may read.
struct SavedLogins {
  struct Login: Equatable {
    var token: String
    var email: String
    var name: String
    /// With it a later log-in counts as a known device (ACC-3).
    var deviceToken: String
  }

  /// The file cannot be used, and why.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private let file: URL
  private(set) var logins: [String: Login] = [:]
  /// The address of the server that was logged in to last.
  private(set) var latest: String?

  /// `$XDG_CONFIG_HOME/hearth/logins.json`, by default in `~/.config`.
  static var usualFile: URL {
    let environment = ProcessInfo.processInfo.environment
    let folder = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? URL(filePath: $0) : nil }
    let home = FileManager.default.homeDirectoryForCurrentUser
    return (folder ?? home.appending(path: ".config")).appending(path: "hearth/logins.json")
  }

  /// Reads the log-ins; there are none without a file.
  init(_ file: URL = usualFile) throws(Failure) {
    self.file = file
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    guard let bytes = try? Data(contentsOf: file), let saved = try? JSON.parse(Array(bytes)),
      let servers = saved["servers"]?.object
    else { throw Failure(description: "\(file.path) cannot be read as saved log-ins: remove it, and log in again.") }
    latest = saved["latest"]?.string
    for (url, entry) in servers {
      guard let token = entry["token"]?.string else { continue }
      logins[url] = Login(
        token: token, email: entry["email"]?.string ?? "", name: entry["name"]?.string ?? "",
        deviceToken: entry["deviceToken"]?.string ?? "")
    }
  }

  /// Keeps a log-in in place of an earlier one at the same server.
  mutating func keep(_ login: Login, at url: String) throws(Failure) {
    logins[url] = login
    latest = url
    try write()
  }

  /// Forgets the log-in at a server.
  mutating func forget(_ url: String) throws(Failure) {
    logins[url] = nil
    if latest == url { latest = nil }
    try write()
  }

  private func write() throws(Failure) {
    var servers: [String: JSON] = [:]
    for (url, login) in logins {
      servers[url] = [
        "token": .string(login.token), "email": .string(login.email), "name": .string(login.name),
        "deviceToken": .string(login.deviceToken),
      ]
    }
    var saved: [String: JSON] = ["servers": .object(servers)]
    if let latest { saved["latest"] = .string(latest) }
    let next = file.appendingPathExtension("new")
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      // The mode comes with the file, so that at no moment anybody else can open it.
      try? FileManager.default.removeItem(at: next)
      let descriptor = unsafe open(next.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
      let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      try handle.write(contentsOf: Data(JSON.object(saved).indented.utf8))
      try handle.synchronize()
      guard unsafe rename(next.path, file.path) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    } catch {
      throw Failure(description: "\(file.path) cannot be written: \(error.localizedDescription)")
    }
  }
}
