import Rooms

/// A page of a household's history that may be about one person, or two.
protocol PeoplePage: HistoryPage where State == HouseholdState {
  /// Only records that concern all of these.
  var people: [ID<Person>]? { get set }
}

extension PeoplePage {
  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("before", \.before)
    field("limit", \.limit, PageLimits.items)
    field("people", \.people, 1...2)
  }

  var query: HistoryQuery {
    HistoryQuery(
      kind: Self.history, about: Set(people ?? []), before: before, limit: limit ?? PageLimits.usualItems)
  }
}
