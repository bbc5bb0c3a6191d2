"""Chores, as the use cases S0.6 to S0.9, S1.7 to S1.9 and S1.14 tell it: two people, two phones, one list."""

import datetime
import random
import re
import string
import zoneinfo

import pytest
from playwright.sync_api import expect

from pages import go_offline, open_home, sheet, switch, visit
from peer import Peer


def word(name):
    """A name that no other test has on the list."""
    return f"{name} {''.join(random.choices(string.ascii_lowercase, k=5))}"


def day(after=0):
    """A day of the household, as it is written in calls."""
    here = datetime.datetime.now(zoneinfo.ZoneInfo("Europe/Berlin")).date()
    return (here + datetime.timedelta(days=after)).isoformat()


class Home:
    """The household as a client that is no browser sees it."""

    def __init__(self, house, which=""):
        self.house = house
        self.tokens = {name: house.token(name + which) for name in ["ana", "bo"]}
        with Peer(house.url, self.tokens["ana"]) as peer:
            self.room = peer.household
            members = peer.state(self.room)["members"]
        self.ids = {one["name"].lower(): person for person, one in members.items()}

    def call(self, who, method, **params):
        return self.house.call(method, {"room": self.room, **params}, self.tokens[who])

    def add(self, name, people=(), by="ana", **chore):
        chore |= {"name": name, "people": [self.ids[one] for one in people]}
        return self.call(by, "chores.add", chore={"strategy": "fixed", **chore})

    def complete(self, who, occurrence):
        return self.call(who, "chores.complete", id=occurrence)


@pytest.fixture(scope="module")
def home(house):
    return Home(house)


@pytest.fixture(scope="module")
def new_home(house, newly):
    """A household in which nothing was done before."""
    return Home(house, ".new")


def chores(people, name, path="/chores", **options):
    page = people(name, **options)
    visit(page, path)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    return page


def row(page, name):
    return page.locator("li.chore:visible", has_text=name)


def tick(page, name):
    page.get_by_role("button", name=f"Done: {name}").tap()


def notification(page, text):
    visit(page, "/inbox")
    return page.locator(".inbox > li", has_text=text)


def test_s0_7_a_new_chore_is_on_everybodys_list_and_suggested_the_next_time(people):
    ana, bo = chores(people, "ana"), chores(people, "bo")
    name = word("Sweep")
    ana.get_by_role("button", name="New chore").tap()
    expect(sheet(ana).get_by_label("What is to be done?")).to_be_focused()
    ana.keyboard.type(name)
    sheet(ana).get_by_label("How often").select_option("every week")
    sheet(ana).get_by_role("button", name="You").tap()
    sheet(ana).get_by_role("button", name="Bo").tap()
    sheet(ana).get_by_role("button", name="Add it").tap()
    expect(row(bo, name)).to_contain_text("today")
    expect(row(ana, name)).to_have_count(0)
    ana.locator(".segments label", has_text="All").tap()
    expect(row(ana, name).get_by_role("img", name="Bo")).to_be_visible()
    ana.get_by_role("button", name="New chore").tap()
    ana.keyboard.type(name[:8])
    sheet(ana).get_by_role("button", name=name).tap()
    expect(sheet(ana).get_by_label("What is to be done?")).to_have_value(name)
    expect(notification(bo, f"Ana put a chore on the list: {name}")).to_be_visible()


def test_s0_7_turns_are_everybodys_unless_somebody_is_chosen(people, home):
    ana, name = chores(people, "ana"), word("Mop")
    ana.get_by_role("button", name="New chore").tap()
    ana.keyboard.type(name)
    turn, you = sheet(ana).get_by_label("Whose turn"), sheet(ana).get_by_role("button", name="You")
    expect(you).to_have_attribute("aria-pressed", "true")
    turn.select_option("in turn")
    bo = sheet(ana).get_by_role("button", name="Bo")
    expect(bo).to_have_attribute("aria-pressed", "true")
    expect(sheet(ana)).to_contain_text("All who live here.")
    turn.select_option("always the same")
    expect(bo).to_have_attribute("aria-pressed", "false")
    expect(you).to_have_attribute("aria-pressed", "true")
    # A tap takes one of all out.
    turn.select_option("in turn")
    bo.tap()
    expect(bo).to_have_attribute("aria-pressed", "false")
    expect(sheet(ana).get_by_role("button", name="1. You")).to_have_attribute("aria-pressed", "true")
    bo.tap()
    expect(sheet(ana).get_by_role("button", name=re.compile(r"[2-9]\. Bo"))).to_have_attribute("aria-pressed", "true")


