/// What the command line asks for: the beginnings of names. All are measured if it asks for none.
private let wanted = CommandLine.arguments.dropFirst()

/// Prints how long one of something takes: the median of nine runs, with the quickest and the slowest.
///
/// - Parameters:
///   - count: how many one call of `body` does.
///   - prepare: runs before each call of `body`, unmeasured.
func measure<Prepared>(
  _ name: String, count: Int, prepare: () throws -> Prepared, _ body: (Prepared) throws -> Void
) rethrows {
  guard wanted.isEmpty || wanted.contains(where: name.hasPrefix) else { return }
  let clock = ContinuousClock()
  var runs: [Double] = []
  for _ in 0..<9 {
    var total = Duration.zero
    var rounds = 0
    while total < .milliseconds(40) {
      let prepared = try prepare()
      total += try clock.measure { try body(prepared) }
      rounds += 1
    }
    runs.append(total / .nanoseconds(1) / Double(rounds * count))
  }
  runs.sort()
  func text(_ value: Double) -> String {
    let digits = String(Int(value.rounded()))
    return String(repeating: " ", count: max(0, 9 - digits.count)) + digits
  }
  let title = name + String(repeating: " ", count: max(1, 58 - name.count))
  print("\(title)\(text(runs[4])) ns   (\(Int(runs[0].rounded()))–\(Int(runs[8].rounded())))")
}
