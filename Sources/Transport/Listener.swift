internal import Platform

/// Accepts connections and gives them to loops in turn.
public final class Listener: Sendable {
  /// The address to listen on.
  public enum Address: Sendable, Equatable {
    /// 127.0.0.1 and, if the machine has it, ::1: no other machine can connect.
    case loopback
    /// One literal address. `0.0.0.0` and `::` (IPv6 only) stand for all addresses of the machine.
    case literal(String)
    /// A Unix socket at a path, which only this process's user and root can open. The file of a server that was killed
    /// is replaced. If a server listens there, the error is the same as for a port in use.
    case socket(path: String)

    /// Whether only this machine can connect; `nil` for a text that is no address.
    public var isLoopback: Bool? {
      switch self {
      case .loopback, .socket: true
      case .literal(let text): SocketAddress(literal: text, port: 0)?.isLoopback
      }
    }
  }

  /// The port that it listens on. The kernel chooses it if 0 was asked for. It means nothing for a Unix socket.
  public let port: UInt16
  /// The addresses that it listens on, without the port.
  public let hosts: [String]
  private let loops: [EventLoop]
  let tls: TLSServer?
  /// The file of a Unix socket.
  private let path: String?

  static let backlog: Int32 = 4096

  /// Begins to listen, and accepts on the first of `loops`, which must not be empty. Without `tls`, connections are in
  /// clear text.
  ///
  /// When a connection cannot be accepted, the listener calls `acceptFailed` on that loop with the error and pauses for
  /// 100 ms.
  public init(
    address: Address = .loopback, port: UInt16, tls: TLSServer? = nil, loops: [EventLoop],
    acceptFailed: @escaping @Sendable (SystemError) -> Void
  ) throws(SystemError) {
    precondition(!loops.isEmpty, "somebody must serve the connections")
    let sockets = try Self.listen(address, port)
    self.loops = loops
    self.tls = tls
    if case .socket(let path) = address { self.path = path } else { path = nil }
    self.port = sockets[0].peer.port
    hosts = sockets.map(\.peer.host)
    loops[0].run { core in
      guard !core.isStopping else { return }
      for socket in sockets {
        let listening = ListeningSocket(
          loop: core, descriptor: socket.take(), listener: self, loops: loops, acceptFailed: acceptFailed)
        listening.start()
      }
    }
  }

  /// Stops accepting. Accepted connections continue.
  public func stop() {
    if let path { System.remove(path) }
    loops[0].run { $0.stopListening(self) }
  }

  /// The listening sockets. The `peer` of each is the address that it is bound to.
  private static func listen(_ address: Address, _ port: UInt16) throws(SystemError) -> [OpenSocket] {
    switch address {
    case .literal(let host):
      guard let address = SocketAddress(literal: host, port: port) else {
        throw SystemError(call: "inet_pton", code: System.invalidArgument)
      }
      return [try bound(address)]
    case .socket(let path): return [try LocalSocket.listening(at: path)]
    case .loopback:
      var attempt = 0
      while true {
        attempt += 1
        var address = SocketAddress.loopbackIPv4
        address.port = port
        let socket = try bound(address)
        var other = SocketAddress.loopbackIPv6
        other.port = socket.peer.port
        do throws(SystemError) {
          return [socket, try bound(other)]
        } catch  where error.isMissingFamily {
          return [socket]
        } catch  where port == 0 && attempt < 16 {
          continue  // Another process has this port on ::1: try another port.
        }
      }
    }
  }

  private static func bound(_ address: SocketAddress) throws(SystemError) -> OpenSocket {
    let socket = try System.makeSocket(address.systemFamily)
    try System.prepareListening(socket.borrowed, family: address.systemFamily)
    try System.bind(socket.borrowed, to: address)
    try System.listen(socket.borrowed, backlog: backlog)
    let bound = try System.localAddress(socket.borrowed)
    return OpenSocket(socket.take(), peer: bound)
  }
}

/// One socket of a listener, on the loop that accepts its connections.
final class ListeningSocket: EventSource {
  let listener: Listener
  private let loops: [EventLoop]
  private let acceptFailed: @Sendable (SystemError) -> Void
  private var nextLoop = 0
  private var pause: (any LoopTimer)?
  /// A connection that was accepted with a descriptor of the reserve. It is served when a descriptor below the limit is
  /// free.
  private var waiting: OpenSocket?

  /// The number of connections accepted at once, so that connections in service wait no longer than that. It is a whole
  /// backlog, since a client that finds the backlog full retries a second later.
  private static let acceptLimit = Int(Listener.backlog)
  private static let pauseLength: Duration = .milliseconds(100)

  init(
    loop: LoopCore, descriptor: Int32, listener: Listener, loops: [EventLoop],
    acceptFailed: @escaping @Sendable (SystemError) -> Void
  ) {
    self.listener = listener
    self.loops = loops
    self.acceptFailed = acceptFailed
    super.init(loop: loop, descriptor: descriptor)
  }

  func start() {
    do throws(SystemError) { try watch(PollSet.readable) } catch { acceptFailed(error) }
  }

  override func ready(_ events: UInt32) {
    var batches = [[OpenSocket]](repeating: [], count: loops.count)
    let limit = Descriptors.connectionLimit
    accepting: for _ in 0..<Self.acceptLimit {
      let (accepted, peer) = System.accept(descriptor)
      if accepted >= 0 {
        let socket = OpenSocket(accepted, peer: peer)
        // A refused connection costs no more than this: the socket closes when it is released.
        guard loop.admits(socket.peer.peer(isEncrypted: listener.tls != nil)) else { continue }
        if socket.peer.isLocal, !LocalSocket.isOwner(accepted) { continue }
        guard accepted < limit else {
          waiting = socket
          pauseAccepting(because: System.tooManyDescriptors)
          break accepting
        }
        batches[nextLoop].append(socket)
        nextLoop = (nextLoop + 1) % loops.count
        continue
      }
      switch System.acceptProblem(accepted) {
      case .nothingLeft: break accepting
      case .connectionGone: continue
      case .exhausted:
        pauseAccepting(because: -accepted)
        break accepting
      }
    }
    for (target, batch) in zip(loops, batches) where !batch.isEmpty { hand(batch, to: target) }
  }

  /// Stops accepting for `pauseLength`. Retrying at once would spin: the connections stay in the backlog, and the
  /// socket stays ready.
  private func pauseAccepting(because code: Int32) {
    change(interest: 0)
    pause = loop.schedule(after: Self.pauseLength) { [weak self] in self?.goOn() }
    acceptFailed(SystemError(call: "accept4", code: code))
  }

  private func goOn() {
    if let socket = waiting {
      let moved = System.duplicate(socket.borrowed)
      let copy = moved < 0 ? nil : OpenSocket(moved, peer: socket.peer)
      guard let copy, moved < Descriptors.connectionLimit else {
        return pauseAccepting(because: System.tooManyDescriptors)
      }
      waiting = nil
      hand([copy], to: loops[nextLoop])
      nextLoop = (nextLoop + 1) % loops.count
    }
    change(interest: PollSet.readable)
  }

  private func hand(_ batch: [OpenSocket], to target: EventLoop) {
    target.run { [acceptFailed, tls = listener.tls] core in
      for socket in batch {
        do throws(SystemError) { try core.accepted(socket, tls) } catch { acceptFailed(error) }
      }
    }
  }

  override func release() {
    pause?.cancel()
    waiting = nil
    super.release()
  }

  override func loopStops() { release() }
}
