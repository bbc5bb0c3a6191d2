"""Money, as the use cases S0.16, S0.18 and S0.19 tell it: two people, two phones."""

import csv
import datetime
import io
import zoneinfo

from playwright.sync_api import expect

from pages import back, go_offline, open_home, sheet, visit
from peer import Peer


def tab(page):
    page.get_by_role("navigation").get_by_role("link", name="Money").tap()
    expect(page.get_by_role("heading", name="Money")).to_be_visible()
    return page


def lead(page):
    """The first line, which answers the question."""
    return page.locator(".lead:visible")


def row(page, name):
    return page.get_by_role("main").get_by_role("listitem").filter(has_text=name)


def new_bill(page, amount, title):
    page.get_by_role("button", name="New bill").tap()
    sheet(page).get_by_label("Amount", exact=True).fill(amount)
    sheet(page).get_by_label("What for?").fill(title)
    return sheet(page)


def send(page, name="Add bill"):
    sheet(page).get_by_role("button", name=name).tap()
    expect(sheet(page)).to_have_count(0)


def day(after=0):
    here = datetime.datetime.now(zoneinfo.ZoneInfo("Europe/Berlin")).date()
    return (here + datetime.timedelta(days=after)).isoformat()


def test_s0_16_a_bill_is_divided_and_both_phones_show_who_owes_what(people, books):
    ana, bo = tab(open_home(people("ana.new", goes_offline=True))), tab(open_home(people("bo.new")))
    expect(lead(ana)).to_have_text("All square.")
    expect(new_bill(ana, "12,40", "Pizza").get_by_role("status")).to_have_text("€4.13 or €4.14 each")
    send(ana)
    for page, words in {ana: "You are owed €8.2", bo: "You owe €4.1"}.items():
        expect(lead(page)).to_contain_text(words)
        expect(row(page, "Pizza")).to_contain_text("your share€4.1")
    # The inbox leads to the bill, which Bo cannot change.
    visit(bo, "/inbox")
    bo.get_by_role("button", name="Ana added Pizza: your share is €4.1").tap()
    expect(bo.get_by_role("heading", name="Pizza")).to_be_visible()
    expect(bo.get_by_role("main")).to_contain_text("Paid by Ana")
    expect(bo.get_by_role("button", name="Duplicate")).to_be_visible()
    expect(bo.get_by_role("button", name="Change")).to_have_count(0)
    # Without a network a bill is there at once, and the sums wait for the server.
    go_offline(ana)
    new_bill(ana, "30", "Bread")
    send(ana)
    expect(row(ana, "Bread").get_by_text("not sent yet")).to_have_count(1)
    expect(row(ana, "Bread")).to_contain_text("€10.00")
    expect(lead(ana)).to_contain_text("You are owed €8.2")
    ana.context.set_offline(False)
    expect(lead(ana)).to_contain_text("You are owed €28.2", timeout=20_000)
    tab(open_home(bo))
    expect(row(bo, "Bread")).to_contain_text("€10.00")
    # One tap takes it back.
    new_bill(ana, "5", "Oops")
    send(ana)
    expect(row(bo, "Oops")).to_be_visible()
    ana.get_by_role("button", name="Undo").tap()
    expect(row(bo, "Oops")).to_have_count(0)


# The kind, what is written for Ana and Bo, the words while it does not add up, what Bo must write, and the shares.
KINDS = {
    "By shares": ("2", "", "", "1", ["€12.40", "€6.20"]),
    "By per cent": ("75", "15.5", "9.5 % are missing.", "25", ["€13.95", "€4.65"]),
    "By amounts": ("10.60", "7.50", "€0.50 are missing.", "8", ["€10.60", "€8.00"]),
    "Equally, and some more or less": ("-0.60", "30", "Together that is more", "2", ["€8.00", "€10.60"]),
}


def test_s0_4_who_leaves_is_told_what_they_owe(people, books):
    books.bill("ana", "Pizza", 1240)
    bo = people("bo.new")
    visit(bo, "/household")
    bo.get_by_role("button", name="Leave this household").tap()
    expect(sheet(bo)).to_contain_text("You owe €4.1")
    expect(sheet(bo)).to_contain_text("That stays open: settle it before")
    sheet(bo).get_by_role("button", name="Cancel").tap()


