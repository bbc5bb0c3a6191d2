import Rooms

/// Every limit of the domain, in one place. The server publishes them; each is tested on both sides.
///
/// Texts are counted in Unicode scalars, times in milliseconds where they are published.
public enum Limits {
  // People and households.
  static let name = 1...64
  static let households = 16
  static let members = 32
  /// The most former members whose names a household knows: the newest (HH-10).
  static let former = 200
  /// Households that a person has left, in their own room: the newest.
  static let past = 200
  /// The shortest is a@b.c.
  static let email = 5...254
  static let deviceName = 1...64
  static let otherHandle = 1...100
  /// The solution of a puzzle, as text (SEC-10).
  public static let puzzle = 1...1024
  /// How long a confirmation with PIN or password counts (BIL-8).
  public static let confirmationAge = Duration.seconds(5 * 60)
  /// Tabs whose introduction a person has seen, and the bytes of a client's own settings.
  static let seen = 64
  static let clientSettings = 8192
  /// Sessions of one person; one more ends the session that has been unused longest.
  public static let sessions = 32
  static let invitations = 100
  static let invitationsPerDay = 20
  /// Households and invitations a day of an account whose address is not verified, where the server sends mail (SEC-9).
  static let unverifiedHouseholds = 1
  static let unverifiedInvitations = 5
  static let joinCodes = 10
  /// Days until the last one of an absence.
  static let absenceDays = 366
  static let joinCodeUses = 1...32
  /// Every so many days, weeks, months or years.
  static let recurrenceEvery = 1...366
  static let recurrenceCount = 1...10_000
  /// Contacts of a person with their open invitations, and persons whom they block.
  static let contacts = 200
  static let blocked = 500
  /// Persons of whom a room knows that they keep this person's name in a block: the newest.
  static let blockers = 1000
  /// The newest of those whose inbox names a person are kept.
  static let keepers = 1000
  /// Invitations in a person's own room: the newest. It holds for those to households and to be contacts, each.
  static let receivedInvitations = 100
  static let invitationAge = Duration.seconds(14 * 24 * 3600)
  static let joinCodeAge = Duration.seconds(7 * 24 * 3600)
  /// Time for which a dismissed household can be brought back, and its members get what it held (HH-11).
  static let dismissalAge = Duration.seconds(7 * 24 * 3600)
  /// Dismissed households in a person's own room: the newest.
  static let dismissed = 64

  // The board.
  static let noteText = 1...2000
  static let notes = 200
  static let noteLifetime = Duration.seconds(60)...Duration.seconds(365 * 24 * 3600)
  static let noteLifetimeMilliseconds = between(noteLifetime)
  static let defaultNoteLifetime = Duration.seconds(7 * 24 * 3600)
  /// Different emoji on one note or message.
  static let reactions = 30
  static let chatText = 1...2000
  /// Messages in the state, and those that are kept in all.
  static let chat = 50
  static let chatHistory = 1000
  static let activity = 30
  /// Time for which history keeps an event (ACT-1).
  static let activityAge = Duration.seconds(365 * 24 * 3600)

  // The rota.
  static let rotaTasks = 32
  static let rotaTaskName = 1...64
  /// Weeks in one answer, and until the first of them.
  static let rotaWeeks = 1...60
  static let rotaWeeksAhead = 53

  // Events.
  static let events = 200
  static let eventTitle = 1...100
  static let eventNote = 1...1000
  /// Days of one event, until it begins, and in one answer.
  static let eventDays = 31
  static let eventDaysAhead = 3653
  static let eventDaysShown = 42
  /// About a hundred years: the last time of an event is so many days after the first, or as good as never.
  static let eventCenturyDays = 36_525
  /// How long an event stays in the calendar after its last day.
  static let eventAgeDays = 7
  static let specialEvents = 10
  /// Days until the end of a special event's window.
  static let specialEventDays = 60
  /// Minutes that a person needs for a special event.
  static let specialMinutes = 1...1440
  static let busyTimes = 50
  static let slots = 1...20
  static let usualSlots = 5

  // Calendars by link.
  /// Weeks, this one included, of which single turns are shown.
  static let calendarWeeks = 8
  /// Years after this one of which a calendar describes the clocks: no event begins later.
  static let calendarClockYears = 11
  /// Years in which a time stands by itself if the clocks are changed in it: clients fetch the calendar again before.
  static let calendarNightYears = 3
  /// Times of a chore that are counted: a later end is as good as none.
  static let calendarSteps = 1000

