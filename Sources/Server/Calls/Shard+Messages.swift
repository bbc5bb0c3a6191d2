import JSON
import Rooms

/// JSON-RPC 2.0: from the text of a message to a method and its parameters, and back.
extension Shard {
  /// Handles one text message.
  func receive(_ text: Span<UInt8>, from session: Session) {
    if isLeaving { return }
    if session.isHeld { return session.queue(text.copied) }
    let message: View
    do throws(JSONError) { message = try work.parse(text) } catch {
      let refusal = Refusal(.parseError, "parseError", "This is not JSON: \(error).")
      let error = errorMember(refusal)
      send(to: session) { write(error.span, asAnswerTo: .null, to: $0) }
      return countError(of: session)
    }
    switch message.kind {
    case .object: call(message, session, batch: nil)
    case .array: receiveBatch(message, session)
    default: refuseMalformed("a message is an object, or a list of them", session, batch: nil)
    }
  }

  private func receiveBatch(_ message: View, _ session: Session) {
    let count = message.count
    guard count > 0, count <= WireLimits.batch else {
      return refuseMalformed("a batch has 1 to \(WireLimits.batch) calls", session, batch: nil)
    }
    connections.noteCalls(count - 1, of: session)
    let batch = CallBatch(count: count) { answers, isSecret in
      guard !answers.isEmpty else { return }
      self.send(to: session, isSecret: isSecret) { writer in
        writer.openArray()
        for answer in answers { writer.value(answer) }
        writer.closeArray()
      }
    }
    message.forEachItem { item in
      // Behind a call that takes a while the others wait, as messages do.
      if session.isHeld { session.queue(item.copied, of: batch) } else { receive(item, of: batch, from: session) }
    }
  }

  /// Handles one call of a batch that had to wait.
  func receive(_ text: Span<UInt8>, of batch: CallBatch, from session: Session) {
    if isLeaving { return }
    if let item = try? work.parse(text) { receive(item, of: batch, from: session) }
  }

  private func receive(_ item: View, of batch: CallBatch, from session: Session) {
    if item.kind == .object {
      call(item, session, batch: batch)
    } else {
      refuseMalformed("a call is an object", session, batch: batch)
    }
  }

  private func call(_ message: View, _ session: Session, batch: CallBatch?) {
    guard message[key: "jsonrpc"]?.equals("2.0") == true else {
      return refuseMalformed("jsonrpc must be \"2.0\"", session, batch: batch)
    }
    guard let name = message[key: "method"], name.kind == .string else {
      return refuseMalformed("method must be text", session, batch: batch)
    }
    var id: RequestID?
    if let view = message[key: "id"] {
      guard let text = idText(view) else {
        return refuseMalformed("id must be text or a number of at most 128 characters", session, batch: batch)
      }
      id = text
    }
    guard let parameters = message[key: "params"] ?? work.noParameters, parameters.kind == .object else {
      return refuseMalformed("params must be an object", session, batch: batch)
    }
    let table = methods(for: session)
    let entry = table[name]
    if session.isExchange, let entry, RPCEndpoint.needsSocket.contains(entry.name) {
      batch?.begin()
      return refuse(Caller(session: session, id: id, batch: batch), .needsSocket)
    }
    let home = neighbours.elsewhere(entry, parameters, session)
    if let batch, !batch.begin(on: home ?? index, orElse: { session.release() }) {
      session.queueFirst(message.copied, of: batch)
      return session.hold()
    }
    if let home {
      return neighbours.forward(
        message, to: home, from: session, batch: batch, isSubscribing: isSubscribing(entry, parameters))
    }
    let counter = entry?.counter ?? table.unknown
    perform(entry, called: name, parameters, Caller(session: session, id: id, batch: batch, counter: counter))
  }

  /// The methods that a connection can call. No connection has both kinds.
  func methods(for session: Session) -> MethodTable { session.isAdmin ? adminMethods : methods }

  /// Whether a call will watch a room, or be told by the room why not.
  private func isSubscribing(_ entry: MethodEntry?, _ parameters: View) -> Bool {
    guard entry?.name == "room.subscribe" else { return false }
    return work.problems.lend { SubscribeParameters.read(parameters, $0) != nil }
  }

  private func idText(_ view: View) -> RequestID? {
    switch view.kind {
    case .string, .number, .null:
      return work.scratch.lend { writer in
        writer.raw(view)
        return writer.count <= 128 ? writer.withSpan { RequestID($0) } : nil
      }
    default: return nil
    }
  }

  private func refuseMalformed(_ what: String, _ session: Session, batch: CallBatch?) {
    let refusal = Refusal(.invalidRequest, "invalidRequest", "Not a JSON-RPC 2.0 request: \(what).")
    batch?.begin()
    refuse(Caller(session: session, id: .null, batch: batch), refusal)
    countError(of: session)
  }

