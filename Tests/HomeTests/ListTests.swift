import Foundation
import JSON
import Rooms
import Testing

@testable import Home

/// Lists that stand in two places say the same in both.
@Suite("Lists")
struct ListTests {
  /// Every entity, method and message of the target; the test below reads the sources for one that is missing.
  static let records: [any Record.Type] = [
    AggregateLine.self, CatalogueItem.self, MovingGrocery.self, ShowGrocery.self, HideGrocery.self,
    GroceryOffer.self, GroceryShown.self, GroceryHidden.self, GrocerySettled<HouseholdState>.self, Device.self,
    KeepDevices.self, KeepAccount.self, AddresseeFound.self, Presence.self, HiddenPresence.self, PresenceChosen.self,
    Profile.self, HouseholdEntry.self, Mate.self, OpenPerson.self, PendingCall.self, Notification.self,
    PersonSettings.self, Notify.self, ReadInbox.self, EditSettings.self, Newcomer.self, HouseholdAnswer.self,
    CreateHousehold.self, AcceptInvitation.self, DeclineInvitation.self, JoinHousehold.self, ReceivedInvitation.self,
    AnsweredInvitation.self, InvitationArrived.self, InvitationWithdrawn.self, MembershipBegan.self, JoinRefused.self,
    MembershipEnded.self, RoleChanged.self, MateJoined.self, MateLeft.self, HouseholdFacts.self, Policies.self,
    Member.self, FormerMember.self, Activity.self, HouseholdFounded.self, LeaveHousehold.self, Invitation.self,
    InvitationTarget.self,
    SentInvitation.self, InvitationQuota.self, InvitationClosed.self,
    InvitationRequested.self, InvitationSettled.self, InvitationAnswer.self, SendInvitation.self,
    RevokeInvitation.self, InvitationAccepted.self,
    InvitationDeclined.self, JoinCode.self, CodeHash.self, JoinCodeAnswer.self, CreateJoinCode.self,
    RevokeJoinCode.self, CodePresented.self, MakeHost.self, RemoveMember.self,
    UpdateHousehold.self, PolicyChanges.self, HouseholdChanged.self, ShownProfile.self, UpdateProfile.self,
    ProfileChanged.self, ChatMessage.self, OldMessage.self, ChatCount.self, ChatAnswer.self, SendChat.self,
    RemoveChat.self, ReactToChat.self, ListChat.self, ChatMark.self, ChatGrew.self, ReadChat.self, ReactToNote.self,
    Resolve.self, HandleChanges.self, Note.self, Place.self, RemovedNote.self, NoteAnswer.self, AddNote.self,
    EditNote.self, RemoveNote.self, RestoreNote.self, Removed.self, EventCount.self, Grocery.self, GrocerySource.self,
    GroceryLine.self, GroceryAnswer.self, AddGrocery.self, AddOwnGrocery.self, EditGrocery<HouseholdState>.self,
    RemoveGrocery<HouseholdState>.self, RestoreGrocery<HouseholdState>.self, RemovedGrocery.self, OwnCategory.self,
    ForgetCategory<HouseholdState>.self, GroceryList.self, ShelfOrder.self, RemovedGroceryList.self, ShelfWalks.self,
    ShelfWalk.self, ListAnswer.self, CreateList.self, EditList.self, RemoveList.self, RestoreList.self, Trip.self,
    TripAnnouncement.self, TripAnswer.self, StartTrip.self, DiscardTrip.self, CheckGrocery<HouseholdState>.self,
    CornerOpened.self, CornerEnded.self,
    CornerClosed.self,
    ShareFacts.self, Receiver.self, ShareStarted.self, ExtendShare.self, ShareEntry.self, ShareAnswer.self,
    StartShare.self, ShareBegan.self, ShareRefused.self, ShareOffered.self, ShareExtended.self, ShareEnded.self,
    ShareArrived.self, Position.self, Link.self, Fix.self, ReportParameters<[Fix]>.self,
    Tracking.self, BeforeNewest.self, Destination.self, StartPosition.self, Pickup.self, SeeShare.self,
    Reporter.self, TakeOverShares.self, EndWarning.self, ListActivity.self, SuggestGroceries.self, Suggestions.self,
    Suggestion.self, ForgetGrocery.self, MeasureShare.self, DistanceAnswer.self,
    DismissalFacts.self, ExportLink.self, DismissHousehold.self, RestorationRequested.self, RestorationDeclined.self,
    DismissedHousehold.self, RestoreHousehold.self, HouseholdDismissed.self, HouseholdRestored.self,
    CornerClosure.self, CornerDismissed.self, CornerRestored.self,
    DeleteAccount.self, PersonDeleted.self, ParticipantDeleted.self, PastHousehold.self, NamelessCount.self,
    Contact.self, Consents.self, ContactInvitation.self, SentContactInvitation.self, ContactTarget.self,
    BlockedPerson.self, ContactInvitationAnswer.self, ContactAnswer.self, InviteContact.self, RevokeContact.self,
    AcceptContact.self, DeclineContact.self, RemoveContact.self, BlockPerson.self, UnblockPerson.self,
    ContactInvited.self, ContactAccepted.self, ContactWithdrawn.self, ContactRenamed.self, ReceiverBlocked.self,
    Absence.self, AbsenceEnd.self, BeAway.self, BeBack.self,
    Blocker.self, BlockNoted.self, NameKeeper.self, NameKept.self, ContactFound.self, AcquaintanceDeleted.self,
    FormerReceiver.self, LeaveShare.self, StopRequest.self, StopShare.self, AnswerStop.self, EndShare.self,
    PhoneLost.self, PastShare.self, ReadyForPickup.self, CancelPickup.self, AcceptPickup.self, UpdatePickup.self,
    ReleasePickup.self, CollectPickup.self, PickupChanged.self, TrailPoint.self, Stillness.self, ReceivedAsk.self,
    SentAsk.self, AskForShare.self, DeclineAsk.self, ShareAsked.self,
    Purchase.self, PurchasedLine.self, PurchaseVersion.self, BoughtLine.self, CompleteTrip.self, CheckoutLine.self,
    PurchaseAnswer.self, SkippedLine.self, EditPurchase.self, ListPurchases.self, ListPurchaseVersions.self,
    Bill.self, BillSplit.self, BillItem.self, OriginalAmount.self, BillOrigin.self, RemovedBill.self, BillVersion.self,
    ListedBill.self, OwnBillCategory.self, MonthOfSpending.self, CategorySum.self, SumSpending.self,
    SpendingAnswer.self,
    SpendingMonth.self, BillForm.self, BillAnswer.self, AddBill.self, EditBill.self, RemoveBill.self, RestoreBill.self,
    ListBills.self, ListBillVersions.self, OpenDebt.self, OpenBill.self, Transfer.self, LedgerEntry.self,
    EntryDebt.self, ListLedger.self, Balance.self, LedgerCount.self, Payment.self,
    Chore.self, Occurrence.self, Completion.self, ChoreUpkeep.self, Closing.self, ChoreBefore.self, RemovedChore.self,
    ChoreRecord.self, ListChoreHistory.self, RateChore.self, ChoreTally.self, PersonTally.self, MonthTally.self,
    WeekOfChores.self, PastAbsences.self, CountChores.self, ChoreCounts.self, PersonCounts.self, ChoreTitle.self,
    ScoreChores.self, ChoreScore.self, MonthScore.self, PersonScore.self, ChoreName.self, ForgetChoreName.self,
    ChoreForm.self, ChoreAnswer.self, AddChore.self, EditChore.self, MoveChore.self, RemoveChore.self,
    RestoreChore.self, CompletionAnswer.self, CompleteChore.self, ApproveChore.self, SkipChore.self, ClaimChore.self,
    SentNudges.self, SentNudge.self, RemindOfChore.self, MutedSender.self, MuteSender.self, StockItem.self,
    SetStock.self, StockAnswer.self, RemoveStock.self,
    ReleaseChore.self, UndoChore.self, Reminder.self, SetReminder.self, Snooze.self, SnoozeAnswer.self, Thank.self,
    Reward.self, RemovedReward.self, Redemption.self, PointBalance.self, RewardAnswer.self, AddReward.self,
    EditReward.self, RemoveReward.self, RestoreReward.self, RedemptionAnswer.self, RedeemReward.self,
    UndoRedemption.self, ListRedemptions.self, RecentRemovals.self,
    DinnerDay.self, Attendance.self, DinnerPattern.self, DinnerCount.self, DinnerAnswer.self, SetDinner.self,
    SetDinnerPattern.self, CountDinners.self, DinnerCounts.self,
    Drink.self, DrinkCount.self, DrinkEntry.self, OpenDrinkPeriod.self, DrinkPeriod.self, DrinkBill.self,
    DrinkAnswer.self, AddDrinks.self, BuyDrinks.self, CorrectDrinks.self, UndoDrinks.self, RemoveDrinkKind.self,
    CloseDrinkPeriod.self, DrinkPeriodAnswer.self, OverviewOfDrinks.self, DrinkOverview.self, DrinkTotal.self,
    ListDrinks.self, ListDrinkPeriods.self,
    RotaVersion.self, RotaTask.self, RotaWeek.self, RotaDone.self, RotaTaskEntry.self, RotaAnswer.self, SetRota.self,
    TickRota.self, ClaimRota.self, ReleaseRota.self, ShowRota.self, RotaPlan.self, RotaPlanWeek.self, RotaTurn.self,
    ListRota.self,
    Event.self, RemovedEvent.self, EventAnswer.self, AddEvent.self, EditEvent.self, RemoveEvent.self,
    RestoreEvent.self, ListEventDays.self, EventDayList.self, EventDays.self, SpecialEvent.self, TimeSpan.self,
    Hours.self, SpecialEventAnswer.self, CreateSpecialEvent.self, SayBusy.self, FindSlots.self, SlotList.self,
    Slot.self, ConfirmSpecialEvent.self, CancelSpecialEvent.self,
    CalendarLink.self, CalendarLinkAnswer.self, LinkCalendar.self, UnlinkCalendar.self, CalendarLinkStatus.self,
    ShowCalendarLink.self,
    Payment.self, ListedPayment.self, ListPayments.self, PaymentAnswer.self, ProposePayment.self, ConfirmPayment.self,
    RejectPayment.self, CancelPayment.self, RestorePayment.self, RecordPayment.self, UndoPayment.self,
    LinkPayment.self, PaymentLinkList.self, PaymentLinkEntry.self, OwedAmount.self, DebtReminders.self, MonthEnd.self,
    DebtsAsked.self, RemindOfDebt.self, RemindOfAllDebts.self, RemindersSent.self,
    RecurringBill.self, PostedBill.self, CancelledRecurringBill.self, DueBill.self,
    RecurringBillForm.self,
    RecurringBillAnswer.self, AddRecurringBill.self, EditRecurringBill.self, CancelRecurringBill.self,
    RestoreRecurringBill.self, NotePaidBill.self,
    MoneyRequest.self, RequestPart.self, ListedRequest.self, ListRequests.self, RequestAnswer.self, CreateRequest.self,
    AcceptRequest.self, DeclineRequest.self, CancelRequest.self, RestoreRequest.self,
  ]

