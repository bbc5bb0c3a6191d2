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
  let devices: DeviceList
  /// As `hello` publishes them.
  let limits: [(String, Int)]

  // Used on the first shard only, so that attempts over many connections are counted together.
  private let logins = GuessThrottle()
  private let codes = GuessThrottle()
  private let addresses: AddressGate

  init(_ link: ShardLink) {
    self.link = link
    loop = link.loop
    configuration = link.configuration
    services = link.services
    devices = DeviceList(link)
    limits = PublishedLimits.all(configuration)
    addresses = AddressGate(
      AddressGate.Limits(
        perMinute: configuration.connectionsPerMinute, strangers: configuration.strangersPerAddress,
        allStrangers: configuration.strangers))
  }

  func everySecond(_ second: Int) {
    guard second % 60 == 0 else { return }
    logins.forget(before: loop.uptime)
    codes.forget(before: loop.uptime)
    addresses.forget(at: loop.uptime)
  }

  // MARK: addresses

  /// Whether a connection from an address may be taken (SEC-12).
  func admits(_ peer: PeerAddress) -> Bool {
    guard configuration.limitsLoopback || !peer.isLoopback else { return true }
    switch addresses.admit(peer.host, at: loop.uptime) {
    case .admitted: return true
    case .refused(let isNews):
      if isNews { services.log(.warning, "address.limited", ["address": "\(peer.host)"]) }
      return false
    }
  }

  /// Counts a connection as a stranger's until its person is known or it is closed.
  func arrived(_ session: Session) {
    guard let peer = session.stream?.peer, configuration.limitsLoopback || !peer.isLoopback else { return }
    session.isStranger = true
    shard.neighbours.send(.arrived(host: peer.host), to: Self.first)
  }

  /// The person of a connection is known, or it is closed.
  func noteKnown(_ session: Session, from host: String) {
    guard session.isStranger else { return }
    session.isStranger = false
    shard.neighbours.send(.settled(host: host), to: Self.first)
  }

  func noteArrival(from host: String) { addresses.arrived(host, at: loop.uptime) }
  func noteSettled(from host: String) { addresses.settled(host) }

  // MARK: guessing

  /// Secrets that somebody may try to guess.
  enum Secret: String, Sendable {
    case password
    case joinCode = "join code"
  }

  private func throttle(_ secret: Secret) -> GuessThrottle {
    switch secret {
    case .password: logins
    case .joinCode: codes
    }
  }

  /// Asks how long the next attempt has to wait; `nil` if it may be made now.
  func checkGuessing(
    _ secret: Secret, subject: String, address: String, _ done: @escaping (Duration?) -> Void
  ) {
    shard.neighbours.ask(.guessing(secret, subject: subject, address: address), of: Self.first) { answer in
      if case .wait(let wait) = answer { done(wait) }
    }
  }

  func noteFailure(_ secret: Secret, subject: String, address: String) {
    shard.neighbours.send(.guessFailed(secret, subject: subject, address: address), to: Self.first)
  }

  func noteSuccess(_ secret: Secret, subject: String) {
    shard.neighbours.send(.guessSucceeded(secret, subject: subject), to: Self.first)
  }

  func wait(_ secret: Secret, subject: String, address: String) -> Duration? {
    throttle(secret).wait(subject: subject, address: address, at: loop.uptime)
  }

  func countFailure(_ secret: Secret, subject: String, address: String) {
    guard throttle(secret).noteFailure(subject: subject, address: address, at: loop.uptime) else { return }
    services.log(.warning, "guessing.slowed", ["what": "\(secret.rawValue)", "address": "\(address)"])
  }

  func countSuccess(_ secret: Secret, subject: String) { throttle(secret).noteSuccess(subject: subject) }
}