def test_s0_7_a_built_in_chore_is_named_in_each_ones_language(people):
    ana = chores(people, "ana", "/chores?show=all")
    bo = chores(people, "bo", "/chores?show=all", locale="de-DE")
    ana.get_by_role("button", name="New chore").tap()
    sheet(ana).get_by_label("What is to be done?").fill("Win")
    sheet(ana).get_by_role("button", name="Windows").tap()
    sheet(ana).get_by_role("button", name="Add it").tap()
    expect(row(ana, "Windows")).to_be_visible()
    expect(row(bo, "Fenster")).to_contain_text("heute")


def test_s0_9_a_tap_completes_and_another_brings_it_back(people, home):
    name = word("Trash")
    home.add(name, ["ana"], date=day(-2))
    ana, bo = chores(people, "ana"), chores(people, "bo", "/chores?show=all")
    expect(row(ana, name)).to_contain_text("2 days late")
    expect(row(bo, name)).to_be_visible()
    tick(ana, name)
    expect(row(ana, name)).to_have_count(0)
    expect(row(bo, name)).to_have_count(0)
    ana.get_by_role("button", name="Undo").tap()
    expect(row(ana, name)).to_contain_text("2 days late")
    expect(row(bo, name)).to_be_visible()
    # Anybody may do it; the one whose turn it was is told.
    tick(bo, name)
    expect(row(ana, name)).to_have_count(0)
    visit(bo, "/chores/statistics")
    expect(bo.get_by_role("region", name="History").locator("li", has_text=name)).to_contain_text("You, today · late")
    expect(notification(ana, f"Bo has done: {name}")).to_be_visible()


def test_s0_9_done_offline_counts_and_who_was_first_is_told(people, home):
    name, other = word("Stove"), word("Oven")
    done = home.add(name, ["ana"], date=day())["occurrence"]
    home.add(other, ["ana"], date=day())
    ana = chores(people, "ana", goes_offline=True)
    tick_of = ana.get_by_role("button", name=f"Done: {name}")
    expect(tick_of).to_be_visible()
    go_offline(ana)
    tick(ana, name)
    expect(row(ana, name)).to_have_count(0)
    tick(ana, other)
    expect(row(ana, other)).to_have_count(0)
    home.complete("bo", done)
    # A page that is opened again knows what is not sent yet.
    ana.reload()
    expect(ana.get_by_role("heading", name="Chores")).to_be_visible()
    expect(row(ana, other)).to_have_count(0)
    ana.context.set_offline(False)
    expect(ana.locator(".snackbar")).to_contain_text(f"Bo was first: {name} is done")
    with Peer(home.house.url, home.tokens["bo"]) as bo:
        bo.until(home.room, lambda state: all(one["name"] != other for one in state.get("chores", {}).values()))
    # There is nothing to try again.
    expect(ana.get_by_text("could not be made")).to_have_count(0)


def test_s0_8_deleting_asks_tells_the_others_and_can_be_undone(people, home):
    name = word("Ironing")
    added = home.add(name, ["bo"], by="bo", date=day(), repeat={"every": 1, "unit": "weeks"})
    bo, ana = chores(people, "bo", f"/chores/chore/{added['id']}"), chores(people, "ana", "/chores?show=all")
    expect(row(ana, name)).to_be_visible()
    bo.get_by_role("button", name="Delete the chore").tap()
    expect(sheet(bo, f"Delete {name}?")).to_be_visible()
    bo.keyboard.press("Escape")
    bo.get_by_role("button", name="Delete the chore").tap()
    sheet(bo).get_by_role("button", name="Delete", exact=True).tap()
    expect(bo.get_by_role("heading", name="Chores")).to_be_visible()
    expect(row(ana, name)).to_have_count(0)
    bo.get_by_role("button", name="Undo").tap()
    expect(row(ana, name)).to_be_visible()
    expect(row(bo, name)).to_be_visible()
    expect(notification(ana, f"Bo took a chore off the list: {name}")).to_be_visible()


