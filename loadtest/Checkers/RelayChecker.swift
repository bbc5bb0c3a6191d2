/// Checks that a relay delivers each message of a room once to every member, and those of one sender in order.
///
/// Senders number their messages 1, 2, 3 ….
struct RelayChecker {
  private let receiverCount: Int
  /// The highest number sent, by sender.
  private var sent: [Int]
  /// The highest number received, by receiver and sender.
  private var seen: [Int]
  /// How often each of a sender's messages was received, from the oldest incomplete one on.
  private var counts: [ArraySlice<Int>]
  private var firstNumbers: [Int]

  /// Messages that were lost or overtaken by later ones of their sender.
  private(set) var missingCount = 0
  private(set) var twiceCount = 0
  /// Messages that came after later ones of their sender.
  private(set) var disorderCount = 0
  /// Messages that were never sent.
  private(set) var strangeCount = 0

  init(receivers: Int, senders: Int) {
    receiverCount = receivers
    sent = Array(repeating: 0, count: senders)
    seen = Array(repeating: 0, count: receivers * senders)
    counts = Array(repeating: [], count: senders)
    firstNumbers = Array(repeating: 1, count: senders)
  }

  /// Takes the number for the sender's next message.
  mutating func send(from sender: Int) -> Int {
    sent[sender] += 1
    counts[sender].append(0)
    return sent[sender]
  }

  /// Records a received message and returns whether all receivers have it now.
  mutating func receive(_ number: Int, from sender: Int, by receiver: Int) -> Bool {
    guard sent.indices.contains(sender), 1...sent[sender] ~= number else {
      strangeCount += 1
      return false
    }
    let index = receiver * sent.count + sender
    let last = seen[index]
    guard number > last else {
      if number == last { twiceCount += 1 } else { disorderCount += 1 }
      return false
    }
    missingCount += number - last - 1
    seen[index] = number
    let place = counts[sender].startIndex + number - firstNumbers[sender]
    guard counts[sender].indices.contains(place) else { return false }
    counts[sender][place] += 1
    let isComplete = counts[sender][place] == receiverCount
    while counts[sender].first == receiverCount {
      counts[sender].removeFirst()
      firstNumbers[sender] += 1
    }
    return isComplete
  }

  /// Messages in flight; zero when all is quiet.
  var underwayCount: Int {
    seen.indices.reduce(0) { $0 + sent[$1 % sent.count] - seen[$1] }
  }
}
