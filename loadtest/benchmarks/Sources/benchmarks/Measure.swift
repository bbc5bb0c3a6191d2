import Glibc

/// What the command line asks for: the beginnings of names. All are measured if it asks for none.
private let wanted = CommandLine.arguments.dropFirst()

/// Instructions are being counted: once is enough, and times mean nothing.
private let isCounted = unsafe getenv("HEARTH_COUNTED") != nil

/// Prints how much processor time one of something takes: the median of nine runs, with the quickest and the slowest.
///
/// - Parameters:
///   - count: how many one call of `body` does.
///   - prepared: what `body` works on, made anew for each call of it, unmeasured.
func measure<Prepared>(
  _ name: String, count: Int, on prepared: @autoclosure () throws -> Prepared, _ body: (Prepared) throws -> Void
) rethrows {
  guard wanted.isEmpty || wanted.contains(where: name.hasPrefix) else { return }
  var runs: [Double] = []
  for _ in 0..<(isCounted ? 1 : 9) {
    var total = 0
    var rounds = 0
    while total < (isCounted ? 1 : 40_000_000) {
      let prepared = try prepared()
      let start = processorTime
      try body(prepared)
      total += processorTime - start
      rounds += 1
    }
    runs.append(Double(total) / Double(rounds * count))
  }
  runs.sort()
  func text(_ value: Double) -> String {
    let digits = String(Int(value.rounded()))
    return String(repeating: " ", count: max(0, 9 - digits.count)) + digits
  }
  let title = name + String(repeating: " ", count: max(1, 58 - name.count))
  print("\(title)\(text(runs[runs.count / 2])) ns   (\(Int(runs[0].rounded()))–\(Int((runs.last ?? 0).rounded())))")
}

/// Nanoseconds that this thread has run: what others do on the machine meanwhile is not in it.
private var processorTime: Int {
  var time = timespec()
  _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
