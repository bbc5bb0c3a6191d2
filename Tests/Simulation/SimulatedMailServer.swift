import Platform

/// A mail server that fails in every way: it defers, refuses, answers late, and loses answers.
///
/// `@unchecked`: a simulated world has one thread.
final class SimulatedMailServer: MailGateway, @unchecked Sendable {
  private unowned let world: World

  init(_ world: World) { self.world = world }

  func send(_ mail: Mail, reply: Reply<MailOutcome>) {
    // A cause that is not on disk may be lost, and then nothing of it may have left.
    if !world.disk.content.deliveries.contains(where: { $0.delivery.cause == mail.id }) {
      world.violate("B5", "a mail to \(mail.to) has no cause on disk")
    }
    let outcome: MailOutcome? =
      switch world.isCalm ? 9 : world.random.number(0...9) {
      case 0, 1: fault(.mailDeferred, .deferred("451 try later"))
      case 2: fault(.mailRefused, .refused("550 no such user"))
      // The connection breaks after the mail was taken: it is sent again.
      case 3, 4: fault(.mailUnanswered, nil)
      default: .sent
      }
    let isSlow = !world.isCalm && world.random.chance(20)
    if isSlow { world.note(.mailSlow) }
    let born = world.disk.incarnation
    world.timeline.after(world.random.time(upTo: isSlow ? .seconds(60) : .milliseconds(50))) { [world] in
      world.note(outcome ?? .sent, of: mail)
      if world.disk.incarnation == born { reply(outcome ?? .deferred("the connection has broken")) }
    }
  }

  private func fault(_ fault: Fault, _ outcome: MailOutcome?) -> MailOutcome? {
    world.note(fault)
    return outcome
  }
}