def test_s0_16_six_kinds_of_division_and_several_payers_always_add_up(people, books):
    ana = tab(open_home(people("ana.new")))
    form = new_bill(ana, "18.60", "Groceries")
    form.get_by_text("Paid by you, equally among all").tap()
    parts = form.get_by_role("list", name="Among whom?").get_by_role("listitem")
    add = form.get_by_role("button", name="Add bill")
    form.get_by_role("checkbox", name="Cleo").uncheck()
    expect(parts).to_have_text(["You€9.30", "Bo€9.30", "Cleo"])
    for kind, (mine, first, wrong, right, shares) in KINDS.items():
        form.get_by_label("How is it divided?").select_option(kind)
        fields = parts.get_by_role("textbox")
        expect(fields).to_have_count(2)
        fields.first.fill(mine)
        fields.last.fill(first)
        if wrong:
            expect(form.get_by_role("status")).to_contain_text(wrong)
            expect(add).to_be_disabled()
        fields.last.fill(right)
        expect(parts.locator(".amount-of")).to_have_text([*shares, ""])
        expect(add).to_be_enabled()
    # Bo has paid a part.
    form.get_by_label("Who has paid?").select_option("Several people")
    form.get_by_label("Paid by you").fill("10")
    form.get_by_label("Paid by Bo").fill("9.00")
    expect(form.get_by_role("status")).to_have_text("€0.40 too much was paid.")
    expect(add).to_be_disabled()
    form.get_by_label("Paid by Bo").fill("8.60")
    # Items of a receipt, and a tip that follows them.
    form.get_by_label("How is it divided?").select_option("Item by item")
    for name, cost, without in [("Wine", "9.30", "Bo"), ("Cheese", "6.20", "You")]:
        line = form.locator(".line").last
        line.get_by_label("Item", exact=True).fill(name)
        line.get_by_label("Price").fill(cost)
        for person in [without, "Cleo"]:
            line.get_by_role("button", name=person, exact=True).tap()
        if name == "Wine":
            form.get_by_role("button", name="Another item").tap()
    expect(form.get_by_role("listitem").filter(has_text="€11.16")).to_contain_text("You")
    form.get_by_role("button", name="Eating out").tap()
    form.get_by_label("Note").fill("With a tip")
    send(ana)
    expect(lead(ana)).to_have_text("You owe €1.16 in all.")
    row(ana, "Groceries").get_by_role("link").tap()
    expect(row(ana, "Wine")).to_contain_text("€9.30")
    [(_, bill)] = [one.values() for one in books.call("ana", "bills.list")["items"] if "removedAt" not in one["bill"]]
    assert bill["shares"] == {books.ids["ana"]: 1116, books.ids["bo"]: 744}
    assert bill["paid"] == {books.ids["ana"]: 1000, books.ids["bo"]: 860}


