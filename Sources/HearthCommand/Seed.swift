import ArgumentParser
import Foundation
import Rooms
import Storage

/// Fills a database with households, so that load tests need not sign up their people one by one.
struct Seed: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Creates households with people, for load tests.",
    discussion: """
      Each person gets an account without a password and one session. They found and join their households by the \
      normal rules; only hashing passwords is left out, which costs 0.3 s each. Households are added to those in the \
      folder. Keep the file of tokens secret: anyone who has it can act as these people.

      Example with 100,000 households, before the server starts:

        hearth seed --data load --households 100000 --members 4 --out people.jsonl
        hearth serve --data load
      """)

  @Option(help: "The folder of the database; created if missing. No server may be running on it.")
  var data = "data"

  @Option(help: "How many households.")
  var households = 500

  @Option(help: "How many people in each, 1 to 32. (default: 4)")
  var members: Int?

  @Option(help: "How many notes on each board, up to 200. (default: 0, with --full 40)")
  var notes: Int?

  @Option(help: "How many items on each shopping list, up to 500. (default: 0, with --full 60)")
  var groceries: Int?

  @Flag(help: "Fills each household as if people lived in it: 4 people, 40 notes, 60 items.")
  var full = false

  @Flag(help: "Puts a month behind each household: chores that were done and rated, a rota, dinners and drinks.")
  var month = false

  @Option(
    help: "Seconds from now after which a note of each household expires, all within one minute. (default: never)")
  var expireAfter: Int?

  @Option(help: "The file to write, one JSON line per person: token, person, household. Only you can read it.")
  var out: String

  /// Households in one transaction.
  private static let batchSize = 128
  /// Batches in flight: enough to keep the CPUs busy while one waits for the disk.
  private static let batchesAtOnce = 4

  func validate() throws {
    guard 1...1_000_000 ~= households else { throw ValidationError("--households must be 1 to 1,000,000.") }
    guard 1...32 ~= content.members else { throw ValidationError("--members must be 1 to 32.") }
    guard 0...200 ~= content.notes else { throw ValidationError("--notes must be 0 to 200.") }
    guard 0...500 ~= content.groceries else { throw ValidationError("--groceries must be 0 to 500.") }
    guard 120...86_400 ~= expireAfter ?? 120 else { throw ValidationError("--expire-after must be 120 to 86,400.") }
  }

  private var content: SeededHousehold.Content {
    SeededHousehold.Content(
      members: members ?? 4, notes: notes ?? (full ? 40 : 0), groceries: groceries ?? (full ? 60 : 0),
      hasMonth: month)
  }

  func run() async throws {
    let folder = URL(filePath: data)
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let store = try SQLiteStore(path: folder.appending(path: "hearth.db").path)
    defer { store.close() }
    let file = try makeFile()
    let start = ContinuousClock.now
    try await fill(store, file)
    try file.close()
    let seconds = Double((ContinuousClock.now - start).milliseconds) / 1000
    say(
      "\(households * content.members) people in \(households) households after \(seconds) s; "
        + "their tokens are in \(out).")
  }

  /// Creates the file of tokens, empty and private, even if one of that name exists.
  private func makeFile() throws -> FileHandle {
    let manager = FileManager.default
    if let kind = try? manager.attributesOfItem(atPath: out)[.type] as? FileAttributeType {
      guard kind == .typeRegular else { throw ValidationError("--out must name a file; \(out) is not one.") }
      try manager.removeItem(atPath: out)
    }
    guard manager.createFile(atPath: out, contents: nil, attributes: [.posixPermissions: 0o600]),
      let file = FileHandle(forWritingAtPath: out)
    else { throw ValidationError("\(out) cannot be written.") }
    return file
  }

  /// Makes batches concurrently, and writes each one's tokens once it is on disk.
  private func fill(_ store: SQLiteStore, _ file: FileHandle) async throws {
    try await withThrowingTaskGroup(of: (count: Int, lines: String).self) { group in
      let start = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
      var begun = 0
      var done = 0
      var nextTenth = 1
      func begin() {
        let count = min(Self.batchSize, households - begun)
        guard count > 0 else { return }
        let first = begun
        begun += count
        let (content, households, expireAfter) = (content, households, expireAfter)
        group.addTask {
          let batch = try (first..<first + count).map { index in
            var content = content
            content.noteExpires = expireAfter.map {
              start + .seconds($0) + .milliseconds(60_000 * index / households)
            }
            return try SeededHousehold(content)
          }
          try await store.add(batch)
          return (count, batch.flatMap(\.lines).joined())
        }
      }
      for _ in 0..<Self.batchesAtOnce { begin() }
      while let batch = try await group.next() {
        begin()
        try file.write(contentsOf: Data(batch.lines.utf8))
        done += batch.count
        guard households >= 10_000, done * 10 >= households * nextTenth, done < households else { continue }
        nextTenth = done * 10 / households + 1
        say("\(done) households")
      }
    }
  }
}