def test_s0_8_a_chore_that_is_brought_back_is_on_the_list_once_even_before_the_answer(people, home):
    name = word("Gutters")
    added = home.add(name, ["bo"], by="bo", date=day(), repeat={"every": 1, "unit": "weeks"})
    bo, ana = people("bo", new=True), chores(people, "ana", "/chores?show=all")
    is_silent = False

    def connect(socket):
        server = socket.connect_to_server()
        socket.on_message(server.send)
        # Patches go on; answers do not.
        server.on_message(lambda text: is_silent and '"method"' not in text or socket.send(text))

    bo.route_web_socket("**/sync", connect)
    visit(bo, f"/chores/chore/{added['id']}")
    bo.get_by_role("button", name="Delete the chore").tap()
    sheet(bo).get_by_role("button", name="Delete", exact=True).tap()
    expect(row(ana, name)).to_have_count(0)
    is_silent = True
    bo.get_by_role("button", name="Undo").tap()
    expect(row(ana, name)).to_be_visible()
    home.add(last := word("Ladder"), ["bo"], date=day())
    expect(row(bo, last)).to_be_visible()
    expect(row(bo, name)).to_have_count(1)


def test_s0_6_statistics_mine_first_a_bar_for_each_and_their_history(people, new_home):
    dishes, trash = word("Plates"), word("Bins")
    for name, times in [(dishes, 3), (trash, 1)]:
        for _ in range(times):
            new_home.complete("ana", new_home.add(name, ["ana"])["occurrence"])
    new_home.complete("bo", new_home.add(trash, ["bo"])["occurrence"])
    ana = chores(people, "ana.new", "/chores/statistics")
    expect(ana.get_by_role("main").get_by_role("status").first).to_contain_text(f"You: 3 × {dishes}")
    bars = ana.get_by_role("list", name="Chores done, by person")
    expect(bars.get_by_role("button", name=re.compile("^Bo"))).to_contain_text(f"1 × {trash}")
    bars.get_by_role("button", name=re.compile("^Bo")).tap()
    history = ana.get_by_role("region", name="History: Bo")
    expect(history.locator("li", has_text=trash)).to_have_count(1)
    expect(history.locator("li", has_text=dishes)).to_have_count(0)
    # A time in which nothing was done yet.
    ana.locator(".segments label", has_text="Other").tap()
    ana.get_by_role("textbox", name="From").fill("2025-01-01")
    ana.get_by_role("textbox", name="To").fill("2025-01-31")
    expect(ana.get_by_text("You have done nothing in this time.")).to_be_visible()


def test_s1_7_turns_are_taken_in_turn_taken_over_and_given_up(people, home):
    name, free = word("Bathroom"), word("Bulbs")
    params = {"date": day(), "repeat": {"every": 1, "unit": "weeks"}, "strategy": "roundRobin"}
    home.add(name, ["ana", "bo"], **params)
    home.add(free, strategy="open")
    ana, bo = chores(people, "ana"), chores(people, "bo")
    row(ana, name).get_by_role("link").tap()
    expect(ana.get_by_text("in turn; next: Bo")).to_be_visible()
    # Bo does it in Ana's place, and Ana the next time in theirs.
    visit(bo, "/chores?show=all")
    row(bo, name).get_by_role("link").tap()
    bo.get_by_role("button", name="Done, and more").tap()
    switch(sheet(bo), "Swap turns", True)
    sheet(bo).get_by_label("Minutes it took").fill("20")
    sheet(bo).get_by_role("button", name="Done", exact=True).tap()
    expect(ana.get_by_text("in 7 days · every week")).to_be_visible()
    expect(ana.locator(".rows.framed")).to_contain_text("You")
    expect(ana.get_by_role("region", name="History")).to_contain_text("20 minutes")
    ana.get_by_role("button", name="I can’t").tap()
    expect(ana.get_by_role("button", name="I’ll do it", exact=True)).to_be_visible()
    # One tap takes a chore that nobody has.
    visit(bo, "/chores?show=free")
    expect(row(bo, name)).to_be_visible()
    bo.get_by_role("button", name=f"I’ll do it: {free}").tap()
    expect(row(bo, free)).to_have_count(0)
    bo.locator(".segments label", has_text="Mine").tap()
    expect(row(bo, free)).to_contain_text("any time")


