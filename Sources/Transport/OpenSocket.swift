internal import Synchronization

/// A socket on its way from its creator to the loop that will serve it. It is closed if it never arrives.
final class OpenSocket: Sendable {
  private let descriptor: Atomic<Int32>
  let peer: SocketAddress

  init(_ descriptor: Int32, peer: SocketAddress = SocketAddress()) {
    self.descriptor = Atomic(descriptor)
    self.peer = peer
  }

  deinit {
    let left = descriptor.load(ordering: .relaxed)
    if left >= 0 { System.close(left) }
  }

  /// The descriptor, which this object owns: valid until `take`.
  var borrowed: Int32 { descriptor.load(ordering: .relaxed) }

  /// Hands over the descriptor. The caller closes it.
  func take() -> Int32 { descriptor.exchange(-1, ordering: .relaxed) }
}
