import JSON
import Rooms

/// The board of a household: its notes, and the removed ones that can still be restored (NTE-1 to NTE-5).
struct Board: Subject {
  typealias State = HouseholdState

  var notes = Table<ID<Note>, Note>()
  var removedNotes = Table<ID<Note>, RemovedNote>()
  private(set) var due = DueTime()

  mutating func parts(_ part: inout some PartVisitor) {
    part("notes", &notes)
    part("removedNotes", &removedNotes, .hidden)
  }

  mutating func planAll() {
    for note in notes.values { due.plan(note.expiresAt) }
    for removed in removedNotes.values { due.plan(removed.end) }
  }

  /// A note; an expired one is gone, even if the timer has not fired yet (NTE-3).
  func note(_ id: ID<Note>, at now: Instant) throws(Refusal) -> Note {
    guard let note = notes[id], note.expiresAt.map({ $0 > now }) ?? true else { throw .gone("This note") }
    return note
  }

  /// Pins a note, or replaces it with its changed version.
  mutating func pin(_ note: Note, as id: ID<Note>) {
    notes[id] = note
    due.plan(note.expiresAt)
  }

  func checkSpace() throws(Refusal) {
    if notes.count >= Limits.notes { throw .full("notes", "At most \(Limits.notes) notes hang on the board.") }
  }

  /// Takes a note down, and keeps it as long as it can be restored.
  mutating func takeDown(_ id: ID<Note>, _ note: Note, by person: ID<Person>, at now: Instant) {
    let removed = RemovedNote(note: note, removedAt: now, removedBy: person)
    notes[id] = nil
    removedNotes[id] = removed
    due.plan(removed.end)
    removedNotes.keep(Limits.notes) { $0.removedAt }
  }

  /// A removed note that can still be restored.
  func restorable(_ id: ID<Note>, at now: Instant) throws(Refusal) -> RemovedNote {
    guard let removed = removedNotes[id], removed.end > now, removed.note.expiresAt.map({ $0 > now }) ?? true else {
      throw .gone("This note")
    }
    return removed
  }

  /// Removes expired notes, and forgets those that can no longer be restored. Returns the ids of the expired ones.
  fileprivate mutating func expire(at now: Instant) -> [ID<Note>] {
    due = DueTime()
    let expired = notes.keys { $0.expiresAt.map { $0 <= now } ?? false }
    for id in expired { notes[id] = nil }
    for id in removedNotes.keys(where: { $0.end <= now }) { removedNotes[id] = nil }
    planAll()
    return expired
  }

  static func fallDue(in home: inout HouseholdState, _ context: Context) {
    for id in home.board.expire(at: context.now) {
      home.forget(id, at: context.now)
      home.resolve(id.cast(), in: context)
    }
  }
}

/// A note on the board (NTE-1).
struct Note: Record {
  var text = ""
  var colour: Colour?
  /// Once a note has a place it keeps one.
  var place: Place?
  var author = ID<Person>()
  var at = Instant()
  @Packed var expiresAt: Instant? = nil
  @Packed var editedBy: ID<Person>? = nil
  @Packed var editedAt: Instant? = nil
  /// The id of the note before it was removed and restored.
  @Packed var was: ID<Note>? = nil
  var reactions: Reactions = [:]

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("text", \.text)
    field("colour", \.colour)
    field("place", \.place)
    field("author", \.author)
    field("at", \.at)
    field("expiresAt", \._expiresAt)
    field("editedBy", \._editedBy)
    field("editedAt", \._editedAt)
    field("was", \._was)
    field("reactions", \.reactions)
  }
}

enum Colour: String, Word {
  case yellow, orange, red, pink, purple, blue, green, grey, white
}

/// The place of a note: fractions of the board's width and height, from its top left corner.
struct Place: Record {
  var x = 0.0
  var y = 0.0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("x", \.x, 0...1)
    field("y", \.y, 0...1)
  }
}

/// A note that can be restored for ten minutes (R-DEL).
struct RemovedNote: Record {
  var note = Note()
  var removedAt = Instant()
  var removedBy = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("note", \.note)
    field("removedAt", \.removedAt)
    field("removedBy", \.removedBy)
  }

  var end: Instant { removedAt + Limits.undo }
}
