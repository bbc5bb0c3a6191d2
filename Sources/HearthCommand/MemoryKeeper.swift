import Server
import Transport

/// Returns freed memory to the kernel in idle moments. Otherwise the allocator would keep what setting up needed: 600
/// bytes per connection and 6 KB per loaded household.
struct MemoryKeeper {
  /// Interval between looks at the process's CPU time.
  static let interval = Duration.seconds(1)
  /// CPU time since the last return after which there is something to return.
  static let leastWork = Duration.milliseconds(100)
  /// CPU time between two looks up to which the process counts as idle.
  static let calm = Duration.milliseconds(100)
  /// Looks after which memory is returned even if the process is busy.
  static let patience = 60

  private var seen = Duration.zero
  private var givenBackAt = Duration.zero
  private var lookCount = 0

  /// Whether to return memory now; `processorTime` is the CPU time since the process started.
  mutating func isDue(processorTime: Duration) -> Bool {
    let isCalm = processorTime - seen <= Self.calm
    seen = processorTime
    guard processorTime - givenBackAt >= Self.leastWork else { return false }
    lookCount += 1
    guard isCalm || lookCount >= Self.patience else { return false }
    givenBackAt = processorTime
    lookCount = 0
    return true
  }

  /// Starts a task that returns memory until it is cancelled.
  static func keep() -> Task<Void, Never> {
    Task(priority: .background) {
      var keeper = MemoryKeeper()
      while (try? await Task.sleep(for: interval)) != nil {
        if let usage = ProcessUsage.now(), keeper.isDue(processorTime: usage.cpu) { FreedMemory.giveBack() }
      }
    }
  }
}
