internal import CLinux

/// Asks the processor to bring the first `bytes` of an object into its cache, for somebody who will look at it soon.
///
/// A server has more objects than a cache holds, and to wait for one takes as long as some hundred instructions. This
/// is a hint: it reads nothing, so the object may even be gone by then.
public func prefetch(_ object: ObjectIdentifier, bytes: Int) {
  let start = UInt(bitPattern: object)
  for offset in stride(from: 0, to: UInt(bytes), by: 64) { clinux_prefetch(start + offset) }
}
