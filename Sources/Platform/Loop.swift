public import Rooms

/// What an event loop offers those who live on it. Every call is made on the loop itself.
///
/// Nothing here is `Sendable`: rooms, sessions and streams belong to one loop. What must cross to another thread goes
/// through `poster`.
public protocol Loop: AnyObject {
  /// Wall-clock time, read once per batch of events.
  var now: Instant { get }
  /// Monotonic time since the loop was made, read once per batch of events. Deadlines of connections use this one.
  var uptime: Duration { get }
  /// The way onto this loop from any thread.
  var poster: any Poster { get }
  /// Runs `action` once on this loop, `delay` from now or up to 10 ms later. Keep the answer to cancel it.
  @discardableResult
  func schedule(after delay: Duration, _ action: @escaping () -> Void) -> any LoopTimer
  /// More was ready than the running batch could hold: the rest is at hand and makes the next one.
  var hasBacklog: Bool { get }
  /// What share of the time the loop was busy lately, 0 to 1.
  var load: Double { get }
  /// Calls `LoopHandler.batchEnded` once more after the running batch, though no event may come.
  func wantBatchEnd()
  /// Sends what streams have been given in this batch so far, if they or the bytes are many. Who hands out much calls
  /// it at places where little is added to the same streams afterwards: each is sent to while it is still in the
  /// processor's caches.
  func flushIfMany()
}

/// A timer that has not fired yet. Letting go of it does not cancel it.
public protocol LoopTimer: AnyObject {
  func cancel()
}

/// The way onto a loop from any thread.
public protocol Poster: AnyObject, Sendable {
  /// Runs `work` on the loop, in the order of the calls from one thread, in its next batch.
  func post(_ work: @escaping @Sendable () -> Void)
}

/// Whoever lives on a loop: takes its new connections and hears when a batch of events has been handled.
public protocol LoopHandler: AnyObject {
  /// Whether a connection from there may be taken; asked before anything is spent on it, on the loop that accepts.
  func admits(_ peer: PeerAddress) -> Bool
  /// A connection has been accepted, and its TLS handshake (if any) is done. The answer hears what happens to it.
  func opened(_ stream: any Stream) -> any StreamHandler
  /// All events at hand have been handled; what streams have been given to send leaves right after this, at the latest.
  func batchEnded()
}

extension LoopHandler {
  public func admits(_ peer: PeerAddress) -> Bool { true }
}

/// A connection's bytes, in order, both ways. Lives on one loop.
public protocol Stream: AnyObject {
  /// Takes a copy of `bytes` to send. They leave at the end of the batch, together with all else of that batch, or
  /// sooner: with `Loop.flushIfMany`, or between two events where much has come together.
  func send(_ bytes: Span<UInt8>)
  /// Bytes taken by `send` that the system has not taken yet.
  var unsentByteCount: Int { get }
  /// Bytes the system has taken, since the stream was opened.
  var sentByteCount: Int { get }
  /// The loop's uptime since which the system has taken nothing though something waits; `nil` while nothing waits.
  var stalledSince: Duration? { get }
  /// Sends what is still unsent, then closes. `StreamHandler.closed` follows once.
  func close()
  /// Closes at once and forgets what is unsent. `StreamHandler.closed` follows once, not within this call.
  func abort()
  /// While paused, nothing is read: the peer feels back-pressure.
  var isReadingPaused: Bool { get set }
  var peer: PeerAddress { get }
}

/// Hears what happens to one stream, on its loop.
public protocol StreamHandler: AnyObject {
  /// `bytes` came in; they are the handler's to change, and gone when the call returns.
  func received(_ bytes: inout MutableSpan<UInt8>)
  /// Everything given to `send` has been taken by the system, after it could not be for a while.
  func writable()
  /// The stream is over; nothing comes after this.
  func closed(_ reason: StreamEnd)
}

/// Why a stream ended.
public enum StreamEnd: Sendable, Equatable {
  /// We closed it.
  case local
  /// The peer closed it in order.
  case peer
  /// The system reported an error, by its `errno`.
  case failed(Int32)
}

/// Where a peer is, as far as rules need it.
public struct PeerAddress: Sendable, Hashable, CustomStringConvertible {
  /// The address without the port, such as `127.0.0.1`.
  public var host: String
  public var port: UInt16
  /// The connection does not leave this machine.
  public var isLoopback: Bool
  /// TLS protects the connection.
  public var isEncrypted: Bool

  public init(host: String, port: UInt16, isLoopback: Bool, isEncrypted: Bool) {
    self.host = host
    self.port = port
    self.isLoopback = isLoopback
    self.isEncrypted = isEncrypted
  }

  public var description: String { "\(host):\(port)" }
}
