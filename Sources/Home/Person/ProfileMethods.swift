import JSON
import Rooms

extension Identity {
  static let methods: [Method] = [.of(UpdateProfile.self), .of(DeleteAccount.self)]
}

/// Changes the caller's profile, which all their households show at once; what is left out stays as it is (ACC-8).
struct UpdateProfile: Mutation {
  static let method: StaticString = "profile.update"
  static let summary: StaticString =
    "Changes the caller's profile, which all their households show at once; what is left out stays as it is (ACC-8)."
  static let hasNeeds = true
  var name: Line?
  var birthday: Change<BirthDate> = .unchanged
  var handles: HandleChanges?
  var preferred: Change<PaymentPlatform> = .unchanged
  var sharesHandles: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name, Limits.name)
    field("birthday", \.birthday)
    field("handles", \.handles)
    field("preferred", \.preferred)
    field("sharesHandles", \.sharesHandles)
  }

  func needs(for caller: ID<Person>) -> [Need] { handles == nil ? [] : [.confirmation] }

  func check(_ problems: Problems, in me: inout PersonState, _ context: Context) {
    if case .set(let date) = birthday, !date.isPast(at: context.now) {
      problems.note("birthday", BirthDate.futureText)
    }
  }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    if handles != nil { try context.requireConfirmation(by: .pin) }
    let before = me.identity.shown
    var profile = me.identity.profile.value
    profile.name = name?.text ?? profile.name
    birthday.map(\.text).apply(to: &profile.birthday)
    handles?.apply(to: &profile.handles)
    preferred.apply(to: &profile.preferred)
    if let sharesHandles { profile.sharesHandles = sharesHandles ? true : nil }
    me.identity.profile.value = profile
    if me.identity.shown == before { return NoAnswer() }
    if profile.name != before.name { me.tellContacts(name: profile.name, in: context) }
    for household in me.memberships.households.keys {
      context.send(ProfileChanged(shown: me.identity.shown), to: .household(household))
    }
    return NoAnswer()
  }
}

/// Changes of the names under which a person is paid; one that is left out stays as it is.
struct HandleChanges: Record {
  var venmo: Change<VenmoName> = .unchanged
  var paypal: Change<PayPalName> = .unchanged
  var applePay: Change<PhoneNumber> = .unchanged
  var other: Change<OtherHandle> = .unchanged

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("venmo", \.venmo)
    field("paypal", \.paypal)
    field("applePay", \.applePay)
    field("other", \.other, Limits.otherHandle)
  }

  fileprivate func apply(to handles: inout PaymentHandles) {
    venmo.map(\.text).apply(to: &handles[.venmo])
    paypal.map(\.text).apply(to: &handles[.paypal])
    applePay.map(\.text).apply(to: &handles[.applePay])
    other.map(\.line.text).apply(to: &handles[.other])
  }
}

extension PersonState {
  /// Corrects a household that the person has joined: they may have changed their profile since.
  func checkProfile(shown: ShownProfile?, in household: ID<Household>, _ context: Context) {
    guard let shown, shown != identity.shown else { return }
    context.send(ProfileChanged(shown: identity.shown), to: .household(household))
  }
}
