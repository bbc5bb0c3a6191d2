import WebSocket

/// Messages that are larger than they look (RELIABILITY E3), and frames that declare too much (E5).
extension AttackSettings {
  /// Spaces, compressed a thousandfold: as many as fill a frame of a member, a frame before hello, and 100 MiB, whose
  /// frame is too large itself.
  var bombs: [Attack.Variant] {
    [100, 60, 3].flatMap { megabytes in
      let payload = Deflater(level: 9).compress([UInt8](repeating: 0x20, count: megabytes << 20).span)
      let frame = Frame.encode(.text, payload.span, isCompressed: true, mask: 7)
      return [Attack.Entry.upgraded, .member].map { entry in
        Attack.Variant(
          name: "\(megabytes) MiB in \(frame.count) bytes, \(entry)", entry: entry, script: Attack.Script(first: frame),
          ending: .closed(1009), offersDeflate: true)
      }
    }
  }

  /// The first byte of a text frame, and the length that it declares.
  var lengths: [Attack.Variant] {
    let rows: [(name: String, length: [UInt8], code: UInt16)] = [
      ("0 in 2 bytes", [0xFE, 0, 0], 1002),
      ("125 in 2 bytes", [0xFE, 0, 125], 1002),
      ("126 in 8 bytes", [0xFF, 0, 0, 0, 0, 0, 0, 0, 126], 1002),
      ("2^16 − 1 in 8 bytes", [0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 1002),
      ("2^16 + 1", [0xFF, 0, 0, 0, 0, 0, 1, 0, 1], 1009),
      ("2^31 − 1", [0xFF, 0, 0, 0, 0, 0x7F, 255, 255, 255], 1009),
      ("2^31", [0xFF, 0, 0, 0, 0, 0x80, 0, 0, 0], 1009),
      ("2^31 + 1", [0xFF, 0, 0, 0, 0, 0x80, 0, 0, 1], 1009),
      ("2^32 − 1", [0xFF, 0, 0, 0, 0, 255, 255, 255, 255], 1009),
      ("2^32", [0xFF, 0, 0, 0, 1, 0, 0, 0, 0], 1009),
      ("2^32 + 1", [0xFF, 0, 0, 0, 1, 0, 0, 0, 1], 1009),
      ("2^63 − 1", [0xFF, 0x7F, 255, 255, 255, 255, 255, 255, 255], 1009),
      ("2^63", [0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0], 1002),
      ("2^63 + 1", [0xFF, 0x80, 0, 0, 0, 0, 0, 0, 1], 1002),
      ("2^64 − 1", [0xFF, 255, 255, 255, 255, 255, 255, 255, 255], 1002),
    ]
    return rows.flatMap { name, length, code in
      [Attack.Entry.upgraded, .member].map { entry in
        Attack.Variant(
          name: "\(name), \(entry)", entry: entry, script: Attack.Script(first: [0x81] + length + [1, 2, 3, 4]),
          ending: .closed(code))
      }
    }
  }
}
