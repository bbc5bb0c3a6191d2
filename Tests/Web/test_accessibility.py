"""axe on every screen and every sheet: WCAG 2.0 to 2.2, A and AA; light, dark, narrow and wide. And without a mouse."""

import json
import re
import urllib.request

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import expect

from conftest import PASSWORD
from pages import addresses, in_two_hours, open_home, phone, regular_money, routes, sheet, visit
from peer import Peer

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


# In the sheet, if there is one: nothing else can be reached, and it was looked at without the sheet.
FIND = """async (how) => (await axe.run(document.querySelector("dialog:popover-open") ?? document, how)).violations.map(
  ({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html.slice(0, 160))],
)"""


def violations(page, rules: list):
    # A document needs it once; and only of faults all elements are named, which takes most of its time. Nothing is
    # loaded for it: no rule of ours looks at sounds or at the style sheets themselves.
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    return page.evaluate(FIND, {"runOnly": rules, "resultTypes": ["violations"], "preload": False})


def small_targets(page):
    """Everything that can be tapped and is smaller than 44 pixels; links inside sentences may be (2.5.8)."""
    return page.evaluate("""() => [...document.querySelectorAll("button, a[href], input, select, textarea, summary")]
      .filter((one) => one.checkVisibility({ checkOpacity: false }) && !one.closest(".unseen") && !one.matches(".skip"))
      .map((one) => [one, (one.closest("label") ?? one).getBoundingClientRect()])
      .filter(([, box]) => box.width > 0 && (box.width < 43.5 || box.height < 43.5))
      .map(([one, box]) => `${one.outerHTML.slice(0, 120)} ${Math.round(box.width)} x ${Math.round(box.height)}`)""")


def too_wide(page):
    return ["wider than the screen"] if page.evaluate("document.documentElement.scrollWidth > innerWidth") else []


def yet_to_appear(page):
    """Words that an animation holds back for long. Others wait for a text, so they would not notice."""
    return page.evaluate("""() => document.getAnimations()
      .filter((one) => one.playState === "running" && one.effect.getTiming().delay > 1000)
      .map((one) => `${one.effect.target.outerHTML.slice(0, 120)} comes late`)""")


def problems(page):
    """The faults of a page at the size of a phone, in the dark scheme, and at other sizes."""
    size = page.viewport_size
    found = {"phone": yet_to_appear(page) + small_targets(page) + too_wide(page)}
    page.emulate_media(color_scheme="dark")
    found["dark"] = violations(page, ["color-contrast"])
    page.emulate_media(color_scheme="light")
    # The pocket screen fills the phone, which then has no other size.
    page.evaluate("document.fullscreenElement && document.exitFullscreen()")
    for name, other in {"wide": {"width": 1280, "height": 800}, "narrow": {"width": 320, "height": 844}}.items():
        page.set_viewport_size(other)
        found[name] = small_targets(page) + too_wide(page)
    # All rules, once: where there is least room for a target, and most lies outside of what is seen.
    found["narrow"] += violations(page, RULES)
    page.set_viewport_size(size)
    return {look: wrong for look, wrong in found.items() if wrong}


@pytest.fixture(scope="module")
def places(house):
    """All addresses of the page, with things of the household in them."""
    token = house.token("ana")
    with Peer(house.url, token) as ana:
        regular_money(house, house.token("bo"), PASSWORD, ana.household, [ana.me])
    return addresses(house, token)


def test_every_route_is_among_the_addresses(house, places):
    more = {"/nowhere", "/out/share/:id of mine", "/special/:id answered"}
    assert routes(house) == set(places) - more


def test_every_address_opens_on_a_device_that_was_never_here(house, places):
    for route, path in places.items():
        with urllib.request.urlopen(house.url + path) as answer:
            assert answer.headers["Content-Type"].startswith("text/html"), route


def test_screens(people, places):
    page = open_home(people("ana"))
    found = {}
    for route, path in places.items():
        visit(page, path)
        if route == "/shopping/item/:id":
            is_open(page)
        if wrong := problems(page):
            found[route] = wrong
    assert found == {}, json.dumps(found, indent=1)


def is_open(page):
    """Waits until a sheet is open, and nothing else can be reached."""
    expect(sheet(page).first).to_be_visible()
    expect(page.locator("main")).to_have_js_property("inert", True)


