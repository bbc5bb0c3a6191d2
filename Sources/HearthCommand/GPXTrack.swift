import Foundation
import Rooms

/// The way that a GPX file describes: its track points, or the points of its routes where it has no track.
///
/// Waypoints, heights and extensions are left out (https://www.topografix.com/GPX/1/1/).
struct GPXTrack: Equatable {
  struct Point: Equatable {
    var place: Coordinate
    var time: Instant?
    /// The line of the file, for errors.
    var line: Int
  }

  static let byteLimit = 16 << 20
  static let pointLimit = 200_000

  let points: [Point]

  /// Whether the points tell when somebody was there.
  var isTimed: Bool { points.first?.time != nil }

  /// Reads the content of a file.
  init(_ bytes: [UInt8], pointLimit: Int = pointLimit) throws(XMLScanner.Problem) {
    if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
      throw XMLScanner.Problem(line: 1, reason: "the text is UTF-16; UTF-8 is needed")
    }
    var scanner = XMLScanner(bytes)
    var tracks: [Point] = []
    var routes: [Point] = []
    var point: Point?
    while let token = try scanner.next() {
      switch token {
      case .start(let name, let attributes):
        if scanner.open.count == 1, name != "gpx" {
          throw XMLScanner.Problem(line: scanner.tokenLine, reason: "this is not GPX, but <\(name)>")
        }
        guard name == "trkpt" || name == "rtept" else { continue }
        guard tracks.count + routes.count < pointLimit else {
          throw XMLScanner.Problem(line: scanner.tokenLine, reason: "there are more than \(pointLimit) points")
        }
        point = Point(place: try Self.place(attributes, of: name, scanner.tokenLine), line: scanner.tokenLine)
      case .text(let text):
        // A time deeper within a point is one of its extensions'.
        guard point != nil, scanner.open.last?.name == "time", let parent = scanner.open.dropLast().last?.name,
          parent == "trkpt" || parent == "rtept"
        else { continue }
        point?.time = try Self.time(text, scanner.tokenLine)
      case .end(let name):
        guard let ended = point else { continue }
        if name == "trkpt" { tracks.append(ended) } else if name == "rtept" { routes.append(ended) } else { continue }
        point = nil
      }
    }
    points = tracks.isEmpty ? routes : tracks
    try check()
  }

  private static func place(
    _ attributes: [String: String], of name: String, _ line: Int
  ) throws(XMLScanner.Problem) -> Coordinate {
    let words = ["lat", "lon"].map { attributes[$0] ?? "" }
    guard let lat = Double(words[0]), let lon = Double(words[1]), let place = Coordinate(lat: lat, lon: lon) else {
      throw XMLScanner.Problem(
        line: line,
        reason: "<\(name)> has lat \"\(words[0].prefix(32))\" and lon \"\(words[1].prefix(32))\", which is no place")
    }
    return place
  }

  /// Reads a time in UTC, or with an offset such as `+02:00`.
  private static func time(_ text: String, _ line: Int) throws(XMLScanner.Problem) -> Instant {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if let time = Instant(text) { return time }
    if let match = text.wholeMatch(of: /(.+)([+-])(\d\d):(\d\d)/), let time = Instant("\(match.1)Z"),
      let hours = Int64(match.3), let minutes = Int64(match.4)
    {
      let offset = Duration.seconds(hours * 3600 + minutes * 60)
      return match.2 == "+" ? time - offset : time + offset
    }
    throw XMLScanner.Problem(
      line: line, reason: "the time \"\(text.prefix(40))\" is not one such as 2026-05-01T09:00:00Z")
  }

  /// Times must be those of all points or of none, and never go back.
  private func check() throws(XMLScanner.Problem) {
    guard let first = points.first else {
      throw XMLScanner.Problem(line: 1, reason: "there is no point of a track or a route")
    }
    for (before, point) in zip(points, points.dropFirst()) {
      guard (point.time == nil) == (first.time == nil) else {
        throw XMLScanner.Problem(line: point.line, reason: "only some points have a time")
      }
      guard let time = point.time, let last = before.time, time < last else { continue }
      throw XMLScanner.Problem(line: point.line, reason: "the time is before that of the point in line \(before.line)")
    }
  }
}

extension GPXTrack {
  /// Why a file cannot be walked, with its name and the line.
  struct Failure: Error, Equatable, CustomStringConvertible {
    var description: String
  }

  /// Reads a file.
  init(file path: String) throws(Failure) {
    let data: Data
    do {
      let handle = try FileHandle(forReadingFrom: URL(filePath: path))
      defer { try? handle.close() }
      // A device or a pipe has no size to ask for.
      data = try handle.read(upToCount: Self.byteLimit + 1) ?? Data()
    } catch {
      throw Failure(description: "\(path) cannot be read: \(error.localizedDescription)")
    }
    guard data.count <= Self.byteLimit else {
      throw Failure(description: "\(path) has more than \(Self.byteLimit) bytes.")
    }
    do throws(XMLScanner.Problem) { try self.init(Array(data)) } catch {
      throw Failure(description: "\(path), line \(error.line): \(error.reason).")
    }
  }
}
