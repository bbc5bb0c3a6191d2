import ArgumentParser
import Foundation
import Gateways
import HTTP
import Platform
import Server
import Transport

/// The options of `hearth serve`, with their defaults.
struct ServeOptions: Sendable {
  var data = "data"
  var config: String?
  var printConfig = false
  var sample = false
  var logFormat = LogFormat.text
  var logLevel = LogEvent.Level.info
  /// `nil` for loopback.
  var address: String?
  var tls = CertificateFiles()
  var allowsPlainText = false
  var mail = MailSettings()
  /// A folder with the page's files, in place of the page in this program; and whether none is served.
  var web: String?
  var servesNoPage = false
  /// The file with the secrets of providers of OpenID.
  var openIDSecrets: String?
  /// The template of a server of map tiles.
  var mapTiles: String?
  /// Its path, address and certificate are set from the options above when the server starts.
  var node = Node.Options(path: "", port: 7400)

  /// Options that contradict each other, each as a sentence.
  var contradictions: [String] {
    var found: [String] = []
    let configuration = node.configuration
    if configuration.silenceLimit <= configuration.heartbeat {
      found.append("silence-limit must be longer than heartbeat, which is the interval of pings")
    }
    if (tls.certificate == nil) != (tls.key == nil) { found.append("certificate and key belong together") }
    if listenerAddress.isLoopback == false, tls.certificate == nil, !allowsPlainText {
      found.append(
        """
        anybody on the network could read passwords: give --certificate and --key, or --allow-plain-text if a proxy in \
        front of this server encrypts. Positions are shared over loopback or TLS only.
        """)
    }
    if sample, address != nil || tls.certificate != nil {
      found.append("--sample is for trying things out on this machine: leave out --address and --certificate")
    }
    if let mapTiles, MapTiles(mapTiles) == nil {
      found.append("map-tiles must be an https URL with {z}, {x} and {y}, such as https://tiles.home/{z}/{x}/{y}.png")
    }
    if let web, !FileManager.default.fileExists(atPath: "\(web)/index.html") {
      found.append("web must be a folder with the page's files, and \(web) has no index.html")
    }
    if web != nil, servesNoPage { found.append("web and no-web contradict each other") }
    let names = node.configuration.openID.map(\.name)
    if Set(names).count < names.count { found.append("openid must give each provider a name of its own") }
    return found + mail.contradictions
  }

  /// Reads the file of `openid-secrets`: a secret for each provider that it names.
  func readOpenIDSecrets() throws -> [String: String] {
    guard let openIDSecrets else { return [:] }
    guard let text = try? String(contentsOf: URL(filePath: openIDSecrets), encoding: .utf8) else {
      throw ValidationError("The file \(openIDSecrets) of --openid-secrets cannot be read.")
    }
    var secrets: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let sides = line.split(separator: "=", maxSplits: 1).map(String.init)
      guard sides.count == 2, node.configuration.openID.contains(where: { $0.name == sides[0] }) else {
        throw ValidationError(
          "The file \(openIDSecrets) of --openid-secrets must have lines NAME=SECRET, with names of --openid.")
      }
      secrets[sides[0]] = sides[1]
    }
    return secrets
  }

  /// The page for browsers, as it is when it is asked for; `nil` if none is served.
  var page: (@Sendable () -> WebApp)? {
    if servesNoPage { return nil }
    let tiles = mapTiles.flatMap(MapTiles.init)
    if let web { return PageFiles.watching(web, tiles) }
    return PageFiles.prepared(tiles)
  }

  /// The names by which people know this machine: that of `public-url`, and the machine's own.
  var names: Set<String> {
    var names: Set<String> = []
    if let host = node.configuration.publicURL.flatMap({ URL(string: $0)?.host() }) { names.insert(host.lowercased()) }
    let machine = ProcessInfo.processInfo.hostName.lowercased()
    if !machine.isEmpty {
      names.insert(machine)
      if !machine.contains(".") { names.insert("\(machine).local") }
    }
    return names
  }

  var listenerAddress: Listener.Address { address.map { .literal($0) } ?? .loopback }
}

