public import JSON

/// Reads every field from an object, and notes every problem.
public struct Reading<Root: Record>: FieldVisitor {
  @usableFromInline var root = Root()
  @usableFromInline let view: View
  @usableFromInline var cursor = View.Cursor()
  @usableFromInline let problems: Problems

  @inlinable init(_ view: View, _ problems: Problems) {
    self.view = view
    self.problems = problems
  }

  /// The record that was read.
  @inlinable consuming func take() -> Root { root }

  @inlinable @inline(__always)
  public mutating func callAsFunction<Value: Field>(
    _ name: StaticString, _ path: WritableKeyPath<Root, Value>, _ limit: ClosedRange<Int>?
  ) {
    let before = problems.count
    guard let value = Value.read(view.member(name, from: &cursor), problems) else {
      problems.nest(name.description, since: before)
      return
    }
    if let limit, !value.fits(limit) {
      problems.note(name.description, Value.limitText(limit))
      return
    }
    root[keyPath: path] = value
  }
}

/// Writes every field that is not absent as a member.
public struct Writing<Root: Record>: FieldVisitor {
  @usableFromInline let root: Root
  @usableFromInline let writer: Writer

  @inlinable init(_ root: Root, _ writer: Writer) {
    self.root = root
    self.writer = writer
  }

  @inlinable @inline(__always)
  public mutating func callAsFunction<Value: Field>(
    _ name: StaticString, _ path: WritableKeyPath<Root, Value>, _ limit: ClosedRange<Int>?
  ) {
    let value = root[keyPath: path]
    if value.isAbsent { return }
    writer.key(name)
    value.write(to: writer)
  }
}

/// Writes the members of a merge patch: the fields that differ.
public struct Diffing<Root: Record>: FieldVisitor {
  @usableFromInline let old: Root
  @usableFromInline let new: Root
  @usableFromInline let writer: Writer

  @inlinable init(from old: Root, to new: Root, _ writer: Writer) {
    self.old = old
    self.new = new
    self.writer = writer
  }

  @inlinable @inline(__always)
  public mutating func callAsFunction<Value: Field>(
    _ name: StaticString, _ path: WritableKeyPath<Root, Value>, _ limit: ClosedRange<Int>?
  ) {
    writeDifference(name, from: old[keyPath: path], to: new[keyPath: path], writer)
  }
}

/// Writes the members of a merge patch for a row of a table, without copying the row. A copy retains every text in the
/// row, and most of them are in no cache.
@usableFromInline struct RowDiffing<Root: Record>: FieldVisitor {
  @usableFromInline let old: SharedRow<Root>
  @usableFromInline let new: SharedRow<Root>
  @usableFromInline let writer: Writer

  @inlinable init(from old: SharedRow<Root>, to new: SharedRow<Root>, _ writer: Writer) {
    self.old = old
    self.new = new
    self.writer = writer
  }

  @inlinable @inline(__always)
  mutating func callAsFunction<Value: Field>(
    _ name: StaticString, _ path: WritableKeyPath<Root, Value>, _ limit: ClosedRange<Int>?
  ) {
    writeDifference(name, from: old.row[keyPath: path], to: new.row[keyPath: path], writer)
  }
}

/// Writes one field as a member of a merge patch, if it has changed.
@inlinable @inline(__always)
func writeDifference<Value: Field>(_ name: StaticString, from before: Value, to after: Value, _ writer: Writer) {
  if before == after { return }
  writer.key(name)
  if after.isAbsent {
    after.writeRemoval(of: before, to: writer)
  } else if before.isAbsent {
    after.write(to: writer)
  } else {
    after.writeChange(from: before, to: writer)
  }
}

/// Applies a merge patch from the log, field by field. Members without a field come from older releases and are
/// ignored.
public struct Merging<Root: Record>: FieldVisitor {
  @usableFromInline var root: Root
  @usableFromInline let view: View
  @usableFromInline var cursor = View.Cursor()
  @usableFromInline let problems: Problems

  @inlinable init(_ root: Root, _ view: View, _ problems: Problems) {
    self.root = root
    self.view = view
    self.problems = problems
  }

  /// The merged record.
  @inlinable consuming func take() -> Root { root }

  @inlinable @inline(__always)
  public mutating func callAsFunction<Value: Field>(
    _ name: StaticString, _ path: WritableKeyPath<Root, Value>, _ limit: ClosedRange<Int>?
  ) {
    guard let change = view.member(name, from: &cursor) else { return }
    if change.isNull {
      root[keyPath: path] = Root()[keyPath: path]
    } else {
      root[keyPath: path].merge(change, problems)
    }
  }
}
