"""The rota, dinner and drinks, as the use cases S2.1 to S2.3 tell them: two people, two phones."""

import datetime
import re

import pytest
from playwright.sync_api import expect

from pages import back, go_offline, open_home, sheet, switch, visit
from peer import Peer


# In the sample household much has been eaten, drunk and cleaned already.
pytestmark = pytest.mark.usefixtures("newly")


def tonight(page):
    """The part of Home that says who eats."""
    return page.get_by_role("region", name=re.compile("^Dinner"))


def choice(page, name):
    return page.get_by_role("group", name="Do you eat at home?").get_by_role("button", name=name)


def drinks(page):
    visit(page, "/drinks")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    return page


def buy(page, kind, n, cost=""):
    page.get_by_role("button", name="Bought some").tap()
    sheet(page).get_by_label("What").fill(kind)
    sheet(page).get_by_label("How many").fill(str(n))
    sheet(page).get_by_label("Cost").fill(cost)
    sheet(page).get_by_role("button", name="Add", exact=True).tap()
    expect(sheet(page)).to_have_count(0)


def tile(page, kind, name):
    return page.get_by_role("button", name=re.compile(f"^{kind} for {name}: "))


def drunk(n):
    return re.compile(f" {n}$")


def test_s2_1_a_task_of_the_rota_is_ticked_at_home_and_seen_on_the_other_phone(people):
    ana, bo = people("ana.new"), open_home(people("bo.new"))
    visit(ana, "/rota")
    ana.get_by_role("button", name="Make a rota").tap()
    sheet(ana).get_by_role("textbox", name="Task").fill("Kitchen floor")
    sheet(ana).get_by_role("button", name="Another task").tap()
    sheet(ana).get_by_role("textbox", name="Task").last.fill("Bathroom tiles")
    # Counted from this week on, the first of the house begins with the first task.
    switch(ana, "Begin anew each year", False)
    sheet(ana).get_by_role("button", name="Save").tap()
    expect(ana.get_by_text("Yours this week: Kitchen floor")).to_be_visible()
    bos = ana.get_by_role("region", name="This week").get_by_role("listitem").filter(has_text="Bathroom tiles")
    bo.get_by_role("button", name="Done: Bathroom tiles").tap()
    expect(bos).to_contain_text("Done by Bo")
    expect(bo.get_by_role("link", name=re.compile("^Bathroom tiles"))).to_have_count(0)
    bo.get_by_role("button", name="Undo").tap()
    expect(bos).not_to_contain_text("Done")
    expect(bo.get_by_role("link", name=re.compile("^Bathroom tiles"))).to_be_visible()


def test_s2_3_who_eats_tonight_is_seen_by_all_and_an_answer_without_a_network_comes_later(people):
    ana, bo = open_home(people("ana.new", goes_offline=True)), open_home(people("bo.new"))
    choice(ana, "At home").tap()
    expect(choice(ana, "At home")).to_have_attribute("aria-pressed", "true")
    expect(ana.get_by_text("At home for dinner.").last).to_be_visible()
    expect(tonight(bo)).to_contain_text("1 person eats")
    # Without a network the answer is seen at once, on this phone only.
    go_offline(ana)
    # Two taps count as two, even if the second comes before the first is on the disk.
    choice(ana, "guest").evaluate("(one) => { one.click(); one.click(); }")
    expect(tonight(ana)).to_contain_text("3 eat")
    choice(bo, "At home").tap()
    expect(tonight(bo)).to_contain_text("2 eat")
    ana.context.set_offline(False)
    expect(tonight(bo)).to_contain_text("4 eat", timeout=20_000)
    expect(tonight(ana)).to_contain_text("4 eat")
    # The last tap is taken back.
    ana.get_by_role("button", name="Undo").tap()
    expect(tonight(bo)).to_contain_text("3 eat")
    # A guest who does not come is counted down; the button goes with the last one.
    choice(ana, "One guest fewer").tap()
    expect(tonight(bo)).to_contain_text("2 eat")
    expect(choice(ana, "One guest fewer")).to_be_hidden()
    expect(choice(ana, "guest")).to_be_focused()


