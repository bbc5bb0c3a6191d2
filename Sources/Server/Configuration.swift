public import HTTP
import Home
public import Platform
public import Rooms

/// The settings of a server, with their defaults.
public struct Configuration: Sendable {
  /// Silence in a room after which its subscribers are told that nothing has happened (SYN-6). At most 60 s.
  public var heartbeat = Duration.seconds(25)
  /// Connections that have their heartbeat in one go, where that is enough for all within their second.
  public var beatsPerTurn = 16
  /// A busy loop hands over at most one commit in this time, so that changes share flushes (DESIGN §6).
  public var gather = Duration.milliseconds(2)
  /// While calls come faster than they are handled, a commit waits for more of them up to this long: it costs nobody
  /// anything, for whoever is behind waits for those before, and members of one room meet in one patch.
  public var gatherLimit = Duration.milliseconds(500)
  /// The longest time that a busy loop holds a live value, such as a position, so that several changes for one
  /// connection leave with one send. It is well below the 250 ms that positions may take (LOC-5).
  public var gatherLive = Duration.milliseconds(50)
  /// Parts of its time in which a loop is at work: from the first on things wait to be gathered, and from the last on
  /// as long as they may.
  var busy = 0.5...0.8
  /// A connection must have upgraded, and then said hello, within this time.
  public var helloTimeout = Duration.seconds(10)
  /// A connection from which nothing at all has come for this long is dead; pings provoke an answer before.
  public var silenceLimit = Duration.seconds(60)
  /// Of each person at most one coming or going is told in this time, and a going after it (HH-17).
  public var presenceInterval = Duration.seconds(60)
  /// A token dies this long after its last use: a hello, or a call.
  public var tokenLife = Duration.seconds(90 * 24 * 3600)
  /// Entries of a room's log after which it is snapshotted, if it is not for their bytes.
  public var entriesPerSnapshot = 256
  /// Age of the oldest entry behind a snapshot at which an idle room is snapshotted.
  public var snapshotAge = Duration.seconds(60)
  /// A room that nobody watches or asks for leaves memory after this time (SYN-8).
  public var roomIdleLimit = Duration.seconds(120)
  /// A connection whose peer takes no byte for this long, though some wait for it, is closed (SYN-7): on time where
  /// this is longer than the heartbeat, else with it.
  public var stallLimit = Duration.seconds(60)
  /// Unsent bytes of a connection above which it gets merged patches later instead of each one now.
  public var unsentLimit = 64 * 1024
  /// Payloads from this size on are compressed, where that was negotiated.
  public var deflateThreshold = 512
  /// A message that comes in pieces must be complete this long after its first byte, however it dribbles.
  public var messageTimeout = Duration.seconds(30)
  /// Clients that must go, because the server stops, are told to come back within this time, each at another moment.
  public var returnSpread = Duration.seconds(5)
  /// Connections that one address may make in a minute (SEC-12). A refused one is closed before anything is read.
  public var connectionsPerMinute = 600
  /// Connections of one address that have not said hello with a token.
  public var strangersPerAddress = 100
  /// The same, of all addresses together.
  public var strangers = 10_000
  /// Accounts that may be made from one address in an hour (ACC-1).
  public var signUpsPerHour = 10
  /// Whose sign-ups, log-ins from unknown devices and new households cost a proof of work (SEC-10).
  public var puzzle = PuzzlePolicy.auto
  /// The greatest number that solves a puzzle: half of it is what a client tries on average, about a second on a phone.
  public var puzzleNumbers = 100_000
  /// Networks of proxies whose word counts about where a client is: `Forwarded`, or `X-Forwarded-For`.
  public var trustedProxies: Set<String> = []
  /// Whether the limits of connections and sign-ups hold for this machine's own addresses too: the clients of a proxy
  /// that is not trusted all seem to come from there.
  public var limitsLoopback = false
  /// Calls that one connection may make in a second; beyond them it is read more slowly (`CallRate`).
  public var callsPerSecond = 200
  /// Connections of one person at a time. A room remembers the calls of as many of his clients, and of 16 at least.
  public var connectionsPerPerson = 16
  /// Origins of web pages that may connect; programs send none and always may (RELIABILITY F5, SEC-12).
  public var allowedOrigins: Set<Origin> = []
  /// Names of this server, in lower case, beside its addresses and those in its certificate: pages that were loaded
  /// under one of them are its own.
  public var names: Set<String> = []
  /// The secrets that providers of OpenID have given this server, by the provider's name.
  public var openIDSecrets: [String: String] = [:]
  /// The address at which people open the server's page, for links in mails.
  public var publicURL: String?
  /// Providers whose ID tokens log people in (ACC-4).
  public var openID: Set<OpenIDProvider> = []
  /// A token with which any machine may read `/metrics`; without one, only this machine may.
  public var metricsToken: String?

