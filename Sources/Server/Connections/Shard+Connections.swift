import HTTP
import JSON
import Platform
import WebSocket

/// From bytes to messages: the HTTP request that opens a connection, then frames.
extension Shard {
  static let subprotocol = "hearth.v1"

  func receiveHead(_ bytes: inout MutableSpan<UInt8>, _ session: Session) {
    if isLeaving { return session.stream?.abort() ?? () }
    guard case .head(var parser) = session.phase else { return }
    // Taken out while it works: with each piece it would copy all that has come before (RELIABILITY E6).
    session.phase = .head(RequestParser())
    let request: RequestHead
    let unread: Int
    do throws(HTTPError) {
      guard let (head, consumed) = try parser.receive(bytes.span) else {
        session.phase = .head(parser)
        return
      }
      (request, unread) = (head, bytes.count - consumed)
    } catch {
      services.log(.debug, "connection.refused", ["status": .number(error.status.rawValue), "why": "\(error)"])
      let start = parser.start
      return respond(error.response(toPath: start?.target.path), session, method: start?.method)
    }
    session.proxied = accounts.proxied(request.headers, from: session.stream?.peer)
    if request.target.path == "/sync" { return upgrade(request, unread: unread, session) }
    let connection = HTTPConnection(self, session)
    session.phase = .http(connection)
    connection.accept(request)
    connection.receive(bytes.span.extracting(last: unread))
  }

  func send(_ response: Response, _ session: Session, includesBody: Bool = true) {
    session.stream?.send(completed(response, session).encoded(includesBody: includesBody).span)
  }

  /// Sends the head of a response whose body follows in pieces.
  func send(head: Response, _ session: Session) {
    session.stream?.send(completed(head, session).encodedHead().span)
  }

  /// A response with the headers that all have.
  private func completed(_ response: Response, _ session: Session) -> Response {
    var response = response
    if !response.headers.contains("Content-Security-Policy") {
      for field in Protection.ofData.fields { response.headers.add(field.name, field.value) }
    }
    // Browsers shall not come in clear text from now on (RFC 6797 §7.1; SEC-5).
    if session.stream?.peer.isEncrypted == true {
      response.headers.add("Strict-Transport-Security", "max-age=31536000")
    }
    return response
  }

  /// Sends the last response on a connection. To HEAD it has no body (RFC 9110 §9.3.2).
  func respond(_ response: Response, _ session: Session, method: String?) {
    var response = response
    if !response.headers.list("Connection", contains: "close") { response.headers.add("Connection", "close") }
    send(response, session, includesBody: method != "HEAD")
    session.stream?.close()
    session.phase = .closing
  }

  private func upgrade(_ request: RequestHead, unread: Int, _ session: Session) {
    let policy = UpgradePolicy(
      subprotocols: [Self.subprotocol], origins: .only(origins(of: request)), deflate: .stateless)
    do throws(UpgradeError) {
      let upgrade = try policy.accept(request, unreadByteCount: unread)
      session.stream?.send(upgrade.response.encoded().span)
      // A frame for many is compressed once, with the largest window: a client with a smaller one gets it plain.
      session.isDeflating = upgrade.deflate.map { $0.serverMaxWindowBits ?? 15 == 15 } ?? false
      session.inflates = upgrade.deflate != nil
      session.phase = .open
      accounts.arrivedByProxy(session)
    } catch {
      let response = error.response
      services.log(.debug, "connection.refused", ["status": .number(response.status.rawValue), "why": "\(error)"])
      respond(response, session, method: request.method)
    }
  }

  // MARK: frames

  func receiveFrames(_ bytes: inout MutableSpan<UInt8>, _ session: Session) {
    var receiver: Receiver
    switch session.phase {
    case .open: receiver = Receiver(role: .server)
    case .amid(let begun): receiver = begun
    default: return
    }
    // Taken out while it works: what it hands on may close the session.
    session.phase = .receiving
    if session.person != nil { session.takesLarge = true }
    receiver.limits = WebSocket.Limits(
      framePayloadBytes: WireLimits.frame,
      messageBytes: session.takesLarge ? WireLimits.message : WireLimits.messageBeforeHello,
      fragments: WireLimits.fragments)
    do throws(ProtocolError) {
      try receiver.receive(&bytes, inflater: session.inflates ? teller.codec.inflater : nil) { event, payload in
        self.handle(event, payload, session)
      }
      if case .receiving = session.phase { session.phase = receiver.isIncomplete ? .amid(receiver) : .open }
      connections.noteUnfinished(session, receiver.isIncomplete)
    } catch {
      if case .receiving = session.phase { session.phase = .open }
      session.close(error.closeCode, "")
    }
  }

  private func handle(_ event: Receiver.Event, _ payload: Span<UInt8>, _ session: Session) {
    guard session.isOpen else { return }
    switch event {
    case .text:
      session.isUsed = true
      session.messageSince = nil
      connections.noteCalls(1, bytes: payload.count, of: session)
      receive(payload, from: session)
    case .binary: session.close(.unsupportedData, "messages are text")
    case .ping:
      session.stream?.send(Frame.encode(.pong, payload).span)
      session.notePing(at: loop.uptime)
    case .pong: session.notePing(at: loop.uptime)
    case .close(let code): session.close(code, "")
    }
  }
}
