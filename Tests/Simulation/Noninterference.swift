import JSON
import Rooms

/// The same world twice, but for where people say that they are: who is not told of it must hear the same, byte for
/// byte and at the same time (RELIABILITY F8).
///
/// Whatever tells of a position beside the document that holds it (another room, an error, a size, an order, a moment)
/// makes a difference here. Swift must hash alike in both, or sets and tables stand in another order: `simulate` sees
/// to that.
public enum Noninterference {
  /// What somebody heard who had no right to it, if anybody did; how many texts were compared, and how many differed as
  /// they may.
  public static func check(seed: UInt64, operations: Operations) -> (violation: String?, compared: Int, told: Int) {
    // Nobody arrives anywhere at either of them.
    let worlds = [40, 60].map { World(seed: seed, operations: operations, latitude: $0) }
    for world in worlds {
      if let violation = world.run() { return (violation, 0, 0) }
    }
    var (compared, told) = (0, 0)
    for client in worlds[0].clients {
      let (here, there) = (worlds[0].heard[client.number] ?? [], worlds[1].heard[client.number] ?? [])
      for (first, second) in zip(here, there) {
        compared += 1
        if first.at == second.at, first.text == second.text { continue }
        let rooms = about(first)
        guard first.at == second.at, rooms == about(second), !rooms.isEmpty,
          rooms.allSatisfy({ mayBeTold(client.person, of: $0, in: worlds[0]) })
        else {
          let texts = [first, second].map { "\(String(decoding: $0.text.prefix(300), as: UTF8.self)) at \($0.at)" }
          return ("F8: client \(client.number) heard \(texts[0]), and otherwise \(texts[1])", compared, told)
        }
        told += 1
      }
      if here.count != there.count {
        return ("F8: client \(client.number) heard \(here.count) texts, and otherwise \(there.count)", compared, told)
      }
    }
    return (nil, compared, told)
  }

  private static func about(_ heard: World.Heard) -> Set<String> {
    let message = try? JSON.parse(heard.text, depthLimit: 64)
    guard let room = (message?["params"] ?? message?["result"])?["room"]?.string else { return heard.rooms }
    return heard.rooms.union([room])
  }

  private static func mayBeTold(_ person: SimulatedPerson, of room: String, in world: World) -> Bool {
    guard room.hasPrefix("share/"), let id = RoomID(name: room, caller: person.id) else { return false }
    return world.disk.journal.audiences.was(person.id.description, in: id)
  }
}
