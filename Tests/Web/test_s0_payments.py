"""Payments and reminders of debts, as the use cases S0.17, S0.20 and S0.21 tell it: two people, two phones."""

from playwright.sync_api import expect

from conftest import PASSWORD
from pages import open_home, sheet, visit
from test_s0_money import lead, row, tab

PIN = "2580"


def with_pins(house, books, *names):
    for name in names:
        house.call("auth.setPin", {"pin": PIN, "password": PASSWORD}, books.tokens[name])


def confirm(page):
    """Says who it is; the key that ends the PIN sends it."""
    pin = sheet(page).get_by_label("Your PIN")
    pin.fill(PIN)
    pin.press("Enter")
    expect(pin).to_have_count(0)


def pay(page, amount=None):
    page.get_by_role("button", name="Pay Bo").tap()
    if amount:
        sheet(page).get_by_label("Amount").fill(amount)
    sheet(page).get_by_role("button", name="I have paid").tap()


def test_s0_20_and_21_one_person_and_all_are_reminded_once_of_what_they_owe(people, books):
    books.bill("ana", "Gas", 60_00)
    books.bill("bo", "Salt", 3_00, split={"people": [books.ids["cleo"]]})
    ana, bo = tab(open_home(people("ana.new"))), people("bo.new")
    ana.get_by_role("list", name="With each person").get_by_role("link", name="Bo").tap()
    ana.get_by_role("button", name="Remind", exact=True).tap()
    expect(ana.get_by_text("Bo is reminded.").last).to_be_visible()
    # All others, each of their own; who was reminded is not again.
    tab(ana)
    ana.get_by_role("button", name="Remind all who owe you").tap()
    told = sheet(ana).get_by_role("listitem")
    expect(told.filter(has_text="Cleo")).to_contain_text("€20.00")
    expect(told.filter(has_text="Bo")).to_contain_text("was reminded a short while ago")
    sheet(ana).get_by_role("button", name="Done").tap()
    ana.get_by_role("button", name="Remind all who owe you").tap()
    expect(ana.get_by_text("They were reminded already.").last).to_be_visible()
    # The reminder leads to where one pays; its sender can be muted.
    visit(bo, "/inbox")
    expect(bo.get_by_role("button", name="Mute Ana for 30 days")).to_be_visible()
    bo.get_by_role("button", name="Ana reminds you: you owe €20.00").tap()
    expect(bo.get_by_role("button", name="Pay €20.00")).to_be_visible()


def test_s0_17_what_has_come_is_noted_by_the_payee_at_once_and_can_be_taken_back(people, books):
    books.bill("ana", "Gas", 60_00)
    ana, bo = tab(open_home(people("ana.new"))), tab(open_home(people("bo.new")))
    ana.get_by_role("list", name="With each person").get_by_role("link", name="Bo").tap()
    ana.get_by_role("button", name="I have got €20.00").tap()
    sheet(ana).get_by_label("Amount").fill("12.50")
    sheet(ana).get_by_role("button", name="I have got it").tap()
    expect(lead(bo)).to_have_text("You owe €7.50 in all.")
    payments = ana.get_by_role("region", name="Payments")
    expect(payments.get_by_role("listitem").filter(has_text="Bo to you")).to_contain_text("arrived")
    payments.get_by_role("button", name="Undo").tap()
    expect(lead(bo)).to_have_text("You owe €20.00 in all.")
    visit(bo, "/inbox")
    expect(bo.get_by_role("main")).to_contain_text("Ana took back that €12.50 came from you")