# The route, and the button or link that opens a sheet there.
SHEETS = [
    ("/", ("button", "New note")),
    ("/", ("css", ".board > .note button")),
    ("/", ("css", ".switcher")),
    ("/", ("key", "?")),
    ("/dinner", ("button", "Bo")),
    ("/dinner", ("css", ".evenings .row")),
    ("/dinner", ("button", "Your usual week")),
    ("/dinner", ("button", "Who has cooked")),
    ("/drinks", ("button", "Bought some")),
    ("/drinks", ("button", "Beer: ")),
    ("/drinks", ("button", "Settle")),
    ("/drinks", ("button", "Earlier periods")),
    ("/calendar", ("button", "New event")),
    ("/calendar", ("button", "Choir")),
    ("/calendar", ("button", "In another calendar")),
    ("/special/:id answered", ("button", "Call it off")),
    ("/chat", ("css", ".bubble")),
    ("/household", ("button", "Invite")),
    ("/household", ("button", "Bo")),
    ("/household", ("button", "Leave this household")),
    ("/household", ("button", "Dissolve this household")),
    ("/contacts", ("button", "Add")),
    ("/me", ("button", "Log out")),
    ("/me/security", ("button", "Email address")),
    ("/me/security", ("button", "Change password")),
    ("/me/security", ("button", "PIN")),
    ("/me/security", ("button", "This device")),
    ("/me/delete", ("button", "Delete my account")),
    ("/shopping", ("css", "li.item button[aria-label$=details]")),
    ("/shopping", ("button", "Lists and more")),
    ("/shopping/purchase/:id", ("button", "Change")),
    ("/shopping/stock", ("button", "Add a supply")),
    ("/chores", ("button", "New chore")),
    ("/chores/chore/:id", ("button", "Later")),
    ("/chores/chore/:id", ("button", "Done, and more")),
    ("/chores/chore/:id", ("button", "Change the chore")),
    ("/chores/chore/:id", ("button", "Delete the chore")),
    ("/money", ("button", "New bill")),
    ("/money/bill/:id", ("button", "Change")),
    ("/money/with/:id", ("button", "I have got")),
    ("/money/recurring", ("button", "New regular bill")),
    ("/money/recurring", ("button", "Change")),
    ("/money/requests", ("button", "Ask for money")),
    ("/money/requests", ("button", "Decline")),
    ("/out", ("button", "Ask somebody where they are")),
    ("/out/new", ("button", "New place")),
    ("/out/share/:id", ("button", "Directions")),
    ("/out/share/:id", ("button", "Stop watching")),
    ("/out/share/:id of mine", ("css", "button:is(:text('Stop sharing'), :text('Ask to stop'))")),
]


# Remembers the fields and choices of a sheet.
HOLD = """() => {
  const top = [...document.querySelectorAll(".sheet")].at(-1);
  window.held = [...top.querySelectorAll("input, select, textarea, [aria-pressed]")];
}"""
TAKEN = "() => held.filter((one) => !one.isConnected).map((one) => one.outerHTML.slice(0, 160))"


def test_sheets(people, house, places):
    page = open_home(people("ana"))
    found = {}
    with Peer(house.url, house.token("bo")) as bo:
        room = bo.household
    for route, (kind, name) in SHEETS:
        visit(page, places[route])
        if kind == "key":
            page.keyboard.press(name)
        elif kind == "css":
            page.locator(name).filter(visible=True).first.click()
        else:
            page.get_by_role(kind, name=name).first.click()
        is_open(page)
        # A change by another member must not replace a field in which this one types.
        page.evaluate(HOLD)
        house.call("chat.send", {"room": room, "text": name}, house.token("bo"))
        if wrong := problems(page):
            found[f"{route} {name}"] = wrong
        if taken := page.evaluate(TAKEN):
            found[f"{route} {name}, taken away"] = taken
        page.keyboard.press("Escape")
        expect(sheet(page)).to_have_count(0)
    assert found == {}, json.dumps(found, indent=1)


def test_rows_that_are_selected(people, places):
    page = open_home(people("ana"))
    visit(page, places["/shopping"])
    boxes = page.locator("li.item").get_by_role("checkbox")
    boxes.first.focus()
    page.keyboard.press("x")
    boxes.nth(1).focus()
    page.keyboard.press("x")
    expect(page.get_by_role("group", name="Select several")).to_contain_text("2 selected")
    assert problems(page) == {}


