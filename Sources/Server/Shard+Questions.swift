import Home
import JSON
import Platform
import Rooms

/// Questions to a room that change nothing and whose answers are not in its state.
extension Shard {
  // MARK: what was bought before

  struct SuggestParameters: Record {
    var room = ""
    var prefix: String?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("room", \.room, 1...128)
      field("prefix", \.prefix, 0...100)
    }
  }

  /// What the household has had on its list and may want again (GRO-4).
  func suggest(_ parameters: SuggestParameters, _ caller: Caller) {
    guard let person = caller.session.person, let id = RoomID(name: parameters.room, caller: person),
      case .household = id
    else { return refuse(caller, .invalid("room", "must be the name of a household's room")) }
    withSeat(id) { [unowned self] seat in
      guard let person = caller.session.person, let room = seat.room, admits(person, to: room),
        let names = HomeRooms.suggestions(for: parameters.prefix ?? "", in: room, at: loop.now)
      else { return refuse(caller, .noRoom(seat)) }
      scratch.clear()
      scratch.key("result")
      scratch.openObject()
      scratch.key("items")
      scratch.openArray()
      for name in names {
        scratch.openObject()
        scratch.key("name")
        scratch.string(name)
        scratch.closeObject()
      }
      scratch.closeArray()
      scratch.closeObject()
      // It may tell of what is not on disk yet, so it leaves behind the commit of that.
      let member = scratch.bytes()
      if let group = seat.pendingGroup {
        group.answer(caller, member)
      } else {
        deliver(caller, member: member)
      }
    }
  }

  // MARK: distances

  struct DistanceParameters: Record {
    var room = ""
    var lat = 0.0
    var lon = 0.0
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("room", \.room, 1...128)
      field("lat", \.lat, -90...90)
      field("lon", \.lon, -180...180)
    }
  }

  /// `shares.distance`: how far a point is from a sharer. Nothing is kept of it (LOC-18).
  func tellDistance(_ parameters: DistanceParameters, _ caller: Caller) {
    guard let person = caller.session.person, let id = RoomID(name: parameters.room, caller: person),
      case .share = id
    else { return refuse(caller, .invalid("room", "must be the name of a share")) }
    withSeat(id) { [unowned self] seat in
      guard let room = seat.room, admits(person, to: room) else { return refuse(caller, .noRoom(seat)) }
      guard let metres = HomeRooms.distance(from: (parameters.lat, parameters.lon), to: room),
        let times = HomeRooms.lastPositionTimes(of: room)
      else { return refuse(caller, Refusal(.notFound, "position", "There is no position yet.")) }
      answer(caller) { writer in
        writer.key("metres")
        writer.int(Int(metres.rounded()))
        writer.key("at")
        times.at.write(to: writer)
      }
    }
  }
}
