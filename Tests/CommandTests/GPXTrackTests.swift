import Foundation
import Rooms
import Testing

@testable import HearthCommand

@Suite("Reading GPX")
struct GPXTrackTests {
  static func read(_ text: String, limit: Int = 10) throws -> [GPXTrack.Point] {
    try GPXTrack(Array(text.utf8), pointLimit: limit).points
  }

  @Test("a track is read with its times; waypoints, heights, texts and extensions are left out")
  func track() throws {
    let points = try Self.read(
      """
      \u{FEFF}<?xml version="1.0" encoding="UTF-8"?>
      <!-- made by <trkpt> -->
      <gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">
        <metadata><time>2026-05-01T08:00:00Z</time></metadata>
        <wpt lat="1" lon="1"><time>never</time></wpt>
        <rte><rtept lat="3" lon="3"/></rte>
        <trk><name>Tom &amp; Zoë > 1 <![CDATA[<trkpt lat="9" lon="9">]]></name><trkseg>
          <trkpt lat="52.5" lon='13.25'><ele>34.0</ele><time>2026-05-01T09:00:00.5Z</time><hdop>1</hdop></trkpt>
          <trkpt
            lon = "-13.5" lat = "-52.25" >
            <extensions><time>never</time></extensions><time> 2026-05-01T11:00:03+02:00 </time>
          </trkpt>
        </trkseg></trk>
        <trk><trkseg>
          <gpx:trkpt lat="0" lon="0"><gpx:time>2026-05-01T06:30:03-02:30</gpx:time></gpx:trkpt>
        </trkseg></trk>
      </gpx>
      """)
    #expect(points.map(\.place.text) == ["52.50000,13.25000", "-52.25000,-13.50000", "0.00000,0.00000"])
    #expect(
      points.map(\.time)
        == ["2026-05-01T09:00:00.500Z", "2026-05-01T09:00:03Z", "2026-05-01T09:00:03Z"].map { Instant($0) })
    #expect(points.map(\.line) == [8, 9, 15])
  }

  @Test("without a track the points of routes are the way, and times may be missing")
  func route() throws {
    let points = try Self.read("<gpx><rte><rtept lat='1' lon='2'/><rtept lat='3' lon='4'></rtept></rte></gpx>")
    #expect(points.map(\.place.text) == ["1.00000,2.00000", "3.00000,4.00000"])
    #expect(points.allSatisfy { $0.time == nil })
  }

  static func gpx(_ points: String...) -> String {
    "<gpx><trk><trkseg>\n" + points.joined(separator: "\n") + "\n</trkseg></trk></gpx>"
  }
  static func point(_ time: String?) -> String {
    "<trkpt lat='1' lon='1'>\(time.map { "<time>\($0)</time>" } ?? "")</trkpt>"
  }

  @Test(
    "a file that cannot be walked is refused with its line and what is wrong there",
    arguments: [
      ("", 1, "the file is empty"),
      ("hello", 1, "this is not XML"),
      ("<html>\n</html>", 1, "this is not GPX, but <html>"),
      ("<gpx></gpx>", 1, "there is no point of a track or a route"),
      (gpx("<trkpt lat='1'/>"), 2, #"<trkpt> has lat "1" and lon "", which is no place"#),
      (
        gpx("<trkpt lat='1' lon='1'/>", "<trkpt lat='91' lon='1'/>"), 3, #"has lat "91" and lon "1", which is no place"#
      ),
      (gpx("<trkpt lat='nan' lon='1'/>"), 2, #"lat "nan""#),
      (gpx("<trkpt lat='1&amp;' lon='1'/>"), 2, #"lat "1&amp;""#),
      (gpx(point("yesterday")), 2, #"the time "yesterday" is not one such as 2026-05-01T09:00:00Z"#),
      (gpx(point("2026-05-01T09:00:00")), 2, "is not one such as"),
      (gpx(point("2026-05-01T09:00:00Z"), point(nil)), 3, "only some points have a time"),
      (gpx(point(nil), point("2026-05-01T09:00:00Z")), 3, "only some points have a time"),
      (
        gpx(point("2026-05-01T09:00:01Z"), point("2026-05-01T09:00:00Z")), 3,
        "the time is before that of the point in line 2"
      ),
      ("<gpx>\n<trk>\n", 3, "the file ends within <trk> of line 2"),
      ("<gpx>\n<trk></gpx>", 2, "</gpx> stands in <trk> of line 2"),
      ("<gpx></gpx></gpx>", 1, "</gpx> ends nothing"),
      ("<gpx></gpx><gpx>", 1, "<gpx> stands behind the last element"),
      ("<gpx></gpx>\nx", 1, "text behind the last element"),
      ("<gpx>\n<trkpt lat='1\n'", 2, "<trkpt> has no >"),
      ("<gpx>\n<trkpt lat='1", 2, "the value of lat has no end"),
      ("<gpx>\n<trkpt lat=1>", 2, "the value of lat is not in quotes"),
      ("<gpx>\n<trkpt lat>", 2, "the attribute lat of <trkpt> has no value"),
      ("<gpx>\n<>", 2, "a name is missing or too long"),
      ("<gpx>\n<!-- x", 2, "a comment has no end"),
      ("<!DOCTYPE gpx [<!ENTITY a 'b'>]><gpx/>", 1, "document types are not allowed"),
      (String(repeating: "<gpx>", count: 65), 1, "more than 64 elements in each other"),
      ("<gpx \((0...64).map { "a\($0)=''" }.joined(separator: " "))/>", 1, "<gpx> has more than 64 attributes"),
      (
        gpx("<trkpt lat='1' lon='1'/>", "<rtept lat='1' lon='1'/>", "<trkpt lat='1' lon='1'/>"), 4, "more than 2 points"
      ),
    ])
  func refused(text: String, line: Int, reason: String) throws {
    let problem = #expect(throws: XMLScanner.Problem.self) { try Self.read(text, limit: 2) }
    #expect(problem?.line == line)
    #expect(problem?.reason.contains(reason) == true, "\(problem?.reason ?? "")")
  }

  @Test("no beginning of a file, and no byte in it that is another one, is more than refused")
  func hostile() {
    let text = Self.gpx("<trkpt lat='1' lon='1'><time>2026-05-01T09:00:00Z</time></trkpt>", "<!-- a --><?b?>")
    let bytes = Array(text.utf8)
    for end in bytes.indices { #expect(throws: XMLScanner.Problem.self) { try GPXTrack(Array(bytes[..<end])) } }
    for index in bytes.indices {
      for byte in [0, 0x0A, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), UInt8(ascii: "/"), 0xFF] {
        var changed = bytes
        changed[index] = byte
        let points = try? GPXTrack(changed).points.count
        #expect(points ?? 1 == 1)
      }
    }
  }

  @Test("a file is named that is missing, too large, or not in UTF-8")
  func files() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "hearth-\(UUID()).gpx")
    defer { try? FileManager.default.removeItem(at: file) }
    func failure() -> String {
      #expect(throws: GPXTrack.Failure.self) { try GPXTrack(file: file.path) }?.description ?? ""
    }
    #expect(failure().hasPrefix("\(file.path) cannot be read: "))
    try Data("<gpx>\n<trkpt/>".utf8).write(to: file)
    #expect(failure().hasPrefix("\(file.path), line 2: <trkpt> has lat "))
    try Data([0xFF, 0xFE, 0x3C, 0]).write(to: file)
    #expect(failure() == "\(file.path), line 1: the text is UTF-16; UTF-8 is needed.")
    try Data(count: GPXTrack.byteLimit + 1).write(to: file)
    #expect(failure() == "\(file.path) has more than 16777216 bytes.")
    try Data(Self.gpx("<trkpt lat='1' lon='1'/>").utf8).write(to: file)
    #expect(try GPXTrack(file: file.path).points.count == 1)
  }
}
