import Crypto
import HTTP
import JSON
import Platform
import Rooms

/// `POST /rpc`: calls of one request, each answered in its order.
///
/// The token is looked up before the body is read, so a stranger's body is a small one.
final class RPCEndpoint {
  /// Methods that make sense on a connection that lasts only.
  static let needsSocket: Set<String> = ["hello", "room.subscribe", "room.unsubscribe"]

  private let exchange: HTTPExchange
  private unowned let shard: Shard
  private var request: HTTPRequest
  /// The session that the calls run in.
  private var session: Session?

  static func serve(_ exchange: HTTPExchange, by shard: Shard) {
    exchange.refusal = { $0.response([:]) }
    let request: HTTPRequest
    do throws(HTTPProblem) {
      request = try HTTPRequest(exchange.head, origins: shard.origins(of: exchange.head))
    } catch {
      return exchange.refuse(error)
    }
    RPCEndpoint(exchange, shard, request).begin()
  }

  private init(_ exchange: HTTPExchange, _ shard: Shard, _ request: HTTPRequest) {
    self.exchange = exchange
    self.shard = shard
    self.request = request
    let headers = request.corsHeaders
    exchange.refusal = { $0.response(headers) }
    exchange.interrupted = { [unowned exchange] in exchange.refuse(.unavailable) }
  }

  private func begin() {
    if request.isPreflight {
      var headers = request.corsHeaders
      headers.add("Allow", "POST, OPTIONS")
      return exchange.respond(Response(.noContent, headers: headers))
    }
    if shard.isLeaving { return exchange.refuse(.unavailable) }
    guard let token = request.token else { return read() }
    shard.services.directory.session(
      tokenHash: SHA256.hash(Array(token.utf8)),
      reply: Reply(on: shard.loop.poster) { [self] in checked($0) })
  }

  /// The directory has answered whose token it is (SEC-1).
  private func checked(_ result: Result<SessionRecord?, StoreError>) {
    if exchange.isOver { return }
    switch result {
    case .failure: exchange.refuse(.unavailable)
    case .success(let record?) where !shard.accounts.isExpired(record):
      // Read back with every call, written once in a while.
      let now = shard.accounts.timeOfUse
      if now - record.lastUsedAt >= .seconds(60) { shard.services.directory.touchSession(record.id, at: now) }
      shard.accounts.noteKnown(exchange.session)
      request.record = record
      read()
    case .success: exchange.refuse(.badToken)
    }
  }

  private func read() {
    let limit = request.record == nil ? WireLimits.messageBeforeHello : WireLimits.message
    exchange.collectBody(upTo: limit) { [self] in serve($0) }
  }

  private func serve(_ body: [UInt8]) {
    let calls: [[UInt8]]
    let isBatch: Bool
    do throws(HTTPProblem) {
      (calls, isBatch) = try shard.calls(in: body, request, isFromOwner: exchange.session.isAdmin)
    } catch {
      return exchange.refuse(error)
    }
    shard.connections.noteCalls(calls.count - 1, bytes: body.count, of: exchange.session)
    let session = shard.beginCalls(of: exchange, request)
    self.session = session
    exchange.ended = { session.closed(.local) }
    let batch = CallBatch(count: calls.count) { [self] answers, _ in finish(answers, isBatch: isBatch) }
    for call in calls where session.isOpen {
      if session.isHeld {
        session.queue(call, of: batch)
      } else {
        shard.receive(call.span, of: batch, from: session)
      }
    }
  }

  private func finish(_ answers: [[UInt8]], isBatch: Bool) {
    if exchange.isOver { return }
    shard.connections.noteAnswer(of: answers.reduce(0) { $0 + $1.count }, to: exchange.session)
    var headers = request.corsHeaders
    headers.add("Cache-Control", "no-store")
    guard !answers.isEmpty else { return exchange.respond(Response(.noContent, headers: headers)) }
    headers.add("Content-Type", "application/json")
    let writer = Writer(capacity: answers.reduce(16) { $0 + $1.count + 1 })
    if isBatch { writer.openArray() }
    for answer in answers { writer.value(answer) }
    if isBatch { writer.closeArray() }
    exchange.respond(Response(.ok, headers: headers, body: writer.bytes()))
  }
}

/// The stream of a session that stands for one request: only the answers of its calls leave, and those by another way.
private final class CallStream: Stream {
  private weak var exchange: HTTPExchange?
  let peer: PeerAddress
  let unsentByteCount = 0
  let sentByteCount = 0
  let stalledSince: Duration? = nil
  var isReadingPaused = false

  init(_ exchange: HTTPExchange) {
    self.exchange = exchange
    peer = exchange.peer ?? PeerAddress(host: "", port: 0, isLoopback: false, isEncrypted: false)
  }

  func send(_ bytes: Span<UInt8>) {}
  func close(lingering: Bool) { exchange?.interrupted?() }
  func abort() { exchange?.interrupted?() }
}

extension Shard {
  /// A session for the calls of one request, which rooms treat like any other, here and on other shards.
  fileprivate func beginCalls(of exchange: HTTPExchange, _ request: HTTPRequest) -> Session {
    let session = connections.add { Session(shard: self, now: loop.uptime, number: $0) }
    session.stream = CallStream(exchange)
    session.phase = .guest(nil)
    session.isExchange = true
    session.isInClear = exchange.peer?.isInClear ?? true
    session.isAdmin = exchange.peer?.isOwner ?? false
    session.client = request.client
    // A proxy may send requests of many clients over one connection.
    session.proxied = accounts.proxied(request.head.headers, from: exchange.peer)
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
