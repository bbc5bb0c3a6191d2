import JSON
import Testing

@testable import HearthCommand

@Suite("Splitwise's export")
struct SplitwiseFileTests {
  static let text = """
    Date,Description,Category,Cost,Currency,Ana B.,Bo,Cleo

    2026-01-05,Hotel,Hotel,90.00,EUR,60.00,-30.00,-30.00
    2026-01-06,"Wine, red",Liquor,40.00,EUR,-10.00,25.00,-15.00
    2026-01-07,Taxi,Taxi,900,JPY,300,300,-600
    2026-02-01,Bo paid Ana,Payment,30.00,EUR,-30.00,30.00,0.00
    2026-02-02,Elsewhere,General,12.00,EUR,0.00,0.00,0.00

    2026-11-28,Total balance, , ,EUR,20.00,25.00,-45.00
    2026-11-28,Total balance, , ,JPY,300,300,-600
    """

  static let members = ["Ana B.": "A", "Bo": "B", "Cleo": "C"]

  @Test("BIL-22: rows become bills that move balances as the file says, and its totals agree")
  func bills() throws {
    let file = SplitwiseFile(Self.text)
    #expect(file.problems == [] && file.people == ["Ana B.", "Bo", "Cleo"] && file.expenses.count == 4)
    var sums: [String: [String: Int]] = [:]
    for expense in file.expenses {
      let bill = try #require(expense.bill(members: Self.members)["bill"])
      let amount = try #require(bill["amount"]?.int)
      let paid = bill["paid"]?.object ?? [:]
      let shares = bill["split"]?["parts"]?.object ?? [:]
      #expect(paid.values.reduce(0) { $0 + ($1.int ?? 0) } == amount)
      #expect(shares.values.reduce(0) { $0 + ($1.int ?? 0) } == amount)
      for (name, id) in Self.members {
        sums[expense.currency, default: [:]][name, default: 0] += (paid[id]?.int ?? 0) - (shares[id]?.int ?? 0)
      }
    }
    for (currency, total) in file.totals { #expect(sums[currency]?.filter { $0.value != 0 } == total) }
    #expect(
      file.expenses[0].bill(members: Self.members)["bill"] == [
        "title": "Hotel", "amount": 9000, "currency": "EUR", "date": "2026-01-05", "category": "other",
        "paid": ["A": 9000], "split": ["kind": "exact", "parts": ["A": 3000, "B": 3000, "C": 3000]],
      ])
    #expect(file.expenses[1].bill(members: Self.members)["bill"]?["category"] == "drinks")
    // Two have paid: what they consumed themselves is divided in proportion to what they get.
    #expect(file.expenses[2].bill(members: Self.members)["bill"]?["paid"] == ["A": 450, "B": 450])
    #expect(
      file.expenses[3].bill(members: Self.members)["bill"]?["split"]?["parts"] == ["A": 3000], "a payment of Bo's")
  }

  @Test("BIL-22: a second import of a file makes the same ids, and two equal expenses have two")
  func ids() {
    let (first, second) = (
      SplitwiseFile(Self.text), SplitwiseFile(Self.text + "\n2026-01-05,Hotel,Hotel,90.00,EUR,60.00,-30.00,-30.00")
    )
    let ids = { (file: SplitwiseFile) in file.expenses.compactMap { $0.bill(members: Self.members)["id"]?.string } }
    #expect(Array(ids(second).prefix(4)) == ids(first) && Set(ids(second)).count == 5)
  }

  @Test(
    "BIL-22: a file that is none, or has a bad row, is refused with the reason",
    arguments: [
      ("Datum,Beschreibung\n", "there is no line"),
      ("Date,Description,Category,Cost,Currency\n", "no columns for people"),
      ("Date,Description,Category,Cost,Currency,A,A\n", "same name"), ("a,\"", "quote"),
      ("Date,Description,Category,Cost,Currency,A,B\n2026-01-05,x,y,1.00,EUR,1.00\n", "row 2 has 6 columns"),
      ("Date,Description,Category,Cost,Currency,A,B\n2026-01-05,x,y,1.00,EUR,0.50,-0.40\n", "add up"),
      ("Date,Description,Category,Cost,Currency,A,B\n2026-01-05,x,y,1.00,EUR,1.50,-1.50\n", "more than it cost"),
      ("Date,Description,Category,Cost,Currency,A,B\n5 Jan,x,y,1.00,EUR,0.50,-0.50\n", "no day"),
      ("Date,Description,Category,Cost,Currency,A,B\n2026-01-05,x,y,1.005,EUR,0.50,-0.50\n", "no cost"),
      ("Date,Description,Category,Cost,Currency,A,B\n2026-01-05,x,y,1.00,JPY,0.50,-0.50\n", "no amount"),
    ])
  func refused(text: String, reason: String) {
    let problems = SplitwiseFile(text).problems
    #expect(problems.count == 1 && problems[0].contains(reason), "\(problems)")
  }

  @Test("BIL-22: the export of a friend begins with a remark")
  func remark() {
    let text = """
      Note: does not include group expenses

      Date,Description,Category,Cost,Currency,A,B
      2026-01-05,x,y,1.00,EUR,0.50,-0.50
      """
    #expect(SplitwiseFile(text).problems == [] && SplitwiseFile(text).expenses.count == 1)
  }
}
