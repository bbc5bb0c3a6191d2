import JSON
import Rooms
import Testing

@testable import Home

/// Every limit of the domain that `hello` publishes, tried by calls: one less, the limit itself, and one more.
@Suite("Limits of the domain")
struct LimitTests {
  typealias Attempt = @Sendable (LimitTests, _ limit: Int) throws -> Void

  static let attempts: [String: Attempt] = [
    // People and households.
    "name": { test, limit in
      try test.accepts(upTo: limit, in: "name") { try test.makeHousehold(named: text($0)) }
    },
    "households": { test, limit in
      try test.fills(limit, from: 2, "tooLarge/households") { _ in try test.makeHousehold() }
    },
    "members": { test, limit in
      try test.fills(limit, from: 3, "tooLarge/members") { try test.letIn(test.world.signUp("Guest\($0)")) }
    },
    "former": { test, limit in
      try test.keeps(
        limit, counting: { try test.world.home().membership.former.count },
        adding: { number in
          let guest = try test.world.signUp("Guest\(number)")
          try test.letIn(guest)
          test.world.advance(.milliseconds(1))
          try test.world.call(guest, "members.leave", in: test.home)
        })
      #expect(try test.world.home().membership.former.values.contains { $0.name == "Guest2" } == false)
    },
    "seen": { test, limit in
      try test.fills(limit, "invalidParams/invalidParams") {
        try test.world.call(test.ana, "settings.edit", ["seen": .object(["tab\($0)": true])])
      }
    },
    "otherHandle": { test, limit in
      test.world.confirmation = .pin
      try test.accepts(upTo: limit, in: "handles.other") {
        try test.world.call(test.ana, "profile.update", ["handles": ["other": text($0)]])
      }
    },
    "clientSettings": { test, limit in
      try test.accepts(upTo: limit, in: "client") {
        // Bytes count, not characters.
        let text = String(repeating: "é", count: $0 / 2) + ($0.isMultiple(of: 2) ? "" : "x")
        try test.world.call(test.ana, "settings.edit", ["client": .string(text)])
      }
    },
    "email": { test, limit in
      try test.accepts(upTo: limit, in: "email") { try test.invite(address(ofLength: $0)) }
    },
    "emailMinimum": { test, limit in
      try test.accepts(from: limit, in: "email") { try test.invite(address(ofLength: $0)) }
    },
    "invitations": { test, limit in
      let others = try (1...limit / Limits.invitationsPerDay).map { try test.world.signUp("Guest\($0)") }
      for other in others { try test.letIn(other) }
      try test.fills(limit, "tooLarge/invitations") { number in
        let inviter = others.indices.contains((number - 1) / 20) ? others[(number - 1) / 20] : test.ana
        try test.invite("invitee\(number)@example.org", by: inviter)
      }
    },
    "receivedInvitations": { test, limit in
      var host = test.ana
      try test.keeps(
        limit, counting: { try test.world.me(test.ben).memberships.invitations.count },
        adding: { number in
          if number % 10 == 1 { host = try test.world.signUp("Host\(number)") }
          let household = try test.makeHousehold(by: host)
          let invitation: JSON = ["household": household, "email": "ben@example.org"]
          try test.world.call(host, "invitations.send", invitation)
        })
    },
    "invitationsPerDay": { test, limit in
      try test.fills(limit, "rateLimited/invitations") { try test.invite("guest\($0)@example.org") }
    },
    "invitationAge": { test, limit in
      let guest = try test.world.signUp("Cem")
      try test.invite("cem@example.org")
      test.world.advance(.milliseconds(limit - 1))
      let id = try #require(try test.world.me(guest).memberships.invitations.keys.first)
      test.world.advance(.milliseconds(1))
      let late = reason { try test.world.call(guest, "invitations.accept", ["id": .id(id)]) }
      #expect(late == "notFound/gone")
    },
    "absenceDays": { test, limit in
      try test.accepts(upTo: limit, in: "to") { days in
        let to = (LocalDay("2026-02-02") ?? LocalDay()).adding(days).text
        try test.call("members.away", ["from": "2026-02-02", "to": .string(to)])
      }
    },
    "contacts": { test, limit in
      var invitation: JSON = .null
      try test.fills(limit, "tooLarge/contacts") { number in
        // Half of them accept at once; open invitations count, too.
        if number % 10 == 1 { test.world.advance(.seconds(24 * 3600)) }
        let guest = try test.world.signUp("Guest\(number)")
        let address: JSON = .string("guest\(number)@example.org")
        invitation = try test.world.call(test.ana, "contacts.invite", ["email": address])["id"] ?? .null
        if number < limit - 50 { try test.world.call(guest, "contacts.accept", ["id": invitation]) }
      }
      // Another person's invitation cannot be accepted until one of the open ones is taken back.
      let theirs = try test.world.call(test.ben, "contacts.invite", ["person": .id(test.ana)])["id"] ?? .null
      let found = reason { try test.world.call(test.ana, "contacts.accept", ["id": theirs]) }
      #expect(found == "tooLarge/contacts")
      try test.world.call(test.ana, "contacts.revoke", ["id": invitation])
      try test.world.call(test.ana, "contacts.accept", ["id": theirs])
      #expect(try test.world.me(test.ana).contacts.contacts.count == limit - 50)
    },
    "blocked": { test, limit in
      try test.fills(limit, "tooLarge/blocked") { number in
        let person = ID<Person>(high: 0xB10C, low: UInt64(number))
        try test.world.call(test.ana, "contacts.block", ["person": .id(person)])
      }
      // A person who is blocked already takes no further place.
      let first = ID<Person>(high: 0xB10C, low: 1)
      try test.world.call(test.ana, "contacts.block", ["person": .id(first)])
    },
    "joinCodes": { test, limit in
      // The code by which Ben has come in counts, too.
      try test.fills(limit, from: 2, "tooLarge/joinCodes") { _ in try test.call("joinCodes.create", [:]) }
    },
    "joinCodeUses": { test, limit in
      try test.accepts(upTo: limit, in: "uses") { try test.call("joinCodes.create", ["uses": number($0)]) }
    },
    "joinCodeAge": { test, limit in
      try test.accepts(upTo: limit, in: "expiresAt") {
        try test.call("joinCodes.create", ["expiresAt": test.time(in: $0)])
      }
    },

    "dismissalAge": { test, limit in
      for (time, isAllowed) in [(limit - 1, true), (limit, false)] {
        let household = try test.makeHousehold()
        let room = RoomID.household(try #require(household.string.flatMap { ID($0) }))
        try test.world.call(test.ana, "members.leave", in: room)
        test.world.advance(.milliseconds(time))
        let found = reason { try test.world.call(test.ana, "households.restore", ["household": household]) }
        #expect(found == (isAllowed ? nil : "notFound/gone"), "\(time)")
      }
    },
    "dismissed": { test, limit in
      try test.keeps(
        limit, counting: { try test.world.me(test.ana).dismissed.households.count },
        adding: { _ in
          let household = try test.makeHousehold()
          test.world.advance(.milliseconds(1))
          try test.world.call(
            test.ana, "members.leave", in: .household(try #require(household.string.flatMap { ID($0) })))
        })
    },

    // The board.
    // Chores.
    "recurrenceEvery": { test, limit in
      try test.accepts(upTo: limit, in: "chore.repeat.every") {
        try test.chore(["date": "2026-02-02", "repeat": ["every": number($0), "unit": "days"]])
      }
    },
    "recurrenceCount": { test, limit in
      try test.accepts(upTo: limit, in: "chore.repeat.count") {
        try test.chore(["date": "2026-02-02", "repeat": ["every": 1, "unit": "days", "count": number($0)]])
      }
    },
    "chores": { test, limit in
      test.world.checksStates = false
      try test.fills(limit, "tooLarge/chores") { _ in try test.chore([:]) }
    },
    "choreName": { test, limit in
      try test.accepts(upTo: limit, in: "chore.name") { try test.chore(["name": text($0)]) }
    },
    "choreNote": { test, limit in
      try test.accepts(upTo: limit, in: "chore.note") { try test.chore(["note": text($0)]) }
    },
    "choreAssignees": { test, limit in
      let people = try (0...limit).map { try test.world.signUp("Guest\($0)") }
      for person in people { try test.letIn(person) }
      try test.accepts(upTo: limit, in: "chore.people") {
        try test.chore(["people": .array(people.prefix($0).map { .id($0) })])
      }
    },
    "chorePoints": { test, limit in
      try test.accepts(upTo: limit, in: "chore.points") { try test.chore(["points": number($0)]) }
    },
    "choreGraceHours": { test, limit in
      try test.accepts(upTo: limit, in: "chore.graceHours") { try test.chore(["graceHours": number($0)]) }
    },
    "choreMinutes": { test, limit in
      try test.accepts(upTo: limit, in: "minutes") { try test.complete(["minutes": number($0)]) }
    },
    "choreStars": { test, limit in
      let id = try test.complete([:], by: test.ben)
      try test.accepts(upTo: limit, in: "stars") { try test.call("chores.rate", ["id": id, "stars": number($0)]) }
    },
    "choreDays": { test, limit in
      let today = ZoneTime("Europe/Berlin").day(at: test.world.now)
      for sign in [1, -1] {
        try test.accepts(upTo: limit, in: "chore.date") {
          try test.chore(["date": .string(today.adding(sign * $0).text)])
        }
      }
    },
    "choreNames": { test, limit in
      test.world.checksStates = false
      try test.keeps(
        limit, counting: { try test.world.home().chores.catalogue.count },
        adding: { number in
          let id = try test.chore(["name": .string("Chore \(number)")])
          try test.call("chores.complete", ["id": id])
        })
    },
    "choreBackdating": { test, limit in
      try test.accepts(upTo: limit, in: "doneAt") {
        try test.complete(["doneAt": .at(test.world.now - .milliseconds($0))])
      }
    },
    "statisticsDays": { test, limit in
      let first = LocalDay(year: 2026, month: 1, day: 1)
      try test.accepts(upTo: limit, in: "to") {
        try test.call(
          "chores.statistics", ["from": .string(first.text), "to": .string(first.adding($0).text)])
      }
    },
    "nudgesPerDay": { test, limit in
      let people = try (0...limit).map { try test.world.signUp("Guest\($0)") }
      for person in people { try test.letIn(person) }
      try test.fills(limit, "rateLimited/reminded") { number in
        let id = try test.chore(["people": [.id(people[number - 1])]])
        try test.call("chores.remind", ["id": id])
      }
    },
    "mutedSenders": { test, limit in
      try test.keeps(
        limit, counting: { try test.world.me(test.ana).mutedSenders.mutedSenders.count },
        adding: { number in
          let guest = try test.world.signUp("Guest\(number)")
          try test.letIn(guest)
          try test.world.call(test.ana, "inbox.mute", ["person": .id(guest), "muted": true])
          try test.world.call(guest, "members.leave", in: test.home)
        })
    },
    "stock": { test, limit in
      try test.fills(limit, "tooLarge/stock") { number in
        try test.call("stock.set", ["name": .string("Supply \(number)"), "level": "low"])
      }
    },
    "snoozeMinutes": { test, limit in
      try test.accepts(upTo: limit, in: "minutes") { try test.snooze($0) }
    },
    "snoozeMinutesMinimum": { test, limit in
      try test.accepts(from: limit, in: "minutes") { try test.snooze($0) }
    },
    "snoozes": { test, limit in
      try test.chore(["date": "2026-02-02", "people": [.id(test.ana)]])
      for count in 1...limit + 1 {
        test.world.advance(.seconds(8 * 3600))
        let inbox = try test.world.me(test.ana).inbox.notifications
        let newest = inbox.filter { $0.value.kind == .choreDue }.max { $0.value.at < $1.value.at }
        let id = try #require(newest).key
        let found = reason { try test.world.call(test.ana, "inbox.snooze", ["id": .id(id), "minutes": 15]) }
        #expect(found == (count <= limit ? nil : "conflict/snoozed"))
      }
    },
    "noteText": { test, limit in
      try test.accepts(upTo: limit, in: "text") { try test.call("notes.add", ["text": text($0)]) }
    },
    "notes": { test, limit in
      try test.fills(limit, "tooLarge/notes") { _ in try test.call("notes.add", ["text": "x"]) }
    },
    "noteLifetime": { test, limit in
      try test.accepts(upTo: limit, in: "lifetime") {
        try test.call("notes.add", ["text": "x", "lifetime": number($0)])
      }
    },
    "noteLifetimeMinimum": { test, limit in
      try test.accepts(from: limit, in: "lifetime") {
        try test.call("notes.add", ["text": "x", "lifetime": number($0)])
      }
    },
    "activity": { test, limit in
      // The household was founded, and Ben has joined.
      try test.keeps(
        limit, from: 3, counting: { try test.world.home().feed.activity.count },
        adding: { _ in
          try test.call("notes.add", ["text": "x"])
        })
    },
    "reactions": { test, limit in
      let id = try test.call("notes.add", ["text": "x"])["id"] ?? .null
      try test.fills(limit, "tooLarge/reactions") { number in
        let emoji = String(Character(try #require(Unicode.Scalar(0x1F400 + number))))
        try test.call("notes.react", ["id": id, "emoji": .string(emoji), "on": true])
      }
    },
    "chatText": { test, limit in
      try test.accepts(upTo: limit, in: "text") { try test.call("chat.send", ["text": text($0)]) }
    },
    "chat": { test, limit in
      try test.keeps(
        limit, counting: { try test.world.home().chat.chat.count },
        adding: { _ in try test.call("chat.send", ["text": "x"]) })
    },
    "chatHistory": { test, limit in
      func count() throws -> Int {
        try test.world.home().chat.chat.count + (test.world.history[test.home] ?? []).count { $0.kind == "chat" }
      }
      try test.keeps(limit, counting: count) { _ in try test.call("chat.send", ["text": "x"]) }
    },
    "puzzle": { test, limit in
      try test.accepts(upTo: limit, in: "puzzle") { try test.makeHousehold(solution: text($0)) }
    },
    "undo": { test, limit in
      for (time, isAllowed) in [(limit - 1, true), (limit, false), (limit + 1, false)] {
        let id = try test.call("notes.add", ["text": "x"])["id"] ?? .null
        try test.call("notes.remove", ["id": id])
        test.world.advance(.milliseconds(time))
        let found = reason { try test.call("notes.restore", ["id": id]) }
        #expect(found == (isAllowed ? nil : "notFound/gone"), "\(time)")
      }
    },

    // The rota.
    "rotaTasks": { test, limit in
      try test.accepts(upTo: limit, in: "tasks") { count in
        let tasks = (0..<count).map { JSON.object(["name": .string("Task \($0)")]) }
        try test.call("rota.set", ["tasks": .array(tasks)])
      }
    },
    "rotaTaskName": { test, limit in
      try test.accepts(upTo: limit, in: "tasks.0.name") {
        try test.call("rota.set", ["tasks": [["name": text($0)]]])
      }
    },
    "rotaWeeks": { test, limit in
      try test.accepts(upTo: limit, in: "count") { try test.call("rota.weeks", ["count": number($0)]) }
    },
    "rotaWeeksAhead": { test, limit in
      try test.accepts(upTo: limit, in: "from") {
        try test.call("rota.weeks", ["from": test.day(in: 7 * $0)])
      }
    },

    // Events.
    "events": { test, limit in
      try test.fills(limit, "tooLarge/events") { _ in try test.addEvent() }
      let id = try #require(try test.world.home().events.events.keys.first)
      try test.call("events.remove", ["id": .id(id)])
      try test.addEvent()
      #expect(reason { try test.call("events.restore", ["id": .id(id)]) } == "tooLarge/events")
    },
    "eventTitle": { test, limit in
      try test.accepts(upTo: limit, in: "title") { try test.addEvent(["title": text($0)]) }
    },
    "eventNote": { test, limit in
      try test.accepts(upTo: limit, in: "note") { try test.addEvent(["note": text($0)]) }
    },
    "eventDays": { test, limit in
      try test.accepts(upTo: limit, in: "end") { try test.addEvent(["end": test.day(in: $0 - 1)]) }
    },
    "eventDaysAhead": { test, limit in
      try test.accepts(upTo: limit, in: "start") { try test.addEvent(["start": test.day(in: $0)]) }
      try test.accepts(upTo: limit, in: "from") {
        try test.call("events.days", ["from": test.day(in: $0), "to": test.day(in: $0)])
      }
    },
    "eventDaysShown": { test, limit in
      try test.accepts(upTo: limit, in: "to") {
        try test.call("events.days", ["from": test.day(in: 0), "to": test.day(in: $0 - 1)])
      }
    },
    "specialEvents": { test, limit in
      try test.fills(limit, "tooLarge/specialEvents") { _ in try test.announce() }
    },
    "specialEventDays": { test, limit in
      let day = 86_400_000
      for (time, isTaken) in [(limit * day - 1, true), (limit * day, true), (limit * day + 1, false)] {
        let found = refusal { try test.announce(["window": ["from": .at(test.world.now), "to": test.time(in: time)]]) }
        #expect(found?.fields.map(\.path) == (isTaken ? nil : ["window.to"]), "\(time)")
      }
    },
    "specialMinutes": { test, limit in
      try test.accepts(upTo: limit, in: "minutes.\(test.ben)") { try test.announce(minutes: $0) }
    },
    "busyTimes": { test, limit in
      let id = try test.announce()["id"] ?? .null
      let time: JSON = ["from": .at(test.world.now), "to": test.time(in: 1)]
      try test.accepts(upTo: limit, in: "intervals") { count in
        let times = JSON.array(Array(repeating: time, count: count))
        try test.call("specialEvents.busy", ["id": id, "intervals": times], by: test.ben)
      }
    },
    "slots": { test, limit in
      let id = try test.announce()["id"] ?? .null
      try test.accepts(upTo: limit, in: "limit") { count in
        let found = try test.call("specialEvents.slots", ["id": id, "limit": number(count)])
        #expect(found["items"]?.array?.count == count)
      }
    },

    // Groceries.
    "groceries": { test, limit in
      for room in [test.home, .corner(test.household, test.ana)] {
        try test.fills(limit, "tooLarge/groceries") {
          try test.call("groceries.add", ["name": "Thing \($0)"], in: room)
        }
      }
    },
    // One more makes a line of its own.
    "grocerySources": { test, limit in
      func most() throws -> Int { try test.world.home().list.groceries.values.map(\.sources.count).max() ?? 0 }
      try test.keeps(limit, counting: most) { _ in try test.call("groceries.add", ["name": "Tea"]) }
    },
    "groceryName": { test, limit in
      try test.accepts(upTo: limit, in: "name") { try test.call("groceries.add", ["name": text($0)]) }
    },
    "groceryNote": { test, limit in
      try test.accepts(upTo: limit, in: "note") {
        try test.call("groceries.add", ["name": "Tea", "note": text($0)])
      }
    },
    "unit": { test, limit in
      try test.accepts(upTo: limit, in: "unit") {
        try test.call("groceries.add", ["name": "Tea", "quantity": 1, "unit": text($0)])
      }
    },
    "catalogue": { test, limit in
      try test.keeps(
        limit, counting: { try test.world.home().groceries.catalogue.count },
        adding: { number in
          let id = try test.call("groceries.add", ["name": "Thing \(number)"])["id"] ?? .null
          try test.call("groceries.remove", ["id": id])
        })
    },
    "suggestions": { test, limit in
      func suggest() throws -> Int {
        let answer = try test.call("groceries.suggest", ["prefix": "thing"])
        return answer["items"]?.array?.count ?? 0
      }
      try test.keeps(limit, counting: suggest) { number in
        let id = try test.call("groceries.add", ["name": "Thing \(number)"])["id"] ?? .null
        try test.call("groceries.remove", ["id": id])
      }
    },

    "lists": { test, limit in
      try test.fills(limit, "tooLarge/lists") { try test.call("lists.create", ["name": "List \($0)"]) }
    },
    "listName": { test, limit in
      for field in ["name", "store"] {
        try test.accepts(upTo: limit, in: field) {
          let id = try test.call("lists.create", ["name": "Market"])["id"] ?? .null
          try test.call("lists.edit", .object(["id": id, field: text($0)]))
        }
      }
    },
    "categories": { test, limit in
      for room in [test.home, .corner(test.household, test.ana)] {
        try test.fills(limit, "tooLarge/categories") {
          try test.call("groceries.add", ["name": "Thing", "category": "Own \($0)"], in: room)
        }
      }
    },
    "categoryName": { test, limit in
      try test.accepts(upTo: limit, in: "category") {
        try test.call("groceries.add", ["name": "Tea", "category": text($0)])
      }
    },
    // There are no other categories: with one more, a category stands twice.
    "categoryOrder": { test, limit in
      for number in 1...Limits.categories {
        try test.call("groceries.add", ["name": "Thing", "category": "Own \(number)"])
      }
      let all = CategoryWord.allCases.map(\.rawValue) + (1...Limits.categories).map { "Own \($0)" }
      #expect(all.count == limit)
      for count in [limit - 1, limit] {
        try test.call("lists.edit", ["order": .array(all.prefix(count).map { .string($0) })])
      }
      let found = refusal { try test.call("lists.edit", ["order": .array((all + ["fruit"]).map { .string($0) })]) }
      #expect(found?.fields.first?.path == "order")
    },
    "trips": { test, limit in
      try test.fills(limit, "tooLarge/trips") { _ in
        try test.call("trips.start", [:])
        test.world.advance(Limits.tripAge)
      }
      // Another member's trips are counted by themselves.
      try test.world.call(test.ben, "trips.start", in: test.home)
    },
    "tripAge": { test, limit in
      try test.call("trips.start", [:])
      test.world.advance(.milliseconds(limit - 1))
      #expect(try test.world.home().trips.trips.values.first?.state == .open)
      test.world.advance(.milliseconds(1))
      #expect(try test.world.home().trips.trips.values.first?.state == .unsettled)
    },
    // Payments.
    "payment": { test, limit in
      test.world.confirmation = .pin
      for method in ["propose", "record"] {
        try test.accepts(upTo: limit, in: "amount") { try test.pay(method, ["amount": number($0)]) }
        try test.accepts(from: 1, in: "amount") { try test.pay(method, ["amount": number($0)]) }
      }
    },
    "payments": { test, limit in
      test.world.confirmation = .pin
      try test.fills(limit, "tooLarge/payments") { _ in try test.pay("propose", [:]) }
    },
    "paymentAge": { test, limit in
      test.world.confirmation = .pin
      try test.pay("propose", [:])
      for (time, isPending) in [(limit - 1, true), (1, false)] {
        test.world.advance(.milliseconds(time))
        #expect(try test.world.home().payments.payments.isEmpty != isPending)
      }
    },
    "paymentRef": { test, limit in
      try test.accepts(upTo: limit, in: "extRef") { try test.pay("record", ["extRef": text($0)]) }
      try test.accepts(upTo: limit, in: "note") {
        try test.call("payments.link", ["to": .id(test.ben), "amount": 1, "note": text($0)])
      }
    },
    "paymentReason": { test, limit in
      test.world.confirmation = .pin
      try test.accepts(upTo: limit, in: "reason") {
        let id = try test.pay("propose", [:])
        defer { _ = try? test.call("payments.reject", ["id": id], by: test.ben) }
        try test.call("payments.reject", ["id": id, "reason": text($0)], by: test.ben)
      }
    },
    "paymentBills": { test, limit in
      let bill: JSON = ["title": "Tea", "amount": 1000, "split": ["kind": "equal", "people": [.id(test.ben)]]]
      let id = try test.call("bills.add", ["bill": bill])["id"] ?? .null
      try test.accepts(upTo: limit, in: "bills") { count in
        try test.pay("record", ["bills": .array(Array(repeating: id, count: count))])
      }
    },
    // Recurring bills and requests.
    "recurringBills": { test, limit in
      test.world.confirmation = .pin
      try test.fills(limit, "tooLarge/recurringBills") { _ in try test.recurring() }
    },
    "billLead": { test, limit in
      test.world.confirmation = .pin
      try test.accepts(upTo: limit, in: "bill.lead") { try test.recurring(["lead": number($0)]) }
      try test.accepts(from: 0, in: "bill.lead") { try test.recurring(["lead": number($0)]) }
    },
    "requests": { test, limit in
      try test.fills(limit, "tooLarge/requests") { _ in try test.ask() }
    },
    "requestAge": { test, limit in
      try test.ask()
      for (time, isOpen) in [(limit - 1, true), (1, false)] {
        test.world.advance(.milliseconds(time))
        #expect(try test.world.home().requests.requests.isEmpty != isOpen)
      }
    },

    // Dinner and drinks.
    "dinnerGuests": { test, limit in
      try test.accepts(upTo: limit, in: "guests") { try test.call("dinner.set", ["guests": number($0)]) }
    },
    "dinnerDays": { test, limit in
      let tonight = try test.world.home().tonight(at: test.world.now)
      try test.accepts(upTo: limit, in: "date") {
        try test.call("dinner.set", ["date": .string(tonight.adding($0).text), "eats": "in"])
      }
    },
    "dinnerAge": { test, limit in
      for (days, isKept) in [(limit - 1, true), (limit, true), (limit + 1, false)] {
        let tonight = try test.world.home().tonight(at: test.world.now)
        try test.call("dinner.set", ["eats": "in"])
        // The test begins at night: by the next evening, what is too old is gone in every zone.
        test.world.advance(.seconds(86_400 * days + 15 * 3600))
        #expect(try test.world.home().dinner.days.contains(tonight) == isKept, "\(days)")
        test.world.advance(.seconds(9 * 3600))
      }
    },
    // Money.
    "money": { test, limit in
      try test.accepts(upTo: limit, in: "bill.amount") { try test.bill(["amount": number($0)]) }
      try test.accepts(from: -limit, in: "bill.amount") { try test.bill(["amount": number($0)]) }
    },
    "openBills": { test, limit in
      try test.keeps(
        limit, counting: { try test.world.home().ledger.debts.values.first?.bills.count ?? 0 },
        adding: { _ in try test.bill() })
      let debt = try #require(try test.world.home().ledger.debts.values.first)
      #expect(debt.bills.first?.bill == nil && debt.bills.reduce(0) { $0 + $1.left } == debt.amount)
    },
    "bills": { test, limit in
      test.world.checksStates = false
      try test.keeps(limit, counting: { try test.world.home().bills.bills.count }, adding: { _ in try test.bill() })
    },
    "billTitle": { test, limit in
      try test.accepts(upTo: limit, in: "bill.title") { try test.bill(["title": text($0)]) }
    },
    "billNote": { test, limit in
      try test.accepts(upTo: limit, in: "bill.note") { try test.bill(["note": text($0)]) }
    },
    "billCategory": { test, limit in
      try test.accepts(upTo: limit, in: "bill.category") { try test.bill(["category": text($0)]) }
    },
    "billCategories": { test, limit in
      try test.fills(limit, "tooLarge/billCategories") { try test.bill(["category": .string("Own \($0)")]) }
    },
    "billPeople": { test, limit in
      try test.accepts(upTo: limit, in: "bill.split.people") {
        let people = (0..<$0).map { _ in JSON.id(test.ana) }
        try test.bill(["split": ["kind": "equal", "people": .array(people)]])
      }
    },
    "billItems": { test, limit in
      try test.accepts(upTo: limit, in: "bill.split.items") {
        let item: JSON = ["amount": 1, "people": [.id(test.ana)]]
        try test.bill(["split": ["kind": "itemised", "items": .array(Array(repeating: item, count: $0))]])
      }
    },
    "rate": { test, limit in
      try test.accepts(upTo: limit, in: "bill.original.rate") {
        try test.bill(["original": ["amount": 1, "currency": "CHF", "rate": text($0)]])
      }
    },
    "billAgeDays": { test, limit in
      try test.accepts(upTo: limit, in: "bill.date") { try test.bill(["date": test.day(in: -$0)]) }
    },
    "billAheadDays": { test, limit in
      try test.accepts(upTo: limit, in: "bill.date") { try test.bill(["date": test.day(in: $0)]) }
    },
    "spendingMonths": { test, limit in
      try test.accepts(upTo: limit, in: "months") { try test.call("bills.spending", ["months": number($0)]) }
    },
    "purchaseLines": { test, limit in
      try test.accepts(upTo: limit, in: "lines") {
        let lines = (0..<$0).map { JSON.object(["id": .id(ID<Grocery>(high: 5, low: UInt64($0)))]) }
        try test.call("trips.complete", ["lines": .array(lines)])
      }
    },
    "price": { test, limit in
      try test.accepts(upTo: limit, in: "lines.0.price") {
        try test.call("trips.complete", ["lines": [["id": .id(ID<Grocery>(high: 4, low: 4)), "price": number($0)]]])
      }
      try test.accepts(from: 0, in: "lines.0.price") {
        try test.call("trips.complete", ["lines": [["id": .id(ID<Grocery>(high: 4, low: 4)), "price": number($0)]]])
      }
    },
    "total": { test, limit in
      try test.accepts(upTo: limit, in: "total") {
        try test.call("trips.complete", ["lines": [], "total": number($0)])
      }
      try test.accepts(from: 1, in: "total") { try test.call("trips.complete", ["lines": [], "total": number($0)]) }
    },
    "purchaseAge": { test, limit in
      let purchase = try test.call("trips.complete", ["lines": []])["id"] ?? .null
      test.world.advance(.milliseconds(limit - 1))
      try test.call("trips.edit", ["id": purchase, "note": "last"])
      test.world.advance(.milliseconds(1))
      #expect(reason { try test.call("trips.edit", ["id": purchase, "note": "late"]) } == "conflict/tooLate")
    },
    "boughtLines": { test, limit in
      test.world.checksStates = false
      for _ in 0...limit / 200 {
        let lines = try (0..<200).map { number in
          JSON.object(["id": try test.call("groceries.add", ["name": .string("Thing \(number)")])["id"] ?? .null])
        }
        try test.call("trips.complete", ["lines": .array(lines)])
      }
      #expect(try test.world.home().purchases.bought.count == limit)
    },
    "drinkName": { test, limit in
      try test.accepts(upTo: limit, in: "kind") { try test.call("drinks.add", ["kind": text($0), "n": 1]) }
    },
    "rewards": { test, limit in
      try test.withPoints(0)
      try test.fills(limit, "tooLarge/rewards") { _ in try test.addReward() }
    },
    "rewardName": { test, limit in
      try test.withPoints(0)
      try test.accepts(upTo: limit, in: "name") { try test.addReward(named: text($0)) }
    },
    "rewardCost": { test, limit in
      try test.withPoints(0)
      try test.accepts(upTo: limit, in: "cost") { try test.addReward(for: $0) }
      try test.accepts(from: 1, in: "cost") { try test.addReward(for: $0) }
    },
    "redemptions": { test, limit in
      try test.withPoints(limit + 2)
      let reward = try test.addReward()
      try test.keeps(
        limit, counting: { try test.world.home().rewards.redemptions.count },
        adding: { _ in try test.call("rewards.redeem", ["reward": reward]) })
      #expect(try test.world.home().balance(of: test.ana).left == 0)
    },
    "pointBalances": { test, limit in
      var rewards = Rewards()
      try test.keeps(
        limit, counting: { rewards.points.count },
        adding: { number in
          // The first has spent nothing.
          let redemption = Redemption(points: 1 - number, by: ID(high: 1, low: UInt64(number)))
          _ = rewards.redeem(redemption, as: ID(high: 2, low: UInt64(number)), from: PointBalance(earned: limit + 2))
        })
      #expect(!rewards.points.contains(ID(high: 1, low: 1)) && rewards.points.contains(ID(high: 1, low: 3)))
    },
    "drinkKinds": { test, limit in
      try test.fills(limit, "tooLarge/drinkKinds") { try test.call("drinks.add", ["kind": text($0), "n": 1]) }
      try test.call("drinks.add", ["kind": "X", "n": 1])
    },
    "drinksAdded": { test, limit in
      try test.accepts(upTo: limit, in: "n") { try test.call("drinks.add", ["kind": "Beer", "n": number($0)]) }
      try test.accepts(from: Limits.drinksAdded.lowerBound, in: "n") {
        try test.call("drinks.add", ["kind": "Beer", "n": number($0)])
      }
    },
    "drinksBought": { test, limit in
      try test.accepts(upTo: limit, in: "n") { try test.call("drinks.buy", ["kind": "Beer", "n": number($0)]) }
      try test.accepts(from: 1, in: "n") { try test.call("drinks.buy", ["kind": "Beer", "n": number($0)]) }
    },
    "drinkCost": { test, limit in
      for edge in [limit, 1] {
        for method in ["drinks.buy", "drinks.closePeriod"] {
          func call(_ cost: Int) throws {
            try test.call("drinks.add", ["kind": "Beer", "n": 1])
            let more: JSON = method == "drinks.buy" ? ["kind": "Beer", "n": 1] : [:]
            try test.call(method, more.adding(["cost": number(cost)]))
          }
          if edge == limit { try test.accepts(upTo: edge, in: "cost", call) }
          if edge == 1 { try test.accepts(from: edge, in: "cost", call) }
        }
      }
    },
    "drinkStock": { test, limit in
      try test.accepts(upTo: limit, in: "to") { try test.call("drinks.correct", ["kind": "Beer", "to": number($0)]) }
      try test.accepts(from: 0, in: "to") { try test.call("drinks.correct", ["kind": "Beer", "to": number($0)]) }
    },
    "drinkCount": { test, limit in
      for _ in 1...limit / 500 { try test.call("drinks.buy", ["kind": "Beer", "n": 500]) }
      let above = reason { try test.call("drinks.buy", ["kind": "Beer", "n": 1]) }
      #expect(above == "tooLarge/drinkCount")
      try test.call("drinks.add", ["kind": "Beer", "n": 1])
    },
    "drinkPersons": { test, limit in
      try test.fills(limit, "tooLarge/drinkPersons") { number in
        let guest = try test.world.signUp("Guest\(number)")
        try test.letIn(guest)
        defer { #expect(throws: Never.self) { try test.world.call(guest, "members.leave", in: test.home) } }
        try test.world.call(guest, "drinks.add", in: test.home, ["kind": "Beer", "n": 1])
      }
    },
    "drinkEntries": { test, limit in
      try test.world.call(test.ben, "drinks.add", in: test.home, ["kind": "Beer", "n": 1])
      try test.keeps(
        limit, counting: { try test.world.home().drinks.entries.count - 1 },
        adding: { _ in try test.call("drinks.add", ["kind": "Beer", "n": 1]) })
    },
    "drinkPeriods": { test, limit in
      func count() -> Int { (test.world.history[test.home] ?? []).count { $0.kind == "drinkPeriods" } }
      try test.keeps(limit, counting: count) { _ in
        try test.call("drinks.add", ["kind": "Beer", "n": 1])
        try test.call("drinks.closePeriod", [:])
      }
    },

    // Shares.
    "receivers": { test, limit in
      var friends: [ID<Person>] = [test.ben]
      for number in 0..<2 {
        let household = try test.makeHousehold()
        guard let id = household.string.flatMap({ ID<Household>($0) }) else { throw World.Missing() }
        let guests = try (1...25).map { try test.world.signUp("Friend\(number)x\($0)") }
        try test.world.join(guests, id)
        friends += guests
      }
      try test.accepts(upTo: limit, in: "receivers") { count in
        try test.share(["receivers": .array(friends.prefix(count).map { .id($0) })])
      }
    },
    "ownShares": { test, limit in
      try test.fills(limit, "tooLarge/shares") { _ in try test.share() }
    },
    "receivedShares": { test, limit in
      var sharer = test.ana
      var household = test.household
      try test.keeps(
        limit, counting: { try test.world.me(test.ben).shares.entries.count },
        adding: { number in
          if number % Limits.ownShares == 1 { sharer = try test.world.signUp("Sharer\(number)") }
          if number % 100 == 1 {
            guard let made = try test.makeHousehold().string.flatMap({ ID<Household>($0) }) else {
              throw World.Missing()
            }
            household = made
            try test.letIn(test.ben, to: household)
          }
          if number % Limits.ownShares == 1 { try test.letIn(sharer, to: household) }
          try test.share(by: sharer)
        })
    },
    "shareDuration": { test, limit in
      try test.accepts(upTo: limit, in: "until") { try test.share(["until": test.time(in: $0)]) }
    },
    "shareDurationMinimum": { test, limit in
      try test.accepts(from: limit, in: "until") { try test.share(["until": test.time(in: $0)]) }
    },
    "placeShareDuration": { test, limit in
      try test.accepts(upTo: limit, in: "until") { try test.share(["until": test.time(in: $0), "place": place()]) }
    },
    "placeShareDurationMinimum": { test, limit in
      try test.accepts(from: limit, in: "until") { try test.share(["until": test.time(in: $0), "place": place()]) }
    },
    "placeRadius": { test, limit in
      try test.accepts(upTo: limit, in: "place.r") { try test.share(["place": place(["r": number($0)])]) }
    },
    "placeRadiusMinimum": { test, limit in
      try test.accepts(from: limit, in: "place.r") { try test.share(["place": place(["r": number($0)])]) }
    },
    "placeLabel": { test, limit in
      try test.accepts(upTo: limit, in: "place.label") { try test.share(["place": place(["label": text($0)])]) }
    },
    "shareNote": { test, limit in
      try test.accepts(upTo: limit, in: "note") { try test.share(["note": text($0)]) }
    },
    "fixes": { test, limit in
      try test.share(["id": .id(Self.report)])
      let fix: JSON = ["lat": 52, "lon": 4, "accuracy": 5, "fixTime": .at(test.world.now)]
      try test.accepts(upTo: limit, in: "fixes") { count in
        let report: JSON = ["sentAt": .at(test.world.now), "fixes": .array(Array(repeating: fix, count: count))]
        _ = try test.world.send(test.world.nextCall(of: test.ana), "positions.report", in: .share(Self.report), report)
      }
    },
    "pickupMinutes": { test, limit in
      try test.share(["id": .id(Self.report), "ride": true])
      for method in ["pickup.accept", "pickup.update"] {
        try test.accepts(upTo: limit, in: "minutes") { minutes in
          try test.world.call(test.ben, method, in: .share(Self.report), ["minutes": number(minutes)])
          if method == "pickup.accept" { try test.world.call(test.ben, "pickup.release", in: .share(Self.report)) }
        }
        if method == "pickup.accept" {
          try test.world.call(test.ben, method, in: .share(Self.report), ["minutes": 1])
        }
      }
    },
    "trail": { test, limit in
      try test.share(["id": .id(Self.report), "trail": true])
      try test.keeps(
        limit, counting: { try test.world.share(Self.report).trail.count },
        adding: { _ in
          test.world.advance(.seconds(1))
          let fix: JSON = ["lat": 52, "lon": 4, "accuracy": 5, "fixTime": .at(test.world.now)]
          _ = try test.world.send(
            test.world.nextCall(of: test.ana), "positions.report", in: .share(Self.report),
            ["sentAt": .at(test.world.now), "fixes": [fix]])
        })
    },
    "stopAge": { test, limit in
      try test.share(["id": .id(Self.report)])
      for (time, isAllowed) in [(limit - 1, true), (limit, false)] {
        try test.world.call(test.ana, "shares.stop", in: .share(Self.report))
        test.world.advance(.milliseconds(time))
        let found = reason {
          try test.world.call(test.ben, "shares.answerStop", in: .share(Self.report), ["confirm": false])
        }
        #expect(found == (isAllowed ? nil : "conflict/notAsked"), "\(time)")
      }
    },
    "asks": { test, limit in
      var household = test.household
      try test.keeps(
        limit, counting: { try test.world.me(test.ben).asks.asks.count },
        adding: { number in
          if number % 25 == 1 {
            guard let made = try test.makeHousehold().string.flatMap({ ID<Household>($0) }) else {
              throw World.Missing()
            }
            household = made
            try test.letIn(test.ben, to: household)
          }
          let asker = try test.world.signUp("Asker\(number)")
          try test.letIn(asker, to: household)
          test.world.advance(.milliseconds(1))
          try test.world.call(asker, "shares.ask", ["person": .id(test.ben)])
        })
      #expect(try test.world.me(test.ben).asks.asks.values.contains { $0.name == "Asker2" } == false)
    },
    "askAge": { test, limit in
      for (time, isAllowed) in [(limit - 1, true), (limit, false)] {
        try test.world.call(test.ana, "shares.ask", ["person": .id(test.ben)])
        test.world.advance(.milliseconds(time))
        let found = reason { try test.world.call(test.ben, "shares.declineAsk", ["person": .id(test.ana)]) }
        #expect(found == (isAllowed ? nil : "notFound/ask"), "\(time)")
      }
    },

    // Notifications, and records of removed things.
    "removalsPerDay": { test, limit in
      try test.fills(limit, "rateLimited/removals") { _ in
        try test.call("chat.remove", ["id": try test.call("chat.send", ["text": "x"])["id"] ?? .null])
      }
    },
    "inbox": { test, limit in
      try test.keeps(
        limit, counting: { try test.world.me(test.ben).inbox.notifications.count },
        adding: { _ in
          let id = try test.call("notes.add", ["text": "x"])["id"] ?? .null
          try test.call("notes.remove", ["id": id])
        })
    },
  ]

  /// The limits of methods of the server, which `EndToEndTests` tries.
  static let ofServer: Set = ["deviceName", "sessions"]

  static let published =
    Limits.published.map { ($0.name, $0.range.upperBound) }
    + Limits.published.filter { $0.range.lowerBound > 1 }.map { ($0.name + "Minimum", $0.range.lowerBound) }

  @Test("SEC-12: each limit is held on both sides", arguments: published.map(\.0).filter { !ofServer.contains($0) })
  func limit(name: String) throws {
    let value = try #require(Self.published.first { $0.0 == name }?.1)
    let attempt = try #require(Self.attempts[name], "\(name) is published and has no attempt here")
    try attempt(self, value)
  }

  @Test("each limit that is tried is published")
  func names() {
    #expect(Set(Self.attempts.keys) == Set(Self.published.map(\.0)).subtracting(Self.ofServer))
  }

  // MARK: the household in which they are tried

  let world = World()
  let household = ID<Household>(high: 0xB000, low: 1)
  let ana: ID<Person>
  let ben: ID<Person>
  private var home: RoomID { .household(household) }
  private static let report = ID<Share>(high: 0x5A, low: 1)

  init() throws {
    world.checksStates = false
    let people = try world.household(of: "Ana", "Ben")
    (ana, ben) = (people[0], people[1])
  }

  // MARK: both sides

  /// The limit and one less are taken; one more is refused with the name of the field.
  private func accepts(upTo limit: Int, in field: String, _ call: (Int) throws -> Void) throws {
    for (value, isTaken) in [(limit - 1, true), (limit, true), (limit + 1, false)] {
      let found = refusal { try call(value) }
      #expect(found?.fields.map(\.path) == (isTaken ? nil : [field]), "\(value): \(String(describing: found))")
    }
  }

  /// The limit and one more are taken; one less is refused with the name of the field.
  private func accepts(from limit: Int, in field: String, _ call: (Int) throws -> Void) throws {
    for (value, isTaken) in [(limit - 1, false), (limit, true), (limit + 1, true)] {
      let found = refusal { try call(value) }
      #expect(found?.fields.map(\.path) == (isTaken ? nil : [field]), "\(value): \(String(describing: found))")
    }
  }

  /// As many as the limit are taken, and one more is refused with the reason.
  ///
  /// - Parameter first: The number of the first one that is added here.
  private func fills(_ limit: Int, from first: Int = 1, _ refused: String, _ add: (Int) throws -> Void) throws {
    for number in first...limit { try add(number) }
    #expect(reason { try add(limit + 1) } == refused)
  }

  /// All are taken, and at most as many as the limit are kept.
  ///
  /// - Parameter first: The number of the first one that is added here.
  private func keeps(
    _ limit: Int, from first: Int = 1, counting count: () throws -> Int, adding add: (Int) throws -> Void
  ) throws {
    for number in first...limit + 2 {
      try add(number)
      if number >= limit - 1 { #expect(try count() == min(number, limit)) }
    }
  }

  // MARK: calls

  /// Adds a chore; returns the id of its occurrence.
  @discardableResult private func chore(_ fields: [String: JSON]) throws -> JSON {
    try call("chores.add", ["chore": .object(fields.merging(["name": "Dishes"]) { given, _ in given })])["occurrence"]
      ?? .null
  }

  /// Adds a chore and completes it; returns the id of its occurrence.
  @discardableResult private func complete(_ fields: [String: JSON], by person: ID<Person>? = nil) throws -> JSON {
    let id = try chore([:])
    try world.call(person ?? ana, "chores.complete", in: home, .object(fields.merging(["id": id]) { $1 }))
    return id
  }

  /// Adds a bill of Ana's, of which Ben has a half.
  private func bill(_ fields: [String: JSON] = [:]) throws {
    let bill: [String: JSON] = ["title": "Pizza", "amount": 2000]
    try call("bills.add", ["bill": .object(bill.merging(fields) { $1 })])
  }

  /// Turns points on, and earns some.
  private func withPoints(_ points: Int) throws {
    try call("households.update", ["points": true])
    if points > 0 { try call("chores.complete", ["id": chore(["points": Self.number(points)])]) }
  }

  @discardableResult private func addReward(named name: JSON = "Cake", for cost: Int = 1) throws -> JSON {
    try call("rewards.add", ["name": name, "cost": Self.number(cost)])["id"] ?? .null
  }

  /// Is reminded of a chore, and puts it off.
  private func snooze(_ minutes: Int) throws {
    let today = ZoneTime("Europe/Berlin").day(at: world.now).text
    try chore(["date": .string(today), "people": [.id(ana)]])
    world.advance(.seconds(8 * 3600))
    let newest = try world.me(ana).inbox.notifications.filter { $0.value.kind == .choreDue }.max {
      ($0.value.at, $0.key) < ($1.value.at, $1.key)
    }
    try world.call(ana, "inbox.snooze", ["id": .id(try #require(newest).key), "minutes": Self.number(minutes)])
  }

  /// Proposes a payment of Ana's to Ben, or records one of Ben's to Ana; returns its id.
  @discardableResult private func pay(_ method: String, _ more: [String: JSON]) throws -> JSON {
    let other = method == "propose" ? "to" : "from"
    let payment: [String: JSON] = [other: .id(ben), "amount": 1, "overpay": true]
    return try call("payments.\(method)", .object(payment.merging(more) { $1 }))["id"] ?? .null
  }

  private func recurring(_ more: [String: JSON] = [:]) throws {
    let bill: [String: JSON] = [
      "title": "Rent", "amount": 1000, "first": "2026-03-01", "repeat": ["every": 1, "unit": "months"],
    ]
    try call("recurringBills.add", ["bill": .object(bill.merging(more) { $1 })])
  }

  private func ask() throws {
    try call("requests.create", ["title": "Pizza", "amount": 500, "from": .array([.id(ben)])])
  }

  @discardableResult
  private func call(
    _ method: String, _ parameters: JSON, in room: RoomID? = nil, by person: ID<Person>? = nil
  ) throws -> JSON {
    try world.call(person ?? ana, method, in: room ?? home, parameters)
  }

  @discardableResult
  private func makeHousehold(
    named name: JSON = "Home", by host: ID<Person>? = nil, solution: JSON = "x"
  ) throws -> JSON {
    let facts: JSON = ["name": name, "timeZone": "UTC", "currency": "EUR", "puzzle": solution]
    return try world.call(host ?? ana, "households.create", facts)["household"] ?? .null
  }

  /// Lets somebody in by a code that does not stay.
  private func letIn(_ guest: ID<Person>, to household: ID<Household>? = nil) throws {
    let room = RoomID.household(household ?? self.household)
    let code = try call("joinCodes.create", [:], in: room)
    defer { #expect(throws: Never.self) { try call("joinCodes.revoke", ["id": code["id"] ?? .null], in: room) } }
    try world.call(guest, "households.join", ["code": code["code"] ?? .null])
  }

  private func invite(_ email: String, by inviter: ID<Person>? = nil) throws {
    try world.call(inviter ?? ana, "invitations.send", ["household": .id(household), "email": .string(email)])
  }

  @discardableResult
  private func share(_ more: [String: JSON] = [:], by sharer: ID<Person>? = nil) throws -> JSON {
    var parameters: [String: JSON] = ["receivers": [.id(ben)], "until": time(in: 3_600_000)]
    if more["place"] != nil { parameters["until"] = nil }
    return try world.call(sharer ?? ana, "shares.start", .object(parameters.merging(more) { $1 }))
  }

  private func addEvent(_ more: [String: JSON] = [:]) throws {
    let event: [String: JSON] = ["title": "Party", "start": day(in: 0)]
    try call("events.add", .object(event.merging(more) { $1 }))
  }

  /// Announces a special event of Ben's, in the next two days.
  @discardableResult
  private func announce(_ more: [String: JSON] = [:], minutes: Int = 60) throws -> JSON {
    let window: JSON = ["from": .at(world.now), "to": time(in: 172_800_000)]
    let event: [String: JSON] = [
      "title": "Cleaning", "minutes": .object([ben.description: Self.number(minutes)]), "window": window,
    ]
    return try call("specialEvents.create", .object(event.merging(more) { $1 }))
  }

  /// A day that is so many later than the Monday on which the test begins.
  private func day(in days: Int) -> JSON { .string((LocalDay("2026-02-02") ?? LocalDay()).adding(days).text) }
  private func time(in milliseconds: Int) -> JSON { .at(world.now + .milliseconds(milliseconds)) }
  private static func text(_ length: Int) -> JSON { .string(String(repeating: "x", count: length)) }
  private static func number(_ value: Int) -> JSON { .number(JSON.Number(value)) }
  private static func place(_ more: [String: JSON] = [:]) -> JSON {
    .object(["lat": 52, "lon": 4, "label": "home"].merging(more) { $1 })
  }

  private static func address(ofLength length: Int) -> String {
    let name = String(repeating: "a", count: max(0, min(64, length - 4)))
    var domain = ""
    while name.utf8.count + 1 + domain.utf8.count < length - 2 { domain += domain.utf8.count % 50 == 49 ? "." : "b" }
    return "\(name)@\(domain).c"
  }
}
