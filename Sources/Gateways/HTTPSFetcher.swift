internal import CCurl
public import Platform

/// Fetches documents over HTTPS, each on a connection of its own. Only loopback hosts may be asked without TLS.
///
/// It may be used from any thread. The process must ignore broken pipes.
public final class HTTPSFetcher: HTTPSGateway {
  private let version: String
  private let workers: any Workers
  private let authorities: String?
  private let connectLimit: Duration
  private let timeLimit: Duration

  /// Redirections that are followed, to HTTPS only.
  private static let redirectLimit = 3

  /// Fetches on `workers`, which bound how many fetches are under way and how many wait.
  ///
  /// `version` is this server's. `authorities` is a PEM file with the authorities that are trusted, instead of those of
  /// the operating system. Each fetch connects within `connectLimit` and ends within `timeLimit`.
  public init(
    version: String, workers: any Workers, authorities: String? = nil, connectLimit: Duration = .seconds(10),
    timeLimit: Duration = .seconds(30)
  ) {
    self.version = version
    self.workers = workers
    self.authorities = authorities
    self.connectLimit = connectLimit
    self.timeLimit = timeLimit
  }

  public func fetch(_ url: String, limit: Int, reply: Reply<Result<[UInt8], FetchError>>) {
    run(url, reply) { [self] scheme in transfer(url, scheme, limit, posting: nil) }
  }

  public func post(_ form: [UInt8], to url: String, limit: Int, reply: Reply<Result<[UInt8], FetchError>>) {
    run(url, reply) { [self] scheme in transfer(url, scheme, limit, posting: form) }
  }

  private func run(
    _ url: String, _ reply: Reply<Result<[UInt8], FetchError>>,
    _ work: @escaping @Sendable (_ scheme: String) -> Result<[UInt8], FetchError>
  ) {
    guard let address = WebAddress(url), address.scheme == "https" || address.scheme == "http" && address.isLoopback
    else { return reply(.failure(FetchError("this is no https URL that can be fetched"))) }
    workers.run(
      { work(address.scheme) }, in: WorkLane(owner: address.host),
      reply: Reply(on: reply.poster) { reply($0 ?? .failure(FetchError("too many fetches are waiting"))) })
  }

  private func transfer(
    _ url: String, _ scheme: String, _ limit: Int, posting form: [UInt8]?
  ) -> Result<[UInt8], FetchError> {
    var transfer = Transfer(
      url, limit: limit, connectLimit: connectLimit, timeLimit: timeLimit, authorities: authorities)
    transfer.set(CURLOPT_PROTOCOLS_STR, scheme)
    transfer.set(CURLOPT_REDIR_PROTOCOLS_STR, "https")
    // A form with a secret is for this address alone.
    transfer.set(CURLOPT_FOLLOWLOCATION, form == nil ? 1 : 0)
    if let form { transfer.set(CURLOPT_COPYPOSTFIELDS, String(decoding: form, as: UTF8.self)) }
    transfer.set(CURLOPT_MAXREDIRS, Self.redirectLimit)
    transfer.set(CURLOPT_USERAGENT, "hearth/\(version)")
    let ending = transfer.perform()
    guard ending.isGood else { return .failure(FetchError(ending.text)) }
    let isAnswer = transfer.status == 200 || form != nil && [400, 401].contains(transfer.status)
    guard isAnswer else { return .failure(FetchError("the server answered \(transfer.status)")) }
    return .success(transfer.received)
  }
}