  private func countError(of session: Session) {
    session.errorCount += 1
    if session.errorCount > WireLimits.errors { session.close(.tooManyErrors, "too many malformed messages") }
  }

  // MARK: answers

  /// Answers a call at once with what `write` puts into the result object.
  func answer(_ caller: Caller, isSecret: Bool = false, _ write: (Writer) -> Void) {
    guard caller.batch == nil else {
      // Behind its answer the batch may go on with its next call, which borrows the writer.
      return deliver(caller, member: resultMember(write), isSecret: isSecret)
    }
    work.scratch.lend { writer in
      writeResult(to: writer, write)
      writer.withSpan { deliver(caller, member: $0, isSecret: isSecret) }
    }
  }

  /// Answers a call behind the commit of what the room contains, of which the answer may tell.
  func answer(_ caller: Caller, behind seat: Seat, _ write: (Writer) -> Void) {
    guard let group = seat.pendingGroup else { return answer(caller, write) }
    group.answer(caller, resultMember(write))
  }

  /// Answers a call with a member `"result":…` or `"error":…`, behind the commit of what the room contains.
  func answer(_ caller: Caller, behind seat: Seat, member: [UInt8]) {
    if let group = seat.pendingGroup { group.answer(caller, member) } else { deliver(caller, member: member) }
  }

  func refuse(_ caller: Caller, _ refusal: Refusal) {
    deliver(caller, member: errorMember(refusal))
  }

  /// Refuses a call behind the commit of what the room contains, of which the refusal may tell.
  func refuse(_ caller: Caller, behind seat: Seat, _ refusal: Refusal) {
    answer(caller, behind: seat, member: errorMember(refusal))
  }

  /// Reads the parameters of a call; refuses the call if they are invalid, and answers `nil`.
  func read<Parameters>(for caller: Caller, _ read: (Problems) -> Parameters?) -> Parameters? {
    var refusal: Refusal?
    let parameters = work.problems.lend { problems in
      let parameters = read(problems)
      if parameters == nil { refusal = .invalid(problems) }
      return parameters
    }
    if let refusal { refuse(caller, refusal) }
    return parameters
  }

  /// `"result":{…}`, as it stands in a message or a receipt.
  func resultMember(_ write: (Writer) -> Void) -> [UInt8] {
    work.scratch.lend { writer in
      writeResult(to: writer, write)
      return writer.bytes()
    }
  }

  private func writeResult(to writer: Writer, _ write: (Writer) -> Void) {
    writer.key("result")
    writer.openObject()
    write(writer)
    writer.closeObject()
  }

  /// `"error":{…}`, as it stands in a message or a receipt.
  func errorMember(_ refusal: Refusal) -> [UInt8] {
    counters.noteRefusal(refusal.reason)
    return work.scratch.lend { writer in
      writer.key("error")
      refusal.write(to: writer)
      return writer.bytes()
    }
  }

  func deliver(_ caller: Caller, member: [UInt8], isSecret: Bool = false) {
    deliver(caller, member: member.span, isSecret: isSecret)
  }

  /// Delivers an answer whose member `"result":…` or `"error":…` is given.
  func deliver(_ caller: Caller, member: Span<UInt8>, isSecret: Bool = false) {
    connections.noteAnswer(of: member.count, to: caller.session)
    // `"error":` or `"result":`.
    if member[1] == UInt8(ascii: "e") { caller.counter?.refused += 1 } else { caller.counter?.answered += 1 }
    guard let id = caller.id else {
      caller.batch?.add([])
      return
    }
    guard let batch = caller.batch else {
      return send(to: caller.session, isSecret: isSecret) { write(member, asAnswerTo: id, to: $0) }
    }
    let writer = Writer(capacity: member.count + 64)
    write(member, asAnswerTo: id, to: writer)
    batch.add(writer.bytes(), isSecret: isSecret)
  }

  private func write(_ member: Span<UInt8>, asAnswerTo id: RequestID, to writer: Writer) {
    writer.raw("{\"jsonrpc\":\"2.0\",\"id\":")
    id.write(to: writer)
    writer.raw(",")
    writer.raw(member)
    writer.raw("}")
  }

  /// Sends a notification: a method and parameters without an id.
  func notify(_ session: Session, _ method: StaticString, _ write: (Writer) -> Void) {
    send(to: session) { writer in
      writer.raw("{\"jsonrpc\":\"2.0\",\"method\":")
      writer.string(method)
      writer.raw(",\"params\":")
      writer.openObject()
      write(writer)
      writer.closeObject()
      writer.raw("}")
    }
  }

  /// Sends one message.
  private func send(to session: Session, isSecret: Bool = false, _ write: (Writer) -> Void) {
    work.frame.lend { frame in
      frame.skip(FrameCodec.headerSpace)
      write(frame)
      session.send(frame, isSecret: isSecret)
    }
  }
}
