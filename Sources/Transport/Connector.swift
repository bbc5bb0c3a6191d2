public import Platform

/// Why a connection could not be made.
public enum ConnectError: Error, Sendable, Equatable {
  /// The name has no address.
  case unknownHost(String)
  /// Too many lookups of names are in flight.
  case busy
  /// The peer did not answer in time.
  case timedOut
  /// The kernel reported an error for the last address that was tried.
  case failed(SystemError)
  /// The loop is stopping.
  case stopped
  /// The server's certificate is not for this host, or no trusted authority has signed it. The text says why.
  case notTrusted(String)
  /// The TLS handshake failed. The text says why.
  case notSecured(String)
}

/// Makes connections from a loop, and lives on that loop.
public final class Connector {
  private let loop: LoopCore
  private let workers: any Workers

  /// Creates a connector that looks up names on `workers`. Literal addresses need no lookup.
  public init(loop: LoopCore, workers: any Workers) {
    self.loop = loop
    self.workers = workers
  }

  /// Connects to a literal address, or to the first address of a name that answers, within `limit` in all.
  ///
  /// With `tls`, the connector opens the stream when the server has proven to be `host`.
  ///
  /// The connector calls either `opened`, which returns the stream's handler, or `failed`: once, and after this call
  /// has returned. A stopped loop calls neither.
  public func connect(
    to host: String, port: UInt16, tls: TLSClient? = nil, within limit: Duration = .seconds(10),
    opened: @escaping (any Stream) -> any StreamHandler, failed: @escaping (ConnectError) -> Void
  ) {
    let side = tls.map { TLSSession.Side.client($0.context, host: host) }
    let attempts = Attempts(loop: loop, side, deadline: loop.uptime + limit, opened: opened, failed: failed)
    if let address = SocketAddress(literal: host, port: port) {
      loop.schedule(after: .zero) { attempts.tryNext([address]) }
      return
    }
    let reply = Reply<Result<[SocketAddress], ConnectError>?>(on: loop.poster) { answer in
      switch answer {
      case nil: attempts.failed(.busy)
      case .failure(let error): attempts.failed(error)
      case .success(let addresses): attempts.tryNext(addresses[...])
      }
    }
    workers.run({ System.resolve(host, port: port) }, reply: reply)
  }
}

/// The attempts of one `connect`: one address after another, each with its share of the remaining time.
private final class Attempts {
  let loop: LoopCore
  /// `nil` for clear text.
  let side: TLSSession.Side?
  let deadline: Duration
  let opened: (any Stream) -> any StreamHandler
  let failed: (ConnectError) -> Void

  init(
    loop: LoopCore, _ side: TLSSession.Side?, deadline: Duration,
    opened: @escaping (any Stream) -> any StreamHandler, failed: @escaping (ConnectError) -> Void
  ) {
    self.loop = loop
    self.side = side
    self.deadline = deadline
    self.opened = opened
    self.failed = failed
  }

  func tryNext(_ addresses: ArraySlice<SocketAddress>, after error: ConnectError = .timedOut) {
    guard !loop.isStopping else { return failed(.stopped) }
    guard let address = addresses.first else { return failed(error) }
    let left = deadline - loop.uptime
    guard left > .zero else { return failed(.timedOut) }
    do throws(SystemError) {
      let attempt = try ConnectingSocket(loop: loop, address: address) { [self] result in
        switch result {
        case .success(let socket): adopt(socket)
        case .failure(.stopped): failed(.stopped)
        case .failure(let error): tryNext(addresses.dropFirst(), after: error)
        }
      }
      attempt.start(within: left / addresses.count)
    } catch {
      tryNext(addresses.dropFirst(), after: .failed(error))
    }
  }

  private func adopt(_ socket: OpenSocket) {
    do throws(SystemError) {
      guard let side else { return try loop.adopt(socket, opened) }
      try loop.adopt(
        socket, side, within: deadline - loop.uptime, TLSSession.Opening(opened: opened, failed: failed))
    } catch {
      failed(.failed(error))
    }
  }
}

/// A socket that is connecting.
private final class ConnectingSocket: EventSource {
  private let address: SocketAddress
  private var done: ((Result<OpenSocket, ConnectError>) -> Void)?
  private var deadline: (any LoopTimer)?

  init(
    loop: LoopCore, address: SocketAddress, done: @escaping (Result<OpenSocket, ConnectError>) -> Void
  ) throws(SystemError) {
    self.address = address
    self.done = done
    let socket = try System.makeSocket(address.systemFamily)
    try System.setNoDelay(socket.borrowed)
    super.init(loop: loop, descriptor: socket.take())
  }

  func start(within limit: Duration) {
    let code = System.connect(descriptor, to: address)
    if code == 0 { return finish(nil) }
    guard code == System.inProgress else { return finish(.failed(SystemError(call: "connect", code: code))) }
    do throws(SystemError) { try watch(PollSet.writable) } catch { return finish(.failed(error)) }
    deadline = loop.schedule(after: limit) { [unowned self] in finish(.timedOut) }
  }

  override func ready(_ events: UInt32) {
    let code = System.pendingError(descriptor)
    finish(code == 0 ? nil : .failed(SystemError(call: "connect", code: code)))
  }

  override func loopStops() { finish(.stopped) }

  private func finish(_ error: ConnectError?) {
    deadline?.cancel()
    let done = exchange(&self.done, with: nil)
    if let error {
      release()
      done?(.failure(error))
    } else {
      done?(.success(OpenSocket(takeDescriptor(), peer: address)))
    }
  }
}
