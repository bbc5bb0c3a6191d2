import TestSupport

/// What is fed with whatever a peer or a damaged disk may hold (RELIABILITY D1 to D4).
///
/// Each takes one input of any bytes, and throws where the code under test does what it must not; a trap or a memory
/// error ends the process. Limits are smaller than in production, so that short inputs reach them.
public enum FuzzTarget: String, CaseIterable, Sendable {
  /// A request as it comes, cut anywhere: head, body, and the answer to an upgrade.
  case upgrade
  /// `Sec-WebSocket-Extensions`, offered and answered.
  case extensions
  /// Frames, cut anywhere, against a second reading of RFC 6455.
  case frames
  /// What a server sends to a client, from its first byte.
  case dialogue
  /// Compressed messages.
  case inflate
  /// JSON texts, against Foundation's reading.
  case json
  /// Documents and patches.
  case patch
  /// What a server may say to a client.
  case answers
  /// What a room remembers of its patches, and of the calls that it has answered.
  case memory
  /// A room's snapshot, log, ring and live values.
  case stored
  /// Lines that somebody who is signed in says, against the log, a restart and his own document.
  case calls
  /// Bytes that a stranger sends.
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

/// Something that must hold does not.
struct Wrong: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Throws where something that must hold does not.
func expect(_ holds: Bool, _ what: @autoclosure () -> String) throws {
  guard holds else { throw Wrong(what()) }
}

/// An input from its front: a few numbers that say how, then the bytes that it is about.
struct Input {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// The next byte; 0 where there is none.
  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// All bytes, in parts that end at each `separator`.
  func parts(_ separator: UInt8) -> [[UInt8]] {
    rest.split(separator: separator, omittingEmptySubsequences: false).map { Array($0) }
  }

  /// All bytes, in pieces such as a network may make of them; the same for the same `way`. Way 0 is all at once.
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
