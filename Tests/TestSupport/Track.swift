/// A way to a place as it really was, and what a phone reported of it.
///
/// All times are in seconds since the share began. Places are metres east and north of the share's place.
public struct Track: Sendable, CustomStringConvertible {
  public struct Point: Sendable {
    public var at: Double
    public var east: Double
    public var north: Double

    public init(at: Double, east: Double, north: Double) { (self.at, self.east, self.north) = (at, east, north) }

    public var distance: Double { (east * east + north * north).squareRoot() }
  }

  /// A fix as the phone reports it.
  public struct Fix: Sendable {
    /// When the fix was really made.
    public var at: Double
    public var east: Double
    public var north: Double
    public var accuracy: Double
    /// When it was made by the phone's clock, or by its receiver's.
    public var fixTime: Double
    /// Whether it is, or is seen from, a place where the phone has never been.
    public var isJump = false
  }

  /// A report on its way to the server.
  public struct Upload: Sendable {
    /// When the server receives it.
    public var at: Double
    /// When the phone sent it, by its clock.
    public var sentAt: Double
    public var fixes: [Fix]
  }

  public var name: String
  /// The place, in degrees and metres.
  public var lat: Double
  public var lon: Double
  public let radius = 100.0
  public var path: [Point]
  public var uploads: [Upload]
  /// When the phone can know of an arrival at the earliest, if it could not all the time.
  public var reachableFrom = 0.0
  public var arrives = true
  /// Why the position is lost, each time, and how often it is back.
  public var losses: [String] = []
  public var returnCount = 0

  public var description: String { name }
  public var duration: Double { path.last?.at ?? 0 }
  public var fixCount: Int { uploads.reduce(0) { $0 + $1.fixes.count } }

  /// The times of fixes from before the phone's clock was set right, in reports from after. The server cannot tell when
  /// they were made, and takes them for fixes of now.
  public var misdated: [Double] {
    uploads.flatMap { upload in
      let weeks = 1024.0 * 7 * 86_400
      return upload.fixes.filter { fix in
        let error = (upload.sentAt - upload.at - fix.fixTime + fix.at).truncatingRemainder(dividingBy: weeks)
        return abs(error) > 3600
      }.map(\.at)
    }
  }

  // MARK: degrees

  /// Metres of a degree of latitude, on the sphere that distances are measured on.
  public static let degree = 111_195.0797

  public func lat(of north: Double) -> Double { lat + north / Self.degree }
  public func lon(of east: Double) -> Double { lon + east / (Self.degree * cosineOfLatitude) }

  public func north(of lat: Double) -> Double { (lat - self.lat) * Self.degree }
  public func east(of lon: Double) -> Double { (lon - self.lon) * Self.degree * cosineOfLatitude }

  /// By Taylor's series, since the last digit of the system's cosine depends on the machine.
  private var cosineOfLatitude: Double {
    let x = lat * .pi / 180
    var (term, sum) = (1.0, 1.0)
    for n in stride(from: 1.0, through: 21, by: 2) {
      term *= -x * x / (n * (n + 1))
      sum += term
    }
    return sum
  }

  // MARK: truth

  /// Where the phone really is; before and after its way it stays where that begins and ends.
  public func point(at time: Double) -> Point {
    guard let next = path.firstIndex(where: { $0.at > time }) else { return path[path.count - 1] }
    guard next > 0 else { return path[0] }
    let (a, b) = (path[next - 1], path[next])
    let share = (time - a.at) / (b.at - a.at)
    return Point(at: time, east: a.east + (b.east - a.east) * share, north: a.north + (b.north - a.north) * share)
  }

  /// When the phone has been at the place for ten seconds, after having been away from it for as long.
  public var arrivedAt: Double? {
    var isAway = path[0].distance > radius
    var since: Double?
    for second in 0...Int(duration) {
      let (now, distance) = (Double(second), point(at: Double(second)).distance)
      let isSaid = isAway ? distance <= radius : distance > radius + 20
      since = isSaid ? since ?? now : nil
      guard let start = since, now - start >= 10 else { continue }
      if isAway { return now }
      (isAway, since) = (true, nil)
    }
    return nil
  }

  /// The jumps that a receiver sees, as the times of their fixes: of each report only the newest fix is shown.
  public var visibleJumps: [Double] {
    uploads.compactMap { $0.fixes.max { $0.at < $1.at } }.filter(\.isJump).map(\.at)
  }
}
