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

  /// One patch that does to any target what `first` and then `second` do; nil where no patch can.
  ///
  /// That is where a path is null or a scalar (or an array) in `first` and an object in `second`: the object replaces
  /// whatever the target held there, but a patch could only merge it into that. Send the document instead.
  public static func compose(_ first: JSON, _ second: JSON) -> JSON? {
    var both = first
    return add(second, to: &both) ? both : nil
  }

  /// Makes `sum` what it and then `second` do, in place; false, and `sum` is of no use any more, where no patch can.
  public static func add(_ second: JSON, to sum: inout JSON) -> Bool {
    guard case .object(let later) = second else {
      sum = second
      return true
    }
    guard case .object(var changes) = sum else { return false }
    // Taken out while it changes, so that it is not copied.
    sum = .null
    for (key, change) in later {
      guard var earlier = changes[key] else {
        changes[key] = change
        continue
      }
      changes[key] = .null
      guard add(change, to: &earlier) else { return false }
      changes[key] = earlier
    }
    sum = .object(changes)
    return true
  }
}
