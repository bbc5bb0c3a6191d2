import Glibc

/// What the command line asks for: the beginnings of names. All are measured if it asks for none.
private let wanted = CommandLine.arguments.dropFirst()

/// Instructions are being counted by script/instructions: once is enough, and times mean nothing.
private let isCounted = unsafe getenv("HEARTH_COUNTED") != nil

/// Prints how much processor time one of something takes: the median of nine runs, with the quickest and the slowest.
/// Where instructions are being counted, it runs once and prints how many of it that was.
///
/// - Parameters:
///   - count: how many one call of `body` does.
///   - prepared: what `body` works on, made anew for each call of it, unmeasured.
///   - inAllThreads: others work for this thread, so what they run counts, too.
func measure<Prepared>(
  _ name: String, count: Int, on prepared: @autoclosure () throws -> Prepared, inAllThreads: Bool = false,
  _ body: (Prepared) throws -> Void
) rethrows {
  guard wanted.isEmpty || wanted.contains(where: name.hasPrefix) else { return }
  if isCounted {
    let prepared = try prepared()
    try counted { try body(prepared) }
    return print("\(count)\t\(name)")
  }
  var runs: [Double] = []
  for _ in 0..<9 {
    var total = 0
    var rounds = 0
    while total < 40_000_000 {
      let prepared = try prepared()
      let start = processorTime(inAllThreads)
      try body(prepared)
      total += processorTime(inAllThreads) - start
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
  print("\(title)\(text(runs[4])) ns   (\(Int(runs[0].rounded()))–\(Int(runs[8].rounded())))")
}

/// What Callgrind collects is between the beginning and the end of this function, which it knows by name. Of other
/// threads it collects what the store's writer does.
@inline(never) private func counted(_ work: () throws -> Void) rethrows { try work() }

/// Nanoseconds that this thread has run, or all of the process: what others do on the machine meanwhile is not in it.
private func processorTime(_ isOfProcess: Bool) -> Int {
  var time = timespec()
  _ = unsafe clock_gettime(isOfProcess ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
