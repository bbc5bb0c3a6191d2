import Foundation
import Platform
import TestSupport
import Testing

/// Receives the mails of a server in its own process.
final class Mailbox: MailGateway {
  private struct State: Sendable {
    var mails: [Mail] = []
    var outcomes: [MailOutcome] = []
    var waiting: [Int: Waiting] = [:]
    var waitCount = 0
  }

  private struct Waiting: Sendable {
    var address: String
    var number: Int
    var resume: @Sendable (Mail?) -> Void
  }

  private let state = Locked(State())

  var mails: [Mail] { state.withLock { $0.mails } }

  /// The outcomes of the next attempts; all later ones succeed.
  func prepare(_ outcomes: MailOutcome...) { state.withLock { $0.outcomes = outcomes } }

  func send(_ mail: Mail, reply: Reply<MailOutcome>) {
    let outcome: MailOutcome = state.withLock { state in
      state.mails.append(mail)
      let outcome = state.outcomes.isEmpty ? .sent : state.outcomes.removeFirst()
      for (place, waiting) in state.waiting {
        let found = state.mails.filter { $0.to == waiting.address }
        guard found.count >= waiting.number else { continue }
        state.waiting[place] = nil
        waiting.resume(found[waiting.number - 1])
      }
      return outcome
    }
    reply(outcome)
  }

  /// The mail of this number to an address, once it has come.
  @discardableResult func mail(to address: String, number: Int = 1) async throws -> Mail {
    let mail: Mail? = await withCheckedContinuation { continuation in
      let place = state.withLock { state -> Int? in
        let found = state.mails.filter { $0.to == address }
        if found.count >= number {
          continuation.resume(returning: found[number - 1])
          return nil
        }
        state.waitCount += 1
        state.waiting[state.waitCount] = Waiting(address: address, number: number) {
          continuation.resume(returning: $0)
        }
        return state.waitCount
      }
      guard let place else { return }
      DispatchQueue.global().asyncAfter(deadline: .now() + 30) { [self] in
        state.withLock { $0.waiting.removeValue(forKey: place) }?.resume(nil)
      }
    }
    guard let mail else { throw Unexpected("no mail \(number) came to \(address); there are \(mails)") }
    return mail
  }
}

extension Mail {
  /// The code in it, as its reader types it.
  var code: String {
    let line = text.split(separator: "\n").first { $0.hasPrefix("    ") }
    return line.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
  }
}
