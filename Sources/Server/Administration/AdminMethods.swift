import Home
import JSON
import Platform
import Rooms

/// The methods of administration (OPS-4): calls over the local socket of the server's owner, and over no other
/// connection. A new one needs a line in both lists here.
extension ServerMethod {
  static let admin: [String: ServerMethod] = [
    "rpc.discover": of(needsPerson: false, at: .connection) { (shard, _: NoAnswer, caller) in shard.discover(caller) },
    "admin.accounts": of(needsPerson: false, at: .connection) {
      (shard, parameters: AdminDesk.AccountsParameters, caller) in
      AdminDesk(shard, caller).list(parameters)
    },
    "admin.sessions": of(needsPerson: false, at: .connection) {
      (shard, parameters: AdminDesk.PersonParameters, caller) in
      AdminDesk(shard, caller).listSessions(parameters)
    },
    "admin.rooms": of(needsPerson: false, at: .connection) { (shard, parameters: AdminDesk.RoomsParameters, caller) in
      AdminDesk(shard, caller).list(parameters)
    },
    "admin.revoke": of(needsPerson: false, at: .connection) { (shard, parameters: AdminDesk.RevokeParameters, caller) in
      AdminDesk(shard, caller).revoke(parameters)
    },
    "admin.resetCode": of(needsPerson: false, at: .connection) {
      (shard, parameters: AdminDesk.PersonParameters, caller) in
      AdminDesk(shard, caller).makeResetCode(parameters)
    },
    "admin.stats": of(needsPerson: false, at: .connection) { (shard, _: NoAnswer, caller) in
      AdminDesk(shard, caller).tellStatistics()
    },
    "admin.drain": of(needsPerson: false, at: .connection) { (shard, _: NoAnswer, caller) in
      AdminDesk(shard, caller).drain()
    },
  ]
}

extension Discovery {
  /// The parts of the descriptions of these methods that their parameters do not hold.
  static let adminMethods: [String: (summary: String, answer: [FieldDescription], rooms: [String])] = [
    "admin.accounts": ("Lists all accounts, or one.", AdminDesk.AccountPage.descriptions, []),
    "admin.sessions": ("Lists the sessions of a person.", AdminDesk.SessionList.descriptions, []),
    "admin.rooms": ("Lists the rooms in memory.", AdminDesk.RoomPage.descriptions, []),
    "admin.revoke": ("Ends a session, or all sessions of a person.", AdminDesk.Revoked.descriptions, []),
    "admin.resetCode": (
      "Makes a code that replaces a forgotten password, once and for 30 minutes (ACC-10).",
      AdminDesk.ResetCode.descriptions, []
    ),
    "admin.stats": ("Tells how much the server holds, and how long it has run.", AdminDesk.Statistics.descriptions, []),
    "admin.drain": ("Stops the server in order, as SIGTERM does.", [], []),
  ]
}

extension AdminDesk {
  /// The most entries in a page.
  static let pageLimit = 500

  // MARK: parameters

  struct AccountsParameters: Record {
    var person: ID<Person>?
    var email: String?
    var after: ID<Person>?
    var limit: Int?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("person", \.person)
      field("email", \.email, 1...254)
      field("after", \.after)
      field("limit", \.limit, 1...AdminDesk.pageLimit)
    }
  }

  /// A person, by id or address.
  struct PersonParameters: Record {
    var person: ID<Person>?
    var email: String?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("person", \.person)
      field("email", \.email, 1...254)
    }
  }

  struct RoomsParameters: Record {
    var after: String?
    var limit: Int?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("after", \.after, 1...100)
      field("limit", \.limit, 1...AdminDesk.pageLimit)
    }
  }

  struct RevokeParameters: Record {
    var session: ID<Rooms.Session>?
    var person: ID<Person>?
    var email: String?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("session", \.session)
      field("person", \.person)
      field("email", \.email, 1...254)
    }
  }

  // MARK: answers

  struct ListedAccount: Record {
    var person = ID<Person>()
    /// `nil` if the account has none, or has not proved one yet.
    var email: String?
    /// The address that it has not proved yet.
    var pending: String?
    var createdAt = Instant()
    var lastUsedAt: Instant?
    var sessions = 0
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("person", \.person)
      field("email", \.email)
      field("pending", \.pending)
      field("createdAt", \.createdAt)
      field("lastUsedAt", \.lastUsedAt)
      field("sessions", \.sessions)
    }
  }

  struct AccountPage: Record {
    var accounts: [ListedAccount] = []
    /// The cursor of the next page; `nil` with the last page.
    var next: ID<Person>?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("accounts", \.accounts)
      field("next", \.next)
    }
  }

  struct ListedSession: Record {
    var session = ID<Rooms.Session>()
    var device = ""
    var createdAt = Instant()
    var lastUsedAt = Instant()
    var connections = 0
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("session", \.session)
      field("device", \.device)
      field("createdAt", \.createdAt)
      field("lastUsedAt", \.lastUsedAt)
      field("connections", \.connections)
    }
  }

  struct SessionList: Record {
    var person = ID<Person>()
    var email: String?
    var sessions: [ListedSession] = []
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("person", \.person)
      field("email", \.email)
      field("sessions", \.sessions)
    }
  }

  struct ListedRoom: Record {
    var room = ""
    var kind = ""
    var version = 0
    var bytes = 0
    var subscribers = 0
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("room", \.room)
      field("kind", \.kind)
      field("version", \.version)
      field("bytes", \.bytes)
      field("subscribers", \.subscribers)
    }
  }

  struct RoomPage: Record {
    var rooms: [ListedRoom] = []
    /// The cursor of the next page; `nil` with the last page.
    var next: String?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("rooms", \.rooms)
      field("next", \.next)
    }
  }

  struct Revoked: Record {
    var person = ID<Person>()
    var ended = 0
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("person", \.person)
      field("ended", \.ended)
    }
  }

  /// A code for `auth.resetPassword`.
  struct ResetCode: Record {
    var person = ID<Person>()
    var email = ""
    var code = ""
    var until = Instant()
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("person", \.person)
      field("email", \.email)
      field("code", \.code)
      field("until", \.until)
    }
  }

  /// Sums over all shards, since the start where nothing else is said.
  struct Statistics: Record {
    var uptimeSeconds = 0
    var loops = 0
    /// Open connections: of members, of clients that have not said hello, and those that call by HTTP.
    var members = 0
    var strangers = 0
    var http = 0
    /// Connections opened.
    var connections = 0
    var calls = 0
    var refusedCalls = 0
    var commits = 0
    var failedCommits = 0
    var loadedRooms = 0
    var subscriptions = 0
    var storedRooms = 0
    /// Bytes on disk.
    var storedBytes = 0
    var accounts = 0
    var sessions = 0
    var memoryBytes: Int?
    static func fields(_ field: inout some FieldVisitor<Self>) {
      field("uptimeSeconds", \.uptimeSeconds)
      field("loops", \.loops)
      field("members", \.members)
      field("strangers", \.strangers)
      field("http", \.http)
      field("connections", \.connections)
      field("calls", \.calls)
      field("refusedCalls", \.refusedCalls)
      field("commits", \.commits)
      field("failedCommits", \.failedCommits)
      field("loadedRooms", \.loadedRooms)
      field("subscriptions", \.subscriptions)
      field("storedRooms", \.storedRooms)
      field("storedBytes", \.storedBytes)
      field("accounts", \.accounts)
      field("sessions", \.sessions)
      field("memoryBytes", \.memoryBytes)
    }
  }
}
