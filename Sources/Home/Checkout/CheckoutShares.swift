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

  private var all: Set<ID<Person>> { sharers.isEmpty ? [buyer] : sharers }

  /// Each person's part of a total above 0, which add up to it.
  func parts<Of>(of total: Int64, bill: ID<Of>) throws(Problem) -> [ID<Person>: Int64] {
    let all = all
    var named = Set(lines.compactMap(\.owner))
    if lines.isEmpty || lines.contains(where: { $0.owner == nil }) { named.formUnion(all) }
    let people = named.sorted()
    let turn = Split.turn(of: bill.bytes)
    func takers(_ line: Line) -> [Int64] {
      people.map { person in (line.owner.map { $0 == person } ?? all.contains(person)) ? 1 : 0 }
    }
    var (sums, units, rest) = (people.map { _ in Int64(0) }, people.map { _ in Int64(0) }, total)
    for line in lines {
      if let price = line.price {
        sums = zip(sums, Split.divide(price, by: takers(line), turn)).map { $0 + $1 }
        rest -= price
      } else {
        // One's own units count as often as there are people who share everybody's: without fractions.
        let weight = line.owner == nil ? line.units : line.units * Int64(all.count)
        units = zip(units, takers(line)).map { $0 + weight * $1 }
      }
    }
    var weights = units
    if lines.contains(where: { $0.price != nil }), lines.allSatisfy({ $0.price != nil }) {
      // The rest, such as tax or a discount, is in proportion to what each one's things cost.
      weights = sums
    } else if rest < 0 {
      throw .pricesExceedTotal(-rest)
    }
    if weights.allSatisfy({ $0 == 0 }) { weights = people.map { _ in 1 } }
    sums = zip(sums, Split.divide(rest, by: weights, turn)).map { $0 + $1 }
    return Dictionary(uniqueKeysWithValues: zip(people, sums))
  }
}
