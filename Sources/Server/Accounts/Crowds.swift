import Platform
import Rooms

/// A connection in one of its person's places, and which client of which session it is.
struct Seated: Sendable {
  let key: SessionKey
  let session: ID<Rooms.Session>
  let client: ID<Client>
  /// The uptime of its shard; those of other shards differ by little.
  let openedAt: Duration
  /// The newest connection of its client that has said hello.
  var isHolder = false

  func isSameClient(as other: Seated) -> Bool { session == other.session && client == other.client }
}

/// The connections of each person whose id leads to this shard, on whichever shard they are.
final class Crowds {
  enum Seating: Sendable { case seated, full, ended }

  /// A few each, so that a list is the smallest and no slower.
  private var crowds: [ID<Person>: [Seated]] = [:]
  /// Sessions that have ended lately: a hello may have looked up its token just before.
  private var endedSessions: [ID<Rooms.Session>: Duration] = [:]

  /// People whose accounts were deleted lately.
  private var endedPeople: [ID<Person>: Duration] = [:]

  /// Gives a connection one of its person's places, if there is one. The same client gets its own back. A connection
  /// with a place is found by `places(of:toEnd:)`; a session that has ended since its token was looked up gets none.
  func seat(_ person: ID<Person>, _ seated: Seated, limit: Int) -> Seating {
    guard endedSessions[seated.session] == nil, endedPeople[person] == nil else { return .ended }
    let others = crowds[person]?.count { $0.key != seated.key && !$0.isSameClient(as: seated) } ?? 0
    guard others < limit else { return .full }
    unseat(person, seated.key)
    crowds[person, default: []].append(seated)
    return .seated
  }

  /// Gives a place back.
  func unseat(_ person: ID<Person>, _ key: SessionKey) {
    crowds[person]?.removeAll { $0.key == key }
    if crowds[person]?.isEmpty == true { crowds[person] = nil }
  }

  /// A connection that was opened so long before another one is the older one, though its hello may come later: on a
  /// bad network, packets of a connection that its client has given up arrive late.
  private static let muchOlder = Duration.seconds(1)

  /// Makes the newer connection the only holder of its session and client (DESIGN "Exactly once"); answers the others
  /// that have said hello.
  ///
  /// - Parameter seated: The connection that says hello now.
  func claim(_ person: ID<Person>, _ seated: Seated) -> [SessionKey] {
    guard var crowd = crowds[person] else { return [] }
    let places = crowd.indices.filter { crowd[$0].isSameClient(as: seated) }
    let isLate = places.contains { crowd[$0].isHolder && crowd[$0].openedAt - seated.openedAt >= Self.muchOlder }
    if isLate { return [seated.key] }
    var older: [SessionKey] = []
    for place in places {
      if crowd[place].isHolder, crowd[place].key != seated.key { older.append(crowd[place].key) }
      crowd[place].isHolder = crowd[place].key == seated.key
    }
    crowds[person] = crowd
    return older
  }

  /// The connections of a person whose account is deleted, including those whose hello is not answered; no other gets a
  /// place.
  func end(_ person: ID<Person>, at now: Duration) -> [Seated] {
    endedPeople = endedPeople.filter { now - $0.value < .seconds(60) }
    endedPeople[person] = now
    return crowds[person] ?? []
  }

  /// The connections of a person, including those whose hello is not answered.
  func places(of person: ID<Person>) -> [Seated] { crowds[person] ?? [] }

  /// The connections of sessions that are to end, including those whose hello is not answered; no other gets a place.
  func places(of person: ID<Person>, toEnd ids: Set<ID<Rooms.Session>>, at now: Duration) -> [Seated] {
    endedSessions = endedSessions.filter { now - $0.value < .seconds(60) }
    for id in ids { endedSessions[id] = now }
    return (crowds[person] ?? []).filter { ids.contains($0.session) }
  }
}
