import JSON
import Rooms

/// How a bill is divided, as it was entered (BIL-2, R-SPLIT).
struct BillSplit: Record {
  /// Equally, if it is absent.
  var kind: SplitKind?
  /// The persons among whom it is divided, with `equal` and `adjustment`.
  var people: [ID<Person>]?
  /// Shares, hundredths of a per cent, amounts, or by how much a part is above or below the others.
  var parts: SmallMap<ID<Person>, Int> = [:]
  /// With `itemised`.
  var items: [BillItem]?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("kind", \.kind)
    field("people", \.people, Limits.billPeople)
    field("parts", \.parts)
    field("items", \.items, Limits.billItems)
  }

  init() {}

  /// An equal split.
  init(among people: [ID<Person>]) { self.people = people }

  /// A split by amounts.
  init(exact parts: SmallMap<ID<Person>, Int>) {
    kind = .exact
    self.parts = parts
  }

  /// The persons whom it names.
  var named: Set<ID<Person>> {
    Set(people ?? []).union(parts.keys).union((items ?? []).flatMap { ($0.people ?? []) + $0.parts.keys })
  }

  /// The rule of it; `nil`, and problems noted, where its form is none.
  private func rule(_ problems: Problems) -> Split? {
    guard kind == .itemised else {
      if items?.isEmpty == false { problems.note("items", "are for the kind itemised") }
      let simple = Self.rule(kind ?? .equal, people ?? [], parts, problems)
      return problems.isEmpty ? simple : nil
    }
    var lines: [Split.Item] = []
    for (index, item) in (items ?? []).enumerated() {
      let own = Problems()
      if let split = item.rule(own) { lines.append(Split.Item(amount: Int64(item.amount), split: split)) }
      problems.take(from: own, under: "items.\(index)")
    }
    if lines.isEmpty, problems.isEmpty { problems.note("items", "must have an entry") }
    if people?.isEmpty == false || !parts.isEmpty { problems.note("parts", "belong to the items") }
    return problems.isEmpty ? .itemised(lines) : nil
  }

  fileprivate static func rule(
    _ kind: SplitKind, _ people: [ID<Person>], _ parts: SmallMap<ID<Person>, Int>, _ problems: Problems
  ) -> Split? {
    if kind == .equal, !parts.isEmpty { problems.note("parts", "are not for the kind equal") }
    if kind != .equal, kind != .adjustment, !people.isEmpty { problems.note("people", "are named by parts") }
    let needsParts = kind != .equal && (kind != .adjustment || people.isEmpty)
    if needsParts, parts.isEmpty { problems.note("parts", "must name somebody") }
    if kind == .equal, people.isEmpty { problems.note("people", "must name somebody") }
    if parts.values.contains(where: { !Limits.money.contains($0) }) {
      problems.note("parts", Int.limitText(Limits.money))
    }
    guard problems.isEmpty else { return nil }
    let map = Dictionary(uniqueKeysWithValues: parts.map { ($0.key, $0.value) })
    switch kind {
    case .equal: return .equal(Set(people))
    case .shares: return .shares(map)
    case .percent: return .percent(map)
    case .exact: return .exact(map.mapValues { Int64($0) })
    case .adjustment:
      var amounts = map.mapValues { Int64($0) }
      for person in people where amounts[person] == nil { amounts[person] = 0 }
      return .adjusted(amounts)
    case .itemised: return nil
    }
  }

  /// Each one's part of a total; `nil`, and problems noted, if it cannot be divided so.
  ///
  /// - Parameter problems: An empty list.
  func shares(of total: Int, bill: ID<Bill>, _ problems: Problems) -> SmallMap<ID<Person>, Int>? {
    guard let rule = rule(problems) else { return nil }
    // a discount is taken off the items, so it is not more than they cost.
    if let items, items.reduce(0, { $0 + $1.amount }).signum() * total.signum() < 0 {
      problems.note("items", "cost less than what is taken off them")
      return nil
    }
    do {
      let parts = try rule.parts(of: Int64(total), bill: bill)
      return SmallMap(parts.sorted { $0.key < $1.key }.map { ($0.key, Int($0.value)) })
    } catch {
      let names = kind == .itemised ? "items" : "parts"
      switch error {
      case .nobody: problems.note("people", "must name somebody")
      case .sharesOutOfRange:
        problems.note(names, kind == .percent ? "must be 0 or more each" : "must be 1 to 1000 shares each")
      case .offBy(let missing):
        problems.note(
          names, missing > 0 ? "add up to \(missing) too little" : "add up to \(missing.magnitude) too much")
        problems.details["offBy"] = .number(.init(Int(missing)))
      case .adjustmentsAboveTotal: problems.note(names, "come to more than the total")
      case .itemOfItems: problems.note(names, "must not be itemised themselves")
      }
      return nil
    }
  }
}

/// A line of an itemised bill, with a split of its own.
struct BillItem: Record {
  var name: Line?
  /// In minor units.
  var amount = 0
  var kind: SplitKind?
  var people: [ID<Person>]?
  var parts: SmallMap<ID<Person>, Int> = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name, Limits.groceryName)
    field("amount", \.amount, Limits.money)
    field("kind", \.kind)
    field("people", \.people, Limits.billPeople)
    field("parts", \.parts)
  }

  fileprivate func rule(_ problems: Problems) -> Split? {
    guard kind != .itemised else {
      problems.note("kind", "must not be itemised itself")
      return nil
    }
    return BillSplit.rule(kind ?? .equal, people ?? [], parts, problems)
  }
}

enum SplitKind: String, Word {
  case equal, shares
  /// Hundredths of a per cent, which add up to 10,000.
  case percent
  /// Amounts that add up to the total.
  case exact
  /// Equal parts, each so much above or below.
  case adjustment
  case itemised
}
