internal import CLinux

/// Memory that this process has freed, and its allocator keeps.
public enum FreedMemory {
  /// Gives whole pages back to the system. Whoever allocates on another thread meanwhile waits: for 0.4 to 4 ms where
  /// the process has 280 to 460 MB.
  public static func giveBack() { clinux_give_back_memory() }

  /// Lets all threads share so many arenas, 1 or more. glibc makes one for each thread, up to eight for each processor;
  /// a loop is on one thread of Dispatch after the other, and what it frees in one arena it cannot use in the next.
  public static func share(arenas count: Int) { clinux_limit_arenas(Int32(clamping: max(1, count))) }
}
