"""Rent and requests for money, as the use cases S1.12 and S1.13 tell it: two and three people with their phones."""

import pytest
from playwright.sync_api import expect

from conftest import PASSWORD
from pages import go_offline, open_home, sheet, visit
from test_s0_money import day, lead, row, send, tab
from test_s0_payments import PIN, confirm


@pytest.fixture(scope="module", autouse=True)
def pins(house, newly):
    """Everybody has a PIN, and is reminded of the day as it begins."""
    for name in ["ana", "bo", "cleo"]:
        token = house.token(f"{name}.new")
        house.call("auth.setPin", {"pin": PIN, "password": PASSWORD}, token)
        house.call("settings.edit", {"hour": "00:00"}, token)


@pytest.fixture(autouse=True)
def sessions_of_their_own(sessions):
    """For each test: a PIN that was given in another one is not fresh."""
    sessions.known.clear()


def inbox(page):
    visit(page, "/inbox")
    return page.get_by_role("main")


def entry(page, text):
    """A notification with its buttons."""
    return inbox(page).get_by_role("listitem").filter(has_text=text)


def card(page, title):
    """The card of a bill or a request; a list of people stands in it."""
    return page.get_by_role("main").locator("li.card", has_text=title)


def new_regular(page, title, amount):
    page.get_by_role("button", name="New regular bill").tap()
    sheet(page).get_by_label("What for?").fill(title)
    sheet(page).get_by_label("Amount each time").fill(amount)
    return sheet(page)


def test_s1_12_rent_is_set_up_told_before_paid_and_closed(people, books):
    ana, bo = tab(open_home(people("ana.new"))), open_home(people("bo.new"))
    ana.get_by_role("link", name="Regular bills").tap()
    expect(ana.get_by_text("Set up the first one.")).to_be_visible()
    visit(bo, "/money/recurring")
    # Each one's amount is exact; it comes every month, and the first time at once.
    form = new_regular(ana, "Rent", "1000")
    form.get_by_role("checkbox", name="Cleo").uncheck()
    form.get_by_label("How is it divided?").select_option("By amounts")
    form.get_by_label("Your amount").fill("600")
    form.get_by_label("Amount of Bo").fill("390")
    expect(form.get_by_role("status")).to_have_text("€10.00 are missing.")
    expect(form.get_by_role("button", name="Set it up")).to_be_disabled()
    form.get_by_label("Amount of Bo").fill("400")
    form.get_by_role("button", name="Set it up").tap()
    confirm(ana)
    for page, parts in {ana: ["You€600.00", "Bo€400.00"], bo: ["You€400.00", "Ana€600.00"]}.items():
        expect(card(page, "Rent")).to_contain_text("every month")
        expect(card(page, "Rent").get_by_role("listitem")).to_have_text(parts)
        expect(card(page, "Rent")).to_contain_text("not paid yet")
    expect(lead(ana)).to_contain_text("you pay €1,000.00: Rent.")
    expect(lead(bo)).to_contain_text("your part is €400.00: Rent.")
    expect(card(bo, "Rent").get_by_role("button")).to_have_count(0)
    # Bo owes his part, is reminded of it, and pays.
    entry(bo, "Rent is due: your share is €400.00").get_by_role("button").tap()
    expect(bo.get_by_role("heading", name="Rent")).to_be_visible()
    expect(bo.get_by_role("main")).to_contain_text("Comes regularly")
    tab(bo)
    expect(lead(bo)).to_have_text("You owe €400.00 in all.")
    bo.get_by_role("button", name="Pay Ana").tap()
    sheet(bo).get_by_role("button", name="I have paid").tap()
    confirm(bo)
    expect(entry(ana, "Bo says: €400.00 paid to you")).to_be_visible()
    visit(bo, "/activity")
    expect(bo.get_by_role("main")).to_contain_text("A regular bill came: Rent")
    # On the day Ana is reminded, and says that the landlord has it.
    due = entry(ana, "Today is the day to pay Rent: €1,000.00")
    due.get_by_role("button", name="Paid!").tap()
    expect(due.get_by_role("button", name="Paid!")).to_have_count(0)
    expect(entry(bo, "Ana has paid Rent")).to_be_visible()
    visit(bo, "/money/recurring")
    expect(card(bo, "Rent")).to_contain_text("paid by Ana")
    # It changes from the next time on; the PIN is still fresh.
    visit(ana, "/money/recurring")
    ana.get_by_role("button", name="Change Rent").tap()
    expect(sheet(ana).get_by_label("How often?")).to_have_value("1 months")
    sheet(ana).get_by_label("Amount each time").fill("1100")
    expect(sheet(ana).get_by_role("status")).to_have_text("€100.00 are missing.")
    sheet(ana).get_by_label("Amount of Bo").fill("500")
    sheet(ana).get_by_label("When are the others told?").select_option("5 days before")
    send(ana, "Save")
    expect(card(bo, "Rent").get_by_role("listitem")).to_have_text(["You€500.00", "Ana€600.00"])
    expect(entry(bo, "Ana changed Rent: your share is €500.00 each time")).to_be_visible()
    visit(bo, "/money/recurring")
    ana.get_by_role("button", name="End Rent").tap()
    expect(card(bo, "Rent")).to_have_count(0)
    ana.get_by_role("button", name="Undo").tap()
    expect(card(bo, "Rent")).to_contain_text("€1,100.00")
    ana.get_by_role("button", name="End Rent").tap()
    expect(ana.get_by_text("Set up the first one.")).to_be_visible()
    row(tab(bo), "You paid Ana €400.00").get_by_role("button", name="Take back").tap()
    expect(row(bo, "You paid Ana")).to_have_count(0)


