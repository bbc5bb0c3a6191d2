internal import COpenSSL
internal import Glibc

/// The input and output of OpenSSL while one session of a loop works: the received bytes, and the output of their
/// stream. The sessions of a loop work one at a time, so they share one channel. OpenSSL writes records directly to the
/// stream's output, and a batch leaves with one send.
@safe final class TLSChannel {
  /// The bytes that OpenSSL has not read yet; valid within one call of `withInput`.
  private var input = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  /// The output of the stream. OpenSSL appends to it.
  var output: [UInt8] = []
  /// The decrypted bytes.
  private var plain: [UInt8] = []
  private let plainCapacity: Int

  init(plainCapacity: Int) { self.plainCapacity = plainCapacity }

  /// Calls `body`, within which OpenSSL reads from `bytes`.
  func withInput<Result>(_ bytes: Span<UInt8>, _ body: () -> Result) -> Result {
    unsafe bytes.withUnsafeBytes {
      unsafe input = $0
      defer { unsafe input = UnsafeRawBufferPointer(start: nil, count: 0) }
      return body()
    }
  }

  /// Lets `read` fill the rest of the buffer until it adds nothing, and returns the number of collected bytes.
  func collect(_ read: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
    if plain.isEmpty { plain = Array(repeating: 0, count: plainCapacity) }
    var count = 0
    while true {
      if count == plain.count { plain += Array(repeating: 0, count: plainCapacity) }
      let new = unsafe plain.withUnsafeMutableBytes {
        unsafe read(UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
      }
      if new == 0 { return count }
      count += new
    }
  }

  /// Passes the first `count` collected bytes to `body`.
  func withPlain(_ count: Int, _ body: (inout MutableSpan<UInt8>) -> Void) {
    // The buffer is moved out, so that `body` may use the channel.
    var taken = exchange(&plain, with: [])
    var all = taken.mutableSpan
    var bytes = all._mutatingExtracting(0..<count)
    body(&bytes)
    // The memory of one long read is not kept.
    if taken.count == plainCapacity { plain = taken }
  }

  /// Overwrites what was decrypted last. Call this only between two reads.
  func wipe() {
    for index in plain.indices { plain[index] = 0 }
  }

  // MARK: OpenSSL's side

  /// Creates a BIO that reads and writes here. The channel must outlive it.
  func makeBIO() -> OpaquePointer? {
    guard let bio = unsafe BIO_new(Self.method.pointer) else { return nil }
    unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    unsafe BIO_set_init(bio, 1)
    return unsafe bio
  }

  @safe private struct Method: @unchecked Sendable {  // It is written once, below, and later only read.
    let pointer: OpaquePointer?
  }

  private static let method: Method = {
    let type = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK
    let method = unsafe BIO_meth_new(type, "loop")
    unsafe BIO_meth_set_read_ex(method) { bio, bytes, size, count in
      guard let bio = unsafe bio, let bytes = unsafe bytes, let data = unsafe BIO_get_data(bio) else { return 0 }
      let channel = unsafe Unmanaged<TLSChannel>.fromOpaque(data).takeUnretainedValue()
      let taken = unsafe channel.read(UnsafeMutableRawPointer(bytes), size)
      unsafe count?.pointee = taken
      unsafe BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
      if taken == 0 { unsafe BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY) }
      return taken > 0 ? 1 : 0
    }
    unsafe BIO_meth_set_write_ex(method) { bio, bytes, size, count in
      guard let bio = unsafe bio, let bytes = unsafe bytes, let data = unsafe BIO_get_data(bio) else { return 0 }
      let channel = unsafe Unmanaged<TLSChannel>.fromOpaque(data).takeUnretainedValue()
      unsafe channel.output.append(contentsOf: UnsafeRawBufferPointer(start: bytes, count: size))
      unsafe count?.pointee = size
      return 1
    }
    unsafe BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
    return unsafe Method(pointer: method)
  }()

  /// Copies up to `size` received bytes to `target`.
  private func read(_ target: UnsafeMutableRawPointer, _ size: Int) -> Int {
    let count = unsafe min(size, input.count)
    guard count > 0, let start = unsafe input.baseAddress else { return 0 }
    unsafe target.copyMemory(from: start, byteCount: count)
    unsafe input = UnsafeRawBufferPointer(rebasing: input[count...])
    return count
  }
}
