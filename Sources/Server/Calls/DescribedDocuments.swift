import Home
import JSON
import Rooms

/// The description of what clients are sent unasked: the documents of rooms, and notifications (NFR-3).
extension Discovery {
  /// A JSON Schema for each kind of room: `state` and `live`, as `room.subscribe` answers them and patches change them.
  /// A table, or a record that says nothing, may be absent.
  static var documents: [String: JSON] {
    let kinds = HomeRooms.kinds.map { kind in
      let parts = kind.describeContent().parts
      func document(_ visibilities: Set<Visibility>) -> JSON {
        let shown = parts.filter { visibilities.contains($0.visibility) }
        return ["type": "object", "properties": .object(Dictionary(shown.map { ($0.name, open($0.schema)) }) { $1 })]
      }
      let schema: JSON = [
        "type": "object",
        "properties": ["state": document([.shown]), "live": document([.live, .kept])],
        "x-room": .string(kind.name.form),
      ]
      return (kind.name.rawValue, schema)
    }
    return Dictionary(kinds) { $1 }
  }

  /// The schema with unknown members allowed: clients pass over them.
  private static func open(_ schema: JSON) -> JSON {
    guard var members = schema.object else { return schema }
    if members["additionalProperties"] == false { members["additionalProperties"] = nil }
    return .object(
      members.mapValues { value in
        switch value {
        case .object: open(value)
        case .array(let items): .array(items.map(open))
        default: value
        }
      })
  }

  /// The notifications that the server sends.
  static var notifications: [JSON] {
    let room = FieldDescription("room", String.schema(nil), isRequired: true)
    let at = FieldDescription("at", Instant.schema(nil), isRequired: true)
    let reason = FieldDescription("reason", String.schema(nil), isRequired: true)
    let patch = FieldDescription("patch", ["type": "object"], isRequired: true)
    let number = Int.schema(0...Int.max)
    let all: [(name: String, summary: String, fields: [FieldDescription])] = [
      (
        "room.patch", "The state of a room has changed: a JSON merge patch (RFC 7396).",
        [
          room, FieldDescription("from", number, isRequired: true),
          FieldDescription("version", number, isRequired: true), at, FieldDescription("by", ID<Person>.schema(nil)),
          patch,
        ]
      ),
      ("room.live", "The live document of a room has changed: a JSON merge patch (RFC 7396).", [room, at, patch]),
      (
        "room.tick", "The versions of rooms, at least once a heartbeat, and the age of their live values.",
        [
          at, FieldDescription("rooms", ["type": "object", "additionalProperties": number], isRequired: true),
          FieldDescription("live", ["type": "object"]),
        ]
      ),
      ("room.closed", "The client is in a room no longer, or is no longer subscribed to it.", [room, reason]),
      ("session.ended", "The session has ended; the connection closes.", [reason]),
      (
        "server.leaving", "The server stops: reconnect after so many milliseconds.",
        [FieldDescription("reconnectAfter", number, isRequired: true)]
      ),
    ]
    return all.map { notification in
      [
        "name": .string(notification.name), "summary": .string(notification.summary), "paramStructure": "by-name",
        "params": .array(notification.fields.map { descriptor($0) }),
      ]
    }
  }
}
