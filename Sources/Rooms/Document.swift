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

  @inlinable public var isVersioned: Bool { self == .shown || self == .hidden }
}

/// The content of one kind of room: tables and single records, each said once in `parts`.
public protocol Document: Sendable {
  init()
  mutating func parts(_ part: inout some PartVisitor)
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
  }
}

/// Writes the members of the whole state: shown, hidden, all that is live, or what is kept of it.
@usableFromInline struct WritingState: PartVisitor {
  @usableFromInline let writer: Writer
  @usableFromInline let choice: Visibility
  @inlinable init(_ choice: Visibility, to writer: Writer) {
    self.choice = choice
    self.writer = writer
  }
  @inlinable @inline(__always)
  mutating func callAsFunction(_ name: StaticString, _ part: inout some Tracked, _ visibility: Visibility) {
    if visibility == choice || (choice == .live && visibility == .kept) { part.writeState(name, to: writer) }
  }
}

/// Applies a patch from the log or a snapshot to the parts of one visibility.
@usableFromInline struct MergingParts: PartVisitor {
  @usableFromInline let patch: View
  @usableFromInline let choice: Visibility
  @usableFromInline let problems: Problems
  @inlinable init(_ patch: View, _ choice: Visibility, _ problems: Problems) {
    self.patch = patch
    self.choice = choice
    self.problems = problems
  }
  @inlinable
  mutating func callAsFunction(_ name: StaticString, _ part: inout some Tracked, _ visibility: Visibility) {
    if visibility == choice, let change = patch[key: name] { part.merge(change, problems) }
  }
}
