"""axe on the screens of people and households: WCAG 2.0 to 2.2, A and AA; light, dark and narrow."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from pages import sheet

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
PATHS = [
    "/", "/chat", "/activity", "/inbox", "/household", "/household/settings", "/household/away", "/start", "/contacts",
    "/me", "/me/profile", "/me/notifications", "/me/security", "/me/look", "/me/changes", "/me/delete", "/nowhere",
]
LOOKS = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "narrow": {"viewport": {"width": 320, "height": 640}},
    "wide": {"viewport": {"width": 1280, "height": 800}, "has_touch": False},
}


def violations(page):
    found = Axe().run(page, options=RULES).response["violations"]
    return [(one["id"], [node["html"][:160] for node in one["nodes"]][:3]) for one in found]


def small_targets(page):
    """What can be tapped and is smaller than 44 pixels; links inside sentences may be (2.5.8)."""
    return page.evaluate("""() => [...document.querySelectorAll("button, a[href], input, select, textarea, summary")]
      .filter((one) => one.checkVisibility({ checkOpacity: false }) && !one.closest(".unseen") && !one.matches(".skip"))
      .map((one) => [one, (one.closest("label") ?? one).getBoundingClientRect()])
      .filter(([, box]) => box.width > 0 && (box.width < 43.5 || box.height < 43.5))
      .map(([one, box]) => `${one.outerHTML.slice(0, 120)} ${Math.round(box.width)} x ${Math.round(box.height)}`)""")


@pytest.mark.parametrize("look", LOOKS)
def test_screens(people, look):
    page = people("ana", **LOOKS[look])
    found = {}
    for path in PATHS:
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        wrong = violations(page) + small_targets(page)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wrong.append("wider than the screen")
        if wrong:
            found[path] = wrong
    assert found == {}


def test_sheets(people):
    page = people("ana")
    found = {}
    for path, button in [("/", "New note"), ("/household", "Invite"), ("/household", "Bo"), ("/me/security", "PIN")]:
        page.goto(path)
        page.get_by_role("button", name=button).first.click()
        expect(sheet(page)).to_be_visible()
        if wrong := violations(page) + small_targets(page):
            found[f"{path} {button}"] = wrong
    assert found == {}


@pytest.mark.parametrize("path", ["/", "/signup", "/login", "/forgot"])
def test_before_the_log_in(device, site, path):
    page = device(base_url=site, viewport={"width": 320, "height": 640}).new_page()
    page.goto(path)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert violations(page) + small_targets(page) == []
