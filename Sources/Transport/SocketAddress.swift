internal import Glibc
internal import Platform

/// An IPv4 or IPv6 address with its port, or a Unix socket, in 24 bytes, since every connection keeps one.
struct SocketAddress: Sendable, Hashable {
  private var family = sa_family_t(AF_UNSPEC)
  var port: UInt16 = 0
  private var scope: UInt32 = 0
  /// The address in network byte order. An IPv4 address fills the first four bytes.
  private var high: UInt64 = 0
  private var low: UInt64 = 0

  init() {}

  static let loopbackIPv4 = SocketAddress(literal: "127.0.0.1", port: 0) ?? SocketAddress()
  static let loopbackIPv6 = SocketAddress(literal: "::1", port: 0) ?? SocketAddress()

  /// Any Unix socket: peers of such sockets have no address.
  static var local: SocketAddress {
    var address = SocketAddress()
    address.family = sa_family_t(AF_UNIX)
    return address
  }

  /// Parses a literal address such as `127.0.0.1` or `::1`; `nil` for a name.
  init?(literal: String, port: UInt16) {
    var address4 = in_addr()
    var address6 = in6_addr()
    if unsafe inet_pton(AF_INET, literal, &address4) == 1 {
      self.init(address4)
    } else if unsafe inet_pton(AF_INET6, literal, &address6) == 1 {
      self.init(address6, scope: 0)
    } else {
      return nil
    }
    self.port = port
  }

  private init(_ address: in_addr) {
    family = sa_family_t(AF_INET)
    high = UInt64(UInt32(bigEndian: address.s_addr)) << 32
  }

  private init(_ address: in6_addr, scope: UInt32) {
    family = sa_family_t(AF_INET6)
    let halves = unsafe unsafeBitCast(address, to: (UInt64, UInt64).self)  // Both types are 16 plain bytes.
    high = UInt64(bigEndian: halves.0)
    low = UInt64(bigEndian: halves.1)
    self.scope = scope
  }

  init(_ storage: sockaddr_storage) {
    let size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let address = unsafe withUnsafePointer(to: storage) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe SocketAddress($0, size: size) }
    }
    self = address ?? SocketAddress()
  }

  /// Reads an address of the kernel; `nil` for a family other than IPv4, IPv6 and Unix sockets. `address` must point to
  /// `size` readable bytes.
  @unsafe init?(_ address: UnsafePointer<sockaddr>, size: socklen_t) {
    let raw = unsafe UnsafeRawPointer(address)
    switch unsafe Int32(address.pointee.sa_family) {
    case AF_INET where Int(size) >= MemoryLayout<sockaddr_in>.size:
      let socket = unsafe raw.loadUnaligned(as: sockaddr_in.self)
      self.init(socket.sin_addr)
      port = UInt16(bigEndian: socket.sin_port)
    case AF_INET6 where Int(size) >= MemoryLayout<sockaddr_in6>.size:
      let socket = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
      self.init(socket.sin6_addr, scope: socket.sin6_scope_id)
      port = UInt16(bigEndian: socket.sin6_port)
    case AF_UNIX: self = .local
    default: return nil
    }
  }

  var systemFamily: Int32 { Int32(family) }

  var isLocal: Bool { systemFamily == AF_UNIX }

  var isLoopback: Bool {
    isLocal || systemFamily == AF_INET ? high >> 56 == 127 : systemFamily == AF_INET6 && high == 0 && low == 1
  }

  /// Calls `body` with the address in the kernel's form. It must be an IPv4 or IPv6 address.
  func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    if systemFamily == AF_INET {
      var socket = sockaddr_in()
      socket.sin_family = family
      socket.sin_port = port.bigEndian
      socket.sin_addr.s_addr = UInt32(truncatingIfNeeded: high >> 32).bigEndian
      return unsafe withUnsafePointer(to: socket) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    var socket = sockaddr_in6()
    socket.sin6_family = family
    socket.sin6_port = port.bigEndian
    socket.sin6_scope_id = scope
    unsafe socket.sin6_addr = unsafeBitCast((high.bigEndian, low.bigEndian), to: in6_addr.self)
    return unsafe withUnsafePointer(to: socket) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
      }
    }
  }

  /// The address without the port; empty for a Unix socket.
  var host: String {
    guard systemFamily == AF_INET || systemFamily == AF_INET6 else { return "" }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    var address = (high.bigEndian, low.bigEndian)
    _ = unsafe inet_ntop(systemFamily, &address, &text, socklen_t(INET6_ADDRSTRLEN))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func peer(isEncrypted: Bool) -> PeerAddress {
    // The listener has asked the kernel who is at the other end of a Unix socket.
    PeerAddress(host: host, port: port, isLoopback: isLoopback, isEncrypted: isEncrypted, isOwner: isLocal)
  }
}
