import ArgumentParser
import Crypto
import Foundation
import JSON

/// A person that can sign in: one line of the file that `hearth seed` writes.
struct Person {
  let token: String
  let id: String
  let household: String

  var room: String { "household/\(household)" }

  static func read(_ path: String) throws -> [Person] {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw ValidationError("\(path) cannot be read: make it with `hearth seed --out \(path)`.")
    }
    return try text.split(separator: "\n").map { line in
      let value = try? JSON.parse(String(line))
      guard let token = value?["token"]?.string, let id = value?["person"]?.string,
        let household = value?["household"]?.string
      else { throw ValidationError("\(path) has a line that is no person: \(line.prefix(40))…") }
      return Person(token: token, id: id, household: household)
    }
  }

  /// One person from each of `count` households, evenly spread over the file.
  static func oneOfEach(_ people: [Person], count: Int) throws -> [Person] {
    var known: Set<String> = []
    let firsts = people.filter { known.insert($0.household).inserted }
    guard firsts.count >= count else {
      throw ValidationError("Only \(firsts.count) households are in the file; \(count) are needed.")
    }
    return (0..<count).map { firsts[$0 * firsts.count / count] }
  }

  /// People by household, in file order. Households with fewer than `size` people are left out, larger ones cut.
  static func households(_ people: [Person], count: Int, size: Int) throws -> [[Person]] {
    var order: [String] = []
    var members: [String: [Person]] = [:]
    for person in people {
      if members[person.household] == nil { order.append(person.household) }
      members[person.household, default: []].append(person)
    }
    let fitting = order.compactMap { members[$0] }.filter { $0.count >= size }.prefix(count)
    guard fitting.count == count else {
      throw ValidationError("Only \(fitting.count) households of \(size) are in the file; \(count) are needed.")
    }
    return fitting.map { Array($0.prefix(size)) }
  }
}

/// A UUID in the canonical form of RFC 9562 §4, version 8, from the first sixteen bytes.
func uuid(_ bytes: [UInt8]) -> String {
  var bytes = Array(bytes.prefix(16))
  bytes[6] = bytes[6] & 0x0F | 0x80
  bytes[8] = bytes[8] & 0x3F | 0x80
  let digits = Array(Hex.encode(bytes))
  return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
}

func randomUUID() -> String { uuid(SystemRandom.bytes(16)) }
