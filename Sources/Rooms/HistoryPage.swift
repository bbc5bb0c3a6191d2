public import JSON

/// A question for a page of a room's history, newest first.
public protocol HistoryPage: Question where Answer == Page<Item> {
  associatedtype Item: Record
  /// The kind of the records on the page.
  static var history: String { get }
  /// The cursor at the end of the previous page.
  var before: HistoryCursor? { get set }
  /// The most items on the page.
  var limit: Int? { get set }
  /// The records of this page: all of the kind, unless the question asks for some of them.
  var query: HistoryQuery { get }
}

/// Limits of a page.
public enum PageLimits {
  public static let items = 1...100
  /// The items of a page if the call names no limit.
  public static let usualItems = 50
}

extension HistoryPage {
  public static var hasNeeds: Bool { true }

  @inlinable public static func fields(_ field: inout some FieldVisitor<Self>) {
    field("before", \.before)
    field("limit", \.limit, PageLimits.items)
  }

  @inlinable public var query: HistoryQuery {
    HistoryQuery(kind: Self.history, before: before, limit: limit ?? PageLimits.usualItems)
  }

  @inlinable public func needs(for caller: ID<Person>) -> [Need] { [.history(query)] }

  @inlinable public func answer(from state: State, in inquiry: Inquiry) throws(Refusal) -> Page<Item> {
    Page(inquiry.fetched.records(of: query), of: query)
  }
}

/// A page of history: its items, and where the next page begins.
public struct Page<Item: Record>: Record {
  public var items = PageItems<Item>()
  /// Absent on the last page.
  public var next: HistoryCursor?

  public init() {}

  @usableFromInline init(_ records: [HistoryRecord], of query: HistoryQuery) {
    items = PageItems(bodies: records.compactMap(\.body))
    if records.count >= query.limit, let last = records.last { next = HistoryCursor(at: last.at, id: last.id) }
  }

  public static func fields(_ field: inout some FieldVisitor<Self>) {
    field("items", \.items)
    field("next", \.next)
  }
}

/// Records of history as they were written: those of an older release may have fewer fields.
public struct PageItems<Item: Record>: Field {
  var bodies: [[UInt8]] = []

  public static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let view, view.kind == .array else {
      problems.note("must be a list")
      return nil
    }
    var items = Self()
    view.forEachItem { item in item.withBytes { items.bodies.append($0.copied) } }
    return items
  }

  public func write(to writer: Writer) {
    writer.openArray()
    for body in bodies { writer.value(body) }
    writer.closeArray()
  }

  public static func schema(_ limit: ClosedRange<Int>?) -> JSON { ["type": "array", "items": Item.schema(nil)] }
}
