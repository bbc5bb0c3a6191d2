import JSON
import TestSupport

/// The credentials that a phone signs in with.
struct Credentials {
  struct Login {
    let session: String
    let token: String
  }

  /// `nil` while the phone is logged out.
  private(set) var login: Login?
  /// The token of the previous login.
  private var deadToken: String?
  /// Whether the last hello used the dead token.
  private(set) var isUnwelcome = false

  init(login: Login) { self.login = login }

  /// The call that signs in: a login, or hello, sometimes with a dead token.
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
