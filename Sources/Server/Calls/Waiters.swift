import Rooms

/// Callers whose answer comes from another room.
final class Waiters {
  private var callers: [CallKey: [Caller]] = [:]

  var isEmpty: Bool { callers.isEmpty }

  func add(_ caller: Caller, for call: CallKey) { callers[call, default: []].append(caller) }

  /// Removes the callers that wait for a call, to be answered.
  func take(_ call: CallKey) -> [Caller] { callers.removeValue(forKey: call) ?? [] }

  /// Calls of one client that wait.
  func count(like call: CallKey) -> Int {
    callers.keys.count { $0.client == call.client && $0.person == call.person }
  }
}
