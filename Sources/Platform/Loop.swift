public import Rooms

/// The interface of an event loop to the objects that belong to it. All calls are made on the loop.
///
/// Nothing here is `Sendable`: rooms, sessions and streams belong to one loop. Use `poster` to reach the loop from
/// another thread.
public protocol Loop: AnyObject {
  /// Wall-clock time, read once per batch of events.
  var now: Instant { get }
  /// Monotonic time since the loop was created, read once per batch of events. Use it for deadlines of connections.
  var uptime: Duration { get }
  /// Posts work to this loop from any thread.
  var poster: any Poster { get }
  /// Runs `action` once on this loop, after `delay` or up to 10 ms later. Keep the result to cancel it.
  @discardableResult
  func schedule(after delay: Duration, _ action: @escaping () -> Void) -> any LoopTimer
  /// Whether more events are ready than the current batch could hold; the next batch follows at once.
  var hasBacklog: Bool { get }
  /// The share of recent time in which the loop was busy, 0 to 1.
  var load: Double { get }
  /// Requests one more call of `LoopHandler.batchEnded` after the current batch, even if no event arrives.
  func wantBatchEnd()
  /// Sends the output that streams have collected in this batch, if it is large or on many streams.
  ///
  /// Code that writes to many streams calls it when it is done with a group of them, so that each is sent to while its
  /// data is still in the CPU's caches.
  func flushIfMany()
  /// Overwrites the buffers that hold nothing now, in which earlier input and output can still be found. The loop
  /// overwrites the free part of a thread's stack by itself before it gives the thread back.
  func wipeBuffers()
}

/// A timer that has not fired yet. Releasing it does not cancel it.
public protocol LoopTimer: AnyObject {
  func cancel()
}

/// Posts work to a loop from any thread.
public protocol Poster: AnyObject, Sendable {
  /// Runs `work` on the loop in its next batch. Calls from one thread keep their order.
  func post(_ work: @escaping @Sendable () -> Void)
}

/// Receives the new connections of a loop and the end of each batch of events.
public protocol LoopHandler: AnyObject {
  /// Whether to accept a connection from `peer`. Called on the accepting loop before any work is spent on it.
  func admits(_ peer: PeerAddress) -> Bool
  /// Reports a new connection after its TLS handshake, if any. The returned handler receives its events.
  func opened(_ stream: any Stream) -> any StreamHandler
  /// Reports that all events of the batch are handled. Output of the batch is sent right afterwards, if not before.
  func batchEnded()
}

extension LoopHandler {
  public func admits(_ peer: PeerAddress) -> Bool { true }
}

/// A connection as an ordered stream of bytes in both directions. Belongs to one loop.
public protocol Stream: AnyObject {
  /// Copies `bytes` to the output. It is sent at the end of the batch together with the rest of the batch's output, or
  /// earlier: by `Loop.flushIfMany`, or between two events when much has collected.
  func send(_ bytes: Span<UInt8>)
  /// The number of bytes passed to `send` that the kernel has not accepted yet.
  var unsentByteCount: Int { get }
  /// The number of bytes that the kernel has accepted since the stream was opened.
  var sentByteCount: Int { get }
  /// The uptime since which output has been waiting without progress; `nil` if no output is waiting.
  var stalledSince: Duration? { get }
  /// Closes after the remaining output. `StreamHandler.closed` follows once.
  ///
  /// - Parameter lingering: Whether output waits for a kernel that does not take it with this batch; without, it is
  ///   discarded.
  func close(lingering: Bool)
  /// Closes at once and discards unsent output. `StreamHandler.closed` follows once, after this call returns.
  func abort()
  /// Whether reading is paused, which puts back-pressure on the peer.
  var isReadingPaused: Bool { get set }
  var peer: PeerAddress { get }
}

extension Stream {
  /// Sends the remaining output, then closes.
  public func close() { close(lingering: true) }
}

/// Receives the events of one stream, on its loop.
public protocol StreamHandler: AnyObject {
  /// Passes received bytes, which the handler may change. They are valid only during the call.
  func received(_ bytes: inout MutableSpan<UInt8>)
  /// Reports that the kernel has accepted all output, after some of it had to wait.
  func writable()
  /// Reports the end of the stream. No event follows.
  func closed(_ reason: StreamEnd)
}

/// The reason why a stream ended.
public enum StreamEnd: Sendable, Equatable {
  /// This side closed it.
  case local
  /// The peer closed it in order.
  case peer
  /// A system call failed with this `errno`.
  case failed(Int32)
}

/// The address of a peer and the properties of its connection that rules need.
public struct PeerAddress: Sendable, Hashable, CustomStringConvertible {
  /// The address without the port, such as `127.0.0.1`.
  public var host: String
  public var port: UInt16
  /// Whether the connection stays on this machine.
  public var isLoopback: Bool
  /// Whether TLS protects the connection.
  public var isEncrypted: Bool
  /// Whether the connection came by a local socket that only the owner of this process, or root, can open. Only the
  /// kernel can say so: nothing that a peer sends has any influence.
  public var isOwner: Bool

  public init(host: String, port: UInt16, isLoopback: Bool, isEncrypted: Bool, isOwner: Bool = false) {
    self.host = host
    self.port = port
    self.isLoopback = isLoopback
    self.isEncrypted = isEncrypted
    self.isOwner = isOwner
  }

  public var description: String { "\(host):\(port)" }
}
