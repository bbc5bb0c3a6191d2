internal import Crypto
internal import GRDB

/// The tables of the store's file, and their migrations.
///
/// The log is one append-only table in order of arrival. Keyed by (room, version), writing took 15 times as long, since
/// every row dirtied a page of its own. All other data of a room is found by the room's number. Bodies are separate
/// from small rows that change often, since SQLite writes rows whole. Each row with content has the number of the key
/// that seals it; 0 means none.
enum Schema {
  /// "HRTH", at offset 68 of the file (`PRAGMA application_id`).
  static let applicationID: Int64 = 0x4852_5448

  /// Migrates a store to a format, with a step for each number in between.
  static func migrator(to format: Int) -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    for number in 1...format {
      migrator.registerMigration("\(number)") { try step(to: number, $0) }
    }
    return migrator
  }

  private static func step(to format: Int, _ database: Database) throws {
    switch format {
    case 1:
      try database.execute(sql: version1)
      let generation = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
      try MetaTable.insert(generation: generation, database)
    case 2: try database.execute(sql: version2)
    case 3: try database.execute(sql: version3)
    case 4: try database.execute(sql: version4)
    case 5: try database.execute(sql: version5)
    case 9: try database.execute(sql: version9)
    case 10: try database.execute(sql: version10)
    case 11:
      try database.execute(sql: version11)
      try MetaTable.setSecret(SystemRandom.bytes(32), database)
    case 14: try database.execute(sql: "ALTER TABLE meta ADD COLUMN zoneData TEXT NOT NULL DEFAULT ''")
    // Formats that change only the content of rooms need no step.
    default: break
    }
  }

  /// The format of a file: the highest number of its recorded steps; 0 for a new file.
  static func format(of database: Database) throws -> Int {
    guard try database.tableExists("grdb_migrations") else { return 0 }
    let sql = "SELECT max(CAST(identifier AS INTEGER)) FROM grdb_migrations"
    return try Query(database, sql).first { Int($0.integer(0)) } ?? 0
  }

  // `meta.zoneData`: by which version of the zone data the due times of households hold.

  /// - `meta.secret`: from which keys are derived, each for a purpose of its own.
  /// - `puzzle.call`: the call that has used it, if that has a number.
  private static let version11 = """
    ALTER TABLE meta ADD COLUMN secret BLOB NOT NULL DEFAULT x'';
    CREATE TABLE identity (
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      person BLOB NOT NULL,
      keyNumber INTEGER NOT NULL,
      PRIMARY KEY (issuer, subject)
    ) WITHOUT ROWID;
    CREATE INDEX identityByPerson ON identity (person);
    CREATE TRIGGER identityEnds AFTER DELETE ON account
      BEGIN DELETE FROM identity WHERE person = old.person; END;
    CREATE TABLE nonce (
      bytes BLOB PRIMARY KEY,
      until INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX nonceByEnd ON nonce (until);
    CREATE TABLE puzzle (
      challenge BLOB PRIMARY KEY,
      call BLOB NOT NULL,
      until INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX puzzleByEnd ON puzzle (until);
    """

  /// - `account.email` may be missing, which takes a new table.
  /// - `secret`: a secret may lead to several rooms, such as an address to all that have invited it.
  /// - `code.made`: when the codes of the last hour were made, as a list in JSON. A code that is used has no hash.
  private static let version10 = """
    CREATE TABLE newAccount (
      person BLOB PRIMARY KEY,
      keyNumber INTEGER NOT NULL,
      email TEXT UNIQUE,
      verifiedAt INTEGER,
      passwordHash TEXT,
      pinHash TEXT,
      createdAt INTEGER NOT NULL,
      revision INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    INSERT INTO newAccount (person, keyNumber, email, passwordHash, pinHash, createdAt, revision)
      SELECT person, keyNumber, email, passwordHash, pinHash, createdAt, revision FROM account;
    DROP TABLE account;
    ALTER TABLE newAccount RENAME TO account;
    CREATE TABLE newSecret (
      hash BLOB NOT NULL,
      room INTEGER NOT NULL,
      PRIMARY KEY (hash, room)
    ) WITHOUT ROWID;
    INSERT INTO newSecret (hash, room) SELECT hash, room FROM secret;
    DROP TABLE secret;
    ALTER TABLE newSecret RENAME TO secret;
    CREATE INDEX secretByRoom ON secret (room);
    CREATE TABLE code (
      person BLOB NOT NULL,
      purpose TEXT NOT NULL,
      hash BLOB NOT NULL,
      email TEXT NOT NULL,
      until INTEGER NOT NULL,
      wrong INTEGER NOT NULL,
      made TEXT NOT NULL,
      PRIMARY KEY (person, purpose)
    ) WITHOUT ROWID;
    CREATE TABLE delivery (
      row INTEGER PRIMARY KEY AUTOINCREMENT,
      room BLOB NOT NULL,
      id BLOB NOT NULL,
      channel TEXT NOT NULL,
      notBefore INTEGER NOT NULL,
      until INTEGER NOT NULL,
      body BLOB NOT NULL,
      attempts INTEGER NOT NULL,
      due INTEGER NOT NULL,
      UNIQUE (room, id)
    );
    CREATE INDEX deliveryByDue ON delivery (due, row);
    """

  /// - `session.wrongPINs`: the times of the newest, as a list in JSON.
  private static let version9 = """
    ALTER TABLE account ADD COLUMN pinHash TEXT;
    ALTER TABLE session ADD COLUMN confirmedBy TEXT;
    ALTER TABLE session ADD COLUMN confirmedAt INTEGER;
    ALTER TABLE session ADD COLUMN wrongPINs TEXT NOT NULL DEFAULT '[]';
    """

  /// - `historyPerson`: the persons that a record is about, with the columns that order a page.
  private static let version5 = """
    DROP INDEX roomByDue;
    CREATE INDEX roomByDueTime ON room (due, key) WHERE due IS NOT NULL AND key < x'04';
    CREATE INDEX shareByDue ON room (due, key) WHERE due IS NOT NULL AND key >= x'04';
    CREATE INDEX historyByAge ON history (kind, at);
    CREATE TABLE historyPerson (
      room INTEGER NOT NULL,
      kind TEXT NOT NULL,
      person BLOB NOT NULL,
      at INTEGER NOT NULL,
      id BLOB NOT NULL,
      row INTEGER NOT NULL,
      PRIMARY KEY (room, kind, person, at, id)
    ) WITHOUT ROWID;
    CREATE INDEX historyPersonByRow ON historyPerson (row);
    CREATE TRIGGER historyPersonEnds AFTER DELETE ON history
      BEGIN DELETE FROM historyPerson WHERE row = old.row; END;
    CREATE TRIGGER historyPersonIsReplaced AFTER UPDATE ON history
      BEGIN DELETE FROM historyPerson WHERE row = old.row; END;
    ALTER TABLE account ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
    """

  /// - `segment.body`: see `Segment`. The newest changes, stored with the snapshot before, become a segment. Unreadable
  ///   and sealed ones are dropped: a client that resumes in a share then gets the whole state once.
  private static let version4 = """
    DELETE FROM segment WHERE keyNumber <> 0;
    UPDATE segment SET body = CAST('[[' || since || ',' || version || ',' || CAST(body AS TEXT) || ']]' AS BLOB);
    INSERT INTO segment (room, version, since, at, total, keyNumber, body)
      SELECT room, json_extract(changes, '$[#-1][1]'), json_extract(changes, '$[0][0]'),
        CAST(strftime('%s') AS INTEGER) * 1000, 0, 0, ring
      FROM (SELECT room, keyNumber, ring, CAST(ring AS TEXT) AS changes FROM snapshot)
      WHERE keyNumber = 0 AND CASE WHEN json_valid(changes) THEN json_array_length(changes) END > 0;
    UPDATE segment SET total = sums.total FROM (
      SELECT row, sum(length(body)) OVER (PARTITION BY room ORDER BY version, row) AS total FROM segment
    ) AS sums WHERE segment.row = sums.row;
    ALTER TABLE snapshot DROP COLUMN ring;
    """

  /// - `segment.total`: bytes of the room's segments up to this one, removed ones included. So the bytes after a
  ///   segment are known without reading them.
  private static let version3 = """
    ALTER TABLE segment RENAME COLUMN size TO total;
    UPDATE segment SET total = sums.total FROM (
      SELECT row, sum(total) OVER (PARTITION BY room ORDER BY version, row) AS total FROM segment
    ) AS sums WHERE segment.row = sums.row;
    """

  /// - `outboxByKey` tells whether a message still needs a key.
  /// - `segment`: patches from version `since` to `version`; the index covers every query that precedes reading one.
  private static let version2 = """
    CREATE INDEX outboxByKey ON outbox (keyNumber) WHERE keyNumber > 0;
    CREATE TABLE segment (
      row INTEGER PRIMARY KEY,
      room INTEGER NOT NULL,
      version INTEGER NOT NULL,
      since INTEGER NOT NULL,
      at INTEGER NOT NULL,
      size INTEGER NOT NULL,
      keyNumber INTEGER NOT NULL,
      body BLOB NOT NULL
    );
    CREATE INDEX segmentByVersion ON segment (room, version, since, at, size);
    """

  /// - `meta.position` is at least the position of any removed log row, so that no position is used twice.
  /// - `room.position`: the snapshot covers the room's log rows up to here.
  /// - `room.version` is the version at that position; log rows after it are newer.
  /// - A message's target may not exist (yet), so the row has its key, not its number.
  private static let version1 = """
    CREATE TABLE meta (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      generation BLOB NOT NULL,
      position INTEGER NOT NULL
    );
    CREATE TABLE log (
      position INTEGER PRIMARY KEY,
      room INTEGER NOT NULL,
      version INTEGER NOT NULL,
      keyNumber INTEGER NOT NULL,
      entry BLOB NOT NULL
    );
    CREATE TABLE room (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      key BLOB NOT NULL UNIQUE,
      random BLOB NOT NULL,
      version INTEGER NOT NULL,
      position INTEGER NOT NULL,
      due INTEGER
    );
    CREATE INDEX roomByDue ON room (due) WHERE due IS NOT NULL;
    CREATE TABLE snapshot (
      room INTEGER PRIMARY KEY,
      keyNumber INTEGER NOT NULL,
      body BLOB NOT NULL,
      ring BLOB NOT NULL
    );
    CREATE TABLE live (
      room INTEGER PRIMARY KEY,
      keyNumber INTEGER NOT NULL,
      body BLOB NOT NULL
    );
    CREATE TABLE history (
      row INTEGER PRIMARY KEY,
      room INTEGER NOT NULL,
      kind TEXT NOT NULL,
      id BLOB NOT NULL,
      at INTEGER NOT NULL,
      keyNumber INTEGER NOT NULL,
      body BLOB NOT NULL,
      UNIQUE (room, kind, id)
    );
    CREATE INDEX historyByTime ON history (room, kind, at, id);
    CREATE TABLE outbox (
      row INTEGER PRIMARY KEY AUTOINCREMENT,
      source BLOB NOT NULL,
      target BLOB NOT NULL,
      number INTEGER NOT NULL,
      keyNumber INTEGER NOT NULL,
      body BLOB NOT NULL,
      UNIQUE (target, source, number)
    );
    CREATE TABLE erased (
      key BLOB PRIMARY KEY
    ) WITHOUT ROWID;
    CREATE TABLE secret (
      hash BLOB PRIMARY KEY,
      room INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX secretByRoom ON secret (room);
    CREATE TABLE account (
      person BLOB PRIMARY KEY,
      keyNumber INTEGER NOT NULL,
      email TEXT NOT NULL UNIQUE,
      passwordHash TEXT,
      createdAt INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE session (
      id BLOB PRIMARY KEY,
      person BLOB NOT NULL,
      tokenHash BLOB NOT NULL UNIQUE,
      keyNumber INTEGER NOT NULL,
      name TEXT NOT NULL,
      createdAt INTEGER NOT NULL,
      lastUsedAt INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX sessionByPerson ON session (person);
    """
}
