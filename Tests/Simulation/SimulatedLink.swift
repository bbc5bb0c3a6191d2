import Platform
import Rooms

/// What a client hears of its connection.
protocol LinkClient: AnyObject {
  func received(_ bytes: [UInt8], on link: SimulatedLink)
  func ended(_ link: SimulatedLink)
}

/// A connection between a client and a loop of the server: bytes take their time and come in any pieces, but in order;
/// what the system takes is bounded; and it may be cut at any moment, noticed or not.
final class SimulatedLink {
  unowned let world: World
  let number: Int
  weak var client: (any LinkClient)?
  let stream: SimulatedStream
  /// Bytes that lie between the two programs at most.
  let capacity: Int
  private(set) var underway = 0
  /// When the server gave away what the client hears just now.
  private(set) var sentAt = Duration.zero
  private let delay: Duration
  private var clientHearsAt = Duration.zero
  private var serverHearsAt = Duration.zero
  /// What has come while the client reads nothing.
  private var unread: [(bytes: [UInt8], sentAt: Duration)] = []
  private(set) var isCut = false
  /// The client reads nothing for now.
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

  /// Nothing arrives at either end for so long.
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

  /// The client closes in order.
  func close() {
    world.timeline.after(arrival(&serverHearsAt)) { [weak self] in
      guard let self, !isCut else { return }
      isCut = true
      stream.ended(.peer)
    }
    client = nil
  }

  /// The network fails; each side learns of it, or does not.
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

  /// Takes as many bytes as there is room for.
  func take(_ bytes: ArraySlice<UInt8>) -> Int {
    if isCut {
      // The system takes bytes for a while that will go nowhere.
      let taken = min(bytes.count, capacity - underway)
      underway += taken
      return taken
    }
    let taken = bytes.prefix(capacity - underway)
    if taken.isEmpty { return 0 }
    underway += taken.count
    world.sent(Array(taken), on: self)
    let now = world.timeline.now
    for piece in world.pieces(of: Array(taken)) {
      world.timeline.after(arrival(&clientHearsAt)) { [weak self] in self?.deliver(piece, sentAt: now) }
    }
    return taken.count
  }

  /// The server has closed, and all that it sent is on its way.
  func serverClosed() {
    world.timeline.after(arrival(&clientHearsAt)) { [weak self] in
      guard let self, !isCut else { return }
      isCut = true
      client?.ended(self)
      client = nil
    }
  }

  private func deliver(_ bytes: [UInt8], sentAt: Duration) {
    guard !isCut else { return }
    if isStalled || !unread.isEmpty {
      unread.append((bytes, sentAt))
    } else {
      read(bytes, sentAt)
    }
  }

  private func read(_ bytes: [UInt8], _ sentAt: Duration) {
    underway -= bytes.count
    self.sentAt = sentAt
    client?.received(bytes, on: self)
    if !isCut { stream.roomCame() }
  }

  private func readOn() {
    let waiting = unread
    unread = []
    for (bytes, sentAt) in waiting where !isCut { read(bytes, sentAt) }
  }
}
