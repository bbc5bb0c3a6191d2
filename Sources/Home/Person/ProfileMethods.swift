import JSON
import Rooms

extension Identity {
  static let methods: [Method] = [.of(UpdateProfile.self)]
}

/// Changes the caller's profile, which all their households show at once; what is left out stays as it is (ACC-8).
struct UpdateProfile: Mutation {
  static let method: StaticString = "profile.update"
  static let summary: StaticString =
    "Changes the caller's profile, which all their households show at once; what is left out stays as it is (ACC-8)."
  var name: Line?
  var birthday: Change<BirthDate> = .unchanged

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name, Limits.name)
    field("birthday", \.birthday)
  }

  func check(_ problems: Problems, in me: inout PersonState, _ context: Context) {
    if case .set(let date) = birthday, !date.isPast(at: context.now) {
      problems.note("birthday", BirthDate.futureText)
    }
  }

  func apply(to me: inout PersonState, in context: Context) throws(Refusal) -> NoAnswer {
    let before = me.identity.shown
    me.identity.profile.value.name = name?.text ?? before.name
    switch birthday {
    case .unchanged: break
    case .cleared: me.identity.profile.value.birthday = nil
    case .set(let date): me.identity.profile.value.birthday = date.text
    }
    if me.identity.shown == before { return NoAnswer() }
    for household in me.memberships.households.keys {
      context.send(ProfileChanged(shown: me.identity.shown), to: .household(household))
    }
    return NoAnswer()
  }
}

extension PersonState {
  /// Corrects a household that the person has joined: they may have changed their profile since.
  func checkProfile(shown: ShownProfile?, in household: ID<Household>, _ context: Context) {
    guard let shown, shown != identity.shown else { return }
    context.send(ProfileChanged(shown: identity.shown), to: .household(household))
  }
}
