"""Screens as few people see them: without a network, full, empty, at the first load, and when something is lost."""

import datetime
import re

import pytest
from playwright.sync_api import expect

from pages import (
    NEW_PASSWORD, addresses, found, go_offline, in_two_hours, join_link, mate, open_home, regular_money, sheet, visit,
)
from peer import Peer
from test_page import is_kept

LONG = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen"
NAMES = ["W" * 64, "מקסימיליאן־אלכסנדר בן־דוד הארוך מאוד", "王小明王小明王小明王小明王小明王小明", f"{LONG} Jr."]


@pytest.fixture(scope="module")
def full(house):
    """A household with as many notes and items as the server takes, and with names that need all their room."""
    with Peer(house.url, house.token("ana")) as ana:
        room = ana.household
        code = ana.call("joinCodes.create", room=room)["code"]
        for name in NAMES:
            token = house.newcomer(name)["token"]
            house.call("households.join", {"code": code}, token)
            house.call("chat.send", {"room": room, "text": f"{name}{name}"}, token)
            house.call("notes.add", {"room": room, "text": name * 3}, token)
        regular_money(house, token, NEW_PASSWORD, room, [ana.me], title=LONG)
        state = ana.state(room)
        notes = range(len(state["notes"]), 200)
        ana.call_all("notes.add", [{"room": room, "text": f"{number} {LONG}"} for number in notes])
        line = ana.call("groceries.add", room=room, name=LONG)["id"]
        bought = {"lines": [{"id": line, "price": 10**9}], "total": 10**9 + 1, "note": LONG * 3}
        ana.call("trips.complete", room=room, **bought)
        ana.call_all("groceries.add", [
            {"room": room, "name": f"{LONG} {number}", "quantity": 1000 + number, "unit": "W" * 16, "note": LONG}
            for number in range(len(state["groceries"]), 500)
        ])
        for name in [LONG, LONG[::-1]]:
            ana.call("lists.create", room=room, name=name, store=LONG)
        people = list(state["members"])[:8]
        ana.call_all("events.add", [
            {"room": room, "title": f"{LONG} {number}", "start": in_two_hours()[:10], "who": people}
            for number in range(len(state["events"]), 200)
        ])
        ana.call_all("stock.set", [
            {"room": room, "name": f"{LONG} {number}", "level": ["in", "low"][number % 2]}
            for number in range(200)
        ])
        special = {"title": LONG, "description": LONG * 3, "minutes": {person: 60 for person in people}}
        ana.call("specialEvents.create", room=room, window={"from": in_two_hours(), "to": in_two_hours(24)}, **special)
        ana.call_all("bills.add", [
            {"room": room, "bill": {"title": f"{LONG} {number}", "amount": 10**11 + number, "category": LONG[:40],
                                    "split": {"people": people}}}
            for number in range(110)
        ])
        rest = {"strategy": "fixed", "people": people}
        ana.call_all("chores.add", [
            {"room": room, "chore": {"name": f"{LONG} {number}", **rest}}
            for number in range(50)
        ])
    return house


# The screens, and words that each of them has in a full household.
FULL = {
    "/": NAMES[3],
    "/chat": NAMES[2],
    "/activity": "You put a chore on the list",
    "/inbox": "has moved in",
    "/household": NAMES[0],
    "/household/settings": "Notes usually stay for",
    "/household/away": "Who stands in for you?",
    "/start": "Another household",
    "/shopping": LONG,
    "/shopping/shop": LONG,
    "/shopping/checkout": LONG,
    "/shopping/history": LONG,
    "/shopping/stock": LONG,
    "/calendar": LONG,
    "/chores?show=all": LONG,
    "/chores/statistics": NAMES[0],
    "/money": LONG,
    "/money/spending": LONG[:40],
    "/money/recurring": LONG,
    "/money/requests": LONG,
}


def fits(page):
    """Nothing is wider than the screen, read from the left or from the right."""
    for direction in ["rtl", "ltr"]:
        page.evaluate("(to) => void (document.documentElement.dir = to)", direction)
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{page.url} {direction}: {wide} pixels too wide"


def test_a_full_household_fits_320_pixels(people, full):
    ana = open_home(people("ana", viewport={"width": 320, "height": 640}))
    for path, words in FULL.items():
        visit(ana, path)
        expect(ana.get_by_role("main")).to_contain_text(words)
        fits(ana)
    visit(ana, "/calendar")
    ana.get_by_role("link", name=f"{LONG} Say when").tap()
    fits(ana)
    ana.get_by_role("button", name="Any time suits me").tap()
    expect(ana.get_by_role("region", name="Answers")).to_contain_text(NAMES[0])
    fits(ana)
    # One thing more is refused, and said in words.
    open_home(ana)
    ana.get_by_role("button", name="New note").tap()
    sheet(ana).get_by_role("textbox", name="Note").fill("One too many")
    sheet(ana).get_by_role("button", name="Pin it").tap()
    ana.get_by_role("link", name="Look").tap()
    expect(ana.get_by_text("The board is full. Take a note down first.")).to_be_visible()
    fits(ana)


