import Platform
import Server
import Transport

/// All that may be chosen about `hearth serve`, with what is used otherwise.
struct ServeOptions: Sendable {
  var data = "data"
  var config: String?
  var printConfig = false
  var sample = false
  var logFormat = LogFormat.text
  var logLevel = LogEvent.Level.info
  var crashAt: CrashPoint?
  /// `nil` for loopback.
  var address: String?
  var tls = CertificateFiles()
  var allowsPlainText = false
  /// Without what follows from the others: the database's path, address and certificate.
  var node = Node.Options(path: "", port: 7400)

  /// What does not fit together, each a sentence.
  var contradictions: [String] {
    var found: [String] = []
    let configuration = node.configuration
    if configuration.silenceLimit <= configuration.heartbeat {
      found.append("silence-limit must be longer than heartbeat: a ping goes out once in that time")
    }
    if (tls.certificate == nil) != (tls.key == nil) { found.append("certificate and key belong together") }
    if listenerAddress.isLoopback == false, tls.certificate == nil, !allowsPlainText {
      found.append(
        """
        everybody on the way could read passwords: give --certificate and --key, or --allow-plain-text where \
        something in front of this server encrypts. Positions are shared over loopback or TLS only.
        """)
    }
    if sample, address != nil || tls.certificate != nil {
      found.append("--sample is for trying things out on this machine: without --address and --certificate")
    }
    return found
  }

  var listenerAddress: Listener.Address { address.map { .literal($0) } ?? .loopback }
}

