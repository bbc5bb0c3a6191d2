import Crypto
public import JSON

/// One record of a room's history. A later record with the same kind and id replaces it.
public struct HistoryRecord: Sendable, Equatable {
  public var kind: String
  /// Sixteen bytes.
  public var id: [UInt8]
  public var at: Instant
  /// The persons by whom queries find the record.
  public var about: Set<ID<Person>>
  /// A JSON object; `nil` removes the record.
  public var body: [UInt8]?

  public init(kind: String, id: [UInt8], at: Instant, about: Set<ID<Person>> = [], body: [UInt8]?) {
    self.kind = kind
    self.id = id
    self.at = at
    self.about = about
    self.body = body
  }
}

/// A search for records of a room's history, newest first, on behalf of a question or a rule.
public struct HistoryQuery: Hashable, Sendable {
  public var kind: String
  /// Only records about all of these persons: one person, a pair, or an empty set for all records.
  public var about: Set<ID<Person>>
  /// Only the record with this id.
  public var id: [UInt8]?
  /// Only records from this instant on.
  public var from: Instant?
  /// Only records before this instant.
  public var until: Instant?
  /// Only records before this one.
  public var before: HistoryCursor?
  /// The most records to find, 1 or more.
  public var limit: Int

  public init(
    kind: String, about: Set<ID<Person>> = [], id: [UInt8]? = nil, from: Instant? = nil, until: Instant? = nil,
    before: HistoryCursor? = nil, limit: Int
  ) {
    self.kind = kind
    self.about = about
    self.id = id
    self.from = from
    self.until = until
    self.before = before
    self.limit = limit
  }

  /// The records that match, from all records of a room: for stores that keep them in memory.
  public func page(of records: [HistoryRecord]) -> [HistoryRecord] {
    let found = records.filter { record in
      record.kind == kind && id.map { $0 == record.id } ?? true && about.isSubset(of: record.about)
        && from.map { $0 <= record.at } ?? true
        && until.map { record.at < $0 } ?? true && before.map { record.place.precedes($0) } ?? true
    }
    return Array(found.sorted { $1.place.precedes($0.place) }.prefix(limit))
  }
}

extension HistoryRecord {
  fileprivate var place: HistoryCursor { HistoryCursor(at: at, id: id) }
}

/// The last record of a page of history. Clients get it as opaque text, and send it to get the next page.
public struct HistoryCursor: Sendable, Hashable {
  public var at: Instant
  /// Sixteen bytes.
  public var id: [UInt8]

  public init(at: Instant, id: [UInt8]) {
    self.at = at
    self.id = id
  }

  fileprivate func precedes(_ other: Self) -> Bool {
    at != other.at ? at < other.at : id.lexicographicallyPrecedes(other.id)
  }
}

extension HistoryCursor: Field {
  /// Base64url of the instant, 8 bytes in network order, and of the id.
  public var text: String {
    let time = (0..<8).map { UInt8(truncatingIfNeeded: at.milliseconds >> (56 - 8 * $0)) }
    return Base64.url.encode(time + id)
  }

  public init?(text: String) {
    guard let bytes = Base64.url.decode(text), bytes.count == 24 else { return nil }
    let at = bytes.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    self.init(at: Instant(milliseconds: at), id: Array(bytes.dropFirst(8)))
  }

  public static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let text = String.read(view, problems) else { return nil }
    guard let cursor = HistoryCursor(text: text) else {
      problems.note("must be the `next` of an earlier page")
      return nil
    }
    return cursor
  }

  public func write(to writer: Writer) { writer.string(text) }

  public static func schema(_ limit: ClosedRange<Int>?) -> JSON {
    String.schema(32...32).adding(["pattern": "^[A-Za-z0-9_-]*$"])
  }
}
