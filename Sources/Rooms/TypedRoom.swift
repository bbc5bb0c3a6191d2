public import JSON

/// A room whose document is a `State`.
public final class TypedRoom<State: RoomState>: Room {
  @usableFromInline var document = State()
  public var state: State { _read { yield document } }
  private var liveTouched = false
  /// Whether journals may hold changes: of versioned parts since the last seal, of live parts since the last sending.
  private var journaled = (versioned: false, live: false)

  override init(_ id: RoomID) { super.init(id) }

  /// Applies a mutation on top of all applied changes, committed or not; a refusal leaves no trace.
  ///
  /// - Parameter problems: An empty list.
  @inlinable public func perform<M: Mutation>(
    _ mutation: M, _ turn: Turn, _ problems: Problems = Problems()
  ) throws(Refusal) -> M.Answer where M.State == State {
    let context = begin(turn)
    do throws(Refusal) {
      mutation.check(problems, in: &document, context)
      if !problems.isEmpty { throw .invalid(problems) }
      let before = sizeNearLimit()
      let answer = try mutation.apply(to: &document, in: context)
      try document.approve(in: context)
      if let before { try checkSize(before) }
      finish(turn)
      return answer
    } catch {
      rollBack()
      throw error
    }
  }

  /// Adds what the rule finds wrong with a mutation of bad form.
  @usableFromInline func check<M: Mutation>(_ mutation: M, _ turn: Turn, _ problems: Problems) where M.State == State {
    mutation.check(problems, in: &document, begin(turn))
    rollBack()
  }

  /// Applies a live change. It makes a version only if the rule changes versioned parts.
  @inlinable public func performLive(
    _ turn: Turn, _ rule: (inout State, Context) throws(Refusal) -> Void
  ) throws(Refusal) {
    let context = begin(turn)
    do throws(Refusal) {
      try rule(&document, context)
      finishLive(turn)
    } catch {
      rollBack()
      throw error
    }
  }

  @usableFromInline func begin(_ turn: Turn) -> Context {
    // If all journals are empty, the mutation begins at their start, and a walk would touch every table for nothing.
    if journaled.versioned || journaled.live { document.beginParts() }
    effects.lists.begin()
    return Context(
      turn, room: id, changedAt: changedAt, seed: Context.Seed(key: numbers.keyBytes, version: version),
      effects: effects)
  }

  @usableFromInline func rollBack() {
    document.rollBackParts()
    effects.lists.rollBack()
  }

  @usableFromInline func finish(_ turn: Turn) {
    progress.version += 1
    progress.unmeasured += 1
    progress.changedAt = max(changedAt, turn.now)
    let touched = document.touchedParts()
    if touched.versioned { journaled.versioned = true }
    if touched.live { noteLive() }
    if let reason = effects.lists.ending {
      numbers.ending.value.reason = reason
      progress.isEnded = true
    }
    for expulsion in effects.lists.newlyExpelled { expelled.insert(expulsion.person) }
  }

  private func noteLive() {
    journaled.live = true
    liveTouched = true
  }

  /// Finishes a live change, which may have changed no versioned part.
  @usableFromInline func finishLive(_ turn: Turn) {
    let touched = document.touchedParts()
    if touched.versioned || effects.lists.hasAny { return finish(turn) }
    if touched.live { noteLive() }
  }

  /// The document's size if another change may make it too large, else `nil`. Measuring costs as much as writing, so it
  /// waits until the estimate, which never shrinks by itself, comes near the limit.
  @usableFromInline func sizeNearLimit() -> Int? {
    guard progress.sizeAfterNext > Self.documentLimit else { return nil }
    measure()
    return progress.sizeAfterNext > Self.documentLimit ? progress.size : nil
  }

  /// Refuses a change that makes the document larger than it may be. A change that makes it smaller is always taken.
  ///
  /// - Parameter before: The document's size before the change.
  @usableFromInline func checkSize(_ before: Int) throws(Refusal) {
    measure()
    guard progress.size > Self.documentLimit, progress.size >= before else { return }
    progress.size = before
    throw Refusal(.tooLarge, "document", "This room is full: remove something first.")
  }

