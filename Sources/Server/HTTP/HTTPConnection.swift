import HTTP
import JSON
import Platform
import Rooms

/// A connection that speaks HTTP/1.1: one request after another, each answered before the next is looked at, so that
/// what is pending is bounded (DESIGN §3).
///
/// The endpoints of `Routes` say what is answered; framing, deadlines and back-pressure are here.
final class HTTPConnection {
  private enum State {
    case head(RequestParser)
    /// An endpoint has the request; its body, if any, is not being read.
    case serving(HTTPExchange)
    case body(HTTPExchange, BodyReader)
    case over
  }

  /// Bytes that may come ahead of their turn.
  static let aheadLimit = 2 * WireLimits.message
  /// Bytes of a body that must come within each `helloTimeout`, or its rest.
  static let progress = 16 << 10

  private unowned let shard: Shard
  private unowned let session: Session
  private var state = State.head(RequestParser())
  /// For the body that is being read: the endpoint, and whether it takes pieces.
  private var sink: (isStreamed: Bool, take: ([UInt8], Bool) -> Void)?
  /// Bytes of the body since the deadline was set.
  private var progress = 0
  /// Bytes that have arrived and are not parsed yet.
  private var ahead: [UInt8] = []
  private var isTaking = false
  private var deadline: (any LoopTimer)?

  init(_ shard: Shard, _ session: Session) {
    self.shard = shard
    self.session = session
  }

  private var isBusy: Bool {
    switch state {
    case .serving: true
    case .head: session.isThrottled || isFull
    case .body(let exchange, _): isFull || exchange.isBodyPaused
    case .over: false
    }
  }

  /// While an answer is streamed the connection is read on: else nobody would notice that the client has gone.
  private func updateReading() {
    session.stream?.isReadingPaused = isBusy && current?.isStreaming != true
  }

  /// Whether the client does not take what it is sent: that waits in memory, so there may not be much of it.
  var isFull: Bool { shard.connections.isFull(session) }

  // MARK: bytes

  func receive(_ bytes: Span<UInt8>) {
    if case .over = state { return }
    guard ahead.count + bytes.count <= max(Self.aheadLimit, bytes.count) else {
      let problem = HTTPProblem(.contentTooLarge, .tooLarge, "pipelined", "Too much has come ahead of its turn.")
      return close(with: current?.refusal(problem) ?? problem.response([:]), of: current)
    }
    ahead += bytes.copied
    take()
  }

  /// Continues after the stream has drained, or after the right to call has changed.
  func proceed() {
    if case .serving(let exchange) = state, !isFull { exchange.drained?() }
    take()
  }

  /// Looks at what has come, up to a request that has to be answered first.
  private func take() {
    guard !isTaking else { return }
    isTaking = true
    defer {
      isTaking = false
      updateReading()
      if isFull { shard.connections.noteFull(session) }
    }
    let bytes = ahead
    ahead = []
    var offset = 0
    while !isBusy {
      let rest = bytes.span.extracting(offset...)
      switch state {
      // Taken out while they work: with each piece they would copy all that has come before (RELIABILITY E6).
      case .head(var parser):
        state = .head(RequestParser())
        do throws(HTTPError) {
          guard let (head, consumed) = try parser.receive(rest) else {
            state = .head(parser)
            return
          }
          offset += consumed
          accept(head)
        } catch {
          let start = parser.start
          return close(with: error.response(toPath: start?.target.path), method: start?.method)
        }
      case .body(let exchange, var reader):
        if rest.isEmpty, !reader.isComplete { return }
        state = .serving(exchange)
        do throws(HTTPError) {
          let count = try reader.receive(rest)
          offset += count
          progress += count
        } catch {
          return exchange.refuse(HTTPProblem(error))
        }
        pass(reader, of: exchange)
      case .serving, .over: return
      }
    }
    ahead = Array(bytes[offset...])
  }

  /// Passes on what has come of a body.
  private func pass(_ reader: consuming BodyReader, of exchange: HTTPExchange) {
    guard let sink else { return }
    if reader.isComplete {
      deadline?.cancel()
      self.sink = nil
      exchange.isBodyRead = true
      return sink.take(reader.drain(), true)
    }
    if progress >= Self.progress { arm(shard.configuration.helloTimeout) }
    let piece = sink.isStreamed ? reader.drain() : []
    state = .body(exchange, reader)
    if !piece.isEmpty { sink.take(piece, false) }
  }

  // MARK: one request

  /// The exchange that is under way.
  private var current: HTTPExchange? {
    switch state {
    case .serving(let exchange), .body(let exchange, _): exchange
    case .head, .over: nil
    }
  }

