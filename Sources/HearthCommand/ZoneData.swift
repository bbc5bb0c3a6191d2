import Foundation

/// The machine's time zone data, without which the server does not start (HH-1): times of households would be wrong.
enum ZoneData {
  static let usualFolder = "/usr/share/zoneinfo"

  /// The message for the operator of a machine without zone data; `nil` if the data are there.
  ///
  /// They are where the C library looks: in the folder `TZDIR`, if it is set, otherwise in the usual one. A zone that
  /// every release has stands for all.
  static func problem(in environment: [String: String]) -> String? {
    let chosen = environment["TZDIR"].flatMap { $0.isEmpty ? nil : $0 }
    let folder = chosen ?? usualFolder
    let zone = try? FileHandle(forReadingFrom: URL(filePath: folder).appending(path: "America/New_York"))
    // RFC 9636 §3.1.
    if let zone, (try? zone.read(upToCount: 4)) == Data("TZif".utf8) { return nil }
    let remedy = chosen == nil ? "install the package tzdata" : "install the package tzdata and leave out TZDIR"
    return "There is no time zone data in \(folder): \(remedy)."
  }
}
