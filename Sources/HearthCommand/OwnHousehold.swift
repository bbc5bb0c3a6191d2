import HearthClient
import JSON

/// The household that a command is about.
enum OwnHousehold {
  /// The household that is named, or the only one; `nil` if there is none, or there are several.
  static func name(_ room: String?, _ connection: ServerConnection) async throws(ClientError) -> String? {
    if let room { return room }
    let state = try await connection.call("room.subscribe", room: "me")["state"] ?? [:]
    let all = state["households"]?.object ?? [:]
    if let only = all.keys.first, all.count == 1 { return "household/\(only)" }
    if all.isEmpty {
      complain("You are in no household.")
    } else {
      complain("You are in several households. Name one of them:")
      for (id, entry) in all.sorted(by: { $0.key < $1.key }) {
        complain(printable("  household/\(id)  \(entry["name"]?.string ?? "")"))
      }
    }
    return nil
  }
}