  /// Takes the head of a request; its body, if any, is what comes next.
  func accept(_ head: RequestHead) {
    deadline?.cancel()
    shard.connections.noteCalls(1, of: session)
    let exchange = HTTPExchange(head, of: self, session)
    state = .serving(exchange)
    shard.services.routes.serve(exchange, by: shard)
  }

  func readBody(
    of exchange: HTTPExchange, upTo limit: Int, isStreamed: Bool, _ take: @escaping ([UInt8], Bool) -> Void
  ) {
    guard case .serving(let serving) = state, serving === exchange, !exchange.isOver else { return }
    if exchange.isBodyRead { return take([], true) }
    do throws(HTTPError) {
      let reader = try BodyReader(try exchange.head.bodyFraming(), limit: limit)
      sink = (isStreamed, take)
      state = .body(exchange, reader)
    } catch {
      return exchange.refuse(HTTPProblem(error))
    }
    if exchange.head.expectsContinue { session.stream?.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8).span) }
    arm(shard.configuration.helloTimeout)
    self.take()
  }

  // MARK: responses

  /// Sends a whole response; the next request follows if nothing is left of this one.
  func send(_ response: Response, of exchange: HTTPExchange) {
    guard mayFollow(exchange), !response.headers.list("Connection", contains: "close") else {
      return close(with: response, of: exchange)
    }
    note(response.status)
    shard.send(response, session, includesBody: exchange.head.method != "HEAD")
    next(after: exchange)
  }

  /// Sends the head of a streamed response.
  func begin(_ status: Status, _ headers: Headers, isChunked: Bool, of exchange: HTTPExchange) {
    deadline?.cancel()
    note(status)
    var headers = headers
    if isChunked { headers.add("Transfer-Encoding", "chunked") }
    if !isChunked || !mayFollow(exchange) { headers.add("Connection", "close") }
    shard.send(head: Response(status, headers: headers), session)
    updateReading()
    watchForStall()
  }

  func stream(_ bytes: Span<UInt8>, isChunked: Bool) {
    guard let stream = session.stream else { return }
    if isChunked { stream.send(Array("\(String(bytes.count, radix: 16))\r\n".utf8).span) }
    stream.send(bytes)
    if isChunked { stream.send(Array("\r\n".utf8).span) }
    if isFull { shard.connections.noteFull(session) }
  }

  func finish(_ exchange: HTTPExchange, isChunked: Bool) {
    if isChunked, exchange.head.method != "HEAD" { session.stream?.send(Array("0\r\n\r\n".utf8).span) }
    if isChunked, mayFollow(exchange) { return next(after: exchange) }
    end(exchange)
    session.stream?.close()
    session.phase = .closing
  }

  private func mayFollow(_ exchange: HTTPExchange) -> Bool { exchange.head.keepsAlive && exchange.isBodyRead }

  private func next(after exchange: HTTPExchange) {
    state = .head(RequestParser())
    exchange.end()
    arm(shard.configuration.silenceLimit)
    // Bytes that arrived meanwhile are next.
    take()
  }

  /// Says the last thing on this connection.
  func close(with response: Response, of exchange: HTTPExchange?) {
    close(with: response, method: exchange?.head.method)
  }

  private func close(with response: Response, method: String?) {
    note(response.status)
    if let current { end(current) } else { end(nil) }
    shard.respond(response, session, method: method)
  }

  private func end(_ exchange: HTTPExchange?) {
    state = .over
    sink = nil
    deadline?.cancel()
    exchange?.end()
  }

  private func note(_ status: Status) { shard.counters.responses[status.rawValue, default: 0] += 1 }

  /// The server cannot finish what is under way: the client may ask again.
  func interrupt() {
    guard let current else { return }
    current.interrupted?()
    if !current.isOver {
      end(current)
      session.stream?.close()
    }
  }

  /// The server is stopping: a request that is being served is not waited for, and nothing else is begun.
  func leave() {
    if current != nil { interrupt() } else { session.stream?.close() }
    state = .over
  }

  /// The connection is gone.
  func ended() { end(current) }

  private func arm(_ delay: Duration) {
    progress = 0
    deadline?.cancel()
    deadline = shard.loop.schedule(after: delay) { [weak self] in
      guard let self else { return }
      if case .body(let exchange, _) = state {
        // A client that has to wait is not slow.
        return exchange.isBodyPaused ? arm(delay) : exchange.refuse(.tooSlow)
      }
      // A client that has not read its last answer yet still gets it.
      session.stream?.close()
    }
  }

  /// Ends a streamed answer whose client takes nothing.
  private func watchForStall() {
    deadline = shard.loop.schedule(after: shard.configuration.stallLimit) { [weak self] in
      guard let self, case .serving = state, let stream = session.stream else { return }
      if let since = stream.stalledSince, shard.loop.uptime - since >= shard.configuration.stallLimit {
        return stream.abort()
      }
      watchForStall()
    }
  }
}
