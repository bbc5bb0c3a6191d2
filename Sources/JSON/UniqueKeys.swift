/// Rejects objects with duplicate keys, whose meaning RFC 8259 §4 leaves open.
struct UniqueKeys {
  /// Objects with more members than this are checked with a hash table; up to it, each key is compared with all others.
  private static let fewMembers = 16

  private let text: RawBuffer<UInt8>
  private let nodes: RawBuffer<Node>
  private let nodeCount: Int

  @inline(__always)
  init(_ text: RawBuffer<UInt8>, _ nodes: RawBuffer<Node>, _ nodeCount: Int) {
    self.text = text
    self.nodes = nodes
    self.nodeCount = nodeCount
  }

  /// Checks the keys of an object whose last member is the last node on the tape.
  func check(objectAt object: Int, _ slots: inout RawBuffer<UInt32>) throws(JSONError) {
    let first = object + 1
    var members = 0
    var index = first
    while index < nodeCount {
      if members < Self.fewMembers {
        var earlier = first
        while earlier < index {
          if haveSameText(earlier, index) { throw .duplicateKey(offset: Int(nodes[index].start) - 1) }
          earlier = Int(nodes[earlier + 1].end)
        }
      }
      members += 1
      index = Int(nodes[index + 1].end)
    }
    if members > Self.fewMembers { try check(members, from: first, &slots) }
  }

  /// Checks many keys by open addressing. Swift's hasher is seeded per process, so a client cannot choose keys that
  /// collide.
  private func check(_ members: Int, from first: Int, _ slots: inout RawBuffer<UInt32>) throws(JSONError) {
    var capacity = 64
    while capacity < 2 * members { capacity *= 2 }
    if capacity > slots.capacity { slots = slots.grown(to: capacity, keeping: 0, filler: 0) }
    slots.fill(capacity, with: 0)

    var index = first
    while index < nodeCount {
      var slot = hash(of: index) & (capacity - 1)
      // Zero means free: node 0 is the outermost value, never a key.
      while slots[slot] != 0 {
        if haveSameText(Int(slots[slot]), index) { throw .duplicateKey(offset: Int(nodes[index].start) - 1) }
        slot = (slot + 1) & (capacity - 1)
      }
      slots[slot] = UInt32(truncatingIfNeeded: index)
      index = Int(nodes[index + 1].end)
    }
  }

  private func haveSameText(_ first: Int, _ second: Int) -> Bool {
    let a = nodes[first]
    let b = nodes[second]
    if !a.flag && !b.flag {
      return a.length == b.length && text.equal(Int(a.start), Int(b.start), count: Int(a.length))
    }
    return UnescapedBytes(text, a).elementsEqual(UnescapedBytes(text, b))
  }

  private func hash(of index: Int) -> Int {
    let key = nodes[index]
    var hasher = Hasher()
    if key.flag {
      for byte in UnescapedBytes(text, key) { hasher.combine(byte) }
    } else {
      // Byte by byte, as above: only the same sequence of calls guarantees the same hash.
      for offset in Int(key.start)..<Int(key.start + key.length) { hasher.combine(text[offset]) }
    }
    return hasher.finalize()
  }
}
