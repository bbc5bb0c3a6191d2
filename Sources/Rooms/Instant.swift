/// A point in time: whole milliseconds since 1970-01-01T00:00:00Z. RFC 3339 with three decimals on the wire.
public struct Instant: Hashable, Sendable, Comparable {
  public var milliseconds: Int64

  @inlinable public init(milliseconds: Int64 = 0) { self.milliseconds = milliseconds }

  @inlinable public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

  /// The instant later by `duration`, to the millisecond; clamped to the representable range.
  @inlinable public static func + (instant: Self, duration: Duration) -> Self {
    let (sum, overflow) = instant.milliseconds.addingReportingOverflow(duration.milliseconds)
    return Instant(milliseconds: overflow ? (duration.milliseconds < 0 ? .min : .max) : sum)
  }

  @inlinable public static func - (instant: Self, duration: Duration) -> Self { instant + (.zero - duration) }

  @inlinable public static func - (left: Self, right: Self) -> Duration {
    .milliseconds(left.milliseconds.subtractingReportingOverflow(right.milliseconds).partialValue)
  }
}

extension Duration {
  /// Whole milliseconds, rounded towards zero; clamped to the range of `Int64`.
  @inlinable public var milliseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000_000_000) }
}

/// The first and the last date that RFC 3339 can write, in milliseconds: years 0000–9999.
let writableMilliseconds: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999
