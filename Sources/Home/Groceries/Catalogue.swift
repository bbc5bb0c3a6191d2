import JSON
import Rooms

/// A name that the household has had on a list (GRO-4), by its key. Hidden: clients query for names.
struct CatalogueItem: Record {
  /// The latest spelling.
  var name = ""
  var count = 0
  var usedAt = Instant()
  /// The category that the next item of this name gets by itself (GRO-6).
  var category: String?
  /// The latest barcodes of products with this name, the newest last.
  var barcodes: [Barcode] = []

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("count", \.count)
    field("usedAt", \.usedAt)
    field("category", \.category)
    field("barcodes", \.barcodes)
  }

  /// The likelihood that the name is wanted again: its count of uses, decaying with each week since the last.
  func weight(at now: Instant) -> Double {
    Double(count) / (1 + Double(max(0, (now - usedAt).milliseconds)) / (7 * 86_400_000))
  }
}

extension Groceries {
  /// Remembers a name that was put on a list.
  mutating func remember(
    name: String, key: String, category: String? = nil, barcode: Barcode? = nil, at now: Instant
  ) {
    var item = catalogue[key] ?? CatalogueItem()
    (item.name, item.count, item.usedAt) = (name, item.count + 1, now)
    item.category = category ?? item.category
    catalogue[key] = item
    if let barcode { learn(barcode, of: key) }
    catalogue.keep(Limits.catalogue) { $0.usedAt }
  }

  /// Keeps the category and the barcode that a member has given to an item whose name is known.
  mutating func learn(from line: Grocery) {
    guard catalogue.contains(line.key) else { return }
    catalogue[line.key]?.category = line.category
    if let barcode = line.barcode { learn(barcode, of: line.key) }
  }

  /// A barcode belongs to the name that it was given to last.
  private mutating func learn(_ barcode: Barcode, of key: String) {
    for other in catalogue.keys(where: { $0.barcodes.contains(barcode) }) {
      catalogue[other]?.barcodes.removeAll { $0 == barcode }
    }
    catalogue[key]?.barcodes.append(barcode)
    let surplus = (catalogue[key]?.barcodes.count ?? 0) - Limits.catalogueBarcodes
    if surplus > 0 { catalogue[key]?.barcodes.removeFirst(surplus) }
  }

  mutating func forget(category: String) {
    for key in catalogue.keys(where: { $0.category == category }) { catalogue[key]?.category = nil }
  }

  /// Names in which a word begins with `prefix`, of products with a barcode if there is one; frequent and recent ones
  /// come first.
  func suggestions(for prefix: String, barcode: Barcode? = nil, at now: Instant) -> [CatalogueItem] {
    let wanted = NameKey.of(prefix)
    let found = catalogue.filter { key, item in
      (key.hasPrefix(wanted) || key.contains(" " + wanted)) && (barcode.map(item.barcodes.contains) ?? true)
    }.map { (weight: $0.value.weight(at: now), key: $0.key, item: $0.value) }
    let best = found.sorted { ($1.weight, $0.key) < ($0.weight, $1.key) }
    return best.prefix(Limits.suggestions).map(\.item)
  }
}

/// Suggests names that a household has had on its lists and may want again (GRO-4), or the name of a barcode (GRO-6).
struct SuggestGroceries: Question {
  static let method: StaticString = "groceries.suggest"
  static let summary: StaticString =
    "Suggests names that a household has had on its lists and may want again (GRO-4), or the name of a barcode (GRO-6)."
  /// The beginning of a word.
  var prefix: LineBeginning?
  var barcode: Barcode?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("prefix", \.prefix, Limits.suggestionPrefix)
    field("barcode", \.barcode)
  }

  func answer(from home: HouseholdState, in inquiry: Inquiry) throws(Refusal) -> Suggestions {
    let found = home.groceries.suggestions(for: prefix?.text ?? "", barcode: barcode, at: inquiry.now)
    return Suggestions(items: found.map { Suggestion(name: $0.name, category: $0.category) })
  }
}

/// Takes a name out of the suggestions, such as a misspelt one (GRO-4).
///
/// It comes back when it is on a list again.
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
  var category: String?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("name", \.name)
    field("category", \.category)
  }
}
