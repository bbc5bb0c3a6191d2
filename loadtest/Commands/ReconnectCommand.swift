import ArgumentParser
import Foundation

struct ReconnectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reconnect",
    abstract: "All connections drop at once and come back: the time until the last has resumed (SYN-2).",
    discussion: """
      Each connection watches its person's room and the household. Before they drop, each household is changed while \
      only one of its connections reads, so that the others miss changes. A refused connection retries after a random, \
      growing wait.

      The run fails if a connection did not come back, or misses a change.
      """)

  @OptionGroup var target: TargetOptions
  @OptionGroup var sample: SampleOptions

  @Option(help: "The number of connections. People are used in turn, and each connection has its own client id.")
  var connections = 1000

  @Option(help: "Changes of each household that the others miss.")
  var changes = 3

  @Option(help: "Seconds over which the connections come back; 0 for all at once.")
  var spread = 0.0

  @Option(help: "The connections that are set up at once; without it, all.")
  var atOnce: Int?

  @Flag(help: "Kills the server (--pid) instead of closing the connections. Another program must restart it.")
  var restartServer = false

  @OptionGroup var restart: RestartOptions

  @Option(help: "Seconds after which a connection that has not come back is lost.")
  var patience = 120.0

  func validate() throws {
    guard connections > 0, changes > 0, spread >= 0, patience > spread, atOnce ?? 1 > 0 else {
      throw ValidationError("Check --connections, --changes, --spread, --at-once and --patience.")
    }
    if restartServer, target.pid == nil { throw ValidationError("--restart-server needs --pid.") }
  }

  func run() throws {
    let people = try Person.read(sample.people)
    guard !people.isEmpty else { throw ValidationError("\(sample.people) is empty.") }
    let generator = try Generator(target)
    let scenario = ReconnectScenario(self, generator, (0..<connections).map { people[$0 % people.count] })
    generator.scenario = scenario
    try generator.openAll()
    try scenario.prepare()
    say("\(generator.readyCount) connections are ready, and all but one of each household have stopped reading.")
    let before = Usage(of: target.pid)
    try scenario.drop()
    let sum = restartServer ? before.sum(of: restart.pid) : before.sum
    scenario.confirm()

    var report = Report("reconnect")
    report.add("connections", "connections", Double(connections))
    let last = Double(scenario.lastResumedAt - scenario.droppedAt) / 1e9
    report.add("all are back after", "last_s", last, digits: 2, "s")
    report.add("back after", "resumed", latency: scenario.resumed)
    report.add("  from the try that succeeded", "setup", latency: scenario.setUp)
    report.add("rooms answered with a patch", "patches", Double(scenario.patchCount))
    report.add("  with the whole state", "states", Double(scenario.stateCount))
    report.add("refused, tried again", "refused", Double(scenario.refusedCount))
    report.add("received", "received_MB", Double(scenario.receivedByteCount) / 1e6, digits: 1, "MB")
    report.add(sum, per: [("connection", "serverCPUPerResume", connections)])
    report.add("not back", "absent", Double(scenario.absentCount))
    report.add("versions missing", "missing", Double(scenario.missingCount))
    report.add("contents wrong", "wrong", Double(scenario.wrongCount))
    for (reason, count) in scenario.refusals.sorted(by: { $0.key < $1.key }) {
      report.remark("\(count) tries ended: \(reason).")
    }
    report.add(losses: generator.losses)
    report.require(scenario.absentCount == 0, "SYN-2: \(scenario.absentCount) connections did not come back.")
    report.require(scenario.missingCount == 0, "SYN-2: \(scenario.missingCount) versions are missing.")
    report.require(scenario.wrongCount == 0, "SYN-2: \(scenario.wrongCount) households are not as they were left.")
    report.require(scenario.backwardCount == 0, "SYN-4: \(scenario.backwardCount) rooms have forgotten a version.")
    try report.publish(target)
  }
}
