import Glibc

/// Prefixes of the names to measure, from the command line; all are measured if there are none.
private let wanted = CommandLine.arguments.dropFirst()

/// Whether script/instructions counts instructions: then one run is enough, and times mean nothing.
private let isCounted = unsafe getenv("HEARTH_COUNTED") != nil

/// Prints the CPU time of one operation: the median of nine runs, with the shortest and the longest.
///
/// When instructions are being counted, it runs once and prints the number of operations.
///
/// - Parameters:
///   - count: the number of operations in one call of `body`.
///   - prepared: makes the input of each call of `body`, unmeasured.
///   - inAllThreads: whether other threads work for this one, so that their CPU time counts, too.
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

/// Callgrind counts instructions inside of this function, which it finds by name. On other threads it counts the work
/// of the store's writer.
@inline(never) private func counted(_ work: () throws -> Void) rethrows { try work() }

/// Nanoseconds of CPU time of this thread, or of the whole process; other load on the machine does not count.
private func processorTime(_ isOfProcess: Bool) -> Int {
  var time = timespec()
  _ = unsafe clock_gettime(isOfProcess ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
