import ArgumentParser

/// One way to abuse a server (RELIABILITY E): the variants that attackers take in turn, and the server's duty.
struct Attack {
  enum Kind: String, CaseIterable, ExpressibleByArgument {
    // Slow writers (E2).
    case headers
    case tlsHello = "tls-hello"
    case body
    case frameHeader = "frame-header"
    case framePayload = "frame-payload"
    case fragments
    // Handshakes (E6).
    case splitUpgrade = "split-upgrade"
    case manyHeaders = "many-headers"
    // Sizes (E3, E5).
    case bomb, lengths
    // Floods (E4).
    case manyFragments = "many-fragments"
    case pings
    case emptyMessages = "empty-messages"
    // Messages (E7, E8), and answers that are never read (SYN-7).
    case json, calls, unread
    case cheapCalls = "cheap-calls"
    // Connecting and leaving (E9).
    case visits
  }

  let kind: Kind
  let variants: [Variant]

  /// The longest deadline of the server in seconds; `nil` if it must act at once.
  var longestDeadline: Double? { variants.compactMap(\.deadline).max() }

  struct Variant {
    /// Names the variant in reports.
    let name: String
    var entry: Entry
    var script: Script
    /// Replaces `script` for attacks that need the name of the attacker's household.
    var personalScript: ((_ household: String) -> Script)?
    /// The way in which the server must end the attack.
    var ending: Ending
    /// Seconds after which the server must end it in any case, counted as `Entry` describes; `nil` for at once.
    var deadline: Double?
    /// Whether the server must not end it earlier.
    var isPatient = true
    /// Whether the handshake offers permessage-deflate.
    var offersDeflate = false
    /// Whether nothing is read from the socket once the attack has started.
    var readsNothing = false
    /// Whether the connection ends with a reset.
    var vanishes = false
  }
}

extension Attack {
  /// How far an attacker proceeds like an honest client before the attack.
  ///
  /// The server's deadline counts from the connection, as on the server; for a member from the start of the attack.
  enum Entry {
    /// Only connected, without TLS even if others use it.
    case connected
    /// An HTTP request follows.
    case secured
    /// Frames of an unauthenticated client follow.
    case upgraded
    /// Frames of a client that has said hello with a token follow.
    case member
  }

  /// The end of a connection as the attacker sees it.
  enum Ending: Hashable, CustomStringConvertible {
    /// A close frame with this code.
    case closed(UInt16)
    /// A response with this status.
    case status(Int)
    /// A closed connection without a message.
    case dropped
    /// The connection stays open; a call got this error.
    case error(Int)
    /// The connection stays open; the attacker only wanted to connect this far.
    case admitted
    /// The connection stays open, although its deadline has passed.
    case none

    var description: String {
      switch self {
      case .closed(let code): "closed with \(code)"
      case .status(let status): "status \(status)"
      case .dropped: "dropped"
      case .error(let code): "error \(code)"
      case .admitted: "admitted"
      case .none: "left alone"
      }
    }
  }

  /// The bytes to send: some at once, then pieces, at a pace or as fast as they are accepted.
  struct Script {
    var first: [UInt8] = []
    /// Sent in pieces of `step` bytes, `times` times.
    var rest: [UInt8] = []
    var step = Int.max
    var times = 1
    /// Seconds before each piece.
    var pause = 0.0

    /// The number of pieces after the first bytes.
    var count: Int { rest.isEmpty ? 0 : piecesOfOne * times }

    private var piecesOfOne: Int { step >= rest.count ? 1 : (rest.count + step - 1) / step }

    func piece(_ index: Int) -> ArraySlice<UInt8> {
      guard step < rest.count else { return rest[...] }
      let start = index % piecesOfOne * step
      return rest[start..<min(rest.count, start + step)]
    }
  }
}

/// The server's settings that the attacks rely on.
struct AttackSettings {
  var helloTimeout = 10.0
  var messageTimeout = 30.0
  /// Seconds after which the server closes a connection that reads nothing (SYN-7).
  var stallLimit = 60.0
  /// Seconds between two bytes of a slow writer.
  var dribble = 5.0

  func attack(_ kind: Attack.Kind) throws -> Attack {
    Attack(kind: kind, variants: try variants(of: kind))
  }

  private func variants(of kind: Attack.Kind) throws -> [Attack.Variant] {
    switch kind {
    case .headers: slowHeaders
    case .tlsHello: try slowTLSHello
    case .body: slowBody
    case .frameHeader: slowFrameHeader
    case .framePayload: slowFramePayload
    case .fragments: slowFragments
    case .splitUpgrade: splitUpgrade
    case .manyHeaders: manyHeaders
    case .bomb: bombs
    case .lengths: lengths
    case .manyFragments: manyFragments
    case .pings: pings
    case .emptyMessages: emptyMessages
    case .json: hostileJSON
    case .calls: tooManyCalls
    case .cheapCalls: cheapCalls
    case .unread: unreadAnswers
    case .visits: visits
    }
  }
}
