/// Counts of a run; a window is the difference of two.
struct Tally {
  var sent = 0
  var answers = 0
  /// Versions received over all connections, and the patches that contained them.
  var deliveries = 0
  var patches = 0
  var bytes = 0
  var refused = 0
  /// Versions that a connection's patches left out or repeated.
  var missing = 0
  var twice = 0
  /// Patches that came after later ones.
  var disorder = 0

  static func - (later: Tally, earlier: Tally) -> Tally {
    Tally(
      sent: later.sent - earlier.sent, answers: later.answers - earlier.answers,
      deliveries: later.deliveries - earlier.deliveries, patches: later.patches - earlier.patches,
      bytes: later.bytes - earlier.bytes, refused: later.refused - earlier.refused,
      missing: later.missing - earlier.missing, twice: later.twice - earlier.twice,
      disorder: later.disorder - earlier.disorder)
  }
}

/// The counts so far. A class, since it changes while a window refers to it.
final class LoadRecord {
  var tally = Tally()
  var answerLatency = Histogram()
  var deliveryLatency = Histogram()
  /// Until the last of a room's connections has it.
  var lastDeliveryLatency = Histogram()
}

/// The figures of a time window.
struct LoadFigures {
  var usage: Usage.Sum
  var tally: Tally
  var answerLatency: Histogram
  var deliveryLatency: Histogram
  /// Until the last of a room's connections has it.
  var lastDeliveryLatency: Histogram
}

/// A scenario that sends load while it is asked to, and records the results.
protocol LoadScenario: Scenario {
  var generator: Generator { get }
  var record: LoadRecord { get }
  func start()
  func stop()
  /// Waits for messages in flight, at most this long.
  func drain(seconds: Double)
}

extension LoadScenario {
  /// Runs the load for some seconds, reporting every second, and returns the figures.
  func window(seconds: Double, of server: Int32?, _ name: String = "") -> LoadFigures {
    record.answerLatency.clear()
    record.deliveryLatency.clear()
    record.lastDeliveryLatency.clear()
    record.tally.bytes = generator.receivedByteCount
    let before = record.tally
    let usage = Usage(of: server)
    var last = before
    var line = ProgressLine(name)
    let end = usage.startedAt + Int64(seconds * 1e9)
    generator.run {
      if let duration = line.due(at: generator.now) {
        line.say(record.tally - last, duration, record.deliveryLatency)
        last = record.tally
      }
      return generator.now >= end
    }
    record.tally.bytes = generator.receivedByteCount
    return LoadFigures(
      usage: usage.sum, tally: record.tally - before, answerLatency: record.answerLatency,
      deliveryLatency: record.deliveryLatency, lastDeliveryLatency: record.lastDeliveryLatency)
  }

  /// Runs a warm-up, the measured window, and the end.
  func run(warmup: Double, seconds: Double, of server: Int32?) -> LoadFigures {
    say("\(generator.readyCount) connections are ready.")
    start()
    _ = window(seconds: warmup, of: server, "warm-up")
    let figures = window(seconds: seconds, of: server)
    stop()
    drain(seconds: 10)
    return figures
  }
}

extension ProgressLine {
  func say(_ recent: Tally, _ duration: Double, _ deliveries: Histogram) {
    say(
      "\(Report.text(Double(recent.sent) / duration))/s sent, "
        + "\(Report.text(Double(recent.answers) / duration))/s answered, "
        + "\(Report.text(Double(recent.deliveries) / duration))/s delivered, "
        + "p99 so far \(Report.text(Double(deliveries.percentile(0.99)) / 1e6, digits: 2)) ms")
  }
}

extension Report {
  /// Adds the figures of a window.
  mutating func add(_ figures: LoadFigures) {
    let tally = figures.tally
    let duration = Double(figures.usage.duration) / 1e9
    add("changes sent", "sent_per_s", Double(tally.sent) / duration, "/s")
    add("answers", "answers_per_s", Double(tally.answers) / duration, "/s")
    add("deliveries", "deliveries_per_s", Double(tally.deliveries) / duration, "/s")
    add("  changes per patch", "changesPerPatch", Double(tally.deliveries) / Double(max(1, tally.patches)), digits: 2)
    add("received", "received_MB_per_s", Double(tally.bytes) / 1e6 / duration, digits: 1, "MB/s")
    add("answer after", "answer", latency: figures.answerLatency)
    add("delivery after", "delivery", latency: figures.deliveryLatency)
    add("  to the last of a room", "lastDelivery", latency: figures.lastDeliveryLatency)
  }
}
