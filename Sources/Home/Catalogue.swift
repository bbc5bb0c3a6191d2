import JSON
public import Rooms

/// What the household has had on its list (GRO-4), by the key of its name. Hidden: clients ask for what they need.
struct CatalogueItem: Record {
  /// As it was written last.
  var name = ""
  var count = 0
  var usedAt = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("count", \.count)
    field("usedAt", \.usedAt)
  }

  /// How likely it is wanted again: as often as it was, less with each week since.
  func weight(at now: Instant) -> Double {
    Double(count) / (1 + Double(max(0, (now - usedAt).milliseconds)) / (7 * 86_400_000))
  }
}

extension HouseholdState {
  /// Something was put on the list for all to see.
  mutating func remember(name: String, key: String, at now: Instant) {
    let count = catalogue[key]?.count ?? 0
    catalogue[key] = CatalogueItem(name: name, count: count + 1, usedAt: now)
    catalogue.keep(Limits.catalogue) { $0.usedAt }
  }

  /// Names of which a word begins with `prefix`, what is wanted often and was wanted lately first.
  func suggestions(for prefix: String, at now: Instant) -> [String] {
    let wanted = NameKey.of(prefix)
    let found = catalogue.filter { key, _ in key.hasPrefix(wanted) || key.contains(" " + wanted) }
      .map { (weight: $0.value.weight(at: now), key: $0.key, name: $0.value.name) }
    let best = found.sorted { ($1.weight, $0.key) < ($0.weight, $1.key) }
    return best.prefix(Limits.suggestions).map(\.name)
  }
}

extension HomeRooms {
  /// What a household may want that begins with `prefix`, at most ten names; `nil` for a room that is no household.
  public static func suggestions(for prefix: String, in household: Room, at now: Instant) -> [String]? {
    (household as? TypedRoom<HouseholdState>)?.state.suggestions(for: prefix, at: now)
  }
}
