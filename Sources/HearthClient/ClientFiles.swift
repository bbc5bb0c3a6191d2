internal import Platform

/// Where a client keeps what must outlive it: a few files of one folder, by name.
///
/// What is said to be written is on disk when the call returns. Calls come from one thread at a time.
public protocol ClientFiles: Sendable {
  /// A file's bytes; `nil` if there is none of that name.
  func read(_ name: String) throws(FileError) -> [UInt8]?
  /// Writes behind the end of a file, which is made if there is none. Where this throws, some of `bytes` may be there.
  func append(_ bytes: [UInt8], to name: String) throws(FileError)
  /// Puts a whole file in the place of another: after a crash there is one or the other.
  func replace(_ name: String, with bytes: [UInt8]) throws(FileError)
  /// Removes a file, if there is one.
  func remove(_ name: String) throws(FileError)
  /// The size of each file in bytes.
  func sizes() throws(FileError) -> [String: Int]
  /// The client is closed and uses the files no more: another may.
  func close()
}

/// What could not be done with a file.
public struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
  public enum Reason: Sendable, Equatable {
    /// The system's `errno`.
    case system(Int32)
    /// Another client, perhaps of another process, uses the folder.
    case inUse
    /// The file was not written by this library, or not completely, and cannot be read. It was left as it is.
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
    case .inUse: "\(name) is used by another client."
    case .damaged: "\(name) is damaged."
    }
  }
}

/// Files that are gone with the process: for tools that live shortly, and for tests.
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
