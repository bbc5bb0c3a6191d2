import HTTP
import WebSocket

/// The result of the bytes of one request.
private struct Reading: Equatable {
  var head: RequestHead?
  var body: [UInt8]?
  var error: HTTPError?
  /// The number of bytes after the request.
  var left: [UInt8] = []
}

private func read(_ pieces: [[UInt8]]) -> Reading {
  var reading = Reading()
  var parser = RequestParser(limits: HeadLimits(sizeBytes: 600, headerCount: 12))
  var body: BodyReader?
  do throws(HTTPError) {
    for piece in pieces {
      var rest = piece[...]
      if reading.head == nil {
        guard let (head, consumed) = try parser.receive(rest.span) else { continue }
        reading.head = head
        rest = rest.dropFirst(consumed)
        body = try BodyReader(try head.bodyFraming(), limit: 100)
      }
      if let taken = try body?.receive(rest.span) { rest = rest.dropFirst(taken) }
      reading.left += rest
    }
    if body?.isComplete == true { reading.body = body?.body }
  } catch {
    reading.error = error
    // The part read before an error depends on the pieces, and no caller uses it.
    reading.left = []
  }
  return reading
}

func fuzzUpgrade(_ input: [UInt8]) throws {
  var input = Input(input)
  let way = input.byte()
  let whole = read(input.pieces(0))
  let cut = read(input.pieces(way))
  try expect(cut == whole, "the result depends on the pieces: \(cut) in pieces, \(whole) as a whole")
  try expect((whole.body?.count ?? 0) <= 100, "a body above the limit was accepted")
  guard let head = whole.head else { return }
  // A parsed request must be the same after encoding and parsing it.
  let body = whole.body ?? []
  let bytes = Request(head.method, head.target, host: "a", body: body).encoded()
  if bytes.count < 600 {
    let again = read([bytes])
    let isSame = again.head?.method == head.method && again.head?.target == head.target && again.body ?? [] == body
    try expect(isSame && again.left.isEmpty, "after encoding and parsing it is \(again)")
  }
  _ = (head.keepsAlive, head.expectsContinue)
  let segments = head.target.segments ?? []
  try expect(segments.allSatisfy { !$0.contains("/") && !$0.contains("\0") }, "a segment has a separator: \(segments)")
  let origins = Set(["https://app.example"].compactMap { Origin($0) })
  let policy = UpgradePolicy(subprotocols: ["hearth.v1"], origins: .only(origins), deflate: .asOffered)
  let outcome = Result { () throws(UpgradeError) in try policy.accept(head, unreadByteCount: whole.left.count) }
  switch outcome {
  case .success(let upgrade):
    let (status, behind) = try readHead(of: upgrade.response)
    try expect(status == .switchingProtocols && behind == 0, "accepted with \(status) and \(behind) extra bytes")
    try expect(
      head.headers["Sec-WebSocket-Version"] == "13" && head.method == "GET", "accepted a request that is not an upgrade"
    )
  case .failure(let error):
    let (status, _) = try readHead(of: error.response)
    try expect(status == error.response.status, "refused with \(status)")
  }
}

/// The status of a response and the number of bytes after its head.
private func readHead(of response: Response) throws -> (status: Status, behind: Int) {
  let bytes = response.encoded()
  var parser = ResponseParser()
  guard let (head, consumed) = try parser.receive(bytes.span) else {
    throw Wrong("the response cannot be parsed: \(String(decoding: bytes, as: UTF8.self))")
  }
  return (head.status, bytes.count - consumed)
}

func fuzzExtensions(_ input: [UInt8]) throws {
  guard let text = String(validating: input, as: UTF8.self), let header = ExtensionHeader(text) else { return }
  let again = header.extensions.map(\.text).joined(separator: ", ")
  try expect(ExtensionHeader(again) == header, "the header is not the same after writing: \(again)")
  for offered in header.extensions {
    guard let offer = DeflateOffer(offered) else { continue }
    try expect(DeflateOffer(offer.extension) == offer, "an offer is not the same after writing: \(offer)")
    for policy in [DeflatePolicy.stateless, .asOffered] {
      guard let alone = ExtensionHeader(offered.text), let answer = policy.accept(alone) else { continue }
      // RFC 7692 §7.1: the client that made the offer must accept the server's answer.
      try expect(
        DeflateParameters(answer.extension, to: offer) != nil,
        "the client rejects the answer \(answer.extension.text) to its offer \(offered.text)")
    }
  }
}
