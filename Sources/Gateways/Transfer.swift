// All calls into libcurl, and so all unsafe code of `Gateways`. One thread uses a handle; its callbacks run within
// `perform`. The other files are safe Swift.

internal import CCurl
internal import COpenSSL

/// One transfer of libcurl, on the thread that performs it.
@safe struct Transfer: ~Copyable {
  /// How a transfer ended.
  struct Ending {
    var code: CURLcode
    /// libcurl's words for a failure; they name hosts, and no secret.
    var text: String

    var isGood: Bool { code == CURLE_OK }
    var isTooSlow: Bool { code == CURLE_OPERATION_TIMEDOUT }
  }

  private let handle: UnsafeMutableRawPointer
  private let exchange: Exchange
  private var recipients: UnsafeMutablePointer<curl_slist>?
  private var reason: UnsafeMutablePointer<CChar>
  /// The first setting that libcurl has refused.
  private var refused: CURLcode?

  /// Sets libcurl up once. OpenSSL goes first, without its exit handler: transfers may go on while the process exits,
  /// so its tables must not be freed.
  private static let isSetUp =
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil) == 1
    && curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  /// Takes a body of at most `limit` bytes from the peer. Both times begin with the transfer.
  init(_ url: String, limit: Int, connectLimit: Duration, timeLimit: Duration, authorities: String?) {
    guard Self.isSetUp, let handle = unsafe curl_easy_init() else { preconditionFailure("libcurl cannot be set up") }
    unsafe self.handle = handle
    unsafe exchange = Exchange(handle: handle, limit: limit)
    unsafe reason = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe reason.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    unsafe recipients = nil
    let context = unsafe Unmanaged.passUnretained(exchange).toOpaque()
    unsafe note(ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, reason))
    unsafe note(ccurl_set_reader(handle, readUpload, context))
    unsafe note(ccurl_set_writer(handle, takeBody, context))
    unsafe note(ccurl_set_header_writer(handle, takeHeader, context))
    set(CURLOPT_URL, url)
    // Signals belong to the whole process.
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(connectLimit))
    set(CURLOPT_TIMEOUT_MS, Self.milliseconds(timeLimit))
    // A connection ends with its transfer, politely.
    set(CURLOPT_FORBID_REUSE, 1)
    // Variables of the environment are no settings.
    set(CURLOPT_PROXY, "")
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let authorities {
      set(CURLOPT_CAINFO, authorities)
      unsafe note(ccurl_set_text(handle, CURLOPT_CAPATH, nil))
    }
  }

  deinit {
    unsafe curl_easy_cleanup(handle)
    unsafe curl_slist_free_all(recipients)
    unsafe reason.deallocate()
  }

  private static func milliseconds(_ duration: Duration) -> Int {
    let (seconds, rest) = duration.components
    return Int(clamping: max(1, seconds * 1000 + rest / 1_000_000_000_000_000))
  }

  mutating func set(_ option: CURLoption, _ value: Int) { unsafe note(ccurl_set_number(handle, option, value)) }

  mutating func set(_ option: CURLoption, _ value: String) { unsafe note(ccurl_set_text(handle, option, value)) }

  /// Makes it the sending of a mail to one address.
  mutating func send(_ message: [UInt8], to recipient: String, closingLimit seconds: Int) {
    exchange.upload = message
    exchange.closingLimit = seconds
    unsafe recipients = curl_slist_append(nil, recipient)
    unsafe note(recipients == nil ? CURLE_OUT_OF_MEMORY : ccurl_set_list(handle, CURLOPT_MAIL_RCPT, recipients))
    set(CURLOPT_UPLOAD, 1)
    set(CURLOPT_INFILESIZE, message.count)
    let context = unsafe Unmanaged.passUnretained(exchange).toOpaque()
    unsafe note(ccurl_set_observer(handle, observe, context))
  }

  private mutating func note(_ code: CURLcode) {
    if code != CURLE_OK, refused == nil { refused = code }
  }

  /// Performs the transfer on this thread.
  mutating func perform() -> Ending {
    let code = if let refused { refused } else { unsafe curl_easy_perform(handle) }
    if exchange.isTooLong { return Ending(code: code, text: "the answer is too long") }
    let text = unsafe String(cString: reason)
    return Ending(code: code, text: text.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : text)
  }

  /// The bytes of the answer.
  var received: [UInt8] { exchange.received }

  var conversation: SMTPConversation { exchange.conversation }

  /// The status of the last answer by HTTP.
  var status: Int { unsafe ccurl_status(handle) }
}

