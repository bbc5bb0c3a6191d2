import Testing

@testable import HearthCommand

/// OPS-3: all settings are in one list, for flags, variables and the file.
@Suite("Settings")
struct SettingTests {
  private static func read(
    _ arguments: [String] = [], _ environment: [String: String] = [:], file: String? = nil
  ) throws(SettingProblems) -> ChosenSettings {
    try SettingReader.read(arguments: arguments, environment: environment) { path in
      guard let file else { throw Missing() }
      return Array(file.utf8)
    }
  }

  private struct Missing: Error {}

  private static func problems(
    _ arguments: [String] = [], _ environment: [String: String] = [:], file: String? = nil
  ) -> [String] {
    do throws(SettingProblems) {
      _ = try read(arguments, environment, file: file)
      return []
    } catch { return error.lines }
  }

  @Test("OPS-3: a flag overrides a variable, which overrides the file, which overrides the default")
  func precedence() throws {
    let file = """
      {"port":1,"loops":2,"heartbeat":"3s","data":"there","allowOrigin":["https://a.example"],"sample":true}
      """
    let chosen = try Self.read(
      ["--config", "f.json", "--port", "4"],
      ["HEARTH_PORT": "5", "HEARTH_LOOPS": "6", "HEARTH_TOKEN": "t", "HOME": "h"], file: file)
    #expect(chosen.options.node.port == 4 && chosen.options.node.loopCount == 6)
    #expect(chosen.options.node.configuration.heartbeat == .seconds(3))
    #expect(chosen.options.data == "there" && chosen.options.sample)
    #expect(Self.origins(chosen) == ["https://a.example"])
    #expect(chosen.options.node.configuration.gather == .milliseconds(2))
    let report = chosen.report().split(separator: "\n")
    for line in [
      "port = 4  (--port)", "loops = 6  (HEARTH_LOOPS)", "heartbeat = 3s  (f.json: heartbeat)",
      "gather = 2ms  (default)",
    ] { #expect(report.contains { $0 == line }, "\(line)") }
    // A variable may name the file.
    #expect(try Self.read([], ["HEARTH_CONFIG": "f.json"], file: file).options.node.port == 1)
    #expect(try Self.read(["--sample=false"], ["HEARTH_SAMPLE": "true"]).options.sample == false)
    let both = ["https://a", "https://b"]
    #expect(Self.origins(try Self.read(["--allow-origin", "https://a", "--allow-origin=https://b"])) == both)
    #expect(Self.origins(try Self.read([], ["HEARTH_ALLOW_ORIGIN": "https://a, https://b"])) == both)
  }

  private static func origins(_ chosen: ChosenSettings) -> [String] {
    chosen.options.node.configuration.allowedOrigins.map { "\($0)" }.sorted()
  }

  @Test("all problems are reported at once, each with its source and the allowed values")
  func allAtOnce() {
    let lines = Self.problems(
      ["--config=f.json", "--port", "70000", "--nonsense", "7", "--loops", "--gather=2", "stray", "--port", "1"],
      ["HEARTH_HEARTBEAT": "soon", "HEARTH_PROT": "1"],
      file: #"{"loops":"2","unsentLimit":1,"colour":"red","allowOrigin":"https://a","heartbeat":25,"sample":1}"#)
    #expect(
      lines == [
        "--nonsense: there is no such setting",
        "--loops: a value is missing; it must be a whole number from 1 to 256",
        "stray: there is no such setting",
        "--port: is given twice",
        "HEARTH_PROT: there is no such setting",
        "f.json: allowOrigin: must be a list, each an origin such as https://home.example, app://home or null, "
          + "without path, user or wildcard",
        "f.json: colour: there is no such setting",
        "f.json: heartbeat: must be a time such as 250ms, 30s, 5m or 1h, from 1s to 50s, in quotes",
        "f.json: loops: must be a whole number from 1 to 256",
        "f.json: sample: must be true or false",
        "f.json: unsentLimit: '1' is not allowed; it must be a whole number of bytes from 4096 to 16777216",
        "HEARTH_HEARTBEAT: 'soon' is not allowed; it must be a time such as 250ms, 30s, 5m or 1h, from 1s to 50s",
        "--port: '70000' is not allowed; it must be a whole number from 0 to 65535",
        "--gather: '2' is not allowed; it must be a time such as 250ms, 30s, 5m or 1h, from 0s to 1s",
      ])
  }

  @Test("a file that cannot be used is rejected by name")
  func files() {
    let config = ["--config", "f.json"]
    #expect(Self.problems(config) == ["f.json: cannot be read"])
    #expect(Self.problems(config, file: "[]") == ["f.json: must be a JSON object"])
    for text in ["{", "port: 7", #"{"port":1,"port":2}"#, "{}x"] {
      #expect(Self.problems(config, file: text).first?.hasPrefix("f.json: is not JSON") == true, "\(text)")
    }
    #expect(Self.problems(config, file: #"{"config":"g.json"}"#) == ["f.json: config: there is no such setting"])
  }

  @Test("each setting is read from each of its sources and rejects invalid values", arguments: Setting.all)
  func each(setting: Setting) throws {
    #expect(setting.name.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil && setting.help.hasSuffix("."))
    #expect(Setting.helpText.contains("\n  \(setting.flag)") || setting.name == "config")
    #expect(!setting.places.contains(.variable) || Setting.helpText.contains(setting.variable))
    // The default must be allowed wherever it can be written.
    let shown = setting.show(ServeOptions())
    guard !shown.isEmpty else { return }
    if setting.places.contains(.variable) {
      let chosen = try Self.read([], [setting.variable: shown])
      #expect(setting.show(chosen.options) == shown)
      #expect(chosen.origins[setting.name]?.description == setting.variable)
    }
    if setting.places.contains(.file) {
      let value = setting.form == .text ? "\"\(shown)\"" : shown
      let chosen = try Self.read(["--config=f"], file: "{\"\(setting.key)\":\(value)}")
      #expect(setting.show(chosen.options) == shown)
    }
    _ = try Self.read([setting.flag + "=" + shown])
    let isFree = setting.form == .text && !setting.allowed.contains("time") && !setting.allowed.hasPrefix("one of")
    if isFree { return }
    for wrong in ["", "-1", "1e3", "99999999999999999999", "yes", "\u{661}"] {
      #expect(Self.problems([setting.flag + "=" + wrong]).count == 1, "\(setting.flag)=\(wrong)")
    }
  }

  @Test("numbers and durations are accepted at their limits and rejected beyond")
  func limits() {
    for (flag, taken, refused) in [
      ("--port", ["0", "1", "65534", "65535"], ["65536", "-1"]), ("--loops", ["1", "2", "255", "256"], ["0", "257"]),
      ("--connections-per-person", ["1", "16", "1024"], ["0", "1025"]),
      ("--gather", ["0s", "1ms", "999ms", "1000ms", "1s"], ["1001ms", "2s", "-1s", "1 s", "1d", "s", "1.5s"]),
    ] {
      for text in taken { #expect(Self.problems([flag, text]).isEmpty, "\(flag) \(text)") }
      for text in refused { #expect(Self.problems([flag, text]).count == 1, "\(flag) \(text)") }
    }
  }

  @Test("ACC-4, OPS-3: providers of OpenID are read from each source, and each has a name of its own")
  func providers() throws {
    let (google, own) = ("google=https://accounts.google.com,app.example", "own=https://id.example/,c,keys,1.json")
    func shown(_ chosen: ChosenSettings) -> [String] {
      chosen.options.node.configuration.openID.map { "\($0)" }.sorted()
    }
    #expect(shown(try Self.read(["--openid", google, "--openid=\(own)"])) == [google, own])
    #expect(shown(try Self.read([], ["HEARTH_OPENID": "\(google);\(own)"])) == [google, own])
    #expect(shown(try Self.read(["--config", "f"], file: "{\"openid\":[\"\(google)\"]}")) == [google])
    let keys = try Self.read(["--openid", own]).options.node.configuration.openID.first?.keys
    #expect(keys == .file("keys,1.json"))
    #expect(Self.problems(["--openid", google, "--openid", "google=https://id.example,c"]).count == 1)
    for text in [
      "https://id.example,c", "=https://id.example,c", "a=https://id.example", "a=https://id.example,", "A=https://i,c",
      "a=http://id.example,c", "a=https://,c", "a=https://id.example?x,c", "a=https://id.example#x,c", "a=id,c",
      "a=https://id.example,c,", "a=https://id.example,c,http://id.example/keys", "a=https://me@id.example,c",
      "a=https://id.example,c d", "a b=https://id.example,c",
    ] {
      #expect(Self.problems(["--openid", text]).count == 1, "\(text)")
    }
  }

  @Test("settings that contradict each other are rejected")
  func together() {
    #expect(Self.problems(["--heartbeat", "30s", "--silence-limit", "31s"]).isEmpty)
    #expect(Self.problems(["--heartbeat", "30s", "--silence-limit", "30s"]).count == 1)
  }

  @Test("mail needs a server and a sender; the password and the authorities need mail")
  func mail() throws {
    let mail = ["--mail", "smtp://mail.example:587", "--mail-from", "a@b.example"]
    let logIn = ["--mail-user", "u", "--mail-password-file", "/p"]
    #expect(try Self.read(mail + logIn + ["--mail-ca", "/c"]).options.mail.server == "smtp://mail.example:587")
    #expect(Self.problems(mail).isEmpty)
    for half in [Array(mail.prefix(2)), Array(mail.suffix(2))] {
      #expect(Self.problems(half) == ["mail and mail-from belong together"])
    }
    for half in [Array(logIn.prefix(2)), Array(logIn.suffix(2))] {
      #expect(Self.problems(mail + half) == ["mail-user and mail-password-file belong together"])
    }
    let alone = ["mail-user, mail-password-file and mail-ca need mail"]
    #expect(Self.problems(logIn) == alone && Self.problems(["--mail-ca", "/c"]) == alone)
    for wrong in ["mail.example", "http://mail.example", "smtp://u:p@mail.example", "smtp://mail.example/x"] {
      let lines = Self.problems(["--mail", wrong])
      #expect(lines.first?.contains("must be a server such as smtp://mail.example:587") == true, "\(lines)")
    }
    #expect(Self.problems(["--mail-from", "nobody"]).first?.hasSuffix("must be an e-mail address") == true)
  }

  @Test("R-004: what an origin can be is allowed in any case and with its usual port; else nothing starts (SEC-12)")
  func allowedOrigins() throws {
    for (text, shown) in [
      ("https://home.example", "https://home.example"), ("https://home.example:443", "https://home.example"),
      ("HTTPS://Home.Example", "https://home.example"), ("http://localhost:3000", "http://localhost:3000"),
      ("https://[::1]:8443", "https://[::1]:8443"), ("capacitor://localhost", "capacitor://localhost"),
      ("app://home", "app://home"), ("file://", "file://"), ("null", "null"),
    ] {
      #expect(Self.origins(try Self.read(["--allow-origin", text])) == [shown], "\(text)")
    }
    for text in [
      "home.example", "https://home.example/", "https://*", "*", "NULL", "https://", "wss://home.example",
      "https://a@home.example", "https://home.example:99999",
    ] {
      let lines = Self.problems(["--allow-origin", text])
      #expect(lines.count == 1 && lines[0].hasPrefix("--allow-origin: '\(text)' is not allowed; it must be"), "\(text)")
      // The message does not name allowed values.
      #expect(Self.problems(["--allow-origin", "null", "--allow-origin", text]) == lines, "\(text)")
    }
  }
}
