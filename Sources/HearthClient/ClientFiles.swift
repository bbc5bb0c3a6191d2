internal import Platform

/// A client's persistent storage: a few named files of one folder.
///
/// Writes are on disk when the call returns. Calls come from one thread at a time.
public protocol ClientFiles: Sendable {
  /// Returns a file's bytes; `nil` if it does not exist.
  func read(_ name: String) throws(FileError) -> [UInt8]?
  /// Appends to a file, creating it if needed. When it throws, a part of `bytes` may have been written.
  func append(_ bytes: [UInt8], to name: String) throws(FileError)
  /// Replaces a file atomically: after a crash it has either the old or the new content.
  func replace(_ name: String, with bytes: [UInt8]) throws(FileError)
  /// Removes a file if it exists.
  func remove(_ name: String) throws(FileError)
  /// Returns the size of each file in bytes.
  func sizes() throws(FileError) -> [String: Int]
  /// Reports that the client is closed; another client may use the files.
  func close()
}

/// A failed operation on a file.
public struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The reason why the operation failed.
  public enum Reason: Sendable, Equatable {
    /// A system call failed with this `errno`.
    case system(Int32)
    /// Another client, perhaps in another process, uses the folder.
    case inUse
    /// The file is incomplete or was not written by this library. It is left unchanged.
    case damaged
  }

  public var name: String
  public var reason: Reason

  public init(name: String, reason: Reason) {
    self.name = name
    self.reason = reason
  }

  public var description: String {
    switch reason {
    case .system(let code): "\(name): \(systemText(code))"
    case .inUse: "\(name) is in use by another client."
    case .damaged: "\(name) is damaged."
    }
  }
}

/// Files in memory, for short-lived tools and for tests.
public final class MemoryFiles: ClientFiles {
  private let files = Locked<[String: [UInt8]]>([:])

  public init() {}

  public func read(_ name: String) -> [UInt8]? { files.withLock { $0[name] } }

  public func append(_ bytes: [UInt8], to name: String) { files.withLock { $0[name, default: []] += bytes } }

  public func replace(_ name: String, with bytes: [UInt8]) { files.withLock { $0[name] = bytes } }

  public func remove(_ name: String) { files.withLock { $0[name] = nil } }

  public func sizes() -> [String: Int] { files.withLock { $0.mapValues(\.count) } }

  public func close() {}
}
