import Crypto
import JSON
import Platform
import Rooms
import TestSupport
import Testing

@testable import Server

/// ACC-4: when the keys of a provider are loaded, on a clock that the test moves.
@Suite("Keys of a provider")
struct ProviderKeysTests {
  /// A loop whose time stands still, and whose posts run at once.
  private final class StillLoop: Loop {
    private final class Timer: LoopTimer { func cancel() {} }
    private final class AtOnce: Poster { func post(_ work: @escaping @Sendable () -> Void) { work() } }

    var now = Instant()
    var uptime = Duration.seconds(1000)
    let poster: any Poster = AtOnce()
    var hasBacklog: Bool { false }
    var load: Double { 0 }
    func schedule(after delay: Duration, _ action: @escaping () -> Void) -> any LoopTimer { Timer() }
    func wantBatchEnd() {}
    func flushIfMany() {}
    func wipeBuffers() {}
  }

  /// Serves documents from memory, or fails, or waits until it is told to answer.
  private final class Documents: HTTPSGateway {
    struct Content: Sendable {
      var texts: [String: [UInt8]] = [:]
      var asked: [String] = []
      var isHeld = false
      var held: [@Sendable () -> Void] = []
    }
    let content = Locked(Content())

    func fetch(_ url: String, limit: Int, reply: Reply<Result<[UInt8], FetchError>>) {
      let answer: (@Sendable () -> Void)? = content.withLock { content in
        content.asked.append(url)
        let result = content.texts[url].map { Result.success($0) } ?? .failure(FetchError("down"))
        let answer: @Sendable () -> Void = { reply(result) }
        if content.isHeld { content.held.append(answer) }
        return content.isHeld ? nil : answer
      }
      answer?()
    }

    func post(_ form: [UInt8], to url: String, limit: Int, reply: Reply<Result<[UInt8], FetchError>>) {
      fetch(url, limit: limit, reply: reply)
    }

    func serve(_ url: String, _ document: JSON?) { content.withLock { $0.texts[url] = document?.bytes } }
    var asked: [String] { content.withLock { $0.asked } }

    func release() {
      let held = content.withLock { content in
        defer { content.held = [] }
        return content.held
      }
      for answer in held { answer() }
    }
  }

  private let loop = StillLoop()
  private let documents = Documents()
  private static let url = "https://id.example/keys"
  private static let one: JSON = ["keys": [SigningKey(.rs256).jwk(["kid": "1"])]]
  private static let both: JSON = ["keys": [one["keys"]?[0] ?? .null, SigningKey(.rs256).jwk(["kid": "2"])]]

  private func keys(at place: String? = Self.url, _ log: Logger = .none) throws -> ProviderKeys {
    ProviderKeys(try OpenIDProviderUnderTest.provider(keys: place), loop, documents, log)
  }

  /// Whether there is a key of this id.
  private func has(_ id: String, _ keys: ProviderKeys) -> Bool {
    var found: WebKeys??
    keys.find(id, .rs256) { found = $0 }
    return found??.keys(named: id, for: .rs256).isEmpty == false
  }

