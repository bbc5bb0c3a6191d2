import JSON
import Rooms

extension Membership {
  static let messages: [MessageHandler<HouseholdState>] = [
    .of(HouseholdFounded.self), .of(InvitationRequested.self), .of(InvitationAccepted.self),
    .of(InvitationDeclined.self), .of(CodePresented.self), .of(CornerClosed.self), .of(ProfileChanged.self),
    .of(AddresseeFound.self), .of(PersonDeleted.self),
  ]
}

/// A person who joins a household, as described by their own room.
struct Newcomer: Record {
  var name = ""
  /// `MM-DD`.
  var birthday: String?
  var handles: PaymentHandles = [:]
  var preferred: PaymentPlatform?
  /// The person does not want to be seen online.
  var isHidden: Bool?
  /// The person is in another household, or about to be; one of them is exclusive (HH-2).
  var isElsewhere: Bool?
  var isBound: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("birthday", \.birthday)
    field("handles", \.handles)
    field("preferred", \.preferred)
    field("hidden", \.isHidden)
    field("elsewhere", \.isElsewhere)
    field("bound", \.isBound)
  }
}

/// The reason why a person cannot join.
enum JoinProblem: String, Word {
  case exists, gone, full, inOtherHousehold

  var refusal: Refusal {
    switch self {
    case .exists: .exists
    case .gone: .gone("This invitation or code")
    case .full: .full("members", "A household has at most \(Limits.members) members.")
    case .inOtherHousehold:
      Refusal(.conflict, "inOtherHousehold", "You are in another household, and one of the two is exclusive.")
    }
  }
}

/// A household is founded; the message comes from its founder's own room.
struct HouseholdFounded: Message {
  static let name = "householdFounded"
  static let opensRoom = true
  var call = CallReference()
  var name = ""
  var timeZone = ""
  var currency = ""
  var founder = Newcomer()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("call", \.call)
    field("name", \.name)
    field("timeZone", \.timeZone)
    field("currency", \.currency)
    field("founder", \.founder)
  }

  func apply(to home: inout HouseholdState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source else { return }
    if !home.membership.members.isEmpty {
      context.send(JoinRefused(call: call, problem: .exists), to: source)
      return
    }
    home.info.facts.value = HouseholdFacts(
      name: name, timeZone: timeZone, currency: currency, createdAt: context.now, host: person)
    home.noteZoneData()
    home.happened(.founded, by: person, in: context)
    home.enter(person, founder, as: .host, call, in: context)
  }
}

/// The reason why an invitation is not sent.
enum InvitationProblem: String, Word {
  case notMember, exists, alreadyMember, alreadyInvited, full, notAway

  var refusal: Refusal {
    switch self {
    case .notMember: .notInRoom
    case .exists: .exists
    case .alreadyMember: Refusal(.conflict, "alreadyMember", "This person is a member already.")
    case .alreadyInvited: Refusal(.conflict, "alreadyInvited", "This address or person is invited already.")
    case .notAway:
      Refusal(.conflict, "notAway", "A guest stays while you are away: say from when to when with members.away first.")
    case .full: .full("invitations", "At most \(Limits.invitations) invitations may be open.")
    }
  }
}

/// A member invites a person, or the owner of an address; the message comes from the member's own room.
struct InvitationRequested: Message {
  static let name = "invitationRequested"
  var call = CallReference()
  var id = ID<Invitation>()
  var email: String?
  /// The person, or the owner of the address if the server knows one.
  var invitee: ID<Person>?
  /// The person is to come as a guest, for the member's absence.
  var isGuest: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("call", \.call)
    field("id", \.id)
    field("email", \.email)
    field("invitee", \.invitee)
    field("guest", \.isGuest)
  }

  func apply(to home: inout HouseholdState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source else { return }
    let expiresAt = context.now + Limits.invitationAge
    let problem = problem(in: &home, by: person)
    let sent = SentInvitation(
      household: context.household, email: email, person: email == nil ? invitee : nil, at: context.now,
      expiresAt: expiresAt, isGuest: isGuest)
    context.send(InvitationSettled(call: call, id: id, sent: sent, problem: problem), to: source)
    guard problem == nil, let inviter = home.membership.members[person] else { return }
    let invitation = Invitation(by: person, at: context.now, expiresAt: expiresAt, isGuest: isGuest)
    home.membership.add(invitation, id, to: InvitationTarget(email: email, person: invitee))
    if let invitee {
      home.send(invitation, id, to: invitee, by: inviter.name, in: context)
    } else if let email {
      // Where its owner proves the address, they find the invitation (HH-4).
      context.admit(secretHash: Letter.awaiting(email))
      let letter = Letter(.invitation, to: email, name: inviter.name, household: home.info.facts.value.name)
      context.deliver(letter.delivery(context.newID() as ID<Letter>, at: context.now, until: expiresAt))
    }
  }

  private func problem(in home: inout HouseholdState, by person: ID<Person>) -> InvitationProblem? {
    if home.dismissal.isDismissed || !home.membership.members.contains(person) { return .notMember }
    if home.names(id.cast()) { return .exists }
    // The inviter sees every member, so this tells nothing about strangers (HH-5).
    if let invitee, home.membership.members.contains(invitee) { return .alreadyMember }
    // Whether an address and a person belong together is told to nobody.
    let isInvited = home.membership.targets.values.contains { target in
      target.email == email && (email != nil || target.person == invitee)
    }
    if isInvited { return .alreadyInvited }
    if isGuest == true, home.membership.members[person]?.away == nil { return .notAway }
    return home.membership.invitations.count >= Limits.invitations ? .full : nil
  }
}

