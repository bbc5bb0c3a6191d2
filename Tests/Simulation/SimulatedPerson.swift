import JSON
import Rooms

/// A person with phones, and the facts about them that the checks need.
final class SimulatedPerson {
  static let password = "nobody guesses here"

  let number: Int
  let id: ID<Person>
  let email: String
  /// The document `me` as the person's most recent phone has it.
  var me: JSON = [:]
  /// The last of the five decimals in the person's reported latitudes. It identifies the person's positions wherever
  /// they appear.
  var mark: Int { number + 1 }
  /// Households that the person ever asked to join: only their data may reach the person's phones.
  private(set) var households: Set<String> = []
  private(set) var codes: [String] = []
  /// The ids that the person's successful calls named, by method: what was removed or done is in no document.
  private(set) var named: [String: [String]] = [:]

  init(number: Int, id: ID<Person>) {
    self.number = number
    self.id = id
    email = "person\(number)@example.org"
  }

  /// When the person last asked to join a household, and how many such calls await an answer.
  private(set) var askedAt = Duration.zero
  private(set) var askingCount = 0

  func willCall(_ operation: Operation, at now: Duration) {
    guard !operation.admittedTo.isEmpty else { return }
    households.formUnion(operation.admittedTo)
    askedAt = now
    askingCount += 1
  }

  func wasSettled(_ operation: Operation, at now: Duration) {
    guard !operation.admittedTo.isEmpty else { return }
    askedAt = now
    askingCount -= 1
  }

  func wasAnswered(_ operation: Operation, _ answer: JSON) {
    if let code = answer["code"]?.string { codes.append(code) }
    if operation.isMutation, let id = operation.parameters["id"]?.string {
      named[operation.method, default: []].append(id)
    }
  }

  /// Forgets an invitation code that is no longer valid.
  func forget(code: String) { codes.removeAll { $0 == code } }
}
