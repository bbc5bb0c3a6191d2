internal import Glibc

/// A file beside the store that keeps some space of the disk.
///
/// SQLite cannot open a store in WAL mode without writing a little, not even for reading. If the disk is full when the
/// server starts, this space lets it start and answer questions (RELIABILITY C4).
struct SpareSpace {
  /// Bytes: for the log and the index of two files, and for a copy of the file of keys.
  private static let size = 256 * 1024

  private let path: String

  init(besides store: String) { path = store + "-spare" }

  /// Takes the space, unless it is taken already or the disk has too little.
  func keep() {
    var status = stat()
    if unsafe stat(path, &status) == 0, status.st_blocks * 512 >= Self.size { return }
    let descriptor = unsafe open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return }
    let isKept = posix_fallocate(descriptor, 0, Self.size) == 0
    close(descriptor)
    if !isKept { release() }
  }

  /// Gives the space back to the disk; returns whether there was any.
  @discardableResult
  func release() -> Bool { unsafe unlink(path) == 0 }
}
