"""Screens as few people see them: a house that is full, one that is empty, the first load, and rights that are lost."""

import re

import pytest
from playwright.sync_api import expect

from conftest import PASSWORD, Server
from pages import PHONE, found, join_link, mate, newcomer, open_home, sheet, token_of
from peer import Peer

LONG = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen"
NAMES = ["W" * 64, "מקסימיליאן־אלכסנדר בן־דוד הארוך מאוד", "王小明王小明王小明王小明王小明王小明", f"{LONG} Jr."]


@pytest.fixture(scope="module")
def full(house):
    """A household with as many notes and items as the server takes, and with names that need all their room."""
    with Peer(house.url, token_of(house, "ana")) as ana:
        room = ana.household
        code = ana.call("joinCodes.create", room=room)["code"]
        for number, name in enumerate(NAMES):
            account = {"email": f"long{number}@example.org", "password": PASSWORD, "name": name}
            token = house.call("auth.signUp", account)["token"]
            house.call("households.join", {"code": code}, token)
            house.call("chat.send", {"room": room, "text": f"{name}{name}"}, token)
            house.call("notes.add", {"room": room, "text": name * 3}, token)
        state = ana.state(room)
        notes = range(len(state["notes"]), 200)
        ana.call_all("notes.add", [{"room": room, "text": f"{number} {LONG}"} for number in notes])
        ana.call_all("groceries.add", [
            {"room": room, "name": f"{LONG} {number}", "quantity": 1000 + number, "unit": "W" * 16, "note": LONG}
            for number in range(len(state["groceries"]), 500)
        ])
    return house


# The screens, and words that each of them has in a full household.
FULL = {
    "/": NAMES[3],
    "/chat": NAMES[2],
    "/activity": "pinned a note",
    "/inbox": "has moved in",
    "/household": NAMES[0],
    "/household/settings": "Notes usually hang for",
    "/household/away": "Who stands in for you?",
    "/start": "Another household",
    "/shopping": LONG,
    "/shopping/shop": LONG,
}


def fits(page):
    """Nothing is wider than the screen, read from the left or from the right."""
    for direction in ["rtl", "ltr"]:
        page.evaluate("(to) => void (document.documentElement.dir = to)", direction)
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{page.url} {direction}: {wide} pixels too wide"


def test_a_full_household_fits_320_pixels(people, full):
    ana = people("ana", viewport={"width": 320, "height": 640})
    for path, words in FULL.items():
        ana.goto(path)
        expect(ana.get_by_role("heading", level=1)).to_be_visible()
        expect(ana.get_by_role("main")).to_contain_text(words)
        fits(ana)
    # One thing more is refused, and said in words.
    open_home(ana)
    ana.get_by_role("button", name="New note").tap()
    sheet(ana).get_by_role("textbox", name="Note").fill("One too many")
    sheet(ana).get_by_role("button", name="Pin it").tap()
    ana.get_by_role("link", name="Look").tap()
    expect(ana.get_by_text("The board is full. Take a note down first.")).to_be_visible()
    fits(ana)


def test_an_empty_household_says_what_will_be_there(device, site):
    ines = newcomer(device, site, "Ines", viewport={"width": 320, "height": 640})
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
    }.items():
        ines.goto(path)
        expect(ines.get_by_role("main")).to_contain_text(words)
        fits(ines)


@pytest.mark.parametrize("path", ["/household/settings", "/household/away", "/chat"])
def test_the_first_load_shows_grey_lines_and_then_everything(people, full, path):
    ana = people("ana")
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


def test_rights_that_are_lost_while_a_screen_is_open(device, site):
    ines = newcomer(device, site, "Ines")
    found(ines, "Lime Tree")
    kim = mate(device, site, join_link(ines), "Kim", "Lime Tree")
    # Kim becomes host while Ines has the settings open in another tab.
    settings = ines.context.new_page()
    settings.goto("/household/settings")
    expect(settings.get_by_label("Name of the household")).to_be_enabled()
    ines.keyboard.press("Escape")
    ines.get_by_role("button", name=re.compile("^Kim")).click()
    sheet(ines).get_by_role("button", name="Make host").click()
    sheet(ines).get_by_role("button", name="Make host").click()
    expect(settings.get_by_text("Only the host changes these.")).to_be_visible()
    expect(settings.get_by_label("Name of the household")).to_be_disabled()
    expect(ines.get_by_role("button", name="Dissolve this household")).to_have_count(0)
    # Ines is removed with a sheet open and with the chat open: nothing of the household stays.
    settings.goto("/chat")
    settings.get_by_role("textbox", name="Write to everybody").fill("half a thought")
    ines.get_by_role("button", name="Invite").click()
    kim.goto("/household")
    kim.get_by_role("button", name=re.compile("^Ines")).click()
    sheet(kim).get_by_role("button", name="Remove").click()
    sheet(kim, "Remove Ines?").get_by_role("button", name="Remove").click()
    for page in (ines, settings):
        expect(page.get_by_role("heading", name="Who do you live with?")).to_be_visible()
        expect(sheet(page)).to_have_count(0)
