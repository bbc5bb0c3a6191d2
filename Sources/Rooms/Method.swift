public import JSON

/// A mutation or a question as a value. It is made where the type is known, so that reading, rule and answer are
/// specialised to it.
public final class Method: Sendable {
  public let name: String
  /// A number for the name, the same in every process.
  public let nameDigest: UInt64
  public let summary: String
  public let room: RoomKindName
  public let kind: Kind
  public let makesSecret: Bool
  public let isAnsweredLater: Bool
  public let hasNeeds: Bool
  /// Whether the call is refused over a connection in clear text (LOC-31).
  public let needsEncryption: Bool
  /// The fields of parameters and answer, for `rpc.discover`.
  public let describe: @Sendable () -> (parameters: [FieldDescription], answer: [FieldDescription])
  /// Reads the parameters; `nil` after noting the problems.
  public let read: @Sendable (View, Problems) -> (any Record)?
  /// The call's needs outside the room, by its parameters and its caller.
  public let needs: @Sendable (any Record, ID<Person>) -> [Need]
  /// Reads the parameters and runs the rule, or answers the question. Writes the members of the answer without braces.
  public let run: @Sendable (Room, View, Turn, Problems, Writer) -> Outcome

  public enum Kind: Sendable {
    case mutation
    case question
  }

  public enum Outcome: Sendable {
    case done
    /// The parameters are invalid; `Problems` holds the details.
    case invalid
    case refused(Refusal)
  }

  @inlinable public static func of<M: Mutation>(_: M.Type) -> Method {
    Method(
      name: M.method.description, summary: M.summary.description, room: M.State.kind, kind: .mutation,
      makesSecret: M.makesSecret, isAnsweredLater: M.isAnsweredLater, hasNeeds: M.hasNeeds,
      needsEncryption: M.needsEncryption,
      describe: { (M.descriptions, M.Answer.descriptions) },
      read: { M.read($0, $1) },
      needs: { ($0 as? M)?.needs(for: $1) ?? [] },
      run: { room, parameters, turn, problems, writer in
        guard let room = room as? TypedRoom<M.State> else { return .refused(.wrongRoom) }
        guard let mutation = M.read(parameters, problems) else {
          if let mutation = M.readGoodFields(parameters) { room.check(mutation, turn, problems) }
          return .invalid
        }
        do throws(Refusal) {
          let answer = try room.perform(mutation, turn, problems)
          answer.writeMembers(to: writer)
          return .done
        } catch {
          return .refused(error)
        }
      })
  }

  @inlinable public static func question<Q: Question>(_: Q.Type) -> Method {
    Method(
      name: Q.method.description, summary: Q.summary.description, room: Q.State.kind, kind: .question,
      makesSecret: false, isAnsweredLater: false, hasNeeds: Q.hasNeeds,
      needsEncryption: Q.needsEncryption,
      describe: { (Q.descriptions, Q.Answer.descriptions) },
      read: { Q.read($0, $1) },
      needs: { ($0 as? Q)?.needs(for: $1) ?? [] },
      run: { room, parameters, turn, problems, writer in
        guard let question = Q.read(parameters, problems) else { return .invalid }
        guard let room = room as? TypedRoom<Q.State> else { return .refused(.wrongRoom) }
        do throws(Refusal) {
          let answer = try question.answer(from: room.state, in: Inquiry(turn, room: room.id))
          answer.writeMembers(to: writer)
          return .done
        } catch {
          return .refused(error)
        }
      })
  }

  @usableFromInline init(
    name: String, summary: String, room: RoomKindName, kind: Kind, makesSecret: Bool, isAnsweredLater: Bool,
    hasNeeds: Bool, needsEncryption: Bool,
    describe: @escaping @Sendable () -> (parameters: [FieldDescription], answer: [FieldDescription]),
    read: @escaping @Sendable (View, Problems) -> (any Record)?,
    needs: @escaping @Sendable (any Record, ID<Person>) -> [Need],
    run: @escaping @Sendable (Room, View, Turn, Problems, Writer) -> Outcome
  ) {
    self.name = name
    nameDigest = Array(name.utf8).span.digest()
    self.summary = summary
    self.room = room
    self.kind = kind
    self.makesSecret = makesSecret
    self.isAnsweredLater = isAnsweredLater
    self.hasNeeds = hasNeeds
    self.needsEncryption = needsEncryption
    self.describe = describe
    self.read = read
    self.needs = needs
    self.run = run
  }
}

extension Refusal {
  @usableFromInline static var wrongRoom: Refusal {
    .invalid("room", "is not a room that this method works on")
  }
}
