import Foundation

/// A map in the characters of a terminal, north up: dots for a way and a circle, and letters for places.
///
/// Each character is a braille pattern of two by four dots. Patterns take one column in every terminal, while other
/// signs, such as ●, take two in some.
struct TerminalMap {
  struct Mark: Equatable {
    var sign: Character
    var place: Coordinate
    /// Whether the map grows so far that the place is on it. Otherwise it may stand at the edge, in its direction.
    var isFitted = true
  }

  /// The places passed, without order.
  var trail: [Coordinate] = []
  var circle: (centre: Coordinate, metres: Double)?
  /// Later ones cover earlier ones. There is at least one.
  var marks: [Mark]

  /// The shortest way that the whole map shows, in metres.
  private static let leastSpan = 100.0

  /// The lines of the map, each of `columns` columns, and a scale of its own width.
  func drawn(columns: Int, rows: Int) -> (lines: [String], scale: String) {
    guard columns >= 3, rows >= 3, let anchor = marks.last?.place else { return ([], "") }
    let frame = Frame(around: corners(anchor), columns: columns, rows: rows, leastSpan: Self.leastSpan)
    var grid = Grid(columns: columns, rows: rows)
    for place in trail { grid.dot(frame.dot(anchor.offset(of: place))) }
    if let circle {
      let centre = anchor.offset(of: circle.centre)
      // Without gaps, as long as the map is not far smaller than the circle.
      let steps = Int(min(2000, max(16, circle.metres / frame.metresPerDot * 7)))
      for step in 0..<steps {
        let angle = Double(step) / Double(steps) * 2 * .pi
        grid.dot(frame.dot((centre.east + circle.metres * cos(angle), centre.north + circle.metres * sin(angle))))
      }
    }
    for mark in marks { grid.put(mark.sign, at: frame.edgeDot(anchor.offset(of: mark.place))) }
    return (grid.lines, Self.scale(metresPerColumn: frame.metresPerDot * 2, columns: columns / 3))
  }

  /// Places, in metres from `anchor`, between which everything lies that must be on the map.
  private func corners(_ anchor: Coordinate) -> [(east: Double, north: Double)] {
    var corners = (trail + marks.filter(\.isFitted).map(\.place)).map { anchor.offset(of: $0) }
    if let circle {
      let centre = anchor.offset(of: circle.centre)
      corners += [-circle.metres, circle.metres].map { (centre.east + $0, centre.north + $0) }
    }
    return corners.isEmpty ? [(0, 0)] : corners
  }

  /// A round length and a bar as long, such as `200 m |------|`.
  private static func scale(metresPerColumn: Double, columns: Int) -> String {
    let longest = metresPerColumn * Double(max(columns, 3))
    let power = pow(10, log10(longest).rounded(.down))
    let length = [5, 2, 1].map { $0 * power }.first { $0 <= longest } ?? power
    let bar = max(2, Int((length / metresPerColumn).rounded()))
    let text = length < 1000 ? "\(Int(length)) m" : "\(Int(length / 1000)) km"
    return "\(text) |\(String(repeating: "-", count: bar - 2))|"
  }
}

/// The part of the world that a map shows, as a grid of square dots.
private struct Frame {
  let metresPerDot: Double
  private let centre: (east: Double, north: Double)
  private let width: Int
  private let height: Int

  init(around corners: [(east: Double, north: Double)], columns: Int, rows: Int, leastSpan: Double) {
    width = columns * 2
    height = rows * 4
    let (easts, norths) = (corners.map(\.east), corners.map(\.north))
    let (west, east) = (easts.min() ?? 0, easts.max() ?? 0)
    let (south, north) = (norths.min() ?? 0, norths.max() ?? 0)
    centre = ((west + east) / 2, (south + north) / 2)
    // A character stays free at each edge.
    metresPerDot = max(
      (east - west) / Double(width - 5), (north - south) / Double(height - 9), leastSpan / Double(max(width, height)))
  }

  /// The dot of a place, counted from the north-west; it may lie outside.
  func dot(_ place: (east: Double, north: Double)) -> (x: Int, y: Int) {
    let x = Double(width - 1) / 2 + (place.east - centre.east) / metresPerDot
    let y = Double(height - 1) / 2 - (place.north - centre.north) / metresPerDot
    // Far more than any terminal, far less than what an integer takes.
    return (Int(min(max(x.rounded(), -1e6), 1e6)), Int(min(max(y.rounded(), -1e6), 1e6)))
  }

  /// The dot of a place, or the one at the edge that lies in its direction.
  func edgeDot(_ place: (east: Double, north: Double)) -> (x: Int, y: Int) {
    let (east, north) = (place.east - centre.east, place.north - centre.north)
    let (right, top) = (Double(width - 1) / 2 * metresPerDot, Double(height - 1) / 2 * metresPerDot)
    let excess = max(1, abs(east) / right, abs(north) / top)
    return dot((centre.east + east / excess, centre.north + north / excess))
  }
}

/// Dots and signs, in characters.
private struct Grid {
  private let columns: Int
  private let rows: Int
  private var patterns: [UInt8]
  private var signs: [Int: Character] = [:]

  init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    patterns = Array(repeating: 0, count: columns * rows)
  }

  /// The bits of a pattern's dots, by row and column (Unicode Standard, Braille Patterns).
  private static let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]

  private func index(_ dot: (x: Int, y: Int)) -> Int? {
    guard 0..<columns * 2 ~= dot.x, 0..<rows * 4 ~= dot.y else { return nil }
    return dot.y / 4 * columns + dot.x / 2
  }

  mutating func dot(_ dot: (x: Int, y: Int)) {
    guard let index = index(dot) else { return }
    patterns[index] |= Self.bits[dot.y % 4][dot.x % 2]
  }

  mutating func put(_ sign: Character, at dot: (x: Int, y: Int)) {
    guard let index = index(dot) else { return }
    signs[index] = sign
  }

  var lines: [String] {
    (0..<rows).map { row in
      String(
        (row * columns..<(row + 1) * columns).map { index in
          if let sign = signs[index] { return sign }
          return patterns[index] == 0 ? " " : Character(Unicode.Scalar(0x2800 + UInt32(patterns[index])) ?? "?")
        })
    }
  }
}
