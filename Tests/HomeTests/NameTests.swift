import JSON
import Rooms
import Testing

@testable import Home

@Suite("Names and texts")
struct NameTests {
  static let unseenNames = [
    "\u{200B}", "\u{2800}", "\u{3164}", "\u{AD}", "\u{2060}", "\u{115F}", "\u{1160}", "\u{FFA0}", "\u{FEFF}", "\u{34F}",
    "\u{FE0F}", "\u{E0100}", "\u{301}", "\u{20DD}", "\u{93E}", "\u{E0041}", "\u{1D159}", "\u{200F}", "\u{200D}\u{200C}",
    " \u{200B} ", "\u{3000}\u{2060}\u{3000}",
  ]
  static let turningScalars = Array(0x202A...0x202E) + Array(0x2066...0x2069)
  static let honestNames = [
    "Ana", "דָּוִד", "\u{200F}דוד", "علی‌رضا", "👨‍👩‍👧‍👦", "Ana\u{301}", "ｱﾅ", "क्षेत्र", "O’Neil",
    "❤️", "1️⃣", "\u{F8FF}", "\u{378}", "…",
    String(repeating: "👩🏽", count: 32),
  ]

  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()

  /// The paths of all that is wrong where a name stands, with the name everywhere.
  func refusedPaths(_ name: String) throws -> [String] {
    let world = World()
    let people = try world.household(of: "Ana", "Ben")
    let text = JSON.string(name)
    let problems = Problems()
    HomeRooms.check(name: name, birthday: nil, at: World.start, problems)
    _ = HomeRooms.deviceName(name, "device", problems)
    var paths = problems.list.map(\.path)
    func add(_ body: () throws -> JSON) { paths += refusal(body)?.fields.map(\.path) ?? [] }
    add { try world.call(people[0], "households.create", ["name": text, "timeZone": "UTC", "currency": "EUR"]) }
    add { try world.call(people[0], "groceries.add", in: .household(id), ["name": text, "unit": text]) }
    add { try world.call(people[0], "groceries.add", in: .corner(id, people[0]), ["name": text]) }
    let place: JSON = ["lat": 1, "lon": 1, "label": text]
    add { try world.call(people[0], "shares.start", ["receivers": [.id(people[1])], "place": place]) }
    return paths
  }

  static let everywhere = ["name", "device", "name", "name", "unit", "name", "place.label"]

  @Test("R-025: a name that shows nothing is refused wherever a name stands", arguments: unseenNames)
  func unseen(name: String) throws {
    #expect(try refusedPaths(name) == Self.everywhere)
  }

  @Test("R-025: a name and a text that turn the text around them are refused", arguments: turningScalars)
  func turning(value: Int) throws {
    let scalar = String(try #require(Unicode.Scalar(value)))
    #expect(try refusedPaths("Ana\(scalar)moc") == Self.everywhere)
    let ana = try world.household(of: "Ana")[0]
    for text in ["Ana\(scalar)moc.elgoog", "one\ntwo\(scalar)", scalar] {
      let note = refusal { try world.call(ana, "notes.add", in: .household(id), ["text": .string(text)]) }
      #expect(note?.fields.map(\.path) == ["text"])
    }
  }

  @Test("R-025: control characters are refused, in texts all but newline and tab")
  func controls() throws {
    let ana = try world.household(of: "Ana")[0]
    for scalar in ["\u{0}", "\u{1}", "\u{1B}", "\r", "\u{7F}", "\u{85}", "\n", "\t", "\u{2028}", "\u{2029}"] {
      #expect(try refusedPaths("A\(scalar)na") == Self.everywhere, "\(scalar.unicodeScalars.map(\.value))")
      let isText = ["\n", "\t", "\u{2028}", "\u{2029}"].contains(scalar)
      let note = refusal { try world.call(ana, "notes.add", in: .household(id), ["text": .string("A\(scalar)na")]) }
      #expect((note == nil) == isText, "\(scalar.unicodeScalars.map(\.value))")
      let prefix = refusal {
        try world.call(ana, "groceries.suggest", in: .household(id), ["prefix": .string("A\(scalar)")])
      }
      #expect(prefix?.fields.map(\.path) == ["prefix"], "\(scalar.unicodeScalars.map(\.value))")
    }
    for prefix in ["", " ", "\u{301}", "Mi "] {
      let found = refusal {
        try world.call(ana, "groceries.suggest", in: .household(id), ["prefix": .string(prefix)])
      }
      #expect(found == nil)
    }
  }

  @Test("R-025: an honest name comes back byte for byte, wherever it is shown", arguments: honestNames)
  func honest(name: String) throws {
    let founder = try world.signUp("Founder")
    try world.call(
      founder, "households.create",
      ["id": .id(id), "name": .string(name), "timeZone": "Europe/Berlin", "currency": "EUR"])
    let person = try world.signUp(name)
    try world.join([person], id)
    try world.call(person, "groceries.add", in: .household(id), ["name": .string(name)])
    let home = try world.home()
    let shown = [
      home.info.facts.value.name, home.membership.members[person]?.name, home.list.groceries.values.first?.name,
      try world.me(person).identity.profile.value.name, try world.me(person).memberships.households[id]?.name,
      try world.me(founder).memberships.mates[person]?.name,
      try world.me(founder).inbox.notifications.values.first { $0.kind == .joined }?.actorName,
      HomeRooms.deviceName(name, "device", Problems()),
    ]
    for text in shown { #expect(Array(text?.utf8 ?? "".utf8) == Array(name.utf8)) }
  }

  @Test(
    "R-015, R-025: a limit counts the scalars that were sent, though normalising changes their number",
    arguments: ["a", "ﬃ", "e\u{301}", "\u{1100}\u{1161}", "👩‍🍳", "½", "İ"])
  func lengths(unit: String) throws {
    let ana = try world.household(of: "Ana")[0]
    let scalars = Array(unit.unicodeScalars)
    for (field, limit) in [("name", 100), ("unit", 16), ("note", 500)] {
      for count in limit - 1...limit + 1 {
        var text = String.UnicodeScalarView()
        // Whole units behind what fills up, so that the last scalar is always visible.
        text.append(contentsOf: repeatElement("x", count: count % scalars.count))
        for _ in 0..<count / scalars.count { text.append(contentsOf: scalars) }
        #expect(text.count == count)
        var parameters: [String: JSON] = ["name": "Tea", "personal": true]
        parameters[field] = .string(String(text))
        let found = refusal { try world.call(ana, "groceries.add", in: .household(id), .object(parameters)) }
        #expect(found?.fields.map(\.path) == (count > limit ? [field] : nil), "\(unit) \(field) \(count)")
      }
    }
  }
}