def test_s0_16_a_bill_says_when_it_is_due_who_has_paid_how_much_and_what_it_cost_abroad(people, books):
    ana, bo = tab(open_home(people("ana.new"))), tab(open_home(people("bo.new")))
    form = new_bill(ana, "24", "Hotel")
    form.get_by_text("Paid by you, equally among all").tap()
    form.get_by_label("Who has paid?").select_option("Several people")
    form.get_by_label("Paid by you").fill("10")
    # The rest of the amount stands below the parts, and above the button.
    left = form.get_by_text("€14.00 of what was paid is missing.")
    expect(left).to_have_count(2)
    form.get_by_label("Paid by Cleo").fill("14")
    expect(left).to_have_count(0)
    form.get_by_label("Pay by").fill(day(9))
    form.get_by_text("Paid in another currency?").tap()
    form.get_by_label("Amount there").fill("six")
    expect(form.get_by_role("button", name="Add bill")).to_be_disabled()
    form.get_by_label("Amount there").fill("600")
    form.get_by_label("Currency there").select_option("CZK")
    form.get_by_label("Rate, if you like").fill("25 for 1")
    # Typed text stays, whatever the others do meanwhile.
    books.bill("bo", "Soap", 3_00)
    expect(ana.get_by_role("list", name="With each person")).to_contain_text("Bo")
    expect(form.get_by_label("Rate, if you like")).to_be_focused()
    send(ana)
    row(bo, "Hotel").get_by_role("link").tap()
    paid = bo.get_by_role("region", name="Who has paid?").get_by_role("listitem")
    expect(paid).to_have_text(["AAna€10.00", "CCleo€14.00"])
    facts = bo.locator(".facts")
    expect(facts).to_contain_text("To be paid by")
    expect(facts).to_contain_text("CZK 600.00 abroad · 25 for 1")
    # It is changed and taken out; all see what was there before.
    row(ana, "Hotel").get_by_role("link").tap()
    ana.get_by_role("button", name="Change").tap()
    expect(sheet(ana).get_by_label("Pay by")).to_have_value(day(9))
    expect(sheet(ana).get_by_label("Amount there")).to_have_value("600.00")
    sheet(ana).get_by_label("Pay by").fill("")
    sheet(ana).get_by_label("Amount there").fill("")
    send(ana, "Save")
    expect(facts).not_to_contain_text("To be paid by")
    expect(facts).not_to_contain_text("abroad")
    expect(bo.get_by_role("region", name="What happened")).to_contain_text("Abroad: CZK 600.00 abroad · 25 for 1 →")
    ana.get_by_role("button", name="Undo").tap()
    expect(facts).to_contain_text("CZK 600.00 abroad · 25 for 1")


def test_s0_18_a_bill_is_changed_duplicated_and_removed_and_everybody_sees_it(people, books):
    books.bill("ana", "Gas", 6000, category="utilities", date=day(-2))
    ana, bo = tab(open_home(people("ana.new"))), tab(open_home(people("bo.new")))
    for page in (ana, bo):
        row(page, "Gas").get_by_role("link").tap()
    ana.get_by_role("button", name="Change").tap()
    sheet(ana).get_by_label("Amount", exact=True).fill("66.60")
    sheet(ana).get_by_role("checkbox", name="Cleo").uncheck()
    send(ana, "Save")
    changes = bo.get_by_role("region", name="What happened")
    expect(changes).to_contain_text("Ana changed it")
    expect(changes).to_contain_text("Amount: €60.00 → €66.60")
    expect(row(bo, "You")).to_contain_text("€33.30")
    back(bo)
    expect(lead(bo)).to_have_text("You owe €33.30 in all.")
    ana.get_by_role("button", name="Undo").tap()
    expect(lead(bo)).to_have_text("You owe €20.00 in all.")
    # Bo enters the same for this month.
    row(bo, "Gas").get_by_role("link").tap()
    bo.get_by_role("button", name="Duplicate").tap()
    expect(sheet(bo).get_by_label("Amount", exact=True)).to_have_value("60.00")
    expect(sheet(bo).get_by_label("Day")).to_have_value(day())
    sheet(bo).get_by_label("Who has paid?").select_option("You")
    send(bo)
    back(bo)
    expect(row(bo, "Gas")).to_have_count(2)
    expect(lead(bo)).to_have_text("You are owed €20.00 in all.")
    # A removal is undone, too.
    ana.get_by_role("button", name="Remove").tap()
    expect(row(bo, "Gas")).to_have_count(1)
    ana.get_by_role("button", name="Undo").tap()
    expect(row(bo, "Gas")).to_have_count(2)
    # A member who looks at it meanwhile sees that it is gone.
    row(bo, "Gas").filter(has_text="Ana paid").get_by_role("link").tap()
    row(ana, "Gas").filter(has_text="You paid").get_by_role("link").tap()
    ana.get_by_role("button", name="Remove").tap()
    expect(bo.get_by_text("Removed by Ana.")).to_be_visible()
    expect(row(ana, "Gas")).to_have_count(1)
    # Its author brings it back, also when the snackbar has gone.
    expect(bo.get_by_role("button", name="Bring back")).to_have_count(0)
    visit(ana, bo.evaluate("location.pathname"))
    ana.get_by_role("button", name="Bring back").tap()
    expect(ana.get_by_role("button", name="Remove")).to_be_visible()
    visit(bo, "/money")
    expect(row(bo, "Gas")).to_have_count(2)
    visit(bo, "/activity")
    expect(bo.get_by_role("main")).to_contain_text("Ana removed a bill: Gas")
    visit(bo, "/inbox")
    expect(bo.get_by_role("main")).to_contain_text("Ana changed Gas: your share is €33.30, it was €20.00")


