// The unsafe code of `Storage`, except for a lock and two system calls. GRDB opens, migrates, pools and caches. Values
// are bound and read here, directly as byte arrays: GRDB's own arguments would copy every blob into a `Data`.

internal import GRDB
internal import GRDBSQLite

/// An error that SQLite returned for a request.
struct SQLiteFailure: Error {
  /// The extended result code.
  var code: Int32
  var message: String

  init(code: Int32, message: String) {
    self.code = code
    self.message = message
  }

  init(_ error: any Error) {
    switch error {
    case let failure as SQLiteFailure: self = failure
    case let error as DatabaseError: self.init(code: error.extendedResultCode.rawValue, message: error.description)
    default: self.init(code: SQLITE_ERROR, message: String(describing: error))
    }
  }

  var kind: Kind {
    switch code & 0xFF {
    case SQLITE_FULL: .full
    case SQLITE_NOTADB: .foreign
    case SQLITE_CORRUPT: .damaged
    case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: .unreliable
    default: .refused
    }
  }

  enum Kind {
    /// The disk is full.
    case full
    /// The file is not an SQLite database.
    case foreign
    /// The file is damaged.
    case damaged
    /// The kernel reported a failure: the content of the disk is uncertain, and writing again could hide that.
    case unreliable
    /// The statement cannot be executed.
    case refused
  }
}

/// A value that goes into a statement.
enum SQLValue {
  case integer(Int64)
  case bytes([UInt8])
  case text(String)
  case null

  static func optional(_ value: Int64?) -> SQLValue { value.map { .integer($0) } ?? .null }
  static func optional(_ value: String?) -> SQLValue { value.map { .text($0) } ?? .null }
}

/// A prepared statement, kept with its connection between uses.
///
/// A row's columns may be read between `step` and the next `step` or `reset`; `run` and `rows` call both.
@safe struct Query {
  private let statement: Statement  // Owns the handle.
  private let handle: OpaquePointer

  init(_ database: Database, _ sql: String) throws {
    statement = try database.cachedStatement(sql: sql)
    unsafe handle = statement.sqliteStatement
  }

  /// Executes the statement.
  func run(_ values: SQLValue...) throws {
    bind(values)
    try runBound()
  }

  /// Executes the statement with the values bound before.
  func runBound() throws {
    defer { reset() }
    while try step() {}
  }

  /// Calls `body` for each row.
  func rows(_ values: SQLValue..., body: (Query) throws -> Void) throws { try rows(values, body: body) }

  /// Calls `body` for each row.
  func rows(_ values: [SQLValue], body: (Query) throws -> Void) throws {
    bind(values)
    defer { reset() }
    while try step() { try body(self) }
  }

  /// Calls `body` for each row until it returns `false`; returns whether all rows were read.
  @discardableResult func leadingRows(_ values: SQLValue..., while body: (Query) throws -> Bool) throws -> Bool {
    bind(values)
    defer { reset() }
    while try step() {
      if try !body(self) { return false }
    }
    return true
  }

  /// The first row as `body` reads it, or `nil` if there is none.
  func first<Value>(_ values: SQLValue..., body: (Query) throws -> Value) throws -> Value? {
    bind(values)
    defer { reset() }
    return try step() ? body(self) : nil
  }

  func bind(_ integer: Int64, at index: Int32) {
    check(unsafe sqlite3_bind_int64(handle, index, integer))
  }

  /// SQLite copies the bytes, so the array need not outlive the call.
  func bind(_ bytes: [UInt8], at index: Int32) {
    // An empty array has no address, and SQLite treats a blob without one as NULL.
    guard !bytes.isEmpty else { return check(unsafe sqlite3_bind_zeroblob(handle, index, 0)) }
    let code = unsafe bytes.withUnsafeBytes { bytes in
      unsafe sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), Self.copy)
    }
    check(code)
  }

  private func bind(_ text: String, at index: Int32) {
    // Passes the length, since a name may contain the character that ends a C string.
    let utf8 = Array(text.utf8)
    let code = unsafe utf8.withUnsafeBytes { bytes in
      // An empty array has no address, and SQLite treats a text without one as NULL.
      let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      guard let start = unsafe start else { return unsafe sqlite3_bind_text(handle, index, "", 0, Self.copy) }
      return unsafe sqlite3_bind_text64(handle, index, start, UInt64(bytes.count), Self.copy, UInt8(SQLITE_UTF8))
    }
    check(code)
  }

  private func bind(_ values: [SQLValue]) {
    for (offset, value) in values.enumerated() {
      let index = Int32(truncatingIfNeeded: offset + 1)
      switch value {
      case .integer(let integer): bind(integer, at: index)
      case .bytes(let bytes): bind(bytes, at: index)
      case .text(let text): bind(text, at: index)
      case .null: check(unsafe sqlite3_bind_null(handle, index))
      }
    }
  }

  func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

  func bytes(_ column: Int32) -> [UInt8] {
    // The address first, then the count: in the other order SQLite might convert the value in between.
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  func optionalBytes(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

  func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }

  private func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

  private func step() throws -> Bool {
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      let message = unsafe sqlite3_errmsg(sqlite3_db_handle(handle)).map { unsafe String(cString: $0) }
      throw SQLiteFailure(code: code, message: message ?? "no message")
    }
  }

  /// Executes the statement with a blob as its last value, which SQLite reads in place.
  func run(bindingInPlace bytes: [UInt8], at index: Int32) throws {
    guard !bytes.isEmpty else {
      bind(bytes, at: index)
      return try runBound()
    }
    try unsafe bytes.withUnsafeBytes { bytes in
      check(unsafe sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), nil))
      defer { check(unsafe sqlite3_bind_null(handle, index)) }
      try runBound()
    }
  }

  /// Ignores the result: it repeats the error of the last step.
  private func reset() {
    unsafe sqlite3_reset(handle)
  }

  /// Binding fails only for a wrong index, a running statement or lack of memory, never because of stored data.
  private func check(_ code: Int32) {
    precondition(code == SQLITE_OK, "a value could not be bound")
  }

  /// SQLITE_TRANSIENT, a cast that Swift does not import.
  private static var copy: sqlite3_destructor_type {
    unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}
