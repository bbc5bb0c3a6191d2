import ArgumentParser
import Foundation
import HearthClient
import JSON

/// Calls one method of a server.
struct Call: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Calls a method of a running server and prints its result.",
    discussion: """
      hearth call auth.logIn -                                    reads {"email": …, "password": …} from standard input
      hearth call notes.add '{"text": "Milk is out"}' --room household/…
      """)

  @Argument(help: "The method, such as notes.add.")
  var method: String

  @Argument(help: "Its parameters, a JSON object; - reads them from standard input.")
  var parameters = "{}"

  @Option(help: "The room that it is for: me, household/…, household/…/mine or share/….")
  var room: String?

  @OptionGroup var server: ServerOptions

  func run() async throws {
    let parameters = try readParameters()
    let (client, _) = try await server.connect()
    do throws(ClientError) {
      let result = try await client.call(method, parameters, room: room)
      await client.close()
      say(printable(result.indented))
    } catch {
      await client.close()
      throw failure(error)
    }
  }

  private func readParameters() throws -> JSON {
    let text = parameters == "-" ? Array(FileHandle.standardInput.readDataToEndOfFile()) : Array(parameters.utf8)
    let value: JSON
    do throws(JSONError) { value = try JSON.parse(text) } catch {
      throw ValidationError("The parameters are not JSON: \(error).")
    }
    guard value.object != nil else { throw ValidationError("The parameters must be a JSON object.") }
    return value
  }
}
