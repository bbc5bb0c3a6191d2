// The only file of this target with system calls: Swift's library cannot flush a file or rename it atomically.

internal import Glibc
internal import Platform

/// Files in a folder that only their owner can read (mode 0600), for one client at a time.
public final class FolderFiles: ClientFiles {
  public let path: String
  /// The descriptor that holds the folder's lock; `nil` when closed.
  private let lock: Locked<Int32?>

  /// Opens a folder, creating it with mode 0700 if needed. Its parent must exist.
  public init(path: String) throws(FileError) {
    self.path = path
    guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw Self.failure(path) }
    let lock = unsafe open(path + "/lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard lock >= 0 else { throw Self.failure(path) }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      Glibc.close(lock)
      throw FileError(name: path, reason: code == EWOULDBLOCK ? .inUse : .system(code))
    }
    self.lock = Locked(lock)
    // Remove temporary files that a crash left in `replace`.
    for name in try entries() where name.hasSuffix(".new") { _ = unsafe unlink(place(name)) }
  }

  deinit { close() }

  public func close() {
    guard let lock = lock.withLock({ exchange(&$0, with: nil) }) else { return }
    // A child process between `fork` and `exec` shares the descriptor and would keep the lock, so unlock explicitly.
    flock(lock, LOCK_UN)
    Glibc.close(lock)
  }

  private static func failure(_ name: String) -> FileError { FileError(name: name, reason: .system(errno)) }

  private func place(_ name: String) -> String { "\(path)/\(name)" }

  public func read(_ name: String) throws(FileError) -> [UInt8]? {
    let file = unsafe open(place(name), O_RDONLY | O_CLOEXEC)
    if file < 0, errno == ENOENT { return nil }
    guard file >= 0 else { throw Self.failure(name) }
    defer { Glibc.close(file) }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Self.failure(name) }
      if count == 0 { return content }
      content += buffer[..<count]
    }
  }

  public func append(_ bytes: [UInt8], to name: String) throws(FileError) {
    let file = unsafe open(place(name), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.failure(name) }
    defer { Glibc.close(file) }
    let end = lseek(file, 0, SEEK_END)
    do throws(FileError) {
      try Self.write(bytes, to: file, name)
      if end == 0 { try flushFolder() }
    } catch {
      if end >= 0 { _ = ftruncate(file, end) }
      throw error
    }
  }

  public func replace(_ name: String, with bytes: [UInt8]) throws(FileError) {
    let new = place(name) + ".new"
    let file = unsafe open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.failure(name) }
    do throws(FileError) {
      defer { Glibc.close(file) }
      try Self.write(bytes, to: file, name)
    } catch {
      _ = unsafe unlink(new)
      throw error
    }
    guard unsafe rename(new, place(name)) == 0 else { throw Self.failure(name) }
    try flushFolder()
  }

  public func remove(_ name: String) throws(FileError) {
    guard unsafe unlink(place(name)) == 0 || errno == ENOENT else { throw Self.failure(name) }
  }

  public func sizes() throws(FileError) -> [String: Int] {
    var sizes: [String: Int] = [:]
    for name in try entries() where name != "lock" && !name.hasSuffix(".new") {
      var status = stat()
      guard unsafe stat(place(name), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      sizes[name] = Int(status.st_size)
    }
    return sizes
  }

  private func entries() throws(FileError) -> [String] {
    guard let folder = unsafe opendir(path) else { throw Self.failure(path) }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      let size = MemoryLayout.size(ofValue: unsafe entry.pointee.d_name)
      names.append(
        unsafe withUnsafePointer(to: &entry.pointee.d_name) {
          unsafe $0.withMemoryRebound(to: CChar.self, capacity: size) { unsafe String(cString: $0) }
        })
    }
    return names
  }

  /// Writes all bytes and flushes them to disk.
  private static func write(_ bytes: [UInt8], to file: Int32, _ name: String) throws(FileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure(name) }
      rest = rest.dropFirst(count)
    }
    guard fsync(file) == 0 else { throw failure(name) }
  }

  /// Flushes the folder's entries to disk, so that created and renamed files survive a crash.
  private func flushFolder() throws(FileError) {
    let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { throw Self.failure(path) }
    defer { Glibc.close(folder) }
    guard fsync(folder) == 0 else { throw Self.failure(path) }
  }
}

/// The C library's text for an `errno`.
func systemText(_ code: Int32) -> String {
  unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
}
