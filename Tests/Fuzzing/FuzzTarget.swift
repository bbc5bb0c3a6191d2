import TestSupport

/// The fuzz targets: code that parses bytes of a peer or of a damaged disk (RELIABILITY D1 to D4).
///
/// Each takes one input of arbitrary bytes and throws if the code under test violates an invariant; a trap or a memory
/// error ends the process. Limits are smaller than in production, so that short inputs reach them.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// A request in pieces: head, body, and the response to an upgrade.
  case upgrade
  /// Offers and answers in `Sec-WebSocket-Extensions`.
  case extensions
  /// Frames in pieces, compared with a model of RFC 6455.
  case frames
  /// Bytes from a server to a client, starting with the response to the upgrade.
  case dialogue
  /// Compressed messages.
  case inflate
  /// JSON texts, compared with Foundation.
  case json
  /// Documents and merge patches.
  case patch
  /// Messages from a server to a client.
  case answers
  /// A room's memory of its patches and of the calls that it has answered.
  case memory
  /// A room's snapshot, log, ring and live values.
  case stored
  /// Messages of a signed-in client, checked against the log, a restart and the client's own document.
  case calls
  /// Bytes from an unauthenticated client.
  case session

  public func run(_ input: [UInt8]) throws {
    switch self {
    case .upgrade: try fuzzUpgrade(input)
    case .extensions: try fuzzExtensions(input)
    case .frames: try fuzzFrames(input)
    case .dialogue: try fuzzDialogue(input)
    case .inflate: try fuzzInflate(input)
    case .json: try fuzzJSON(input)
    case .patch: try fuzzPatch(input)
    case .answers: fuzzAnswers(input)
    case .memory: try fuzzMemory(input)
    case .stored: try fuzzStored(input)
    case .calls: try fuzzCalls(input)
    case .session: try fuzzSession(input)
    }
  }
}

/// A violated invariant.
struct Wrong: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Throws `Wrong` if the condition does not hold.
func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws {
  guard holds else { throw Wrong(what()) }
}

/// An input: a few leading bytes are parameters, the rest is data.
struct Input {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// Takes the next byte; 0 at the end.
  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// The remaining bytes, split at each `separator`.
  func parts(_ separator: UInt8) -> [[UInt8]] {
    rest.split(separator: separator, omittingEmptySubsequences: false).map { Array($0) }
  }

  /// The remaining bytes in pieces, as a network may deliver them, determined by `way`. Way 0 is a single piece.
  func pieces(_ way: UInt8) -> [[UInt8]] {
    guard way > 0 else { return [Array(rest)] }
    var random = SeededGenerator(seed: UInt64(way))
    var pieces: [[UInt8]] = []
    var left = rest
    while !left.isEmpty {
      let count = way == 1 ? 1 : Int.random(in: 1...2 * Int(way), using: &random)
      pieces.append(Array(left.prefix(count)))
      left = left.dropFirst(count)
    }
    return pieces
  }
}
