public import Rooms
public import JSON
public enum HomeRooms {
  public static let kinds: [RoomKind] = []
  public static let activityKind = "activity"
  public static func openPerson(_ room: Room, name: String, birthday: String?, turn: Turn) {}
  public static func rooms(of me: Room) -> [RoomID] { [] }
  public static func ownActiveShares(of me: Room) -> [ID<Share>] { [] }
  public static func lastPositionTimes(of share: Room) -> (at: Instant, link: Instant)? { nil }
  public static func hasPosition(_ r: Room?) -> Bool { false }
  public static func normalisedEmail(_ s: String) -> String? { s }
  public static func isBirthday(_ s: String, now: Instant) -> Bool { true }
}
public enum Limits { public static let personName = 1...64; public static let reportInterval = Duration.seconds(30)
  public static let published: [(name: String, range: ClosedRange<Int>)] = [] }
public struct CallReference: Record { public init() {}; public static func fields(_ f: inout some FieldVisitor<Self>) {}; public var key: CallKey? { nil } }
