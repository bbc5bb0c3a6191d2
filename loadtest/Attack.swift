import ArgumentParser

/// One way to abuse a server (RELIABILITY E): the variants that attackers use by turns, and what the server owes them.
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
    // Messages (E7, E8), and answers that nobody fetches (SYN-7).
    case json, calls, unread
    case cheapCalls = "cheap-calls"
    // Coming and going (E9).
    case visits
  }

  let kind: Kind
  let variants: [Variant]

  /// The longest that the server may take, in seconds; `nil` where it has to act at once.
  var longestDeadline: Double? { variants.compactMap(\.deadline).max() }

  struct Variant {
    /// What distinguishes it, for whoever reads that it was answered wrongly.
    let name: String
    var entry: Entry
    var script: Script
    /// In place of `script`, where it names the attacker's household.
    var personalScript: ((_ household: String) -> Script)?
    /// What the server owes to it.
    var ending: Ending
    /// Seconds after which the server ends it however it goes on; counted as `Entry` says. `nil` for at once.
    var deadline: Double?
    /// Whether the server has no reason to end it before.
    var isPatient = true
    /// The handshake offers permessage-deflate.
    var offersDeflate = false
    /// Nothing is taken from the socket once the attack has begun.
    var readsNothing = false
    /// The connection ends with a reset.
    var vanishes = false
  }
}

extension Attack {
  /// How far an attacker goes as an honest client would, before he begins. The server's deadline for him counts from
  /// the moment when the connection was made, as it does on the server; for a member from when he begins.
  enum Entry {
    /// Not even TLS, where the others speak it.
    case connected
    /// What comes next is an HTTP request.
    case secured
    /// What comes next are frames, of somebody who has not said who he is.
    case upgraded
    /// The same, of somebody who has said hello with a token.
    case member
  }

  /// How a connection ends, as an attacker sees it.
  enum Ending: Hashable, CustomStringConvertible {
    /// With a close frame of this code.
    case closed(UInt16)
    /// With a response of this status.
    case status(Int)
    /// Without a word.
    case dropped
    /// Not at all: a call got this error, and the connection is as good as before.
    case error(Int)
    /// Not at all: somebody who only came in was let in as far as he wanted.
    case admitted
    /// Not at all, though it was time.
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

  /// What is sent: something at once, and then pieces, at a pace or as fast as they are taken.
  struct Script {
    var first: [UInt8] = []
    /// Is sent in pieces of `step` bytes, so many times over.
    var rest: [UInt8] = []
    var step = Int.max
    var times = 1
    /// Seconds before each piece.
    var pause = 0.0

    /// Pieces after the first.
    var count: Int { rest.isEmpty ? 0 : piecesOfOne * times }

    private var piecesOfOne: Int { step >= rest.count ? 1 : (rest.count + step - 1) / step }

    func piece(_ index: Int) -> ArraySlice<UInt8> {
      guard step < rest.count else { return rest[...] }
      let start = index % piecesOfOne * step
      return rest[start..<min(rest.count, start + step)]
    }
  }
}

/// What the server was told, and the attackers count on.
struct AttackSettings {
  var helloTimeout = 10.0
  var messageTimeout = 30.0
  /// A connection that takes no byte for so long is closed (SYN-7).
  var stallLimit = 60.0
  /// Seconds between two bytes of somebody who writes slowly.
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
