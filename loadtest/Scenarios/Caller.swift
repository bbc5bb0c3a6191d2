import Crypto
import JSON

/// A member that changes the household with several calls in flight, each on another object.
final class Caller {
  /// An object that is changed by one call at a time.
  private struct Slot {
    var id: String
    /// The number of the call in flight; 0 for none.
    var number = 0
    var startedAt: Int64 = 0
    /// The state of the object after that call: checked off, or on the board.
    var isSet = false
    /// The next call of the mix `chores`.
    var round = ChoreRound()
  }

  let connection: Connection
  unowned let room: WatchedRoom
  private let mix: Mix
  private let filler: String
  private var slots: [Slot]
  private var number = 0
  /// Due times of calls that wait for a free slot.
  private var backlog: ArraySlice<Int64> = []

  init(_ connection: Connection, _ room: WatchedRoom, _ mix: Mix, inFlight: Int, textLength: Int) {
    self.connection = connection
    self.room = room
    self.mix = mix
    // The same objects in each run, so that a list does not grow with every run.
    slots = (0..<inFlight).map { index in
      Slot(id: uuid(SHA256.hash(Array("load test \(connection.person.id) \(index)".utf8))))
    }
    filler = String(repeating: "x", count: max(0, textLength - 12))
  }

  var inFlightCount: Int { slots.count { $0.number > 0 } + backlog.count }

  /// Creates the objects to change.
  func prepare() {
    guard mix != .notes else { return }
    for (index, slot) in slots.enumerated() {
      if mix == .chores {
        connection.call("chores.add", id: "chore\(index)") { writer in
          writer.key("room")
          writer.string(connection.person.room)
          slot.round.writeChore(to: writer)
        }
        continue
      }
      connection.call("groceries.add", id: "item\(index)") { writer in
        writer.key("room")
        writer.string(connection.person.room)
        writer.key("id")
        writer.string(slot.id)
        writer.key("name")
        writer.string("Load \(connection.person.id) \(index)")
      }
    }
  }

  /// Makes a call that is due; it waits if all objects are busy.
  func call(dueAt due: Int64, _ writer: Writer) -> Bool {
    guard let index = slots.firstIndex(where: { $0.number == 0 }) else {
      backlog.append(due)
      return false
    }
    send(index, startedAt: due, writer)
    return true
  }

  /// Takes an answer and returns the due time of its call.
  func answered(_ number: Int, isRefused: Bool, _ result: View? = nil) -> Int64? {
    guard let index = slots.firstIndex(where: { $0.number == number }) else { return nil }
    slots[index].number = 0
    if mix == .chores {
      if !isRefused, slots[index].round.step.isCompletion { room.completionCount += 1 }
      slots[index].round.answered(result)
    } else if isRefused {
      slots[index].isSet.toggle()
    } else {
      room.content.answer(slots[index].id, value(of: slots[index], number))
    }
    return slots[index].startedAt
  }

  /// The value of an object that watchers will see after a call.
  private func value(of slot: Slot, _ number: Int) -> Int { mix == .check ? (slot.isSet ? 1 : 0) : number }

  /// Frees all objects when the connection is lost: the calls in flight may have taken effect, and are not sent again.
  func forgetCalls() {
    for index in slots.indices { slots[index].number = 0 }
    backlog = []
  }

  /// The due time of the call that has waited longest.
  func popBacklog() -> Int64? { backlog.popFirst() }

  private func send(_ index: Int, startedAt: Int64, _ writer: Writer) {
    // All answers below the oldest call in flight have arrived.
    let oldest = slots.reduce(number + 1) { $1.number > 0 ? min($0, $1.number) : $0 }
    number += 1
    slots[index].number = number
    slots[index].startedAt = startedAt
    slots[index].isSet.toggle()
    slots[index].round.goOn()
    if mix == .notes, slots[index].isSet {
      room.content.forget(slots[index].id)
      slots[index].id = randomUUID()
    }
    let slot = slots[index]
    if mix != .chores, mix != .notes || slot.isSet { room.content.send(slot.id, value(of: slot, number)) }
    writer.clear()
    writer.raw("{\"jsonrpc\":\"2.0\",\"id\":")
    writer.int(number)
    writer.raw(",\"method\":")
    switch (mix, slot.isSet) {
    case (.edit, _): writer.raw("\"groceries.edit\"")
    case (.check, _): writer.raw("\"groceries.check\"")
    case (.notes, true): writer.raw("\"notes.add\"")
    case (.notes, false): writer.raw("\"notes.remove\"")
    case (.chores, _):
      writer.raw("\"")
      writer.raw(slot.round.method)
      writer.raw("\"")
    }
    writer.raw(",\"params\":{")
    writer.key("room")
    writer.string(connection.person.room)
    if mix != .chores || !slot.round.step.isQuestion {
      writer.key("seq")
      writer.int(number)
      if oldest > 1 {
        writer.key("answered")
        writer.int(oldest - 1)
      }
    }
    if mix != .chores {
      writer.key("id")
      writer.string(slot.id)
    }
    switch (mix, slot.isSet) {
    case (.edit, _):
      writer.key("note")
      writer.string("\(number) \(filler)")
    case (.check, _):
      writer.key("checked")
      writer.bool(slot.isSet)
    case (.notes, true):
      writer.key("text")
      writer.string("\(number) \(filler)")
    case (.notes, false): break
    case (.chores, _): slot.round.write(to: writer)
    }
    writer.raw("}}")
    connection.send(message: writer)
  }
}
