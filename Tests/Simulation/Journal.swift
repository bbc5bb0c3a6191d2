import JSON
import Rooms

/// Every flushed entry of the logs, and the facts derived from them: the calls that took effect, and the state of each
/// room at each version.
final class Journal {
  struct Call: Hashable {
    var person: String
    var client: String
    var number: Int
  }

  struct Receipt {
    var at: Duration
    /// `nil` while another room's answer is pending.
    var answer: JSON?
    let room: RoomID
    /// Whether the room has ended, and the call's effects with it. A room of the same name starts afresh.
    var hasLapsed = false
  }

  struct Moment {
    var at: Duration
    /// The document that clients see, computed only from the patches of the entries.
    var state: JSON
  }

  private unowned let world: World
  private(set) var receipts: [Call: Receipt] = [:]
  private(set) var versions: [RoomID: Int64] = [:]
  private var moments: [RoomID: [Int64: Moment]] = [:]
  private var erased: Set<RoomID> = []
  private(set) var audiences = Audiences()
  private(set) var entryCount = 0

  init(_ world: World) { self.world = world }

  func moment(of room: RoomID, _ version: Int64) -> Moment? { moments[room]?[version] }

  /// Whether the room was erased. A corner may then be created again, so its versions are not comparable.
  func wasErased(_ room: RoomID) -> Bool { erased.contains(room) }

  func noteErased(_ room: RoomID) {
    erased.insert(room)
    versions[room] = nil
    moments[room] = nil
    for (call, receipt) in receipts where receipt.room == room { receipts[call]?.hasLapsed = true }
  }

  func note(_ bytes: [UInt8], of room: RoomID) {
    entryCount += 1
    guard let entry = try? JSON.parse(bytes), let from = entry["from"]?.int, let version = entry["version"]?.int else {
      return world.violate("I4", "an entry of \(room.text) cannot be read")
    }
    let last = versions[room] ?? 0
    if Int64(from) != last || version < from {
      world.violate("I3", "\(room.text) went from \(last) to an entry of \(from)..\(version)")
    }
    if version > from {
      let state = moments[room]?[last]?.state ?? [:]
      moments[room, default: [:]][Int64(version)] = Moment(
        at: world.timeline.now, state: MergePatch.apply(entry["patch"] ?? [:], to: state))
      versions[room] = Int64(version)
      if case .share = room {
        notePeople(of: room)
        let now = moments[room]?[Int64(version)]?.state ?? [:]
        if let found = world.consents.violation(of: room, from: state, to: now) { world.violate("F7", found) }
      }
    }
    for group in entry["receipts"]?.array ?? [] { noteReceipts(group.array ?? [], of: room) }
  }

  private func notePeople(of share: RoomID) {
    guard let state = versions[share].flatMap({ moment(of: share, $0) })?.state else { return }
    let hasEnded = state["share"]?["endedAt"] != nil
    let receivers = hasEnded ? [] : Set((state["receivers"]?.object ?? [:]).keys)
    let sharer = state["share"]?["sharer"]?.string ?? ""
    audiences.note(share, sharer: sharer, receivers: receivers, at: world.timeline.now)
  }

  /// Reads `[person, client, row…]`. A row is `[number, at, hash, answer, answered]`; a shorter one is a mark.
  private func noteReceipts(_ group: [JSON], of room: RoomID) {
    guard group.count > 2, let person = group[0].string, let client = group[1].string else { return }
    for row in group[2...] {
      guard let list = row.array, list.count > 3, let number = list[0].int else { continue }
      let call = Call(person: person, client: client, number: number)
      let answer = list[3] == .null ? nil : list[3]
      if let before = receipts[call], !before.hasLapsed, before.answer != nil || answer == nil {
        world.violate("I2", "call \(number) of \(client) took effect twice")
      }
      receipts[call] = Receipt(at: world.timeline.now, answer: answer, room: room)
    }
  }
}
