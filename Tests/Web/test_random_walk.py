"""Two members do at random what the page offers: nothing may break, and in the end both phones agree with the server.

The members tap, type, go back, lose the network and reload, and the server is killed. WALK_SECONDS sets the length of
the walks; WALK_SEED repeats the choices of a walk, but not its timing. `script/random-walk` runs long walks.
"""

import os
import random
import re
import time

import pytest
from playwright.sync_api import Error, expect

from pages import addresses, open_home
from peer import Peer

SECONDS = float(os.environ.get("WALK_SECONDS", "10"))
SEED = int(os.environ.get("WALK_SEED") or random.randrange(1 << 32))
TEXTS = ["Milk", "2 l milk", "12.50", "12,50", "0", "-5", "1e9", "3.333", "9999999999", "  ", "a" * 300, "<b>bold</b>"]
TEXTS += ["🥛", "牛奶两瓶", "שלום לכולם"]
# Values for fields of a kind; any other field gets a text.
VALUES = {
    "date": ["", "2027-02-28", "2026-12-24", "1999-12-31"],
    "time": ["", "00:00", "18:30", "23:59"],
    "datetime-local": ["", "2027-02-28T18:30"],
    "number": ["", "0", "-5", "3", "12.5", "1e9"],
    "email": ["", "nobody", "cleo@example.org"],
}
KEYS = ["Escape", "Enter", " ", "ArrowDown", "n", "/", "g", "s", "u", "x", "?"]
# These controls end a session or a membership, which the end of a walk needs. A walk may change its language.
NOT = re.compile(
    "log .*out|delete my account|leave this household|dissolve|^remove$"
    "|abmelden|mein konto löschen|diesen haushalt verlassen|auflösen|^entfernen$"
)
# These words are faults of the page. Inside a sentence, the reader is called "you".
SENSELESS = re.compile(
    r"\b(undefined|null|NaN|Infinity)\b|\[object|Invalid Date|\{[a-z]\w*\}|(?<=[a-zäöüß] )(You|Du|Somebody)\b"
)

# Finds the controls of the screen, or of the sheet over it.
LOOK = """() => {
  const top = [...document.querySelectorAll(".sheet")].at(-1) ?? document.body;
  window.things = [...top.querySelectorAll("button, a[href], input, select, textarea, summary")].filter((one) =>
    one.checkVisibility({ visibilityProperty: true }) && !one.closest("[inert]") && !one.disabled &&
    !(one.localName === "a" && one.origin !== location.origin));
  return {
    things: things.map((one) => [one.localName, one.type ?? "", (one.ariaLabel ?? one.textContent).slice(0, 60)]),
    path: location.pathname,
    words: document.body.innerText,
    width: document.documentElement.scrollWidth - innerWidth,
    sheets: document.querySelectorAll(".sheet").length,
  };
}"""
ACT = """([at, value]) => {
  const one = things[at];
  if (!one?.isConnected) return;
  if (value === null) return one.click();
  one.focus();
  if (one.localName === "select") one.selectedIndex = value % one.options.length;
  else one.value = value;
  for (const type of ["input", "change"]) one.dispatchEvent(new Event(type, { bubbles: true }));
}"""
FOLLOW = """(path) => {
  const link = document.body.appendChild(document.createElement("a"));
  link.href = path;
  link.click();
  link.remove();
}"""
# Reads the documents that the phone stores, and the number of changes that wait for an answer.
KEPT = """() => new Promise((done, fail) => {
  const opening = indexedDB.open("hearth");
  opening.onerror = () => fail(opening.error);
  opening.onsuccess = () => {
    const reading = opening.result.transaction(["queue", "rooms"]);
    const [queue, rooms] = ["queue", "rooms"].map((name) => reading.objectStore(name).getAll());
    reading.oncomplete = () => {
      opening.result.close();
      done({ rooms: rooms.result, waiting: queue.result.filter(({ error }) => !error).length });
    };
  };
})"""
# Waits until the page has drawn the effect of an action; a hidden page draws nothing.
DRAWN = """() => new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(done));
  setTimeout(done, 300);
})"""


