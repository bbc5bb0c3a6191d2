"""What the tests of several screens do with a page."""

import datetime
import re
import urllib.request
import uuid

from playwright.sync_api import expect

from peer import Peer

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


IS_KEPT = """() => Promise.race([
  navigator.serviceWorker.ready.then(() => true),
  new Promise((resolve) => setTimeout(() => resolve(false), 10_000)),
])"""


def go_offline(page):
    """Takes the network away, once the worker has everything that the page needs without it."""
    assert page.evaluate(IS_KEPT), "a phone that goes_offline keeps the page"
    page.context.set_offline(True)


def fill_in(page, email, password):
    """Fills in the log-in, which is open, and sends it."""
    page.get_by_label("Email address").fill(email)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Log in").click()


def log_out(page):
    """From the screen of the account."""
    page.get_by_role("button", name="Log out").click()
    sheet(page).get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", name="Welcome home")).to_be_visible()


# Follows a link, and waits until the screen is another one; a query may only change what is on it. Answers whether
# the page is there at all.
FOLLOW = """async (path) => {
  if (!document.querySelector(".tabs")) return false;
  const isSame = path.split("?")[0] === location.pathname;
  const main = document.querySelector("main");
  const drawn = new Promise((done, fail) => {
    const observer = new MutationObserver(done);
    observer.observe(main, { childList: true });
    // The front of a tab may be there already.
    for (const one of main.children) observer.observe(one, { attributeFilter: ["aria-hidden"] });
    if (!isSame) setTimeout(() => fail(new Error(`${path} shows no other screen than before`)), 10_000);
  });
  const link = document.body.appendChild(document.createElement("a"));
  link.href = path;
  link.click();
  link.remove();
  if (!isSame) await drawn;
  return true;
}"""


def visit(page, path):
    """Shows a screen, as a link does: without loading the page again, which costs as much as five screens."""
    if not page.evaluate(FOLLOW, path):
        page.goto(path)
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    expect(page.get_by_role("status", name="Loading")).to_have_count(0)


def phone(device, site, goes_offline=False, **options):
    """A page on a phone. It is not kept there, which takes as long as the rest of the start, unless it goes offline."""
    workers = "allow" if goes_offline else "block"
    return device(base_url=site, service_workers=workers, **{**PHONE, **options}).new_page()


def sign_up(device, site, name, path="/", **options):
    """A page on which somebody has just made an account; `page.email` is their address."""
    page = phone(device, site, **options)
    page.email = address("new")
    page.goto(path)
    page.get_by_role("button", name="Create an account").click()
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Email address").fill(page.email)
    page.get_by_label("Password", exact=True).fill(NEW_PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("navigation", name="Main parts")).to_be_visible()
    return page


def mate(newcomer, link, name, household, **options):
    """A page of a newcomer who joins a household by its link."""
    one = newcomer(name, path=link, **options)
    one.get_by_role("button", name="Join").click()
    expect(one.get_by_role("button", name=household)).to_be_visible()
    return one


def found(page, name):
    """Founds a household."""
    page.get_by_label("Name of the household").fill(name)
    page.get_by_role("button", name="Begin", exact=True).click()
    expect(page.get_by_role("button", name=name)).to_be_visible()


def switch(page, name: str, to: bool):
    """Taps a switch, unless it is there already, and waits until it is: then the change is on the disk."""
    one = page.get_by_role("switch", name=name)
    if one.is_checked() != to:
        one.click()
    expect(one).to_be_checked(checked=to)


def finger(page, element):
    """Answers how to put a finger on the middle of an element, move it by so many pixels, and take it away."""
    element.scroll_into_view_if_needed()
    box = element.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    session = page.context.new_cdp_session(page)

    def touch(kind, right=0, down=0, **more):
        points = [] if kind == "touchEnd" else [{"x": x + right, "y": y + down}]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points, **more})

    return touch


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


def regular_money(server, token: str, password: str, room: str, asked: list, title="Rent"):
    """A member sets up a bill that the first of some others pays every month, and asks them all for money."""
    server.call("auth.setPin", {"pin": "2580", "password": password}, token)
    server.call("auth.confirm", {"pin": "2580"}, token)
    bill = {"title": title, "amount": 184_000, "first": in_two_hours()[:10], "repeat": {"every": 1, "unit": "months"}}
    server.call("recurringBills.add", {"room": room, "bill": {**bill, "host": asked[0], "category": "rent"}}, token)
    wanted = {"title": title, "amount": 1_250, "from": asked, "platform": "paypal", "note": title}
    server.call("requests.create", {"room": room, **wanted}, token)