def test_an_empty_household_says_what_will_be_there(newcomer):
    ines = newcomer("Ines", viewport={"width": 320, "height": 640})
    found(ines, "Lime Tree")
    for path, words in {
        "/": "Pin the first note.",
        "/chat": "Nobody has said anything yet.",
        "/activity": "You founded the household",
        "/inbox": "Invitations and what others want you to know will be here.",
        "/household": "You live here alone.",
        "/shopping": "What the house needs will be here.",
        "/shopping?show=ours": "What you buy together will be here.",
        "/shopping?show=mine": "What you need for yourself will be here.",
        "/shopping/shop": "Nothing is left to get.",
        "/shopping/checkout": "Choose what you have bought.",
        "/shopping/history": "What you have bought will be here",
        "/shopping/stock": "What should never run out is watched here.",
        "/calendar": "What you plan together will be here",
        "/chores": "What is to be done in the house will be here.",
        "/chores/statistics": "You have done nothing in this time.",
        "/money": "What one of you pays for all will be here",
        "/money/spending": "What you spend will be here",
        "/money/recurring": "Set up the first one.",
        "/money/requests": "Ask others for money here.",
    }.items():
        visit(ines, path)
        expect(ines.get_by_role("main")).to_contain_text(words)
        fits(ines)


@pytest.mark.parametrize("path", ["/household/settings", "/household/away", "/chat"])
def test_the_first_load_shows_grey_lines_and_then_everything(people, full, path):
    ana = people("ana", new=True)
    held, is_slow = [], True

    def connect(socket):
        server = socket.connect_to_server()

        def pass_on(text):
            # All that the household's room holds comes late, as over a slow line.
            if is_slow and '"policies"' in text:
                held.append(lambda: socket.send(text))
            else:
                socket.send(text)

        server.on_message(pass_on)

    ana.route_web_socket("**/sync", connect)
    ana.goto(path)
    expect(ana.get_by_role("main").get_by_role("status", name="Loading")).to_be_visible()
    expect(ana.locator(".switcher", has_text="Elm Street")).to_be_attached()
    is_slow = False
    for send in held:
        send()
    expect(ana.get_by_role("main")).to_contain_text(FULL[path])
    expect(ana.get_by_role("status", name="Loading")).to_have_count(0)


def test_rights_that_are_lost_while_a_screen_is_open(newcomer):
    ines = newcomer("Ines")
    found(ines, "Lime Tree")
    kim = mate(newcomer, join_link(ines), "Kim", "Lime Tree")
    # Kim becomes host while Ines has the settings open in another tab.
    settings = ines.context.new_page()
    settings.goto("/household/settings")
    expect(settings.get_by_label("Name of the household")).to_be_enabled()
    ines.keyboard.press("Escape")
    ines.get_by_role("button", name=re.compile("^Kim")).click()
    sheet(ines).get_by_role("button", name="Make host in my place").click()
    sheet(ines).get_by_role("button", name="Make host in my place").click()
    expect(settings.get_by_text("Only the host changes these.")).to_be_visible()
    expect(settings.get_by_label("Name of the household")).to_be_disabled()
    expect(ines.get_by_role("button", name="Dissolve this household")).to_have_count(0)
    # Ines is removed with a sheet open, a half-written message, and other screens in tabs of their own.
    settings.goto("/chat")
    settings.get_by_role("textbox", name="Write to everybody").fill("half a thought")
    ines.get_by_role("button", name="Invite").click()
    tabs = [ines, settings]
    for path in ["/", "/shopping/shop"]:
        tabs.append(ines.context.new_page())
        tabs[-1].goto(path)
        expect(tabs[-1].get_by_role("heading", level=1)).to_be_visible()
    kim.goto("/household")
    kim.get_by_role("button", name=re.compile("^Ines")).click()
    sheet(kim).get_by_role("button", name="Remove").click()
    sheet(kim, "Remove Ines?").get_by_role("button", name="Remove").click()
    for page in tabs:
        expect(page.get_by_role("heading", name="Who do you live with?")).to_be_visible()
        expect(page.get_by_role("main").get_by_text("Lime Tree")).to_have_text("Kim has removed you from Lime Tree.")
        expect(sheet(page)).to_have_count(0)


