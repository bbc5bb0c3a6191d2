import Crypto
public import Platform

/// The operating system's unpredictable bytes.
public struct SystemRandomness: Randomness {
  public init() {}
  public func bytes(_ count: Int) -> [UInt8] { SystemRandom.bytes(count) }
}
