package import HTTP
import Platform
import Rooms

/// One request over HTTP and its answer, for an endpoint.
///
/// An endpoint answers once: with a whole response, or with one that it streams. It may first read the body, collected
/// or piece by piece. A connection has one exchange at a time; what the client sends ahead waits.
package final class HTTPExchange {
  /// The state of the answer.
  private enum Answer {
    case none
    case streaming(isChunked: Bool)
    case complete
  }

  package let head: RequestHead
  let session: Session
  private weak var connection: HTTPConnection?
  private var answer = Answer.none
  /// Makes the response to a request that breaks off before the endpoint answers; by default a sentence.
  var refusal: (HTTPProblem) -> Response = { Response($0.status, headers: $0.headers, text: $0.refusal.message + "\n") }
  /// Called once when the exchange is over, answered or not.
  package var ended: (() -> Void)?
  /// Called when the server cannot finish: the endpoint refuses, or leaves what is streamed incomplete.
  package var interrupted: (() -> Void)?
  /// Called when the client has taken what was streamed, after `isFull`.
  package var drained: (() -> Void)?
  /// The body has been read, or there is none: another request may follow on the connection.
  var isBodyRead: Bool
  /// Pauses a streamed body, and so the client.
  package var isBodyPaused = false {
    didSet { if isBodyPaused != oldValue { connection?.proceed() } }
  }

  init(_ head: RequestHead, of connection: HTTPConnection, _ session: Session) {
    self.head = head
    self.connection = connection
    self.session = session
    isBodyRead = head.hasNoBody
  }

  var peer: PeerAddress? { session.stream?.peer }
  /// Whether what was streamed waits for the client, so that more of it should.
  package var isFull: Bool { connection?.isFull ?? true }
  var isStreaming: Bool { if case .streaming = answer { true } else { false } }
  package var isOver: Bool { if case .complete = answer { true } else { connection == nil } }

  // MARK: body

  /// Reads the whole body into memory. A body of more bytes, or one that comes too slowly, is refused.
  package func collectBody(upTo limit: Int, _ done: @escaping ([UInt8]) -> Void) {
    connection?.readBody(of: self, upTo: limit, isStreamed: false) { bytes, _ in done(bytes) }
  }

  /// Reads the body piece by piece. `take` gets each piece, and whether it is the last one, which may be empty.
  package func streamBody(upTo limit: Int, _ take: @escaping ([UInt8], Bool) -> Void) {
    connection?.readBody(of: self, upTo: limit, isStreamed: true, take)
  }

  // MARK: answer

  /// Answers with a whole response.
  package func respond(_ response: Response) {
    guard case .none = answer, let connection else { return }
    answer = .complete
    connection.send(response, of: self)
  }

  /// Answers with a text for people that no cache keeps.
  package func respond(_ status: Status, _ text: String) {
    respond(Response(status, headers: ["Cache-Control": "no-store"], text: text))
  }

  /// Refuses the request, and closes the connection.
  func refuse(_ problem: HTTPProblem) {
    guard case .none = answer, let connection else { return }
    answer = .complete
    connection.close(with: refusal(problem), of: self)
  }

  /// Begins a streamed answer: chunked, or up to the end of the connection where the client knows no chunks.
  package func begin(_ status: Status, headers: Headers) {
    guard case .none = answer, let connection else { return }
    let isChunked = head.version == .http11
    answer = .streaming(isChunked: isChunked)
    connection.begin(status, headers, isChunked: isChunked, of: self)
  }

  /// Streams bytes; they leave at the end of the batch.
  package func send(_ bytes: Span<UInt8>) {
    guard case .streaming(let isChunked) = answer, !bytes.isEmpty, head.method != "HEAD" else { return }
    connection?.stream(bytes, isChunked: isChunked)
  }

  /// Ends a streamed answer.
  package func finish() {
    guard case .streaming(let isChunked) = answer, let connection else { return }
    answer = .complete
    connection.finish(self, isChunked: isChunked)
  }

  /// Ends a streamed answer that cannot be completed: the client sees that it breaks off.
  func breakOff() { if isStreaming { connection?.interrupt() } }

  /// The exchange is over. Nothing that the endpoint still does has an effect.
  func end() {
    answer = .complete
    connection = nil
    interrupted = nil
    drained = nil
    exchange(&ended, with: nil)?()
  }
}

extension RequestHead {
  /// Whether no body follows the head.
  var hasNoBody: Bool {
    guard let framing = try? bodyFraming() else { return false }
    return framing == .none || framing == .length(0)
  }
}
