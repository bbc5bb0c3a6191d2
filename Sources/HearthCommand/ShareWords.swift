import Rooms

/// The words in which a terminal describes a share.
enum ShareWords {
  /// A word of the protocol as people write it: `underWay` as `under way`.
  static func plain(_ word: String) -> String {
    word.reduce(into: "") { $0 += $1.isUppercase ? " \($1.lowercased())" : String($1) }
  }

  /// Such as `45 s`, `7 min` or `1 h 20 min`; nothing is shorter than `0 s`.
  static func span(_ duration: Duration) -> String {
    let seconds = max(0, Int(duration.milliseconds / 1000))
    return 60..<3600 ~= seconds ? "\(seconds / 60) min" : AdminStatistics.duration(seconds)
  }

  /// Such as `wanted`, or `by Ben, there in 7 min, late`.
  static func ride(_ pickup: ShownShare.Pickup, at time: Instant) -> String {
    // A driver has accepted, unless the state says otherwise.
    let state = pickup.state == "accepted" && pickup.driver != nil ? nil : plain(pickup.state)
    let words = [state, pickup.driver.map { "by \($0)" }].compactMap(\.self).joined(separator: " ")
    let arrival = pickup.arriveBy.map { ", there in \(span($0 - time))" } ?? ""
    return "\(words)\(arrival)\(pickup.isLate ? ", late" : "")"
  }
}
