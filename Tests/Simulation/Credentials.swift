import JSON
import TestSupport

/// What a phone signs in with.
struct Credentials {
  struct Login {
    let session: String
    let token: String
  }

  /// `nil` once it is logged out.
  private(set) var login: Login?
  /// The token that it had before.
  private var deadToken: String?
  /// It has said hello with that one.
  private(set) var isUnwelcome = false

  init(login: Login) { self.login = login }

  /// What the phone calls to be let in: a login, or hello, at times with a token that is dead.
  mutating func introduction(
    of client: String, _ person: SimulatedPerson, _ random: inout SeededGenerator
  ) -> (method: String, parameters: JSON) {
    isUnwelcome = false
    guard let login else {
      let password = JSON.string(SimulatedPerson.password)
      return ("auth.logIn", ["email": .string(person.email), "password": password, "device": "Phone"])
    }
    var token = login.token
    if let deadToken, random.chance(10) { (token, isUnwelcome) = (deadToken, true) }
    return ("hello", ["client": .string(client), "token": .string(token)])
  }

  mutating func loggedIn(_ answer: JSON) {
    login = Login(session: answer["session"]?.string ?? "", token: answer["token"]?.string ?? "")
  }

  mutating func loggedOut() {
    deadToken = login?.token
    login = nil
  }
}
