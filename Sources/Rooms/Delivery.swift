import Crypto
import JSON

/// Something that shall reach a person outside, such as a mail. It stands in the commit of its cause, and is delivered
/// at least once.
public struct Delivery: Sendable, Equatable {
  /// The way to the person.
  public enum Channel: String, Sendable, CaseIterable { case mail }

  /// Names the cause, 16 bytes: one that is delivered again can be recognised by it.
  public var id: [UInt8]
  public var channel: Channel
  public var notBefore: Instant
  /// From then on it is of no use, and is given up.
  public var until: Instant
  /// A JSON object, as the channel defines it.
  public var body: [UInt8]

  /// The id in hexadecimal. The recipient may see it: it says nothing of the room.
  public var cause: String { Hex.encode(id) }

  public init(id: [UInt8], channel: Channel, notBefore: Instant, until: Instant, body: [UInt8]) {
    self.id = id
    self.channel = channel
    self.notBefore = notBefore
    self.until = until
    self.body = body
  }

  /// A delivery whose body is a record.
  public init<Of>(
    _ id: ID<Of>, _ channel: Channel, notBefore: Instant, until: Instant, _ body: some Record
  ) {
    let writer = Writer(capacity: 256)
    body.write(to: writer)
    self.init(id: id.bytes, channel: channel, notBefore: notBefore, until: until, body: writer.bytes())
  }
}
