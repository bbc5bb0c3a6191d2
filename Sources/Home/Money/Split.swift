import Rooms

/// How an amount of money is divided among people (R-SPLIT).
///
/// Amounts are in the currency's minor units, and at most 10¹² (R-MONEY). The parts add up to the amount exactly, and
/// depend on the bill alone.
enum Split: Equatable, Sendable {
  case equal(Set<ID<Person>>)
  /// By shares, 1 to 1,000 each.
  case shares([ID<Person>: Int])
  /// By hundredths of a per cent, which add up to 10,000.
  case percent([ID<Person>: Int])
  /// Amounts that add up to the total.
  case exact([ID<Person>: Int64])
  /// By how much each part is above or below the others; the rest is divided equally.
  case adjusted([ID<Person>: Int64])
  /// Each item has a split of its own. The rest of the total, such as tax, a tip or a discount, is divided in
  /// proportion to the cost of each participant's items.
  indirect case itemised([Item])

  /// A line of a bill.
  struct Item: Equatable, Sendable {
    var amount: Int64
    var split: Split
  }

  /// Why a split cannot be made.
  enum Problem: Error, Equatable {
    case nobody
    case sharesOutOfRange
    /// By how much the parts are short of the total, or above it if negative; of a split by per cent, in hundredths.
    case offBy(Int64)
    case adjustmentsAboveTotal
    case itemOfItems
  }

  var participants: Set<ID<Person>> {
    switch self {
    case .equal(let people): people
    case .shares(let parts), .percent(let parts): Set(parts.keys)
    case .exact(let parts), .adjusted(let parts): Set(parts.keys)
    case .itemised(let items): items.reduce(into: []) { $0.formUnion($1.split.participants) }
    }
  }

  /// Each participant's part of a total. A negative total is divided like a positive one, and each part negated.
  ///
  /// - Parameter bill: Decides who gets the units that are left over, so that it is not always the same person.
  func parts<Of>(of total: Int64, bill: ID<Of>) throws(Problem) -> [ID<Person>: Int64] {
    let people = participants.sorted()
    guard !people.isEmpty else { throw .nobody }
    let parts = try parts(of: total, among: people, turn: Self.turn(of: bill.bytes))
    return Dictionary(uniqueKeysWithValues: zip(people, parts))
  }

  /// Parts of a total in proportion to weights of any size, which are 0 or more, one of them above 0.
  static func parts<Of>(of total: Int64, weights: [ID<Person>: Int64], bill: ID<Of>) -> [ID<Person>: Int64] {
    let people = weights.keys.sorted()
    let parts = divide(total, by: people.map { weights[$0] ?? 0 }, turn(of: bill.bytes))
    return Dictionary(uniqueKeysWithValues: zip(people, parts))
  }

  private func parts(of total: Int64, among people: [ID<Person>], turn: UInt64) throws(Problem) -> [Int64] {
    switch self {
    case .equal(let wanted):
      return Self.divide(total, by: people.map { wanted.contains($0) ? 1 : 0 }, turn)
    case .shares(let shares):
      guard shares.values.allSatisfy({ (1...1000).contains($0) }) else { throw .sharesOutOfRange }
      return Self.divide(total, by: people.map { Int64(shares[$0] ?? 0) }, turn)
    case .percent(let points):
      guard points.values.allSatisfy({ $0 >= 0 }) else { throw .sharesOutOfRange }
      try Self.check(Int128(10_000), points.values.reduce(0) { $0 + Int128($1) })
      return Self.divide(total, by: people.map { Int64(points[$0] ?? 0) }, turn)
    case .exact(let amounts):
      try Self.check(Int128(total), amounts.values.reduce(0) { $0 + Int128($1) })
      return people.map { amounts[$0] ?? 0 }
    case .adjusted(let amounts):
      let rest = Int128(total.magnitude) - amounts.values.reduce(0) { $0 + Int128($1) }
      guard rest >= 0 else { throw .adjustmentsAboveTotal }
      let equal = Self.divide(Int64(clamping: rest), by: people.map { amounts[$0] == nil ? 0 : 1 }, turn)
      return zip(people, equal).map { person, part in (part + (amounts[person] ?? 0)) * (total < 0 ? -1 : 1) }
    case .itemised(let items):
      var sums = people.map { _ in Int64(0) }
      for item in items {
        if case .itemised = item.split { throw .itemOfItems }
        guard !item.split.participants.isEmpty else { throw .nobody }
        let parts = try item.split.parts(of: item.amount, among: people, turn: turn)
        sums = zip(sums, parts).map { $0 + $1 }
      }
      let rest = total - items.reduce(0) { $0 + $1.amount }
      let weights = sums.map { max($0, 0) }
      let extra = Self.divide(rest, by: weights.contains { $0 > 0 } ? weights : people.map { _ in 1 }, turn)
      return zip(sums, extra).map { $0 + $1 }
    }
  }

  private static func check(_ wanted: Int128, _ sum: Int128) throws(Problem) {
    if sum != wanted { throw .offBy(Int64(clamping: wanted - sum)) }
  }

  // MARK: units

  /// Divides an amount in proportion to weights: each part rounded down, then a unit more for the largest remainders.
  ///
  /// - Parameters:
  ///   - weights: 0 or more, one of them above 0.
  ///   - turn: Orders equal remainders: the part at an index is number `turn` + index, modulo the count of parts.
  static func divide(_ amount: Int64, by weights: [Int64], _ turn: UInt64) -> [Int64] {
    let (whole, sum) = (Int128(amount.magnitude), weights.reduce(0) { $0 + Int128($1) })
    var parts = weights.map { Int64(whole * Int128($0) / sum) }
    let remainders = weights.map { whole * Int128($0) % sum }
    let left = whole - parts.reduce(0) { $0 + Int128($1) }
    let count = UInt64(weights.count)
    let order = weights.indices.sorted { one, other in
      if remainders[one] != remainders[other] { return remainders[one] > remainders[other] }
      return (turn % count + UInt64(one)) % count < (turn % count + UInt64(other)) % count
    }
    for index in order.prefix(Int(left)) { parts[index] += 1 }
    return amount < 0 ? parts.map { -$0 } : parts
  }

  /// FNV-1a of 64 bits.
  static func turn(of bytes: [UInt8]) -> UInt64 {
    bytes.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
  }
}