  private func measure() {
    let writer = Writer(capacity: progress.size + 1024)
    writeState(to: writer)
    progress.size = writer.count
    progress.unmeasured = 0
  }

  // MARK: operations of every room

  /// Lends the document to a question. Using the property directly would copy the whole document here, where its type
  /// is not known.
  private func ask<Answer>(_ question: (inout State) -> Answer) -> Answer { question(&document) }

  public override func admits(_ person: ID<Person>) -> Bool { !isEnded && ask { $0.admits(person, to: id) } }
  /// The next due time; at once for an ended room, so that the next process removes it if this one ends before.
  public override var nextDue: Instant? { isEnded ? changedAt : ask { $0.nextDue } }
  public override var isLiveTouched: Bool { liveTouched }

  public override func fallDue(_ turn: Turn) {
    let context = begin(turn)
    document.fallDue(in: context)
    finish(turn)
  }

  public override func learn(endOf room: RoomID, _ turn: Turn) -> Bool {
    let context = begin(turn)
    guard document.learn(endOf: room, in: context) else {
      rollBack()
      return false
    }
    finish(turn)
    return true
  }

  /// Takes a message once and in order; `false` if it has been taken already, or an earlier one has not.
  public override func take(_ message: View, from source: RoomID, number: Int64, _ turn: Turn) -> Bool {
    // A room's first message may have any number: a reopened corner is told by a household that counts on.
    let isFirst = version == 0 && numbers.taken.isEmpty
    guard isFirst || MessageNumbers.Count.isNext(Int(number), after: numbers.taken[source]) else { return false }
    let name = message[key: "message"]?.string ?? ""
    let handler = State.messages.first { $0.name == name }
    numbers.taken[source] = MessageNumbers.Count(number: Int(number), isLast: handler?.isLast == true ? true : nil)
    if isFirst, State.mayBeginAgain {
      numbers.sent[source] = MessageNumbers.Count(number: Int(number) << MessageNumbers.Count.bitsPerLife)
    }
    takenSinceSeal.removeAll { $0.source == source }
    takenSinceSeal.append(TakenMessage(source: source, number: number))
    let context = begin(turn)
    handler?.take(message, &document, source, context)
    finish(turn)
    return true
  }

  public override func writeState(to writer: Writer) { write(.shown, to: writer) }
  public override func writeLive(to writer: Writer) { write(.live, to: writer) }
  public override func writeKept(to writer: Writer) { write(.kept, to: writer) }

  private func write(_ visibility: Visibility, to writer: Writer) {
    writer.openObject()
    document.writeParts(visibility, to: writer)
    writer.closeObject()
  }

  override func writeHidden(to writer: Writer) {
    writer.openObject()
    document.writeParts(.hidden, to: writer)
    numbers.writeState(to: writer)
    writer.closeObject()
  }

  /// Writes the patch of live changes since the last one; `false`, and nothing written, if there are none.
  public override func sealLive(to writer: Writer) -> Bool {
    guard liveTouched else { return false }
    liveTouched = false
    let start = writer.mark
    writer.openObject()
    let empty = writer.count
    document.sealParts(.live, to: writer)
    journaled.live = false
    if writer.count == empty {
      writer.rollback(to: start)
      return false
    }
    writer.closeObject()
    return true
  }

  override func sealParts(_ visibility: Visibility, to writer: Writer) {
    writer.openObject()
    document.sealParts(visibility, to: writer)
    // Hidden parts are sealed last of the versioned ones.
    if visibility == .hidden {
      numbers.seal(to: writer)
      journaled.versioned = false
    }
    writer.closeObject()
  }

  public override func wipe() {
    document = State()
    ring = Ring(storedVersion: version)
  }

  override func restored() { document.restored() }

  override func mergeParts(_ patch: View, _ visibility: Visibility, _ problems: Problems) {
    document.mergeParts(patch, visibility, problems)
    guard visibility == .hidden else { return }
    numbers.merge(patch, problems)
    progress.isEnded = !numbers.ending.value.reason.isEmpty
  }
}
