import HTTP

extension String {
  var bytes: [UInt8] { Array(utf8) }
}

/// Parses a head in pieces of `size` bytes; returns it with all bytes after it.
func parseRequest(
  _ text: String, size: Int = .max, limits: HeadLimits = HeadLimits()
) throws(HTTPError) -> (head: RequestHead, rest: String)? {
  var parser = RequestParser(limits: limits)
  let bytes = text.bytes
  var offset = 0
  while offset < bytes.count {
    let end = offset + min(size, bytes.count - offset)
    if let (head, consumed) = try parser.receive(bytes[offset..<end].span) {
      return (head, String(decoding: bytes[(offset + consumed)...], as: UTF8.self))
    }
    offset = end
  }
  return nil
}

func parseResponse(_ text: String) throws(HTTPError) -> ResponseHead? {
  var parser = ResponseParser()
  return try parser.receive(text.bytes.span)?.head
}

/// Reads a body in pieces of `size` bytes; returns it with the number of bytes that belong to it.
func readBody(
  _ framing: BodyFraming, _ bytes: [UInt8], limit: Int, size: Int = .max
) throws(HTTPError) -> (body: [UInt8], consumed: Int, isComplete: Bool) {
  var reader = try BodyReader(framing, limit: limit)
  var offset = 0
  while offset < bytes.count {
    let end = offset + min(size, bytes.count - offset)
    let consumed = try reader.receive(bytes[offset..<end].span)
    offset += consumed
    if offset < end { break }
  }
  return (reader.body, offset, reader.isComplete)
}
