import Glibc
import Testing

@testable import loadtest

@Suite("Load test: arrival times")
struct ArrivalTests {
  @Test("bytes arrive when the kernel receives them, however late they are read")
  func arrival() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafeMutablePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        #expect(unsafe bind(listener, $0, size) == 0)
        #expect(listen(listener, 1) == 0)
        #expect(unsafe getsockname(listener, $0, &size) == 0)
      }
    }
    let client = try System.connect(to: "127.0.0.1", port: UInt16(bigEndian: address.sin_port), waits: true)
    defer { System.close(client) }
    let server = accept(listener, nil, nil)
    defer { close(server) }

    // The kernel starts to record times a moment after the first request for them.
    var arrivedAt: Int64?
    var before: Int64 = 0
    var after: Int64 = 0
    let deadline = System.nanoseconds + 10_000_000_000
    while arrivedAt == nil, System.nanoseconds < deadline {
      before = System.wallNanoseconds
      #expect(System.send(server, [1, 2, 3].span) == 3)
      var poll = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
      #expect(unsafe Glibc.poll(&poll, 1, 10_000) == 1)
      after = System.wallNanoseconds
      System.pause()
      var buffer = [UInt8](repeating: 0, count: 16)
      #expect(System.receive(client, into: &buffer) { arrivedAt = $1 } == 3)
    }
    let moment = try #require(arrivedAt)
    #expect(before <= moment && moment <= after)
  }
}
