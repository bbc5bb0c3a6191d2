import WebSocket

/// RELIABILITY E4: frames that cost the sender nothing and complete no message, as many as the wire carries.
extension AttackSettings {
  /// A million empty fragments, or endless ones of one byte: the limit is 64.
  var manyFragments: [Attack.Variant] {
    let begin = Frame.encode(.text, Span(), isFinal: false, mask: 1)
    return [[], [0x20]].flatMap { (payload: [UInt8]) in
      let fragment = Frame.encode(.continuation, payload.span, isFinal: false, mask: 1)
      return [Attack.Entry.upgraded, .member].map { entry in
        Attack.Variant(
          name: "of \(payload.count) bytes, \(entry)", entry: entry, script: flood(of: fragment, after: begin),
          ending: .closed(1008))
      }
    }
  }

  var pings: [Attack.Variant] {
    [Opcode.ping, .pong].flatMap { opcode in
      [Attack.Entry.upgraded, .member].map { entry in
        Attack.Variant(
          name: "\(opcode), \(entry)", entry: entry, script: flood(of: Frame.encode(opcode, Span(), mask: 1)),
          ending: .closed(1008))
      }
    }
  }

  /// Empty messages, which are malformed; a connection may send twenty.
  var emptyMessages: [Attack.Variant] {
    [Attack.Entry.upgraded, .member].map { entry in
      Attack.Variant(
        name: "\(entry)", entry: entry, script: flood(of: Frame.text("", mask: 1)), ending: .closed(4105))
    }
  }

  /// A million copies of one frame, in pieces of ten thousand.
  private func flood(of frame: [UInt8], after first: [UInt8] = []) -> Attack.Script {
    Attack.Script(first: first, rest: Array(repeating: frame, count: 10_000).flatMap(\.self), times: 100)
  }
}
