/// Writes JSON into one growing buffer and inserts commas.
///
/// The caller opens, closes and writes keys in a valid order; the writer checks nothing. Raw bytes are written
/// unchanged. Use a writer on one thread at a time.
@safe public final class Writer {
  @safe @usableFromInline
  struct State {
    @usableFromInline var bytes: RawBuffer<UInt8>
    @usableFromInline var count = 0
    /// A value precedes, so the next value in the same array or object needs a comma.
    @usableFromInline var owesComma = false
    /// Spans of the bytes that are lent out at the moment.
    @usableFromInline var borrows = 0

    init(bytes: RawBuffer<UInt8>) { self.bytes = bytes }
  }

  /// Behind a pointer because every access to a class's stored property pays for an exclusivity check.
  @usableFromInline let state: UnsafeMutablePointer<State>

  /// - Parameter capacity: initial size in bytes; the buffer doubles when it is full.
  public init(capacity: Int = 1024) {
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: State(bytes: RawBuffer(capacity: max(capacity, 16), filler: 0)))
  }

  deinit {
    unsafe state.pointee.bytes.deallocate()
    unsafe state.deallocate()
  }

  /// The number of bytes written.
  @inlinable
  public var count: Int { unsafe state.pointee.count }

  /// Discards the bytes and keeps the memory.
  @inlinable
  public func clear() {
    unsafe state.pointee.count = 0
    unsafe state.pointee.owesComma = false
  }

  /// Discards the bytes and overwrites the memory, so that nothing written before can be found in it.
  public func wipe() {
    unsafe precondition(state.pointee.borrows == 0, "wiping bytes that are in use")
    clear()
    unsafe state.pointee.bytes.fill(state.pointee.bytes.capacity, with: 0)
  }

  /// A position in the output that `rollback` returns to.
  public struct Mark: Sendable {
    @usableFromInline let count: Int
    @usableFromInline let owesComma: Bool

    @inlinable
    init(count: Int, owesComma: Bool) {
      self.count = count
      self.owesComma = owesComma
    }
  }

  /// The current position.
  @inlinable
  public var mark: Mark { unsafe Mark(count: state.pointee.count, owesComma: state.pointee.owesComma) }

  /// Discards the bytes written since `mark`. The mark must be of this writer and taken after the last `clear`.
  @inlinable
  public func rollback(to mark: Mark) {
    unsafe precondition(mark.count <= state.pointee.count)
    unsafe state.pointee.count = mark.count
    unsafe state.pointee.owesComma = mark.owesComma
  }

  // MARK: Results

  /// A copy of the bytes from `from` on.
  public func bytes(from: Int = 0) -> [UInt8] {
    unsafe Array(written(from, count))
  }

  /// Lends the bytes from `from` up to `to` (by default all). Nothing may be written meanwhile.
  @inlinable
  public func withSpan<Result, Failure: Error>(
    from: Int = 0, to: Int? = nil, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe state.pointee.borrows += 1
    defer { unsafe state.pointee.borrows -= 1 }
    let bytes = unsafe UnsafeBufferPointer(written(from, to ?? count))
    return try unsafe body(bytes.span)
  }

  /// Lends the bytes from `from` on for changes in place, such as a frame header or a mask.
  @inlinable
  public func withMutableSpan<Result, Failure: Error>(
    from: Int = 0, _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe state.pointee.borrows += 1
    defer { unsafe state.pointee.borrows -= 1 }
    let bytes = unsafe written(from, count)
    var span = unsafe bytes.mutableSpan
    return try body(&span)
  }

  @inlinable
  func written(_ from: Int, _ to: Int) -> UnsafeMutableBufferPointer<UInt8> {
    precondition(from >= 0 && from <= to && to <= count)
    return unsafe state.pointee.bytes.slice(from, to &- from)
  }

  // MARK: Bytes

  /// Makes room for `size` more bytes.
  @inlinable @inline(__always)
  func reserve(_ size: Int) {
    if unsafe size > state.pointee.bytes.capacity &- state.pointee.count { grow(by: size) }
  }

  @usableFromInline
  func grow(by size: Int) {
    unsafe precondition(state.pointee.borrows == 0, "writing while a span of the bytes is in use")
    let capacity = unsafe max(2 * state.pointee.bytes.capacity, state.pointee.count + size)
    unsafe state.pointee.bytes = state.pointee.bytes.grown(to: capacity, keeping: state.pointee.count, filler: 0)
  }

  @inlinable @inline(__always)
  func append(_ byte: UInt8) {
    reserve(1)
    unsafe state.pointee.bytes[state.pointee.count] = byte
    unsafe state.pointee.count &+= 1
  }

  @inlinable @inline(__always)
  func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    reserve(bytes.count)
    unsafe state.pointee.bytes.copy(bytes, to: state.pointee.count)
    unsafe state.pointee.count &+= bytes.count
  }

  /// Writes the comma before a value, if one is due.
  @inlinable @inline(__always)
  func beginValue() {
    if unsafe state.pointee.owesComma { append(UInt8(ascii: ",")) }
  }

  @inlinable @inline(__always)
  func endValue() {
    unsafe state.pointee.owesComma = true
  }

  @inlinable @inline(__always)
  func endRaw() {
    unsafe state.pointee.owesComma = false
  }
}

