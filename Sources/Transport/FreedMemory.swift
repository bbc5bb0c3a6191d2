internal import CLinux

/// Memory that this process has freed and its allocator still holds.
public enum FreedMemory {
  /// Returns whole free pages to the kernel. Other threads that allocate meanwhile wait: 0.4 to 4 ms in a process of
  /// 280 to 460 MB.
  public static func giveBack() { clinux_give_back_memory() }

  /// Overwrites memory with zeros when it is freed, from now on. If the process forgets something, a core dump of it
  /// does not have it either (LOC-24).
  public static func overwrite() { clinux_overwrite_freed_memory() }

  /// Overwrites 64 KiB of the calling thread's stack below this call, where earlier calls left values (LOC-24).
  static func overwriteStack() { clinux_overwrite_stack() }

  /// Limits the allocator to `arenas` arenas, at least 1. By default, glibc makes one for each thread, up to eight for
  /// each processor. A loop moves between threads of Dispatch, and cannot use in one arena what it freed in another.
  public static func share(arenas count: Int) { clinux_limit_arenas(Int32(clamping: max(1, count))) }
}