def in_two_hours(more=0) -> str:
    time = datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=2 + more)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def routes(server) -> set:
    """The paths of all screens, as the page itself has them."""
    with urllib.request.urlopen(f"{server.url}{server.app}/app.js") as response:
        return set(re.findall(r'\bpath:"([^"]+)",(?:tab|under):', response.read().decode()))


def addresses(server, token: str) -> dict:
    """An address for each path, with things that this person has; `:id` stands for the first of its kind."""
    with Peer(server.url, token) as peer:
        me, room = peer.state("me"), peer.household
        house = peer.state(room)
        if not house.get("chat"):
            server.call("chat.send", {"room": room, "text": "Who is home for dinner?"}, token)
        if not house.get("groceries"):
            server.call("groceries.add", {"room": room, "name": "Milk"}, token)
            house = peer.state(room)
        if not house.get("drinks"):
            server.call("drinks.buy", {"room": room, "kind": "Apple juice", "n": 12}, token)
            server.call("drinks.add", {"room": room, "kind": "Apple juice", "n": 1}, token)
        special = {}
        for title in ["A walk", "A party"]:
            window = {"from": in_two_hours(), "to": in_two_hours(24)}
            params = {"room": room, "title": title, "minutes": {peer.me: 60}, "window": window}
            special[title] = server.call("specialEvents.create", params, token)["id"]
        server.call("specialEvents.busy", {"room": room, "id": special["A party"], "intervals": []}, token)
        server.call("events.add", {"room": room, "title": "Choir", "start": in_two_hours()[:10]}, token)
        server.call("stock.set", {"room": room, "name": "Washing powder", "level": "low"}, token)
        split = {"people": list(house["members"])[:4]}
        bill = {"title": "Detergent", "amount": 799, "category": "household", "split": split}
        bill = server.call("bills.add", {"room": room, "bill": bill}, token)["id"]
        other = next(person for person in house["members"] if person != peer.me)
        # One of this person's own, of which all can be shown.
        hallway = {"name": "Hallway", "date": in_two_hours()[:10], "strategy": "fixed", "people": [peer.me]}
        chore = server.call("chores.add", {"room": room, "chore": hallway}, token)["id"]
        item = next(iter(house["groceries"]))
        # Something of this person's own in the basket, and a purchase that was changed.
        jam = server.call("groceries.add", {"room": room, "name": "Jam", "category": "breakfast"}, token)["id"]
        server.call("groceries.check", {"room": room, "id": jam, "checked": True}, token)
        olives = server.call("groceries.add", {"room": room, "name": "Olives", "personal": True}, token)["id"]
        bought = {"room": room, "lines": [{"id": olives, "price": 400}], "total": 500}
        purchase = server.call("trips.complete", bought, token)["id"]
        server.call("trips.edit", {"room": room, "id": purchase, "total": 600}, token)
        server.call("lists.create", {"room": room, "name": "Market"}, token)
        server.call("requests.create", {"room": room, "title": "Cinema", "amount": 1200, "from": [other]}, token)
        shares = {one["role"]: share for share, one in me.get("shares", {}).items()}
        params = {"until": in_two_hours(), "stop": "notify"}
        if "sharer" not in shares:
            others = [person for person in house["members"] if person != peer.me]
            shares["sharer"] = server.call("shares.start", {**params, "receivers": others[:2]}, token)["id"]
        # A random walk may have ended that of the sample.
        if "receiver" not in shares:
            params["receivers"] = [peer.me]
            shares["receiver"] = server.call("shares.start", params, server.token("dan"))["id"]
    mine, theirs = f"/out/share/{shares['sharer']}", f"/out/share/{shares['receiver']}"
    known = {
        "/join": "/join#ABCDEFGHJK",
        "/shopping/item/:id": f"/shopping/item/{item}",
        "/shopping/purchase/:id": f"/shopping/purchase/{purchase}",
        "/chores/chore/:id": f"/chores/chore/{chore}",
        "/money/bill/:id": f"/money/bill/{bill}",
        "/money/with/:id": f"/money/with/{other}",
        "/special/:id": f"/special/{special['A walk']}",
        "/out/share/:id": theirs,
        "/out/share/:id/pocket": f"{mine}/pocket",
    }
    found = {path: known.get(path, path) for path in sorted(routes(server))}
    answered = f"/special/{special['A party']}"
    return {**found, "/out/share/:id of mine": mine, "/special/:id answered": answered, "/nowhere": "/nowhere"}
