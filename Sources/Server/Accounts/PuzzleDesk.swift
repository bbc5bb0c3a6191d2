import Crypto
import Home
import JSON
import Platform
import Rooms

/// Asks for proof of work before what strangers could do in masses (SEC-10).
///
/// It replaces no limit. Verifying takes a hash and a code, before any password is hashed.
final class PuzzleDesk {
  /// How long a puzzle may be solved.
  static let life = Duration.seconds(600)
  /// How much longer a used one is remembered, in case the clock is set back.
  private static let memory = Duration.seconds(3600)

  private let link: ShardLink
  private var services: Services { link.services }
  private var loop: any Loop { link.loop }
  private let keys: DerivedKeys

  init(_ link: ShardLink, _ keys: DerivedKeys) {
    self.link = link
    self.keys = keys
  }

  private func isNeeded(by session: Session) -> Bool {
    switch link.configuration.puzzle {
    case .always: true
    case .never: false
    case .auto: !(session.isLocal || session.proxied?.isLoopback == true)
    }
  }

  /// `auth.puzzle`.
  func make(for caller: Caller) {
    let isNeeded = isNeeded(by: caller.session)
    link.shard.inSteps(caller) { finish in
      withKey(finish) { [unowned self] key in
        let puzzle = make(key).json
        finish(
          .answered { writer in
            for (name, value) in puzzle.sorted(by: { $0.key < $1.key }) {
              writer.key(name)
              value.write(to: writer)
            }
            writer.key("need")
            writer.bool(isNeeded)
          })
      }
    }
  }

  /// Goes on if a call's puzzle is solved or it needs none; otherwise finishes with a refusal that holds a puzzle.
  ///
  /// - Parameter call: The call, if it has a number: sent again, it may use its solution again.
  func check(
    _ solution: String?, _ session: Session, of call: CallKey? = nil, _ finish: @escaping (Outcome) -> Void,
    then done: @escaping () -> Void
  ) {
    guard isNeeded(by: session) else { return done() }
    withKey(finish) { [unowned self] key in
      let verdict = PuzzleVerdict(of: solution, key: key, at: loop.now, life: Self.life)
      guard case .solved(let challenge, let end) = verdict else { return finish(.refused(refusal(verdict, key))) }
      services.directory.spend(
        puzzle: challenge, by: call?.digest ?? [], until: end + Self.memory, at: loop.now,
        reply: Reply(on: loop.poster) { [unowned self] result in
          switch result {
          case .success(true): done()
          case .success(false): finish(.refused(refusal(.used, key)))
          case .failure: finish(.refused(.unavailable))
          }
        })
    }
  }

  private func withKey(_ finish: @escaping (Outcome) -> Void, _ body: @escaping ([UInt8]) -> Void) {
    keys.with(.puzzles) { key in if let key { body(key) } else { finish(.refused(.unavailable)) } }
  }

  private func make(_ key: [UInt8]) -> Puzzle {
    let bytes = services.randomness.bytes(PuzzleSalt.nonceSize + 8)
    let limit = link.configuration.puzzleNumbers
    let drawn = bytes.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let end = loop.now + Self.life
    return Puzzle(
      nonce: Array(bytes.prefix(PuzzleSalt.nonceSize)), number: Int(drawn % UInt64(limit + 1)), maxNumber: limit,
      expires: end.milliseconds / 1000, key: key)
  }

  private func refusal(_ verdict: PuzzleVerdict, _ key: [UInt8]) -> Refusal {
    var refusal = Refusal(
      .forbidden, "puzzleNeeded", "Solve the puzzle and call again with its solution: \(verdict.explanation).")
    refusal.puzzle = make(key).json
    return refusal
  }
}

extension CallKey {
  /// A name of the call that no other call has.
  fileprivate var digest: [UInt8] { SHA256.hash(person.bytes, client.bytes, Array("\(number)".utf8)) }
}

extension Puzzle {
  /// The puzzle as ALTCHA's widget takes it.
  fileprivate var json: [String: JSON] {
    [
      "algorithm": .string(Self.algorithm), "challenge": .string(challenge), "salt": .string(salt),
      "signature": .string(signature), "maxnumber": .number(JSON.Number(maxNumber)),
    ]
  }
}