def test_s2_3_another_cooks_and_the_cook_hears_of_a_late_answer(people):
    ana, bo = people("ana.new"), open_home(people("bo.new"))
    visit(ana, "/household/settings")
    # The day of a dinner begins then: every later answer is late.
    ana.get_by_label("Dinner: answers until").fill("04:00")
    ana.get_by_role("button", name="Save").tap()
    expect(ana.get_by_text("Saved.").last).to_be_visible()
    tonight(bo).get_by_role("link", name=re.compile("eat|said")).tap()
    switch(bo, "I cook", True)
    visit(ana, "/dinner")
    expect(ana.get_by_text("Bo cooks")).to_be_visible()
    # Ana answers for Cleo, at the fridge.
    ana.get_by_role("button", name=re.compile("^Cleo")).tap()
    expect(sheet(ana, "Cleo")).to_contain_text("It is past 04:00: answers are marked as late now.")
    sheet(ana, "Cleo").get_by_role("button", name="guest").tap()
    expect(sheet(ana, "Cleo")).to_contain_text("with 1 guest · said by you")
    expect(bo.get_by_role("button", name=re.compile("^Cleo"))).to_contain_text("answered late")
    visit(bo, "/inbox")
    bo.get_by_role("button", name="Ana has changed who eats tonight").first.tap()
    expect(bo.get_by_role("heading", name="Who eats at home")).to_be_visible()


def test_s2_3_two_weeks_the_usual_one_and_who_has_cooked(people):
    ana, bo = people("ana.new"), people("bo.new")
    for one in (ana, bo):
        visit(one, "/dinner")
    week = ana.get_by_role("region", name="The next two weeks")
    expect(week.get_by_role("listitem")).to_have_count(14)
    week.get_by_role("listitem").first.get_by_role("button", name=re.compile(": At home$")).tap()
    bos = bo.get_by_role("region", name="The next two weeks").get_by_role("listitem")
    expect(bos.first).to_contain_text("1 person eats")
    # Ana's usual week counts where she has said nothing.
    ana.get_by_role("button", name="Your usual week").tap()
    for day in ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]:
        sheet(ana).get_by_role("group", name=day).locator("label", has_text="Elsewhere").tap()
    bos.nth(5).get_by_role("button").first.tap()
    expect(sheet(bo).get_by_role("button", name=re.compile("^Ana"))).to_contain_text("Elsewhere, as usual")
    ana.keyboard.press("Escape")
    expect(week.get_by_role("button", name=re.compile(": Elsewhere$"), pressed=True)).to_have_count(13)
    ana.get_by_role("button", name="Who has cooked").tap()
    expect(sheet(ana).get_by_role("listitem").first).to_contain_text("cooked 0 ×")


def test_s2_3_past_midnight_evenings_are_named_by_their_weekdays(people, books):
    ana = people("ana.new")
    with Peer(books.server.url, books.tokens["ana"]) as peer:
        before = peer.state(books.room)["household"]["timeZone"]
    now = datetime.datetime.now(datetime.UTC)

    def move(hour):
        """Moves the household to where it is between this hour and the next; answers the day of the evening before."""
        # Signs of these zones say how far they are behind.
        behind = (now.hour - hour + 11) % 24 - 11
        books.call("ana", "households.update", timeZone=f"Etc/GMT{behind:+d}")
        return f"{now - datetime.timedelta(hours=behind, days=1):%A}"

    try:
        evening = move(1)
        open_home(ana)
        expect(tonight(ana).get_by_role("heading")).to_contain_text(f"Dinner, {evening}")
        visit(ana, "/dinner")
        expect(ana.get_by_text(re.compile(f"^{evening} .*: "))).to_be_visible()
        expect(ana.get_by_role("listitem").get_by_text("Tomorrow")).to_have_count(0)
        move(12)
        expect(ana.get_by_role("listitem").get_by_text("Tomorrow")).to_be_visible()
        open_home(ana)
        expect(tonight(ana).get_by_role("heading")).to_have_text("Dinner tonight")
    finally:
        books.call("ana", "households.update", timeZone=before)


