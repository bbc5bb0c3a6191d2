import JSON
import Rooms

/// Somebody with phones, and what those who check know of him.
final class SimulatedPerson {
  static let password = "nobody guesses here"

  let number: Int
  let id: ID<Person>
  let email: String
  /// What his newest phone knows of him.
  var me: JSON = [:]
  /// Wherever he says that he is, a metre or so beside it, by which his positions are known wherever they turn up: the
  /// last of the five decimals of a latitude.
  var mark: Int { number + 1 }
  /// Households that he has ever asked to be let into: only of those may anything reach him.
  private(set) var households: Set<String> = []
  private(set) var codes: [String] = []

  init(number: Int, id: ID<Person>) {
    self.number = number
    self.id = id
    email = "person\(number)@example.org"
  }

  /// When he last asked to be let in somewhere, and how many times he waits for an answer to that.
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
  }

  /// Nobody is let in by that code any more.
  func forget(code: String) { codes.removeAll { $0 == code } }
}
