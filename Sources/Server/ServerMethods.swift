import Crypto
import Home
import JSON
import Platform
import Rooms

/// A method that the server itself answers, not a room's rule.
struct ServerMethod: Sendable {
  /// Where it is carried out.
  enum Place: Sendable {
    /// On the shard of the connection.
    case connection
    /// Where the room lives that the call names, or the caller's own.
    case room, me
  }

  let needsPerson: Bool
  let place: Place
  let run: @Sendable (Shard, View, Caller) -> Void
  /// Its parameters, for `rpc.discover`; empty where a domain method of the same name has the list.
  var describe: @Sendable () -> [FieldDescription] = { [] }

  /// A method whose parameters are the fields of a record.
  static func of<Parameters: Record>(
    needsPerson: Bool = true, at place: Place, _ body: @escaping @Sendable (Shard, Parameters, Caller) -> Void
  ) -> ServerMethod {
    ServerMethod(
      needsPerson: needsPerson, place: place,
      run: { shard, view, caller in
        shard.problems.clear()
        guard let parameters = Parameters.read(view, shard.problems) else { return shard.refuseInvalid(caller) }
        body(shard, parameters, caller)
      }, describe: { Parameters.descriptions })
  }

  static let all: [String: ServerMethod] = [
    "hello": of(needsPerson: false, at: .connection) { (shard, parameters: Shard.HelloParameters, caller) in
      shard.hello(parameters, caller)
    },
    "rpc.discover": of(needsPerson: false, at: .connection) { (shard, _: NoAnswer, caller) in shard.discover(caller) },
    "auth.signUp": ServerMethod(
      needsPerson: false, place: .connection, run: { $0.signUp($1, $2) },
      describe: { Discovery.signUp }),
    "auth.logIn": of(needsPerson: false, at: .connection) { (shard, parameters: Shard.LogInParameters, caller) in
      shard.logIn(parameters, caller)
    },
    "auth.logOut": of(at: .connection) { (shard, _: NoAnswer, caller) in shard.logOut(caller) },
    "devices.revoke": of(at: .connection) { (shard, parameters: Shard.RevokeParameters, caller) in
      shard.revokeDevices(parameters, caller)
    },
    "devices.rename": of(at: .connection) { (shard, parameters: Shard.RenameParameters, caller) in
      shard.renameDevice(parameters, caller)
    },
    "room.subscribe": of(at: .room) { (shard, parameters: Shard.SubscribeParameters, caller) in
      shard.subscribe(parameters, caller)
    },
    "room.unsubscribe": of(at: .room) { (shard, parameters: Shard.RoomParameters, caller) in
      shard.unsubscribe(parameters, caller)
    },
    "activity.list": of(at: .room) { (shard, parameters: Shard.PageParameters, caller) in
      shard.list(HomeRooms.activityHistory, parameters, caller)
    },
    "shares.distance": of(at: .room) { (shard, parameters: Shard.DistanceParameters, caller) in
      shard.tellDistance(parameters, caller)
    },
    "groceries.suggest": of(at: .room) { (shard, parameters: Shard.SuggestParameters, caller) in
      shard.suggest(parameters, caller)
    },
    "positions.report": ServerMethod(needsPerson: true, place: .me) { $0.report($1, $2) },
  ]
}

extension Shard {
  struct PageParameters: Record {
    var room = ""
    var before: String?
    var limit: Int?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("room", \.room, 1...128)
      field("before", \.before, 1...64)
      field("limit", \.limit, 1...100)
    }
  }

  /// A page of a room's history, newest first: what has fallen out of the state.
  func list(_ kind: String, _ parameters: PageParameters, _ caller: Caller) {
    guard let person = caller.session.person, let id = RoomID(name: parameters.room, caller: person) else {
      return refuse(caller, .invalid("room", "must be the name of a room"))
    }
    var cursor: HistoryCursor?
    if let before = parameters.before {
      guard let read = HistoryCursor(text: before) else {
        return refuse(caller, .invalid("before", "must be the `next` of an earlier page"))
      }
      cursor = read
    }
    let limit = parameters.limit ?? 50
    withSeat(id) { [unowned self] seat in
      guard let room = seat.room, admits(person, to: room) else { return refuse(caller, .noRoom(seat)) }
      // One page at a time: they cost the disk more than the asking.
      let session = caller.session
      session.hold()
      services.store.history(
        of: id, kind: kind, before: cursor, limit: limit,
        reply: Reply(on: loop.poster) { [unowned self] result in
          guard case .success(let records) = result else {
            refuse(caller, .unavailable)
            return session.release()
          }
          withSeat(id) { [unowned self] seat in
            defer { session.release() }
            // Who has left while the page was read gets nothing of it.
            guard let room = seat.room, admits(person, to: room) else { return refuse(caller, .noRoom(seat)) }
            answer(caller) { write(records, isLast: records.count < limit, to: $0) }
          }
        })
    }
  }

  private func write(_ records: [HistoryRecord], isLast: Bool, to writer: Writer) {
    writer.key("items")
    writer.openArray()
    for record in records {
      if let body = record.body { writer.value(body) }
    }
    writer.closeArray()
    if !isLast, let last = records.last {
      writer.key("next")
      writer.string(HistoryCursor(at: last.at, id: last.id).text)
    }
  }
}

extension HistoryCursor {
  /// Opaque on the wire: where the page ended.
  var text: String {
    let time = (0..<8).map { UInt8(truncatingIfNeeded: at.milliseconds >> (56 - 8 * $0)) }
    return Base64.url.encode(time + id)
  }

  init?(text: String) {
    guard let bytes = Base64.url.decode(text), bytes.count == 24 else { return nil }
    let at = bytes.prefix(8).reduce(Int64(0)) { $0 << 8 | Int64($1) }
    self.init(at: Instant(milliseconds: at), id: Array(bytes.dropFirst(8)))
  }
}
