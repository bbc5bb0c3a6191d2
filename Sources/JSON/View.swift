/// One value of the text that a tape parsed last: a place on the tape, two words to copy.
///
/// Nothing is converted before it is asked for. What a view is not, it answers with `nil`; looking never throws.
/// For how long a view may be used, see `Tape.parse`.
@safe public struct View {
  /// What a JSON value can be (RFC 8259 §3).
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

  @inlinable
  public var kind: Kind { node.kind }

  @inlinable
  public var isNull: Bool { node.kind == .null }

  @inlinable
  public var bool: Bool? {
    let node = node
    return node.kind == .bool ? node.flag : nil
  }

  /// The text of a string, escapes undone.
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

  /// Whether this is a string of nothing but printable ASCII, written without escapes.
  public var isPrintable: Bool {
    let node = node
    guard node.kind == .string, !node.flag else { return false }
    let end = Int(node.start) + Int(node.length)
    var offset = Int(node.start)
    // The text is padded, so the last word may reach behind the string: what stands there does not count.
    while offset &+ 8 <= end {
      if Word.unprintable(text.word(at: offset)) != 0 { return false }
      offset &+= 8
    }
    let rest = UInt64(end &- offset) &* 8
    return Word.unprintable(text.word(at: offset)) & ((1 << rest) &- 1) == 0
  }

  /// Whether a string was written with escapes.
  @inlinable
  public var hasEscapes: Bool {
    let node = node
    return node.kind == .string && node.flag
  }

  /// Whether this is a string with that text, however it was written.
  @inlinable
  public func equals(_ text: StaticString) -> Bool {
    unsafe hasText(text.bytes, node)
  }

  /// Whether a node is a string, or a key, of these bytes.
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

  /// Whether this and another view of the same text are strings, or keys, that say the same.
  func hasText(of other: View) -> Bool {
    let theirs = other.node
    guard theirs.flag else { return unsafe hasText(UnsafeBufferPointer(bytes(of: theirs)), node) }
    return string == other.string
  }

  /// Hashes a string, or a key, by what it says.
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

  /// Gives `body` the bytes of the value as written; of a string without its quotes, escapes as they are.
  @inlinable
  public func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = unsafe UnsafeBufferPointer(bytes(of: node))
    // The tape refuses to parse meanwhile: that could move the bytes.
    unsafe storage.pointee.borrows += 1
    defer { unsafe storage.pointee.borrows -= 1 }
    return try unsafe body(bytes.span)
  }
}

extension View {
  /// The value of a member of an object, which is marked as used.
  @inlinable
  public subscript(key key: StaticString) -> View? {
    unsafe member(key.bytes)
  }

  /// The value of a member of an object, which is marked as used.
  ///
  /// Generic, since for `String` itself Swift 6.3 ignores the attribute that lets literals mean the subscript above,
  /// which makes no `String`.
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

  /// Where to go on looking for the members of one object: behind those that were found one after the other from the
  /// first. Texts of our own have their members in the order in which they are asked for.
  public struct Cursor {
    @usableFromInline var at: UInt32?
    @inlinable public init() {}
  }

  /// The value of a member of an object, which is marked as used. With one cursor, ask for each name once at most.
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

  /// How many members an object or items an array has; else 0. Counted anew each time.
  public var count: Int {
    var count = 0
    forEachMember { _, _ in count += 1 }
    forEachItem { _ in count += 1 }
    return count
  }

  /// Visits the members of an object in the order of the text. This marks none of them as used.
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

  /// Visits the items of an array.
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

  /// The key of the first member that nobody asked for.
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

  /// Visits the keys of the members that nobody asked for.
  public func forEachUnused<Failure: Error>(_ body: (String) throws(Failure) -> Void) throws(Failure) {
    try forEachMember { (key, _) throws(Failure) in
      if !key.node.isUsed, let text = key.string { try body(text) }
    }
  }
}
