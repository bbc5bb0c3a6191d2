import Rooms
import WebSocket

/// Changes on their way through the server, without kernel and disk: from frames through rule, commit and patch to the
/// bytes for each member of a household.
///
/// In households of four, all members watch and call at the same time, as on a saturated server.
final class WholePath: Path {
  private let inFlight: Int
  let server: BareServer
  private var members: [Member] = []
  let clients: [BareClient]
  private var numbers = 0

  private struct Member {
    let client: BareClient
    let household: String
    let items: [String]
  }

  /// The number of changes in a round.
  var changesPerRound: Int { members.count * inFlight }

  /// - Parameters:
  ///   - households: at most 15, since the sample's people are members of all, with 16 connections each.
  ///   - inFlight: the calls of each member in a round.
  init(households: Int, inFlight: Int) throws {
    self.inFlight = inFlight
    let home = try SampleHome()
    let items = try home.groceries()
    server = try BareServer(home)
    for number in 0..<households {
      let id = ID<Household>(high: 0x1111_0000_0000_8000 | UInt64(number), low: 0x8555_6666_7777_8888)
      for (index, person) in SampleHome.people.enumerated() {
        let member = Member(
          client: server.connect(as: person), household: "household/\(id)",
          items: (0..<inFlight).map { items[index * inFlight + $0] })
        server.subscribe(member.client, to: member.household)
        members.append(member)
      }
    }
    clients = members.map(\.client)
    for client in clients { try client.expect("\"groceries\"") }
  }

  func prepareRound() -> [[UInt8]] {
    numbers += inFlight
    return members.map { member in
      var bytes: [UInt8] = []
      for index in 0..<inFlight {
        let number = numbers - inFlight + index + 1
        bytes += Frame.text(
          """
          {"jsonrpc":"2.0","id":\(number),"method":"groceries.edit","params":{"room":"\(member.household)",\
          "seq":\(number),"answered":\(number - index - 1),"id":"\(member.items[index])",\
          "note":"\(number) \(String(repeating: "x", count: 88))"}}
          """, mask: 0x9E37_79B9)
      }
      return bytes
    }
  }
}