  struct Collecting<Root: Record>: FieldVisitor {
    var names: [String] = []
    var paths: Set<AnyKeyPath> = []

    mutating func callAsFunction<Value: Field>(
      _ name: StaticString, _ path: WritableKeyPath<Root, Value>, _ limit: ClosedRange<Int>?
    ) {
      names.append(name.description)
      paths.insert(path)
    }
  }

  static func check<R: Record>(_ type: R.Type) {
    var collecting = Collecting<R>()
    R.fields(&collecting)
    let stored = Mirror(reflecting: R()).children.count
    #expect(collecting.paths.count == stored, "every stored property of \(R.self) is in its list, once")
    #expect(Set(collecting.names).count == collecting.names.count && collecting.names.count == stored, "\(R.self)")
  }

  @Test("every field list names all stored properties, each once")
  func fields() {
    for type in Self.records { Self.check(type) }
  }

  @Test("no record is missing from the list of this suite")
  func all() throws {
    let listed = Set(Self.records.map { "\($0)".prefix { $0 != "<" } }.map(String.init))
    let declared = try Self.declarations().map(\.name)
    #expect(declared.count > 70)
    #expect(Set(declared).symmetricDifference(listed).isEmpty)
  }

  struct CountingParts: PartVisitor {
    var names: [String] = []
    mutating func callAsFunction(_ name: StaticString, _ part: inout some Tracked, _ visibility: Visibility) {
      names.append(name.description)
    }
  }

