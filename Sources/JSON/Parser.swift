/// The grammar: one pass over the text, without recursion.
///
/// The text is followed by `padding` zero bytes, so reading at the end finds a byte that fits nowhere; whether it is
/// the end is asked only then.
struct Parser {
  /// Enough for an eight-byte load that begins at the end.
  static let padding = 8

  let text: RawBuffer<UInt8>
  let count: Int
  var nodes: RawBuffer<Node>
  var slots: RawBuffer<UInt32>
  let depthLimit: Int
  let nodeLimit: Int

  private var position = 0
  private var nodeCount = 0
  private var depth = 0
  /// The innermost open array or object; the ones around it are linked through `Node.end`.
  private var container = 0
  private var isInObject = false

  init(
    text: RawBuffer<UInt8>, count: Int, nodes: RawBuffer<Node>, slots: RawBuffer<UInt32>, depthLimit: Int,
    nodeLimit: Int
  ) {
    self.text = text
    self.count = count
    self.nodes = nodes
    self.slots = slots
    self.depthLimit = depthLimit
    self.nodeLimit = nodeLimit
  }

  /// Reads one value and nothing behind it but white space.
  mutating func document() throws(JSONError) {
    skipSpace()
    while true {
      var isComplete = try value()
      while isComplete {
        skipSpace()
        if depth == 0 {
          if position != count { throw .unexpected(offset: position) }
          return
        }
        isComplete = try !next()
      }
    }
  }

