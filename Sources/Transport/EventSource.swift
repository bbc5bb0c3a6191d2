/// A descriptor that a loop watches: a stream, a listening socket or a connecting socket.
class EventSource {
  let loop: LoopCore
  private(set) var descriptor: Int32
  private(set) var interest: UInt32 = 0
  /// The place of this source in the loop, with a generation. An event that was fetched before its descriptor was
  /// closed carries an old generation, so it never reaches a new source at the same place.
  private(set) var token: UInt64 = 0

  init(loop: LoopCore, descriptor: Int32) {
    self.loop = loop
    self.descriptor = descriptor
  }

  deinit { releaseDescriptor() }

  /// Handles events of `PollSet`.
  func ready(_ events: UInt32) {}

  /// Ends in order, because the loop stops.
  func loopStops() {}

  /// Ends at once, because the loop has waited long enough.
  func loopIsStopped() {}

  func watch(_ interest: UInt32) throws(SystemError) {
    token = loop.reserveToken(for: self)
    do {
      try loop.pollSet.add(descriptor, token: token, interest: interest)
      self.interest = interest
    } catch {
      loop.forget(token)
      throw error
    }
  }

  func change(interest new: UInt32) {
    guard new != interest else { return }
    interest = new
    loop.pollSet.change(descriptor, token: token, interest: new)
  }

  /// Stops watching and closes the descriptor.
  func release() {
    unwatch()
    releaseDescriptor()
  }

  /// Stops watching and hands over the descriptor, which the caller closes.
  func takeDescriptor() -> Int32 {
    unwatch()
    return exchange(&descriptor, with: -1)
  }

  private func unwatch() {
    guard descriptor >= 0, token != 0 else { return }
    // Closing alone would not do while a child process that is being created still holds a copy.
    loop.pollSet.remove(descriptor)
    loop.forget(token)
    token = 0
  }

  private func releaseDescriptor() {
    if descriptor >= 0 { System.close(descriptor) }
    descriptor = -1
  }
}