extension Setting {
  /// Everything that `hearth serve` may be told. An entry here is a flag, a variable and a key of the file, with its
  /// line of help and its check.
  static let all: [Setting] = [
    .optionalText(
      "config", \.config, allowed: "the path of a file", "A JSON file with settings: an object of the keys below."
    ).only(.flag, .variable),
    .yesOrNo("print-config", \.printConfig, "Prints each setting and where it comes from, and starts nothing.")
      .only(.flag),
    .text("data", \.data, "The folder of the database; made if there is none."),
    .number("port", \.node.port, 0...65_535, "The port to listen on; 0 takes a free one."),
    .optionalText(
      "address", \.address, allowed: "a literal address such as 127.0.0.1 or ::",
      "The address to listen on: one of this machine's, or 0.0.0.0 or :: for all of them.", isAddress
    ).standing(for: "127.0.0.1 and ::1, which nobody reaches from elsewhere"),
    .optionalText(
      "certificate", \.tls.certificate, allowed: "the path of a file",
      "The server's certificate in PEM form, and those that lead to a known authority: all is spoken over TLS."),
    .optionalText(
      "key", \.tls.key, allowed: "the path of a file", "The certificate's private key in PEM form."),
    .yesOrNo(
      "allow-plain-text", \.allowsPlainText,
      "Listens beyond this machine without a certificate, behind something that encrypts."),
    .number(
      "connections-per-minute", \.node.configuration.connectionsPerMinute, 1...1_000_000,
      "Connections that one address may make in a minute; further ones are closed at once."),
    .number(
      "strangers-per-address", \.node.configuration.strangersPerAddress, 1...1_000_000,
      "Connections of one address, at a time, that have not said hello with a token."),
    .number(
      "strangers", \.node.configuration.strangers, 1...1_000_000,
      "Connections of all addresses together, at a time, that have not said hello with a token."),
    .yesOrNo(
      "limit-loopback", \.node.configuration.limitsLoopback,
      "Whether these three hold for this machine's own addresses too, where a proxy's clients seem to come from."),
    .number(
      "connections-per-person", \.node.configuration.connectionsPerPerson, 1...1024,
      "Connections of one person at a time; for one more hello is refused."),
    .number(
      "calls-per-second", \.node.configuration.callsPerSecond, 1...1_000_000,
      "Calls of one connection in a second, two seconds' worth of them at once; what comes sooner is read later."),
    .number(
      "loops", \.node.loopCount, 1...256, "Event loops, each with a thread of its own while it works."
    ).standing(for: "one for each processor"),
    .list(
      "allow-origin", \.node.configuration.allowedOrigins, each: "an origin such as https://home.example",
      "A web page's origin that may connect. The flag may be given several times; the variable separates by commas.",
      isOrigin),
    .yesOrNo("sample", \.sample, "Makes a sample household on the first start, and lets somebody in it take a walk."),

    .optionalText(
      "metrics-token", \.node.configuration.metricsToken,
      "Whoever has it may read /metrics from anywhere; without one, only this machine may."
    ).only(.variable, .file).secret,
    .choice("log-level", \.logLevel, "The least important events that are written to standard error."),
    .choice("log-format", \.logFormat, "How they are written: lines for people, or one JSON object each."),

    .duration(
      "heartbeat", \.node.configuration.heartbeat, .seconds(1) ... .seconds(60),
      "Silence in a room after which its watchers are told that nothing has happened; pings go out as often."),
    .duration(
      "silence-limit", \.node.configuration.silenceLimit, .seconds(2) ... .seconds(3600),
      "A connection from which nothing has come for this long is closed."),
    .duration(
      "hello-timeout", \.node.configuration.helloTimeout, .seconds(1) ... .seconds(600),
      "A connection must have upgraded, and then said hello, within this time."),
    .duration(
      "message-timeout", \.node.configuration.messageTimeout, .seconds(1) ... .seconds(600),
      "A message that comes in pieces must be complete within this time."),
    .duration(
      "return-spread", \.node.configuration.returnSpread, .zero ... .seconds(600),
      "When the server stops, clients are told to come back within this time, each at another moment."),
    .duration(
      "stall-limit", \.node.configuration.stallLimit, .seconds(1) ... .seconds(3600),
      "A connection whose peer takes no byte for this long, though some wait for it, is closed."),
    .number(
      "unsent-limit", \.node.configuration.unsentLimit, 4096...(16 << 20), unit: "bytes",
      "Unsent bytes of a connection above which it gets merged patches later instead of each one now."),
    .duration(
      "room-idle-limit", \.node.configuration.roomIdleLimit, .seconds(1) ... .seconds(86_400),
      "A room that nobody watches or asks for leaves memory after this time."),
    .number(
      "deflate-threshold", \.node.configuration.deflateThreshold, 0...(1 << 20), unit: "bytes",
      "Messages from this size on are compressed, for clients that agreed to it."),
    .duration(
      "gather", \.node.configuration.gather, .zero ... .seconds(1),
      "A busy loop commits at most once in this time, so that changes share flushes; one with time to spare at once."),
    .duration(
      "gather-limit", \.node.configuration.gatherLimit, .zero ... .seconds(1),
      "While calls come faster than they are handled, a commit waits for more of them up to this long."),
    .duration(
      "gather-live", \.node.configuration.gatherLive, .zero ... .milliseconds(100),
      "In a busy loop positions and all else that is live wait up to this long, so that several share a send."),
    .number(
      "entries-per-snapshot", \.node.configuration.entriesPerSnapshot, 1...100_000,
      "Commits of a room after which all of it is written anew, at the latest."),
    .duration(
      "snapshot-age", \.node.configuration.snapshotAge, .seconds(1) ... .seconds(86_400),
      "Age of the oldest change behind that at which an idle room is written anew."),

    Setting(
      name: "crash-at", help: "", form: .text, allowed: "a step and a count, such as afterCommit:3",
      apply: { options, words in
        options.crashAt = CrashPoint(argument: words[0])
        return options.crashAt != nil
      }, show: { $0.crashAt.map { "\($0)" } ?? "" }, places: [.flag], isHidden: true),
  ]

  private static func isAddress(_ text: String) -> Bool { Listener.Address.literal(text).isLoopback != nil }

  /// Scheme, host and perhaps a port, as browsers send it.
  private static func isOrigin(_ text: String) -> Bool {
    text.wholeMatch(of: /[a-z][a-z0-9+.-]*:\/\/[a-z0-9.\[\]:-]+/) != nil
  }
}