def test_s1_12_a_bill_to_come_says_what_each_one_will_owe_and_is_paid_from_the_list(people, books):
    ana, cleo = open_home(people("ana.new", goes_offline=True)), open_home(people("cleo.new"))
    for page in (ana, cleo):
        visit(page, "/money/recurring")
    form = new_regular(ana, "Internet", "10")
    expect(form.get_by_role("status")).to_have_text("€3.33 or €3.34 each")
    form.get_by_label("First day to pay").fill(day(-1))
    form.get_by_label("Who pays it?").select_option("Cleo")
    # Nothing of it works without the server's word, nor without the right PIN.
    form.get_by_role("button", name="Set it up").tap()
    expect(form).to_contain_text("Choose today or a later day, within a year.")
    form.get_by_label("First day to pay").fill(day(40))
    form.get_by_label("How often?").select_option("every 3 months")
    go_offline(ana)
    expect(ana.get_by_text("No connection.")).to_be_visible()
    form.get_by_role("button", name="Set it up").tap()
    expect(form.get_by_role("alert")).to_contain_text("This needs a connection.")
    ana.context.set_offline(False)
    expect(ana.get_by_text("No connection.")).to_have_count(0, timeout=20_000)
    form.get_by_role("button", name="Set it up").tap()
    pin = sheet(ana).get_by_label("Your PIN")
    pin.fill("0000")
    pin.press("Enter")
    expect(sheet(ana).last).to_contain_text("This is not your PIN.")
    confirm(ana)
    internet = card(cleo, "Internet")
    expect(internet).to_contain_text("every 3 months")
    expect(internet).to_contain_text("you pay it")
    expect(internet).to_contain_text("The bill is made on")
    expect(internet).not_to_contain_text("not paid yet")
    expect(lead(cleo)).to_contain_text("you pay €10.00: Internet.")
    # Cleo moves it to today, so that it is posted at once.
    cleo.get_by_role("button", name="Change Internet").tap()
    sheet(cleo).get_by_label("First day to pay").fill(day())
    sheet(cleo).get_by_label("When are the others told?").select_option("on that day")
    sheet(cleo).get_by_role("button", name="Save").tap()
    confirm(cleo)
    expect(internet).to_contain_text("not paid yet")
    internet.get_by_role("button", name="Paid!").tap()
    expect(internet).to_contain_text("paid by you")
    expect(card(ana, "Internet")).to_contain_text("paid by Cleo")
    expect(card(ana, "Internet").get_by_role("button", name="Paid!")).to_have_count(0)
    card(ana, "Internet").get_by_role("link", name="paid by Cleo").tap()
    expect(ana.get_by_role("heading", name="Internet")).to_be_visible()
    expect(ana.get_by_role("main")).to_contain_text("Paid by Cleo")


