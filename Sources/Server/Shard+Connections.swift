import HTTP
import JSON
import Platform
import WebSocket

/// From bytes to messages: the HTTP request that opens a connection, then frames.
extension Shard {
  static let subprotocol = "hearth.v1"

  func receiveHead(_ bytes: inout MutableSpan<UInt8>, _ session: Session) {
    guard case .head(var parser) = session.phase else { return }
    let request: RequestHead
    let unread: Int
    do throws(HTTPError) {
      guard let (head, consumed) = try parser.receive(bytes.span) else {
        session.phase = .head(parser)
        return
      }
      (request, unread) = (head, bytes.count - consumed)
    } catch {
      return respond(Response(error.status, headers: ["Connection": "close"], text: "\(error)\n"), session)
    }
    switch request.target.path {
    case "/sync": upgrade(request, unread: unread, session)
    case "/healthz": respond(Response(.ok, headers: ["Connection": "close"], text: "ok\n"), session)
    default:
      let text = "WebSocket clients connect to /sync.\n"
      respond(Response(.notFound, headers: ["Connection": "close"], text: text), session)
    }
  }

  private func respond(_ response: Response, _ session: Session) {
    session.stream?.send(response.encoded().span)
    session.stream?.close()
    session.phase = .closing
  }

  private func upgrade(_ request: RequestHead, unread: Int, _ session: Session) {
    let policy = UpgradePolicy(
      subprotocols: [Self.subprotocol], origins: .only(configuration.allowedOrigins), deflate: .stateless)
    do throws(UpgradeError) {
      let upgrade = try policy.accept(request, unreadByteCount: unread)
      session.stream?.send(upgrade.response.encoded().span)
      // A frame for many is compressed once, with the largest window: whoever asked for a smaller one gets it plain.
      session.isDeflating = upgrade.deflate.map { $0.serverMaxWindowBits ?? 15 == 15 } ?? false
      session.inflates = upgrade.deflate != nil
      session.phase = .open(
        Receiver(
          role: .server,
          limits: WebSocket.Limits(
            framePayloadBytes: WireLimits.frame, messageBytes: WireLimits.messageBeforeHello,
            fragments: WireLimits.fragments)))
    } catch {
      respond(error.response, session)
    }
  }

  // MARK: frames

  func receiveFrames(_ bytes: inout MutableSpan<UInt8>, _ session: Session) {
    // Taken out while it works: what it hands on may close the session.
    guard case .open(var receiver) = session.phase else { return }
    session.phase = .receiving
    if session.person != nil { receiver.limits.messageBytes = WireLimits.message }
    do throws(ProtocolError) {
      try receiver.receive(&bytes, inflater: session.inflates ? codec.inflater : nil) { event, payload in
        self.handle(event, payload, session)
      }
      if case .receiving = session.phase { session.phase = .open(receiver) }
    } catch {
      if case .receiving = session.phase { session.phase = .open(receiver) }
      session.close(error.closeCode, "")
    }
  }

  private func handle(_ event: Receiver.Event, _ payload: Span<UInt8>, _ session: Session) {
    guard session.isOpen else { return }
    switch event {
    case .text: receive(payload, from: session)
    case .binary: session.close(.unsupportedData, "messages are text")
    case .ping: session.stream?.send(Frame.encode(.pong, payload).span)
    case .pong: break
    case .close(let code): session.close(code, "")
    }
  }
}
