import Platform
import Rooms

/// Receives the events of a client's connection.
protocol LinkClient: AnyObject {
  func received(_ bytes: [UInt8], on link: SimulatedLink)
  func ended(_ link: SimulatedLink)
}

/// Bytes that the server composed at one moment; they may wait long for a client that does not read.
struct Composed {
  var count: Int
  let at: Duration

  /// Takes so many bytes off the beginning of a list.
  static func take(_ count: Int, from list: inout ArraySlice<Composed>) -> [Composed] {
    var taken: [Composed] = []
    var left = count
    while left > 0, let first = list.first {
      let part = min(left, first.count)
      taken.append(Composed(count: part, at: first.at))
      left -= part
      if part == first.count { list.removeFirst() } else { list[list.startIndex].count -= part }
    }
    return taken
  }
}

/// A network connection between a client and a loop of the server.
///
/// Bytes arrive delayed and in random pieces, but in order. The kernel buffers are bounded, and the connection may
/// break at any time, noticed or not.
final class SimulatedLink {
  unowned let world: World
  let number: Int
  weak var client: (any LinkClient)?
  let stream: SimulatedStream
  /// The most bytes in flight between the two programs.
  let capacity: Int
  private(set) var underway = 0
  /// When the kernel took the bytes that the client is handling.
  private(set) var sentAt = Duration.zero
  /// When the server composed the bytes that the client is handling, in their order.
  private(set) var composed: [Composed] = []
  private let delay: Duration
  private var clientHearsAt = Duration.zero
  private var serverHearsAt = Duration.zero
  /// Bytes that arrived while the client was not reading.
  private var unread: [Piece] = []
  private(set) var isCut = false
  /// Whether the client has stopped reading for now.
  var isStalled = false {
    didSet { if !isStalled { readOn() } }
  }

  init(_ world: World, number: Int, client: any LinkClient, loop: SimulatedLoop, delay: Duration, capacity: Int) {
    self.world = world
    self.number = number
    self.client = client
    self.delay = delay
    self.capacity = capacity
    stream = SimulatedStream(loop, number: number)
    stream.link = self
  }

  private func arrival(_ last: inout Duration) -> Duration {
    let now = world.timeline.now
    last = max(last, now + world.random.time(upTo: delay))
    return last - now
  }

  /// Delays all bytes in both directions for this time.
  func clog(for time: Duration) {
    let end = world.timeline.now + time
    clientHearsAt = max(clientHearsAt, end)
    serverHearsAt = max(serverHearsAt, end)
  }

  // MARK: from the client

  func send(_ bytes: [UInt8]) {
    for piece in world.pieces(of: bytes) {
      world.timeline.after(arrival(&serverHearsAt)) { [weak self] in
        guard let self, !isCut else { return }
        stream.arrived(piece)
      }
    }
  }

  /// Closes the connection in order, from the client's side.
  func close() {
    world.timeline.after(arrival(&serverHearsAt)) { [weak self] in
      guard let self, !isCut else { return }
      isCut = true
      stream.ended(.peer)
    }
    client = nil
  }

  /// Breaks the connection; each side may or may not notice.
  func cut(clientNotices: Bool, serverNotices: Bool) {
    guard !isCut else { return }
    isCut = true
    if serverNotices {
      world.timeline.after(world.random.time(upTo: .milliseconds(500))) { [stream] in stream.ended(.failed(104)) }
    }
    if clientNotices { tellClient() }
  }

  private func tellClient() {
    world.timeline.after(arrival(&clientHearsAt)) { [weak self] in
      guard let self else { return }
      client?.ended(self)
      client = nil
    }
  }

  // MARK: from the server

  /// Accepts as many bytes as there is room for and returns their number.
  ///
  /// - Parameter composed: When the server composed them, in their order.
  func take(_ bytes: ArraySlice<UInt8>, _ composed: [Composed]) -> Int {
    if isCut {
      // The kernel still accepts bytes for a while, which are lost.
      let taken = min(bytes.count, capacity - underway)
      underway += taken
      return taken
    }
    let taken = bytes.prefix(capacity - underway)
    if taken.isEmpty { return 0 }
    underway += taken.count
    world.sent(Array(taken), on: self)
    var composed = composed[...]
    for bytes in world.pieces(of: Array(taken)) {
      let piece = Piece(
        bytes: bytes, sentAt: world.timeline.now, composed: Composed.take(bytes.count, from: &composed))
      world.timeline.after(arrival(&clientHearsAt)) { [weak self] in self?.deliver(piece) }
    }
    return taken.count
  }

  /// Reports that the server has closed; the bytes it sent before still arrive.
  func serverClosed() {
    world.timeline.after(arrival(&clientHearsAt)) { [weak self] in
      guard let self, !isCut else { return }
      isCut = true
      client?.ended(self)
      client = nil
    }
  }

  /// Bytes that arrive together.
  private struct Piece {
    var bytes: [UInt8]
    var sentAt: Duration
    var composed: [Composed]
  }

  private func deliver(_ piece: Piece) {
    guard !isCut else { return }
    if isStalled || !unread.isEmpty {
      unread.append(piece)
    } else {
      read(piece)
    }
  }

  private func read(_ piece: Piece) {
    underway -= piece.bytes.count
    sentAt = piece.sentAt
    composed = piece.composed
    client?.received(piece.bytes, on: self)
    if !isCut { stream.roomCame() }
  }

  private func readOn() {
    let waiting = unread
    unread = []
    for piece in waiting where !isCut { read(piece) }
  }
}
