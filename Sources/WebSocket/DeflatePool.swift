/// The zlib states of one thread.
///
/// Connections without context takeover share a state, others get their own. The pool and its states must stay on one
/// thread.
public final class DeflatePool {
  private let level: Int
  private var deflaters: [Int: Deflater] = [:]
  private lazy var inflater = Inflater()

  /// - Parameter level: 1 (fast) to 9 (small).
  public init(level: Int = 1) { self.level = level }

  /// Returns the deflater for a connection with these parameters. Call it once per connection.
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

  /// Returns the inflater for a connection with these parameters. Call it once per connection.
  public func inflater(for parameters: DeflateParameters, as role: Role) -> Inflater {
    // The peer's direction. The shared inflater has the largest window, which handles all smaller ones.
    switch role {
    case .server where !parameters.clientNoContextTakeover:
      Inflater(windowBits: parameters.clientMaxWindowBits ?? 15, keepsContext: true)
    case .client where !parameters.serverNoContextTakeover:
      Inflater(windowBits: parameters.serverMaxWindowBits ?? 15, keepsContext: true)
    default: inflater
    }
  }
}
