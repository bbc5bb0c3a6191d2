import Crypto
import WebSocket

/// Valid frames whose messages (RELIABILITY E7, E8) or answers (SYN-7) abuse the server.
extension AttackSettings {
  /// Each causes one error and the connection continues: no recursion, no special names, no long numbers.
  var hostileJSON: [Attack.Variant] {
    func add(_ parameters: String) -> String {
      #"{"jsonrpc":"2.0","id":1,"method":"notes.add","params":{"room":"ROOM",\#(parameters)}}"#
    }
    let nines = String(repeating: "9", count: 10_000)
    let rows: [(name: String, text: String, code: Int)] = [
      ("64 KiB of [", String(repeating: "[", count: 65_536), -32700),
      ("64 KiB of {", String(repeating: "{\"a\":", count: 13_000), -32700),
      ("a key twice", add(#""text":"a","text":"b""#), -32700),
      ("a key twice, once escaped", add(#""text":"a","t\u0065xt":"b""#), -32700),
      ("__proto__ twice", add(#""__proto__":{},"__proto__":1"#), -32700),
      ("__proto__", add(#""text":"a","__proto__":{"text":"b"}"#), -32602),
      ("constructor", add(#""text":"a","constructor":{}"#), -32602),
      ("a number of 10,000 digits", add(#""text":"a","seq":\#(nines)"#), -32602),
      ("a fraction of 10,000 digits", add(#""text":"a","seq":0.\#(nines)e99999"#), -32602),
      ("a high surrogate alone", add(#""text":"\ud800""#), -32700),
      ("two surrogates in the wrong order", add(#""text":"\udc00\ud800""#), -32700),
      ("text that is a number", add(#""text":1"#), -32602),
      ("text that is a list", add(#""text":["a"]"#), -32602),
      ("a colour that is an object", add(#""text":"a","colour":{"text":"a"}"#), -32602),
      ("a number that is text", add(#""text":"a","seq":"1""#), -32602),
      ("NaN", add(#""text":NaN"#), -32700),
      ("parameters that are a list", #"{"jsonrpc":"2.0","id":1,"method":"notes.add","params":[]}"#, -32600),
      ("a method that is a list", #"{"jsonrpc":"2.0","id":1,"method":["notes.add"]}"#, -32600),
      (
        "10,001 values", add(#""text":"a","x":[\#(Array(repeating: "0", count: 10_001).joined(separator: ","))]"#),
        -32700
      ),
    ]
    return rows.map { name, text, code in
      var variant = Attack.Variant(
        name: name, entry: .member, script: Attack.Script(first: Frame.text(text, mask: 1)), ending: .error(code))
      // Search once, and not while honest clients are measured.
      if let room = text.firstRange(of: "ROOM") {
        let (start, end) = (String(text[..<room.lowerBound]), String(text[room.upperBound...]))
        variant.personalScript = { Attack.Script(first: Frame.text("\(start)household/\($0)\(end)", mask: 1)) }
      }
      return variant
    }
  }

  /// Many more calls at once than the 64 that may be unanswered: some are refused with `rateLimited`.
  var tooManyCalls: [Attack.Variant] {
    let id = uuid(SHA256.hash(Array("an attacker's item".utf8)))
    func script(_ household: String) -> Attack.Script {
      func call(_ method: String, _ parameters: String) -> [UInt8] {
        let start = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":{"room":"household/\#(household)""#
        return Frame.text(start + #","id":"\#(id)",\#(parameters)}}"#, mask: 1)
      }
      let edits = (0..<250).flatMap { call("groceries.edit", #""note":"\#($0)""#) }
      return Attack.Script(first: call("groceries.add", #""name":"Flood""#), rest: edits, times: 12)
    }
    return [
      Attack.Variant(
        name: "edits", entry: .member, script: Attack.Script(), personalScript: script, ending: .error(5))
    ]
  }

  private static let hello =
    #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"client":"c11e0000-0000-4000-8000-00000000000a"}}"#

  /// Calls that change nothing, as fast as they are accepted: other clients must not notice.
  var cheapCalls: [Attack.Variant] {
    let unknown = Frame.text(#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, mask: 0)
    return [
      Attack.Variant(
        name: "hello", entry: .upgraded, script: Self.endless(Frame.text(Self.hello, mask: 0)), ending: .closed(4108),
        deadline: helloTimeout),
      // They are valid, and only read more slowly.
      Attack.Variant(name: "refusals", entry: .member, script: Self.endless(unknown), ending: .none),
    ]
  }

  private static func endless(_ piece: [UInt8]) -> Attack.Script {
    Attack.Script(rest: Array(repeating: piece, count: 100).flatMap(\.self), times: 5000)
  }

  /// Answers many times as long as their calls, for a client that reads none: the server must not produce them all.
  var unreadAnswers: [Attack.Variant] {
    let discover = #"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#
    let head = "POST /rpc HTTP/1.1\r\nHost: hearth.example\r\nContent-Type: application/json\r\n"
    let request = Array("\(head)Content-Length: \(discover.utf8.count)\r\n\r\n\(discover)".utf8)
    func unread(_ name: String, _ entry: Attack.Entry, _ piece: [UInt8], _ deadline: Double) -> Attack.Variant {
      Attack.Variant(
        name: name, entry: entry, script: Self.endless(piece), ending: .dropped, deadline: deadline, isPatient: false,
        readsNothing: true)
    }
    // A client that is closed has half a minute to read the rest.
    return [
      unread("hello", .upgraded, Frame.text(Self.hello, mask: 0), helloTimeout + 30),
      unread("descriptions", .member, Frame.text(discover, mask: 0), stallLimit),
      unread("by HTTP", .secured, request, stallLimit),
    ]
  }
}
