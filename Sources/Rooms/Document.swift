public import JSON

/// The audience of a part of a document, and how the store keeps it (DESIGN §1).
public enum Visibility: Sendable, Hashable, CaseIterable {
  /// Part of the versioned state: logged, kept in the ring, broadcast to everybody in the room.
  case shown
  /// Part of the versioned state that clients must not see: logged, never sent.
  case hidden
  /// True only now: broadcast to everybody in the room, never logged, without versions.
  case live
  /// Like `live`, but the store keeps the newest value, written at most once a second.
  case kept
  /// Like `kept`, but never sent: the room's own memory of live values.
  case unseen

  @inlinable public var isVersioned: Bool { self == .shown || self == .hidden }
}

/// The content of one kind of room: tables and single records, each listed once in `parts`.
public protocol Document: Sendable {
  init()
  mutating func parts(_ part: inout some PartVisitor)

  // Operations over all parts. A document implements none of these. They are requirements so that each document gets
  // its own, specialised to its parts: a room calls them without knowing its document's type, and a walk that looks
  // types up at run time takes ten times as long.
  mutating func beginParts()
  mutating func rollBackParts()
  /// Whether the running mutation has touched parts that are versioned, or parts that are live.
  mutating func touchedParts() -> (versioned: Bool, live: Bool)
  mutating func sealParts(_ choice: Visibility, to writer: Writer)
  /// Writes the members of the whole state; changes nothing.
  mutating func writeParts(_ choice: Visibility, to writer: Writer)
  mutating func mergeParts(_ patch: View, _ choice: Visibility, _ problems: Problems)
  /// Whether a row of any table has this id.
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

/// A walk over the parts of a document. Each use of the list is one visitor.
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

/// Finds out whether the running mutation has touched versioned parts or live parts.
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

/// Finds out whether a row of any part has an id.
@usableFromInline struct Naming: PartVisitor {
  @usableFromInline let id: ID<Thing>
  @usableFromInline var isNamed = false
  @inlinable init(_ id: ID<Thing>) { self.id = id }
  @inlinable @inline(__always)
  mutating func callAsFunction(_ name: StaticString, _ part: inout some Tracked, _ visibility: Visibility) {
    isNamed = isNamed || part.names(id)
  }
}

/// Writes the members of one patch: of the shown, the hidden or the live parts.
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
    // No client gets its changes, so the journal can forget them.
    if choice == .live, visibility == .unseen { part.settle() }
  }
}

/// Writes the members of the whole state: shown, hidden, live, or the live values that the store keeps.
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