  @Test("ACC-4: keys are loaded once, again after an hour, and serve for a day while the provider is down")
  func ages() throws {
    let keys = try keys()
    documents.serve(Self.url, Self.one)
    for _ in 1...5 { #expect(has("1", keys)) }
    #expect(documents.asked.count == 1)
    loop.uptime += .seconds(3599)
    #expect(has("1", keys) && documents.asked.count == 1)
    loop.uptime += .seconds(1)
    #expect(has("1", keys) && documents.asked.count == 2)
    documents.serve(Self.url, nil)
    loop.uptime += .seconds(24 * 3600 - 1)
    #expect(has("1", keys) && documents.asked.count == 3)
    loop.uptime += .seconds(1)
    #expect(!has("1", keys))
    documents.serve(Self.url, Self.one)
    loop.uptime += .seconds(60)
    #expect(has("1", keys))
  }

  @Test("ACC-4: an unknown key makes the server load the keys again, once a minute at most")
  func rotation() throws {
    let keys = try keys()
    documents.serve(Self.url, Self.one)
    #expect(has("1", keys))
    documents.serve(Self.url, Self.both)
    loop.uptime += .seconds(59)
    #expect(!has("2", keys) && documents.asked.count == 1)
    loop.uptime += .seconds(1)
    #expect(has("2", keys) && has("1", keys) && documents.asked.count == 2)
    for number in 3...100 { #expect(!has("\(number)", keys)) }
    #expect(documents.asked.count == 2)
    // A key that the provider has taken back is gone with the next load.
    documents.serve(Self.url, ["keys": [Self.both["keys"]?[1] ?? .null]])
    loop.uptime += .seconds(3600)
    #expect(has("2", keys) && !has("1", keys))
  }

  @Test("ACC-4: a file is read each time, so that a change of it takes effect at once")
  func files() throws {
    let keys = try keys(at: "keys.json")
    documents.serve("file:keys.json", Self.one)
    #expect(has("1", keys) && !has("2", keys))
    documents.serve("file:keys.json", Self.both)
    #expect(has("2", keys))
    // A file that is being written is no file: the keys of before count.
    documents.serve("file:keys.json", ["keys": []])
    #expect(has("2", keys))
    documents.serve("file:keys.json", nil)
    #expect(has("1", keys))
  }

  @Test("ACC-4: without an address of its keys the provider's description says it, which must be its own")
  func discovery() throws {
    let description = "https://id.example/.well-known/openid-configuration"
    let good: [String: JSON] = ["issuer": "https://id.example", "jwks_uri": .string(Self.url)]
    documents.serve(Self.url, Self.one)
    documents.serve(description, .object(good))
    #expect(try has("1", keys(at: nil)))
    #expect(documents.asked == [description, Self.url])
    for (name, value) in [
      ("issuer", "https://evil.example"), ("issuer", "https://id.example/"), ("issuer", .null),
      ("jwks_uri", "http://id.example/keys"), ("jwks_uri", "file:/etc/passwd"), ("jwks_uri", .null), ("jwks_uri", 1),
    ] as [(String, JSON)] {
      documents.serve(description, .object(good.merging([name: value]) { $1 }))
      #expect(try !has("1", keys(at: nil)), "\(name) \(value)")
    }
    #expect(documents.asked.count == 9)
    let slash = try #require(OpenIDProvider("a=https://id.example/x/,c"))
    #expect(slash.discoveryURL == "https://id.example/x/.well-known/openid-configuration")
  }

  @Test("ACC-4: tokens that come while keys are loaded wait for them, and cause no further load")
  func together() throws {
    let keys = try keys()
    documents.serve(Self.url, Self.one)
    documents.content.withLock { $0.isHeld = true }
    var answers: [Bool] = []
    for id in ["1", "1", "2"] {
      keys.find(id, .rs256) { answers.append($0?.keys(named: id, for: .rs256).isEmpty == false) }
    }
    #expect(answers.isEmpty && documents.asked.count == 1)
    documents.release()
    #expect(answers == [true, true, false] && documents.asked.count == 1)
  }

  @Test("ACC-4: an operator is told once that keys cannot be had, and why")
  func log() throws {
    let lines = Locked<[String]>([])
    let keys = try self.keys(
      at: Self.url, Logger(from: .info) { event in lines.withLock { $0.append("\(event.name)") } })
    for _ in 1...3 {
      #expect(!has("1", keys))
      loop.uptime += .seconds(60)
    }
    #expect(lines.withLock { $0 } == ["openid.unreachable"])
    documents.serve(Self.url, Self.one)
    #expect(has("1", keys))
    documents.serve(Self.url, nil)
    loop.uptime += .seconds(3600)
    #expect(has("1", keys))
    #expect(lines.withLock { $0.count } == 2)
  }
}
