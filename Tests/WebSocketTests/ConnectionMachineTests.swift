import Testing
import WebSocket

@Suite("Connection machine")
struct ConnectionMachineTests {
  typealias Event = ConnectionMachine.Event
  typealias Action = ConnectionMachine.Action

  static let events: [Event] = [
    .received(.text), .received(.binary), .received(.ping), .received(.pong), .received(.close(nil)),
    .received(.close(.goingAway)), .failed(.invalidUTF8), .close(.normal), .timedOut,
  ]

  /// The transition table: the action for each event in each state, in the order of `events`.
  @Test(
    "each event in each state has one action",
    arguments: [
      (
        Role.server, .open,
        [
          .deliver, .deliver, .sendPong, .ignore, .sendCloseAndDisconnect(nil), .sendCloseAndDisconnect(.goingAway),
          .sendCloseAndDisconnect(.invalidPayload), .sendClose(.normal), .disconnect,
        ]
      ),
      (
        .client, .open,
        [
          .deliver, .deliver, .sendPong, .ignore, .sendClose(nil), .sendClose(.goingAway),
          .sendCloseAndDisconnect(.invalidPayload), .sendClose(.normal), .disconnect,
        ]
      ),
      (
        .server, .closing,
        [.ignore, .ignore, .ignore, .ignore, .disconnect, .disconnect, .disconnect, .ignore, .disconnect]
      ),
      (
        .client, .closing,
        [.ignore, .ignore, .ignore, .ignore, .ignore, .ignore, .disconnect, .ignore, .disconnect]
      ),
      (
        .server, .closed,
        [.ignore, .ignore, .ignore, .ignore, .ignore, .ignore, .ignore, .ignore, .disconnect]
      ),
      (
        .client, .closed,
        [.ignore, .ignore, .ignore, .ignore, .ignore, .ignore, .ignore, .ignore, .disconnect]
      ),
    ] as [(Role, ConnectionMachine.State, [Action])])
  func table(role: Role, state: ConnectionMachine.State, actions: [Action]) {
    for (event, action) in zip(Self.events, actions) {
      var machine = ConnectionMachine(role: role)
      switch state {
      case .open: break
      case .closing: _ = machine.handle(.close(.normal))
      case .closed: _ = machine.handle(.failed(.masked))
      }
      #expect(machine.state == state)
      #expect(machine.handle(event) == action, "\(event)")
      let isEnd = action != .deliver && action != .sendPong && action != .ignore && action != .sendClose(.normal)
      if isEnd { #expect(machine.state == .closed, "\(event)") }
    }
  }

  @Test("a connection sends at most one close frame, and nothing after it")
  func oneClose() {
    for role in [Role.server, .client] {
      for first in Self.events {
        for second in Self.events {
          var machine = ConnectionMachine(role: role)
          var hasClosed = false
          for event in [first, second, first, second] {
            let action = machine.handle(event)
            switch action {
            case .sendClose, .sendCloseAndDisconnect:
              #expect(!hasClosed, "\(first), \(second)")
              hasClosed = true
            case .sendPong, .deliver: #expect(!hasClosed, "\(first), \(second)")
            case .disconnect, .ignore: break
            }
          }
        }
      }
    }
  }
}