def test_s1_7_a_chore_is_put_off_skipped_and_changed(people, home):
    name = word("Hoover")
    home.add(name, ["ana"], date=day(), repeat={"every": 2, "unit": "days", "basis": "completion"})
    ana, bo = chores(people, "ana"), chores(people, "bo", "/chores?show=all")
    row(ana, name).get_by_role("link").tap()
    ana.get_by_role("button", name="Later").tap()
    sheet(ana).get_by_role("button", name="In a week").tap()
    expect(row(bo, name)).to_contain_text("in 7 days")
    ana.get_by_role("button", name="Undo").tap()
    expect(row(bo, name)).to_contain_text("today")
    ana.get_by_role("button", name="Change the chore").tap()
    sheet(ana).get_by_label("What is to be done?").fill(f"{name} all")
    sheet(ana).get_by_label("How often").select_option("every 3 days")
    switch(sheet(ana), "Urgent", True)
    sheet(ana).get_by_role("button", name="Save").tap()
    expect(ana.get_by_text("today · urgent · every 3 days")).to_be_visible()
    expect(row(bo, f"{name} all")).to_contain_text("urgent")
    ana.get_by_role("button", name="Skip this time").tap()
    expect(row(bo, name)).to_contain_text("in 3 days")
    # Later is later than that.
    row(ana, name).get_by_role("link").tap()
    ana.get_by_role("button", name="Later").tap()
    expect(sheet(ana).get_by_role("button", name="In a week")).to_be_visible()
    expect(sheet(ana).get_by_role("button", name="In 2 days")).to_have_count(0)


def test_s1_7_a_rule_has_weekdays_a_place_in_the_month_and_an_end(people):
    name = word("Windows")
    ana, bo = chores(people, "ana"), chores(people, "bo", "/chores?show=all")
    ana.get_by_role("button", name="New chore").tap()
    form = sheet(ana)
    form.get_by_label("What is to be done?").fill(name)
    # The second Tuesday of a December that is still to come.
    year = datetime.date.today().year + 1
    eighth = datetime.date(year, 12, 8)
    tuesday = eighth + datetime.timedelta(days=(1 - eighth.weekday()) % 7)
    form.get_by_label("Day", exact=True).fill(tuesday.isoformat())
    form.get_by_label("How often").select_option("every week")
    form.get_by_role("button", name="Friday").tap()
    expect(form.get_by_role("button", name="Tuesday", pressed=True)).to_be_visible()
    form.get_by_label("Ends").select_option("after a number of times")
    form.get_by_role("button", name="Add it").tap()
    expect(form.get_by_text("Write how many times it comes")).to_be_visible()
    form.get_by_label("How many times").fill("6")
    form.get_by_role("button", name="Add it").tap()
    row(bo, name).get_by_role("link").tap()
    expect(bo.get_by_text("every week, on Tuesday and Friday, 6 times")).to_be_visible()
    row(ana, name).get_by_role("link").tap()
    ana.get_by_role("button", name="Change the chore").tap()
    expect(form.get_by_role("button", name="Friday", pressed=True)).to_be_visible()
    form.get_by_label("How often").select_option("every month")
    # Without a first day there is none of the month to choose.
    form.get_by_label("Day", exact=True).fill("")
    expect(form.get_by_label("Day of the month")).to_have_count(0)
    form.get_by_label("Day", exact=True).fill(tuesday.isoformat())
    form.get_by_label("Day of the month").select_option("on the second Tuesday of the month")
    form.get_by_label("Ends").select_option("on a day")
    form.get_by_label("Last day").fill(f"{year}-12-01")
    form.get_by_role("button", name="Save").tap()
    expect(form.get_by_text("The last day must not be before the first one.")).to_be_visible()
    form.get_by_label("Last day").fill(f"{year + 1}-06-30")
    form.get_by_role("button", name="Save").tap()
    for page in (ana, bo):
        rule = f"every month, on the second Tuesday of the month, until 30 June {year + 1}"
        expect(page.get_by_text(rule)).to_be_visible()


