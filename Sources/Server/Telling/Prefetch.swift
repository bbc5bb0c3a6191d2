import Platform

extension RoomTeller {
  /// Brings what telling the rooms from `index` on takes into the processor's cache. Each step leads to the next: the
  /// subscriptions of a room are asked for two rooms before it is told, their sessions one room before.
  func prefetchWatchers(of seats: [Seat], from index: Int) {
    if index + 2 < seats.count {
      forFirst(seats[index + 2]) { prefetch(ObjectIdentifier($0[$1]), bytes: Self.subscriptionBytes) }
    }
    if index + 1 < seats.count {
      forFirst(seats[index + 1]) { prefetch(ObjectIdentifier($0[$1].session), bytes: Self.sessionBytes) }
    }
    forFirst(seats[index]) { subscriptions, place in
      if let stream = subscriptions[place].session.stream {
        prefetch(ObjectIdentifier(stream), bytes: Self.streamBytes)
      }
    }
  }

  /// Places instead of subscriptions: to hold one, as a loop over them does, already waits for it.
  private func forFirst(_ seat: Seat, _ body: (_ subscriptions: [Subscription], _ place: Int) -> Void) {
    let subscriptions = seat.subscriptions
    for place in subscriptions.indices.prefix(Self.prefetchedCount) { body(subscriptions, place) }
  }

  /// Of larger rooms, so much that it is still there when it is needed.
  private static let prefetchedCount = 16
  // What of them is looked at for every message.
  private static let subscriptionBytes = 56
  private static let sessionBytes = 256
  private static let streamBytes = 144
}
