import Crypto
import HTTP
import Home
import Platform
import Rooms

/// Accounts and the sessions of people: signing up, saying hello, devices, and the limits on guessing.
final class AccountDesk {
  /// The shard that counts connections and failures, for all.
  static let first = 0

  private let link: ShardLink
  var shard: Shard { link.shard }
  let loop: any Loop
  let configuration: Configuration
  let services: Services
  let crowds = Crowds()
  let mirror: AccountMirror
  let keys: DerivedKeys
  let puzzles: PuzzleDesk
  /// As `hello` publishes them.
  let limits: [(String, Int)]

  // Used on the first shard only, so that attempts over many connections are counted together.
  private let logins = GuessThrottle()
  private let codes = GuessThrottle()
  private let signUps: SignUpThrottle
  private let addresses: AddressGate
  private let oneAddress = OneAddressWatch()
  private let providerKeys: [String: ProviderKeys]
  private var providerEndpoints: [String: ProviderEndpoints] = [:]

  let proxies: TrustedProxies
  /// Elapsed time since the server started, for the age of sessions.
  let steady: SteadyClock

  init(_ link: ShardLink) {
    self.link = link
    loop = link.loop
    steady = SteadyClock(loop.now, at: loop.uptime)
    configuration = link.configuration
    services = link.services
    mirror = AccountMirror(link)
    keys = DerivedKeys(link)
    puzzles = PuzzleDesk(link, keys)
    limits = PublishedLimits.all(configuration)
    proxies = TrustedProxies(configuration.trustedProxies.compactMap { IPNetwork($0) })
    let providers = configuration.openID.map {
      ($0.name, ProviderKeys($0, link.loop, link.services.documents, link.services.log))
    }
    providerKeys = Dictionary(providers) { $1 }
    signUps = SignUpThrottle(perHour: configuration.signUpsPerHour)
    addresses = AddressGate(
      AddressGate.Limits(
        perMinute: configuration.connectionsPerMinute, strangers: configuration.strangersPerAddress,
        allStrangers: configuration.strangers))
  }

  func everySecond(_ second: Int) {
    guard second % 60 == 0 else { return }
    logins.forget(at: loop.uptime)
    codes.forget(at: loop.uptime)
    signUps.forget(at: loop.uptime)
    addresses.forget(at: loop.uptime)
  }

  // MARK: providers of OpenID

  /// Answers the keys of a provider, for a token whose header names one of them.
  func findKeys(
    of provider: String, _ id: String?, _ algorithm: SignatureAlgorithm, _ done: @escaping (WebKeys?) -> Void
  ) {
    guard let keys = providerKeys[provider] else { return done(nil) }
    keys.find(id, algorithm, done)
  }

  /// Where browsers log in with a provider. Each shard asks for itself: it happens once an hour.
  func endpoints(of provider: OpenIDProvider) -> ProviderEndpoints {
    if let known = providerEndpoints[provider.name] { return known }
    let new = ProviderEndpoints(provider, loop, services)
    providerEndpoints[provider.name] = new
    return new
  }

  // MARK: addresses

  /// Whether a connection from an address may be taken (SEC-12). One from a trusted proxy is counted when the proxy
  /// has named its client.
  func admits(_ peer: PeerAddress) -> Bool {
    guard isCounted(peer) else { return true }
    return admit(peer.host)
  }

  private func isCounted(_ peer: PeerAddress) -> Bool {
    (configuration.limitsLoopback || !peer.isLoopback) && !peer.isOwner && !isTrusted(peer)
  }

  private func admit(_ host: String) -> Bool {
    switch addresses.admit(host, at: loop.uptime) {
    case .admitted: return true
    case .refused(let isNews):
      if isNews { services.log(.warning, "address.limited", ["address": "\(host)"]) }
      return false
    }
  }

  private func isTrusted(_ peer: PeerAddress) -> Bool {
    !proxies.isEmpty && IPAddress(peer.host).map { proxies.contains($0) } == true
  }

  /// Counts a connection as a stranger's until its person is known or it is closed.
  func arrived(_ session: Session) {
    guard let peer = session.stream?.peer, isCounted(peer) else { return }
    session.isStranger = true
    shard.neighbours.send(.arrived(host: peer.host), to: Self.first)
  }

