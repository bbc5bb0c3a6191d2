import Platform

/// Back-pressure: a connection whose client does not take what it is sent is not read from.
extension ConnectionTable {
  func isFull(_ session: Session) -> Bool {
    (session.stream?.unsentByteCount ?? 0) > configuration.unsentLimit
  }

  /// Stops reading from a client that does not take its answers, until they have left. Patches are merged for it, but
  /// each call has an answer of its own, and a flood of calls would fill the memory with them. A slow client may keep
  /// calling until its unsent bytes grow by another `unsentLimit`.
  func chokeIfFull(_ session: Session) {
    guard session.origin == nil else { return }
    guard session.isOpen, isFull(session), let unsent = session.stream?.unsentByteCount else {
      session.toleratedBytes = 0
      session.isChoked = false
      return
    }
    if session.toleratedBytes == 0 {
      session.toleratedBytes = Int32(clamping: unsent + configuration.unsentLimit)
    }
    session.isChoked = unsent > Int(session.toleratedBytes)
    noteFull(session)
  }
}
