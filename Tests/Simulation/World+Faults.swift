import Platform

/// The faults that are injected into a world.
public enum Fault: String, CaseIterable, Sendable {
  case crash
  case crashBehindCommit = "crash behind a commit"
  case crashBehindMessage = "crash behind a message to another room"
  case stop
  case diskFull = "disk full"
  case diskFails = "disk fails"
  case clockJumps = "clock jumps"
  case clockDrifts = "clock drifts"
  case processPauses = "process pauses"
  case networkClogs = "network clogs"
  case clientGoes = "client goes"
  case clientVanishes = "client vanishes"
  case clientStalls = "client stalls"
  case clientForgets = "client forgets"
  case clientPries = "client pries"
  case mailDeferred = "mail deferred"
  case mailRefused = "mail refused"
  case mailUnanswered = "mail taken without an answer"
  case mailSlow = "mail slow"
}

extension World {
  /// The step after which an injected crash comes.
  enum Step { case commit, message }

  /// Plans the faults of the server, in most worlds. Faults of phones occur while they are used.
  func planFaults(_ counts: ClosedRange<Int>, until end: Duration) {
    guard random.chance(85) else { return }
    for _ in 0..<random.number(counts) {
      timeline.after(random.time(upTo: end)) { [weak self] in self?.drawFault() }
    }
  }

  private func drawFault() {
    guard !isCalm else { return }
    switch random.number(0...10) {
    case 0...2: crash()
    case 3...4: crashesBehind = random.chance(50) ? .message : .commit
    case 5: stop()
    case 6:
      note(.diskFull)
      disk.isFull = true
      timeline.after(random.time(upTo: .seconds(60))) { [weak self] in self?.disk.isFull = false }
    case 7:
      // Nothing can be written until the server is restarted.
      note(.diskFails)
      disk.willFail = true
      timeline.after(random.time(upTo: .seconds(30))) { [weak self] in
        if let self, !isCalm { crash() }
      }
    case 8:
      note(.clockJumps)
      wallOffset += .seconds(random.number(-3600...3600))
    case 9:
      note(.processPauses)
      let time = random.time(upTo: .seconds(20))
      server?.pause(for: time)
      for client in clients { client.disturb(for: time) }
    default:
      // Links stop at different times, and recover in any order.
      note(.networkClogs)
      for client in clients where random.chance(50) {
        let delay = random.time(upTo: .seconds(10))
        let length = random.time(upTo: .seconds(50))
        timeline.after(delay) { client.clog(for: length) }
      }
    }
  }

  func crash() {
    note(.crash)
    crashesBehind = nil
    endProcess()
    startLater()
  }

  /// Injects a planned crash after a flush: the batch is on disk, but the server hardly knows it yet.
  func flushed(_ batch: [RoomCommit]) {
    guard let step = crashesBehind, step == .commit || batch.contains(where: { !$0.sent.isEmpty }) else { return }
    crashesBehind = nil
    note(step == .commit ? .crashBehindCommit : .crashBehindMessage)
    timeline.after(random.time(upTo: .milliseconds(2))) { [weak self] in
      guard let self, server != nil, !isCalm else { return }
      crash()
    }
  }
}
