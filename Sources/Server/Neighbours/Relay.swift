import JSON
import Platform
import Rooms

/// Everything that a batch sends from one shard to connections of another, in one message.
struct RelayBatch: Sendable {
  enum Kind {
    /// Bytes for the stream.
    case frame
    /// The answer of one call of a JSON-RPC batch, which is answered as a whole.
    case answer(ticket: UInt64)
    case close(lingering: Bool)
    case abort
  }

  struct Piece {
    let connection: UInt64
    let kind: Kind
    let range: Range<Int>
  }

  private(set) var bytes: [UInt8] = []
  private(set) var pieces: [Piece] = []

  mutating func append(_ kind: Kind, _ new: Span<UInt8>, to connection: UInt64) {
    // A patch goes to many: its bytes are carried once.
    if let last = pieces.last, last.range.count == new.count, isEqual(last.range, new) {
      pieces.append(Piece(connection: connection, kind: kind, range: last.range))
      return
    }
    let start = bytes.count
    bytes.append(contentsOf: new)
    pieces.append(Piece(connection: connection, kind: kind, range: start..<bytes.count))
  }

  private func isEqual(_ range: Range<Int>, _ new: Span<UInt8>) -> Bool {
    let old = bytes.span.extracting(range)
    for index in old.indices where old[index] != new[index] { return false }
    return true
  }
}

/// The way to a connection of another shard, for the session that stands for it here.
///
/// Bytes that the other side has not reported as taken count as unsent, so that a slow client costs no more memory than
/// one whose rooms live on its own loop.
final class RelayStream: Stream {
  private unowned let neighbours: Neighbours
  private let origin: SessionKey
  let peer: PeerAddress
  private(set) var unsentByteCount = 0
  private(set) var sentByteCount = 0
  /// The loop that has the socket closes stalled connections.
  let stalledSince: Duration? = nil

  var isReadingPaused = false {
    didSet {
      guard isReadingPaused != oldValue else { return }
      neighbours.pause(isReadingPaused, origin)
    }
  }

  init(_ neighbours: Neighbours, origin: SessionKey, peer: PeerAddress) {
    self.neighbours = neighbours
    self.origin = origin
    self.peer = peer
  }

  func send(_ bytes: Span<UInt8>) {
    unsentByteCount += bytes.count
    neighbours.relay(.frame, bytes, to: origin)
  }

  /// Sends one answer of a batch of calls.
  func send(_ text: [UInt8], ticket: UInt64) {
    unsentByteCount += text.count
    neighbours.relay(.answer(ticket: ticket), text.span, to: origin)
  }

  func close(lingering: Bool) { neighbours.relay(.close(lingering: lingering), Span(), to: origin) }
  func abort() { neighbours.relay(.abort, Span(), to: origin) }

  /// The connection's own shard has given so many bytes to the kernel.
  func taken(_ count: Int) {
    unsentByteCount -= count
    sentByteCount += count
  }
}
