/// Parses JSON into a flat list of nodes, strictly and within limits, and reuses its memory for the next text.
///
/// The text is copied, so the caller may change or free its bytes. Use a tape on one thread at a time: an event loop
/// has one, and uses the `View`s of a message before it parses the next message.
///
/// Accepts exactly RFC 8259 in strict UTF-8 (RFC 3629) without a byte order mark. It rejects half surrogate pairs and
/// objects with duplicate keys.
@safe public final class Tape {
  /// The state that views read. Its address is fixed for the life of the tape; the buffers in it may move.
  @safe @usableFromInline
  struct Storage {
    @usableFromInline var text: RawBuffer<UInt8>
    @usableFromInline var nodes: RawBuffer<Node>
    /// Counts parsed texts, to detect a view of an earlier text.
    @usableFromInline var generation: UInt32 = 0
    /// Spans of the text that are lent out at the moment.
    @usableFromInline var borrows = 0
  }

  let storage: UnsafeMutablePointer<Storage>
  private var slots: RawBuffer<UInt32>
  private let depthLimit: Int
  private let nodeLimit: Int
  private let byteLimit: Int
  private let comparesKeys: Bool

  /// - Parameters:
  ///   - depthLimit: how deep arrays and objects may be nested, 1...1,024.
  ///   - nodeLimit: how many values and keys a text may have, 1...2³⁰.
  ///   - byteLimit: how many bytes a text may have, 1...2³⁰.
  ///   - comparesKeys: `false` accepts duplicate keys. The check is a tenth of the work of loading a room, and texts
  ///     that this program wrote have none.
  public init(
    depthLimit: Int = 32, nodeLimit: Int = 10_000, byteLimit: Int = 1 << 20, comparesKeys: Bool = true
  ) {
    precondition(1...1024 ~= depthLimit && 1...(1 << 30) ~= nodeLimit && 1...(1 << 30) ~= byteLimit)
    self.depthLimit = depthLimit
    self.nodeLimit = nodeLimit
    self.byteLimit = byteLimit
    self.comparesKeys = comparesKeys
    slots = RawBuffer(capacity: 64, filler: 0)
    unsafe storage = .allocate(capacity: 1)
    unsafe storage.initialize(
      to: Storage(
        text: RawBuffer(capacity: 1024, filler: 0), nodes: RawBuffer(capacity: min(128, nodeLimit), filler: Node())))
  }

  deinit {
    unsafe storage.pointee.text.deallocate()
    unsafe storage.pointee.nodes.deallocate()
    unsafe storage.deallocate()
    slots.deallocate()
  }

  /// Parses one JSON text.
  ///
  /// The view and all views derived from it are valid until the next call, and only while the tape lives: keep the
  /// tape in a property or a `let`. Using a view of an earlier text traps.
  public func parse(_ bytes: Span<UInt8>) throws(JSONError) -> View {
    unsafe storage.pointee.generation &+= 1
    guard bytes.count <= byteLimit else { throw .tooLong }
    copy(bytes)

    var parser = unsafe Parser(
      text: storage.pointee.text, count: bytes.count, nodes: storage.pointee.nodes, slots: slots,
      depthLimit: depthLimit, nodeLimit: nodeLimit, comparesKeys: comparesKeys)
    defer {
      unsafe storage.pointee.nodes = parser.nodes
      slots = parser.slots
    }
    try parser.document()
    return unsafe View(storage: storage, index: 0, generation: storage.pointee.generation)
  }

  /// Forgets the text and overwrites its memory. Views of it trap from then on.
  public func wipe() {
    unsafe precondition(storage.pointee.borrows == 0, "wiping bytes of a view that are in use")
    unsafe storage.pointee.generation &+= 1
    unsafe storage.pointee.text.fill(storage.pointee.text.capacity, with: 0)
  }

  private func copy(_ bytes: Span<UInt8>) {
    unsafe precondition(storage.pointee.borrows == 0, "parsing while bytes of a view are in use")
    let needed = bytes.count + Parser.padding
    if unsafe needed > storage.pointee.text.capacity {
      unsafe storage.pointee.text = storage.pointee.text.grown(
        to: max(needed, 2 * storage.pointee.text.capacity), keeping: 0, filler: 0)
    }
    unsafe bytes.withUnsafeBufferPointer { source in unsafe storage.pointee.text.copy(source, to: 0) }
    for offset in bytes.count..<needed { unsafe storage.pointee.text[offset] = 0 }
  }
}

/// One value or key on the tape. A key directly precedes its value.
@usableFromInline
struct Node: BitwiseCopyable {
  @usableFromInline var kind = View.Kind.null
  /// For a bool: its value. For a string or key: it has escapes. For a number: it has a fraction or an exponent.
  @usableFromInline var flag = false
  /// For a key: the member has been looked up.
  @usableFromInline var isUsed = false
  /// Offset of the first byte; for a string, after the opening quote.
  @usableFromInline var start: UInt32 = 0
  /// Length in bytes; for a string, without the quotes.
  @usableFromInline var length: UInt32 = 0
  /// The index after the last node of this value. While an array or object is open: the index of the enclosing one.
  @usableFromInline var end: UInt32 = 0

  @usableFromInline
  init() {}

  init(_ kind: View.Kind, start: Int, length: Int = 0, flag: Bool = false, end: Int) {
    self.kind = kind
    self.flag = flag
    // A tape takes at most 2³⁰ bytes and nodes, so both fit.
    self.start = UInt32(truncatingIfNeeded: start)
    self.length = UInt32(truncatingIfNeeded: length)
    self.end = UInt32(truncatingIfNeeded: end)
  }
}
