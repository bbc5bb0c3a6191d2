/// JSON Merge Patch (RFC 7396): applies and computes changes to a document.
///
/// Null in a patch removes a member, so no object in a document has a null member. For recursion depth see `JSON`.
public enum MergePatch {
  /// Returns `target` with `patch` applied (RFC 7396 §2).
  public static func apply(_ patch: JSON, to target: JSON) -> JSON {
    guard case .object(let changes) = patch else { return patch }
    var members = target.object ?? [:]
    for (key, change) in changes {
      if case .null = change {
        members[key] = nil
      } else {
        members[key] = apply(change, to: members[key] ?? .null)
      }
    }
    return .object(members)
  }

  /// Returns the smallest patch that turns `old` into `new`, or `nil` if they are equal. No member of `new` may be
  /// null.
  public static func diff(from old: JSON, to new: JSON) -> JSON? {
    guard case .object(let before) = old, case .object(let after) = new else { return old == new ? nil : new }
    var changes: [String: JSON] = [:]
    for (key, value) in after {
      if let former = before[key] {
        if let change = diff(from: former, to: value) { changes[key] = change }
      } else {
        changes[key] = value
      }
    }
    for key in before.keys where after[key] == nil { changes[key] = .null }
    return changes.isEmpty ? nil : .object(changes)
  }
}
