public import JSON

/// Every bad field of one message, with its path and its problem (ACC-2).
///
/// A class, so that nested readers share one list; it is touched only if there is a problem.
public final class Problems {
  public struct Problem: Equatable, Sendable {
    /// Member names and indices joined by dots, such as `place.y`.
    public var path: String
    public var text: String
  }

  public private(set) var list: [Problem] = []
  /// Further members of the error's `data`, such as by how much parts do not add up.
  public var details: [String: JSON] = [:]
  /// A hostile message may hold thousands of bad fields; the first hundred say enough.
  static let limit = 100

  public init() {}

  @inlinable public var isEmpty: Bool { list.isEmpty }
  @inlinable public var count: Int { list.count }

  /// Whether a problem of this field, or of a part of it, is noted.
  public func names(_ field: String) -> Bool {
    list.contains { $0.path == field || $0.path.hasPrefix("\(field).") }
  }

  /// Notes a problem of the value at hand; the reader of the enclosing value prefixes its name.
  public func note(_ text: String) { add(Problem(path: "", text: text)) }

  public func note(_ field: String, _ text: String) { add(Problem(path: field, text: text)) }

  private func add(_ problem: Problem) {
    if list.count < Self.limit { list.append(problem) }
  }

  /// Puts `name` in front of the paths of all problems after the first `start`.
  public func nest(_ name: String, since start: Int) {
    for index in list.indices.dropFirst(start) {
      list[index].path = list[index].path.isEmpty ? name : "\(name).\(list[index].path)"
    }
  }

  /// Takes all problems off the list that were noted since there were `start` of them.
  public func take(since start: Int) -> [Problem] {
    let taken = Array(list.dropFirst(start))
    list.removeSubrange(min(start, list.count)...)
    return taken
  }

  /// Takes over the problems of a part, under its name.
  public func take(from part: Problems, under name: String) {
    for problem in part.list { note(problem.path.isEmpty ? name : "\(name).\(problem.path)", problem.text) }
    details.merge(part.details) { $1 }
  }

  public func clear() {
    if list.isEmpty { return }
    list.removeAll(keepingCapacity: true)
    details = [:]
  }
}
