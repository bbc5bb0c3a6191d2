import HearthClient
import JSON
import WebSocket

/// Asks a simulated server what its methods are: what it answers is what operations are drawn from.
public final class DescriptionReader: LinkClient {
  private var bytes: [UInt8] = []
  private var receiver = Receiver(role: .client)
  private var core = ConnectionCore()
  private var isUpgraded = false
  private var answer: JSON?

  /// What `rpc.discover` answers; `nil` if it does not.
  public static func read() -> JSON? {
    let world = World(seed: 0, operations: Operations(description: [:]))
    let reader = DescriptionReader()
    return world.askOnce(reader) { reader.answer }
  }

  func received(_ piece: [UInt8], on link: SimulatedLink) {
    bytes += piece
    if !isUpgraded {
      guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
      bytes = Array(bytes[end.upperBound...])
      isUpgraded = true
      if let call = try? core.call("rpc.discover") {
        link.send(Frame.encode(.text, call.text.span, mask: SimulatedClient.mask))
      }
    }
    var waiting = bytes
    bytes = []
    var span = waiting.mutableSpan
    try? receiver.receive(&span) { event, payload in
      guard event == .text else { return }
      let text = payload.withUnsafeBufferPointer { Array($0) }
      for case .answered(_, .success(let result)) in (try? core.receive(text)) ?? [] { answer = result }
    }
  }

  func ended(_ link: SimulatedLink) {}
}
