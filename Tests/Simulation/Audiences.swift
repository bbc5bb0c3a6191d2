import Rooms

/// The members of each share over time, according to the disk: they may receive the sharer's position (RELIABILITY F7).
struct Audiences {
  private struct Place {
    let sharer: String
    let receiver: String
    let since: Duration
    var until: Duration?
  }

  private var places: [RoomID: [Place]] = [:]

  /// Sets the members of a share from now on; an ended share has none.
  mutating func note(_ share: RoomID, sharer: String, receivers: Set<String>, at now: Duration) {
    var all = places[share] ?? []
    for index in all.indices where all[index].until == nil && !receivers.contains(all[index].receiver) {
      all[index].until = now
    }
    for receiver in receivers.sorted() where !all.contains(where: { $0.receiver == receiver && $0.until == nil }) {
      all.append(Place(sharer: sharer, receiver: receiver, since: now))
    }
    places[share] = all
  }

  /// Whether a person was ever the sharer or a receiver of a share, which may have ended since.
  func was(_ person: String, in share: RoomID) -> Bool {
    places[share]?.contains { $0.sharer == person || $0.receiver == person } == true
  }

  func maySee(_ receiver: String, where sharer: String, at moment: Duration) -> Bool {
    places.values.contains { places in
      places.contains {
        $0.sharer == sharer && $0.receiver == receiver && $0.since <= moment && $0.until.map { moment <= $0 } ?? true
      }
    }
  }
}
