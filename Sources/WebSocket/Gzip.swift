import CZlib

/// The content coding gzip (RFC 1952), by the zlib that compresses frames.
public enum Gzip {
  /// Compresses as well as zlib can, for what is compressed once and sent often.
  public static func compress(_ bytes: [UInt8]) -> [UInt8] {
    let stream = ZlibStream(.deflate(level: 9), format: .gzip)
    var output = [UInt8](repeating: 0, count: stream.bound(bytes.count) + 32)
    var (read, written) = (0, 0)
    while true {
      let step = stream.step(bytes.span, from: read, into: &output, written..<output.count, flush: Z_FINISH)
      read += step.consumed
      written += step.produced
      if step.status == Z_STREAM_END { return Array(output[..<written]) }
      output += [UInt8](repeating: 0, count: 1024)
    }
  }
}
