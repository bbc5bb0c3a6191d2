import Foundation
import HearthClient
import JSON

func fuzzJSON(_ input: [UInt8]) throws {
  let tape = Tape(depthLimit: 12, nodeLimit: 400, byteLimit: 4096)
  defer { withExtendedLifetime(tape) {} }
  guard let view = try? tape.parse(input.span) else { return }
  let value = JSON(view)
  try checkScalars(view)
  // A written value must be the same, byte for byte, after parsing and writing it.
  let copy = Writer()
  copy.raw(view)
  let kept = try JSON.parse(copy.bytes())
  try expect(kept == value, "the copied text gives \(kept)")
  let bytes = value.bytes
  let again = try JSON.parse(bytes)
  try expect(again == value, "after writing and parsing it is \(again)")
  try expect(again.bytes == bytes, "the second writing gives \(again.text)")
  // Skip numbers beyond a double, which `JSONSerialization` rejects, and first bytes that it takes for another
  // encoding.
  guard let theirs = try? JSONSerialization.jsonObject(with: Data(input), options: .fragmentsAllowed) else {
    return try expect(hasVastNumber(value), "Foundation rejects the text")
  }
  try compare(value, theirs)
}

/// Checks numbers and texts as rooms read them against the standard library's conversion.
private func checkScalars(_ view: View) throws {
  switch (view.kind, JSON(view)) {
  case (.number, .number(let number)):
    let double = Double(number.text).flatMap { $0.isFinite ? $0 : nil }
    try expect(
      view.double?.bitPattern == double?.bitPattern, "\(number.text) is read as \(String(describing: view.double))")
    let integer = number.text.contains { ".eE".contains($0) } ? nil : Int(number.text)
    try expect(view.int == integer, "\(number.text) is read as \(String(describing: view.int))")
  case (.string, .string(let text)):
    try expect(view.string == text, "\(text) is read as \(String(describing: view.string))")
  case (.array, _): try view.forEachItem(checkScalars)
  case (.object, _): try view.forEachMember { _, member in try checkScalars(member) }
  default: break
  }
}

private func hasVastNumber(_ value: JSON) -> Bool {
  switch value {
  case .number: value.double == nil
  case .array(let items): items.contains(where: hasVastNumber)
  case .object(let members): members.values.contains(where: hasVastNumber)
  case .null, .bool, .string: false
  }
}

private func compare(_ ours: JSON, _ theirs: Any) throws {
  switch ours {
  case .null: try expect(theirs is NSNull, "Foundation reads null as \(theirs)")
  case .bool(let value): try expect(theirs as? Bool == value, "Foundation reads \(value) as \(theirs)")
  case .number(let number):
    // Foundation converts long numbers through decimals, which rounds differently.
    guard let double = (theirs as? NSNumber)?.doubleValue, let value = Double(number.text),
      abs(double - value) <= abs(value) * 1e-14
    else { throw Wrong("Foundation reads \(number.text) as \(theirs)") }
  case .string(let text):
    let other = (theirs as? String).map { Array($0.utf8) }
    try expect(other == Array(text.utf8), "Foundation reads \(text) as \(theirs)")
  case .array(let items):
    guard let others = theirs as? [Any], others.count == items.count else {
      throw Wrong("Foundation reads an array of \(items.count) as \(theirs)")
    }
    for (item, other) in zip(items, others) { try compare(item, other) }
  case .object(let members):
    guard let others = theirs as? [String: Any], others.count == members.count else {
      throw Wrong("Foundation reads an object of \(members.count) as \(theirs)")
    }
    for (key, value) in members {
      guard let other = others[key] else { throw Wrong("Foundation lacks the key \(key)") }
      // If a key occurs in two spellings, Foundation may have kept either value.
      if others.keys.contains(where: { $0 == key && !$0.utf8.elementsEqual(key.utf8) }) { continue }
      try compare(value, other)
    }
  }
}

/// Three texts: a document, and two patches or documents that follow it.
func fuzzPatch(_ input: [UInt8]) throws {
  let texts = Input(input).parts(UInt8(ascii: "\n"))
  guard texts.count == 3 else { return }
  let tape = Tape(depthLimit: 12, nodeLimit: 400, byteLimit: 4096)
  defer { withExtendedLifetime(tape) {} }
  var whole = Array("[".utf8)
  whole += texts.joined(separator: [UInt8(ascii: ",")])
  whole.append(UInt8(ascii: "]"))
  guard let view = try? tape.parse(whole.span) else { return }
  var views: [View] = []
  view.forEachItem { views.append($0) }
  guard views.count == 3 else { return }
  let values = views.map { JSON($0) }
  // Documents have no null members.
  let first = MergePatch.apply(values[0], to: [:])
  let second = MergePatch.apply(values[1], to: first)
  let third = MergePatch.apply(values[2], to: second)
  for (old, new) in [(first, second), (second, third), (first, third), (third, first)] {
    let patch = MergePatch.diff(from: old, to: new)
    try expect((patch == nil) == (old == new), "a patch between equal documents, or none between different ones")
    if let patch {
      let patched = MergePatch.apply(patch, to: old)
      try expect(patched == new, "\(patch) turns \(old) into \(patched), not \(new)")
    }
  }
  let sum = Writer()
  guard MergePatch.compose(Array(views[1...]), to: sum) else { return }
  let composed = MergePatch.apply(try JSON.parse(sum.bytes()), to: first)
  try expect(composed == third, "composed they give \(composed), one after the other \(third)")
}

/// Messages of a server to a client that has called a method and subscribed to a room.
func fuzzAnswers(_ input: [UInt8]) {
  var core = ConnectionCore()
  _ = try? core.call("hello")
  _ = try? core.subscribe(to: "me")
  _ = try? core.call("notes.add", room: "household/1", seq: 1)
  for line in Input(input).parts(UInt8(ascii: "\n")) {
    guard (try? core.receive(line)) != nil else { return }
  }
  _ = (core.snapshot(of: "me")?.state.text, core.followedRooms)
}
