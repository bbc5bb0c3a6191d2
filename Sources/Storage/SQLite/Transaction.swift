internal import GRDB

extension Database {
  /// Runs `body` in the only write transaction, and commits it; if `body` or the commit throws, rolls it back.
  ///
  /// GRDB's own transaction would make SQLite parse BEGIN and COMMIT each time. That takes as many instructions as the
  /// rest of a commit of one change.
  func writingTransaction(_ body: () throws -> Void) throws {
    try Query(self, "BEGIN IMMEDIATE").run()
    do {
      try body()
      try Query(self, "COMMIT").run()
    } catch {
      // After some failures SQLite has already rolled back. The first error is the one to report.
      if isInsideTransaction { try? Query(self, "ROLLBACK").run() }
      throw error
    }
  }
}
