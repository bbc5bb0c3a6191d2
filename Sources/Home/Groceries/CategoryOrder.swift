/// How a list learns the order of its categories: that in which the shopper meets the shelves (GRO-6).
///
/// The list shows in one order what two trips in a row met in that order; a category that it does not know yet stands
/// after the one that was met before it. So the second trip along one way is enough, and one odd trip moves nothing:
/// whatever it has in common with the trip before is in that order already.
enum CategoryOrder {
  /// The order after a trip.
  ///
  /// - Parameters:
  ///   - trip: The categories in the order in which they were met, each once.
  ///   - last: Those of the trip before.
  static func learned(_ order: [String], from trip: [String], after last: [String]) -> [String] {
    var order = order
    for (index, category) in trip.enumerated() where !order.contains(category) {
      let before = trip[..<index].last.flatMap { order.firstIndex(of: $0) }.map { $0 + 1 }
      let next = trip[index...].lazy.compactMap { order.firstIndex(of: $0) }.first
      order.insert(category, at: before ?? next ?? order.endIndex)
    }
    let same = inCommon(last, trip)
    let places = order.indices.filter { same.contains(order[$0]) }
    for (place, category) in zip(places, same) { order[place] = category }
    return order
  }

  /// The longest sequence of categories that both trips met in this order.
  static func inCommon(_ first: [String], _ second: [String]) -> [String] {
    // The length of the longest for the rest of each from an index on.
    var lengths = Array(repeating: Array(repeating: 0, count: second.count + 1), count: first.count + 1)
    for i in first.indices.reversed() {
      for j in second.indices.reversed() {
        lengths[i][j] =
          first[i] == second[j] ? lengths[i + 1][j + 1] + 1 : max(lengths[i + 1][j], lengths[i][j + 1])
      }
    }
    var common: [String] = []
    var (i, j) = (0, 0)
    while i < first.count, j < second.count {
      if first[i] == second[j] {
        common.append(first[i])
        (i, j) = (i + 1, j + 1)
      } else if lengths[i + 1][j] >= lengths[i][j + 1] {
        i += 1
      } else {
        j += 1
      }
    }
    return common
  }
}