def test_s0_17_a_payment_is_answered_from_the_inbox(people, books, house):
    books.bill("bo", "Sofa", 90_00)
    house.call("auth.confirm", {"pin": PIN}, books.tokens["ana"])
    ana, bo = tab(open_home(people("ana.new", new=True))), open_home(people("bo.new", new=True))
    paid = books.call("ana", "payments.propose", to=books.ids["bo"], amount=20_00)
    said = entry(bo, "Ana says: €20.00 paid to you")
    said.get_by_role("button", name="I have got it").tap()
    confirm(bo)
    expect(said.get_by_role("button", name="I have got it")).to_have_count(0)
    expect(lead(ana)).to_have_text("You owe €10.00 in all.")
    # The rest does not come, and Ana is told why.
    books.call("ana", "payments.propose", to=books.ids["bo"], amount=10_00)
    entry(bo, "Ana says: €10.00 paid to you").get_by_role("button", name="No", exact=True).tap()
    sheet(bo).get_by_label("Why").fill("Wrong account")
    sheet(bo).get_by_role("button", name="Tell them").tap()
    expect(entry(ana, "Bo has not got €10.00 from you: Wrong account")).to_be_visible()
    books.call("bo", "payments.undo", id=paid["id"])


def ask(page, title, amount, *names):
    page.get_by_role("button", name="Ask for money").tap()
    form = sheet(page)
    form.get_by_label("What for?").fill(title)
    if amount:
        form.get_by_label("Amount from each").fill(amount)
    for name in names:
        form.get_by_role("checkbox", name=name).check()
    return form


def test_s1_13_money_is_asked_for_and_each_one_answers(people, books):
    ana, bo, cleo = (open_home(people(f"{name}.new", new=True)) for name in ["ana", "bo", "cleo"])
    tab(ana).get_by_role("link", name="Requests").tap()
    expect(ana.get_by_text("Ask others for money here.")).to_be_visible()
    form = ask(ana, "Cinema", "")
    form.get_by_role("button", name="Ask", exact=True).tap()
    expect(form).to_contain_text("Choose at least one person.")
    form.get_by_role("checkbox", name="Bo").check()
    form.get_by_role("button", name="Ask", exact=True).tap()
    expect(form).to_contain_text("Write an amount such as 12.40.")
    form.get_by_label("Amount from each").fill("12")
    form.get_by_role("checkbox", name="Cleo").check()
    expect(form.get_by_role("status")).to_have_text("Together €24.00")
    form.get_by_role("button", name="Ask", exact=True).tap()
    expect(sheet(ana)).to_have_count(0)
    expect(card(ana, "Cinema")).to_contain_text("€24.00")
    answers = card(ana, "Cinema").get_by_role("listitem")
    expect(answers.filter(has_text="waits for an answer")).to_have_count(2)
    # Bo agrees with his PIN, and owes it from then on.
    tab(bo)
    expect(lead(bo)).to_have_text("All square.")
    bo.get_by_role("link", name="Answer").tap()
    expect(lead(bo)).to_have_text("1 request waits for your answer.")
    expect(card(bo, "Cinema")).to_contain_text("Ana asks")
    bo.get_by_role("button", name="Agree").tap()
    confirm(bo)
    expect(answers.filter(has_text="Bo")).to_contain_text("agreed")
    bo.locator(".snackbar").get_by_role("button", name="Pay").tap()
    expect(lead(bo)).to_have_text("You owe Ana €12.00.")
    # Cleo declines from her inbox, and says why.
    asked = entry(cleo, "Ana asks you for €12.00: Cinema")
    asked.get_by_role("button", name="Decline").tap()
    sheet(cleo).get_by_label("Why").fill("I was not there")
    sheet(cleo).get_by_role("button", name="Decline").tap()
    expect(asked.get_by_role("button", name="Decline")).to_have_count(0)
    expect(answers.filter(has_text="Cleo")).to_contain_text("declined: I was not there")
    expect(entry(ana, "Cleo declined €12.00: Cinema")).to_be_visible()
    # Once Bo has paid, it is over.
    paid = books.call("ana", "payments.record", **{"from": books.ids["bo"], "amount": 12_00})
    visit(ana, "/money/requests")
    past = ana.get_by_role("region", name="Earlier").get_by_role("listitem")
    expect(past).to_contain_text("Bo: paid · Cleo: declined, I was not there")
    visit(bo, "/money/requests")
    expect(bo.get_by_role("region", name="Earlier").get_by_role("listitem")).to_contain_text("paid")
    books.call("ana", "payments.undo", id=paid["id"])


