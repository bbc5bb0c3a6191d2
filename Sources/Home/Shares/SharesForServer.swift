import JSON
public import Rooms

extension HomeRooms {
  /// A person's own document, or a patch of it, without its shares (LOC-31).
  ///
  /// Its notifications tell no place, time or battery.
  ///
  /// - Parameter document: A JSON object, as a room writes it.
  public static func withoutShares(_ document: [UInt8]) -> [UInt8] {
    guard case .object(var members)? = try? JSON.parse(document) else { return Array("{}".utf8) }
    members["shares"] = nil
    members["reporter"] = nil
    members["asks"] = nil
    members["asked"] = nil
    if case .object(let rows)? = members["inbox"] {
      members["inbox"] = .object(
        rows.mapValues { row in
          guard case .object(let fields) = row else { return row }
          return .object(fields.filter { !fieldsOfShares.contains($0.key) })
        })
    }
    return JSON.object(members).bytes
  }

  private static let fieldsOfShares: Set = [
    "until", "cause", "fixedAt", "battery", "place", "pickup", "reason", "arriveBy",
  ]

  /// The running shares of a person's own position.
  public static func ownActiveShares(of me: Room) -> [ID<Share>] {
    guard let room = me as? TypedRoom<PersonState> else { return [] }
    return room.state.shares.entries.keys { $0.role == .sharer }
  }

  /// Whether a room has a position, so that the server sends its age more often.
  public static func hasPosition(_ room: Room?) -> Bool { room is TypedRoom<ShareState> }

  /// When a position was fixed, and when its phone was last heard of.
  public typealias PositionTimes = (at: Instant, link: Instant)

  /// The times of a share's last fix and of its phone's last report; `nil` before the first report.
  public static func lastPositionTimes(of share: Room) -> PositionTimes? {
    guard let room = share as? TypedRoom<ShareState>, let link = room.state.link.value.at,
      let at = room.state.position.value.at
    else { return nil }
    return (at, link)
  }

  /// The freshness of a position by its age: `fresh`, `stale` or `lost` (LOC-8).
  public static func freshness(ofPositionAt instant: Instant, now: Instant) -> String {
    Freshness(age: now - instant).rawValue
  }

  /// The interval at which the sharer's phone should report to a share (LOC-6).
  public static func reportInterval(of share: Room) -> Duration {
    let pickup = (share as? TypedRoom<ShareState>)?.state.pickup.value.state
    return pickup == .accepted ? Limits.pickupReportInterval : Limits.reportInterval
  }

  /// Whether the sharer was at the destination from the beginning, and has not left it (R-ARRIVE).
  public static func isAlreadyInside(_ share: Room) -> Bool {
    (share as? TypedRoom<ShareState>)?.state.share.value.arrival == .alreadyInside
  }
}
