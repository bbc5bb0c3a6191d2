import JSON
import Rooms

/// Memory that is used again for every message.
final class Workspace {
  let problems = Lender(Problems())
  let scratch = Lender(Writer(capacity: 4096))
  /// For the message that is being sent.
  let frame = Lender(Writer(capacity: 4096))
  /// For the members of an object that another writer takes whole.
  let members = Lender(Writer(capacity: 4096))

  private let tape = Tape(depthLimit: WireLimits.depth, nodeLimit: WireLimits.nodes)
  /// Parameters of calls that had to wait are parsed again, while a message may be in use.
  private let pendingTape = Tape(depthLimit: WireLimits.depth, nodeLimit: WireLimits.nodes)
  private let noParametersTape = Tape()

  /// Parses a message, which is valid until the next one is parsed.
  func parse(_ message: Span<UInt8>) throws(JSONError) -> View { try tape.parse(message) }

  /// Parses the parameters of a call that had to wait; valid until the next such call.
  func parsePending(_ parameters: Span<UInt8>) -> View? { try? pendingTape.parse(parameters) }

  /// Overwrites all of it. Call this only between two messages.
  func wipe() {
    for writer in [scratch, frame, members] { writer.lend { $0.wipe() } }
    tape.wipe()
    pendingTape.wipe()
  }

  /// An empty object, for calls without parameters.
  var noParameters: View? { try? noParametersTape.parse(Array("{}".utf8).span) }
}