# MARK: without a network, refused, and gone


class Flat:
    """A household of two with something on each screen: Ines, and Kim, who acts as a program."""

    def __init__(self, house):
        self.house = house
        accounts = [house.newcomer(name) for name in ("Ines", "Kim")]
        self.tokens, ids = zip(*((one["token"], one["me"]) for one in accounts))
        house.sessions["ines"] = accounts[0]
        home = {"name": "Lime Tree", "timeZone": "Europe/Berlin", "currency": "EUR"}
        self.room = f"household/{house.call('households.create', home, self.tokens[0])['household']}"
        code = house.call("joinCodes.create", {"room": self.room}, self.tokens[0])["code"]
        house.call("households.join", {"code": code}, self.tokens[1])
        self.kim("notes.add", text="Bins go out")
        self.kim("groceries.add", name="Milk")
        self.kim("chat.send", text="Who is home?")
        house.call("rota.set", {"room": self.room, "tasks": [{"name": "Kitchen"}]}, self.tokens[0])
        share = {"receivers": [ids[0]], "until": in_two_hours(), "stop": "notify", "ride": True}
        self.share = house.call("shares.start", share, self.tokens[1])["id"]
        now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        fix = {"lat": 52.5163, "lon": 13.3777, "accuracy": 9, "fixTime": now}
        house.call("positions.report", {"sentAt": now, "fixes": [fix]}, self.tokens[1])

    def kim(self, method, **params):
        return self.house.call(method, {"room": self.room, **params}, self.tokens[1]).get("id")


@pytest.fixture(scope="module")
def flat(house):
    return Flat(house)


# The words of a screen about things and people, without ages.
SAID = """() => [...document.querySelectorAll(
  "main > :not([aria-hidden]) :is(h1, h2, label, .row-title, .note-text, .item-name, .tile-name, .bubble-text)",
)].map((one) => one.textContent).sort()"""


# Changes without a network: the screen, the tap there, and the mark that shows at once.
CHANGES = {
    "/": (lambda page: pin(page, "From the cellar"), ".board > .note:has-text('From the cellar')"),
    "/shopping/shop": (lambda page: page.get_by_role("button", name="Milk").tap(), ".tile.in:has-text('Milk')"),
    "/shopping": (lambda page: add(page, "Salt"), ".item:has-text('Salt')"),
    "/shopping/stock": (lambda page: watch(page, "Soap"), ".supply:has-text('Soap')"),
    "/dinner": (lambda page: eat(page), ".rows > li:has(.row-title:text-is('You'))"),
    "/rota": (lambda page: tick_off(page), "li:has([aria-label='Kitchen: done'])"),
    "/calendar": (lambda page: plan(page, "Picnic"), "li:has-text('Picnic')"),
    "/money": (lambda page: pay(page, "Pizza"), ".bill:has-text('Pizza')"),
    "/chat": (lambda page: write(page, "Nobody hears me"), ".bubble:has-text('Nobody hears me')"),
}


def pin(page, text):
    page.get_by_role("button", name="New note").tap()
    sheet(page).get_by_role("textbox", name="Note").fill(text)
    sheet(page).get_by_role("button", name="Pin it").tap()


def write(page, text):
    page.get_by_role("textbox", name="Write to everybody").fill(text)
    page.get_by_role("button", name="Send").tap()


def watch(page, name):
    page.get_by_role("button", name="Add a supply").tap()
    sheet(page).get_by_label("What should never run out?").fill(name)
    sheet(page).get_by_role("button", name="Watch it").tap()


def eat(page):
    page.get_by_role("group", name="Do you eat at home?").get_by_role("button", name="At home").tap()


def tick_off(page):
    page.get_by_role("button", name="Kitchen: done").tap()


def plan(page, title):
    page.get_by_role("button", name="New event").tap()
    sheet(page).get_by_label("What is it?").fill(title)
    sheet(page).get_by_role("button", name="Add it").tap()


def pay(page, title):
    page.get_by_role("button", name="New bill").tap()
    sheet(page).get_by_label("Amount", exact=True).fill("12.40")
    sheet(page).get_by_label("What for?").fill(title)
    sheet(page).get_by_role("button", name="Add bill").tap()


def add(page, text):
    page.get_by_role("textbox", name="Add an item").fill(text)
    page.get_by_role("textbox", name="Add an item").press("Enter")


