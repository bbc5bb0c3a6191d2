import JSON
import Rooms

extension Board {
  static let methods: [Method] = [
    .of(AddNote.self), .of(EditNote.self), .of(RemoveNote.self), .of(RestoreNote.self),
    .of(ReactToNote.self),
  ]
}

struct NoteAnswer: Record {
  var id = ID<Note>()
  var expiresAt: Instant?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("expiresAt", \.expiresAt)
  }
}

/// Pins a note to the board; all other members are notified (NTE-1).
struct AddNote: Mutation {
  static let method: StaticString = "notes.add"
  static let summary: StaticString = "Pins a note to the board; all other members are notified (NTE-1)."
  var id: ID<Note>?
  var text = Prose()
  var colour: Colour?
  var place: Place?
  var expiresAt: Instant?
  /// How long the note stays, in milliseconds, in place of `expiresAt`.
  var lifetime: Int?
  /// The note stays until a member removes it.
  var keep: Bool?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("text", \.text, Limits.noteText)
    field("colour", \.colour)
    field("place", \.place)
    field("expiresAt", \.expiresAt)
    field("lifetime", \.lifetime, Limits.noteLifetimeMilliseconds)
    field("keep", \.keep)
  }

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    if keep == true, expiresAt != nil { problems.note("keep", "contradicts expiresAt") }
    if keep == true, lifetime != nil { problems.note("keep", "contradicts lifetime") }
    if lifetime != nil, expiresAt != nil { problems.note("lifetime", "contradicts expiresAt") }
    if let expiresAt { checkLifetime(until: expiresAt, problems, context) }
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoteAnswer {
    let author = try home.caller(context)
    let id = context.newID(id)
    try home.checkNew(id)
    let usual = context.now + .milliseconds(lifetime ?? home.info.facts.value.noteLifetime)
    let note = Note(
      text: text.text, colour: colour, place: place, author: context.person, at: context.now,
      expiresAt: keep == true ? nil : expiresAt ?? usual)
    try home.board.checkSpace()
    home.board.pin(note, as: id)
    home.happened(.noteAdded, by: context.person, ref: id.cast(), in: context)
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

  func check(_ problems: Problems, in home: inout HouseholdState, _ context: Context) {
    if text == .cleared { problems.note("text", "cannot be removed") }
    if place == .cleared { problems.note("place", "cannot be removed") }
    if case .set(let instant) = expiresAt { checkLifetime(until: instant, problems, context) }
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    var note = try home.note(id, writableIn: context)
    if case .set(let text) = text { note.text = text.text }
    if case .set(let place) = place { note.place = place }
    colour.apply(to: &note.colour)
    expiresAt.apply(to: &note.expiresAt)
    note.editedBy = context.person
    note.editedAt = context.now
    home.board.pin(note, as: id)
    return NoAnswer()
  }
}

/// Takes a note down; it can be restored for ten minutes (NTE-4).
struct RemoveNote: Mutation {
  static let method: StaticString = "notes.remove"
  static let summary: StaticString = "Takes a note down; it can be restored for ten minutes (NTE-4)."
  var id = ID<Note>()

  static func fields(_ field: inout some FieldVisitor<Self>) { field("id", \.id) }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    let note = try home.note(id, writableIn: context)
    home.board.takeDown(id, note, by: context.person, at: context.now)
    home.forget(id, in: context)
    home.resolve(id.cast(), in: context)
    return NoAnswer()
  }
}

/// Restores a note that was removed in the last ten minutes, under a new id (NTE-4).
struct RestoreNote: Mutation {
  static let method: StaticString = "notes.restore"
  static let summary: StaticString =
    "Restores a note that was removed in the last ten minutes, under a new id (NTE-4)."
  var id = ID<Note>()
  /// The new id of the note.
  var newID: ID<Note>?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("newId", \.newID)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoteAnswer {
    let removed = try home.board.restorable(id, at: context.now)
    guard home.mayWrite(removed.note, context) || removed.removedBy == context.person else { throw .forbidden }
    let newID = context.newID(newID)
    try home.checkNew(newID)
    var note = removed.note
    note.was = id
    try home.board.checkSpace()
    home.board.pin(note, as: newID)
    home.board.removedNotes[id] = nil
    return NoteAnswer(id: newID, expiresAt: note.expiresAt)
  }
}

/// Adds an emoji to a note, or takes it back (NTE-6).
struct ReactToNote: Mutation {
  static let method: StaticString = "notes.react"
  static let summary: StaticString = "Adds an emoji to a note, or takes it back (NTE-6)."
  var id = ID<Note>()
  var emoji = Emoji()
  var isOn = true

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("id", \.id)
    field("emoji", \.emoji)
    field("on", \.isOn)
  }

  func apply(to home: inout HouseholdState, in context: Context) throws(Refusal) -> NoAnswer {
    var note = try home.board.note(id, at: context.now)
    try note.reactions.set(emoji, isOn, by: context.person)
    home.board.pin(note, as: id)
    return NoAnswer()
  }
}

private func checkLifetime(until instant: Instant, _ problems: Problems, _ context: Context) {
  if !Limits.noteLifetime.contains(instant - context.now) {
    problems.note("expiresAt", "must be 1 minute to 365 days from now")
  }
}

extension HouseholdState {
  fileprivate func mayWrite(_ note: Note, _ context: Context) -> Bool {
    info.facts.value.policies.notes == .any || note.author == context.person || isHost(context.person)
  }

  /// A note that the caller may edit and remove (HH-15).
  fileprivate func note(_ id: ID<Note>, writableIn context: Context) throws(Refusal) -> Note {
    let note = try board.note(id, at: context.now)
    guard mayWrite(note, context) else { throw .forbidden }
    return note
  }
}
