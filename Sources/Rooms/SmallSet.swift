public import JSON

/// A sorted set inside a record, an object of `true`s on the wire. It has few elements, most often one, which takes no
/// memory of its own.
public struct SmallSet<Element: MapKey & Packable>: Equatable, Sendable, ExpressibleByArrayLiteral {
  @Packed @usableFromInline var least: Element? = nil
  @usableFromInline var others: [Element] = []

  @inlinable public init() {}

  @inlinable public init(_ elements: some Sequence<Element>) {
    for element in elements { insert(element) }
  }

  @inlinable public init(arrayLiteral elements: Element...) { self.init(elements) }

  @inlinable public mutating func insert(_ element: Element) {
    if contains(element) { return }
    guard let before = least else {
      least = element
      return
    }
    least = Swift.min(before, element)
    let other = Swift.max(before, element)
    others.insert(other, at: others.firstIndex { other < $0 } ?? others.endIndex)
  }

  @inlinable public mutating func remove(_ element: Element) {
    if least == element {
      least = others.isEmpty ? nil : others.removeFirst()
    } else {
      others.removeAll { $0 == element }
    }
  }
}

extension SmallSet: RandomAccessCollection {
  @inlinable public var startIndex: Int { 0 }
  @inlinable public var endIndex: Int { least == nil ? 0 : 1 + others.count }
  @inlinable public subscript(position: Int) -> Element {
    if position == 0, let least { return least }
    return others[position - 1]
  }
}

/// Absent on the wire if empty. Removal is element by element, so that patches compose.
extension SmallSet: Field {
  @inlinable public static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let map = SmallMap<Element, Bool>.read(view, problems) else { return nil }
    guard map.values.allSatisfy(\.self) else {
      problems.note("must be an object of true")
      return nil
    }
    return Self(map.keys)
  }
  @inlinable public func write(to writer: Writer) {
    writer.openObject()
    for element in self {
      element.writeKey(to: writer)
      writer.bool(true)
    }
    writer.closeObject()
  }
  @inlinable public func writeChange(from old: Self, to writer: Writer) {
    writer.openObject()
    for element in self where !old.contains(element) {
      element.writeKey(to: writer)
      writer.bool(true)
    }
    for element in old where !contains(element) {
      element.writeKey(to: writer)
      writer.null()
    }
    writer.closeObject()
  }
  @inlinable public mutating func merge(_ view: View, _ problems: Problems) {
    view.forEachMember { name, member in
      guard let element = Element(key: name) else { return problems.note("bad key") }
      if member.isNull { remove(element) } else { insert(element) }
    }
  }
  /// Removes element by element: `null` for the whole set could not be composed with a later change of it.
  @inlinable public func writeRemoval(of old: Self, to writer: Writer) { writeChange(from: old, to: writer) }
  @inlinable public var isAbsent: Bool { isEmpty }
  @inlinable public func fits(_ limit: ClosedRange<Int>) -> Bool { limit.contains(count) }
  public static func limitText(_ limit: ClosedRange<Int>) -> String { SmallMap<Element, Bool>.limitText(limit) }
}