  // Groceries.
  static let groceries = 500
  static let grocerySources = 1...64
  static let groceryName = 1...100
  static let groceryNote = 1...500
  static let unit = 1...16
  /// The most names that a household remembers, and that it suggests at once.
  static let catalogue = 1000
  static let suggestions = 10
  static let suggestionPrefix = 0...100
  /// Barcodes of one name: the newest.
  static let catalogueBarcodes = 8
  /// Lists of a household beside the main list.
  static let lists = 20
  static let listName = 1...64
  /// Categories that people have added, and the entries of an order: those with the built-in words.
  static let categories = 50
  static let categoryName = 1...40
  static let categoryOrder = 0...(categories + CategoryWord.allCases.count)
  /// How long after the newest category a shopper's way through the shelves is over.
  static let walkPause = Duration.seconds(3600)
  /// Unfinished trips of a member, how long one is announced, and the least time until the next announcement.
  static let trips = 10
  static let tripAge = Duration.seconds(6 * 3600)
  static let announcementPause = Duration.seconds(600)

  // Chores.
  static let chores = 500
  static let choreName = 1...100
  static let choreNote = 1...1000
  static let choreAssignees = 8
  static let chorePoints = 0...1000
  static let choreGraceHours = 0...168
  /// Minutes that a chore took.
  static let choreMinutes = 1...1440
  static let choreStars = 1...5
  /// Days until the day of a chore, or since it.
  static let choreDays = 3660
  /// Names that a household remembers.
  static let choreNames = 300
  /// Occurrences that are over of which a room knows who did them: the newest.
  static let choreClosings = 2000
  /// How far back a completion can be dated, and how far ahead of the server a phone's clock may be.
  static let choreBackdating = Duration.seconds(30 * 24 * 3600)
  static let clockTolerance = Duration.seconds(300)
  static let choreRatingAge = Duration.seconds(7 * 24 * 3600)
  /// The days by which it is decided who has done least.
  static let choreWindowDays = 90
  /// Months for which completions are counted, before the present one.
  static let choreTallyMonths = 25
  static let statisticsDays = 732
  /// Days after which the score of a month is final.
  static let scoreDays = 31
  static let pastAbsences = 20
  // Rewards.
  static let rewards = 100
  static let rewardName = 1...100
  static let rewardCost = 1...1_000_000
  /// Redemptions of a household that can be undone: the newest.
  static let redemptions = 100
  /// Persons of whom a household knows the points that they have spent: those who have spent most.
  static let pointBalances = 500
  /// The hour at which a person is reminded who has chosen none.
  static let reminderHour = "09:00"
  /// Reminders in a person's own room: those that are due last.
  static let reminders = 2000
  static let snoozeMinutes = 15...1440
  static let snoozes = 3
  /// Days before a birthday on which the others are told, and the day itself (CHO-21).
  static let birthdayNotice = [7, 1, 0]
  /// Reminders of one member to another of one kind: one in a day, three in a week; and all of a day (REM-3).
  static let nudgeDay = Duration.seconds(24 * 3600)
  static let nudgeWeek = Duration.seconds(7 * 24 * 3600)
  static let nudgesPerDay = 20
  /// Time for which a person hears none of another one's reminders, and how many such people there may be: the newest.
  static let muteAge = Duration.seconds(30 * 24 * 3600)
  static let mutedSenders = 100
  /// Supplies that a household watches.
  static let stock = 200

