"""What the tests of several screens do with a page."""

import uuid

from playwright.sync_api import expect

PHONE = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "locale": "en-GB",
    "timezone_id": "Europe/Berlin",
}
NEW_PASSWORD = "a sentence of my own"


def address(name: str) -> str:
    return f"{name.lower()}.{uuid.uuid4().hex[:8]}@example.org"


def open_home(page):
    page.goto("/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    return page


def newcomer(device, site, name, path="/", **options):
    """A page of somebody who has just made an account; `page.email` is their address."""
    page = device(base_url=site, **{**PHONE, **options}).new_page()
    page.email = address("new")
    page.goto(path)
    page.get_by_role("button", name="Create an account").click()
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Email address").fill(page.email)
    page.get_by_label("Password", exact=True).fill(NEW_PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("navigation", name="Main parts")).to_be_visible()
    return page


def found(page, name):
    """Founds a household."""
    page.get_by_label("Name of the household").fill(name)
    page.get_by_role("button", name="Begin", exact=True).click()
    expect(page.get_by_role("button", name=name)).to_be_visible()


def sheet(page, title=None):
    return page.get_by_role("dialog", name=title) if title else page.get_by_role("dialog")


def back(page):
    page.get_by_role("button", name="Back").click()


def join_link(page) -> str:
    """The link that the page of a member makes."""
    page.goto("/household")
    page.get_by_role("button", name="Invite").click()
    page.get_by_role("button", name="Show a code").click()
    code = sheet(page).locator(".code").inner_text().replace(" ", "")
    return f"/join#{code}"
