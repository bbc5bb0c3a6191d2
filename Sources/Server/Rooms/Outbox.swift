import Home
import JSON
import Platform
import Rooms

/// Messages between rooms: written with their cause, delivered in order, taken once (DESIGN §1).
final class Outbox {
  private let link: ShardLink
  private var shard: Shard { link.shard }
  private let loop: any Loop
  private let services: Services
  /// Messages are the server's own, so its limits are wide.
  private let tape = Tape(depthLimit: 64, nodeLimit: 100_000)
  /// Messages for rooms of which the store is asked whether they ever existed: they follow the one that asks.
  private var followers: [RoomID: [(stored: StoredMessage, isAgain: Bool)]] = [:]
  /// Messages on disk will be delivered again soon.
  private var isRedeliveryPlanned = false

  init(_ link: ShardLink) {
    self.link = link
    loop = link.loop
    services = link.services
  }

  /// Overwrites the working memory.
  func wipe() { tape.wipe() }

  /// Sends a message on its way to the shard of its room.
  func send(_ stored: StoredMessage) {
    shard.neighbours.send(.deliver(stored), to: shard.shards.home(of: stored.message.target))
  }

  /// Delivers one message, which has been on disk since the commit that caused it.
  ///
  /// - Parameters:
  ///   - isAgain: the message was read from the disk.
  ///   - wasErased: whether the room existed once, if the store has said so.
  func deliver(_ stored: StoredMessage, isAgain: Bool = false, wasErased: Bool? = nil) {
    let message = stored.message
    shard.rooms.withSeat(message.target, isPassing: true) { [unowned self] seat in
      guard let view = try? tape.parse(message.body.span) else { return }
      if seat.room?.isEnded == true { return seat.heldMessages.append(stored) }
      if seat.isUnreadable { return planRedelivery() }
      if seat.room == nil {
        let opens = shard.methods.opens(message.target, message: view[key: "message"]?.string ?? "")
        if !opens || !shard.methods.mayBeginAgain(message.target) {
          guard let wasErased else { return askWhetherErased(stored, isAgain: isAgain) }
          if wasErased { return sendBack(stored, opens ? .usedBefore : .over) }
          if !opens {
            // The message that makes the room is on disk, before this one.
            return isAgain ? sendBack(stored, .over) : planRedelivery()
          }
        }
        shard.rooms.makeRoom(in: seat)
      }
      guard let room = seat.room else { return }
      let turn = Turn(now: max(shard.time(in: seat), room.changedAt))
      if room.take(view, from: stored.source, number: message.number, turn) {
        shard.commits.noteChange(of: seat, by: nil)
        shard.comparePresence(in: seat)
      } else if message.number > room.lastTaken(from: stored.source) + 1 {
        // A room that was dropped had taken the message before this one. Both are on disk.
        guard isAgain else { return planRedelivery() }
        services.log(.error, "message.missing", ["from": "\(stored.source.text)", "to": "\(message.target.text)"])
      } else if isAgain, !room.hasUnsealedChanges, seat.flying == nil {
        // The room took the message before, and that commit is on disk; until then it could still have failed.
        discard(stored)
      }
    }
  }

  /// Delivers all messages that are on disk for rooms of this shard again, in their order: rooms were dropped that had
  /// taken some of them in memory only. If a room has taken one after all, the second time changes nothing.
  func planRedelivery() {
    guard !isRedeliveryPlanned else { return }
    isRedeliveryPlanned = true
    loop.schedule(after: .milliseconds(250)) { [unowned self] in
      // A failure from now on needs another delivery.
      isRedeliveryPlanned = false
      deliverStored { [unowned self] error in
        if error != nil { planRedelivery() }
      }
    }
  }

  /// Delivers the stored messages for rooms of this shard, a page at a time; `done` gets the error if one ends it.
  func deliverStored(after cursor: OutboxCursor? = nil, _ done: @escaping (StoreError?) -> Void) {
    services.store.undelivered(
      in: shard.shards.partitions(of: shard.index), after: cursor, limit: Self.messagesPerPage,
      reply: Reply(on: loop.poster) { [unowned self] result in
        switch result {
        case .success(let page):
          for message in page.messages { deliver(message, isAgain: true) }
          if let next = page.next { deliverStored(after: next, done) } else { done(nil) }
        case .failure(let error): done(error)
        }
      })
  }

  private static let messagesPerPage = 1_000

  /// Asks the store whether the room of a message existed once.
  ///
  /// An id is used once, and a message to a room that is over is of no use. Later messages to the room wait: none may
  /// come before the one that makes it.
  private func askWhetherErased(_ stored: StoredMessage, isAgain: Bool) {
    let room = stored.message.target
    if followers[room] != nil {
      followers[room]?.append((stored, isAgain))
      return
    }
    followers[room] = []
    services.store.wasErased(
      room,
      reply: Reply(on: loop.poster) { [unowned self] result in
        let waiting = followers.removeValue(forKey: room) ?? []
        // If the store cannot tell, all of them are delivered again from the disk.
        guard case .success(let wasErased) = result else { return planRedelivery() }
        deliver(stored, isAgain: isAgain, wasErased: wasErased)
        for next in waiting { deliver(next.stored, isAgain: next.isAgain, wasErased: wasErased) }
      })
  }

  /// Tells the caller of a message why its room cannot take it, or the sender that a person's account is deleted.
  private func sendBack(_ stored: StoredMessage, _ refusal: Refusal) {
    if RoomKindName(stored.message.target) == .me {
      // The message stays on disk until the sender's room has noted the end.
      shard.neighbours.send(.over(stored), to: shard.shards.home(of: stored.source))
      return planRedelivery()
    }
    discard(stored)
    guard let view = try? tape.parse(stored.message.body.span),
      let call = CallReference.read(view[key: "call"], Problems())?.key, call.number > 0
    else { return }
    shard.neighbours.send(
      .refuse(call, of: stored.source, refusal), to: shard.shards.home(of: stored.source))
  }

  /// Refuses a call of `room` that another room was to answer.
  func complete(_ call: CallKey, of room: RoomID, with refusal: Refusal) {
    shard.rooms.withSeat(room) { [unowned self] seat in
      // A room that has ended has refused its calls, and commits nothing behind its end.
      guard let room = seat.room, !room.isEnded else { return }
      room.refuse(call, refusal)
      shard.commits.markChanged(seat)
    }
  }

  /// Lets the sender of a message know that its target is over.
  func noteOver(_ stored: StoredMessage) {
    shard.rooms.withSeat(stored.source) { [unowned self] seat in
      guard let room = seat.room, !room.isEnded else {
        return seat.isUnreadable ? () : discard(stored)
      }
      let turn = Turn(now: max(shard.time(in: seat), room.changedAt))
      if room.learn(endOf: stored.message.target, turn) {
        shard.commits.noteChange(of: seat, by: nil)
        shard.comparePresence(in: seat)
      } else if !room.hasUnsealedChanges, seat.flying == nil {
        discard(stored)
      }
    }
  }

  private func discard(_ stored: StoredMessage) {
    services.store.discard(
      [stored],
      reply: Reply(on: loop.poster) { [unowned self] result in
        if case .failure(let error) = result { services.log(.warning, "discarding.failed", ["why": "\(error)"]) }
      })
  }
}

extension Refusal {
  fileprivate static let usedBefore = Refusal(
    .conflict, "exists", "This id named something before: choose another.")
  fileprivate static let over = Refusal(.notFound, "gone", "What this was about does not exist any more.")
}