  // Money, in minor units of a currency (R-MONEY).
  static let money = -1_000_000_000_000...1_000_000_000_000
  /// A balance, above or below 0: JSON's numbers are exact up to there (RFC 8259 §6).
  static let balance = 9_007_199_254_740_991
  /// Open bills that are told apart between two people; older ones are added up.
  static let openBills = 64
  /// Bills in the state: those that were added or changed last.
  static let bills = 100
  static let billTitle = 1...100
  static let billNote = 1...1000
  static let billCategory = 1...40
  /// Categories of a household's own.
  static let billCategories = 50
  static let billPeople = 0...100
  static let billItems = 0...100
  static let rate = 1...32
  /// Days since the day of a bill, or until it.
  static let billAgeDays = 3660
  static let billAheadDays = 366
  static let spendingMonths = 1...36
  /// Lines of a purchase, the price of one, and its cost.
  static let purchaseLines = 0...200
  static let price = 0...1_000_000_000_000
  static let total = 1...1_000_000_000_000
  /// How long a purchase can be changed (GRO-13).
  static let purchaseAge = Duration.seconds(90 * 24 * 3600)
  /// Lines of which a household knows who has bought them: the newest.
  static let boughtLines = 2000
  static let payment = 1...1_000_000_000_000
  /// Payments of one person that are pending, and closed ones of the last minutes that can be undone.
  static let payments = 20
  static let recentPayments = 200
  /// Time after which a payment is confirmed by itself (BIL-5).
  static let paymentAge = Duration.seconds(7 * 24 * 3600)
  static let paymentRef = 1...100
  static let paymentReason = 1...500
  static let paymentBills = 1...64
  static let recurringBills = 50
  /// Days before its due day on which a recurring bill is posted, and how many there are on its own (BIL-16).
  static let billLead = 0...14
  static let usualLead = 3
  /// Due days of a recurring bill that the state has: those that were posted last.
  static let recurringPosted = 16
  /// Bills that are posted in one commit after a downtime, and the time until the next ones.
  static let recurringPosts = 50
  static let recurringPause = Duration.seconds(60)
  /// Posted bills of whose parts members are reminded: the newest.
  static let dueBills = 200
  /// How long a reminder can wait in people's own rooms whose day was over when it was made.
  static let lateReminder = Duration.seconds(24 * 3600)
  /// Open requests of one person, and cancelled ones of the last minutes that can be brought back.
  static let requests = 20
  static let recentRequests = 200
  /// Time after which a request can no longer be accepted (BIL-17).
  static let requestAge = Duration.seconds(90 * 24 * 3600)
  /// Debts that one notification lists: the first.
  static let debtsTold = 50
  /// The hour at which a person hears of their debts on the last day of the month who has chosen none (BIL-20).
  static let debtHour = "18:00"

  // Dinner and drinks.
  static let dinnerGuests = 0...9
  /// Days after tonight for which members can say whether they eat at home, and days for which that is kept (DIN-3).
  static let dinnerDays = 14
  static let dinnerAge = 60
  /// When the day of a dinner begins, and until when members may change what they have said of it: minutes of the day.
  static let dinnerDayStart = 4 * 60
  static let usualDinnerCutoff = 17 * 60
  static let drinkName = 1...64
  static let drinkKinds = 20
  static let drinksAdded = -5...24
  static let drinksBought = 1...500
  static let drinkCost = 1...1_000_000_000_000
  static let drinkStock = 0...10_000
  /// Drinks of one kind that a count of a period comes to, above or below 0.
  static let drinkCount = 100_000
  /// Persons of whom a period has counts of one kind: those who left are among them.
  static let drinkPersons = 100
  /// The newest entries of each member that they may undo.
  static let drinkEntries = 10
  /// Closed periods: the newest.
  static let drinkPeriods = 200

