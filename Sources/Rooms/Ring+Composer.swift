internal import JSON

extension Ring {
  /// Composes patches into one. They come in order, the oldest first, and may overlap.
  public struct Composer {
    /// The client's version: patches that end at or before it are left out.
    private let since: Int64
    /// The version that the patches lead to.
    public private(set) var version: Int64
    /// Segments, as a JSON array.
    private let list = Writer(capacity: 1024)

    public init(since version: Int64) {
      since = version
      self.version = version
      list.openArray()
    }

    public mutating func add(_ entry: Entry) {
      add(from: entry.from, version: entry.version, entry.patch.span)
    }

    public mutating func add(from: Int64, version: Int64, _ patch: Span<UInt8>) {
      list.openArray()
      Segment.write(from: from, version: version, patch, to: list)
      list.closeArray()
      self.version = max(version, self.version)
    }

    public mutating func add(_ segment: Segment) {
      list.value(segment.body.span)
      version = max(segment.version, version)
    }

    /// The composed patch, from the client's version or a little before it. `nil` if there are no patches, one is
    /// missing, or no merge patch has their combined effect.
    public var entry: Entry? {
      let mark = list.mark
      list.closeArray()
      defer { list.rollback(to: mark) }
      let tape = Tape(depthLimit: 64, nodeLimit: 4_000_000, byteLimit: 64 << 20, comparesKeys: false)
      guard let segments = list.withSpan({ try? tape.parse($0) }) else { return nil }
      return withExtendedLifetime(tape) { compose(segments) }
    }

    private func compose(_ segments: View) -> Entry? {
      var patches: [View] = []
      var (from, reached, isWhole) = (Int64.max, since, true)
      segments.forEachItem { segment in
        segment.forEachItem { item in
          var parts: [View] = []
          item.forEachItem { parts.append($0) }
          // An unreadable patch leaves a gap.
          guard parts.count == 3, let first = parts[0].int, let last = parts[1].int, Int64(last) > reached
          else { return }
          if patches.isEmpty { from = Int64(first) } else if Int64(first) > reached { isWhole = false }
          reached = Int64(last)
          if parts[2].kind == .array { parts[2].forEachItem { patches.append($0) } } else { patches.append(parts[2]) }
        }
      }
      guard isWhole, !patches.isEmpty, from <= since else { return nil }
      let sum = Writer(capacity: 1024)
      guard MergePatch.compose(patches, to: sum) else { return nil }
      return Entry(from: from, version: reached, patch: sum.bytes())
    }
  }
}
