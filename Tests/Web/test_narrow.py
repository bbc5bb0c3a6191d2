"""Screens with nothing on them, and with longer names than anybody has: narrow, with large letters, and wide."""

import pytest
from playwright.sync_api import expect

from conftest import Server
from gallery import PASSWORD as GALLERY_PASSWORD, populate
from pages import PHONE, addresses, sheet, visit

NARROW = {"viewport": {"width": 320, "height": 640}}
# A name may have 64 letters; without a gap, and from right to left.
NAMES = ["W" * 64, "אבגדהוזחטיכלמנסעפצקרשת" * 2, "Ω" * 64, "王" * 64, "Maximiliane von Hohenstein-Wittgenstein"]
# The words of a screen of somebody who has just come.
EMPTY = {
    "/out": "When somebody shares where they are with you",
    "/out/new": "Nobody can see where you are until",
    "/out/map": "Nobody is on the map yet.",
    "/out/share/00000000-0000-4000-8000-000000000000": "This share is over.",
    "/contacts": "Friends and family",
    "/me/changes": "Everything you did has arrived.",
}
# The parts that reach out of the screen, for the message of a failure.
WIDER = """() => [...document.querySelectorAll("main *")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !one.closest("svg, .unseen"))
  .map((one) => one.outerHTML.slice(0, 120)).slice(0, 3)"""

# Words that do not fit into their box, or lie outside what is seen; those that end in "…" are meant to.
CUT = """() => [...document.querySelectorAll("body *")].filter((one) => {
  if (one.closest("svg, .unseen, .skip, option, [aria-hidden]") || !one.checkVisibility()) return false;
  if (![...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())) return false;
  const { display, textOverflow, webkitLineClamp } = getComputedStyle(one);
  if (textOverflow === "ellipsis" || webkitLineClamp !== "none") return false;
  if (display !== "inline" && one.scrollWidth > one.clientWidth + 1) return true;
  const { left, right } = one.getBoundingClientRect();
  for (let box = one; box; box = box.parentElement) {
    const { overflowX, textOverflow, webkitLineClamp } = getComputedStyle(box);
    if (overflowX === "auto" || overflowX === "scroll") return false;
    if (textOverflow === "ellipsis" || webkitLineClamp !== "none") return false;
    if (overflowX === "visible") continue;
    const edge = box.getBoundingClientRect();
    if (left < edge.left - 1 || right > edge.right + 1) return true;
  }
  return left < -1 || right > innerWidth + 1;
}).map((one) => one.outerHTML.slice(0, 120)).slice(0, 5)"""
# Words of such elements that are broken, though they are no longer than words of a language.
BROKEN = """(selector) => [...document.querySelectorAll(selector)].flatMap((one) => {
  if (!one.checkVisibility()) return [];
  const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT), broken = [];
  while (texts.nextNode()) {
    for (const word of texts.currentNode.data.matchAll(/(?<!\\p{L})\\p{L}{2,16}(?!\\p{L})/gu)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, word.index);
      range.setEnd(texts.currentNode, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) broken.push(word[0]);
    }
  }
  return broken;
})"""
# The width and height of a window, and the size of its letters: WCAG asks for 320 pixels, and for 200 % on a wider one.
SIZES = [(320, 640, ""), (320, 568, "150%"), (780, 844, "200%"), (1280, 800, "")]


def is_too_wide(page):
    return page.evaluate("document.documentElement.scrollWidth > innerWidth")


def test_empty_screens_say_what_comes_there(newcomer):
    page = newcomer("Nora", **NARROW)
    for path, words in EMPTY.items():
        visit(page, path)
        expect(page.get_by_text(words).first).to_be_visible()
        assert not is_too_wide(page), path


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """A server with a household whose people have extreme names, and the token of the first one."""
    server = Server(tmp_path_factory.mktemp("crowd") / "data", sample=False)
    tokens = populate(server)
    for token, name in zip(tokens, NAMES, strict=True):
        server.call("profile.update", {"name": name}, token)
    yield server, tokens[0]
    server.kill()


def test_long_names_and_large_letters_fit_on_every_screen(device, crowd):
    server, token = crowd
    # German has the longer words.
    page = device(base_url=server.url, **{**PHONE, **NARROW, "locale": "de-DE"}).new_page()
    page.goto("/login")
    page.locator("[name=email]").fill("person0@example.org")
    page.locator("[name=password]").fill(GALLERY_PASSWORD)
    page.locator("form button[type=submit]").click()
    expect(page.locator(".board > .note").first).to_be_visible()
    window, wrong = page.context.new_cdp_session(page), {}
    for route, path in addresses(server, token).items():
        visit(page, path)
        for width, height, letters in SIZES:
            size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            window.send("Emulation.setDeviceMetricsOverride", size)
            page.evaluate("(size) => void (document.documentElement.style.fontSize = size)", letters)
            if is_too_wide(page):
                wrong[route, width] = page.evaluate(WIDER)
            elif letters and (cut := page.evaluate(CUT)):
                wrong[route, width] = cut
            # Some long words find no room when both are at their extremes.
            elif (width > 320 or not letters) and (broken := page.evaluate(BROKEN, "h1, h2, .tabs span")):
                wrong[route, width] = broken
    assert wrong == {}, wrong
    # A wide window shows side by side what a phone shows one below the other.
    visit(page, "/")
    board, side = (page.locator(one).bounding_box() for one in (".board", ".beside:visible"))
    assert board["x"] + board["width"] <= side["x"] and side["y"] < board["y"] + board["height"]
    # Members can be told apart by their colours, too.
    visit(page, "/household")
    faces = page.locator(".rows .avatar").filter(visible=True)
    expect(faces).to_have_count(len(NAMES))
    hues = faces.evaluate_all("(all) => all.map((one) => one.style.getPropertyValue('--hue'))")
    assert len(set(hues)) == len(NAMES), hues
    # On a phone a button stands below an address that needs the line, and no button breaks a word.
    page.set_viewport_size(PHONE["viewport"])
    opened = page.get_by_role("region", name="Offene Einladungen").get_by_role("listitem").first
    words, button = opened.locator(".row-words").bounding_box(), opened.get_by_role("button").bounding_box()
    assert words["y"] + words["height"] <= button["y"], (words, button)
    opened.get_by_role("button", name="Zurücknehmen").click()
    expect(sheet(page)).to_be_visible()
    assert page.evaluate(BROKEN, ".sheet .buttons button") == []
    page.keyboard.press("Escape")
    # On the map a long name is cut, so that the map can show where it belongs.
    page.goto("/out/map")
    expect(page.locator(".map-label", has_text="Maximiliane v… · ")).to_be_visible()


def test_in_a_low_window_a_sheet_shows_how_to_send_it_and_a_map_leaves_room_to_scroll(people, house):
    places = addresses(house, house.token("ana"))
    page = people("ana", viewport={"width": 740, "height": 360})
    visit(page, "/")
    # As on a phone that is held sideways, or above a keyboard.
    for path, opens, sends in [("/", "New note", "Pin it"), ("/money", "New bill", "Add bill")]:
        visit(page, path)
        page.get_by_role("button", name=opens).tap()
        expect(sheet(page).get_by_role("button", name=sends)).to_be_in_viewport(ratio=1)
        page.keyboard.press("Escape")
    for route in ["/out/share/:id of mine", "/out/share/:id", "/out/map"]:
        visit(page, places[route])
        assert page.locator(".map-frame").filter(visible=True).first.bounding_box()["height"] <= 180, route