def test_s2_2_one_tap_counts_a_drink_and_nothing_is_lost_offline(people):
    ana, bo = drinks(people("ana.new", goes_offline=True)), drinks(people("bo.new"))
    buy(bo, "Lemonade", 10)
    expect(tile(ana, "Lemonade", "you")).to_have_accessible_name(drunk(0))
    go_offline(ana)
    tile(ana, "Lemonade", "you").tap()
    tile(ana, "Lemonade", "you").tap()
    tile(ana, "Lemonade", "Bo").tap()
    expect(tile(ana, "Lemonade", "you")).to_have_accessible_name(drunk(2))
    # Bo drinks one at the same time: both count.
    tile(bo, "Lemonade", "you").tap()
    expect(tile(bo, "Lemonade", "Ana")).to_have_accessible_name(drunk(0))
    ana.context.set_offline(False)
    expect(tile(bo, "Lemonade", "Ana")).to_have_accessible_name(drunk(2), timeout=20_000)
    expect(tile(bo, "Lemonade", "you")).to_have_accessible_name(drunk(2))
    expect(tile(ana, "Lemonade", "Bo")).to_have_accessible_name(drunk(2))
    expect(ana.get_by_role("button", name="Lemonade: 6 left")).to_be_visible()
    # Ana takes back the one of Bo.
    ana.get_by_role("button", name="Undo").tap()
    expect(tile(bo, "Lemonade", "you")).to_have_accessible_name(drunk(1))
    expect(bo.get_by_role("button", name="Lemonade: 7 left")).to_be_visible()


def test_s2_2_the_stock_is_corrected_and_a_mistake_taken_back(people):
    ana, bo = drinks(people("ana.new")), drinks(people("bo.new"))
    buy(ana, "Cider", 6)
    tile(ana, "Cider", "Bo").tap()
    bo.get_by_role("button", name="Cider: 5 left").tap()
    sheet(bo).get_by_role("button", name="One less for you").tap()
    expect(ana.get_by_role("button", name="Cider: 6 left")).to_be_visible()
    sheet(bo).get_by_label("How many are there?").fill("4")
    sheet(bo).get_by_role("button", name="Correct").tap()
    expect(ana.get_by_role("button", name="Cider: 4 left")).to_be_visible()
    ana.get_by_role("button", name="Cider: 4 left").tap()
    bought = sheet(ana).get_by_role("listitem").filter(has_text="You: 6 bought")
    bought.get_by_role("button", name="Take back").tap()
    bo.get_by_text("1 drink that is out").tap()
    expect(bo.get_by_role("button", name="Cider: none left")).to_be_visible()


def test_s2_2_who_buys_next_and_settling_sets_all_to_zero(people):
    ana, bo = drinks(people("ana.new")), drinks(people("bo.new"))
    buy(bo, "Ginger ale", 20)
    for n in range(1, 5):
        tile(ana, "Ginger ale", "Cleo").tap()
        expect(tile(bo, "Ginger ale", "Cleo")).to_have_accessible_name(drunk(n))
    expect(bo.get_by_text("Cleo buys next: 4 drinks.")).to_be_visible()
    bo.get_by_role("button", name="Settle").tap()
    sheet(bo).get_by_label("Cost").fill("12.40")
    sheet(bo).get_by_role("button", name="Settle and begin again").tap()
    expect(sheet(bo)).to_contain_text("Settled.")
    expect(sheet(bo).get_by_role("listitem").filter(has_text="Cleo")).to_contain_text("€")
    sheet(bo).get_by_role("button", name="Done").tap()
    expect(ana.get_by_text("Nobody has to buy anything.")).to_be_visible()
    expect(tile(ana, "Ginger ale", "Cleo")).to_have_accessible_name(drunk(0))
    ana.get_by_role("button", name="Earlier periods").tap()
    expect(sheet(ana)).to_contain_text("€12.40, paid by Bo")
    back_to(ana)


def back_to(page):
    page.keyboard.press("Escape")
    back(page)
    expect(tonight(page)).to_be_visible()
