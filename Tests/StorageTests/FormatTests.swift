import Foundation
import GRDB
import Home
import JSON
import Platform
import Rooms
import TestSupport
import Testing

@testable import Storage

/// The format number: what it stands for, and what a release does with a store of another one.
@Suite("Store format")
struct FormatTests {
  let folder: TemporaryFolder
  let path: String
  let caller = Caller()

  static let files = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Formats")

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("store")
  }

  // MARK: the number

  @Test("every table, field, word and message of the rooms and the store is one that the format number stands for")
  func listing() throws {
    let file = Self.files.appending(path: "listing.txt")
    let now = try FormatListing.lines()
    let recorded = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n").filter { !$0.isEmpty }
    let number = try #require(recorded.first?.split(separator: " ").last.flatMap { Int($0) })
    if ProcessInfo.processInfo.environment["HEARTH_FORMAT"] == "update", number < StoreFormat.current {
      try (now.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
      return
    }
    let changes = now.difference(from: recorded).map { change in
      switch change {
      case .insert(_, let line, _): "+ \(line)"
      case .remove(_, let line, _): "- \(line)"
      }
    }
    let advice =
      number == StoreFormat.current
      ? "the format has changed: append a line to StoreFormat.additions" : "the number has changed"
    #expect(
      changes.isEmpty,
      """
      \(advice), then write listing.txt with HEARTH_FORMAT=update (docs/storage.md):
      \(changes.joined(separator: "\n"))
      """)
  }

  // MARK: an older release

  static let ana = ID<Person>("bf96ca55-768f-4f5d-8992-03f7efd8e5e0") ?? ID()
  static let elmStreet = ID<Household>("1fc6c0af-3db4-8b76-b27b-e1550623083b") ?? ID()

  /// Puts the store of an older format where a test opens it.
  private func place(_ format: Int) throws {
    let sql = Self.files.appending(path: "\(format).sql")
    if FileManager.default.fileExists(atPath: sql.path) {
      let queue = try DatabaseQueue(path: path)
      try queue.inDatabase { try $0.execute(sql: try String(contentsOf: sql, encoding: .utf8)) }
      try queue.close()
    } else {
      for suffix in ["", ".keys"] {
        let file = Self.files.appending(path: "\(format).db\(suffix)")
        try FileManager.default.copyItem(atPath: file.path, toPath: path + suffix)
      }
    }
  }

  @Test("a store of each older format is brought up and reads back whole", arguments: 1..<StoreFormat.current)
  func older(format: Int) async throws {
    try place(format)
    #expect(throws: StoreOpeningError.tooOld(path: path, format: format, known: StoreFormat.current)) {
      try StoreReader(path: path)
    }
    let store = try SQLiteStore(path: path)
    let house = RoomID.household(Self.elmStreet)
    let room = try Self.open(house, try #require(try await caller.load(house, from: store)))
    #expect(room.version == 21)
    let state = Writer(capacity: 10_000)
    room.writeState(to: state)
    let text = String(decoding: state.bytes(), as: UTF8.self)
    for content in [
      "Elm Street", "House meeting on Sunday, I cook.", "Küche putzen", "Mine, thank you", "Salt", "Tea?",
    ] {
      #expect(text.contains(content), "\(content)")
    }
    let corner = RoomID.corner(Self.elmStreet, Self.ana)
    #expect(try Self.open(corner, try #require(try await caller.load(corner, from: store))).version == 1)
    let missed = try await caller.wait { store.missed(of: house, since: 10, reply: $0) }.value()
    let entry = try #require(missed)
    #expect(entry.version == 18 && entry.from <= 10)
    #expect(String(decoding: entry.patch, as: UTF8.self).contains("Whose umbrella is this?"))

    let history = try await caller.history(of: house, kind: "activity", in: store)
    #expect(history.count == 13)
    #expect(history == history.sorted { $0.at > $1.at })
    let messages = try await caller.undelivered(in: store)
    #expect(messages.map(\.source) == [house, house, house])
    let account = try await caller.account(by: .email("ana@example.org"), in: store)
    #expect(account?.person == Self.ana && account?.revision == .first)
    #expect(try await caller.wait { store.sessions(of: Self.ana, reply: $0) }.value().count == 1)
    store.close()

    // The files of formats 1 to 3 hold three of the rooms.
    let reader = try StoreReader(path: path)
    var rooms: [RoomID] = []
    reader.verify { id, stored in
      rooms.append(id)
      do {
        return try Self.open(id, stored).version == stored.version ? nil : "another version"
      } catch {
        return "\(error)"
      }
    }
    #expect(reader.problems == [])
    #expect(rooms.count == (format < 4 ? 3 : 10))
  }

  // MARK: a newer release

  @Test("an older release neither drops nor takes what a newer release has added: it refuses the store")
  func newer() async throws {
    let household = RoomID.household(ID(high: 1, low: 1))
    let person = RoomID.person(ID(high: 2, low: 2))
    let newer = StoreFormat.current + 1
    let state = #"{"household":{"name":"Elm Street"},"chores":{"1":{"text":"Bins"}}}"#
    var store = try SQLiteStore(path: path, limits: StoreLimits(), format: newer)
    try await caller.commit(
      [
        .making(household).with {
          $0.entry = nil
          $0.snapshot = .test(#"{"version":1,"at":"\#(Instant())","state":\#(state),"hidden":{},"receipts":[]}"#)
          $0.sent = [OutgoingMessage(target: person, number: 1, body: .test(#"{"message":"choreDue","text":"Bins"}"#))]
        },
        .making(person).with {
          $0.entry = nil
          $0.snapshot = .test(#"{"version":1,"at":"\#(Instant())","state":{},"hidden":{},"receipts":[]}"#)
        },
      ], to: store)
    store.close()

    let path = path
    let known = StoreFormat.current
    do throws(StoreOpeningError) {
      let older = try SQLiteStore(path: path)
      await #expect(throws: Never.self) { try await liveOn(household, person, older) }
      older.close()
    } catch {
      #expect(error == .tooNew(path: path, format: newer, known: known))
      #expect("\(error)".contains("its format is \(newer), and this release knows \(known)"))
    }
    #expect(throws: StoreOpeningError.tooNew(path: path, format: newer, known: known)) { try StoreReader(path: path) }

    store = try SQLiteStore(path: path, limits: StoreLimits(), format: newer)
    let kept = try #require(try await caller.load(household, from: store))
    #expect(String(decoding: kept.snapshot ?? [], as: UTF8.self).contains("chores"))
    #expect(try await caller.undelivered(in: store).count == 1)
    store.close()
  }

  /// Uses rooms as a server does: takes a message, and snapshots a room.
  private func liveOn(_ household: RoomID, _ person: RoomID, _ store: SQLiteStore) async throws {
    let room = try Self.open(household, try #require(try await caller.load(household, from: store)))
    var commit = RoomCommit(room: household, expectedVersion: room.version, version: room.version)
    commit.add(room.snapshot(at: Instant()))
    try await caller.commit([commit], to: store)

    let target = try Self.open(person, try #require(try await caller.load(person, from: store)))
    let tape = Tape()
    defer { withExtendedLifetime(tape) {} }
    for stored in try await caller.undelivered(in: store) {
      let message = try tape.parse(stored.message.body.span)
      let isTaken = target.take(message, from: stored.source, number: stored.message.number, Turn(now: Instant()))
      #expect(isTaken)
      let sealed = target.seal(at: Instant(), by: nil, to: Writer(capacity: 256), entry: Writer(capacity: 256))
      try await caller.commit([RoomCommit(of: sealed, target, isNew: false)], to: store)
    }
  }

  static func open(_ id: RoomID, _ stored: StoredRoom) throws -> Room {
    let kind = try #require(HomeRooms.kinds.first { $0.name == RoomKindName(id) })
    let room = kind.make(id)
    try room.restore(
      snapshot: stored.snapshot, entries: stored.entries, segmentVersion: stored.segmentVersion, live: stored.live,
      random: stored.random, due: stored.due)
    return room
  }
}