extension Setting {
  /// All settings of `hearth serve`: each a flag, a variable and a key of the file, with its help and its check.
  static let all: [Setting] = [
    .optionalText(
      "config", \.config, allowed: "the path of a file", "A JSON file with settings: an object of the keys below."
    ).only(.flag, .variable),
    .yesOrNo("print-config", \.printConfig, "Prints each setting and its source, and starts nothing.")
      .only(.flag),
    .text("data", \.data, "The folder of the database; created if missing."),
    .number("port", \.node.port, 0...65_535, "The port to listen on; 0 selects a free one."),
    .optionalText(
      "address", \.address, allowed: "a literal address such as 127.0.0.1 or ::",
      "The address to listen on: one of this machine's, or 0.0.0.0 or :: for all of them.", isAddress
    ).standing(for: "127.0.0.1 and ::1, which other machines cannot reach"),
    .optionalText(
      "certificate", \.tls.certificate, allowed: "the path of a file",
      "The server's certificate chain in PEM form. With it the server speaks TLS only."),
    .optionalText(
      "key", \.tls.key, allowed: "the path of a file", "The certificate's private key in PEM form."),
    .yesOrNo(
      "allow-plain-text", \.allowsPlainText,
      "Listens beyond this machine without a certificate, behind a proxy that encrypts."),
    .number(
      "connections-per-minute", \.node.configuration.connectionsPerMinute, 1...1_000_000,
      "Connections that one address may open in a minute; the server closes further ones at once."),
    .number(
      "strangers-per-address", \.node.configuration.strangersPerAddress, 1...1_000_000,
      "Connections of one address, at a time, that have not said hello with a token."),
    .number(
      "strangers", \.node.configuration.strangers, 1...1_000_000,
      "Connections of all addresses together, at a time, that have not said hello with a token."),
    .yesOrNo(
      "limit-loopback", \.node.configuration.limitsLoopback,
      "Applies these three and the limit of sign-ups to loopback too."),
    .choice(
      "puzzle", \.node.configuration.puzzle,
      """
      Asks for proof of work before sign-up, log-in from an unknown device and a new household: auto asks other \
      machines.
      """),
    .number(
      "puzzle-numbers", \.node.configuration.puzzleNumbers, 1000...10_000_000,
      "Numbers among which the solution of such a puzzle is; a phone tries about 50,000 in a second."),
    .list(
      "trusted-proxy", \.node.configuration.trustedProxies,
      each: "an address, or a network such as 10.0.0.0/8 or fd00::/8",
      """
      A proxy that says where its clients are, in Forwarded or X-Forwarded-For. Repeat the flag for several; separate \
      them by commas in the variable.
      """, { IPNetwork($0) == nil ? nil : $0 }),
    .number(
      "connections-per-person", \.node.configuration.connectionsPerPerson, 1...1024,
      "Connections of one person at a time; hello is refused for one more."),
    .number(
      "calls-per-second", \.node.configuration.callsPerSecond, 1...1_000_000,
      "Calls of one connection in a second, two seconds' worth at once; faster clients are read more slowly."),
    .number(
      "loops", \.node.loopCount, 1...256, "Event loops, each on its own thread while it works."
    ).standing(for: "one per CPU"),
    .list(
      "allow-origin", \.node.configuration.allowedOrigins,
      each: "an origin such as https://home.example, app://home or null, without path, user or wildcard",
      """
      A browser origin that may connect, beside the server's own page. Repeat the flag for several; separate them by \
      commas in the variable.
      """
    ) { Origin($0) },
    .optionalText(
      "mail", \.mail.server, allowed: "a server such as smtp://mail.example:587 or smtps://mail.example",
      """
      The mail server. smtps:// is TLS from the beginning; smtp:// needs STARTTLS, except for a server on this \
      machine, which gets plain text.
      """
    ) { SMTPOptions(server: $0, from: "") != nil },
    .optionalText(
      "mail-from", \.mail.from, allowed: "an e-mail address", "The sender of all mails.", SMTPOptions.isAddress),
    .optionalText("mail-user", \.mail.user, "The user who logs in to the mail server."),
    .optionalText(
      "mail-password-file", \.mail.passwordFile, allowed: "the path of a file", "A file with that user's password."),
    .optionalText(
      "mail-ca", \.mail.authorities, allowed: "the path of a file",
      "A PEM file with the authorities of the mail server's certificate."
    ).standing(for: "the system's authorities"),
    .optionalText(
      "public-url", \.node.configuration.publicURL, allowed: "an address such as https://home.example/",
      "The address at which people reach this server: for links in mails, and as a name of its page."
    ) { text in
      ["https://", "http://"].contains(where: text.hasPrefix) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    },
    .optionalText(
      "web", \.web, allowed: "the path of a folder",
      "Serves the page from this folder, read again when a file changes: for people who work on the page."
    ).standing(for: "the page in this program"),
    .optionalText(
      "map-tiles", \.mapTiles, allowed: "an https URL with {z}, {x} and {y}",
      "Shows map tiles of this server behind positions. It learns which places people look at."
    ).standing(for: "no tiles: a map of distances"),
    .yesOrNo("no-web", \.servesNoPage, "Serves no page."),
    .list(
      "openid", \.node.configuration.openID, separator: ";",
      each: """
        NAME=ISSUER,CLIENT_ID or NAME=ISSUER,CLIENT_ID,JWKS: a name of small letters, digits and hyphens, an https \
        URL, the name of your apps at the provider, and the https URL or the file of its keys
        """,
      """
      A provider of OpenID Connect whose ID tokens log people in. Without JWKS the provider says where its keys are. \
      Repeat the flag for several; separate them by semicolons in the variable.
      """, { OpenIDProvider($0) }),
    .optionalText(
      "openid-secrets", \.openIDSecrets, allowed: "the path of a file",
      "A file with a line NAME=SECRET for each provider that wants a secret when browsers log in (not for apps)."),
    .yesOrNo(
      "sample", \.sample, "Creates a sample household on the first start, and lets one of its people walk home."),

    .optionalText(
      "metrics-token", \.node.configuration.metricsToken,
      "Lets requests with this token read /metrics from anywhere; without it, only this machine may."
    ).only(.variable, .file).secret,
    .choice("log-level", \.logLevel, "The least severe events that are written to standard error."),
    .choice("log-format", \.logFormat, "The log's format: lines for people, or one JSON object per line."),

    .duration(
      "heartbeat", \.node.configuration.heartbeat, .seconds(1) ... .seconds(50),
      "The longest silence of a room, after which its watchers receive a tick; also the interval of pings."),
    .duration(
      "silence-limit", \.node.configuration.silenceLimit, .seconds(2) ... .seconds(3600),
      "Closes a connection that has sent nothing for this long."),
    .duration(
      "hello-timeout", \.node.configuration.helloTimeout, .seconds(1) ... .seconds(600),
      "Time for a connection to upgrade, and again to say hello."),
    .duration(
      "message-timeout", \.node.configuration.messageTimeout, .seconds(1) ... .seconds(600),
      "Time for a fragmented message to be complete."),
    .duration(
      "return-spread", \.node.configuration.returnSpread, .zero ... .seconds(600),
      "Time over which a stopping server spreads its clients' reconnections."),
    .duration(
      "stall-limit", \.node.configuration.stallLimit, .seconds(1) ... .seconds(3600),
      "Closes a connection whose peer reads nothing for this long although data is waiting."),
    .number(
      "unsent-limit", \.node.configuration.unsentLimit, 4096...(16 << 20), unit: "bytes",
      "Unsent bytes above which a connection gets merged patches later instead of each one now."),
    .duration(
      "room-idle-limit", \.node.configuration.roomIdleLimit, .seconds(1) ... .seconds(86_400),
      "Idle time after which a room that nobody watches is evicted from memory."),
    .number(
      "deflate-threshold", \.node.configuration.deflateThreshold, 0...(1 << 20), unit: "bytes",
      "Size from which messages are compressed, for clients that support it."),
    .duration(
      "gather", \.node.configuration.gather, .zero ... .seconds(1),
      "Interval of commits of a busy loop, so that changes share flushes; an idle loop commits at once."),
    .duration(
      "gather-limit", \.node.configuration.gatherLimit, .zero ... .seconds(1),
      "Longest time that a commit waits for more calls while they arrive faster than they are handled."),
    .duration(
      "gather-live", \.node.configuration.gatherLive, .zero ... .milliseconds(100),
      "Longest time that a busy loop holds back positions and other live data, so that several share a send."),
    .number(
      "entries-per-snapshot", \.node.configuration.entriesPerSnapshot, 1...100_000,
      "Commits of a room after which it is snapshotted, at the latest."),
    .duration(
      "snapshot-age", \.node.configuration.snapshotAge, .seconds(1) ... .seconds(86_400),
      "Age of the oldest change since the last snapshot at which an idle room is snapshotted."),
  ]

  private static func isAddress(_ text: String) -> Bool { Listener.Address.literal(text).isLoopback != nil }
}
