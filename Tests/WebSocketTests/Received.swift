import TestSupport
import WebSocket

/// An event with a copy of its payload.
struct Received: Hashable, CustomStringConvertible {
  var event: Receiver.Event
  var payload: [UInt8]

  init(_ event: Receiver.Event, _ payload: [UInt8] = []) {
    self.event = event
    self.payload = payload
  }

  static func text(_ text: String) -> Received { Received(.text, Array(text.utf8)) }
  static func binary(_ bytes: [UInt8]) -> Received { Received(.binary, bytes) }
  static func ping(_ text: String = "") -> Received { Received(.ping, Array(text.utf8)) }
  static func pong(_ text: String = "") -> Received { Received(.pong, Array(text.utf8)) }
  static func close(_ code: CloseCode?, _ reason: String = "") -> Received {
    Received(.close(code), Array(reason.utf8))
  }

  var description: String {
    payload.count <= 40 ? "\(event) \(payload)" : "\(event) \(payload.count) bytes"
  }
}

struct Outcome: Equatable {
  var events: [Received] = []
  var error: ProtocolError?
}

extension Receiver {
  /// Feeds a copy of `bytes` and appends the resulting events or error.
  mutating func feed(_ bytes: ArraySlice<UInt8>, inflater: Inflater? = nil, into outcome: inout Outcome) {
    var copy = Array(bytes)
    var span = copy.mutableSpan
    do throws(ProtocolError) {
      try receive(&span, inflater: inflater) { event, payload in
        outcome.events.append(Received(event, payload.array))
      }
    } catch {
      outcome.error = outcome.error ?? error
    }
  }
}

extension Span<UInt8> {
  var array: [UInt8] { indices.map { self[$0] } }
}

/// Receives `bytes` in pieces that end at each of `cuts`.
func receive(
  _ bytes: [UInt8], as role: Role = .server, cuts: [Int] = [], limits: Limits = Limits(), inflater: Inflater? = nil
) -> Outcome {
  var receiver = Receiver(role: role, limits: limits)
  var outcome = Outcome()
  var start = 0
  for cut in cuts.sorted() + [bytes.count] where cut > start {
    receiver.feed(bytes[start..<cut], inflater: inflater, into: &outcome)
    start = cut
  }
  return outcome
}

/// Encodes a frame: its first byte as given, the shortest length, the payload masked as a client must.
///
/// Independent of the code under test.
func frame(_ first: UInt8, _ payload: [UInt8] = [], mask: [UInt8]? = [0x37, 0xFA, 0x21, 0x3D]) -> [UInt8] {
  let bit: UInt8 = mask == nil ? 0 : 0x80
  var bytes = [first]
  switch payload.count {
  case 0...125: bytes.append(bit | UInt8(payload.count))
  case 126...65_535: bytes += [bit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
  default: bytes += [bit | 127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
  }
  guard let mask else { return bytes + payload }
  return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 % 4] }
}

func frame(_ first: UInt8, _ text: String, mask: [UInt8]? = [0x37, 0xFA, 0x21, 0x3D]) -> [UInt8] {
  frame(first, Array(text.utf8), mask: mask)
}

extension SeededGenerator {
  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
  }
}
