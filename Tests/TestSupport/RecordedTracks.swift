import Foundation

/// Tracks that people have recorded, from the source of the Python package gpxpy (Apache-2.0).
///
/// `script/common` fetches it. The files have no accuracies: each fix is said to be exact to ten metres.
public enum RecordedTracks {
  /// The folder with the files; `nil` if they have not been fetched.
  public static let folder: URL? = {
    let environment = ProcessInfo.processInfo.environment
    // A folder that is named must be there; without a name the tracks may be missing.
    if let named = environment["HEARTH_TRACKS"] { return URL(filePath: named) }
    let cache = environment["XDG_CACHE_HOME"].map { URL(filePath: $0) }
    let folder = (cache ?? URL(filePath: NSHomeDirectory()).appending(path: ".cache"))
      .appending(path: "hearth/gpxpy-1.6.2/test_files")
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }()

  public static let names = [
    "korita-zbevnica": "recorded: a walk in the hills",
    "cerknicko-jezero": "recorded: by bicycle around a lake, with gaps of up to 15 min",
    "around-visnjan-with-car": "recorded: by car, a loop",
  ]

  /// All tracks, in the order of their files' names; empty if they have not been fetched.
  public static func all() throws -> [Track] {
    guard let folder else { return [] }
    return try names.sorted { $0.key < $1.key }.map { file, name in
      let text = try String(contentsOf: folder.appending(path: "\(file).gpx"), encoding: .utf8)
      return try track(name, ofGPX: text)
    }
  }

  struct Malformed: Error {}

  /// The way through all points that have a time, to the last one, where the phone stays for two more minutes.
  static func track(_ name: String, ofGPX text: String) throws -> Track {
    let points = text.components(separatedBy: "<trkpt ").dropFirst().compactMap { part -> (Double, Double, Double)? in
      guard let lat = value(after: "lat=\"", in: part).flatMap(Double.init),
        let lon = value(after: "lon=\"", in: part).flatMap(Double.init),
        let time = value(after: "<time>", in: part.components(separatedBy: "</trkpt>")[0]).flatMap(seconds)
      else { return nil }
      return (time, lat, lon)
    }
    guard let first = points.first, let last = points.last, points.count > 50 else { throw Malformed() }
    var track = Track(name: name, lat: last.1, lon: last.2, path: [], uploads: [])
    // A minute of the share passes before the first fix.
    track.path = points.map { time, lat, lon in
      Track.Point(at: time - first.0 + 60, east: track.east(of: lon), north: track.north(of: lat))
    }
    var stay = track.path[track.path.count - 1]
    var fixes = track.path
    for _ in 1...12 {
      stay.at += 10
      fixes.append(stay)
    }
    track.path.append(stay)
    // A recorder makes no fixes while nothing moves: two of them, ten seconds apart, tell an arrival.
    if let arrived = track.arrivedAt, let first = fixes.first(where: { $0.at >= arrived - 10 }) {
      track.reachableFrom = fixes.first { $0.at >= first.at + 10 }?.at ?? arrived
    }
    track.report(fixes, every: 30)
    return track
  }

  private static func value(after key: String, in text: String) -> String? {
    guard let start = text.range(of: key)?.upperBound else { return nil }
    return String(text[start...].prefix { $0 != "\"" && $0 != "<" })
  }

  private static func seconds(_ time: String) -> Double? {
    try? Date(time, strategy: .iso8601).timeIntervalSince1970
  }
}

extension Track {
  /// Reports fixes as they come; without new ones it says that the phone is there. Of each time without a fix for three
  /// minutes the receivers are told, and of its end.
  mutating func report(_ fixes: [Point], every interval: Double) {
    let end = max(arrivedAt ?? .infinity, reachableFrom) + interval
    var sent = 0
    var newest = 0.0
    for time in stride(from: interval, through: duration, by: interval) {
      var ready = fixes[sent...].prefix { $0.at <= time }
      sent += ready.count
      if let last = ready.last {
        if time - newest >= 180, time < end { losses.append("noFix") }
        newest = last.at
      }
      repeat {
        let fixes = ready.prefix(60).map {
          Fix(at: $0.at, east: $0.east, north: $0.north, accuracy: 10, fixTime: $0.at)
        }
        uploads.append(Upload(at: time, sentAt: time, fixes: fixes))
        ready = ready.dropFirst(60)
      } while !ready.isEmpty
    }
    returnCount = losses.count
  }
}
