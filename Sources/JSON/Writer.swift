/// Writes JSON into one growing buffer, commas included.
///
/// The caller opens, closes and names members in a sensible order; only commas are looked after. What is written as
/// raw bytes is taken as it is. A writer is for one thread at a time.
@safe public final class Writer {
  @safe @usableFromInline
  struct State {
    @usableFromInline var bytes: RawBuffer<UInt8>
    @usableFromInline var count = 0
    /// A value stands before, so that whatever comes next in the same array or object needs a comma.
    @usableFromInline var owesComma = false
    /// Spans of the bytes that are in use right now.
    @usableFromInline var borrows = 0

    init(bytes: RawBuffer<UInt8>) { self.bytes = bytes }
  }

  /// Behind a pointer, since the fields of a class are checked for exclusive access at each of their uses.
  @usableFromInline let state: UnsafeMutablePointer<State>

  /// - Parameter capacity: bytes to begin with; the buffer doubles when it is full.
  public init(capacity: Int = 1024) {
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(to: State(bytes: RawBuffer(capacity: max(capacity, 16), filler: 0)))
  }

  deinit {
    unsafe state.pointee.bytes.deallocate()
    unsafe state.deallocate()
  }

  /// Bytes written.
  @inlinable
  public var count: Int { unsafe state.pointee.count }

  /// Forgets what was written; the memory is kept.
  @inlinable
  public func clear() {
    unsafe state.pointee.count = 0
    unsafe state.pointee.owesComma = false
  }

  /// A state of the writer to go back to.
  public struct Mark: Sendable {
    @usableFromInline let count: Int
    @usableFromInline let owesComma: Bool

    @inlinable
    init(count: Int, owesComma: Bool) {
      self.count = count
      self.owesComma = owesComma
    }
  }

  @inlinable
  public var mark: Mark { unsafe Mark(count: state.pointee.count, owesComma: state.pointee.owesComma) }

  /// Forgets what was written since the mark, which must be of this writer and not from before a `clear`.
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

  /// The bytes from `from` to before `to` (all there are, if nil), which may not be added to meanwhile.
  @inlinable
  public func withSpan<Result, Failure: Error>(
    from: Int = 0, to: Int? = nil, _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe state.pointee.borrows += 1
    defer { unsafe state.pointee.borrows -= 1 }
    let bytes = unsafe UnsafeBufferPointer(written(from, to ?? count))
    return try unsafe body(bytes.span)
  }

  /// The bytes from `from` on, to be changed in place: for a frame header in front, or a mask.
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

  /// Makes sure that `size` bytes fit behind what is written.
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

  /// Ends what was before: a value begins here.
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

/// Bytes as they are. No comma is written before them, and none is owed behind them.
extension Writer {
  @inlinable
  public func byte(_ byte: UInt8) {
    append(byte)
    endRaw()
  }

  /// Leaves `size` zero bytes to be filled in later through `withMutableSpan`.
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

  /// Up to eight bytes of a word, the first in the lowest bits.
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

  /// Bytes of another writer, from `from` to before `to` (all there are, if nil).
  @inlinable
  public func raw(_ other: Writer, from: Int = 0, to: Int? = nil) {
    precondition(other !== self)
    unsafe append(UnsafeBufferPointer(other.written(from, to ?? other.count)))
    endRaw()
  }
}

/// Whole values that are encoded already.
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

  /// One value, or members or items with their commas, of another writer.
  @inlinable
  public func value(_ other: Writer, from: Int = 0, to: Int? = nil) {
    beginValue()
    raw(other, from: from, to: to)
    endValue()
  }

  /// The value as it was written in its own text, to the byte.
  public func raw(_ view: View) {
    beginValue()
    let node = view.node
    let quotes = node.kind == .string ? 1 : 0
    unsafe append(UnsafeBufferPointer(view.text.slice(Int(node.start) - quotes, Int(node.length) + 2 * quotes)))
    endValue()
  }

  /// Names the next value as a key was written in its own text.
  public func key(_ key: View) {
    raw(key)
    append(UInt8(ascii: ":"))
    unsafe state.pointee.owesComma = false
  }
}