def test_before_the_log_in(device, site):
    page = phone(device, site)
    found = {}
    for path in ["/", "/signup", "/login", "/forgot", "/join#ABCDEFGHJK"]:
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        if wrong := problems(page):
            found[path] = wrong
    assert found == {}, json.dumps(found, indent=1)


def test_the_focus_goes_on_from_where_something_was(people, house):
    token = house.token("ana")
    with Peer(house.url, token) as ana:
        room = ana.household
    for name in ["Basil", "Chives"]:
        house.call("groceries.add", {"room": room, "name": name}, token)
    page = open_home(people("ana"))
    box = {name: page.locator("li.item", has_text=name).get_by_role("checkbox") for name in ["Basil", "Chives"]}
    visit(page, "/shopping")
    # The row moves to the list of what is bought. The newest row was the first one.
    box["Chives"].focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("list", name="Bought")).to_contain_text("Chives")
    expect(box["Basil"]).to_be_focused()
    # A key takes the change back, and a screen reader hears of it.
    page.keyboard.press("u")
    expect(page.get_by_role("list", name="Bought").get_by_text("Chives")).to_have_count(0)
    expect(page.get_by_role("status").filter(has_text="Taken back: ")).to_have_count(1)
    # The control that opened the sheet is gone.
    visit(page, "/")
    notes = page.locator(".board > .note button")
    notes.first.press("Enter")
    sheet(page).get_by_role("button", name="Change").press("Enter")
    expect(sheet(page).get_by_role("textbox", name="Note")).to_be_focused()
    sheet(page).get_by_role("button", name="Cancel").press("Enter")
    sheet(page).get_by_role("button", name="Take down").press("Enter")
    expect(sheet(page)).to_have_count(0)
    expect(notes.first).to_be_focused()
    visit(page, "/household")
    page.get_by_role("button", name="Invite").press("Enter")
    sheet(page).get_by_role("button", name="Show a code").press("Enter")
    expect(sheet(page).locator(".code")).to_be_visible()
    assert page.evaluate("document.activeElement.closest('dialog') !== null")


def test_a_screen_reader_hears_of_what_others_see(people, house):
    page = open_home(people("ana"))

    def hears(text):
        # Behind a sheet, too: what is inert is not read.
        expect(page.locator(".unseen[role=status]:not([inert])").filter(has_text=text)).to_have_count(1)

    page.keyboard.press("n")
    text = sheet(page).get_by_role("textbox", name="Note")
    sheet(page).get_by_role("button", name="Pin it").press("Enter")
    expect(text).to_have_attribute("aria-invalid", "true")
    hears("Please fill this in.")
    text.fill("The lift is broken")
    expect(text).not_to_have_attribute("aria-invalid", "true")
    sheet(page).get_by_role("button", name="Pin it").press("Enter")
    hears("The note hangs on the board.")
    visit(page, "/household")
    page.get_by_role("button", name="Invite").press("Enter")
    sheet(page).get_by_role("button", name="Show a code").press("Enter")
    code = sheet(page).locator(".code").inner_text()
    hears(f"Or tell them this code: {code}")
    # The focus is in the field already, and a reader would say nothing of a fault.
    sheet(page).get_by_label("Their email address").press_sequentially("kim")
    page.keyboard.press("Enter")
    hears("This does not look like an email address.")
    page.keyboard.press("Escape")
    bo = house.token("bo")
    with Peer(house.url, bo) as peer:
        house.call("chat.send", {"room": peer.household, "text": "Is anybody home?"}, bo)
        hears("in the chat")
        visit(page, "/chat")
        house.call("chat.send", {"room": peer.household, "text": "Use the stairs"}, bo)
        hears("Bo: Use the stairs")
        house.call("notes.add", {"room": peer.household, "text": "Mind the step"}, bo)
        hears("Bo pinned a note")
    # A share of its own: other tests look at the one that Dan has.
    with Peer(house.url, house.token("dan")) as dan:
        share = dan.call("shares.start", receivers=dan.mates("Ana"), until=in_two_hours(), stop="notify")["id"]
        visit(page, f"/out/share/{share}")
        expect(page.get_by_role("heading", name="Dan")).to_be_visible()
        dan.call("shares.stop", room=f"share/{share}")
    hears("This share is over.")
    # Lines come in turn, and stay for seconds: the end would stand before the note.
    cleo = house.token("cleo")
    with Peer(house.url, cleo) as peer:
        house.call("notes.add", {"room": peer.household, "text": "Dan is back"}, cleo)
        hears("Cleo pinned a note")
    spoken = " ".join(page.locator(".unseen[role=status]").all_inner_texts())
    assert "no longer shares" not in spoken, spoken


