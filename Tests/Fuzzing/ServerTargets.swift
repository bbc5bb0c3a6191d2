import Home
import JSON
import Rooms
import Simulation

/// Restores a room from damaged data.
///
/// The first byte selects the kind of room. Parts separated by the byte 0x1E follow: a snapshot and live values (empty
/// for none), then entries of the log.
func fuzzStored(_ input: [UInt8]) throws {
  var input = Input(input)
  let kind = HomeRooms.kinds[Int(input.byte()) % HomeRooms.kinds.count]
  let parts = input.parts(0x1E)
  func part(_ index: Int) -> [UInt8]? { index < parts.count && !parts[index].isEmpty ? parts[index] : nil }
  let person = ID<Person>(high: 0x1000_0000_0000_8000, low: 1 << 63 | 1)
  let household = ID<Household>(high: 0x8000, low: 1 << 63 | 0xAA)
  let address: RoomID =
    switch kind.name {
    case .me: .person(person)
    case .household: .household(household)
    case .corner: .corner(household, person)
    case .share: .share(ID(high: 0x8000, low: 1 << 63 | 0xBB))
    }
  for key in parts.prefix(4) + [address.storageKey] {
    if let id = RoomID(storageKey: key) { try expect(id.storageKey == key, "the key of \(id.text) is not unique") }
  }
  // Older changes of any content must be readable.
  var composer = Ring.Composer(since: 1)
  for part in parts { composer.add(Segment(from: 1, version: 2, at: Instant(), body: part)) }
  if let older = composer.entry { try expect(older.from <= 1 && older.version > 1, "composed to \(older.version)") }
  let random = [UInt8](repeating: 7, count: 16)
  let room = kind.make(address)
  do throws(RoomDamage) {
    try room.restore(
      snapshot: part(0), entries: Array(parts.dropFirst(2)), live: part(1), random: random, due: nil)
  } catch {
    return
  }
  let now = Instant(milliseconds: 1_795_000_000_000)
  // A restored room must be the same after writing and reading its snapshot.
  let kept = room.snapshot(at: now).body
  let again = kind.make(address)
  do throws(RoomDamage) {
    try again.restore(snapshot: kept, entries: [], live: nil, random: random, due: nil)
  } catch {
    throw Wrong("the room's own snapshot is damaged: \(error.what)")
  }
  try expect(sameRoom(again.snapshot(at: now).body, kept), "the room's own snapshot reads differently")
  // The room must also work.
  _ = (room.admits(person), room.nextDue, room.ring.patch(since: 1))
  room.fallDue(Turn(now: now))
  let sealed = Writer()
  if room.hasUnsealedChanges { _ = room.seal(at: now, by: nil, to: sealed) }
}

/// Whether two snapshots are equal, except for the order of rows and receipts.
private func sameRoom(_ first: [UInt8], _ second: [UInt8]) throws -> Bool {
  func content(_ body: [UInt8]) throws -> (receipts: Set<JSON>, others: [String: JSON]) {
    var members = try JSON.parse(body, depthLimit: 64).object ?? [:]
    let receipts = members.removeValue(forKey: "receipts")?.array ?? []
    return (Set(receipts), members)
  }
  return try content(first) == content(second)
}

func fuzzCalls(_ input: [UInt8]) throws {
  let visit = Visit()
  defer { visit.end() }
  visit.signIn()
  let create = """
    {"jsonrpc":"2.0","id":2,"method":"households.create","params":{"seq":1,"answered":0,"id":"\(Visit.household)",\
    "name":"Home","timeZone":"Europe/Berlin","currency":"EUR"}}
    """
  visit.say(Array(create.utf8))
  visit.wait(.seconds(1))
  for line in Input(input).parts(UInt8(ascii: "\n")).prefix(24) where !visit.isClosed {
    visit.say(line)
    visit.wait(.milliseconds(100))
  }
  visit.wait(.seconds(1))
  visit.inspect()
  visit.crash()
  visit.inspect()
  try expect(visit.violation == nil, visit.violation ?? "")
}

func fuzzSession(_ input: [UInt8]) throws {
  var input = Input(input)
  let visit = Visit()
  defer { visit.end() }
  visit.connect()
  for piece in input.pieces(input.byte()) { visit.send(piece) }
  // Longer than any deadline for a client that is unauthenticated or silent.
  visit.wait(.seconds(150))
  try expect(visit.isClosed, "the server never closes the connection")
  visit.inspect()
  try expect(visit.violation == nil, visit.violation ?? "")
}