def test_without_a_network_every_screen_shows_what_was_seen_and_takes_changes(people, house, flat):
    page = open_home(people("ines", goes_offline=True))
    is_kept(page)
    places = addresses(house, flat.tokens[0])
    seen = {}
    for route, path in places.items():
        visit(page, path)
        seen[route] = page.evaluate(SAID)
    # A change of somebody else is on the device as soon as it is shown.
    visit(page, "/chat")
    flat.kim("chat.send", text="I am at the door")
    expect(page.locator(".bubble", has_text="I am at the door")).to_be_visible()
    go_offline(page)
    page.reload()
    expect(page.locator(".bubble", has_text="I am at the door")).to_be_visible()
    # What the server works out is asked for anew each time; these screens say so.
    asked = ["/chores/statistics", "/special/:id answered", "/money/spending", "/shopping/history"]
    for route in [*asked, "/shopping/purchase/:id"]:
        visit(page, places.pop(route))
        expect(page.get_by_text("only known with a connection")).to_be_visible()
    for route, path in places.items():
        visit(page, path)
        missing = set(seen[route]) - set(page.evaluate(SAID))
        assert not missing, (route, missing)
    expect(page.get_by_text("No connection. What you do is kept")).to_be_visible()
    for path, (change, place) in CHANGES.items():
        visit(page, path)
        change(page)
        expect(page.locator(place).get_by_text("not sent yet")).to_have_count(1)
    # All of it is there after another start, and arrives once when the network is back.
    page.reload()
    expect(page.locator(place).get_by_text("not sent yet")).to_have_count(1)
    visit(page, "/me/changes")
    expect(page.locator("li", has_text="The note “From the cellar”")).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_text("Everything you did has arrived.")).to_be_visible()
    for path, (_, place) in CHANGES.items():
        if path != "/shopping/shop":
            visit(page, path)
            expect(page.locator(place).filter(visible=True)).to_have_count(1)
            expect(page.get_by_text("not sent yet")).to_have_count(0)


def test_what_is_gone_says_so_and_what_was_done_to_it_is_refused_in_words(people, flat):
    page = open_home(people("ines", goes_offline=True))
    note, item = flat.kim("notes.add", text="The plumber comes"), flat.kim("groceries.add", name="Bread")
    share = f"/out/share/{flat.share}"
    visit(page, share)
    expect(page.get_by_role("button", name="I'll pick you up")).to_be_visible()
    visit(page, "/shopping")
    page.get_by_role("button", name="Bread: details").tap()
    go_offline(page)
    # Ines changes what Kim takes away meanwhile.
    sheet(page).get_by_label("Note").fill("the fresh one")
    sheet(page).get_by_role("button", name="Done").tap()
    visit(page, share)
    page.get_by_role("button", name="I'll pick you up").tap()
    page.get_by_role("button", name="I'm there in 10 minutes").tap()
    visit(page, "/")
    page.locator(".board > .note", has_text="The plumber comes").get_by_role("button").tap()
    sheet(page).get_by_role("button", name="Change").tap()
    sheet(page).get_by_role("textbox", name="Note").fill("The plumber comes at nine")
    sheet(page).get_by_role("button", name="Save").tap()
    expect(sheet(page).get_by_text("The plumber comes at nine")).to_be_visible()
    flat.kim("notes.remove", id=note)
    flat.kim("groceries.remove", id=item, sources=[item])
    flat.kim("shares.stop", room=f"share/{flat.share}")
    page.context.set_offline(False)
    expect(sheet(page).get_by_text("This note no longer hangs here.")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Look").tap()
    for what, why in {
        "The note “The plumber comes at nine”": "It is not there any more.",
        "Change Bread": "It is not there any more.",
        "Pick Kim up": "You are not in this any more.",
    }.items():
        one = page.get_by_role("main").get_by_role("listitem").filter(has_text=what)
        expect(one).to_contain_text(why)
        expect(one.get_by_role("button", name="Try again")).to_be_visible()
        expect(one.get_by_role("button", name="Discard")).to_be_visible()
    # The screens concerned say it, too, until one leaves it at that.
    visit(page, share)
    expect(page.get_by_text("Kim has stopped sharing.")).to_be_visible()
    visit(page, "/out")
    expect(page.get_by_text("“Pick Kim up” was not taken")).to_be_visible()
    item = flat.kim("groceries.add", name="Butter")
    visit(page, "/shopping")
    page.get_by_role("button", name="Leave it").tap()
    expect(page.get_by_text("was not taken")).to_have_count(0)
    page.get_by_role("button", name="Butter: details").tap()
    flat.kim("groceries.remove", id=item, sources=[item])
    expect(sheet(page).get_by_text("This is no longer on the list.")).to_be_visible()