  /// Reads a value, or the beginning of one: `false` when the first item of an array or object is to be read now.
  private mutating func value() throws(JSONError) -> Bool {
    switch text[position] {
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "{"): return try open(.object)
    case UInt8(ascii: "["): return try open(.array)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
    case UInt8(ascii: "t"): try word("true", .bool, flag: true)
    case UInt8(ascii: "f"): try word("false", .bool, flag: false)
    case UInt8(ascii: "n"): try word("null", .null, flag: false)
    default: throw wrong(at: position)
    }
    return true
  }

  /// Behind a value: goes on to the next item (`true`), or closes the array or object (`false`).
  private mutating func next() throws(JSONError) -> Bool {
    let byte = text[position]
    if byte == UInt8(ascii: ",") {
      position &+= 1
      skipSpace()
      if isInObject { try key() }
      return true
    }
    guard byte == (isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { throw wrong(at: position) }
    try close()
    return false
  }

  private mutating func open(_ kind: View.Kind) throws(JSONError) -> Bool {
    guard depth < depthLimit else { throw .tooDeep }
    depth &+= 1
    let index = nodeCount
    try append(Node(kind, start: position, end: container))
    container = index
    isInObject = kind == .object
    position &+= 1
    skipSpace()
    if text[position] == (isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
      try close()
      return true
    }
    if isInObject { try key() }
    return false
  }

  private mutating func close() throws(JSONError) {
    position &+= 1
    if isInObject { try refuseDuplicateKeys() }
    var node = nodes[container]
    let parent = Int(node.end)
    node.length = UInt32(truncatingIfNeeded: position) &- node.start
    node.end = UInt32(truncatingIfNeeded: nodeCount)
    nodes[container] = node
    depth &-= 1
    container = parent
    isInObject = depth > 0 && nodes[parent].kind == .object
  }

  private mutating func key() throws(JSONError) {
    guard text[position] == UInt8(ascii: "\"") else { throw wrong(at: position) }
    try string()
    skipSpace()
    guard text[position] == UInt8(ascii: ":") else { throw wrong(at: position) }
    position &+= 1
    skipSpace()
  }

  private mutating func string() throws(JSONError) {
    let start = position &+ 1
    var hasEscapes = false
    position = start
    while true {
      let stop = Word.specialsAndNonASCII(text.word(at: position))
      guard stop != 0 else {
        position &+= 8
        continue
      }
      position &+= stop.trailingZeroBitCount / 8
      let byte = text[position]
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        try escape()
      } else if byte >= 0x80 {
        try multibyte()
      } else {
        throw position == count ? .endOfInput : .controlCharacter(offset: position)
      }
    }
    try append(Node(.string, start: start, length: position &- start, flag: hasEscapes, end: nodeCount + 1))
    position &+= 1
  }

  /// Steps over an escape (RFC 8259 §7).
  private mutating func escape() throws(JSONError) {
    let start = position
    switch text[start + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position = start &+ 2
    case UInt8(ascii: "u"):
      let unit = try hexadecimal(at: start + 2, escapeAt: start)
      position = start &+ 6
      guard unit & 0xF800 == 0xD800 else { return }
      guard unit < 0xDC00, text[position] == UInt8(ascii: "\\"), text[position + 1] == UInt8(ascii: "u") else {
        throw position == count ? .endOfInput : .invalidEscape(offset: start)
      }
      guard try hexadecimal(at: position + 2, escapeAt: position) & 0xFC00 == 0xDC00 else {
        throw .invalidEscape(offset: start)
      }
      position &+= 6
    default:
      throw start + 1 == count ? .endOfInput : .invalidEscape(offset: start)
    }
  }

  private func hexadecimal(at offset: Int, escapeAt start: Int) throws(JSONError) -> UInt32 {
    var unit: UInt32 = 0
    for index in offset..<offset + 4 {
      guard let digit = text[index].hexadecimalDigit else {
        throw index == count ? .endOfInput : .invalidEscape(offset: start)
      }
      unit = unit << 4 | digit
    }
    return unit
  }

  /// Steps over a UTF-8 sequence of two to four bytes (RFC 3629 §4). The second byte is what refuses overlong forms,
  /// surrogates and anything above U+10FFFF; the bytes behind the end of the text are zero and continue nothing.
  private mutating func multibyte() throws(JSONError) {
    let first = text[position]
    let second = text[position + 1]
    let size: Int
    let isValid: Bool
    switch first {
    case 0xC2...0xDF: (size, isValid) = (2, 0x80...0xBF ~= second)
    case 0xE0: (size, isValid) = (3, 0xA0...0xBF ~= second)
    case 0xED: (size, isValid) = (3, 0x80...0x9F ~= second)
    case 0xE1...0xEF: (size, isValid) = (3, 0x80...0xBF ~= second)
    case 0xF0: (size, isValid) = (4, 0x90...0xBF ~= second)
    case 0xF4: (size, isValid) = (4, 0x80...0x8F ~= second)
    case 0xF1...0xF3: (size, isValid) = (4, 0x80...0xBF ~= second)
    default: throw .invalidUTF8(offset: position)
    }
    guard isValid,
      size < 3 || text[position + 2] & 0xC0 == 0x80,
      size < 4 || text[position + 3] & 0xC0 == 0x80
    else { throw .invalidUTF8(offset: position) }
    position &+= size
  }

  /// `-? (0 | [1-9][0-9]*) (.[0-9]+)? ([eE][+-]?[0-9]+)?` (RFC 8259 §6)
  private mutating func number() throws(JSONError) {
    let start = position
    var isInteger = true
    if text[position] == UInt8(ascii: "-") { position &+= 1 }
    if text[position] == UInt8(ascii: "0") {
      position &+= 1
      if text[position].isDigit { throw .invalidNumber(offset: position) }
    } else {
      try digits()
    }
    if text[position] == UInt8(ascii: ".") {
      isInteger = false
      position &+= 1
      try digits()
    }
    if text[position] | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      position &+= 1
      if text[position] == UInt8(ascii: "+") || text[position] == UInt8(ascii: "-") { position &+= 1 }
      try digits()
    }
    try append(Node(.number, start: start, length: position &- start, flag: !isInteger, end: nodeCount + 1))
  }

  private mutating func digits() throws(JSONError) {
    guard text[position].isDigit else {
      throw position == count ? .endOfInput : .invalidNumber(offset: position)
    }
    repeat { position &+= 1 } while text[position].isDigit
  }

  private mutating func word(_ word: StaticString, _ kind: View.Kind, flag: Bool) throws(JSONError) {
    let start = position
    let size = word.utf8CodeUnitCount
    for index in 0..<size where unsafe text[position + index] != word.utf8Start[index] {
      throw wrong(at: position + index)
    }
    position &+= size
    try append(Node(kind, start: start, length: size, flag: flag, end: nodeCount + 1))
  }

  @inline(__always)
  private mutating func skipSpace() {
    // Compact text, which is nearly all there is, leaves at the first comparison.
    while text[position] <= 0x20, text[position].isSpace { position &+= 1 }
  }

  private func wrong(at offset: Int) -> JSONError {
    offset == count ? .endOfInput : .unexpected(offset: offset)
  }

  @inline(__always)
  private mutating func append(_ node: Node) throws(JSONError) {
    if nodeCount == nodes.capacity {
      guard nodeCount < nodeLimit else { throw .tooManyNodes }
      nodes.grow(to: min(2 * nodeCount, nodeLimit), keeping: nodeCount, filler: Node())
    }
    nodes[nodeCount] = node
    nodeCount &+= 1
  }
}

extension Parser {
  /// Objects with more members than this are checked with a hash table.
  private static let fewMembers = 16

  /// Looks at the keys of the object that ends here.
  private mutating func refuseDuplicateKeys() throws(JSONError) {
    let first = container + 1
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
    if members > Self.fewMembers { try refuseDuplicateKeys(among: members, from: first) }
  }

  /// The same by open addressing. Swift's hasher has a seed of its own in each process, so nobody can send keys
  /// that meet in one slot.
  private mutating func refuseDuplicateKeys(among members: Int, from first: Int) throws(JSONError) {
    var capacity = 64
    while capacity < 2 * members { capacity *= 2 }
    if capacity > slots.capacity { slots.grow(to: capacity, keeping: 0, filler: 0) }
    slots.fill(capacity, with: 0)

    var index = first
    while index < nodeCount {
      var slot = hash(of: index) & (capacity - 1)
      // Zero means free: the node at 0 is the outermost value, never a key.
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
      // One by one, as above: only the same calls promise the same hash.
      for offset in Int(key.start)..<Int(key.start + key.length) { hasher.combine(text[offset]) }
    }
    return hasher.finalize()
  }
}