class Walker:
    """A member with a phone, who acts at random."""

    def __init__(self, name: str, page, server, places: list, chance: random.Random):
        self.name, self.page, self.server, self.places, self.chance = name, page, server, places, chance
        self.is_offline = False
        # The last acts, to be printed with a fault.
        self.trail = []

    def step(self):
        # In every hundred acts.
        acts = {self.use: 84, self.go: 6, self.back: 4, self.lose_network: 2, self.reload: 2, self.press: 2}
        [act] = self.chance.choices(list(acts), acts.values())
        try:
            act()
            self.page.evaluate(DRAWN)
        except Error as error:
            # A page that is left answers no question.
            if not re.search("navigat|context was destroyed|net::ERR", str(error)):
                raise

    def note(self, *what):
        self.trail = [*self.trail[-9:], what]

    def lose_network(self, is_lost=None):
        self.is_offline = not self.is_offline if is_lost is None else is_lost
        self.note("offline" if self.is_offline else "online")
        self.page.context.set_offline(self.is_offline)

    def reload(self):
        self.note("reload")
        self.page.reload()

    def go(self):
        path = self.chance.choice(self.places)
        self.note("go", path)
        self.page.evaluate(FOLLOW, path)

    def back(self):
        self.note("back")
        # The page before the first one belongs to the browser.
        self.page.evaluate("history.state && history.back()")

    def press(self):
        key = self.chance.choice(KEYS)
        self.note("key", key)
        self.page.keyboard.press(key)

    def use(self):
        seen = self.page.evaluate(LOOK)
        self.judge(seen)
        usable = [(at, one) for at, one in enumerate(seen["things"]) if not NOT.search(one[2].lower())]
        if not usable:
            return
        at, (tag, kind, label) = self.chance.choice(usable)
        value = None
        if tag == "select":
            value = self.chance.randrange(100)
        elif tag in ("input", "textarea") and kind not in ("checkbox", "radio", "file", "range"):
            value = self.chance.choice(VALUES.get(kind, TEXTS))
        elif kind in ("file", "range"):
            return
        self.note(seen["path"], label, *([] if value is None else [value]))
        self.page.evaluate(ACT, [at, value])
        if tag == "input" and value is not None and self.chance.random() < 0.3:
            self.page.keyboard.press("Enter")

    def judge(self, seen: dict):
        wrong = SENSELESS.search(seen["words"])
        assert not wrong, seen["words"][max(0, wrong.start() - 60) : wrong.end() + 60]
        assert seen["width"] <= 0, f"{seen['path']} is {seen['width']} pixels too wide"
        assert seen["sheets"] <= 2, f"{seen['sheets']} sheets are open"


def rows(document):
    """A document without empty parts: a patch that removes the last row of a table leaves the table."""
    if not isinstance(document, dict):
        return document
    return {key: part for key, part in ((key, rows(part)) for key, part in document.items()) if part != {}}


def agrees(walker: Walker) -> str:
    """Waits until nothing is left to send, and the phone has what the server has; answers what differs."""
    kept = walker.page.evaluate(KEPT)
    if kept["waiting"]:
        return f"{kept['waiting']} changes wait"
    with Peer(walker.server.url, walker.server.token(walker.name)) as peer:
        # A share is watched only on its own screen.
        for one in [room for room in kept["rooms"] if not room["room"].startswith("share/")]:
            now = peer.call("room.subscribe", room=one["room"])
            if one["version"] != now["version"]:
                return f"{one['room']} has version {one['version']}, not {now['version']}"
            mine, theirs = rows(one["state"]), rows(now["state"])
            assert mine == theirs, [key for key in {*mine, *theirs} if mine.get(key) != theirs.get(key)]
    return ""


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_a_random_walk_breaks_nothing_and_both_phones_agree_with_the_server(house, people, language):
    chance = random.Random(f"{SEED} {language}")
    places = list(addresses(house, house.token("ana")).values())
    walkers = [
        Walker(name, open_home(people(name, goes_offline=True, locale=language)), house, places, chance)
        for name in ["ana", "bo"]
    ]
    try:
        end = time.monotonic() + SECONDS / 2
        while time.monotonic() < end:
            if chance.random() < 0.004:
                house.kill()
                house.start()
            chance.choice(walkers).step()
        for walker in walkers:
            walker.lose_network(False)
            walker.page.goto("/")
            expect(walker.page.locator(".board")).to_be_visible()
            end = time.monotonic() + 60
            while differs := agrees(walker):
                assert time.monotonic() < end, differs
    except BaseException:
        print(f"WALK_SEED={SEED}", *(f"{one.name}: {one.trail}" for one in walkers), sep="\n")
        raise
