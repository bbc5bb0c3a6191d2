/// One value of the text that a tape parsed last, as a position on the tape: two words to copy.
///
/// Values are converted on access. Accessors return `nil` for a value of another type and never throw. `Tape.parse`
/// says how long a view is valid.
@safe public struct View {
  /// The types of a JSON value (RFC 8259 §3).
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    case null, bool, number, string, array, object
  }

  @usableFromInline let storage: UnsafeMutablePointer<Tape.Storage>
  @usableFromInline let index: UInt32
  @usableFromInline let generation: UInt32

  @inlinable
  init(storage: UnsafeMutablePointer<Tape.Storage>, index: UInt32, generation: UInt32) {
    unsafe self.storage = unsafe storage
    self.index = index
    self.generation = generation
  }

  @inlinable
  var nodes: RawBuffer<Node> {
    @inline(__always) get {
      unsafe precondition(storage.pointee.generation == generation, "a view of an earlier text")
      return unsafe storage.pointee.nodes
    }
  }

  @inlinable
  var node: Node {
    @inline(__always) get { nodes[Int(index)] }
  }

  @inlinable
  var text: RawBuffer<UInt8> {
    @inline(__always) get { unsafe storage.pointee.text }
  }

  @inlinable @inline(__always)
  func view(at index: UInt32) -> View {
    unsafe View(storage: storage, index: index, generation: generation)
  }

  /// The type of the value.
  @inlinable
  public var kind: Kind { node.kind }

  @inlinable
  public var isNull: Bool { node.kind == .null }

  /// The value of a bool.
  @inlinable
  public var bool: Bool? {
    let node = node
    return node.kind == .bool ? node.flag : nil
  }

  /// The text of a string with escapes resolved.
  @inlinable
  public var string: String? {
    let node = node
    guard node.kind == .string else { return nil }
    if node.flag { return unescapedString }
    return unsafe String(decoding: bytes(of: node), as: UTF8.self)
  }

  @usableFromInline
  var unescapedString: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(node.length))
    for byte in UnescapedBytes(text, node) { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Whether this is a string that consists of printable ASCII without escapes.
  public var isPrintable: Bool {
    let node = node
    guard node.kind == .string, !node.flag else { return false }
    let end = Int(node.start) + Int(node.length)
    var offset = Int(node.start)
    // The text is padded, so the last word may extend past the string; bytes there are masked out.
    while offset &+ 8 <= end {
      if Word.unprintable(text.word(at: offset)) != 0 { return false }
      offset &+= 8
    }
    let rest = UInt64(end &- offset) &* 8
    return Word.unprintable(text.word(at: offset)) & ((1 << rest) &- 1) == 0
  }

  /// Whether this is a string written with escapes.
  @inlinable
  public var hasEscapes: Bool {
    let node = node
    return node.kind == .string && node.flag
  }

  /// Whether this is a string equal to `text` after resolving escapes.
  @inlinable
  public func equals(_ text: StaticString) -> Bool {
    unsafe hasText(text.bytes, node)
  }

  /// Whether a node is a string or key equal to `bytes` after resolving escapes.
  @inlinable @inline(__always)
  func hasText(_ bytes: UnsafeBufferPointer<UInt8>, _ node: Node) -> Bool {
    guard node.kind == .string else { return false }
    if node.flag { return unsafe hasUnescapedText(bytes, node) }
    guard Int(node.length) == bytes.count else { return false }
    return unsafe text.equal(Int(node.start), bytes)
  }

  @usableFromInline
  func hasUnescapedText(_ bytes: UnsafeBufferPointer<UInt8>, _ node: Node) -> Bool {
    unsafe UnescapedBytes(text, node).elementsEqual(bytes)
  }

  /// Whether this and another view of the same text are strings or keys with equal text.
  func hasText(of other: View) -> Bool {
    let theirs = other.node
    guard theirs.flag else { return unsafe hasText(UnsafeBufferPointer(bytes(of: theirs)), node) }
    return string == other.string
  }

  /// Hashes a string or key by its text with escapes resolved.
  func hashText(into hasher: inout Hasher) {
    let node = node
    if node.flag {
      let bytes = Array(UnescapedBytes(text, node))
      unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    } else {
      unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes(of: node)))
    }
  }

  @inlinable @inline(__always)
  func bytes(of node: Node) -> UnsafeMutableBufferPointer<UInt8> {
    unsafe text.slice(Int(node.start), Int(node.length))
  }

  /// Lends `body` the value's bytes as written; for a string without its quotes and with its escapes.
  @inlinable
  public func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = unsafe UnsafeBufferPointer(bytes(of: node))
    // Parsing could move the bytes, so the tape traps when it is asked to parse meanwhile.
    unsafe storage.pointee.borrows += 1
    defer { unsafe storage.pointee.borrows -= 1 }
    return try unsafe body(bytes.span)
  }
}