def test_s0_19_what_is_open_with_one_person_and_few_payments_for_all(people, books, house):
    ids = books.ids
    books.bill("bo", "Rent", 90_00)
    books.bill("ana", "Soap", 9_00, split={"people": [ids["ana"], ids["bo"], ids["cleo"]]})
    books.bill("cleo", "Film", 30_00, split={"people": [ids["bo"]]})
    ana = tab(open_home(people("ana.new")))
    expect(lead(ana)).to_have_text("You owe €27.00 in all, and are owed €3.00.")
    ana.get_by_role("list", name="With each person").get_by_role("link", name="Bo").tap()
    expect(lead(ana)).to_have_text("You owe Bo €27.00.")
    opened = ana.get_by_role("region", name="Open")
    expect(opened.get_by_role("listitem")).to_have_count(1)
    expect(opened).to_contain_text("the rest of €30.00")
    expect(ana.get_by_role("region", name="All with Bo").get_by_role("listitem")).to_have_count(2)
    # With few payments Bo, who owes Cleo, gets less, and Cleo her part from Ana.
    visit(ana, "/household/settings")
    ana.get_by_role("switch", name="Settle with few payments").tap()
    tab(ana)
    expect(ana.get_by_text("Settled with few payments")).to_be_visible()
    expect(lead(ana)).to_have_text("You owe €24.00 in all.")
    books.call("ana", "households.update", simplify=False)
    expect(lead(ana)).to_have_text("You owe €27.00 in all, and are owed €3.00.")


def test_what_was_spent_by_month_and_category_and_the_whole_ledger_as_a_file(people, books, house):
    books.bill("bo", "Rent", 90_000, category="rent", date=day(-40))
    books.bill("ana", "=1+1", 3_000, category="groceries", date=day())
    books.bill("ana", "Cake", 600, category="Sweets", date=day())
    with Peer(house.url, books.tokens["bo"]) as peer:
        # More than a page of the ledger.
        bill = {"title": "Stamp", "amount": 3, "date": day(-300)}
        peer.call_all("bills.add", [{"room": books.room, "bill": bill} for _ in range(110)])
    ana = tab(open_home(people("ana.new")))
    ana.get_by_role("link", name="Spending").tap()
    expect(lead(ana)).to_contain_text("€36.00 spent.")
    expect(row(ana, "Groceries")).to_contain_text("€30.00")
    expect(row(ana, "Sweets")).to_contain_text("€6.00")
    # All six months, and my part of them.
    ana.get_by_role("list", name="By month").get_by_role("button", name="€36.00").tap()
    expect(lead(ana)).to_contain_text("€936.00 spent.")
    ana.locator("label", has_text="My part").tap()
    expect(lead(ana)).to_contain_text("€312.00 is your part.")
    ana.get_by_text("As a table").tap()
    expect(ana.get_by_role("row").filter(has_text="€300.00")).to_have_count(1)
    with ana.expect_download() as download:
        ana.get_by_role("button", name="Download everything").tap()
    text = download.value.path().read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {one["title"] for one in rows} >= {"'=1+1", "Cake", "Rent"}
    sums = {}
    for one in rows:
        sums[one["person"]] = sums.get(one["person"], 0) + round(float(one["amount"]) * 100)
    with Peer(house.url, books.tokens["ana"]) as peer:
        balances = peer.state(books.room)["balances"]["EUR"]["people"]
    assert {person: sum for person, sum in sums.items() if sum} == balances
    # The document has the newest hundred bills; older ones come when they are asked for.
    back(ana)
    bills = ana.get_by_role("region", name="Bills")
    expect(bills.get_by_role("listitem")).to_have_count(100)
    expect(bills).not_to_contain_text("Rent")
    bills.get_by_role("button", name="Earlier").tap()
    expect(bills.get_by_role("listitem")).to_have_count(113)
    expect(row(ana, "Rent")).to_contain_text("€300.00")
