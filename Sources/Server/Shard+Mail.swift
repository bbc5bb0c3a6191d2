import Home
import JSON
import Platform
import Rooms

/// Messages between rooms: written with their cause, delivered in order, taken up once (DESIGN §1).
extension Shard {
  /// Delivers one message; it has been on disk since the commit that caused it.
  func deliver(_ stored: StoredMessage) {
    let message = stored.message
    withSeat(message.target) { [unowned self] seat in
      guard let view = try? mailTape.parse(message.body.span) else { return }
      if seat.room?.isEnded == true { return seat.heldMail.append(stored) }
      if seat.room == nil {
        guard methods.opens(message.target, message: view[key: "message"]?.string ?? "") else {
          return sendBack(stored, view)
        }
        _ = makeRoom(in: seat)
      }
      guard let room = seat.room else { return }
      let turn = Turn(now: max(loop.now, room.changedAt))
      if room.take(view, from: stored.source, number: message.number, turn) {
        noteChange(of: seat, by: nil)
      } else {
        discard(stored)
      }
    }
  }

  /// The room that a message was for is gone: whoever waits for its answer is told so.
  private func sendBack(_ stored: StoredMessage, _ view: View) {
    discard(stored)
    guard let call = CallReference.read(view[key: "call"], Problems())?.key, call.number > 0 else { return }
    withSeat(stored.source) { [unowned self] seat in
      guard let room = seat.room else { return }
      room.refuse(call, Refusal(.notFound, "gone", "What this was about does not exist any more."))
      markChanged(seat)
    }
  }

  private func discard(_ stored: StoredMessage) {
    services.store.discard(
      [stored],
      reply: Reply(on: loop.poster) { [unowned self] result in
        if case .failure(let error) = result { services.log("a message was not discarded: \(error)") }
      })
  }
}
