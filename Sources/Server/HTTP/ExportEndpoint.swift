import HTTP
import Home
import Platform
import Rooms

/// The content of a dismissed household for a member, by the link in the member's inbox (HH-11): its state, and all of
/// its ledger, bills, payments and purchases.
enum ExportEndpoint {
  static let path = HomeRooms.exportPath

  static func serve(_ exchange: HTTPExchange, by shard: Shard) {
    SecretLinks.serve(.export, exchange.head.target.path.dropFirst(path.count), exchange, by: shard) { room, document in
      exchange.begin(
        .ok,
        headers: [
          "Content-Type": "application/json", "Content-Disposition": "attachment; filename=\"household.json\"",
          "Cache-Control": "no-store",
        ])
      // The lists of the history become members of the same object.
      exchange.send(document.span.extracting(droppingLast: 1))
      ExportedHistory(of: room, to: exchange, by: shard).proceed()
    }
  }
}

/// Streams the history of a household's money into an answer, page by page, as fast as the client takes it.
private final class ExportedHistory {
  private static let page = 100

  private let room: RoomID
  private let exchange: HTTPExchange
  private unowned let shard: Shard
  /// The lists that are not sent whole.
  private var lists = HomeRooms.exportedHistory[...]
  /// The last record that was sent of the first of them.
  private var cursor: HistoryCursor?
  private var isReading = false

  init(of room: RoomID, to exchange: HTTPExchange, by shard: Shard) {
    self.room = room
    self.exchange = exchange
    self.shard = shard
    exchange.drained = { [self] in proceed() }
  }

  func proceed() {
    guard !isReading, !exchange.isFull, !exchange.isOver else { return }
    guard let list = lists.first else {
      send("}")
      return exchange.finish()
    }
    isReading = true
    shard.services.store.history(
      of: room, HistoryQuery(kind: list.kind, before: cursor, limit: Self.page),
      reply: Reply(on: shard.loop.poster) { [self] result in
        isReading = false
        guard case .success(let records) = result else { return exchange.breakOff() }
        take(records, of: list.name)
        proceed()
      })
  }

  private func take(_ records: [HistoryRecord], of name: String) {
    if cursor == nil { send(",\"\(name)\":[") }
    for record in records {
      if cursor != nil { send(",") }
      let body = record.body ?? []
      exchange.send(body.span)
      cursor = HistoryCursor(at: record.at, id: record.id)
    }
    if records.count == Self.page { return }
    send("]")
    lists.removeFirst()
    cursor = nil
  }

  private func send(_ text: String) {
    let bytes = Array(text.utf8)
    exchange.send(bytes.span)
  }
}
