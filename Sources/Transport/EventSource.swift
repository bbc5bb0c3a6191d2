/// A descriptor that a loop watches: a stream, a listening socket, a connection being made.
class EventSource {
  let loop: LoopCore
  private(set) var descriptor: Int32
  private(set) var interest: UInt32 = 0
  /// Where the loop keeps this source, and when it was put there: an event that was fetched before its descriptor was
  /// closed carries the token of a source that is gone, and so never reaches the next one of that number.
  private(set) var token: UInt64 = 0

  init(loop: LoopCore, descriptor: Int32) {
    self.loop = loop
    self.descriptor = descriptor
  }

  deinit { releaseDescriptor() }

  /// Handles events of `PollSet`.
  func ready(_ events: UInt32) {}

  /// The loop stops: end in order.
  func loopStops() {}

  /// The loop has waited for long enough: end at once.
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

  /// Stops watching; who takes the descriptor closes it.
  func takeDescriptor() -> Int32 {
    unwatch()
    return exchange(&descriptor, with: -1)
  }

  private func unwatch() {
    guard descriptor >= 0, token != 0 else { return }
    // Closing would do, but not while a child process that is being made still holds a copy.
    loop.pollSet.remove(descriptor)
    loop.forget(token)
    token = 0
  }

  private func releaseDescriptor() {
    if descriptor >= 0 { System.close(descriptor) }
    descriptor = -1
  }
}
