import JSON
import Rooms

/// Runs the same world twice with different secrets: positions, and the names on people's own hidden lists. Clients
/// that may not see them must receive the same bytes at the same times (RELIABILITY F8, GRO-1).
///
/// Any leak other than in the document shows here as a difference: another room, an error, a size, an order, a time.
/// Both runs need the same hashing in Swift, or sets and dictionaries differ in order; `simulate` ensures that.
public enum Noninterference {
  /// The outcome of a comparison.
  public struct Outcome {
    /// The first difference that a client must not see.
    public var violation: String?
    public var compared = 0
    /// Messages that differed legitimately, and those of them that told a trail.
    public var told = 0
    public var trails = 0
    /// Messages of those that differed to the owner of a hidden list.
    public var hiddenItems = 0
  }

  /// Compares the two runs.
  public static func check(seed: UInt64, operations: Operations) -> Outcome {
    // At neither latitude does a person arrive at a place.
    let worlds = [40, 60].map { World(seed: seed, operations: operations, latitude: $0) }
    for world in worlds {
      if let violation = world.run() { return Outcome(violation: violation) }
    }
    var outcome = Outcome()
    for client in worlds[0].clients {
      let (here, there) = (worlds[0].heard[client.number] ?? [], worlds[1].heard[client.number] ?? [])
      for (first, second) in zip(here, there) {
        outcome.compared += 1
        if first.at == second.at, first.text == second.text { continue }
        let rooms = about(first)
        guard first.at == second.at, rooms == about(second), !rooms.isEmpty,
          rooms.allSatisfy({ mayBeTold(client.person, of: $0, in: worlds[0]) })
        else {
          let texts = [first, second].map { "\(String(decoding: $0.text.prefix(300), as: UTF8.self)) at \($0.at)" }
          outcome.violation = "F8: client \(client.number) received \(texts[0]), and in the other run \(texts[1])"
          return outcome
        }
        outcome.told += 1
        if rooms.contains(where: { $0.hasSuffix("/mine") }) { outcome.hiddenItems += 1 }
        if String(decoding: first.text, as: UTF8.self).contains(#""trail":{"#) { outcome.trails += 1 }
      }
      if here.count != there.count {
        let counts = "\(here.count) messages, and in the other run \(there.count)"
        outcome.violation = "F8: client \(client.number) received \(counts)"
        return outcome
      }
    }
    return outcome
  }

  private static func about(_ heard: World.Heard) -> Set<String> {
    let message = try? JSON.parse(heard.text, depthLimit: 64)
    guard let room = (message?["params"] ?? message?["result"])?["room"]?.string else { return heard.rooms }
    return heard.rooms.union([room])
  }

  private static func mayBeTold(_ person: SimulatedPerson, of room: String, in world: World) -> Bool {
    // By this name everybody means their own list.
    if room.hasSuffix("/mine") { return true }
    guard room.hasPrefix("share/"), let id = RoomID(name: room, caller: person.id) else { return false }
    return world.disk.journal.audiences.was(person.id.description, in: id)
  }
}
