/// Parses a time as the server writes it, `2026-05-01T09:00:00.000Z`, into milliseconds since 1970; `nil` for other
/// texts.
func milliseconds(ofTimestamp text: Span<UInt8>) -> Int64? {
  let pattern = StaticString("0000-00-00T00:00:00.000Z")
  guard text.count == pattern.utf8CodeUnitCount else { return nil }
  var parts = [Int64](repeating: 0, count: 7)
  var part = 0
  for index in 0..<text.count {
    let digit = Int64(text[index]) - 48
    if [4, 7, 10, 13, 16, 19, 23].contains(index) {
      guard "--T::.Z".utf8.dropFirst(part).first == text[index] else { return nil }
      part += 1
    } else {
      guard 0...9 ~= digit else { return nil }
      parts[part] = parts[part] * 10 + digit
    }
  }
  // Days since 1970 in the Gregorian calendar, with years that start in March.
  let year = parts[1] > 2 ? parts[0] : parts[0] - 1
  let month = (parts[1] + 9) % 12
  let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + parts[2] - 1 - 719_468
  return ((days * 24 + parts[3]) * 60 + parts[4]) * 60_000 + parts[5] * 1000 + parts[6]
}
