/// The zlib states of one thread: connections without context takeover share them, others get their own.
///
/// Like what it gives out, it belongs to one thread.
public final class DeflatePool {
  private let level: Int
  private var deflaters: [Int: Deflater] = [:]
  private lazy var inflater = Inflater()

  /// `level` is 1 (quick) to 9 (small).
  public init(level: Int = 1) { self.level = level }

  /// What `role` compresses with on a connection that agreed on `parameters`. Call it once for each connection.
  public func deflater(for parameters: DeflateParameters, as role: Role) -> Deflater {
    let isServer = role == .server
    let windowBits = (isServer ? parameters.serverMaxWindowBits : parameters.clientMaxWindowBits) ?? 15
    guard isServer ? parameters.serverNoContextTakeover : parameters.clientNoContextTakeover else {
      return Deflater(windowBits: windowBits, level: level, keepsContext: true)
    }
    if let shared = deflaters[windowBits] { return shared }
    let shared = Deflater(windowBits: windowBits, level: level)
    deflaters[windowBits] = shared
    return shared
  }

  /// What `role` expands with on a connection that agreed on `parameters`. Call it once for each connection.
  public func inflater(for parameters: DeflateParameters, as role: Role) -> Inflater {
    // The peer's direction. A shared one has the largest window, which fits them all.
    switch role {
    case .server where !parameters.clientNoContextTakeover:
      Inflater(windowBits: parameters.clientMaxWindowBits ?? 15, keepsContext: true)
    case .client where !parameters.serverNoContextTakeover:
      Inflater(windowBits: parameters.serverMaxWindowBits ?? 15, keepsContext: true)
    default: inflater
    }
  }
}
