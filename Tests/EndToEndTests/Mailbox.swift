import Foundation
import Platform
import Testing

/// Receives the mails of a server in its own process.
final class Mailbox: MailGateway {
  private struct State: Sendable {
    var mails: [Mail] = []
    var outcomes: [MailOutcome] = []
    var waiting: [@Sendable ([Mail]) -> Bool] = []
  }

  private let state = Locked(State())

  var mails: [Mail] { state.withLock { $0.mails } }

  /// The outcomes of the next attempts; all later ones succeed.
  func prepare(_ outcomes: MailOutcome...) { state.withLock { $0.outcomes = outcomes } }

  func send(_ mail: Mail, reply: Reply<MailOutcome>) {
    let outcome: MailOutcome = state.withLock { state in
      state.mails.append(mail)
      let outcome = state.outcomes.isEmpty ? .sent : state.outcomes.removeFirst()
      state.waiting.removeAll { $0(state.mails) }
      return outcome
    }
    reply(outcome)
  }

  /// The newest mail to an address, once there are so many.
  @discardableResult func mail(to address: String, number: Int = 1) async -> Mail {
    await withCheckedContinuation { continuation in
      let look: @Sendable ([Mail]) -> Bool = { mails in
        let found = mails.filter { $0.to == address }
        guard found.count >= number else { return false }
        continuation.resume(returning: found[number - 1])
        return true
      }
      state.withLock { state in
        if !look(state.mails) { state.waiting.append(look) }
      }
    }
  }
}

extension Mail {
  /// The code in it, as its reader types it.
  var code: String {
    let line = text.split(separator: "\n").first { $0.hasPrefix("    ") }
    return line.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
  }
}
