import Server
import Transport

/// Gives freed memory back to the system at moments of calm: what rooms and connections need while they are set up, the
/// allocator keeps otherwise, 600 bytes for each connection that came and 6 KB for each household that was loaded.
struct MemoryKeeper {
  /// Looks at how busy the process is once a second.
  static let interval = Duration.seconds(1)
  /// Processor time behind which there is something to give back.
  static let leastWork = Duration.milliseconds(100)
  /// Processor time between two looks up to which nobody would notice the wait.
  static let calm = Duration.milliseconds(100)
  /// Looks after which it is done without calm.
  static let patience = 60

  private var seen = Duration.zero
  private var givenBackAt = Duration.zero
  private var lookCount = 0

  /// Whether now is the time, the process having taken so much processor time since it began.
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

  /// Goes on until the task is cancelled.
  static func keep() -> Task<Void, Never> {
    Task(priority: .background) {
      var keeper = MemoryKeeper()
      while (try? await Task.sleep(for: interval)) != nil {
        if let usage = ProcessUsage.now(), keeper.isDue(processorTime: usage.cpu) { FreedMemory.giveBack() }
      }
    }
  }
}
