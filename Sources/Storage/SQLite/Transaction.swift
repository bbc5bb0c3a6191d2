internal import GRDB

extension Database {
  /// Runs `body` in a transaction, the only one to write meanwhile, and commits it; if anything is thrown, nothing is
  /// left of it.
  ///
  /// GRDB's own would have SQLite parse BEGIN and COMMIT each time, which takes as many instructions as everything else
  /// that a commit of one change does.
  func writingTransaction(_ body: () throws -> Void) throws {
    try Query(self, "BEGIN IMMEDIATE").run()
    do {
      try body()
      try Query(self, "COMMIT").run()
    } catch {
      // After some failures SQLite has taken it back by itself. The first failure says what has happened.
      if isInsideTransaction { try? Query(self, "ROLLBACK").run() }
      throw error
    }
  }
}
