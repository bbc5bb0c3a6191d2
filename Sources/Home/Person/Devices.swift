import JSON
public import Rooms

/// The signed-in devices of a person (ACC-15): a copy; the directory is authoritative.
struct DeviceList: Subject {
  typealias State = PersonState
  var list = Table<ID<Session>, Device>()

  mutating func parts(_ part: inout some PartVisitor) { part("devices", &list) }
}

/// A signed-in device.
struct Device: Record {
  /// The name given by its client; empty if there is none.
  var name = ""
  var createdAt = Instant()
  /// To the minute, and updated at most once an hour.
  var lastUsedAt = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("createdAt", \.createdAt)
    field("lastUsedAt", \.lastUsedAt)
  }
}

/// Brings the list of devices in line with the directory; the server calls it whenever that may have changed.
struct KeepDevices: Mutation {
  static let method: StaticString = "devices.keep"
  static let summary: StaticString =
    "Brings the list of devices in line with the directory; the server calls it whenever that may have changed."
  var devices: SmallMap<ID<Session>, Device> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) { field("devices", \.devices) }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    let isFirst = me.devices.list.isEmpty
    for id in me.devices.list.keys where devices[id] == nil { me.devices.list[id] = nil }
    for (id, device) in devices where device.isNews(after: me.devices.list[id]) {
      let isNew = !me.devices.list.contains(id)
      me.devices.list[id] = device
      // The person's other devices learn of the new log-in.
      guard isNew, !isFirst else { continue }
      let notification = Notification(
        kind: .login, ref: id.cast(), at: device.createdAt, name: device.name.isEmpty ? nil : device.name)
      me.notify(notification, from: context.room, in: context)
    }
    return NoAnswer()
  }
}

extension Device {
  /// The least time between two writes of a device's last use.
  static let useStep = Duration.seconds(3600)

  init(_ listed: HomeRooms.ListedDevice) {
    name = listed.name
    createdAt = listed.createdAt
    lastUsedAt = Instant(milliseconds: listed.lastUsedAt.milliseconds / 60_000 * 60_000)
  }

  fileprivate func isNews(after known: Device?) -> Bool {
    guard let known else { return true }
    return name != known.name || createdAt != known.createdAt || lastUsedAt - known.lastUsedAt >= Self.useStep
  }
}

extension HomeRooms {
  /// A device as listed in the directory.
  public struct ListedDevice: Sendable {
    public var name: String
    public var createdAt: Instant
    public var lastUsedAt: Instant

    public init(name: String, createdAt: Instant, lastUsedAt: Instant) {
      self.name = name
      self.createdAt = createdAt
      self.lastUsedAt = lastUsedAt
    }
  }

  /// Updates a person's list of devices from the directory; `false` if it already matches.
  public static func keep(devices listed: [ID<Session>: ListedDevice], in me: Room, turn: Turn) -> Bool {
    guard let room = me as? TypedRoom<PersonState> else { return false }
    let devices = SmallMap(listed.map { ($0.key, Device($0.value)) })
    let known = room.state.devices.list
    let isSame = devices.count == known.count && devices.allSatisfy { !$0.value.isNews(after: known[$0.key]) }
    if isSame { return false }
    return (try? room.perform(KeepDevices(devices: devices), turn)) != nil
  }

  /// Whether a person's list has a device with a last use that is recent enough not to be written again.
  public static func lists(device: ID<Session>, usedAt now: Instant, in me: Room) -> Bool {
    guard let known = (me as? TypedRoom<PersonState>)?.state.devices.list[device] else { return false }
    return now - known.lastUsedAt < Device.useStep
  }

  /// The name of a device, trimmed; if it is invalid, notes the problem under `field` and returns `nil`.
  public static func deviceName(_ text: String, _ field: String, _ problems: Problems) -> String? {
    let before = problems.count
    let line = Line(checking: text, problems)
    if problems.count > before {
      problems.nest(field, since: before)
    } else if !line.fits(Limits.deviceName) {
      problems.note(field, Line.limitText(Limits.deviceName))
    }
    return problems.count == before ? line.text : nil
  }
}
