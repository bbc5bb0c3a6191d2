import Foundation

/// Steers the clocks of a server process, which a library replaces.
final class SteeredClock {
  private let file = FileManager.default.temporaryDirectory.appending(path: "hearth-clock-\(UUID())")
  private let handle: FileHandle
  private var wall = Int64(0)
  private var monotonic = Int64(0)

  init() throws {
    try Data(count: 16).write(to: file)
    handle = try FileHandle(forUpdating: file)
  }

  deinit { try? FileManager.default.removeItem(at: file) }

  /// The program, with its arguments, through which to start the server.
  var command: [String] {
    let library = ServerProcess.program.deletingLastPathComponent().appending(path: "libSteeredClock.so")
    return ["/usr/bin/env", "LD_PRELOAD=\(library.path)", "STEERED_CLOCK=\(file.path)"]
  }

  /// Sets the wall clock alone.
  func setWall(by step: Duration) throws { try move(wall: step, monotonic: .zero) }

  /// Lets time pass, a second at a time, because the server does some work every second. `settle` waits until it has.
  func pass(seconds: Int, settle: () async throws -> Void) async throws {
    for _ in 0..<seconds {
      try move(wall: .seconds(1), monotonic: .seconds(1))
      try await settle()
    }
  }

  /// Lets three minutes pass, in which the server finds that its wall clock was set. All clients answer its pings.
  func passMinutes(for members: [Member]) async throws {
    for _ in 0..<18 {
      try move(wall: .seconds(10), monotonic: .seconds(10))
      for member in members { try await member.client.fence() }
    }
  }

  private func move(wall: Duration, monotonic: Duration) throws {
    self.wall += Int64(wall / .nanoseconds(1))
    self.monotonic += Int64(monotonic / .nanoseconds(1))
    let bytes = withUnsafeBytes(of: (self.wall, self.monotonic)) { Data($0) }
    try handle.seek(toOffset: 0)
    try handle.write(contentsOf: bytes)
  }
}
