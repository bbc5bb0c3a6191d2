public import Rooms

extension HomeRooms {
  /// The running shares of a person's own position.
  public static func ownActiveShares(of me: Room) -> [ID<Share>] {
    guard let room = me as? TypedRoom<PersonState> else { return [] }
    return room.state.shares.entries.keys { $0.role == .sharer }
  }

  /// Whether a room has a position, so that its age is sent more often.
  public static func hasPosition(_ room: Room?) -> Bool { room is TypedRoom<ShareState> }

  /// When the position of a share was fixed, and when its phone last reported; `nil` before the first report.
  public static func lastPositionTimes(of share: Room) -> (at: Instant, link: Instant)? {
    guard let room = share as? TypedRoom<ShareState>, let link = room.state.link.value.at,
      let at = room.state.position.value.at
    else { return nil }
    return (at, link)
  }

  /// The freshness of a position by its age: `fresh`, `stale` or `lost` (LOC-8).
  public static func freshness(ofPositionAt instant: Instant, now: Instant) -> String {
    Freshness(age: now - instant).rawValue
  }

  /// Whether the sharer was at the place that ends the share from the beginning, and has not left it (R-ARRIVE).
  public static func isAlreadyInside(_ share: Room) -> Bool {
    (share as? TypedRoom<ShareState>)?.state.share.value.arrival == .alreadyInside
  }
}