def test_s1_13_amounts_differ_and_a_request_is_taken_back_and_brought_back(people, books):
    # Where Cleo has not said yet who they are.
    ana, cleo = open_home(people("ana.new", goes_offline=True)), open_home(people("cleo.new", new=True))
    visit(ana, "/money/requests")
    form = ask(ana, "Tickets", "", "Bo", "Cleo")
    form.get_by_role("switch", name="A different amount for each").tap()
    form.get_by_label("Amount of Bo").fill("7.50")
    form.get_by_label("Amount of Cleo").fill("9")
    form.get_by_text("How, note and currency").tap()
    form.get_by_label("How would you like it?").select_option("PayPal")
    form.get_by_label("Note").fill("Row twelve")
    # It waits for no connection, and loses nothing that was written.
    go_offline(ana)
    expect(ana.get_by_text("No connection.")).to_be_visible()
    form.get_by_role("button", name="Ask", exact=True).tap()
    expect(form.get_by_role("alert")).to_contain_text("This needs a connection.")
    ana.context.set_offline(False)
    expect(ana.get_by_text("No connection.")).to_have_count(0, timeout=20_000)
    form.get_by_role("button", name="Ask", exact=True).tap()
    expect(sheet(ana)).to_have_count(0)
    asked = entry(cleo, "Ana asks you for €9.00: Tickets")
    expect(asked.get_by_role("button", name="Agree")).to_be_visible()
    visit(cleo, "/money/requests")
    for words in ["by PayPal", "Row twelve", "€9.00"]:
        expect(card(cleo, "Tickets")).to_contain_text(words)
    card(ana, "Tickets").get_by_role("button", name="Take back").tap()
    expect(cleo.get_by_role("button", name="Agree")).to_have_count(0)
    expect(cleo.get_by_role("region", name="Earlier")).to_contain_text("taken back")
    ana.get_by_role("button", name="Undo").tap()
    cleo.get_by_role("button", name="Agree").tap()
    confirm(cleo)
    expect(card(ana, "Tickets").get_by_role("listitem").filter(has_text="Cleo")).to_contain_text("agreed")
    tab(cleo)
    expect(lead(cleo)).to_have_text("You owe €9.00 in all.")


def test_home_shows_the_bills_that_i_am_to_pay_and_the_requests_that_i_am_to_answer(people, books, house):
    house.call("auth.confirm", {"pin": PIN}, books.tokens["ana"])
    ana, bo = open_home(people("ana.new", new=True)), open_home(people("bo.new", new=True))
    bill = {"title": "Power", "amount": 90_00, "first": day(), "repeat": {"every": 1, "unit": "months"}, "lead": 0}
    power = books.call("ana", "recurringBills.add", bill={**bill, "host": books.ids["bo"]})["id"]
    museum = books.call("bo", "requests.create", title="Museum", amount=8_00, **{"from": [books.ids["ana"]]})["id"]
    money = [page.get_by_role("region", name="Money that waits for you") for page in [ana, bo]]
    on_ana, on_bo = (region.get_by_role("link") for region in money)
    expect(on_ana.filter(has_text="Museum")).to_contain_text("Bo asks · €8.00")
    expect(ana.get_by_role("region", name="Money that waits for you").get_by_role("listitem")).to_have_count(1)
    expect(on_ana.filter(has_text="Power")).to_have_count(0)
    expect(on_bo.filter(has_text="Power")).to_contain_text("€90.00 · today")
    expect(on_bo.filter(has_text="Museum")).to_have_count(0)
    expect(bo.get_by_text("Nothing is left to do today.")).to_have_count(0)
    # Each leads to where it is done, and leaves Home as soon as it is.
    for page, links, name in [(ana, on_ana, "Museum"), (bo, on_bo, "Power")]:
        links.filter(has_text=name).tap()
        expect(card(page, name)).to_be_visible()
        visit(page, "/")
        expect(links.filter(has_text=name)).to_be_visible()
    books.call("bo", "recurringBills.paid", id=power)
    books.call("ana", "requests.decline", id=museum)
    expect(on_bo.filter(has_text="Power")).to_have_count(0)
    expect(on_ana.filter(has_text="Museum")).to_have_count(0)
