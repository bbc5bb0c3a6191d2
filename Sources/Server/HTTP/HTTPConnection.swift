import Crypto
import HTTP
import JSON
import Platform
import Rooms

/// A connection whose calls come by `POST /rpc`: one request after another, each answered before the next is looked
/// at, so that what is pending is bounded (DESIGN §3).
///
/// The token is looked up before the body is read, so a stranger's body is a small one.
final class HTTPConnection {
  private enum State {
    case head(RequestParser)
    /// The token is being looked up, or an answer written: what comes next waits.
    case busy
    case body(HTTPRequest, BodyReader)
    case serving(HTTPRequest, Session)
    case over
  }

  /// Methods that make sense on a connection that lasts only.
  static let needsSocket: Set<String> = ["hello", "room.subscribe", "room.unsubscribe"]
  /// Bytes that may come ahead of their turn.
  static let aheadLimit = 2 * WireLimits.message

  private unowned let shard: Shard
  private unowned let session: Session
  private var state = State.head(RequestParser())
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
    case .busy, .serving: true
    case .head: session.isThrottled || isFull
    case .body: isFull
    case .over: false
    }
  }

  /// Responses that the client does not take wait in memory, so there may not be many.
  private var isFull: Bool { shard.connections.isFull(session) }

  // MARK: bytes

  func receive(_ bytes: Span<UInt8>) {
    if case .over = state { return }
    guard ahead.count + bytes.count <= max(Self.aheadLimit, bytes.count) else {
      return refuse(HTTPProblem(.contentTooLarge, .tooLarge, "pipelined", "Too much has come ahead of its turn."))
    }
    ahead += bytes.copied
    take()
  }

  /// Continues after the stream has drained, or after the right to call has changed.
  func proceed() { take() }

  /// Looks at what has come, up to a request that has to be answered first.
  private func take() {
    guard !isTaking else { return }
    isTaking = true
    defer {
      isTaking = false
      session.stream?.isReadingPaused = isBusy
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
      case .body(let request, var reader):
        state = .busy
        do throws(HTTPError) {
          offset += try reader.receive(rest)
        } catch {
          return refuse(HTTPProblem(error), request)
        }
        guard reader.isComplete else {
          state = .body(request, reader)
          return
        }
        serve(request, reader.body)
      case .busy, .serving, .over: return
      }
    }
    ahead = Array(bytes[offset...])
  }

  // MARK: one request

  /// Takes the head of a request; its body, if any, is what comes next.
  func accept(_ head: RequestHead) {
    deadline?.cancel()
    shard.connections.noteCalls(1, of: session)
    // Later requests may be for another path; a WebSocket needs a connection of its own.
    guard head.target.path == "/rpc" else {
      state = .over
      return shard.serve(head, Span(), session)
    }
    let request: HTTPRequest
    do throws(HTTPProblem) {
      request = try HTTPRequest(head, origins: shard.configuration.allowedOrigins)
    } catch {
      return close(with: error.response([:]), method: head.method)
    }
    if request.isPreflight {
      var headers = request.corsHeaders
      headers.add("Allow", "POST, OPTIONS")
      return respond(Response(.noContent, headers: headers), to: request)
    }
    if shard.isLeaving { return refuse(.unavailable, request) }
    guard let token = request.token else { return read(request) }
    state = .busy
    shard.services.directory.session(
      tokenHash: SHA256.hash(Array(token.utf8)),
      reply: Reply(on: shard.loop.poster) { [weak self] in self?.checked(request, $0) })
  }

  /// The directory has answered whose token it is (SEC-1).
  private func checked(_ request: HTTPRequest, _ result: Result<SessionRecord?, StoreError>) {
    guard case .busy = state else { return }
    switch result {
    case .failure: refuse(.unavailable, request)
    case .success(let record?) where !shard.accounts.isExpired(record):
      // Read back with every call, written once in a while.
      let now = shard.accounts.timeOfUse
      if now - record.lastUsedAt >= .seconds(60) { shard.services.directory.touchSession(record.id, at: now) }
      shard.accounts.noteKnown(session)
      var request = request
      request.record = record
      read(request)
    case .success: refuse(.badToken, request)
    }
    take()
  }

  private func read(_ request: HTTPRequest) {
    let limit = request.record == nil ? WireLimits.messageBeforeHello : WireLimits.message
    do throws(HTTPError) {
      state = .body(request, try BodyReader(try request.head.bodyFraming(), limit: limit))
    } catch {
      return refuse(HTTPProblem(error), request)
    }
    if request.head.expectsContinue { session.stream?.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8).span) }
    arm(shard.configuration.helloTimeout)
  }

  private func serve(_ request: HTTPRequest, _ body: [UInt8]) {
    deadline?.cancel()
    let calls: [[UInt8]]
    let isBatch: Bool
    do throws(HTTPProblem) {
      (calls, isBatch) = try shard.calls(in: body, request, isFromOwner: session.isAdmin)
    } catch {
      return refuse(error, request)
    }
    shard.connections.noteCalls(calls.count - 1, bytes: body.count, of: session)
    let exchange = shard.beginExchange(for: request, of: self, peer: session.stream?.peer)
    state = .serving(request, exchange)
    let batch = CallBatch(count: calls.count) { [weak self] answers, _ in
      self?.finish(request, answers, isBatch: isBatch)
    }
    for call in calls where exchange.isOpen {
      if exchange.isHeld {
        exchange.queue(call, of: batch)
      } else {
        shard.receive(call.span, of: batch, from: exchange)
      }
    }
  }

  private func finish(_ request: HTTPRequest, _ answers: [[UInt8]], isBatch: Bool) {
    guard endExchange() else { return }
    shard.connections.noteAnswer(of: answers.reduce(0) { $0 + $1.count }, to: session)
    var headers = request.corsHeaders
    headers.add("Cache-Control", "no-store")
    guard !answers.isEmpty else { return respond(Response(.noContent, headers: headers), to: request) }
    headers.add("Content-Type", "application/json")
    let writer = Writer(capacity: answers.reduce(16) { $0 + $1.count + 1 })
    if isBatch { writer.openArray() }
    for answer in answers { writer.value(answer) }
    if isBatch { writer.closeArray() }
    respond(Response(.ok, headers: headers, body: writer.bytes()), to: request)
  }

  /// Refuses a request whose calls have an unknown outcome: the client may send it again.
  func interrupt() {
    guard case .serving(let request, _) = state else { return }
    refuse(.unavailable, request)
  }

  /// Ends the session that the calls of a request ran in; `false` where there is none any more.
  @discardableResult
  private func endExchange() -> Bool {
    guard case .serving(_, let exchange) = state else { return false }
    state = .busy
    exchange.closed(.local)
    return true
  }

  // MARK: responses

  private func respond(_ response: Response, to request: HTTPRequest) {
    guard request.head.keepsAlive else { return close(with: response, method: request.head.method) }
    shard.counters.responses[response.status.rawValue, default: 0] += 1
    shard.send(response, session)
    state = .head(RequestParser())
    arm(shard.configuration.silenceLimit)
    // Bytes that arrived meanwhile are next.
    take()
  }

  private func refuse(_ problem: HTTPProblem, _ request: HTTPRequest? = nil) {
    close(with: problem.response(request?.corsHeaders ?? [:]), method: request?.head.method)
  }

  /// Says the last thing on this connection.
  private func close(with response: Response, method: String?) {
    endExchange()
    shard.counters.responses[response.status.rawValue, default: 0] += 1
    state = .over
    deadline?.cancel()
    shard.respond(response, session, method: method)
  }

  /// The server is stopping: a call that runs is not waited for, and nothing else is begun.
  func leave() {
    if case .serving = state { interrupt() } else { session.stream?.close() }
    state = .over
  }

  /// The connection is gone.
  func ended() {
    endExchange()
    state = .over
    deadline?.cancel()
  }

  private func arm(_ delay: Duration) {
    deadline?.cancel()
    deadline = shard.loop.schedule(after: delay) { [weak self] in
      guard let self else { return }
      if case .body(let request, _) = state { return refuse(.tooSlow, request) }
      // A client that has not read its last answer yet still gets it.
      session.stream?.close()
    }
  }
}