  /// Every table and single record that a subject stores.
  struct CheckingSubjects<State: ComposedState>: SubjectVisitor {
    var names: [String] = []
    mutating func callAsFunction<S: Subject>(_ subject: inout S) where S.State == State {
      var counting = CountingParts()
      subject.parts(&counting)
      func tracked(_ value: Any) -> Int {
        Mirror(reflecting: value).children.count { $0.value is any Tracked }
          + Mirror(reflecting: value).children.filter { $0.value is ShoppingList }.reduce(0) { $0 + tracked($1.value) }
      }
      #expect(counting.names.count == tracked(subject), "\(S.self) lists every one of its tables, once")
      names += counting.names
    }
  }

  @Test("every subject lists all its tables, and no two tables of a document have one name")
  func parts() {
    func check<State: ComposedState>(_ type: State.Type) {
      var state = State()
      var checking = CheckingSubjects<State>()
      state.subjects(&checking)
      let subjects = Mirror(reflecting: state).children.count
      var counting = CountingSubjects<State>()
      state.subjects(&counting)
      #expect(counting.count == subjects, "\(State.self) lists every one of its subjects")
      #expect(Set(checking.names).count == checking.names.count)
      #expect(Set(State.messages.map(\.name)).count == State.messages.count)
    }
    check(PersonState.self)
    check(HouseholdState.self)
    check(CornerState.self)
    var share = ShareState()
    var counting = CountingParts()
    share.parts(&counting)
    #expect(Mirror(reflecting: share).children.compactMap(\.label) == counting.names)
    #expect(Set(ShareState.messages.map(\.name)).count == ShareState.messages.count)
  }

