import JSON
import Rooms
import Testing

@testable import Home

@Suite("Payment handles")
struct PaymentHandleTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()

  func update(_ person: ID<Person>, _ change: JSON) -> String? {
    reason { try world.call(person, "profile.update", change) }
  }

  @Test("BIL-8, ACC-7: handles need a PIN, are shown to mates if shared, and mates are told of a changed one")
  func sharing() throws {
    let people = try world.household(of: "Ana", "Ben")
    let handles: JSON = ["handles": ["venmo": "ana-pays", "applePay": "+4915112345678"], "preferred": "venmo"]
    #expect(update(people[0], handles) == "forbidden/confirm")
    world.confirmation = .password
    #expect(update(people[0], handles) == "forbidden/confirm")
    #expect(try world.me(people[0]).identity.profile.value.handles.isEmpty)
    world.confirmation = .pin
    #expect(update(people[0], handles) == nil)
    func shown() throws -> Member { try #require(try world.home().membership.members[people[0]]) }
    func told() throws -> Int { try world.me(people[1]).inbox.notifications.values.count { $0.kind == .handles } }
    #expect(try shown().handles.isEmpty && shown().preferred == nil && told() == 0)
    // Other fields of a profile need no PIN.
    world.confirmation = nil
    #expect(update(people[0], ["sharesHandles": true]) == nil)
    #expect(try shown().handles == [.venmo: "ana-pays", .applePay: "+4915112345678"] && shown().preferred == .venmo)
    #expect(try told() == 1)
    world.confirmation = .pin
    world.advance(.seconds(1))
    #expect(update(people[0], ["handles": ["venmo": .null, "paypal": "AnaPays"]]) == nil)
    #expect(try shown().handles == [.paypal: "AnaPays", .applePay: "+4915112345678"] && told() == 2)
    #expect(try !world.me(people[0]).inbox.notifications.values.contains { $0.kind == .handles })
    #expect(update(people[1], ["name": "Benno"]) == nil)
    // A newcomer's household sees them at once; no longer shared, they are gone everywhere.
    let other = ID<Household>(high: 0xB000, low: 2)
    _ = try world.household(of: "Cem", id: other)
    try world.join([people[0]], other)
    #expect(try world.home(other).membership.members[people[0]]?.handles[.paypal] == "AnaPays")
    #expect(update(people[0], ["sharesHandles": false]) == nil)
    #expect(try shown().handles.isEmpty && shown().preferred == nil && told() == 2)
    let refused = refusal { try world.call(people[1], "settings.edit", ["muted": ["handles": true]]) }
    #expect(refused?.fields.map(\.path) == ["muted.handles"])
  }

  @Test("BIL-18, ACC-2: handles have the form of their platform, and all bad ones are named together")
  func forms() throws {
    let ana = try world.signUp("Ana")
    world.confirmation = .pin
    let found = refusal {
      try world.call(
        ana, "profile.update",
        [
          "preferred": "cash",
          "handles": [
            "venmo": "a b", "paypal": "", "applePay": "0151", "other": "\u{202E}", "card": "4111111111111111",
          ],
        ])
    }
    let bad: Set = [
      "preferred", "handles.venmo", "handles.paypal", "handles.applePay", "handles.other", "handles.card",
    ]
    #expect(Set(found?.fields.map(\.path) ?? []) == bad)
    for (platform, handle) in [
      ("venmo", "a-b_C"), ("paypal", "x"), ("applePay", "+1234567"), ("other", "Wero: +4915112345678"),
    ] {
      #expect(update(ana, ["handles": .object([platform: .string(handle)])]) == nil, "\(platform)")
    }
  }

  @Test(
    "BIL-18: no handle is the number of a card, however it is written",
    arguments: [
      "4111111111111111", "4111 1111 1111 1111", "5555-5555-5555-4444", "378282246310005", "6011111111111117",
      "30569309025904", "3530111333300000", "6759649826438453", "my card 4111 1111 1111 1111 ok",
    ])
  func cards(number: String) throws {
    let ana = try world.signUp("Ana")
    world.confirmation = .pin
    for platform in PaymentPlatform.allCases {
      for text in [number, number.filter(\.isNumber), "+\(number.filter(\.isNumber))"] {
        let found = refusal {
          try world.call(ana, "profile.update", ["handles": .object([platform.rawValue: .string(text)])])
        }
        #expect(found?.fields.map(\.path) == ["handles.\(platform.rawValue)"], "\(platform) \(text)")
      }
    }
    #expect(try world.me(ana).identity.profile.value.handles.isEmpty)
  }
}
