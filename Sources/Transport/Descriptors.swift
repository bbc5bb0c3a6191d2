internal import Glibc

/// The number of descriptors that the process may have. Each connection takes one.
public enum Descriptors {
  /// The number of descriptors that connections leave to everything else. The store needs some at times, and Dispatch
  /// ends the process if it gets none for managing its threads.
  static let reserve: Int32 = 16

  /// Raises the soft limit to the hard limit: a server needs one descriptor for each connection.
  public static func raiseLimit() {
    guard var both = limits else { return }
    both.rlim_cur = both.rlim_max
    _ = unsafe setrlimit(resource, &both)
  }

  /// The first descriptor that connections may not use.
  static var connectionLimit: Int32 { Int32(clamping: limits?.rlim_cur ?? .max) - reserve }

  private static let resource = __rlimit_resource_t(7)  // RLIMIT_NOFILE

  private static var limits: rlimit? {
    var both = rlimit()
    return unsafe getrlimit(resource, &both) == 0 ? both : nil
  }
}
