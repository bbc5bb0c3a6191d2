import WebSocket

/// A connection to a relay. It is in a room from the handshake on. Each message is a text of a fixed length with its
/// sender, its number and its due time.
final class RelayConnection: WebSocketConnection {
  private unowned let scenario: any RelayListener

  init(_ generator: Generator, room: Int, _ scenario: any RelayListener) {
    self.scenario = scenario
    super.init(generator.connections.count, generator, path: "/room/\(room)", subprotocols: [])
  }

  override func opened() { becomeReady() }
  override func wasReadied() { scenario.ready(self) }
  override func received(_ text: Span<UInt8>) { scenario.received(text, self) }
}

/// Receives the events of connections to a relay.
protocol RelayListener: AnyObject {
  func ready(_ connection: RelayConnection)
  func received(_ text: Span<UInt8>, _ connection: RelayConnection)
}

extension RelayListener {
  func ready(_ connection: RelayConnection) {}
}

/// The content of a message to a relay.
struct RelayMessage: Equatable {
  /// The connection number of the sender.
  var sender: Int
  var number: Int
  /// Nanoseconds of the monotonic clock.
  var due: Int64

  /// The text, padded to a length.
  func encoded(length: Int) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(length)
    for number in [UInt64(sender), UInt64(number), UInt64(due)] {
      Self.append(number, to: &text)
      text.append(UInt8(ascii: " "))
    }
    text.append(contentsOf: repeatElement(UInt8(ascii: "x"), count: max(0, length - text.count)))
    return text
  }

  // Avoids creating a String per number, which would dominate the measurement.
  private static func append(_ number: UInt64, to text: inout [UInt8]) {
    let start = text.count
    var rest = number
    repeat {
      text.append(UInt8(48 + rest % 10))
      rest /= 10
    } while rest > 0
    text[start...].reverse()
  }

  init(sender: Int, number: Int, due: Int64) {
    self.sender = sender
    self.number = number
    self.due = due
  }

  /// `nil` unless the text starts with three numbers, each followed by a space.
  init?(_ text: Span<UInt8>) {
    var index = 0
    guard let sender = Self.number(text, &index), let number = Self.number(text, &index),
      let due = Self.number(text, &index)
    else { return nil }
    self.init(sender: sender, number: number, due: Int64(due))
  }

  /// Parses the number at `index` and moves the index past the space after it.
  private static func number(_ text: Span<UInt8>, _ index: inout Int) -> Int? {
    let start = index
    var number = 0
    while index < text.count, 48...57 ~= text[index] {
      guard number < 1 << 59 else { return nil }
      number = number * 10 + Int(text[index] - 48)
      index += 1
    }
    guard index > start, index < text.count, text[index] == UInt8(ascii: " ") else { return nil }
    index += 1
    return number
  }
}
