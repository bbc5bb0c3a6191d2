import JSON
import Rooms

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
  /// The id that the note had before it was removed and brought back.
  @Packed var was: ID<Note>? = nil

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
  }
}

enum Colour: String, Word {
  case yellow, orange, red, pink, purple, blue, green, grey, white
}

/// Where a note hangs: fractions of the board's width and height, from its top left corner.
struct Place: Record {
  var x = 0.0
  var y = 0.0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("x", \.x, 0...1)
    field("y", \.y, 0...1)
  }
}

/// A note that can be brought back for ten minutes (R-DEL).
struct RemovedNote: Record {
  var note = Note()
  var removedAt = Instant()
  var removedBy = ID<Person>()

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("note", \.note)
    field("removedAt", \.removedAt)
    field("removedBy", \.removedBy)
  }
}

struct NoteAnswer: Record {
  var id = ID<Note>()
  var expiresAt: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("expiresAt", \.expiresAt)
  }
}

/// Pins a note to the board; all other members are told (NTE-1).
struct AddNote: Mutation {
  static let method: StaticString = "notes.add"
  static let summary: StaticString = "Pins a note to the board; all other members are told (NTE-1)."
  var id: ID<Note>?
  var text = Prose()
  var colour: Colour?
  var place: Place?
  var expiresAt: Instant?
  /// The note stays until somebody removes it.
  var keep: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("text", \.text, Limits.noteText)
    field("colour", \.colour)
    field("place", \.place)
    field("expiresAt", \.expiresAt)
    field("keep", \.keep)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoteAnswer {
    let author = try home.caller(context)
    if keep == true, expiresAt != nil { throw .invalid("keep", "contradicts expiresAt") }
    if let expiresAt { try checkLifetime(until: expiresAt, context) }
    let id = context.newID(id)
    try home.checkNew(id)
    let usual = context.now + .milliseconds(home.household.value.noteLifetime)
    let note = Note(
      text: text.text, colour: colour, place: place, author: context.person, at: context.now,
      expiresAt: keep == true ? nil : expiresAt ?? usual)
    try home.pin(note, as: id)
    home.happened(.noteAdded, by: context.person, named: author.name, ref: id.cast(), in: context)
    home.notifyOthers(than: context.person, .note, ref: id.cast(), named: author.name, in: context)
    return NoteAnswer(id: id, expiresAt: note.expiresAt)
  }
}

/// Changes a note; what is left out stays as it is, and `expiresAt: null` keeps it for good (NTE-5).
struct EditNote: Mutation {
  static let method: StaticString = "notes.edit"
  static let summary: StaticString =
    "Changes a note; what is left out stays as it is, and `expiresAt: null` keeps it for good (NTE-5)."
  var id = ID<Note>()
  var text: Change<Prose> = .unchanged
  var colour: Change<Colour> = .unchanged
  var place: Change<Place> = .unchanged
  var expiresAt: Change<Instant> = .unchanged

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("text", \.text, Limits.noteText)
    field("colour", \.colour)
    field("place", \.place)
    field("expiresAt", \.expiresAt)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    var note = try home.note(id, writableIn: context)
    let problems = Problems()
    if text == .cleared { problems.note("text", "cannot be removed") }
    if place == .cleared { problems.note("place", "cannot be removed") }
    if !problems.isEmpty { throw .invalid(problems.list) }
    if case .set(let instant) = expiresAt { try checkLifetime(until: instant, context) }
    if case .set(let text) = text { note.text = text.text }
    if case .set(let place) = place { note.place = place }
    colour.apply(to: &note.colour)
    expiresAt.apply(to: &note.expiresAt)
    note.editedBy = context.person
    note.editedAt = context.now
    home.notes[id] = note
    home.upkeep.plan(note.expiresAt)
    return NoAnswer()
  }
}

/// Takes a note down; it can be brought back for ten minutes (NTE-4).
struct RemoveNote: Mutation {
  static let method: StaticString = "notes.remove"
  static let summary: StaticString = "Takes a note down; it can be brought back for ten minutes (NTE-4)."
  var id = ID<Note>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let note = try home.note(id, writableIn: context)
    home.notes[id] = nil
    home.forget(id, at: context.now)
    home.removedNotes[id] = RemovedNote(note: note, removedAt: context.now, removedBy: context.person)
    home.upkeep.plan(context.now + Limits.undo)
    home.removedNotes.keep(Limits.notes) { $0.removedAt }
    return NoAnswer()
  }
}

/// Brings a note back that was removed in the last ten minutes, under a new id (NTE-4).
struct RestoreNote: Mutation {
  static let method: StaticString = "notes.restore"
  static let summary: StaticString =
    "Brings a note back that was removed in the last ten minutes, under a new id (NTE-4)."
  var id = ID<Note>()
  /// The id that the note is to have.
  var newID: ID<Note>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("newId", \.newID)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoteAnswer {
    guard let removed = home.removedNotes[id], removed.removedAt + Limits.undo > context.now,
      removed.note.expiresAt.map({ $0 > context.now }) ?? true
    else { throw .gone("This note") }
    guard home.mayWrite(removed.note, context) || removed.removedBy == context.person else { throw .forbidden }
    let newID = context.newID(newID)
    try home.checkNew(newID)
    var note = removed.note
    note.was = id
    try home.pin(note, as: newID)
    home.removedNotes[id] = nil
    return NoteAnswer(id: newID, expiresAt: note.expiresAt)
  }
}

private func checkLifetime(until instant: Instant, _ context: Context) throws(Refusal) {
  if !Limits.noteLifetime.contains(instant - context.now) {
    throw .invalid("expiresAt", "must be 1 minute to 365 days from now")
  }
}

extension HouseholdState {
  fileprivate mutating func pin(_ note: Note, as id: ID<Note>) throws(Refusal) {
    if notes.count >= Limits.notes { throw .full("notes", "At most \(Limits.notes) notes hang on the board.") }
    notes[id] = note
    upkeep.plan(note.expiresAt)
  }

  fileprivate func mayWrite(_ note: Note, _ context: Context) -> Bool {
    household.value.policies.notes == .any || note.author == context.person || isHost(context.person)
  }

  /// A note that the caller may edit and remove (HH-15).
  fileprivate func note(_ id: ID<Note>, writableIn context: Context) throws(Refusal) -> Note {
    // One whose time has come is gone, even if the timer has not fired yet (NTE-3).
    guard let note = notes[id], note.expiresAt.map({ $0 > context.now }) ?? true else { throw .gone("This note") }
    guard mayWrite(note, context) else { throw .forbidden }
    return note
  }

  /// Removes notes whose time has come, and for good those that can no longer be brought back.
  mutating func expireNotes(in context: Context) {
    for (id, note) in notes {
      guard let end = note.expiresAt else { continue }
      if end <= context.now {
        notes[id] = nil
        forget(id, at: context.now)
      } else {
        upkeep.plan(end)
      }
    }
    for (id, removed) in removedNotes {
      let end = removed.removedAt + Limits.undo
      if end <= context.now { removedNotes[id] = nil } else { upkeep.plan(end) }
    }
  }
}