  struct CountingSubjects<State: ComposedState>: SubjectVisitor {
    var count = 0
    mutating func callAsFunction<S: Subject>(_ subject: inout S) where S.State == State { count += 1 }
  }

  @Test("the summary of each method is the first line of its documentation")
  func summaries() throws {
    let comments = Dictionary(try Self.declarations().map { ($0.name, $0.comment) }, uniquingKeysWith: { $1 })
    func check<M: Mutation>(_ type: M.Type) {
      #expect(comments[String("\(type)".prefix { $0 != "<" })] == M.summary.description)
    }
    func checkQuestion<Q: Question>(_ type: Q.Type) {
      #expect(comments["\(type)"] == Q.summary.description)
    }
    var count = 0
    for type in Self.records {
      if let type = type as? any Mutation.Type {
        check(type)
        count += 1
      } else if let type = type as? any Question.Type {
        checkQuestion(type)
        count += 1
      }
    }
    let methods = HomeRooms.kinds.flatMap(\.methods)
    // Five mutations work on two kinds of room; the server alone calls three others.
    #expect(count == methods.count - 5 + 3)
    for method in methods { #expect(method.name.split(separator: ".").count == 2 && method.summary.hasSuffix(").")) }
  }

  @Test("each kind of room has each of its methods once")
  func methods() {
    #expect(Set(HomeRooms.kinds.map(\.name)) == Set(RoomKindName.allCases))
    for kind in HomeRooms.kinds {
      #expect(Set(kind.methods.map(\.name)).count == kind.methods.count)
      #expect(kind.methods.allSatisfy { $0.room == kind.name })
    }
  }

  @Test("no two published limits have the same name")
  func limits() {
    #expect(Set(Limits.published.map(\.name)).count == Limits.published.count)
    #expect(Limits.published.contains { $0.name == "noteText" && $0.range == 1...2000 })
    #expect(Limits.published.contains { $0.name == "shareDuration" && $0.range == 900_000...86_400_000 })
  }

  /// Every record that the sources declare, with the first line of its documentation.
  static func declarations() throws -> [(name: String, comment: String)] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/Home")
    let protocols: Set<String> = ["Record", "Mutation", "Question", "HistoryPage", "PeoplePage", "Message"]
    var found: [(name: String, comment: String)] = []
    let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    for file in (walk?.compactMap { $0 as? URL } ?? []).filter({ $0.pathExtension == "swift" }) {
      var comment = ""
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
      {
        if line.hasPrefix("/// "), comment.isEmpty { comment = String(line.dropFirst(4)) }
        if line.hasPrefix("struct "), let type = line.dropFirst(7).split(separator: "{").first {
          // `EditGrocery<State: HasGroceries>: Mutation`
          let name = String(type.prefix { $0 != "<" && $0 != ":" })
          let conformance = type.split(separator: ":").last.map { $0.filter { $0 != " " } } ?? ""
          if protocols.contains(conformance) { found.append((name, comment)) }
        }
        if !line.hasPrefix("///") { comment = "" }
      }
    }
    return found
  }
}
