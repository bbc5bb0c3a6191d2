import JSON
import Rooms
import Testing

@testable import Home

@Suite("Invitations by mail, and accounts whose address is not proved")
struct MailedInvitationTests {
  let id = ID<Household>(high: 0xB000, low: 1)
  let world = World()

  private func invite(_ email: String, by host: ID<Person>) throws -> ID<Invitation> {
    let answer = try world.call(host, "invitations.send", ["household": .id(id), "email": .string(email)])
    return try #require(answer["id"]?.string.flatMap { ID<Invitation>($0) })
  }

  private func know(_ email: String?, _ person: ID<Person>, isLimited: Bool = false) throws {
    let account = HomeRooms.KnownAccount(
      email: email, pending: email == nil ? "new@example.org" : nil, isVerified: !isLimited, hasPassword: true,
      isLimited: isLimited)
    try world.keep(account, of: person)
  }

  @Test("HH-4: an unknown address gets one letter, and a known one gets none")
  func letters() throws {
    let ana = try world.household(of: "Ana")[0]
    try world.signUp("Ben")
    _ = try invite("ben@example.org", by: ana)
    #expect(world.letters.isEmpty)
    _ = try invite("New@Example.org", by: ana)
    #expect(world.letters == [Letter(.invitation, to: "new@example.org", name: "Ana", household: "Home")])
    #expect(throws: Refusal.self) { try invite("new@example.org", by: ana) }
    #expect(world.letters.count == 1)
  }

  @Test("HH-4: the owner of an address finds all open invitations to it, once, when the address is theirs")
  func found() throws {
    let other = ID<Household>(high: 0xB000, low: 2)
    let ana = try world.household(of: "Ana")[0]
    _ = try world.household(of: "Ben", id: other)
    let first = try invite("new@example.org", by: ana)
    try world.call(
      ID(high: 0xA000, low: 2), "invitations.send", ["household": .id(other), "email": "new@example.org"])
    let eve = try world.signUp("Eve")
    try know(nil, eve)
    #expect(try world.me(eve).memberships.invitations.isEmpty)
    try know("new@example.org", eve)
    let received = try world.me(eve).memberships.invitations
    #expect(received.count == 2 && received[first]?.byName == "Ana" && received[first]?.household == id)
    #expect(world.secrets[Letter.awaiting("new@example.org")] == nil)
    try world.call(eve, "invitations.accept", ["id": .id(first)])
    #expect(try world.home().membership.members.contains(eve))
  }

  @Test("HH-4: an invitation that is revoked, expired or whose author has left waits for nobody")
  func notFound() throws {
    let people = try world.household(of: "Ana", "Ben")
    let revoked = try invite("one@example.org", by: people[0])
    _ = try invite("two@example.org", by: people[1])
    try world.call(people[0], "invitations.revoke", in: .household(id), ["id": .id(revoked)])
    try world.call(people[1], "members.leave", in: .household(id), [:])
    _ = try invite("three@example.org", by: people[0])
    world.advance(Limits.invitationAge)
    for address in ["one@example.org", "two@example.org", "three@example.org"] {
      #expect(world.secrets[Letter.awaiting(address)] == nil, "\(address)")
    }
  }

  @Test("HH-4: a member who proves an invited address as a second one gets no invitation, and it is closed")
  func member() throws {
    let people = try world.household(of: "Ana", "Ben")
    let invitation = try invite("new@example.org", by: people[0])
    try know("new@example.org", people[1])
    #expect(try world.me(people[1]).memberships.invitations.isEmpty)
    #expect(try world.home().membership.invitations[invitation] == nil)
  }

  @Test("SEC-9: until its address is verified, an account is in one household and sends five invitations a day")
  func limits() throws {
    let ana = try world.household(of: "Ana")[0]
    try know(nil, ana, isLimited: true)
    let second: JSON = [
      "id": .id(ID<Household>(low: 9)), "name": "Two", "timeZone": "Europe/Berlin", "currency": "EUR",
    ]
    func reason(_ body: () throws -> Void) -> String? {
      do { try body() } catch { return (error as? Refusal)?.reason }
      return nil
    }
    #expect(reason { try world.call(ana, "households.create", second) } == "unverified")
    for number in 1...Limits.unverifiedInvitations { _ = try invite("\(number)@example.org", by: ana) }
    #expect(reason { _ = try invite("six@example.org", by: ana) } == "unverified")
    #expect(reason { try world.call(ana, "contacts.invite", ["email": "six@example.org"]) } == "unverified")
    try know("ana@example.org", ana)
    _ = try invite("six@example.org", by: ana)
    #expect(reason { try world.call(ana, "households.create", second) } == nil)
  }
}