  /// Whom a proxy says that a request is for; `nil` if none says so.
  func proxied(_ headers: Headers, from peer: PeerAddress?) -> Proxied? {
    guard let peer, TrustedProxies.isForwarded(headers), let address = IPAddress(peer.host) else { return nil }
    guard isTrusted(peer) else { return Proxied(address, isTrusted: false) }
    return Proxied(proxies.client(of: headers, from: address), isTrusted: true)
  }

  /// Counts a WebSocket that a trusted proxy has opened as though its client had connected directly.
  func arrivedByProxy(_ session: Session) {
    guard session.proxied?.isTrusted == true else { return }
    session.isStranger = true
    shard.neighbours.send(.arrivedByProxy(host: session.network, shard.neighbours.key(of: session)), to: Self.first)
  }

  /// The person of a connection is known, or it is closed.
  func noteKnown(_ session: Session) {
    guard session.isStranger else { return }
    session.isStranger = false
    shard.neighbours.send(.settled(host: session.network), to: Self.first)
  }

  func noteArrival(from host: String) { addresses.arrived(host, at: loop.uptime) }
  func noteSettled(from host: String) { addresses.settled(host) }

  func noteArrival(byProxy key: SessionKey, from host: String) {
    let isAdmitted = admit(host)
    noteArrival(from: host)
    if !isAdmitted { shard.neighbours.send(.expel(connection: key.number), to: key.shard) }
  }

  /// A connection is one too many of its address.
  func expel(_ number: UInt64) { shard.connections[number]?.close(.overloaded, "too many connections of one address") }

  // MARK: proxies that are not known

  /// Notes a person's hello, to notice if all clients come from one address (R-027).
  func noteCrowd(_ session: Session) {
    guard let person = session.person, let peer = session.stream?.peer else { return }
    // This machine's own programs are no news, unless a proxy speaks for others.
    if peer.isLoopback, session.proxied == nil { return }
    shard.neighbours.send(.loggedIn(person, from: session.network), to: Self.first)
  }

  func noteLogIn(of person: ID<Person>, from network: String) {
    guard oneAddress.note(person, from: network) else { return }
    services.log(
      .warning, "address.shared",
      ["address": "\(network)", "advice": "if this is a proxy, name it with --trusted-proxy"])
  }

  // MARK: attempts

  /// An act that a client may try a limited number of times.
  enum Attempt: Sendable {
    case password(Guess)
    case joinCode(Guess)
    /// From a network; `nil` where sign-ups are not counted.
    case signUp(from: String?)
  }

  enum AttemptEnd: Sendable { case failed, succeeded, withdrawn }

  /// Asks how long an attempt has to wait. If it may be made now, the answer is `nil`, and the attempt's end must be
  /// told to `end(_:_:)`.
  func begin(_ attempt: Attempt, _ done: @escaping (Duration?) -> Void) {
    shard.neighbours.ask(.attempt(attempt), of: Self.first) { answer in
      if case .wait(let wait) = answer { done(wait) }
    }
  }

  func end(_ attempt: Attempt, _ end: AttemptEnd) {
    shard.neighbours.send(.attempted(attempt, end), to: Self.first)
  }

  /// How long an attempt has to wait; otherwise it counts.
  func wait(for attempt: Attempt) -> Duration? {
    switch attempt {
    case .password(let guess): logins.begin(guess, at: loop.uptime)
    case .joinCode(let guess): codes.begin(guess, at: loop.uptime)
    case .signUp(let network): network.flatMap { signUps.begin(from: $0, at: loop.uptime) }
    }
  }

  func note(_ end: AttemptEnd, of attempt: Attempt) {
    switch attempt {
    case .password(let guess): note(end, of: guess, "password", logins)
    case .joinCode(let guess): note(end, of: guess, "join code", codes)
    case .signUp(let network):
      if end == .withdrawn, let network { signUps.withdrawn(from: network) }
    }
  }

  private func note(_ end: AttemptEnd, of guess: Guess, _ secret: String, _ throttle: GuessThrottle) {
    switch end {
    case .succeeded: throttle.succeeded(guess)
    case .withdrawn: throttle.withdrawn(guess)
    case .failed:
      guard throttle.failed(guess, at: loop.uptime) else { return }
      services.log(
        .warning, "guessing.slowed", ["what": "\(secret)", "address": "\(guess.network ?? "a known device")"])
    }
  }
}
