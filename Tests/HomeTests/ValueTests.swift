import Foundation
import JSON
import Rooms
import Testing

@testable import Home

@Suite("Zones, currencies, addresses and passwords")
struct ValueTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()

  func create(zone: String = "UTC", currency: String = "EUR") throws -> Refusal? {
    let ana = try world.signUp("Ana")
    return refusal {
      try world.call(
        ana, "households.create",
        ["id": .id(id), "name": "Home", "timeZone": .string(zone), "currency": .string(currency)])
    }
  }

  // MARK: zones

  @Test(
    "HH-1, R-028: names of the IANA list, old ones too, are taken and given back as sent",
    arguments: [
      "Europe/Kyiv", "Europe/Kiev", "Asia/Calcutta", "Asia/Kolkata", "America/Argentina/Buenos_Aires", "Etc/GMT+5",
      "UTC", "GMT", "EST", "CET", "Japan", "Singapore", "US/Pacific", "GB", "W-SU", "America/Argentina/ComodRivadavia",
    ])
  func zones(name: String) throws {
    #expect(try create(zone: name) == nil)
    #expect(try world.home().info.facts.value.timeZone.utf8.elementsEqual(name.utf8))
  }

  @Test(
    "HH-1, R-028: all else is refused with fields",
    arguments: [
      "", "+02:00", "GMT+3", "GMT+02:00", "UTC+1", "Berlin", "europe/berlin", "EUROPE/BERLIN", "utc",
      "Europe/Bielefeld",
      "right/Europe/Berlin", "posix/Europe/Berlin", "posixrules", "localtime", "../etc/localtime", "/etc/localtime",
      "Europe/../Europe/Berlin", "Europe/Berlin ", " Europe/Berlin", "Europe/Berlin\n", "Europe", "Europe/", "zone.tab",
      "America/New_York\u{0}", "America/New_York\u{0}x", "Asia/\u{212A}olkata", "PDT", "CEST",
    ])
  func noZones(name: String) throws {
    // The answer does not depend on what was asked before.
    _ = TimeZone(identifier: "America/New_York")
    #expect(try create(zone: name)?.fields.map(\.path) == ["timeZone"])
    #expect(world.mail.isEmpty)
  }

  @Test("HH-1: the list has all names that Foundation knows, and Foundation knows all of the list")
  func allZones() {
    #expect(TimeZoneName.all.count == 598)
    #expect(Set(TimeZone.knownTimeZoneIdentifiers).subtracting(TimeZoneName.all).isEmpty)
    #expect(TimeZoneName.all.filter { TimeZone(identifier: $0) == nil }.isEmpty)
    #expect(TimeZoneName.all.map(\.utf8.count).min() == TimeZoneName.schema(nil)["minLength"]?.int)
    #expect(TimeZoneName.all.map(\.utf8.count).max() == TimeZoneName.schema(nil)["maxLength"]?.int)
  }

  // MARK: currencies

  @Test(
    "HH-1, R-039: a currency of ISO 4217 with a minor unit is taken, a unit of account too",
    arguments: ["EUR", "JPY", "KWD", "CLF", "UYW", "UYI", "COU", "MXV", "XOF", "XCG", "ZWG"])
  func currencies(code: String) throws {
    #expect(try create(currency: code) == nil)
    #expect(try world.home().info.facts.value.currency == code)
  }

  @Test(
    "HH-1, R-039: made-up codes, metals, tests and lower case are refused with fields",
    arguments: [
      // The code of ISO 4217 for "no currency" is three times the letter X.
      "", "jpy", "Eur", String(repeating: "X", count: 3), "XTS", "XAU", "XDR", "XBA", "BTC", "DEM", "EURO", "EUR ",
      "EUR\u{0}", "\u{212A}RW", "€",
    ])
  func noCurrencies(code: String) throws {
    #expect(try create(currency: code)?.fields.map(\.path) == ["currency"])
  }

  // MARK: addresses

  @Test("ACC-1, R-024: an address is found in any case, invited once, and a member is known by it")
  func cases() throws {
    let people = try world.household(of: "Ana", "Ben")
    let cem = try world.signUp("Cem.B")
    func invite(_ email: String) -> String? {
      reason { try world.call(people[0], "invitations.send", ["household": .id(id), "email": .string(email)]) }
    }
    #expect(invite(" CEM.B@EXAMPLE.ORG ") == nil)
    #expect(invite("cem.b@example.org") == "conflict/alreadyInvited")
    #expect(invite("Cem.B@Example.Org") == "conflict/alreadyInvited")
    #expect(invite("BEN@Example.org") == "conflict/alreadyMember")
    #expect(try world.me(cem).memberships.invitations.count == 1)
    // Other people, by all that the server knows.
    #expect(invite("cemb@example.org") == nil)
    #expect(invite("cem.b+home@example.org") == nil)
    #expect(try world.home().membership.invitations.count == 3)
  }

  @Test(
    "ACC-1, R-024: a domain in other letters is refused with its form in ASCII",
    arguments: [
      ("ana@bücher.example", "ana@xn--bcher-kva.example"), ("Ana@BÜCHER.Example", "ana@xn--bcher-kva.example"),
      ("ana@bu\u{308}cher.example", "ana@xn--bcher-kva.example"), ("ana@straße.de", "ana@xn--strae-oqa.de"),
      (" ana+x@παράδειγμα.δοκιμή ", "ana+x@xn--hxajbheg2az3al.xn--jxalpdlp"),
      ("ana@例え。テスト", "ana@xn--r8jz45g.xn--zckzah"), ("ana@ｂücher.example", "ana@xn--bcher-kva.example"),
    ])
  func otherLetters(written: String, form: String) throws {
    #expect(HomeRooms.normalisedEmail(written) == nil)
    #expect(HomeRooms.normalisedEmail(form) == form)
    let problems = Problems()
    HomeRooms.check(email: written, problems)
    #expect(problems.list.map(\.path) == ["email"])
    #expect(problems.list.first?.text.hasSuffix(" \(form)") == true, "\(problems.list)")
    let ana = try world.household(of: "Ana")[0]
    let found = refusal {
      try world.call(ana, "invitations.send", ["household": .id(id), "email": .string(written)])
    }
    #expect(found?.fields.first == problems.list.first)
  }

  @Test(
    "ACC-1: what is no address in ASCII either is refused without a form",
    arguments: [
      "ana@exämple", "bücher@example.org", "ana@bü cher.org", "ana@bücher..org", "ana@b\u{2588}.org",
      "ana@\u{301}x.org", "ana@@bücher.org", "ana@x﹫bücher.org", "@bücher.org",
      "ana@" + String(repeating: "ü", count: 63) + ".org",
      "ana@" + String(repeating: "ü.", count: 500) + "org",
    ])
  func noForm(written: String) {
    let problems = Problems()
    HomeRooms.check(email: written, problems)
    #expect(problems.list.map(\.text) == ["must be an e-mail address"])
  }

  @Test("RFC 3492 §7.1: the samples of its authors")
  func punycode() {
    for (label, code) in [
      ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"), ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
      ("他們爲什麽不說中文", "ihqwctvzc91f659drss3x8bo0yb"), ("Pročprostěnemluvíčesky", "Proprostnemluvesky-uyb24dma41a"),
      ("למההםפשוטלאמדבריםעברית", "4dbcagdahymbxekheh6e0a7fei0b"),
      ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
      ("PorquénopuedensimplementehablarenEspañol", "PorqunopuedensimplementehablarenEspaol-fmd56a"),
      ("TạisaohọkhôngthểchỉnóitiếngViệt", "TisaohkhngthchnitingVit-kjcr8268qyxafd2f1b9g"),
      ("3年B組金八先生", "3B-ww4c5e180e575a65lsy2b"),
      ("安室奈美恵-with-SUPER-MONKEYS", "-with-SUPER-MONKEYS-pc58ag80a8qai00g7n9n"),
      ("Hello-Another-Way-それぞれの場所", "Hello-Another-Way--fc4qua05auwb3674vfr0b"),
      ("ひとつ屋根の下2", "2-u9tlzr9756bt3uc0v"), ("MajiでKoiする5秒前", "MajiKoi5-783gue6qz075azm5e"),
      ("パフィーdeルンバ", "de-jg4avhby1noc0d"), ("そのスピードで", "d9juau41awczczp"), ("-> $1.00 <-", "-> $1.00 <--"),
    ] {
      #expect(Punycode.encode(label.composed) == code)
    }
    #expect(Punycode.encode(String(repeating: "\u{10FFFF}", count: 63)) != nil)
    #expect(Punycode.encode(String(repeating: "a", count: 64)) == nil)
  }

  // MARK: passwords

  @Test("ACC-1: a password is one however a keyboard writes it (RFC 8265 §4.3)")
  func passwords() throws {
    func bytes(_ text: String) -> [UInt8]? { Password(text)?.bytes }
    #expect(bytes("correct horse battery staple") == Array("correct horse battery staple".utf8))
    #expect(bytes("Correct Horse Battery Staple") != bytes("correct horse battery staple"))
    #expect(bytes("πßå") == Array("πßå".utf8))
    #expect(bytes("Jack of ♦s") == Array("Jack of ♦s".utf8))
    #expect(bytes("foo\u{1680}bar") == Array("foo bar".utf8))
    #expect(bytes("a\u{A0}b\u{3000}c\u{2003}d") == Array("a b c d".utf8))
    #expect(bytes("caf\u{65}\u{301}") == Array("caf\u{E9}".utf8))
    #expect(bytes("\u{212B}ngström") == Array("\u{C5}ngström".utf8))
    #expect(bytes(" two  spaces ") == Array(" two  spaces ".utf8))
    // Compatibility forms count.
    #expect(bytes("ﬁsh") == Array("ﬁsh".utf8))
    #expect(bytes("👨‍👩‍👧‍👦") == Array("👨‍👩‍👧‍👦".utf8))
    for refused in ["", "my cat is a \u{9}by", "a\u{0}b", "a\u{7F}", "a\u{85}", "a\nb", "a\u{2028}b"] {
      #expect(Password(refused) == nil, "\(refused)")
    }
  }

  @Test("ACC-1: the length of a password is that of what is hashed")
  func passwordLength() throws {
    let decomposed = try #require(Password(String(repeating: "e\u{301}", count: 128)))
    #expect(decomposed.fits(8...128))
    #expect(try #require(Password(String(repeating: "e\u{301}", count: 4))).fits(8...128) == false)
    #expect(try #require(Password(String(repeating: "e\u{301}", count: 129))).fits(8...128) == false)
  }

  // MARK: keys of names

  @Test(
    "R-MERGE, R-015: one line a pair, which suggestions find, and sources keep what was sent",
    arguments: [
      ("Cr\u{E8}me", "Cre\u{300}me"), ("ＭＩＬＫ", "milk"), ("oat milk", "oat\u{A0}milk"), ("oat milk", "oat  milk"),
      ("oat milk", "oat\u{3000}milk"), ("ﬁsh", "fish"), ("½ Brot", "1⁄2 Brot"), ("\u{FEE3}\u{FE8E}\u{FEAD}", "مار"),
      ("\u{212B}", "\u{C5}"), ("Straße", "STRASSE"), ("GROẞ", "groß"), ("ΣΊΣΥΦΟΣ", "σίσυφος"), ("İ", "i\u{307}"),
      ("ŉ", "ʼN"), ("ᾳ", "ΑΙ"), ("ǰ", "J\u{30C}"), ("\u{1C80}", "В"), ("Ꭰ", "ꭰ"), ("\u{212A}iwi", "kiwi"),
    ])
  func sameNames(one: String, other: String) throws {
    let people = try world.household(of: "Ana", "Ben")
    let item = ID<Grocery>(high: 0xD000, low: 1)
    try world.call(people[0], "groceries.add", in: .household(id), ["id": .id(item), "name": .string(one)])
    let answer = try world.call(people[1], "groceries.add", in: .household(id), ["name": .string(other)])
    #expect(answer["line"] == .id(item))
    let line = try #require(try world.home().list.groceries.values.first)
    #expect(line.name.utf8.elementsEqual(one.utf8))
    #expect(try world.home().list.groceries.count == 1)
    for prefix in [one, other] {
      let answer = try world.call(people[0], "groceries.suggest", in: .household(id), ["prefix": .string(prefix)])
      #expect(answer["items"]?.array?.count == 1)
    }
  }

  @Test(
    "R-MERGE, R-015: different things stay apart",
    arguments: [("👩‍🍳", "👩🍳"), ("ı", "i"), ("milk", "mi lk"), ("a´b", "ab"), ("¨", "´"), ("Käse", "Kase")])
  func otherNames(one: String, other: String) {
    #expect(NameKey.of(one) != NameKey.of(other))
  }

  @Test("R-MERGE: the key of a key is that key")
  func keysOfKeys() {
    for value in UInt32(0)...0xFFFF where value % 61 == 0 || value < 0x600 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let key = NameKey.of("a\(scalar)b")
      #expect(NameKey.of(key).utf8.elementsEqual(key.utf8), "\(value)")
    }
  }
}