  // Shares of a position.
  static let receivers = 1...50
  static let ownShares = 5
  /// Shares of others in a person's own room: those that run longest.
  static let receivedShares = 200
  static let shareDuration = Duration.seconds(15 * 60)...Duration.seconds(24 * 3600)
  /// Until a place: the upper bound is also what there is without a time of one's own.
  ///
  /// Both count from the start, however often a share is extended (LOC-2).
  static let placeShareDuration = Duration.seconds(15 * 60)...Duration.seconds(12 * 3600)
  /// Metres.
  static let placeRadius = 30...2000
  static let defaultPlaceRadius = 100
  static let placeLabel = 1...64
  static let shareNote = 1...200
  /// The time for which a wish to stop stands, and the least time until the next (LOC-11).
  static let stopAge = Duration.seconds(15 * 60)
  static let stopPause = Duration.seconds(5 * 60)
  /// Minutes until a driver means to be there (LOC-14).
  static let pickupMinutes = 1...240
  /// The least time between two alerts of the receivers (LOC-13).
  static let pickupPause = Duration.seconds(60)
  /// How much later than they meant to be there a driver counts as late (LOC-16).
  static let pickupGrace = Duration.seconds(10 * 60)
  /// How long a share goes on after the arrival where a driver had accepted to come (LOC-17).
  static let arrivedAge = Duration.seconds(5 * 60)
  /// Points and time of a trail (LOC-24).
  static let trail = 60
  static let trailAge = Duration.seconds(10 * 60)
  /// Metres within which a sharer stands still, and for how long (LOC-27).
  static let stillRadius = 30.0
  static let stillAge = Duration.seconds(5 * 60)
  /// The time for which a request for a position stands, and the least time until the next of the pair (LOC-30).
  static let askAge = Duration.seconds(3600)
  static let askPause = Duration.seconds(15 * 60)
  /// Requests in a person's own room: the newest.
  static let asks = 200
  static let fixes = 0...60
  /// The least time from the first to the last fix of a run that proves an arrival (R-ARRIVE).
  static let arrivalSpan = Duration.seconds(10)
  /// The longest time between one fix of such a run and the next.
  static let arrivalPause = Duration.seconds(600)
  /// Age above which a phone's time of a fix is not believed, by the phone's own clock (R-LOC).
  static let fixAge = Duration.seconds(24 * 3600)
  /// After so many weeks a GPS receiver counts from 0 again.
  static let weekCycle = Duration.seconds(1024 * 7 * 24 * 3600)
  /// How near to the time of sending a fix must be once the weeks are added that its receiver has lost.
  static let weekTolerance = Duration.seconds(3600)
  /// How long before the end the sharer is warned (LOC-34).
  static let endWarning = Duration.seconds(600)
  /// Interval at which a client should report a shared position (LOC-6).
  public static let reportInterval = Duration.seconds(30)
  /// The same while a driver comes.
  public static let pickupReportInterval = Duration.seconds(10)

  // Notifications, and records of removed things.
  static let inbox = 200
  /// Ages up to which a fix is fresh, and at which the position is lost (R-LOC).
  static let freshAge = Duration.seconds(60)
  static let lossAge = Duration.seconds(180)
  /// Age of the last report up to which a phone is reachable: two intervals of at most a minute (LOC-7).
  static let contactAge = Duration.seconds(120)
  static let inboxAge = Duration.seconds(30 * 24 * 3600)
  static let undo = Duration.seconds(600)
  static let removedAge = Duration.seconds(30 * 24 * 3600)
  /// Ids of removed things that a room remembers; the oldest tenth goes when there is one more.
  static let removedIDs = 20_000
  /// Things that a person may remove in a household in a day.
  static let removalsPerDay = 2000
  /// Time for which a call that waits for another room counts towards the limits; the answer takes milliseconds.
  static let reservation = Duration.seconds(600)

