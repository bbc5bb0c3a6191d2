import Rooms

extension Context {
  /// Refuses a call of a log-in that has not confirmed in the last minutes, in one of these ways, that its person is
  /// there. The method names `.confirmation` among its needs.
  func requireConfirmation(by ways: Confirmation...) throws(Refusal) {
    if case .confirmation(let way?)? = fetched[.confirmation], ways.contains(way) { return }
    throw Refusal(.forbidden, "confirm", "Confirm with auth.confirm first that it is you.")
  }
}
