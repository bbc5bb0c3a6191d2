import JSON
import Rooms
import Testing

@testable import Home

@Suite("Devices")
struct DeviceListTests {
  let world = World()

  func device(_ name: String, used: Duration = .zero) -> HomeRooms.ListedDevice {
    HomeRooms.ListedDevice(name: name, createdAt: World.start, lastUsedAt: World.start + used)
  }

  func id(_ low: UInt64) -> ID<Session> { ID(high: 0x5E00, low: low) }

  @Test("ACC-15: a list of devices is written when it has changed, and for a later use at most once an hour")
  func uses() throws {
    let ana = try world.signUp("Ana")
    let room = try #require(world.rooms[.person(ana)])
    let turn = Turn(now: world.now)
    let first = [id(1): device("Phone")]
    #expect(HomeRooms.keep(devices: first, in: room, turn: turn))
    #expect(!HomeRooms.keep(devices: first, in: room, turn: turn))
    for (used, isWritten) in [(59, false), (3_599, false), (3_600, true), (3_700, false)] {
      let devices = [id(1): device("Phone", used: .seconds(used))]
      #expect(HomeRooms.keep(devices: devices, in: room, turn: turn) == isWritten, "\(used)")
    }
    #expect(HomeRooms.lists(device: id(1), usedAt: World.start + .seconds(7_199), in: room))
    #expect(!HomeRooms.lists(device: id(1), usedAt: World.start + .seconds(7_200), in: room))
    #expect(!HomeRooms.lists(device: id(2), usedAt: World.start, in: room))
    let renamed = [id(1): device("Old phone")]
    #expect(HomeRooms.keep(devices: renamed, in: room, turn: turn))
    #expect(try world.me(ana).devices.list[id(1)]?.name == "Old phone")
    #expect(try world.me(ana).inbox.notifications.isEmpty)
  }

  @Test("ACC-15: a person is notified once of each login except the first")
  func logins() throws {
    let ana = try world.signUp("Ana")
    let room = try #require(world.rooms[.person(ana)])
    let turn = Turn(now: world.now)
    let both = [id(1): device("Phone"), id(2): device("")]
    // An older release has left no list.
    #expect(HomeRooms.keep(devices: both, in: room, turn: turn))
    #expect(try world.me(ana).inbox.notifications.isEmpty)
    var more = both
    more[id(3)] = device("Tablet")
    #expect(HomeRooms.keep(devices: more, in: room, turn: turn))
    #expect(HomeRooms.keep(devices: both, in: room, turn: turn))
    #expect(HomeRooms.keep(devices: more, in: room, turn: turn))
    let told = try world.me(ana).inbox.notifications.values.map(\.self)
    #expect(told.map(\.kind) == [.login] && told.map(\.name) == ["Tablet"])
    #expect(told.compactMap { $0.ref?.cast() } == [id(3)])
  }
}
