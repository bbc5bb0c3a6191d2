extension MergePatch {
  /// Writes one patch with the same effect on any target as `patches` applied in order, oldest first.
  ///
  /// Returns `false` if `patches` is empty or no single patch can do this; the writer then holds an unusable part. It
  /// is impossible when a path is null, a scalar or an array in an earlier patch and an object in a later one: the
  /// object replaces the value there, but a single patch could only merge into the target's value. Send the whole
  /// document instead.
  public static func compose(_ patches: [View], to writer: Writer) -> Bool {
    guard let last = patches.last else { return false }
    // A non-object replaces everything before it. An object after a non-object would have to replace it, not merge.
    if last.kind != .object || patches.count == 1 {
      writer.raw(last)
      return true
    }
    var members = Members()
    for patch in patches {
      guard patch.kind == .object else { return false }
      patch.forEachMember { members.add($0, $1) }
    }
    writer.openObject()
    for member in members.list {
      writer.key(member.key)
      guard compose(members.values(of: member), to: writer) else { return false }
    }
    writer.closeObject()
    return true
  }

  /// The members of several objects, grouped by key, in order of first appearance.
  private struct Members {
    struct Member {
      let key: View
      /// Indices of its first and last value in `links`.
      let first: Int
      var last: Int
    }

    private(set) var list: [Member] = []
    private var links: [(value: View, next: Int?)] = []
    /// Index of each key in `list`; used only above `fewMembers` keys.
    private var places: [Key: Int] = [:]
    private static let fewMembers = 8

    mutating func add(_ key: View, _ value: View) {
      let link = links.count
      links.append((value, nil))
      if let place = place(of: key) {
        links[list[place].last].next = link
        list[place].last = link
      } else {
        list.append(Member(key: key, first: link, last: link))
        guard list.count > Self.fewMembers else { return }
        if places.isEmpty {
          for (place, member) in list.enumerated() { places[Key(view: member.key)] = place }
        } else {
          places[Key(view: key)] = list.count - 1
        }
      }
    }

    private func place(of key: View) -> Int? {
      list.count > Self.fewMembers ? places[Key(view: key)] : list.firstIndex { $0.key.hasText(of: key) }
    }

    func values(of member: Member) -> [View] {
      var values: [View] = []
      var link: Int? = member.first
      while let at = link {
        values.append(links[at].value)
        link = links[at].next
      }
      return values
    }
  }

  private struct Key: Hashable {
    let view: View

    static func == (a: Key, b: Key) -> Bool { a.view.hasText(of: b.view) }
    func hash(into hasher: inout Hasher) { view.hashText(into: &hasher) }
  }
}