extension View {
  /// The value of an object's member, which is then marked as used.
  @inlinable
  public subscript(key key: StaticString) -> View? {
    unsafe member(key.bytes)
  }

  /// The value of an object's member, which is then marked as used.
  ///
  /// Generic because Swift 6.3 ignores `@_disfavoredOverload` on a `String` parameter, and literals should select the
  /// subscript above, which creates no `String`.
  @_disfavoredOverload
  public subscript(key key: some StringProtocol) -> View? {
    var key = String(key)
    return key.withUTF8 { bytes in unsafe member(bytes) }
  }

  @inlinable
  func member(_ key: UnsafeBufferPointer<UInt8>) -> View? {
    let nodes = nodes
    let object = nodes[Int(index)]
    guard object.kind == .object else { return nil }
    var at = index &+ 1
    while at < object.end {
      if unsafe hasText(key, nodes[Int(at)]) {
        nodes[Int(at)].isUsed = true
        return view(at: at &+ 1)
      }
      at = nodes[Int(at) + 1].end
    }
    return nil
  }

  /// Remembers where to continue the search for members of one object.
  ///
  /// The search starts after the members found in sequence so far. Texts that this program wrote have their members in
  /// the order in which it looks them up, so each look-up is one comparison.
  public struct Cursor {
    @usableFromInline var at: UInt32?
    @inlinable public init() {}
  }

  /// The value of an object's member, which is then marked as used. Ask for each key at most once per cursor.
  @inlinable
  public func member(_ key: StaticString, from cursor: inout Cursor) -> View? {
    let nodes = nodes
    let object = nodes[Int(index)]
    guard object.kind == .object else { return nil }
    let first = cursor.at ?? index &+ 1
    var at = first
    while at < object.end {
      let next = nodes[Int(at) + 1].end
      if unsafe hasText(key.bytes, nodes[Int(at)]) {
        nodes[Int(at)].isUsed = true
        if at == first { cursor.at = next }
        return view(at: at &+ 1)
      }
      at = next
    }
    return nil
  }

  /// The number of members of an object or items of an array, else 0. Counts on every call.
  public var count: Int {
    var count = 0
    forEachMember { _, _ in count += 1 }
    forEachItem { _ in count += 1 }
    return count
  }

  /// Visits the members of an object in text order, without marking them as used.
  @inlinable
  public func forEachMember<Failure: Error>(
    _ body: (_ key: View, _ value: View) throws(Failure) -> Void
  ) throws(Failure) {
    let object = node
    guard object.kind == .object else { return }
    var at = index &+ 1
    while at < object.end {
      try body(view(at: at), view(at: at &+ 1))
      at = nodes[Int(at) + 1].end
    }
  }

  /// Visits the items of an array in text order.
  @inlinable
  public func forEachItem<Failure: Error>(_ body: (View) throws(Failure) -> Void) throws(Failure) {
    let array = node
    guard array.kind == .array else { return }
    var at = index &+ 1
    while at < array.end {
      try body(view(at: at))
      at = nodes[Int(at)].end
    }
  }

  /// The key of the first member that was never looked up.
  public var firstUnused: String? {
    let object = node
    guard object.kind == .object else { return nil }
    var at = index + 1
    while at < object.end {
      if !nodes[Int(at)].isUsed { return view(at: at).string }
      at = nodes[Int(at) + 1].end
    }
    return nil
  }

  /// Visits the keys of the members that were never looked up.
  public func forEachUnused<Failure: Error>(_ body: (String) throws(Failure) -> Void) throws(Failure) {
    try forEachMember { (key, _) throws(Failure) in
      if !key.node.isUsed, let text = key.string { try body(text) }
    }
  }
}
