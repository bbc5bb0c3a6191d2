import Platform

/// Runs what is posted on the spot, on whichever thread posts it.
final class SpotPoster: Poster {
  func post(_ work: @escaping @Sendable () -> Void) { work() }
}
