import Crypto
import HTTP
import Home
import Platform
import Rooms

/// The server's metrics in Prometheus' text format (OPS-2). Labels are words of the code; no user's text, no id and no
/// position appears.
extension Shard {
  /// The values of one shard at one moment.
  struct Reading: Sendable {
    var counters = Counters()
    var calls: [String: (answered: Int, refused: Int)] = [:]
    var connections: [String: Int] = [:]
    var rooms: [String: Int] = [:]
    var subscriptions = 0
    var slow = 0
    /// Longest silence of a watched room.
    var staleness = Duration.zero
    var uptime = Duration.zero

    mutating func add(_ other: Reading) {
      counters.add(other.counters)
      calls.merge(other.calls) { ($0.answered + $1.answered, $0.refused + $1.refused) }
      connections.merge(other.connections, uniquingKeysWith: +)
      rooms.merge(other.rooms, uniquingKeysWith: +)
      subscriptions += other.subscriptions
      slow += other.slow
      staleness = max(staleness, other.staleness)
      uptime = max(uptime, other.uptime)
    }
  }

  /// Answers `GET /metrics` to a client that may read it.
  func tellMetrics(_ exchange: HTTPExchange) {
    guard mayReadMetrics(exchange.head, exchange.peer) else {
      return exchange.respond(.forbidden, "Metrics are for this machine, or for whoever has the token.\n")
    }
    neighbours.askAll(.reading) { [unowned self] answers in
      var sum = Reading()
      for case .reading(let reading) in answers { sum.add(reading) }
      let headers: Headers = [
        "Cache-Control": "no-store", "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
      ]
      let text = MetricsText.of(sum, loops: shards.count, services.usage())
      exchange.respond(Response(.ok, headers: headers, body: Array(text.utf8)))
    }
  }

  /// Whether a request may read metrics. Without a token only this machine may, but no proxy or web page on it.
  private func mayReadMetrics(_ request: RequestHead, _ peer: PeerAddress?) -> Bool {
    if let token = configuration.metricsToken {
      let given = Array((request.headers["Authorization"] ?? "").utf8)
      // Comparing hashes: the time taken tells nothing of the token.
      return SHA256.hash(given) == SHA256.hash(Array("Bearer \(token)".utf8))
    }
    let signs = ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via", "Origin"]
    return peer?.isLoopback == true && isAddressed(request) && !signs.contains { request.headers.contains($0) }
  }

  /// The counts and the present state of this shard.
  var reading: Reading {
    var reading = Reading()
    reading.counters = counters
    for entry in methods.entries + adminMethods.entries {
      reading.calls[entry.name] = (entry.counter.answered, entry.counter.refused)
    }
    reading.calls[Self.unknownMethod] = (methods.unknown.answered, methods.unknown.refused)
    for session in connections.all {
      reading.connections[session.kindName, default: 0] += 1
      if session.isBehind { reading.slow += 1 }
    }
    for seat in rooms.all where seat.room != nil {
      reading.rooms[RoomKindName(seat.id).rawValue, default: 0] += 1
      reading.subscriptions += seat.subscriptions.count
      for subscription in seat.subscriptions {
        reading.staleness = max(reading.staleness, loop.uptime - subscription.toldAt)
      }
    }
    reading.uptime = loop.uptime
    return reading
  }

  static let unknownMethod = "unknown"
}

extension Session {
  fileprivate var kindName: String {
    switch phase {
    case .head: "opening"
    case .http: "http"
    case .open, .amid, .receiving: person == nil ? "stranger" : "member"
    // A connection of another shard, or of one request.
    case .guest: isExchange ? "request" : "guest"
    case .closing: "closing"
    }
  }
}

/// Writes the exposition format, version 0.0.4.
struct MetricsText {
  private var text = ""

  static func of(_ reading: Shard.Reading, loops: Int, _ usage: ProcessUsage?) -> String {
    var text = MetricsText()
    text.write(reading, loops)
    text.write(reading.counters)
    if let usage {
      text.add("process_resident_memory_bytes", "Memory of the process.", "gauge", [([], Double(usage.residentBytes))])
      text.add("process_cpu_seconds_total", "CPU time of the process.", "counter", [([], usage.cpu.seconds)])
    }
    return text.text
  }

