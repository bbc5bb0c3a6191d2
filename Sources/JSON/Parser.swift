/// The JSON grammar as one pass over the text, without recursion.
///
/// `padding` zero bytes follow the text, so a read at its end finds a byte that the grammar rejects. Only then does the
/// parser check whether it is at the end.
struct Parser {
  /// Zero bytes after the text: enough for an eight-byte load that starts at its end.
  static let padding = 8

  let text: RawBuffer<UInt8>
  let count: Int
  var nodes: RawBuffer<Node>
  var slots: RawBuffer<UInt32>
  let depthLimit: Int
  let nodeLimit: Int
  let comparesKeys: Bool

  private var position = 0
  private var nodeCount = 0
  private var depth = 0
  /// The innermost open array or object; `Node.end` links to the enclosing ones.
  private var container = 0
  private var isInObject = false

  init(
    text: RawBuffer<UInt8>, count: Int, nodes: RawBuffer<Node>, slots: RawBuffer<UInt32>, depthLimit: Int,
    nodeLimit: Int, comparesKeys: Bool
  ) {
    self.text = text
    self.count = count
    self.nodes = nodes
    self.slots = slots
    self.depthLimit = depthLimit
    self.nodeLimit = nodeLimit
    self.comparesKeys = comparesKeys
  }

  /// Parses one value that only white space may follow.
  @inline(__always)
  mutating func document() throws(JSONError) {
    skipSpace()
    while true {
      if isInObject { try key() }
      let hasItems = try value()
      if hasItems { continue }
      guard try advance() else { return }
    }
  }

  /// Parses a scalar, or an opening bracket. Returns `true` if items follow the bracket, `false` if it closes at once.
  @inline(__always)
  private mutating func value() throws(JSONError) -> Bool {
    switch text[position] {
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "{"): return try open(.object, until: UInt8(ascii: "}"))
    case UInt8(ascii: "["): return try open(.array, until: UInt8(ascii: "]"))
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
    case UInt8(ascii: "t"): try word("true", .bool, flag: true)
    case UInt8(ascii: "f"): try word("false", .bool, flag: false)
    case UInt8(ascii: "n"): try word("null", .null, flag: false)
    default: throw wrong(at: position)
    }
    return false
  }

  /// Closes the arrays and objects that end here and moves to the next item; `false` at the end of the text.
  @inline(__always)
  private mutating func advance() throws(JSONError) -> Bool {
    while true {
      skipSpace()
      if depth == 0 {
        guard position == count else { throw .unexpected(offset: position) }
        return false
      }
      let byte = text[position]
      if byte == UInt8(ascii: ",") {
        position &+= 1
        skipSpace()
        return true
      }
      guard byte == (isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else { throw wrong(at: position) }
      try close()
    }
  }

  @inline(__always)
  private mutating func open(_ kind: View.Kind, until bracket: UInt8) throws(JSONError) -> Bool {
    guard depth < depthLimit else { throw .tooDeep }
    depth &+= 1
    let index = nodeCount
    try append(Node(kind, start: position, end: container))
    container = index
    isInObject = kind == .object
    position &+= 1
    skipSpace()
    return text[position] != bracket
  }

  @inline(__always)
  private mutating func close() throws(JSONError) {
    position &+= 1
    if isInObject, comparesKeys { try UniqueKeys(text, nodes, nodeCount).check(objectAt: container, &slots) }
    var node = nodes[container]
    let parent = Int(node.end)
    node.length = UInt32(truncatingIfNeeded: position) &- node.start
    node.end = UInt32(truncatingIfNeeded: nodeCount)
    nodes[container] = node
    depth &-= 1
    container = parent
    isInObject = depth > 0 && nodes[parent].kind == .object
  }

  @inline(__always)
  private mutating func key() throws(JSONError) {
    guard text[position] == UInt8(ascii: "\"") else { throw wrong(at: position) }
    try string()
    skipSpace()
    guard text[position] == UInt8(ascii: ":") else { throw wrong(at: position) }
    position &+= 1
    skipSpace()
  }

  @inline(__always)
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
        position = try StringRules(text, count).behindEscape(at: position)
      } else if byte >= 0x80 {
        position = try StringRules(text, count).behindMultibyte(at: position)
      } else {
        throw position == count ? .endOfInput : .controlCharacter(offset: position)
      }
    }
    try append(Node(.string, start: start, length: position &- start, flag: hasEscapes, end: nodeCount + 1))
    position &+= 1
  }

  /// `-? (0 | [1-9][0-9]*) (.[0-9]+)? ([eE][+-]?[0-9]+)?` (RFC 8259 §6)
  @inline(__always)
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

  @inline(__always)
  private mutating func digits() throws(JSONError) {
    guard text[position].isDigit else {
      throw position == count ? .endOfInput : .invalidNumber(offset: position)
    }
    repeat { position &+= 1 } while text[position].isDigit
  }

  @inline(__always)
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
    // In compact text, the usual case, the first comparison ends the loop.
    while text[position] <= 0x20, text[position].isSpace { position &+= 1 }
  }

  private func wrong(at offset: Int) -> JSONError {
    offset == count ? .endOfInput : .unexpected(offset: offset)
  }

  @inline(__always)
  private mutating func append(_ node: Node) throws(JSONError) {
    if nodeCount == nodes.capacity {
      guard nodeCount < nodeLimit else { throw .tooManyNodes }
      nodes = nodes.grown(to: min(2 * nodeCount, nodeLimit), keeping: nodeCount, filler: Node())
    }
    nodes[nodeCount] = node
    nodeCount &+= 1
  }
}
