import JSON
import Rooms

/// The calls by which people may lose sight of a position: nobody else takes a receiver out (LOC-10, LOC-11, LOC-33).
struct Consents {
  private struct Consent: Hashable {
    let person: String
    let room: String
  }

  private var leaving: Set<Consent> = []
  private var confirmed: Set<Consent> = []
  /// Pairs of persons of whom one has blocked the other.
  private var blocks: Set<Set<String>> = []

  /// Notes a call before it is sent: from then on it may take effect.
  mutating func note(_ operation: Operation, by person: String) {
    let consent = Consent(person: person, room: operation.room ?? "")
    switch operation.method {
    case "shares.leave": leaving.insert(consent)
    case "shares.answerStop" where operation.parameters["confirm"] == true: confirmed.insert(consent)
    case "contacts.block": blocks.insert([person, operation.parameters["person"]?.string ?? ""])
    default: break
    }
  }

  /// The first receiver who is in the share before a change and not behind it, without a call that allows it.
  func violation(of share: RoomID, from before: JSON, to after: JSON) -> String? {
    // The end takes the last ones out.
    guard after["share"]?["endedAt"] == nil || after["share"]?["reason"] == "stopped" else { return nil }
    let sharer = after["share"]?["sharer"]?.string ?? ""
    let mayStop = after["share"]?["stop"] == "notify"
    for person in (before["receivers"]?.object ?? [:]).keys.sorted() where after["receivers"]?[person] == nil {
      let consent = Consent(person: person, room: share.name)
      let row = after["formerReceivers"]?[person]
      switch row?["state"]?.string {
      case "left" where leaving.contains(consent): continue
      case "confirmed" where mayStop || confirmed.contains(consent): continue
      case "confirmed"
      where after["share"]?["silence"] == "confirms"
        // By the clock of the share, which follows elapsed time. Such instants sort as texts.
        && before["stopRequest"]?["until"]?.string ?? "9" <= row?["at"]?.string ?? "":
        continue
      case nil where blocks.contains([person, sharer]): continue
      default:
        return "\(person) was taken out of \(share.text) and did not ask for it: \(row?.text ?? "without a trace")"
      }
    }
    return nil
  }

  /// Whether an answered call has taken its caller out of the share.
  static func takesOut(_ operation: Operation) -> Bool {
    operation.method == "shares.leave"
      || operation.method == "shares.answerStop" && operation.parameters["confirm"] == true
  }
}
