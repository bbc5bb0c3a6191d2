import JSON
import Rooms

/// A name that the household has had on its list (GRO-4), by its key. Hidden: clients query for names.
struct CatalogueItem: Record {
  /// The latest spelling.
  var name = ""
  var count = 0
  var usedAt = Instant()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("count", \.count)
    field("usedAt", \.usedAt)
  }

  /// The likelihood that the name is wanted again: its count of uses, decaying with each week since the last.
  func weight(at now: Instant) -> Double {
    Double(count) / (1 + Double(max(0, (now - usedAt).milliseconds)) / (7 * 86_400_000))
  }
}

extension Groceries {
  /// Remembers a name that was put on the household's list.
  mutating func remember(name: String, key: String, at now: Instant) {
    let count = catalogue[key]?.count ?? 0
    catalogue[key] = CatalogueItem(name: name, count: count + 1, usedAt: now)
    catalogue.keep(Limits.catalogue) { $0.usedAt }
  }

  /// Names in which a word begins with `prefix`; frequent and recent ones come first.
  func suggestions(for prefix: String, at now: Instant) -> [String] {
    let wanted = NameKey.of(prefix)
    let found = catalogue.filter { key, _ in key.hasPrefix(wanted) || key.contains(" " + wanted) }
      .map { (weight: $0.value.weight(at: now), key: $0.key, name: $0.value.name) }
    let best = found.sorted { ($1.weight, $0.key) < ($0.weight, $1.key) }
    return best.prefix(Limits.suggestions).map(\.name)
  }
}

/// Suggests names that a household has had on its list and may want again (GRO-4).
struct SuggestGroceries: Question {
  static let method: StaticString = "groceries.suggest"
  static let summary: StaticString = "Suggests names that a household has had on its list and may want again (GRO-4)."
  /// The beginning of a word.
  var prefix: LineBeginning?

  static func fields(_ field: inout some FieldVisitor<Self>) { field("prefix", \.prefix, Limits.suggestionPrefix) }

  func answer(from home: HouseholdState, in inquiry: Inquiry) throws(Refusal) -> Suggestions {
    let names = home.groceries.suggestions(for: prefix?.text ?? "", at: inquiry.now)
    return Suggestions(items: names.map { Suggestion(name: $0) })
  }
}

/// Takes a name out of the suggestions, such as a misspelt one (GRO-4).
///
/// It comes back when it is on the list again.
struct ForgetGrocery: Mutation {
  static let method: StaticString = "groceries.forget"
  static let summary: StaticString = "Takes a name out of the suggestions, such as a misspelt one (GRO-4)."
  var name = Line()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("name", \.name, Limits.groceryName) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let key = NameKey.of(name.text)
    guard home.groceries.catalogue.contains(key) else { throw .gone("This name") }
    home.groceries.catalogue[key] = nil
    return NoAnswer()
  }
}

struct Suggestions: Record {
  var items: [Suggestion] = []

  static func fields(_ field: inout some FieldVisitor<Self>) { field("items", \.items) }
}

struct Suggestion: Record {
  var name = ""

  static func fields(_ field: inout some FieldVisitor<Self>) { field("name", \.name) }
}
