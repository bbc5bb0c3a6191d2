import JSON
import Rooms

/// A notification of a person (R-NOTIFY).
struct Notification: Record {
  var kind = NotificationKind.invitation
  /// The room of the event, by its name on the wire.
  var room: String?
  /// The id of its subject: a note, an invitation, a share.
  @Packed var ref: ID<Thing>? = nil
  @Packed var actor: ID<Person>? = nil
  var actorName: String?
  var at = Instant()
  @Packed var readAt: Instant? = nil
  /// When the person has said thanks for it.
  @Packed var thankedAt: Instant? = nil
  /// The end of the person's quiet hours in which it has come: until then clients only show it (REM-4).
  @Packed var quietUntil: Instant? = nil
  /// The end of a share.
  @Packed var until: Instant? = nil
  /// The household's name, if the person is not in it; or the name of a device, a chore or a list; the title of an
  /// event, a bill or a request; or why a payment was rejected.
  var name: String?
  /// Why a position is lost, the time of its last fix, and the phone's battery then, in per cent.
  var cause: LossCause?
  @Packed var fixedAt: Instant? = nil
  var battery: Int?
  /// The sharer's name for the destination; whether they need a ride; why the share has ended.
  var place: String?
  var pickup: PickupState?
  var reason: ShareEndReason?
  /// When the driver means to be there.
  @Packed var arriveBy: Instant? = nil
  /// A path on the server where the person gets what a household held for them (HH-11).
  var link: String?
  /// `true` if the chore is urgent.
  var isUrgent: Bool?
  /// The money that it is about: my share of a bill, what it was before, or a payment, in minor units of a currency.
  var amount: Int?
  var before: Int?
  var currency: String?
  /// My debts, of a reminder of them.
  var debts: [OwedAmount]?

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("kind", \.kind)
    field("room", \.room)
    field("ref", \._ref)
    field("actor", \._actor)
    field("actorName", \.actorName)
    field("at", \.at)
    field("readAt", \._readAt)
    field("thankedAt", \._thankedAt)
    field("quietUntil", \._quietUntil)
    field("until", \._until)
    field("name", \.name)
    field("cause", \.cause)
    field("fixedAt", \._fixedAt)
    field("battery", \.battery)
    field("place", \.place)
    field("pickup", \.pickup)
    field("reason", \.reason)
    field("arriveBy", \._arriveBy)
    field("link", \.link)
    field("urgent", \.isUrgent)
    field("amount", \.amount)
    field("before", \.before)
    field("currency", \.currency)
    field("debts", \.debts)
  }
}

/// The debt of a person to another one in one currency.
struct OwedAmount: Record {
  var to = ID<Person>()
  /// ISO 4217.
  var currency = ""
  /// In minor units, above 0.
  var amount = 0

  static func fields(_ field: inout some FieldVisitor<Self>) {
    field("to", \.to)
    field("currency", \.currency)
    field("amount", \.amount)
  }
}

enum NotificationKind: String, Word, MapKey {
  /// A member invites me to a household; a person has declined my invitation, or is in another household and cannot
  /// come.
  case invitation, declined, unavailable
  /// A member has joined or left; a member, who may be me, was removed; I have become the host.
  case joined, left, removed, host
  /// The host has dismissed my household; it is back.
  case dismissed, restored
  /// A member who is away has named me as their stand-in.
  case standIn
  /// My stay as a guest is over.
  case stayOver
  case note
  /// The rota has changed.
  case rota
  /// An event that concerns me is in the calendar; it has changed, or is no longer there.
  case event, eventChanged, eventRemoved
  /// I am asked when I cannot come to a special event; it does not take place.
  case specialEvent, specialEventCancelled
  /// A person shares a position with me; they have arrived; a share has ended; my own will end soon.
  case share, arrived, ended, ending
  /// A position that I receive is lost; it is back.
  case lost, back
  /// A receiver of my position has left; they are asked whether I may stop; one has confirmed, or denied.
  case receiverLeft, stopAsked, stopConfirmed, stopDenied
  /// A pick-up has come to another state; its driver is late.
  case pickup, late
  /// A person may need help: they have not arrived in time.
  case urgent
  /// A person asks me to share my position.
  case ask
  /// Another device has logged in as me.
  case login
  /// A member is paid under another name now.
  case handles
  /// A person invites me to be contacts; a person whom I have invited is a contact now.
  case contactInvitation, contactAccepted
  /// A member has put a chore on the list, has done it, or has taken it off.
  case choreAdded, choreDone, choreRemoved
  /// My chore is due today; I may put the reminder off.
  case choreDue
  /// There is nobody whose turn a chore could be; nobody has claimed it in time.
  case choreUnassigned, choreUnclaimed
  /// A member says that a chore is done, which I may approve; mine was rejected.
  case choreToApprove, choreRejected
  /// A member reminds me of my chore.
  case choreReminder
  /// A member thanks me for a chore that I have done, or for my shopping.
  case thanks
  /// A member's birthday is today, or soon.
  case birthday
  /// A member has spent points on a reward.
  case rewardRedeemed
  /// A member goes shopping; they do not, after all.
  case shopping, shoppingCancelled
  /// A member has bought what was on the lists; what they bought, or its cost, has changed.
  case shopped, purchaseChanged
  /// A late change alters how many eat tonight, and I cook.
  case dinner
  /// A bill concerns me; it has changed, or it is no longer there.
  case bill, billChanged, billRemoved
  /// A person says that they have paid me, which I confirm or reject.
  case payment
  /// My payment is confirmed, by its payee or by itself; or one to me by itself.
  case paymentConfirmed
  /// My payment is rejected: its payee says that they have not got it.
  case paymentRejected
  /// A person says that they have got money from me; or, after all, that they have not.
  case paymentRecorded, paymentUndone
  /// A member reminds me of what I owe them.
  case debtReminder
  /// It is the last day of the month, and I owe something.
  case debts
  /// A bill that concerns me comes again from now on; it has changed, or does not come any longer.
  case recurringBill, recurringBillChanged, recurringBillCancelled
  /// A recurring bill of mine is no longer posted until somebody edits it: it names a person who has left.
  case recurringBillPaused
  /// My part of a bill falls due soon.
  case billDue
  /// It is the day on which I pay a recurring bill, such as the rent; another one has paid it.
  case rentDue, rentPaid
  /// A member asks me for money; one has accepted or declined my request, or nobody has answered it in time.
  case request, requestAccepted, requestDeclined, requestExpired

  /// Whether a member sends it to remind another one, who may mute them (REM-3).
  var isNudge: Bool { self == .choreReminder || self == .debtReminder }

  /// Whether a member has worked for the others, who may say thanks.
  var tellsOfWork: Bool { self == .choreDone || self == .shopped }

  /// Safety first: these cannot be muted.
  var isUrgent: Bool {
    switch self {
    case .share, .arrived, .ended, .ending, .lost, .back, .receiverLeft, .stopAsked, .stopConfirmed, .stopDenied,
      .pickup, .late, .urgent, .login, .handles:
      true
    default:
      false
    }
  }
}