  public init() {}

  /// How long after one hand-over the next one may come, from nothing up to `gather`. Each is a flush and two changes
  /// of thread, which a loop with time to spare can spend so that nobody waits; the busier it is, the more changes
  /// share them.
  func gathering(atLoad load: Double) -> Duration { gather * share(ofWaitAtLoad: load) }

  /// The same for what is live, from nothing up to `gatherLive`.
  func liveGathering(atLoad load: Double) -> Duration { gatherLive * share(ofWaitAtLoad: load) }

  private func share(ofWaitAtLoad load: Double) -> Double {
    min(1, max(0, (load - busy.lowerBound) / (busy.upperBound - busy.lowerBound)))
  }
}

/// The connections that need a proof of work.
public enum PuzzlePolicy: String, Sendable, CaseIterable {
  /// Connections from beyond this machine.
  case auto
  case always, never
}

/// The world outside the loops, as the server sees it.
public struct Services: Sendable {
  public var store: any RoomStore
  public var directory: any Directory
  public var deliveries: any DeliveryStore
  public var workers: any Workers
  public var randomness: any Randomness
  /// Fetches `https` URLs, and the operator's own files as `file:PATH`; `nil` where nothing can be fetched.
  public var documents: (any HTTPSGateway)?
  public var log: Logger
  /// The kinds of room, with their methods.
  public var kinds: [RoomKind]
  /// `nil` if no mail server is configured: everything works as SPEC says for that case.
  public var mail: (any MailGateway)?
  /// The page for browsers, as it is now; `nil` if none is served.
  public var web: (@Sendable () -> WebApp)?
  /// Links that log a person in once; `nil` for none.
  public var loginLinks: LoginLinks?
  /// The endpoints over HTTP, by path.
  package var routes: Routes
  /// Whether a name, in lower case, is in the server's certificate.
  public var ownsName: @Sendable (String) -> Bool
  /// The resources that the process uses, for `/metrics`.
  public var usage: @Sendable () -> ProcessUsage?
  /// Asks the program to stop the server in order.
  public var stop: @Sendable () -> Void

  public init(
    store: any RoomStore, directory: any Directory, deliveries: any DeliveryStore, mail: (any MailGateway)? = nil,
    documents: (any HTTPSGateway)? = nil, workers: any Workers, randomness: any Randomness, log: Logger,
    kinds: [RoomKind]? = nil, web: (@Sendable () -> WebApp)? = nil, loginLinks: LoginLinks? = nil,
    ownsName: @escaping @Sendable (String) -> Bool = { _ in false },
    usage: @escaping @Sendable () -> ProcessUsage? = { nil }, stop: @escaping @Sendable () -> Void = {}
  ) {
    self.store = store
    self.directory = directory
    self.deliveries = deliveries
    self.workers = workers
    self.randomness = randomness
    self.documents = documents
    self.log = log
    self.kinds = kinds ?? HomeRooms.kinds
    self.mail = mail
    self.web = web
    self.loginLinks = loginLinks
    routes = .standard
    self.ownsName = ownsName
    self.usage = usage
    self.stop = stop
  }
}

/// The resources that a process uses.
public struct ProcessUsage: Sendable {
  public var residentBytes: Int
  /// User and system time since it began.
  public var cpu: Duration

  public init(residentBytes: Int, cpu: Duration) {
    self.residentBytes = residentBytes
    self.cpu = cpu
  }
}

/// Limits of the wire, published by `hello` and in protocol.md.
public enum WireLimits {
  public static let frame = 64 * 1024
  public static let message = 64 * 1024
  /// Before hello, after inflating.
  public static let messageBeforeHello = 4 * 1024
  public static let fragments = 64
  public static let depth = 32
  public static let nodes = 10_000
  /// Pings and pongs that a client may send in a minute; the server's own pings need a few of them.
  public static let pingsPerMinute = 120
  /// Calls in one JSON-RPC batch.
  public static let batch = 16
  public static let subscriptions = 128
  /// Mutations of one client that may wait for their answer in one room.
  public static let unanswered = Receipts.perClient
  /// Malformed messages after which a connection is closed.
  public static let errors = 20
  public static let clientNumber = Int64(1) << 53
}
