"""Few taps: the browser itself counts them. Typing, and the key that ends it, do not count."""

import re

import pytest
from playwright.sync_api import expect

from conftest import PASSWORD
from pages import in_two_hours, open_home, sheet, visit
from peer import Peer

GATE = {"latitude": 52.51631, "longitude": 13.3777, "accuracy": 8}
# Once: a phone that another test has used counts already.
COUNT = """globalThis.taps ??= (() => {
  addEventListener("pointerdown", (event) => {
    if (event.isTrusted && event.isPrimary) sessionStorage.setItem("taps", taps() + 1);
  }, true);
  return () => Number(sessionStorage.getItem("taps") ?? 0);
})();"""


@pytest.fixture
def ana(people):
    page = people("ana", permissions=["geolocation", "clipboard-read", "clipboard-write"], geolocation=GATE)
    page.add_init_script(COUNT)
    open_home(page).evaluate("sessionStorage.removeItem('taps')")
    return page


def taps(page):
    return page.evaluate("taps()")


def add_an_item(page, name):
    page.get_by_role("textbox", name="Add an item").tap()
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    expect(page.locator("li.item", has_text=name)).to_be_visible()


def test_a_note_2(ana):
    ana.get_by_role("button", name="New note").tap()
    # The field has the focus: one can write at once.
    expect(sheet(ana).get_by_role("textbox", name="Note")).to_be_focused()
    ana.keyboard.type("Counted")
    sheet(ana).get_by_role("button", name="Pin it").tap()
    expect(ana.locator(".board > .note", has_text="Counted")).to_be_visible()
    assert taps(ana) == 2


def test_an_item_1_and_to_check_it_1(ana):
    visit(ana, "/shopping")
    add_an_item(ana, "Counted")
    assert taps(ana) == 1
    ana.locator("li.item", has_text="Counted").locator("label").tap()
    expect(ana.get_by_role("list", name="Bought")).to_contain_text("Counted")
    assert taps(ana) == 2


def test_a_chore_done_1(ana, house):
    token = house.token("ana")
    with Peer(house.url, token) as peer:
        chore = {"name": "Counted", "strategy": "fixed", "people": [peer.me], "standing": True}
        house.call("chores.add", {"room": peer.household, "chore": chore}, token)
    visit(ana, "/chores")
    ana.get_by_role("button", name="Done: Counted").tap()
    expect(ana.locator(".snackbar")).to_contain_text("Counted: done")
    assert taps(ana) == 1


def test_an_equal_bill_3(ana):
    ana.get_by_role("navigation").get_by_role("link", name="Money").tap()
    ana.get_by_role("button", name="New bill").tap()
    # The amount has the focus; a keyboard leads on to the words.
    expect(sheet(ana).get_by_label("Amount", exact=True)).to_be_focused()
    ana.keyboard.type("12.40")
    ana.keyboard.press("Tab")
    ana.keyboard.type("Counted")
    sheet(ana).get_by_role("button", name="Add bill").tap()
    expect(ana.get_by_role("main").get_by_role("listitem").filter(has_text="Counted")).to_contain_text("€3.10")
    assert taps(ana) == 3


def test_settling_3(ana, house):
    house.call("auth.setPin", {"pin": "2580", "password": PASSWORD}, house.token("ana"))
    token = house.token("bo")
    with Peer(house.url, house.token("ana")) as peer:
        bill = {"title": "Counted", "amount": 500, "split": {"people": [peer.me]}}
        house.call("bills.add", {"room": peer.household, "bill": bill}, token)
    ana.get_by_role("navigation").get_by_role("link", name="Money").tap()
    ana.get_by_role("button", name=re.compile("^Pay Bo")).tap()
    sheet(ana).get_by_role("button", name="I have paid").tap()
    expect(sheet(ana, "Is it you?")).to_contain_text("You paid Bo €")
    sheet(ana, "Is it you?").get_by_label("Your PIN").fill("2580")
    ana.keyboard.press("Enter")
    expect(ana.get_by_role("list", name="On their way")).to_contain_text("You paid Bo")
    assert taps(ana) == 3


def test_who_eats_tonight_1(ana):
    # On no day of the week it is their usual answer.
    out = ana.get_by_role("group", name="Do you eat at home?").get_by_role("button", name="Elsewhere")
    expect(out).to_have_attribute("aria-pressed", "false")
    out.tap()
    expect(out).to_have_attribute("aria-pressed", "true")
    assert taps(ana) == 1


def test_a_share_3(ana):
    # It is offered as the last one was.
    visit(ana, "/out/new")
    ana.get_by_role("group", name="Who sees it").get_by_role("button", name="Bo").tap()
    ana.get_by_role("button", name=re.compile("^Share with")).tap()
    expect(ana.get_by_role("heading", name="You share where you are")).to_be_visible()
    visit(ana, "/")
    before = taps(ana)
    ana.get_by_role("navigation").get_by_role("link", name="Out").tap()
    ana.get_by_role("link", name=re.compile("Share where I am")).tap()
    ana.get_by_role("button", name=re.compile("^Share with")).tap()
    expect(ana.get_by_role("heading", name="You share where you are")).to_be_visible()
    assert taps(ana) - before == 3


def test_i_pick_you_up_2(ana, house):
    token = house.token("dan")
    with Peer(house.url, house.token("ana")) as peer:
        params = {"receivers": [peer.me], "until": in_two_hours(), "ride": True}
    share = house.call("shares.start", params, token)["id"]
    # As a message leads there: to the screen of the one who walks.
    visit(ana, f"/out/share/{share}")
    ana.get_by_role("button", name="I'll pick you up").tap()
    ana.get_by_role("button", name="I'm there in 10 minutes").tap()
    expect(ana.get_by_role("button", name="I can't come after all")).to_be_visible()
    assert taps(ana) == 2


def test_an_invitation_by_link_2(ana):
    visit(ana, "/household")
    ana.get_by_role("button", name="Invite").tap()
    sheet(ana).get_by_role("button", name="Copy a link").tap()
    expect(ana.get_by_text("The link is copied.").last).to_be_visible()
    assert taps(ana) == 2