/// Raw bytes: no comma before them, and none due after them.
extension Writer {
  @inlinable
  public func byte(_ byte: UInt8) {
    append(byte)
    endRaw()
  }

  /// Writes `size` zero bytes to be filled in later with `withMutableSpan`.
  public func skip(_ size: Int) {
    precondition(size >= 0)
    reserve(size)
    for offset in 0..<size { unsafe state.pointee.bytes[state.pointee.count &+ offset] = 0 }
    unsafe state.pointee.count &+= size
    endRaw()
  }

  @inlinable
  public func raw(_ text: StaticString) {
    unsafe append(text.bytes)
    endRaw()
  }

  /// Writes up to eight bytes of a word, the first in the lowest bits.
  public func raw(_ word: UInt64, count: Int) {
    precondition(0...8 ~= count)
    reserve(8)
    unsafe state.pointee.bytes.store(word, at: state.pointee.count)
    unsafe state.pointee.count &+= count
    endRaw()
  }

  @inlinable
  public func raw(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { bytes in unsafe append(bytes) }
    endRaw()
  }

  @inlinable
  public func raw(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBufferPointer { bytes in unsafe append(bytes) }
    endRaw()
  }

  /// Writes the bytes of another writer from `from` up to `to` (by default all).
  @inlinable
  public func raw(_ other: Writer, from: Int = 0, to: Int? = nil) {
    precondition(other !== self)
    unsafe append(UnsafeBufferPointer(other.written(from, to ?? other.count)))
    endRaw()
  }
}

/// Values that are already encoded.
extension Writer {
  @inlinable
  public func value(_ encoded: StaticString) {
    beginValue()
    raw(encoded)
    endValue()
  }

  @inlinable
  public func value(_ encoded: Span<UInt8>) {
    beginValue()
    raw(encoded)
    endValue()
  }

  @inlinable
  public func value(_ encoded: [UInt8]) {
    beginValue()
    raw(encoded)
    endValue()
  }

  /// Writes one encoded value of another writer, or several members or items with their commas.
  @inlinable
  public func value(_ other: Writer, from: Int = 0, to: Int? = nil) {
    beginValue()
    raw(other, from: from, to: to)
    endValue()
  }

  /// Copies a value byte for byte from the text it was parsed from.
  public func raw(_ view: View) {
    beginValue()
    let node = view.node
    let quotes = node.kind == .string ? 1 : 0
    unsafe append(UnsafeBufferPointer(view.text.slice(Int(node.start) - quotes, Int(node.length) + 2 * quotes)))
    endValue()
  }

  /// Writes a key byte for byte as in the text it was parsed from.
  public func key(_ key: View) {
    raw(key)
    append(UInt8(ascii: ":"))
    unsafe state.pointee.owesComma = false
  }
}
