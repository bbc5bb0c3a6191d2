internal import Glibc

/// Memory of a fixed capacity that its owner frees: what tape and writer are made of.
///
/// With them and `Bytes.swift` this is the audited part of the target that works over raw pointers. What makes it safe
/// to use: every access is checked against the capacity, and elements are plain bits, so that memory may be copied and
/// freed without ceremony. What it leaves to its owner: to read nothing that was not filled or written, to call
/// `deallocate` once, and to use no copy of the buffer after `grown` or `deallocate`.
@safe @usableFromInline
struct RawBuffer<Element: BitwiseCopyable> {
  @usableFromInline let base: UnsafeMutablePointer<Element>
  @usableFromInline let capacity: Int

  /// Memory full of `filler`, so that nothing of others is ever in it.
  init(capacity: Int, filler: Element) {
    // `allocate` asks for an alignment, and `posix_memalign` knows no cache of what was freed lately.
    precondition(capacity >= 0 && capacity <= .max / MemoryLayout<Element>.stride)
    guard let memory = unsafe malloc(max(1, capacity * MemoryLayout<Element>.stride)) else {
      preconditionFailure("no memory")
    }
    unsafe base = memory.bindMemory(to: Element.self, capacity: capacity)
    unsafe base.initialize(repeating: filler, count: capacity)
    self.capacity = capacity
  }

  func deallocate() {
    unsafe free(base)
  }

  @inlinable
  subscript(index: Int) -> Element {
    @inline(__always) get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: capacity))
      return unsafe base[index]
    }
    @inline(__always) nonmutating set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: capacity))
      unsafe base[index] = newValue
    }
  }

  /// Moves the first `count` elements to new memory and frees the old; the rest of the new is `filler`.
  func grown(to newCapacity: Int, keeping count: Int, filler: Element) -> Self {
    precondition(count >= 0 && count <= capacity && count <= newCapacity)
    let grown = Self(capacity: newCapacity, filler: filler)
    unsafe grown.base.update(from: base, count: count)
    deallocate()
    return grown
  }

  /// The elements from `offset` on, for as long as neither `grown` nor `deallocate` is called.
  @inlinable @inline(__always)
  func slice(_ offset: Int, _ count: Int) -> UnsafeMutableBufferPointer<Element> {
    precondition(offset >= 0 && count >= 0 && offset <= capacity && count <= capacity &- offset)
    return unsafe UnsafeMutableBufferPointer(start: base + offset, count: count)
  }

  func fill(_ count: Int, with element: Element) {
    unsafe slice(0, count).update(repeating: element)
  }
}

extension RawBuffer where Element == UInt8 {
  /// Eight bytes from `offset`, the first in the lowest bits.
  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    precondition(offset >= 0 && offset <= capacity &- 8)
    return UInt64(littleEndian: unsafe UnsafeRawPointer(base + offset).loadUnaligned(as: UInt64.self))
  }

  /// Stores eight bytes from `offset` on, the lowest bits first.
  @inline(__always)
  func store(_ word: UInt64, at offset: Int) {
    precondition(offset >= 0 && offset <= capacity &- 8)
    unsafe UnsafeMutableRawPointer(base + offset).storeBytes(of: word.littleEndian, as: UInt64.self)
  }

  /// Copies `source` to `offset`.
  @inlinable @inline(__always)
  func copy(_ source: UnsafeBufferPointer<UInt8>, to offset: Int) {
    guard let start = source.baseAddress, !source.isEmpty else { return }
    precondition(offset >= 0 && offset <= capacity && source.count <= capacity &- offset)
    unsafe (base + offset).update(from: start, count: source.count)
  }

  /// Whether `count` bytes are the same at two places.
  @inline(__always)
  func equal(_ first: Int, _ second: Int, count: Int) -> Bool {
    unsafe equal(first, UnsafeBufferPointer(slice(second, count)))
  }

  /// Whether the bytes from `offset` on are those of `other`.
  @inlinable @inline(__always)
  func equal(_ offset: Int, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe UnsafeBufferPointer(slice(offset, other.count)).equals(other)
  }
}
