import Rooms

/// Callers whose answer comes from another room.
final class Waiters {
  private struct Owner: Hashable {
    let person: ID<Person>
    let client: ID<Client>

    init(of call: CallKey) {
      person = call.person
      client = call.client
    }
  }

  private var callers: [CallKey: [Caller]] = [:]
  /// How many calls of each client wait.
  private var counts: [Owner: Int] = [:]

  var isEmpty: Bool { callers.isEmpty }

  func add(_ caller: Caller, for call: CallKey) {
    if callers[call] == nil { counts[Owner(of: call), default: 0] += 1 }
    callers[call, default: []].append(caller)
  }

  /// Removes the callers that wait for a call, to be answered.
  func take(_ call: CallKey) -> [Caller] {
    guard let waiting = callers.removeValue(forKey: call) else { return [] }
    let owner = Owner(of: call)
    let left = counts[owner, default: 1] - 1
    counts[owner] = left > 0 ? left : nil
    return waiting
  }

  /// Calls of one client that wait.
  func count(like call: CallKey) -> Int { counts[Owner(of: call)] ?? 0 }
}
