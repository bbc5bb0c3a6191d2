import Foundation
import JSON
import Platform
import TestSupport
import Testing
import Transport

@testable import Gateways

@Suite("Fetching over HTTPS")
struct HTTPSFetcherTests {
  private struct Fetching {
    let made: Certified
    let peer: Peer
    let fetcher: HTTPSFetcher

    init(_ timeLimit: Duration = .seconds(30)) async throws {
      ProcessSignals.ignoreBrokenPipes()
      made = try await Certified()
      peer = try await Peer("https_peer.py", [made.certificate.file.path, made.certificate.key.path])
      fetcher = HTTPSFetcher(
        version: "1.2.3", workers: WorkerQueues(name: "test.fetch"), authorities: made.certificate.file.path,
        timeLimit: timeLimit)
    }

    var base: String { "https://localhost:\(peer.port)" }
    var plain: String { "http://127.0.0.1:\(peer.first["plain"]?.int ?? 0)" }

    func text(_ url: String, limit: Int = 1000) async -> String { await fetcher.text(url, limit: limit) }
  }

  @Test("a document arrives, over TLS or from this machine, and the server is named")
  func fetches() async throws {
    let fetching = try await Fetching()
    #expect(await fetching.text(fetching.base + "/ok") == #"{"agent": "hearth/1.2.3"}"#)
    #expect(await fetching.text(fetching.plain + "/ok") == #"{"agent": "hearth/1.2.3"}"#)
    #expect(await fetching.text(fetching.base + "/redirect?/ok") == #"{"agent": "hearth/1.2.3"}"#)
    #expect(await fetching.text(fetching.base + "/nothing") == "! the server answered 404")
  }

  @Test("a document has at most as many bytes as the caller wants, whether or not its length is announced")
  func tooLarge() async throws {
    let fetching = try await Fetching()
    for kind in ["bytes", "chunks"] {
      #expect(await fetching.text(fetching.base + "/\(kind)?1000") == String(repeating: "x", count: 1000))
      #expect(await fetching.text(fetching.base + "/\(kind)?1001") == "! the answer is too long")
    }
    #expect(await fetching.text(fetching.base + "/headers?10") == "")
    #expect(await fetching.text(fetching.base + "/headers?70") == "! the answer is too long")
  }

  @Test("a certificate that nobody vouches for, or of another host, is not accepted")
  func wrongCertificate() async throws {
    let fetching = try await Fetching()
    let system = HTTPSFetcher(version: "1", workers: WorkerQueues(name: "test.fetch"))
    #expect(await system.text(fetching.base + "/ok").hasPrefix("! SSL certificate problem"))
    let name = await fetching.text("https://127.0.0.2:\(fetching.peer.port)/ok")
    #expect(name.hasPrefix("!"), "\(name)")
  }

  @Test("no redirection leaves HTTPS, and at most three are followed")
  func redirections() async throws {
    let fetching = try await Fetching()
    let away = await fetching.text(fetching.base + "/redirect?\(fetching.plain)/ok")
    #expect(away.hasPrefix("! ") && away.contains("http"), "\(away)")
    let local = await fetching.text(fetching.plain + "/redirect?/ok")
    #expect(local.hasPrefix("! ") && local.contains("http"), "\(local)")
    let file = await fetching.text(fetching.base + "/redirect?file:///etc/hostname")
    #expect(file.hasPrefix("! ") && file.contains("file"), "\(file)")
    let three = "/redirect?/redirect?/redirect?/ok"
    #expect(await fetching.text(fetching.base + three).contains("agent"))
    let four = await fetching.text(fetching.base + "/redirect?\(three)")
    #expect(four.hasPrefix("! Maximum (3) redirects"), "\(four)")
  }

  @Test("a server that stalls is left after a time")
  func stalls() async throws {
    let fetching = try await Fetching(.milliseconds(500))
    let text = await fetching.text(fetching.base + "/stall")
    #expect(text.hasPrefix("! ") && text.lowercased().contains("time"), "\(text)")
  }

  @Test(
    "only https is fetched, except from this machine",
    arguments: [
      "http://example.org/", "ftp://localhost/", "file:///etc/hostname", "https://u:p@localhost/", "localhost", "",
      "http://127.0.0.1.example.org/", "http://localhost.example.org/", "https://", "smtp://localhost",
    ])
  func schemes(url: String) async {
    let fetcher = HTTPSFetcher(version: "1", workers: WorkerQueues(name: "test.fetch"))
    #expect(await fetcher.text(url) == "! this is no https URL that can be fetched")
  }
}

extension HTTPSFetcher {
  /// The document, or the reason for its lack behind an exclamation mark.
  fileprivate func text(_ url: String, limit: Int = 1000) async -> String {
    let result = await withCheckedContinuation { continuation in
      fetch(url, limit: limit, reply: Reply(on: Spot()) { continuation.resume(returning: $0) })
    }
    return switch result {
    case .success(let bytes): String(decoding: bytes, as: UTF8.self)
    case .failure(let error): "! \(error)"
    }
  }
}
