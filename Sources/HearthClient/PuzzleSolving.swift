internal import Crypto
public import JSON

/// Proof of work that a server asks for before sign-up, log-in from an unknown device and a new household (SEC-10).
extension ServerError {
  /// The greatest number up to which a solution is sought.
  private static let hardest = 10_000_000

  /// Solves the puzzle that the server asks for, on a thread of its own: about a second of work.
  ///
  /// - Returns: the parameter `puzzle` for calling again; `nil` if the error asks for none, or for too much work.
  public func solvePuzzle() async -> String? {
    guard reason == "puzzleNeeded", let asked = data["puzzle"], asked["algorithm"]?.string == Puzzle.algorithm,
      let salt = asked["salt"]?.string, let challenge = asked["challenge"]?.string,
      let signature = asked["signature"]?.string, let limit = asked["maxnumber"]?.int, limit <= Self.hardest
    else { return nil }
    let puzzle = Puzzle(salt: salt, challenge: challenge, signature: signature, maxNumber: limit)
    guard let number = await Task.detached(operation: { puzzle.solve() }).value else { return nil }
    let solution: JSON = [
      "algorithm": .string(Puzzle.algorithm), "challenge": .string(challenge), "salt": .string(salt),
      "signature": .string(signature), "number": .number(JSON.Number(number)),
    ]
    return Base64.standard.encode(solution.bytes)
  }
}

extension ServerConnection {
  /// Calls a method and returns its result; if the server asks for a proof of work, solves it and calls again.
  ///
  /// - Parameter parameters: an object.
  public func callSolving(_ method: String, _ parameters: JSON = [:], room: String? = nil) async throws(ClientError)
    -> JSON
  {
    do throws(ClientError) { return try await call(method, parameters, room: room) } catch {
      guard case .server(let refusal) = error, let solution = await refusal.solvePuzzle() else { throw error }
      return try await call(method, parameters.adding(puzzle: solution), room: room)
    }
  }
}

extension JSON {
  /// The parameters with the solution of a puzzle.
  package func adding(puzzle solution: String) -> JSON {
    guard case .object(var members) = self else { return self }
    members["puzzle"] = .string(solution)
    return .object(members)
  }
}
