import Rooms

extension Context {
  /// Refuses a call unless its session has confirmed in the last minutes, in one of these ways (BIL-8).
  ///
  /// The method names `.confirmation` among its needs.
  func requireConfirmation(by ways: Confirmation...) throws(Refusal) {
    if case .confirmation(let way?)? = fetched[.confirmation], ways.contains(way) { return }
    throw Refusal(.forbidden, "confirm", "Confirm with auth.confirm first that it is you.")
  }
}
