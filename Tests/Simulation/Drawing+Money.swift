import JSON
import Rooms

extension Operations {
  /// The method that makes what a call about money or shopping is about, if the household has nothing of the kind.
  static func moneyMaker(before method: String, in state: JSON?) -> String? {
    func isEmpty(_ table: String) -> Bool { state?[table]?.object?.isEmpty ?? true }
    switch method {
    case "bills.edit", "bills.remove", "bills.versions": return isEmpty("bills") ? "bills.add" : nil
    case "payments.propose", "payments.record", "money.remind", "money.remindAll":
      return isEmpty("debts") ? "bills.add" : nil
    case "payments.confirm", "payments.reject", "payments.cancel":
      return isEmpty("payments") ? "payments.propose" : nil
    // Both are about payments that the document no longer has: first there must be some.
    case "payments.restore": return "payments.cancel"
    case "payments.undo": return "payments.confirm"
    case "lists.remove": return isEmpty("lists") ? "lists.create" : nil
    case "trips.discard": return isEmpty("trips") ? "trips.start" : nil
    case "recurringBills.edit", "recurringBills.cancel", "recurringBills.paid":
      return isEmpty("recurringBills") ? "recurringBills.add" : nil
    case "requests.accept", "requests.decline", "requests.cancel": return isEmpty("requests") ? "requests.create" : nil
    case "rewards.add", "rewards.redeem":
      return state?["household"]?["points"] != true ? "households.update" : nil
    default: return nil
    }
  }
}

