import JSON
import Rooms

/// Lends one value, used again for every message, to one borrower at a time.
///
/// A second loan before the first has ended would overwrite what the first borrower has written: it traps in debug
/// builds. So no borrower may answer a call, which borrows a writer itself and may begin another call.
final class Lender<Value: Clearable> {
  private let value: Value
  #if DEBUG
    private var isLent = false
  #endif

  init(_ value: Value) { self.value = value }

  /// Calls `body` with the value, cleared.
  @inline(__always)
  func lend<Result>(_ body: (Value) -> Result) -> Result {
    #if DEBUG
      precondition(!isLent, "lent twice at the same time")
      isLent = true
      defer { isLent = false }
    #endif
    value.clear()
    return body(value)
  }
}

/// A buffer that can drop its contents and keep its memory.
protocol Clearable {
  func clear()
}

extension Writer: Clearable {}
extension Problems: Clearable {}
