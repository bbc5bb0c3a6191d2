public import Foundation
public import JSON

/// A Python program of `peers` that prints lines of JSON, the first with its port.
public final class Peer {
  public static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "peers")
  public static let interpreter = ProcessInfo.processInfo.environment["HEARTH_PYTHON"] ?? "python3"

  private let process: ChildProcess
  private var output: AsyncStream<String>.Iterator
  private var text = ""
  public private(set) var first: JSON = .null
  public var port: Int { first["port"]?.int ?? 0 }

  public init(_ script: String, _ arguments: [String] = []) async throws {
    process = try ChildProcess(
      ["/usr/bin/env", Self.interpreter, Self.folder.appending(path: script).path] + arguments, errors: .output)
    let (pieces, piece) = AsyncStream<String>.makeStream()
    output = pieces.makeAsyncIterator()
    // A peer whose pipe is full would answer nothing.
    ChildProcess.aside { [output = process.output] in
      while case let data = output.availableData, !data.isEmpty { piece.yield(String(decoding: data, as: UTF8.self)) }
      piece.finish()
    }
    guard let first = try await next() else { throw Unexpected("\(script) has ended") }
    self.first = first
  }

  public static func mail(_ arguments: String...) async throws -> Peer { try await Peer("smtp_peer.py", arguments) }

  /// The next line; `nil` at the end.
  public func next() async throws -> JSON? {
    while !text.contains("\n") {
      guard let piece = await output.next() else { return nil }
      text += piece
    }
    let line = text.prefix { $0 != "\n" }
    text.removeFirst(line.count + 1)
    do { return try JSON.parse(Array(line.utf8)) } catch {
      // Most likely a package is missing: `script/test` installs them.
      while let piece = await output.next() { text += piece }
      throw Unexpected("the peer printed:\n\(line)\n\(text)")
    }
  }

  /// Ends it; returns what it has printed and nobody has read.
  public func end() async throws -> [JSON] {
    process.send(SIGINT)
    var rest: [JSON] = []
    while let line = try await next() { rest.append(line) }
    return rest
  }
}