def test_s0_17_a_debt_is_paid_with_the_pin_and_the_payee_confirms_or_rejects_it(people, books, house):
    with_pins(house, books, "ana", "bo")
    house.call("auth.confirm", {"pin": PIN}, books.tokens["bo"])
    handles = {"handles": {"paypal": "bopaypal"}, "preferred": "paypal", "sharesHandles": True}
    house.call("profile.update", handles, books.tokens["bo"])
    books.bill("bo", "Rent", 90_00)
    ana, bo = tab(open_home(people("ana.new"))), tab(open_home(people("bo.new")))
    # More than is owed is asked about.
    ana.get_by_role("button", name="Pay Bo").tap()
    link = sheet(ana).get_by_role("link", name="Open PayPal")
    expect(link).to_have_attribute("href", "https://www.paypal.com/paypalme/bopaypal/30.00EUR")
    sheet(ana).get_by_label("Amount").fill("50")
    sheet(ana).get_by_role("button", name="I have paid").tap()
    # While it is asked, nothing else can be used, nor the sheet below.
    expect(ana.locator("body > dialog")).to_have_count(2)
    expect(ana.locator("body > :is(main, dialog)[inert]")).to_have_count(2)
    confirm(ana)
    expect(ana.locator("body > :is(main, dialog)[inert]")).to_have_count(1)
    expect(sheet(ana)).to_contain_text("Only €30.00 is owed.")
    expect(sheet(ana).get_by_role("switch", name="It is more on purpose")).to_be_visible()
    # It counts once Bo says with the PIN that it came.
    sheet(ana).get_by_label("Amount").fill("20")
    sheet(ana).get_by_role("button", name="I have paid").tap()
    expect(row(ana, "You paid Bo €20.00")).to_contain_text("counts by itself on")
    expect(lead(ana)).to_have_text("You owe €30.00 in all.")
    expect(ana.get_by_role("button", name="Pay Bo €10.00")).to_be_visible()
    row(bo, "Ana says: €20.00 paid to you").get_by_role("button", name="I have got it").tap()
    confirm(bo)
    expect(lead(ana)).to_have_text("You owe €10.00 in all.")
    expect(row(ana, "You paid Bo")).to_have_count(0)
    # The rest does not come, and Ana is told why.
    pay(ana)
    row(bo, "Ana says: €10.00 paid to you").get_by_role("button", name="It did not come").tap()
    sheet(bo).get_by_label("Why").fill("Wrong account")
    sheet(bo).get_by_role("button", name="Tell them").tap()
    expect(row(ana, "You paid Bo")).to_have_count(0)
    # One that is taken back comes back.
    pay(ana, "5")
    row(ana, "You paid Bo €5.00").get_by_role("button", name="Take back").tap()
    expect(row(bo, "€5.00 paid to you")).to_have_count(0)
    ana.get_by_role("button", name="Undo").tap()
    expect(row(bo, "€5.00 paid to you")).to_have_count(1)
    visit(ana, "/inbox")
    expect(ana.get_by_role("main")).to_contain_text("Bo has got €20.00 from you")
    expect(ana.get_by_role("main")).to_contain_text("Bo has not got €10.00 from you: Wrong account")


def test_s0_17_a_payment_is_for_the_bills_that_are_chosen_and_asks_for_a_first_pin(people, books):
    for title, amount in [("Rent", 90_00), ("Gas", 30_00), ("Film", 6_00)]:
        books.bill("ana", title, amount)
    cleo, ana = tab(open_home(people("cleo.new"))), open_home(people("ana.new"))
    cleo.get_by_role("list", name="With each person").get_by_role("link", name="Ana").tap()
    cleo.get_by_role("button", name="Pay €42.00").tap()
    sheet(cleo).get_by_text("For which bills?").tap()
    parts = sheet(cleo).get_by_role("list", name="For which bills?").get_by_role("listitem")
    expect(parts).to_have_text(["Rent€30.00", "Gas€10.00", "Film€2.00"])
    # The amount follows the choice; without one it is all that is owed.
    for title, amount in [("Gas", "10.00"), ("Film", "12.00"), ("Gas", "2.00"), ("Film", "42.00"), ("Gas", "10.00")]:
        parts.filter(has_text=title).get_by_role("checkbox").tap()
        expect(sheet(cleo).get_by_label("Amount")).to_have_value(amount)
    sheet(cleo).get_by_label("Amount").fill("9")
    # Cleo has no PIN yet, and chooses one on the way.
    sheet(cleo).get_by_role("button", name="I have paid").tap()
    first = sheet(cleo, "Set a PIN")
    first.get_by_label("New PIN").fill(PIN)
    first.get_by_label("Your password").fill(PASSWORD)
    first.get_by_role("button", name="Set a PIN").tap()
    expect(first).to_have_count(0)
    expect(row(cleo, "You paid Ana €9.00")).to_contain_text("for Gas")
    tab(ana)
    expect(row(ana, "Cleo says: €9.00 paid to you")).to_contain_text("for Gas")
    # Ana notes what has come for the newest one.
    ana.get_by_role("list", name="With each person").get_by_role("link", name="Cleo").tap()
    ana.get_by_role("button", name="I have got €33.00").tap()
    sheet(ana).get_by_text("For which bills?").tap()
    sheet(ana).get_by_role("checkbox", name="Film").check()
    expect(sheet(ana).get_by_label("Amount")).to_have_value("2.00")
    sheet(ana).get_by_role("button", name="I have got it").tap()
    opened = cleo.get_by_role("region", name="Open").get_by_role("listitem")
    expect(opened.filter(has_text="Film")).to_have_count(0)
    expect(opened.filter(has_text="Rent")).to_contain_text("€30.00")