/// A person has an address; the message comes from their own room. Invitations to it reach them now (HH-4).
struct AddresseeFound: Message {
  static let name = "addresseeFound"
  var email = ""

  static func fields(_ field: inout some FieldVisitor<Self>) { field("email", \.email) }

  func apply(to home: inout HouseholdState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source else { return }
    let awaited = home.membership.targets.keys.filter { id in
      home.membership.targets[id]?.email == email && home.membership.targets[id]?.person == nil
    }
    for id in awaited {
      context.forget(secretHash: Letter.awaiting(email))
      guard let invitation = home.membership.invitations[id], !home.membership.members.contains(person) else {
        home.removeInvitation(id, in: context)
        continue
      }
      home.membership.targets[id]?.person = person
      let inviter = home.membership.members[invitation.by]?.name ?? ""
      home.send(invitation, id, to: person, by: inviter, in: context)
    }
  }
}

extension HouseholdState {
  fileprivate func send(
    _ invitation: Invitation, _ id: ID<Invitation>, to person: ID<Person>, by name: String, in context: Context
  ) {
    let received = ReceivedInvitation(
      household: context.household, name: info.facts.value.name, by: invitation.by, byName: name, at: invitation.at,
      expiresAt: invitation.expiresAt, isGuest: invitation.isGuest)
    context.send(InvitationArrived(id: id, invitation: received), to: .person(person))
  }
}

/// A person accepts an invitation; the message comes from their own room.
struct InvitationAccepted: Message {
  static let name = "invitationAccepted"
  var call = CallReference()
  var invitation = ID<Invitation>()
  var newcomer = Newcomer()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("call", \.call)
    field("invitation", \.invitation)
    field("newcomer", \.newcomer)
  }

  func apply(to home: inout HouseholdState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source else { return }
    let open = home.membership.invitations[invitation].flatMap { $0.expiresAt > context.now ? $0 : nil }
    let isTheirs = home.membership.targets[invitation]?.person == person
    let inviter = open?.isGuest == true ? open?.by : nil
    // A guest comes for an absence that lasts.
    let isInTime = inviter.map { home.membership.members[$0]?.away != nil } ?? true
    var problem: JoinProblem? = .gone
    if (open != nil && isTheirs && isInTime) || home.admits(person, to: context.room) {
      problem = home.admit(person, newcomer, call, guestOf: inviter, in: context)
    }
    if let problem {
      context.send(JoinRefused(call: call, problem: problem, invitation: invitation), to: source)
    }
    if problem == .inOtherHousehold { tellInviter(in: &home, context) }
  }

  /// Tells the inviter, once, that the person cannot come (HH-5).
  private func tellInviter(in home: inout HouseholdState, _ context: Context) {
    guard let by = home.membership.invitations[invitation]?.by,
      home.membership.targets[invitation]?.isUnavailable != true
    else { return }
    home.membership.targets[invitation]?.isUnavailable = true
    let notification = Notification(
      kind: .unavailable, room: context.room.name, ref: invitation.cast(), at: context.now)
    home.notify(by, notification, in: context)
  }
}

/// A member has another name, birthday or payment handle; the message comes from their own room (ACC-8).
struct ProfileChanged: Message {
  static let name = "profileChanged"
  var shown = ShownProfile()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("shown", \.shown) }

  func apply(to home: inout HouseholdState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source, let member = home.membership.members[person] else { return }
    home.membership.members[person]?.shown = shown
    if home.dismissal.isDismissed { return }
    if member.birthday != shown.birthday { home.keepBirthdays(in: context) }
    // Money may go to a name that somebody else has put there.
    if member.handles != shown.handles, !shown.handles.isEmpty {
      home.notifyOthers(than: person, .handles, ref: person.cast(), named: shown.name, in: context)
    }
    if member.name == shown.name { return }
    for mate in home.membership.members.keys where mate != person {
      let message = MateJoined(household: context.household, person: person, name: shown.name)
      context.send(message, to: .person(mate))
    }
  }
}

/// A person declines an invitation; the message comes from their own room.
struct InvitationDeclined: Message {
  static let name = "invitationDeclined"
  var invitation = ID<Invitation>()
  var name = ""

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("invitation", \.invitation)
    field("name", \.name)
  }

  func apply(to home: inout HouseholdState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source, home.membership.targets[invitation]?.person == person,
      let declined = home.membership.invitations[invitation]
    else { return }
    home.removeInvitation(invitation, in: context)
    guard home.membership.members.contains(declined.by) else { return }
    let notification = Notification(
      kind: .declined, room: context.room.name, ref: invitation.cast(), actor: person, actorName: name,
      at: context.now)
    home.notify(declined.by, notification, in: context)
  }
}

/// A person presents a code; the message comes from their own room.
struct CodePresented: Message {
  static let name = "codePresented"
  var call = CallReference()
  /// SHA-256 of the code, hexadecimal.
  var hash = ""
  var newcomer = Newcomer()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("call", \.call)
    field("hash", \.hash)
    field("newcomer", \.newcomer)
  }

  func apply(to home: inout HouseholdState, from source: RoomID, in context: Context) {
    guard case .person(let person) = source else { return }
    var problem: JoinProblem? = .gone
    if home.admits(person, to: context.room) {
      problem = home.admit(person, newcomer, call, in: context)
    } else if let id = home.membership.code(hash: hash, at: context.now) {
      problem = home.admit(person, newcomer, call, in: context)
      if problem == nil, home.membership.use(id) { home.removeCode(id, in: context) }
    }
    if let problem { context.send(JoinRefused(call: call, problem: problem), to: source) }
  }
}
