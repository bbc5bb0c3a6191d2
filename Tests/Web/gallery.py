"""Takes pictures of all screens of a household of five, in three scripts and both schemes, and puts them side by side."""

import base64
import datetime
import pathlib
import sys
import tempfile

from playwright.sync_api import sync_playwright

from conftest import CHROMIUM, Server
from pages import addresses, in_two_hours, regular_money

PASSWORD = "a sentence of my own"
PEOPLE = ["Ana Lindqvist", "ליאור בן־דוד", "王小明", "Maximiliane von Hohenstein", "Bo"]
NOTES = [
    (0, "Bins go out tonight 🗑️", "yellow"),
    (1, "שלום לכולם, הערב אנחנו אוכלים יחד", "blue"),
    (2, "今晚大家一起吃饭好吗", "green"),
    (3, "The plumber comes on Thursday between nine and half past eleven. Somebody must be at home: who can?", "pink"),
    (4, "Party on Saturday!", "orange"),
]
CHAT = [
    (1, "מי בבית לארוחת ערב?"),
    (2, "我八点到家"),
    (3, "I am late, please start without me. The train has stopped somewhere between two fields."),
    (0, "Keeping a plate warm"),
]
ITEMS = [
    ("Milk", 2, "l"), ("חלב שקדים", 1, "l"), ("豆腐", 3, None), ("Bread", None, None),
    ("Extra virgin olive oil, cold pressed, from the shop at the corner", 750, "ml"), ("Tomatoes", 1.5, "kg"),
]
BILLS = [
    (4, "Rent", 184_000, {"category": "rent"}), (0, "Internet", 3995, {"category": "internet"}),
    (1, "סופר", 8723, {"category": "groceries"}), (2, "火锅", 14_650, {"category": "eatingOut"}),
    (3, "Electricity, autumn", 11_840, {"category": "utilities"}), (0, "Deposit of the crates", -960, {}),
]
CHECKED = ["Coffee", "Dish soap"]
BEFORE_THE_LOG_IN = ["/", "/signup", "/login", "/forgot"]
SHEETS = [("/", "New note"), ("/money", "New bill"), ("/money/recurring", "New regular bill"),
          ("/money/requests", "Ask for money"), ("/household", "Invite"), ("/me", "Log out")]
LOOKS = {
    "phone-light": ({"viewport": {"width": 390, "height": 844}, "has_touch": True}, 195, 10),
    "phone-dark": ({"viewport": {"width": 390, "height": 844}, "has_touch": True, "color_scheme": "dark"}, 195, 10),
    "wide-light": ({"viewport": {"width": 1280, "height": 800}}, 480, 5),
    "wide-dark": ({"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"}, 480, 5),
}


def populate(server) -> list:
    """Fills a household; answers everybody's token."""
    answers = [
        server.call("auth.signUp", {"email": f"person{n}@example.org", "password": PASSWORD, "name": name})
        for n, name in enumerate(PEOPLE)
    ]
    tokens, ids = [one["token"] for one in answers], [one["me"] for one in answers]
    created = server.call(
        "households.create", {"name": "Elm Street 12", "timeZone": "Europe/Berlin", "currency": "EUR"}, tokens[0]
    )
    room = f"household/{created['household']}"
    code = server.call("joinCodes.create", {"room": room}, tokens[0])["code"]
    for token in tokens[1:]:
        server.call("households.join", {"code": code}, token)
    for person, text, colour in NOTES:
        server.call("notes.add", {"room": room, "text": text, "colour": colour}, tokens[person])
    for person, text in CHAT:
        server.call("chat.send", {"room": room, "text": text}, tokens[person])
    for name, quantity, unit in ITEMS:
        params = {"room": room, "name": name, "quantity": quantity, "unit": unit}
        server.call("groceries.add", {key: value for key, value in params.items() if value is not None}, tokens[1])
    for name in CHECKED:
        item = server.call("groceries.add", {"room": room, "name": name}, tokens[2])
        server.call("groceries.check", {"room": room, "id": item["id"], "checked": True}, tokens[2])
    for person, title, amount, more in BILLS:
        server.call("bills.add", {"room": room, "bill": {"title": title, "amount": amount, **more}}, tokens[person])
    regular_money(server, tokens[4], PASSWORD, room, ids[:2])
    for person, lat, lon in [(2, 52.5213, 13.4105), (3, 52.5126, 13.3890)]:
        params = {
            "receivers": ids[:2],
            "until": in_two_hours(),
            "ride": person == 3,
        }
        server.call("shares.start", params, tokens[person])
        now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        fix = {"lat": lat, "lon": lon, "accuracy": 12, "fixTime": now}
        server.call("positions.report", {"sentAt": now, "fixes": [fix]}, tokens[person])
    return tokens


def shoot(page, pictures: list, name: str):
    page.get_by_role("heading", level=1).first.wait_for()
    # Everything that is still on its way.
    page.wait_for_load_state("networkidle")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    pictures.append((name, page.screenshot()))


def sheet_of(browser, pictures: list, width: int, columns: int, file: pathlib.Path):
    """Lays the pictures out in a page, and takes one of that."""
    page = browser.new_context(viewport={"width": columns * (width + 16) + 16, "height": 600}).new_page()
    page.set_content(
        "<style>body { margin: 16px; display: flex; flex-wrap: wrap; gap: 16px }"
        " body { background: #888; font: 12px sans-serif }"
        f" figure {{ margin: 0; width: {width}px }} img {{ width: 100%; display: block }}</style>"
        + "".join(
            f"<figure><img src='data:image/png;base64,{base64.b64encode(data).decode()}'>{name}</figure>"
            for name, data in pictures
        )
    )
    page.screenshot(path=file, full_page=True)
    page.context.close()


def main(folder: pathlib.Path):
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work, sync_playwright() as playwright:
        server = Server(pathlib.Path(work) / "data", sample=False)
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        try:
            places = addresses(server, populate(server)[0])
            for look, (options, width, columns) in LOOKS.items():
                context = browser.new_context(
                    base_url=server.url, reduced_motion="reduce", locale="en-GB", timezone_id="Europe/Berlin",
                    permissions=["geolocation"], geolocation={"latitude": 52.5163, "longitude": 13.3777, "accuracy": 9},
                    service_workers="block", **options,
                )
                page, pictures = context.new_page(), []
                for path in BEFORE_THE_LOG_IN:
                    page.goto(path)
                    shoot(page, pictures, f"before: {path}")
                page.goto("/login")
                page.get_by_label("Email address").fill("person0@example.org")
                page.get_by_label("Password", exact=True).fill(PASSWORD)
                page.get_by_role("button", name="Log in").click()
                page.locator(".board > .note").first.wait_for()
                for route, path in places.items():
                    page.goto(path)
                    shoot(page, pictures, route)
                for route, button in SHEETS:
                    page.goto(places[route])
                    page.get_by_role("button", name=button).first.click()
                    shoot(page, pictures, f"{route}, {button}")
                sheet_of(browser, pictures, width, columns, folder / f"{look}.png")
                context.close()
                print(folder / f"{look}.png")
        finally:
            server.kill()


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
