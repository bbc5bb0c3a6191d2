/// The format of a store: one number for its own tables and for everything that rooms keep in it.
///
/// A release loses what it does not know: its next snapshot of a room leaves out an unknown table or field, and an
/// unknown message counts as taken. So the number grows with every new table, field, word, message and kind of history,
/// and a release refuses a store whose number is higher than its own.
public enum StoreFormat {
  /// The addition of each number, from 1 on. A change of the format appends a line and edits none.
  public static let additions = [
    "rooms with their log, snapshots and live values; history, outbox, secrets, accounts and sessions",
    "older changes of rooms, as segments",
    "segments count the bytes before them",
    "a room's newest changes are a segment, too",
    "rooms fall due with shares first, history is found by age and person, and accounts count their revisions",
    "a person's own room counts and lists the invitations that they send",
    "households have policies and may be exclusive, members are removed, and profiles change",
    "households have a chat, notes have reactions, and persons more settings",
    "persons are invited, notifications of what is over are read, and accounts have a PIN and payment handles",
    "accounts prove their addresses, codes and deliveries are kept, a secret may lead to several rooms, households are "
      + "dismissed and brought back, and accounts are deleted",
    "persons have contacts and block others, members are away and have guests; accounts have identities of OpenID, "
      + "nonces and puzzles that were used are kept, the store has a secret of its own, and shares stop by consent, "
      + "have pick-ups and are asked for",
    "persons list whose inbox names them",
    "households have chores, a rota, dinners, drinks, events, supplies, several lists, trips, rewards, bills and "
      + "payments; persons are reminded, and mute others",
    "the store knows by which zone data households fall due, and bills with a due day remind of their parts",
    "persons thank for what a notification tells of",
    "members are told that they stand in for another one",
  ]

  /// The format that this release reads and writes. It brings a store of an older format up to this one.
  public static var current: Int { additions.count }
}