  private mutating func write(_ reading: Shard.Reading, _ loops: Int) {
    add(
      "hearth_build_info", "Build information: always 1.", "gauge", [([("protocol", Shard.subprotocol)], 1)])
    gauge("hearth_uptime_seconds", "Time since the server started.", reading.uptime.seconds)
    gauge("hearth_loops", "Event loops.", Double(loops))
    add("hearth_connections", "Connections, by kind.", "gauge", "kind", reading.connections)
    add("hearth_rooms", "Rooms in memory, by kind.", "gauge", "kind", reading.rooms)
    gauge("hearth_subscriptions", "Subscriptions of connections to rooms.", Double(reading.subscriptions))
    gauge("hearth_slow_connections", "Connections that have fallen behind.", Double(reading.slow))
    gauge("hearth_staleness_seconds", "Longest silence of a watched room.", reading.staleness.seconds)
    add(
      "hearth_calls_total", "Calls, by method and outcome.", "counter",
      reading.calls.sorted { $0.key < $1.key }.flatMap { name, count in
        [
          ([("method", name), ("outcome", "answered")], Double(count.answered)),
          ([("method", name), ("outcome", "refused")], Double(count.refused)),
        ]
      })
  }

  private mutating func write(_ counters: Counters) {
    counter("hearth_connections_opened_total", "Connections that were accepted.", counters.connections)
    add("hearth_refusals_total", "Refusals, by reason.", "counter", "reason", counters.refusals)
    let statuses = Dictionary(counters.responses.map { ("\($0.key)", $0.value) }, uniquingKeysWith: +)
    add("hearth_http_responses_total", "Responses to HTTP requests, by status.", "counter", "status", statuses)
    add("hearth_resumes_total", "First answers to subscriptions, by outcome.", "counter", "outcome", counters.resumes)
    counter("hearth_commits_total", "Commits that are on disk.", counters.commits)
    add("hearth_commit_failures_total", "Commits that failed.", "counter", "kind", counters.commitFailures)
    histogram("hearth_commit_rooms", "Rooms in a commit.", counters.commitRooms)
    histogram("hearth_commit_seconds", "Time from handing a commit over until it is on disk.", counters.commitSeconds)
    counter("hearth_patches_total", "Patches sent, counted per connection.", counters.patches)
    counter("hearth_patch_bytes_total", "Bytes of patches, before compression.", counters.patchBytes)
    counter("hearth_merged_patches_total", "Patches merged for slow connections.", counters.mergedPatches)
    counter("hearth_fell_behind_total", "Times that a connection fell behind.", counters.fellBehind)
    counter(
      "hearth_throttles_total", "Times that a connection called more often than allowed.", counters.throttles)
    histogram("hearth_position_gap_seconds", "Time between two broadcasts of one live position.", counters.positionGaps)
    counter("hearth_room_loads_total", "Rooms loaded.", counters.loads)
    counter("hearth_room_load_failures_total", "Rooms that could not be loaded.", counters.failedLoads)
    counter("hearth_room_evictions_total", "Idle rooms evicted from memory.", counters.evictions)
    counter("hearth_mails_total", "Mails that the mail server has taken.", counters.mails)
    counter("hearth_failed_mails_total", "Mails that were given up.", counters.failedMails)
    counter("hearth_due_total", "Times that a room acted at a due time.", counters.dueRooms)
    histogram("hearth_due_delay_seconds", "Time from a due time until the room acted.", counters.dueDelays)
  }

  // MARK: lines

  private mutating func gauge(_ name: String, _ help: String, _ value: Double) {
    add(name, help, "gauge", [([], value)])
  }

  private mutating func counter(_ name: String, _ help: String, _ value: Int) {
    add(name, help, "counter", [([], Double(value))])
  }

  private mutating func add(
    _ name: String, _ help: String, _ type: String, _ label: String, _ values: [String: Int]
  ) {
    add(name, help, type, values.sorted { $0.key < $1.key }.map { ([(label, $0.key)], Double($0.value)) })
  }

  private mutating func add(
    _ name: String, _ help: String, _ type: String, _ samples: [(labels: [(String, String)], value: Double)]
  ) {
    head(name, help, type)
    for sample in samples { line(name, sample.labels, sample.value) }
  }

  private mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
    head(name, help, "histogram")
    var sum = 0
    for (index, count) in histogram.counts.enumerated() {
      sum += count
      let bound = index < histogram.bounds.count ? Self.number(histogram.bounds[index]) : "+Inf"
      line("\(name)_bucket", [("le", bound)], Double(sum))
    }
    line("\(name)_sum", [], histogram.sum)
    line("\(name)_count", [], Double(sum))
  }

  private mutating func head(_ name: String, _ help: String, _ type: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }

  private mutating func line(_ name: String, _ labels: [(String, String)], _ value: Double) {
    text += name
    if !labels.isEmpty { text += "{\(labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ","))}" }
    text += " \(Self.number(value))\n"
  }

  private static func number(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : value.description
  }

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { $0 += $1 == "\\" ? "\\\\" : $1 == "\"" ? "\\\"" : $1 == "\n" ? "\\n" : String($1) }
  }
}