def test_s1_8_a_reminder_is_closed_by_doing_it_or_comes_later_and_others_say_thanks(people, home):
    # At midnight all of today's reminders have come.
    home.house.call("settings.edit", {"hour": "00:00"}, home.tokens["bo"])
    name, other = word("Recycling"), word("Letters")
    for one in [name, other]:
        home.add(one, ["bo"], date=day())
    ana, bo = chores(people, "ana", "/chores?show=all"), open_home(people("bo"))
    expect(row(ana, name)).to_be_visible()
    due = notification(bo, f"Yours to do: {name}")
    due.get_by_role("button", name="Completed!").tap()
    expect(row(ana, name)).to_have_count(0)
    expect(due.get_by_role("button", name="Completed!")).to_have_count(0)
    expect(due).to_contain_text("Nothing is left to do.")
    # Three times it can be put off: twice it was, on another device.
    with Peer(home.house.url, home.tokens["bo"]) as peer:
        inbox = peer.state("me")["inbox"]
        [reminder] = [one for one, row in inbox.items() if (row["kind"], row.get("name")) == ("choreDue", other)]
        for _ in range(2):
            peer.call("inbox.snooze", id=reminder, minutes=60)
    for _ in range(2):
        notification(bo, f"Yours to do: {other}").get_by_role("button", name="Remind me later").tap()
        sheet(bo).get_by_role("button", name="In an hour").tap()
        expect(bo.locator(".snackbar")).to_contain_text("You are reminded again in an hour.")
    bo.get_by_role("link", name="Look").tap()
    expect(bo.get_by_role("main")).to_contain_text("It was put off three times already.")
    bo.get_by_role("button", name="Discard").tap()
    # At home it is still mine today.
    open_home(bo)
    tick(bo, other)
    expect(row(ana, other)).to_have_count(0)
    expect(row(bo, other)).to_have_count(0)
    # The others say thanks.
    done = notification(ana, f"Bo has done: {name}")
    done.get_by_role("button", name="Thanks").tap()
    expect(done).to_contain_text("You have said thanks.")
    expect(done.get_by_role("button", name="Thanks")).to_have_count(0)
    expect(notification(bo, f"Ana says thanks for: {name}")).to_be_visible()
    # For a chore that is to be done again nobody is thanked.
    done = notification(ana, f"Bo has done: {other}")
    expect(done.get_by_role("button", name="Thanks")).to_be_visible()
    visit(bo, "/activity")
    bo.get_by_role("listitem").filter(has_text=other).get_by_role("button", name="Undo").first.tap()
    expect(bo.get_by_role("main")).to_contain_text(f"You have done: {other} (taken back)")
    expect(done).to_contain_text("taken back")
    expect(done.get_by_role("button", name="Thanks")).to_have_count(0)


