"""One long journey in the other engines: Firefox, and WebKit, the engine of Safari; Chromium has all other tests."""

import pytest
from playwright.sync_api import expect

from conftest import PASSWORD, failures
from pages import go_offline, sheet
from peer import Peer
from webkit import ENTER, webkit

FIREFOX = "/usr/bin/firefox-esr"


@pytest.fixture
def bo(house):
    """Somebody else of the household, on another device."""
    token = house.token("bo")
    with Peer(house.url, token) as peer:
        peer.pin = lambda text: house.call("notes.add", {"room": peer.household, "text": text}, token)
        yield peer


def has_note(text):
    return lambda state: any(note["text"] == text for note in state.get("notes", {}).values())


def has_item(name, is_checked):
    return lambda state: any(
        item["name"] == name and ("checkedAt" in item) == is_checked for item in state.get("groceries", {}).values()
    )


@pytest.fixture
def firefox(playwright):
    browser = playwright.firefox.launch(executable_path=FIREFOX, channel="moz-firefox")
    yield browser
    browser.close()


def test_firefox(device, firefox, house, bo):
    page = device(browser=firefox, base_url=house.url, viewport={"width": 390, "height": 844}).new_page()
    page.goto("/")
    page.get_by_role("button", name="Log in").click()
    page.get_by_label("Email address").fill("ana@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("button", name="Elm Street")).to_be_visible()
    expect(page.locator(".board > .note").first).to_be_visible()
    # A note, which another device sees; and one of theirs, which appears by itself.
    page.get_by_role("button", name="New note").click()
    sheet(page).get_by_role("textbox", name="Note").fill("Pinned by Firefox")
    sheet(page).get_by_role("button", name="Pin it").click()
    room = bo.household
    bo.until(room, has_note("Pinned by Firefox"))
    bo.pin("Seen by Firefox")
    expect(page.locator(".board > .note", has_text="Seen by Firefox")).to_be_visible()
    # Something to buy, bought with one tap.
    page.get_by_role("link", name="Shopping").click()
    page.get_by_role("textbox", name="Add an item").fill("2 Foxgloves")
    page.get_by_role("textbox", name="Add an item").press("Enter")
    bo.until(room, has_item("Foxgloves", False))
    page.locator("li.item", has_text="Foxgloves").locator("label").click()
    bo.until(room, has_item("Foxgloves", True))
    expect(page.get_by_role("list", name="Bought")).to_contain_text("Foxgloves")
    # All of it is there after a reload, also of a page whose server is out of reach.
    page.reload()
    expect(page.get_by_role("list", name="Bought")).to_contain_text("Foxgloves")
    go_offline(page)
    page.goto("/")
    expect(page.locator(".board > .note", has_text="Pinned by Firefox")).to_be_visible()
    page.context.set_offline(False)
    page.goto("/me")
    page.get_by_role("button", name="Log out").click()
    sheet(page).get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", name="Welcome home")).to_be_visible()
    assert page.evaluate("indexedDB.databases().then((all) => all.length)") == 0


def test_webkit(tmp_path, house, bo):
    with webkit(tmp_path, failures() / "test_webkit") as page:
        page.goto(house.url)
        # From here on every error of the page is noted, as the other engines do by themselves.
        page.tap("//button[normalize-space()='Log in']")
        page.evaluate(
            """window.errors = [];
            for (const name of ["error", "unhandledrejection", "securitypolicyviolation"]) {
              addEventListener(name, (event) => {
                errors.push(`${name} ${event.message ?? event.reason ?? event.blockedURI}`);
              });
            }"""
        )
        # The field that wants the focus has it, and cannot get it again while somebody types elsewhere.
        page.find("//input[@type='email']")
        assert page.evaluate("return document.activeElement.type") == "email"
        assert page.evaluate("return document.querySelectorAll('[autofocus]').length") == 0
        page.type("//input[@type='email']", "ana@example.org")
        page.type("//input[@type='password']", PASSWORD)
        page.tap("//form//button[normalize-space()='Log in']")
        page.find("//button[contains(., 'Elm Street')]")
        page.find("//*[contains(@class, 'board')]/*[contains(@class, 'note')]")
        assert {"heading Board", "button New note", "link Shopping"} <= set(page.spoken())
        page.tap("//button[contains(., 'New note')]")
        page.type("//dialog//textarea", "Pinned by WebKit")
        page.tap("//dialog//button[normalize-space()='Pin it']")
        room = bo.household
        bo.until(room, has_note("Pinned by WebKit"))
        bo.pin("Seen by WebKit")
        page.find("//*[contains(@class, 'board')]/*[contains(., 'Seen by WebKit')]")
        page.tap("//nav//a[@href='/shopping']")
        page.type("//input[@aria-label='Add an item']", f"2 Webs{ENTER}")
        bo.until(room, has_item("Webs", False))
        page.tap("//li[contains(@class, 'item')][contains(., 'Webs')]//label")
        bo.until(room, has_item("Webs", True))
        # WebKit alone tells of each view transition that the next one has replaced.
        assert [error for error in page.evaluate("return errors") if "view transition" not in error] == []
        page.reload()
        page.find("//ul[@aria-label='Bought']//*[contains(., 'Webs')]")
        assert page.evaluate("return (await navigator.serviceWorker.ready).active.scriptURL") == f"{house.url}/sw.js"
        page.tap("//nav//a[@href='/']")
        page.find("//*[contains(@class, 'board')]/*[contains(., 'Pinned by WebKit')]")
