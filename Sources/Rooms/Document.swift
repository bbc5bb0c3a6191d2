public import JSON

/// Who is told of a part of a document, and how it is kept (DESIGN §1).
public enum Visibility: Sendable, Hashable, CaseIterable {
  /// Part of the versioned state: in the log, in the ring, sent to everybody in the room.
  case shown
  /// Part of the versioned state that clients must not see: in the log, never sent.
  case hidden
  /// True only now: sent to everybody in the room, never logged, without versions.
  case live
  /// Like `live`, and its newest value is kept on disk, at most once a second.
  case kept
  /// Kept like `kept`, and never sent: what the room itself must remember of what is live.
  case unseen

  @inlinable public var isVersioned: Bool { self == .shown || self == .hidden }
}

/// The content of one kind of room: tables and single records, each said once in `parts`.
public protocol Document: Sendable {
  init()
  mutating func parts(_ part: inout some PartVisitor)

  // What is done with all parts. A document writes none of these: they are requirements only so that each one gets its
  // own where it is declared, specialised to its parts. A room calls them without knowing its document's type, and a
  // walk that learns types as it goes takes ten times as long.
  mutating func beginParts()
  mutating func rollBackParts()
  /// Whether the running mutation has touched parts that are versioned, or parts that are live.
  mutating func touchedParts() -> (versioned: Bool, live: Bool)
  mutating func sealParts(_ choice: Visibility, to writer: Writer)
  /// Writes the members of the whole state; nothing is changed.
  mutating func writeParts(_ choice: Visibility, to writer: Writer)
  mutating func mergeParts(_ patch: View, _ choice: Visibility, _ problems: Problems)
  /// Whether a row of any table goes by an id.
  mutating func names(_ id: ID<Thing>) -> Bool
}

extension Document {
  @inlinable public mutating func beginParts() {
    var beginning = Beginning()
    parts(&beginning)
  }

  @inlinable public mutating func rollBackParts() {
    var rolling = RollingBack()
    parts(&rolling)
  }

  @inlinable public mutating func touchedParts() -> (versioned: Bool, live: Bool) {
    var asking = Asking()
    parts(&asking)
    return (asking.versioned, asking.live)
  }

  @inlinable public mutating func sealParts(_ choice: Visibility, to writer: Writer) {
    var sealing = Sealing(choice, to: writer)
    parts(&sealing)
  }

  @inlinable public mutating func writeParts(_ choice: Visibility, to writer: Writer) {
    var writing = WritingState(choice, to: writer)
    parts(&writing)
  }

  @inlinable public mutating func mergeParts(_ patch: View, _ choice: Visibility, _ problems: Problems) {
    var merging = MergingParts(patch, choice, problems)
    parts(&merging)
  }
}

extension Document {
  @inlinable public mutating func names(_ id: ID<Thing>) -> Bool {
    var naming = Naming(id)
    parts(&naming)
    return naming.isNamed
  }
}

/// Walks the parts of a document. Each use of the list is one visitor.
public protocol PartVisitor {
  mutating func callAsFunction(_ name: StaticString, _ part: inout some Tracked, _ visibility: Visibility)
}

extension PartVisitor {
  @inlinable @inline(__always)
  public mutating func callAsFunction(_ name: StaticString, _ part: inout some Tracked) { self(name, &part, .shown) }
}

@usableFromInline struct Beginning: PartVisitor {
  @inlinable init() {}
  @inlinable @inline(__always)
  mutating func callAsFunction(_ name: StaticString, _ part: inout some Tracked, _ visibility: Visibility) {
    part.begin()
  }
}

@usableFromInline struct RollingBack: PartVisitor {
  @inlinable init() {}
  @inlinable @inline(__always)
  mutating func callAsFunction(_ name: StaticString, _ part: inout some Tracked, _ visibility: Visibility) {
    part.rollBack()
  }
}

/// Asks whether the running mutation has touched parts that are versioned, or parts that are live.
@usableFromInline struct Asking: PartVisitor {
  @usableFromInline var versioned = false
  @usableFromInline var live = false
  @inlinable init() {}
  @inlinable @inline(__always)
  mutating func callAsFunction(_ name: StaticString, _ part: inout some Tracked, _ visibility: Visibility) {
    guard part.isTouchedByMutation else { return }
    if visibility.isVersioned { versioned = true } else { live = true }
  }
}

/// Asks whether a row of any part goes by an id.
@usableFromInline struct Naming: PartVisitor {
  @usableFromInline let id: ID<Thing>
  @usableFromInline var isNamed = false
  @inlinable init(_ id: ID<Thing>) { self.id = id }
  @inlinable @inline(__always)
  mutating func callAsFunction(_ name: StaticString, _ part: inout some Tracked, _ visibility: Visibility) {
    isNamed = isNamed || part.names(id)
  }
}

/// Writes the members of one patch: of the shown parts, of the hidden ones, or of all that is live.
@usableFromInline struct Sealing: PartVisitor {
  @usableFromInline let writer: Writer
  @usableFromInline let choice: Visibility
  @inlinable init(_ choice: Visibility, to writer: Writer) {
    self.choice = choice
    self.writer = writer
  }
  @inlinable @inline(__always)
  mutating func callAsFunction(_ name: StaticString, _ part: inout some Tracked, _ visibility: Visibility) {
    if visibility == choice || (choice == .live && visibility == .kept) { part.seal(name, to: writer) }
    // Nobody is sent its changes, so they need not be known any more.
    if choice == .live, visibility == .unseen { part.settle() }
  }
}

/// Writes the members of the whole state: shown, hidden, all that is live, or what is kept on disk of that.
@usableFromInline struct WritingState: PartVisitor {
  @usableFromInline let writer: Writer
  @usableFromInline let choice: Visibility
  @inlinable init(_ choice: Visibility, to writer: Writer) {
    self.choice = choice
    self.writer = writer
  }
  @inlinable @inline(__always)
  mutating func callAsFunction(_ name: StaticString, _ part: inout some Tracked, _ visibility: Visibility) {
    let isIncluded =
      visibility == choice || (choice == .live && visibility == .kept) || (choice == .kept && visibility == .unseen)
    if isIncluded { part.writeState(name, to: writer) }
  }
}

/// Applies a patch from the log or a snapshot to the parts of one visibility.
@usableFromInline struct MergingParts: PartVisitor {
  @usableFromInline let patch: View
  @usableFromInline var cursor = View.Cursor()
  @usableFromInline let choice: Visibility
  @usableFromInline let problems: Problems
  @inlinable init(_ patch: View, _ choice: Visibility, _ problems: Problems) {
    self.patch = patch
    self.choice = choice
    self.problems = problems
  }
  @inlinable
  mutating func callAsFunction(_ name: StaticString, _ part: inout some Tracked, _ visibility: Visibility) {
    let isIncluded = visibility == choice || (choice == .kept && visibility == .unseen)
    if isIncluded, let change = patch.member(name, from: &cursor) { part.merge(change, problems) }
  }
}
