import JSON
public import Rooms

/// The fixes of a report, read one by one: a bad one spoils no other (R-LOC).
struct ReportedFixes: Field {
  var good: [Fix] = []
  var refused: [RefusedFix] = []

  static func read(_ view: View?, _ problems: Problems) -> Self? {
    guard let view, view.kind == .array else { return [Fix].read(view, problems).map { Self(good: $0) } }
    var fixes = Self()
    var index = 0
    view.forEachItem { item in
      let start = problems.count
      if let fix = Fix.read(item, problems) {
        fixes.good.append(fix)
      } else {
        fixes.refused.append(RefusedFix(index: index, problems.take(since: start)))
      }
      index += 1
    }
    return fixes
  }

  func write(to writer: Writer) { good.write(to: writer) }

  func fits(_ limit: ClosedRange<Int>) -> Bool { limit.contains(good.count + refused.count) }
  static func limitText(_ limit: ClosedRange<Int>) -> String { [Fix].limitText(limit) }
  static func schema(_ limit: ClosedRange<Int>?) -> JSON { [Fix].schema(limit) }
}

/// A fix of a report that was not taken, and why.
public struct RefusedFix: Record {
  /// Its place in the report, from 0.
  public var index = 0
  /// Every bad field, with what is wrong with it.
  public var reason = ""

  public init() {}

  init(index: Int, _ problems: [Problems.Problem]) {
    self.index = index
    reason = problems.map { $0.path.isEmpty ? $0.text : "\($0.path) \($0.text)" }.joined(separator: "; ")
  }

  public static func fields(_ field: inout some FieldVisitor<Self>) {
    field("index", \.index)
    field("reason", \.reason)
  }
}
