import Rooms

/// How the cost of a trip is divided by what was bought for whom (R-CHECKOUT, GRO-11).
struct CheckoutShares: Equatable, Sendable {
  /// One thing that was bought.
  struct Line: Equatable, Sendable {
    /// The person for whom it is; `nil` if it is everybody's.
    var owner: ID<Person>?
    /// In minor units; `nil` if only the total says what it cost.
    var price: Int64?
    /// In thousandths: the quantity if it is a count, otherwise 1.
    var units: Int64 = 1000
  }

  /// Why a cost cannot be divided.
  enum Problem: Error, Equatable {
    /// The prices come to more than the total, although some lines have none. By how much.
    case pricesExceedTotal(Int64)
  }

  var lines: [Line]
  /// The members who share what is everybody's: those who are not away.
  var sharers: Set<ID<Person>>
  /// The member who shares it if there are none.
  var buyer: ID<Person>

  /// Each person's part of a total above 0, which add up to it.
  func parts<Of>(of total: Int64, bill: ID<Of>) throws(Problem) -> [ID<Person>: Int64] {
    let all = sharers.isEmpty ? [buyer] : sharers
    let unpriced = lines.filter { $0.price == nil }
    let items = lines.compactMap { line in
      line.price.map { Split.Item(amount: $0, split: .equal(line.owner.map { [$0] } ?? all)) }
    }
    let prices = items.reduce(0) { $0 + $1.amount }
    if unpriced.isEmpty, !items.isEmpty, let parts = try? Split.itemised(items).parts(of: total, bill: bill) {
      // The rest, such as tax, is in proportion to what each one's items cost.
      return parts
    }
    guard prices <= total else { throw .pricesExceedTotal(prices - total) }
    var parts: [ID<Person>: Int64] = [:]
    if !items.isEmpty { parts = (try? Split.itemised(items).parts(of: prices, bill: bill)) ?? [:] }
    let rest = Split.parts(of: total - prices, weights: weights(of: unpriced, among: all), bill: bill)
    for (person, part) in rest { parts[person, default: 0] += part }
    return parts
  }

  /// By how much each counts in what has no price: their own units, and their part of everybody's, without fractions.
  private func weights(of lines: [Line], among all: Set<ID<Person>>) -> [ID<Person>: Int64] {
    var weights: [ID<Person>: Int64] = [:]
    for line in lines {
      if let owner = line.owner {
        weights[owner, default: 0] += Int64(all.count) * line.units
      } else {
        for person in all { weights[person, default: 0] += line.units }
      }
    }
    // Nothing was bought that is still on a list: it is everybody's.
    return weights.isEmpty ? Dictionary(uniqueKeysWithValues: all.map { ($0, 1) }) : weights
  }
}