/// The stream of a session that stands for one request: only the answers of its calls leave, and those by another way.
private final class ExchangeStream: Stream {
  private weak var connection: HTTPConnection?
  let peer: PeerAddress
  let unsentByteCount = 0
  let sentByteCount = 0
  let stalledSince: Duration? = nil
  var isReadingPaused = false

  init(_ connection: HTTPConnection, peer: PeerAddress) {
    self.connection = connection
    self.peer = peer
  }

  func send(_ bytes: Span<UInt8>) {}
  func close(lingering: Bool) { connection?.interrupt() }
  func abort() { connection?.interrupt() }
}

extension Shard {
  /// A session for the calls of one request, which rooms treat like any other, here and on other shards.
  fileprivate func beginExchange(
    for request: HTTPRequest, of connection: HTTPConnection, peer: PeerAddress?
  ) -> Session {
    let session = connections.add { Session(shard: self, now: loop.uptime, number: $0) }
    let nowhere = PeerAddress(host: "", port: 0, isLoopback: false, isEncrypted: false)
    session.stream = ExchangeStream(connection, peer: peer ?? nowhere)
    session.phase = .guest(nil)
    session.isExchange = true
    session.isInClear = peer?.isInClear ?? true
    session.isAdmin = peer?.isOwner ?? false
    session.client = request.client
    // A proxy may send requests of many clients over one connection.
    session.proxied = accounts.proxied(request.head.headers, from: peer)
    if let record = request.record, let token = request.token {
      session.person = record.person
      session.sessionID = record.id
      session.usedAt = accounts.timeOfUse
      session.answerKey = AnswerKey(token: Array(token.utf8))
    }
    return session
  }

  /// The calls that a body holds, each as its text.
  fileprivate func calls(
    in body: [UInt8], _ request: HTTPRequest, isFromOwner: Bool
  ) throws(HTTPProblem) -> (calls: [[UInt8]], isBatch: Bool) {
    let message: View
    do throws(JSONError) { message = try work.parse(body.span) } catch {
      throw HTTPProblem(.badRequest, .parseError, "parseError", "This is not JSON: \(error).")
    }
    var items: [View] = []
    switch message.kind {
    case .object: items = [message]
    case .array:
      message.forEachItem { items.append($0) }
      if request.client.isIdempotencyKey { throw .invalid("An Idempotency-Key goes with one call, not with a batch.") }
    default: throw .invalid("Not a JSON-RPC 2.0 request: a message is an object, or a list of them.")
    }
    guard (1...WireLimits.batch).contains(items.count) else {
      throw .invalid("Not a JSON-RPC 2.0 request: a batch has 1 to \(WireLimits.batch) calls.")
    }
    if request.record == nil, !isFromOwner {
      let isOpenToAll = items.allSatisfy { item in
        item.kind == .object && item[key: "method"].flatMap { methods[$0]?.server?.needsPerson } == false
      }
      if !isOpenToAll { throw .noToken }
    }
    return (items.map(\.copied), message.kind == .array)
  }
}

extension Refusal {
  static var needsSocket: Refusal {
    Refusal(.invalidRequest, "needsSocket", "This method needs a WebSocket, on /sync.")
  }
}