/// The state of one transfer that its callbacks read and write.
@safe private final class Exchange {
  let handle: UnsafeMutableRawPointer
  let limit: Int
  var upload: [UInt8] = []
  var sentCount = 0
  var received: [UInt8] = []
  var headerCount = 0
  var isTooLong = false
  var conversation = SMTPConversation()
  var closingLimit = 1

  /// Bytes of all headers, or of all lines of a mail server.
  static let headerLimit = 64 << 10

  init(handle: UnsafeMutableRawPointer, limit: Int) {
    unsafe self.handle = handle
    self.limit = limit
  }

  static func of(_ context: UnsafeMutableRawPointer?) -> Exchange? {
    unsafe context.map { unsafe Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
  }
}

private let readUpload: curl_read_callback = { buffer, size, count, context in
  guard let exchange = unsafe Exchange.of(context), let buffer = unsafe buffer else { return 0 }
  let piece = exchange.upload[exchange.sentCount...].prefix(size * count)
  unsafe UnsafeMutableRawPointer(buffer).copyMemory(from: Array(piece), byteCount: piece.count)
  exchange.sentCount += piece.count
  return piece.count
}

private let takeBody: curl_write_callback = { buffer, size, count, context in
  guard let exchange = unsafe Exchange.of(context), let buffer = unsafe buffer else { return 0 }
  let bytes = unsafe UnsafeRawBufferPointer(start: buffer, count: size * count)
  guard bytes.count <= exchange.limit - exchange.received.count else {
    exchange.isTooLong = true
    return 0
  }
  unsafe exchange.received.append(contentsOf: bytes)
  return bytes.count
}

private let takeHeader: curl_write_callback = { _, size, count, context in
  guard let exchange = unsafe Exchange.of(context) else { return 0 }
  exchange.headerCount += size * count
  guard exchange.headerCount <= Exchange.headerLimit else {
    exchange.isTooLong = true
    return 0
  }
  return size * count
}

private let observe: curl_debug_callback = { _, kind, data, count, context in
  guard let exchange = unsafe Exchange.of(context), let data = unsafe data else { return 0 }
  let line = unsafe UnsafeRawBufferPointer(start: data, count: count)
  if kind == CURLINFO_HEADER_OUT { unsafe exchange.conversation.sent(line) }
  if kind == CURLINFO_HEADER_IN {
    unsafe exchange.conversation.received(line)
    // Only the answer to QUIT is still to come, and nobody needs it.
    if exchange.conversation.isTaken {
      _ = unsafe ccurl_set_number(exchange.handle, CURLOPT_SERVER_RESPONSE_TIMEOUT, exchange.closingLimit)
    }
  }
  return 0
}

/// A URL, as libcurl reads it.
struct WebAddress {
  let scheme: String
  /// A name, an IPv4 address, or an IPv6 address in brackets.
  let host: String
  let port: Int?
  /// Whether it has nothing but these.
  let isBare: Bool

  /// `nil` for what libcurl does not take, and for a URL with a user.
  init?(_ text: String) {
    guard let url = unsafe curl_url() else { return nil }
    defer { unsafe curl_url_cleanup(url) }
    guard unsafe curl_url_set(url, CURLUPART_URL, text, UInt32(CURLU_DISALLOW_USER)) == CURLUE_OK else { return nil }
    func part(_ part: CURLUPart) -> String? {
      var text: UnsafeMutablePointer<CChar>?
      guard unsafe curl_url_get(url, part, &text, 0) == CURLUE_OK, let text = unsafe text else { return nil }
      defer { unsafe curl_free(text) }
      return unsafe String(cString: text)
    }
    guard let scheme = part(CURLUPART_SCHEME), let host = part(CURLUPART_HOST) else { return nil }
    self.scheme = scheme
    self.host = host
    port = part(CURLUPART_PORT).flatMap { Int($0) }
    isBare = (part(CURLUPART_PATH) ?? "/") == "/" && part(CURLUPART_QUERY) == nil && part(CURLUPART_FRAGMENT) == nil
  }

  /// Whether the host is this machine. libcurl resolves `localhost` itself.
  var isLoopback: Bool {
    let groups = host.split(separator: ".", omittingEmptySubsequences: false)
    let isIPv4 = groups.count == 4 && groups.allSatisfy { UInt8($0) != nil }
    return host == "localhost" || host == "[::1]" || isIPv4 && groups[0] == "127"
  }
}
