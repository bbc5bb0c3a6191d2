/// JSON Merge Patch (RFC 7396): how a document changed, and how changes add up.
///
/// Null in a patch means removal, so documents hold none: no member of an object in them is null. Depth is bounded
/// as `JSON` says.
public enum MergePatch {
  /// The target after the patch (RFC 7396 §2).
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

  /// The smallest patch that makes `new` of `old`, or nil if they are equal. No member of `new` may be null.
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
