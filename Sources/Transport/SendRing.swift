internal import CLinux

/// Hands sends to the system many at a time, with one call (`io_uring(7)`).
///
/// Alone, a send takes a seventh more. What is added is sent in order by `submit`, and nothing is under way before or
/// after it.
@safe final class SendRing {  // The ring lives as long as this, and bytes are looked at within `submit` only.
  private let ring: OpaquePointer
  private var count = 0

  /// What one `submit` takes at most.
  static let capacity = 256
  /// From so many on it is worth it.
  static let fewest = 8

  /// `nil` where the system has no io_uring of Linux 5.18 or later, or keeps us off it, as containers often do.
  init?() {
    guard let ring = unsafe clinux_ring_make(UInt32(Self.capacity)) else { return nil }
    unsafe self.ring = ring
  }

  deinit { unsafe clinux_ring_free(ring) }

  /// Adds a send of `bytes`, which must stay where and as they are until `submit` has returned.
  func add(_ descriptor: Int32, _ bytes: Span<UInt8>, place: Int) {
    precondition(count < Self.capacity)
    count += 1
    unsafe bytes.withUnsafeBytes {
      unsafe clinux_ring_add_send(ring, descriptor, $0.baseAddress, $0.count, UInt32(place))
    }
  }

  /// Sends all that was added and tells of each, by its place, what `System.send` would have returned. Returns whether
  /// all were: if not, the system is short of memory, and those that nobody was told of are lost to this ring, which
  /// must not be used any more.
  func submit(_ sent: (_ place: Int, _ result: Int) -> Void) -> Bool {
    let wanted = exchange(&count, with: 0)
    let done = unsafe Int(clinux_ring_submit(ring))
    for _ in 0..<done {
      var place: UInt32 = 0
      let result = unsafe clinux_ring_take(ring, &place)
      sent(Int(place), Int(result))
    }
    return done == wanted
  }
}
