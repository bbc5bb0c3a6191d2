internal import Glibc

/// How many descriptors the process may have: each connection takes one.
public enum Descriptors {
  /// Left to everything but connections: the store needs some at times, and Dispatch stops the process where there is
  /// none for it to look after its threads.
  static let reserve: Int32 = 16

  /// Asks for as many as the system allows this process, where less is usual: connections are what a server is for.
  public static func raiseLimit() {
    guard var both = limits else { return }
    both.rlim_cur = both.rlim_max
    _ = unsafe setrlimit(resource, &both)
  }

  /// Below this are those that connections may have.
  static var connectionLimit: Int32 { Int32(clamping: limits?.rlim_cur ?? .max) - reserve }

  private static let resource = __rlimit_resource_t(7)  // RLIMIT_NOFILE

  private static var limits: rlimit? {
    var both = rlimit()
    return unsafe getrlimit(resource, &both) == 0 ? both : nil
  }
}