# The mark of the focus is at the element, or around the field that it is a part of.
IS_SEEN = """() => {
  const one = document.activeElement;
  const isMarked = [one, one.parentElement, one.closest("label"), one.closest("form")].some((near) => {
    const { outlineStyle, outlineWidth } = near ? getComputedStyle(near) : {};
    return near && outlineStyle !== "none" && parseFloat(outlineWidth) > 0;
  });
  return one === document.body || (one.matches(":focus-visible") && isMarked) ? "" : one.outerHTML.slice(0, 200);
}"""


def tab_to(page, wanted):
    """Goes on with Tab until the focus is there; on its way it must always be seen where it is."""
    expect(wanted).to_be_visible()
    for _ in range(80):
        if wanted.evaluate("(one) => one === document.activeElement"):
            return
        page.keyboard.press("Tab")
        assert page.evaluate(IS_SEEN) == ""
    raise AssertionError(f"Tab does not reach {wanted}")


def press(page, wanted, key="Enter"):
    tab_to(page, wanted)
    page.keyboard.press(key)


def test_a_journey_by_keyboard_alone(device, site):
    page = device(base_url=site, viewport={"width": 1280, "height": 800}, locale="en-GB").new_page()
    page.goto("/")
    press(page, page.get_by_role("button", name="Log in"))
    for label, text in [("Email address", "ana@example.org"), ("Password", PASSWORD)]:
        tab_to(page, page.get_by_label(label, exact=True))
        page.keyboard.type(text)
    page.keyboard.press("Enter")
    # The board: a note is pinned, read and taken down.
    press(page, page.get_by_role("button", name="New note"))
    expect(sheet(page).get_by_role("textbox", name="Note")).to_be_focused()
    page.keyboard.type("Pinned without a mouse")
    press(page, sheet(page).get_by_role("button", name="Pin it"))
    note = page.locator(".board > .note", has_text="Pinned without a mouse")
    press(page, note.get_by_role("button"))
    press(page, sheet(page).get_by_role("button", name="React with 👍"), "Space")
    expect(note).to_contain_text("👍 1")
    press(page, sheet(page).get_by_role("button", name="Take down"))
    expect(note).to_have_count(0)
    # Shopping: something is written down, and bought.
    press(page, page.get_by_role("navigation").get_by_role("link", name="Shopping"))
    tab_to(page, page.get_by_role("textbox", name="Add an item"))
    page.keyboard.type("Keys")
    page.keyboard.press("Enter")
    press(page, page.locator("li.item", has_text="Keys").get_by_role("checkbox"))
    expect(page.get_by_role("list", name="Bought")).to_contain_text("Keys")
    # After it is taken back, the focus is where the change had left it.
    box = page.evaluate_handle("document.activeElement")
    press(page, page.get_by_role("button", name="Undo"))
    expect(page.locator("li.item.bought", has_text="Keys")).to_have_count(0)
    assert page.evaluate("(box) => document.activeElement === box", box)
    # The way home: Dan is seen on the map, and offered a ride.
    press(page, page.get_by_role("navigation").get_by_role("link", name="Out"))
    press(page, page.get_by_role("main").get_by_role("link", name="Dan").first)
    expect(page.get_by_role("heading", name="Dan")).to_be_focused()
    press(page, page.get_by_role("button", name="Back"))
    expect(page.get_by_role("main").get_by_role("link", name="Dan").first).to_be_focused()
    # A question is answered with Escape, and the focus is back where it was.
    press(page, page.get_by_role("link", name="Your account"))
    press(page, page.get_by_role("button", name="Log out"))
    expect(sheet(page)).to_have_accessible_description(re.compile("^(Nothing is lost|You share where you are)"))
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Log out")).to_be_focused()
    page.keyboard.press("Enter")
    press(page, sheet(page).get_by_role("button", name="Log out"))
    expect(page.get_by_role("heading", name="Welcome home")).to_be_visible()
