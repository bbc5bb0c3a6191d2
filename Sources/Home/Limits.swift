import Rooms

/// Every limit of the domain, in one place. The server publishes them; each is tested on both sides.
///
/// Texts are counted in Unicode scalars, times in milliseconds where they are published.
public enum Limits {
  // People and households.
  static let name = 1...64
  static let households = 16
  static let members = 32
  static let email = 3...254
  static let invitations = 100
  static let invitationsPerDay = 20
  static let joinCodes = 10
  static let joinCodeUses = 1...32
  static let invitationAge = Duration.seconds(14 * 24 * 3600)
  static let joinCodeAge = Duration.seconds(7 * 24 * 3600)

  // The board.
  static let noteText = 1...2000
  static let notes = 200
  static let noteLifetime = Duration.seconds(60)...Duration.seconds(365 * 24 * 3600)
  static let defaultNoteLifetime = Duration.seconds(7 * 24 * 3600)
  static let activity = 30

  // Groceries.
  static let groceries = 500
  static let grocerySources = 1...64
  static let groceryName = 1...100
  static let groceryNote = 1...500
  static let unit = 1...16

  // Shares of a position.
  static let receivers = 1...50
  static let ownShares = 5
  static let shareDuration = Duration.seconds(15 * 60)...Duration.seconds(24 * 3600)
  static let shareNote = 1...200
  static let fixes = 0...60
  /// How often a client should report its position while it shares it (LOC-6).
  public static let reportInterval = Duration.seconds(30)

  // Notifications, and what is remembered of things that are gone.
  static let inbox = 200
  /// Age of a fix at which the position is lost (R-LOC).
  static let lossAge = Duration.seconds(180)
  static let inboxAge = Duration.seconds(30 * 24 * 3600)
  static let undo = Duration.seconds(600)
  static let removedAge = Duration.seconds(30 * 24 * 3600)
  static let removedIDs = 20_000
  /// How long a call that waits for another room counts towards the limits; the answer takes milliseconds.
  static let reservation = Duration.seconds(600)

  /// Every limit by its name on the wire.
  public static let published: [(name: String, range: ClosedRange<Int>)] = [
    ("name", name), ("households", 0...households), ("members", 1...members), ("email", email),
    ("invitations", 0...invitations), ("invitationsPerDay", 0...invitationsPerDay), ("joinCodes", 0...joinCodes),
    ("joinCodeUses", joinCodeUses), ("invitationAge", upTo(invitationAge)), ("joinCodeAge", upTo(joinCodeAge)),
    ("noteText", noteText), ("notes", 0...notes), ("noteLifetime", between(noteLifetime)), ("activity", 0...activity),
    ("groceries", 0...groceries), ("grocerySources", grocerySources), ("groceryName", groceryName),
    ("groceryNote", groceryNote), ("unit", unit), ("receivers", receivers), ("ownShares", 0...ownShares),
    ("shareDuration", between(shareDuration)), ("shareNote", shareNote), ("fixes", fixes), ("inbox", 0...inbox),
    ("undo", upTo(undo)),
  ]

  private static func upTo(_ duration: Duration) -> ClosedRange<Int> { 0...Int(duration.milliseconds) }

  private static func between(_ range: ClosedRange<Duration>) -> ClosedRange<Int> {
    Int(range.lowerBound.milliseconds)...Int(range.upperBound.milliseconds)
  }
}
