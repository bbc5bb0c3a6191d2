internal import Glibc

/// Memory of a fixed capacity that its owner frees; the basis of tape and writer.
///
/// This file, `Tape`, `Writer` and `Bytes.swift` are the audited code of this target that uses raw pointers. Every
/// access is checked against the capacity, and elements are plain bits that can be copied and freed without further
/// work. The owner reads only elements that were filled or written, calls `deallocate` once, and uses no copy of the
/// buffer after `grown` or `deallocate`.
@safe @usableFromInline
struct RawBuffer<Element: BitwiseCopyable> {
  @usableFromInline let base: UnsafeMutablePointer<Element>
  @usableFromInline let capacity: Int

  /// Allocates memory filled with `filler`, so that no stale data of the process is ever readable.
  init(capacity: Int, filler: Element) {
    // Not `allocate`: it uses `posix_memalign`, which bypasses the allocator's cache of recently freed blocks.
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

  /// Moves the first `count` elements to larger memory, fills the rest with `filler`, and frees the old memory.
  func grown(to newCapacity: Int, keeping count: Int, filler: Element) -> Self {
    precondition(count >= 0 && count <= capacity && count <= newCapacity)
    let grown = Self(capacity: newCapacity, filler: filler)
    unsafe grown.base.update(from: base, count: count)
    deallocate()
    return grown
  }

  /// The `count` elements from `offset`, valid until `grown` or `deallocate` is called.
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
  /// Loads eight bytes from `offset`; the first is in the lowest bits.
  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    precondition(offset >= 0 && offset <= capacity &- 8)
    return UInt64(littleEndian: unsafe UnsafeRawPointer(base + offset).loadUnaligned(as: UInt64.self))
  }

  /// Stores eight bytes at `offset`, lowest bits first.
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

  /// Whether the `count` bytes at two offsets are equal.
  @inline(__always)
  func equal(_ first: Int, _ second: Int, count: Int) -> Bool {
    unsafe equal(first, UnsafeBufferPointer(slice(second, count)))
  }

  /// Whether the bytes at `offset` equal those of `other`.
  @inlinable @inline(__always)
  func equal(_ offset: Int, _ other: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe UnsafeBufferPointer(slice(offset, other.count)).equals(other)
  }
}
