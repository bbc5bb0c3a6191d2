/// How `hearth watch` shows what happens.
enum WatchMode: Equatable {
  /// One JSON object a line.
  case json
  /// A text for each event, one after another.
  case lines
  /// A screen that is drawn again with each event.
  case screen(isColoured: Bool)

  /// - Parameter isTerminal: whether standard output is a terminal.
  static func chosen(json: Bool, isTerminal: Bool, environment: [String: String]) -> WatchMode {
    if json { return .json }
    let terminal = environment["TERM"] ?? ""
    guard isTerminal, !terminal.isEmpty, terminal != "dumb" else { return .lines }
    // https://no-color.org: any text counts, an empty one does not.
    return .screen(isColoured: (environment["NO_COLOR"] ?? "").isEmpty)
  }
}