def test_s1_9_another_one_looks_at_it_and_rates_it(people, home):
    name = word("Fridge")
    added = home.add(name, ["ana"], date=day(), needsApproval=True, repeat={"every": 1, "unit": "weeks"})
    ana, bo = (chores(people, who, f"/chores/chore/{added['id']}") for who in ["ana", "bo"])
    ana.get_by_role("button", name="Done", exact=True).tap()
    bo.get_by_role("button", name="Not yet").tap()
    sheet(bo).get_by_label("Note").fill("The lower shelf")
    sheet(bo).get_by_role("button", name="Tell them").tap()
    visit(ana, f"/chores/chore/{added['id']}")
    expect(ana.get_by_text("Not done yet: The lower shelf")).to_be_visible()
    ana.get_by_role("button", name="Done", exact=True).tap()
    bo.get_by_role("button", name="It is done").tap()
    expect(row(ana, name)).to_contain_text("in 7 days")
    # Bo says how well it was done; that is in the history of the chore.
    visit(bo, f"/chores/chore/{added['id']}")
    history = bo.get_by_role("region", name="History")
    history.get_by_role("button", name=re.compile("^Ana, today")).tap()
    sheet(bo).get_by_role("button", name="4 stars").tap()
    expect(history.get_by_role("img", name="4 of 5 stars")).to_be_visible()
    visit(bo, "/me/changes")
    expect(bo.get_by_text("Everything you did has arrived.")).to_be_visible()
    visit(ana, f"/chores/chore/{added['id']}")
    expect(ana.get_by_role("region", name="History").get_by_role("img", name="4 of 5 stars")).to_be_visible()


def test_s1_14_points_are_counted_where_a_household_wants_them(people, new_home):
    ana = chores(people, "ana.new", "/household/settings")
    switch(ana, "Chores have points", True)
    name = word("Attic")
    visit(ana, "/chores")
    ana.get_by_role("button", name="New chore").tap()
    sheet(ana).get_by_label("What is to be done?").fill(name)
    sheet(ana).get_by_text("More", exact=True).tap()
    sheet(ana).get_by_label("Points").fill("25")
    sheet(ana).get_by_role("button", name="Add it").tap()
    tick(ana, name)
    expect(row(ana, name)).to_have_count(0)
    visit(ana, "/chores/statistics")
    points = ana.get_by_role("region", name=re.compile("^Points in")).last
    expect(points.get_by_role("columnheader", name="You")).to_be_visible()
    expect(points.get_by_role("row").nth(1)).to_contain_text("25")
    expect(ana.get_by_role("list", name="Chores done, by person")).to_contain_text("25 points")


def test_s1_8_one_reminds_another_once_and_a_birthday_stands_among_the_chores_when_it_is_near(people, home):
    name = word("Compost")
    chore = home.add(name, ["bo"], date=day(2))["id"]
    ana, bo = chores(people, "ana", f"/chores/chore/{chore}"), open_home(people("bo"))
    ana.get_by_role("button", name="Remind").tap()
    expect(ana.locator(".snackbar")).to_contain_text("Bo: reminded")
    reminder = notification(bo, f"Ana reminds you: {name}")
    expect(reminder.get_by_role("button", name="Completed!")).to_be_visible()
    ana.get_by_role("button", name="Remind").tap()
    expect(ana.locator(".snackbar")).to_contain_text("They were reminded already.")
    visit(ana, "/chores")
    home.house.call("profile.update", {"birthday": f"1992-{day(8)[5:]}"}, home.tokens["bo"])
    home.house.call("profile.update", {"birthday": f"1992-{day(6)[5:]}"}, home.house.token("cleo"))
    expect(row(ana, "Cleo’s birthday")).to_contain_text("in 6 days")
    expect(row(ana, "Bo’s birthday")).to_have_count(0)


def test_rem_3_a_sender_of_reminders_is_muted_and_heard_again(people, new_home):
    occurrence = new_home.add("Gutter", ["bo"], date=day(2))["occurrence"]
    new_home.call("ana", "chores.remind", id=occurrence)
    bo, other = open_home(people("bo.new")), people("bo.new")
    mute = notification(bo, "Ana reminds you: Gutter").get_by_role("button", name="Mute Ana for 30 days")
    mute.tap()
    expect(bo.locator(".snackbar")).to_contain_text("Ana is not told.")
    expect(mute).to_have_count(0)
    # On Bo's other phone it is seen, and taken back.
    visit(other, "/me/notifications")
    muted = other.get_by_role("region", name="People whose reminders are muted").get_by_role("listitem")
    expect(muted).to_contain_text(re.compile("Ana.*until"))
    muted.get_by_role("button", name="Hear again").tap()
    expect(muted).to_have_count(0)
    expect(mute).to_be_visible()
    other.get_by_role("button", name="Undo").tap()
    expect(mute).to_have_count(0)