/// Values for the methods about money and shopping, which chance alone would hardly ever hit.
extension Drawing {
  private func rows(_ name: String) -> [(key: String, value: JSON)] {
    (state[name]?.object ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private func keys(_ name: String, where isWanted: (JSON) -> Bool = { _ in true }) -> [String] {
    rows(name).filter { isWanted($0.value) }.map(\.key)
  }

  private var me: JSON { .string(client.person.id.description) }

  /// The ids that people's calls of a method named which took effect.
  private func named(by method: String, ofAll: Bool = false) -> [String] {
    (ofAll ? world.people : [client.person]).flatMap { $0.named[method] ?? [] }
  }

  /// An id that the methods take; `nil` for all others.
  func moneyID(named name: String) -> String? {
    if world.random.chance(8) { return nil }
    switch (method, name) {
    case ("bills.edit", "id"), ("bills.remove", "id"), ("bills.versions", "id"): return world.random.pick(keys("bills"))
    case ("bills.restore", "id"): return world.random.pick(named(by: "bills.remove"))
    case ("payments.confirm", "id"), ("payments.reject", "id"):
      return world.random.pick(keys("payments") { $0["to"] == me })
    case ("payments.cancel", "id"): return world.random.pick(keys("payments") { $0["from"] == me })
    case ("payments.restore", "id"): return world.random.pick(named(by: "payments.cancel"))
    case ("payments.undo", "id"):
      return (named(by: "payments.record") + named(by: "payments.confirm")).last
    case ("lists.edit", "id"), ("lists.remove", "id"): return world.random.pick(keys("lists"))
    case ("lists.restore", "id"): return world.random.pick(named(by: "lists.remove"))
    case ("trips.discard", "id"), ("trips.complete", "trip"):
      return world.random.pick(keys("trips") { $0["by"] == me })
    case ("trips.edit", "id"): return world.random.pick(named(by: "trips.complete"))
    case ("trips.versions", "id"): return world.random.pick(named(by: "trips.complete", ofAll: true))
    case ("recurringBills.edit", "id"), ("recurringBills.cancel", "id"):
      return world.random.pick(keys("recurringBills"))
    case ("recurringBills.paid", "id"):
      return world.random.pick(keys("recurringBills") { $0["host"] == me })
    case ("recurringBills.restore", "id"): return world.random.pick(named(by: "recurringBills.cancel"))
    case ("requests.accept", "id"), ("requests.decline", "id"):
      return world.random.pick(keys("requests") { $0["parts"]?[client.person.id.description] != nil })
    case ("requests.cancel", "id"): return world.random.pick(keys("requests") { $0["author"] == me })
    case ("requests.restore", "id"): return world.random.pick(named(by: "requests.cancel"))
    case ("groceries.restore", "id"): return world.random.pick(named(by: "groceries.remove"))
    case (_, "list") where room.hasSuffix("/mine") == false: return world.random.pick(keys("lists"))
    default: return nil
    }
  }

  /// Makes most calls such that their parameters fit together; the others stay as chance has drawn them.
  mutating func refineMoney(_ operation: inout Operation) {
    switch method {
    case "bills.add": operation.parameters["bill"] = bill()
    case "bills.edit":
      operation.parameters["bill"] = world.random.chance(50) ? ["amount": amount()] : bill()
    case "bills.list", "ledger.list", "payments.list":
      if operation.parameters["people"] != nil { operation.parameters["people"] = [me] }
    case "payments.propose", "payments.record":
      let isOwn = method == "payments.propose"
      let debt = world.random.pick(rows("debts").filter { $0.value[isOwn ? "from" : "to"] == me })?.value
      operation.parameters[isOwn ? "to" : "from"] = debt?[isOwn ? "to" : "from"] ?? .string(member())
      operation.parameters["amount"] = world.random.chance(60) ? debt?["amount"] ?? amount() : 1
      operation.parameters["bills"] = nil
      operation.parameters["currency"] = nil
      confirm()
    case "payments.confirm": confirm()
    case "payments.link":
      operation.parameters["to"] = .string(member())
      operation.parameters["currency"] = nil
    case "recurringBills.add":
      operation.parameters["bill"] = recurringBill()
      confirm()
    case "recurringBills.edit":
      operation.parameters["bill"] = world.random.chance(50) ? ["amount": amount()] : recurringBill()
      confirm()
    case "recurringBills.paid": operation.parameters["date"] = nil
    case "requests.create":
      let others = (state["members"]?.object ?? [:]).keys.filter { .string($0) != me }.sorted()
      operation.parameters["parts"] = .object([world.random.pick(others) ?? member(): amount()])
      for name in ["amount", "from", "currency"] { operation.parameters[name] = nil }
    case "requests.accept": confirm()
    case "rewards.add": operation.parameters["cost"] = amount(upTo: 10)
    case "rewards.redeem":
      for name in ["id", "cost"] { operation.parameters[name] = nil }
    case "households.update":
      operation.parameters["points"] = true
    case "money.remind":
      let debt = world.random.pick(rows("debts").filter { $0.value["to"] == me })?.value
      operation.parameters["person"] = debt?["from"] ?? .string(member())
      operation.parameters["currency"] = nil
    case "groceries.add", "groceries.edit":
      // A wrong digit is refused; most phones read it from the thing.
      if operation.parameters["barcode"] != nil { operation.parameters["barcode"] = "4006381333931" }
      if room.hasSuffix("/mine") { operation.parameters["list"] = nil }
    case "groceries.suggest":
      if operation.parameters["barcode"] != nil { operation.parameters = ["barcode": "4006381333931"] }
    case "lists.create", "lists.edit":
      if operation.parameters["order"] != nil { operation.parameters["order"] = ["dairy", "fruit", "bakery"] }
    case "trips.complete":
      let open = keys("groceries").filter { _ in world.random.chance(40) }
      operation.parameters["lines"] = .array(
        open.map { id in
          world.random.chance(50) ? ["id": .string(id)] : ["id": .string(id), "price": amount(upTo: 400)]
        })
      operation.parameters["total"] = world.random.chance(80) ? amount() : nil
      for name in ["paid", "split", "currency"] { operation.parameters[name] = nil }
      if world.random.chance(60) { operation.parameters["trip"] = nil }
    case "trips.edit":
      operation.parameters["total"] = amount()
      for name in ["paid", "split", "lines"] { operation.parameters[name] = nil }
    default: break
    }
  }

  /// As though `auth.confirm` had been called, whose hashing is slow.
  ///
  /// - Parameter chance: In per cent.
  func confirm(_ chance: Int = 80) {
    if world.random.chance(chance), let session = client.credentials.login?.session { world.disk.confirm(session) }
  }

  private func amount(upTo most: Int = 5000) -> JSON { .number(JSON.Number(world.random.number(1...most))) }

  private func recurringBill() -> JSON {
    let marker = World.marker(of: room) ?? ""
    var bill: [String: JSON] = [
      "title": .string("Rent \(marker)"), "amount": amount(), "first": .string(day(world.random.number(0...3))),
      "repeat": ["every": 1, "unit": "months"],
    ]
    if world.random.chance(70) { bill["host"] = me }
    if world.random.chance(50) { bill["split"] = ["kind": "shares", "parts": .object([member(): 3])] }
    return .object(bill)
  }

  private func bill() -> JSON {
    let marker = World.marker(of: room) ?? ""
    var bill: [String: JSON] = ["title": .string("Pizza \(marker)"), "amount": amount()]
    if world.random.chance(20) { bill["currency"] = "JPY" }
    if world.random.chance(30) { bill["category"] = world.random.chance(70) ? "rent" : "Cat food" }
    if world.random.chance(20) { bill["paid"] = .object([member(): bill["amount"] ?? 1]) }
    switch world.random.number(0...4) {
    case 0: bill["split"] = ["kind": "exact", "parts": .object([member(): bill["amount"] ?? 1])]
    case 1: bill["split"] = ["kind": "shares", "parts": .object([member(): 3])]
    case 2: bill["split"] = ["kind": "percent", "parts": .object([member(): 10_000])]
    default: break
    }
    return .object(bill)
  }
}
