public import JSON

extension MergePatch {
  /// Composes patches given as values; `nil` if no single patch has their effect.
  public static func compose(_ patches: JSON...) -> JSON? { compose(patches) }

  public static func compose(_ patches: [JSON]) -> JSON? {
    let tape = Tape()
    let writer = Writer()
    return withExtendedLifetime(tape) {
      guard let list = try? tape.parse(Array(JSON.array(patches).text.utf8).span) else { return nil }
      var views: [View] = []
      list.forEachItem { views.append($0) }
      return compose(views, to: writer) ? try? JSON.parse(writer.bytes()) : nil
    }
  }
}