  /// Every limit by its name on the wire.
  public static let published: [(name: String, range: ClosedRange<Int>)] = [
    ("name", name), ("households", 0...households), ("members", 1...members), ("former", 0...former), ("email", email),
    ("deviceName", deviceName), ("otherHandle", otherHandle), ("seen", 0...seen),
    ("clientSettings", 0...clientSettings), ("sessions", 1...sessions),
    ("invitations", 0...invitations), ("receivedInvitations", 0...receivedInvitations),
    ("invitationsPerDay", 0...invitationsPerDay), ("joinCodes", 0...joinCodes),
    ("absenceDays", 0...absenceDays), ("contacts", 0...contacts), ("blocked", 0...blocked),
    ("joinCodeUses", joinCodeUses), ("invitationAge", upTo(invitationAge)), ("joinCodeAge", upTo(joinCodeAge)),
    ("noteText", noteText), ("notes", 0...notes), ("noteLifetime", between(noteLifetime)), ("activity", 0...activity),
    ("reactions", 0...reactions), ("chatText", chatText), ("chat", 0...chat), ("chatHistory", 0...chatHistory),
    ("rotaTasks", 0...rotaTasks), ("rotaTaskName", rotaTaskName), ("rotaWeeks", rotaWeeks),
    ("rotaWeeksAhead", 0...rotaWeeksAhead), ("events", 0...events), ("eventTitle", eventTitle),
    ("eventNote", eventNote), ("eventDays", 1...eventDays), ("eventDaysAhead", 0...eventDaysAhead),
    ("eventDaysShown", 1...eventDaysShown), ("specialEvents", 0...specialEvents),
    ("specialEventDays", 0...specialEventDays), ("specialMinutes", specialMinutes), ("busyTimes", 0...busyTimes),
    ("slots", slots),
    ("groceries", 0...groceries), ("grocerySources", grocerySources), ("groceryName", groceryName),
    ("groceryNote", groceryNote), ("unit", unit), ("catalogue", 0...catalogue), ("suggestions", 0...suggestions),
    ("lists", 0...lists), ("listName", listName), ("categories", 0...categories), ("categoryName", categoryName),
    ("categoryOrder", categoryOrder), ("trips", 0...trips), ("tripAge", upTo(tripAge)),
    ("recurrenceEvery", recurrenceEvery), ("recurrenceCount", recurrenceCount), ("chores", 0...chores),
    ("choreName", choreName), ("choreNote", choreNote), ("choreAssignees", 0...choreAssignees),
    ("chorePoints", chorePoints), ("choreGraceHours", choreGraceHours), ("choreMinutes", choreMinutes),
    ("choreStars", choreStars), ("choreDays", 0...choreDays), ("choreNames", 0...choreNames),
    ("choreBackdating", upTo(choreBackdating)), ("statisticsDays", 0...statisticsDays),
    ("rewards", 0...rewards), ("rewardName", rewardName), ("rewardCost", rewardCost),
    ("redemptions", 0...redemptions), ("pointBalances", 0...pointBalances),
    ("nudgesPerDay", 0...nudgesPerDay), ("mutedSenders", 0...mutedSenders), ("stock", 0...stock),
    ("snoozeMinutes", snoozeMinutes), ("snoozes", 0...snoozes),
    ("money", money), ("openBills", 0...openBills), ("bills", 0...bills), ("billTitle", billTitle),
    ("billNote", billNote), ("billCategory", billCategory), ("billCategories", 0...billCategories),
    ("billPeople", billPeople), ("billItems", billItems), ("rate", rate), ("billAgeDays", 0...billAgeDays),
    ("billAheadDays", 0...billAheadDays), ("spendingMonths", spendingMonths),
    ("purchaseLines", purchaseLines), ("price", price), ("total", total), ("purchaseAge", upTo(purchaseAge)),
    ("boughtLines", 0...boughtLines),
    ("payment", payment), ("payments", 0...payments), ("paymentAge", upTo(paymentAge)), ("paymentRef", paymentRef),
    ("paymentReason", paymentReason), ("paymentBills", paymentBills),
    ("recurringBills", 0...recurringBills), ("billLead", billLead), ("requests", 0...requests),
    ("requestAge", upTo(requestAge)),
    ("dinnerGuests", dinnerGuests), ("dinnerDays", 0...dinnerDays), ("dinnerAge", 0...dinnerAge),
    ("drinkName", drinkName), ("drinkKinds", 0...drinkKinds), ("drinksAdded", drinksAdded),
    ("drinksBought", drinksBought), ("drinkCost", drinkCost), ("drinkStock", drinkStock),
    ("drinkCount", 0...drinkCount), ("drinkPersons", 0...drinkPersons), ("drinkEntries", 0...drinkEntries),
    ("drinkPeriods", 0...drinkPeriods),
    ("receivers", receivers), ("ownShares", 0...ownShares), ("receivedShares", 0...receivedShares),
    ("shareDuration", between(shareDuration)),
    ("placeShareDuration", between(placeShareDuration)), ("placeRadius", placeRadius), ("placeLabel", placeLabel),
    ("shareNote", shareNote), ("fixes", fixes), ("pickupMinutes", pickupMinutes), ("trail", 0...trail),
    ("asks", 0...asks), ("stopAge", upTo(stopAge)), ("askAge", upTo(askAge)), ("inbox", 0...inbox),
    ("undo", upTo(undo)), ("removalsPerDay", 0...removalsPerDay), ("puzzle", puzzle),
    ("dismissalAge", upTo(dismissalAge)), ("dismissed", 0...dismissed),
  ]

  static func shareDuration(untilPlace: Bool) -> ClosedRange<Duration> {
    untilPlace ? placeShareDuration : shareDuration
  }

  private static func upTo(_ duration: Duration) -> ClosedRange<Int> { 0...Int(duration.milliseconds) }

  private static func between(_ range: ClosedRange<Duration>) -> ClosedRange<Int> {
    Int(range.lowerBound.milliseconds)...Int(range.upperBound.milliseconds)
  }
}
