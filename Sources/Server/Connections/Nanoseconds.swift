/// Keeps a time of the loop in eight bytes, of which a `Duration` takes sixteen: every connection has a few.
@propertyWrapper struct Nanoseconds {
  private var count: Int64

  init(wrappedValue: Duration) { count = Self.count(of: wrappedValue) }

  var wrappedValue: Duration {
    get { .nanoseconds(count) }
    set { count = Self.count(of: newValue) }
  }

  private static func count(of duration: Duration) -> Int64 {
    Int64(clamping: duration.attoseconds / 1_000_000_000)
  }
}
