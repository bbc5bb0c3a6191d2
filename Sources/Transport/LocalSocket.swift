internal import CLinux
internal import Glibc

/// A Unix socket that only the user of this process and root can open (unix(7)).
enum LocalSocket {
  /// Listens at `path`. The file has mode 600 from the moment when it exists.
  ///
  /// A file that is there already is replaced if it is a socket on which nobody listens, as a killed process leaves it.
  static func listening(at path: String) throws(SystemError) -> OpenSocket {
    try makeSpace(at: path)
    let socket = try System.makeSocket(AF_UNIX)
    // Linux gives the file the mode of the socket. A change of the umask would concern all threads.
    guard fchmod(socket.borrowed, 0o600) == 0 else { throw SystemError(call: "fchmod", code: errno) }
    let code = try unsafe withAddress(of: path) { unsafe Glibc.bind(socket.borrowed, $0, $1) == 0 ? 0 : errno }
    guard code == 0 else { throw SystemError(call: "bind", code: code) }
    try System.listen(socket.borrowed, backlog: backlog)
    return OpenSocket(socket.take(), peer: .local)
  }

  /// Whether the peer of an accepted connection runs as the user of this process, or as root.
  static func isOwner(_ descriptor: Int32) -> Bool {
    let user = clinux_peer_user(descriptor)
    return user == 0 || user == Int(geteuid())
  }

  private static let backlog: Int32 = 16

  private static func makeSpace(at path: String) throws(SystemError) {
    let socket = try System.makeSocket(AF_UNIX)
    let code = try unsafe withAddress(of: path) { unsafe Glibc.connect(socket.borrowed, $0, $1) == 0 ? 0 : errno }
    switch code {
    case ENOENT: break
    // The file is a socket without a listener, or no socket.
    case ECONNREFUSED where isSocket(path):
      guard unsafe unlink(path) == 0 else { throw SystemError(call: "unlink", code: errno) }
    case ECONNREFUSED: throw SystemError(call: "bind", code: EEXIST)
    // A process listens there; with EAGAIN, its backlog is full.
    case 0, EAGAIN: throw SystemError(call: "bind", code: EADDRINUSE)
    default: throw SystemError(call: "connect", code: code)
    }
  }

  private static func isSocket(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  private static func withAddress(
    of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(SystemError) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let isSet = unsafe withUnsafeMutableBytes(of: &address.sun_path) { name in
      // The kernel needs the zero at the end.
      guard !bytes.isEmpty, !bytes.contains(0), bytes.count < name.count else { return false }
      unsafe name.copyBytes(from: bytes)
      return true
    }
    guard isSet else { throw SystemError(call: "bind", code: ENAMETOOLONG) }
    return unsafe withUnsafePointer(to: address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
