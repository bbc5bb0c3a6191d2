import Foundation
import Rooms

/// The clock of this machine.
enum MachineClock {
  static var now: Instant { Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) }
}
