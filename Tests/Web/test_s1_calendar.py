"""The calendar, as the use cases S1.10 and S1.11 tell it: two people, two phones."""

import datetime
import re
import urllib.error
import urllib.request
import zoneinfo

import pytest
from playwright.sync_api import expect

from conftest import APP
from pages import go_offline, in_two_hours, open_home, sheet, visit
from peer import Peer

pytestmark = pytest.mark.usefixtures("newly")


def day(after=0):
    """A day of the household, as it is written in calls."""
    here = datetime.datetime.now(zoneinfo.ZoneInfo("Europe/Berlin")).date()
    return (here + datetime.timedelta(days=after)).isoformat()


def calendar(page):
    visit(page, "/calendar")
    expect(page.get_by_role("button", name="New event")).to_be_visible()
    return page


def row(page, name):
    return page.get_by_role("main").get_by_role("listitem").filter(has_text=name)


def plan(page, title, **fields):
    page.get_by_role("button", name="New event").tap()
    sheet(page).get_by_label("What is it?").fill(title)
    for label, value in fields.items():
        sheet(page).get_by_label(label.replace("_", " "), exact=True).fill(value)
    sheet(page).get_by_role("button", name="Add it").tap()
    expect(sheet(page)).to_have_count(0)


def test_s1_10_events_and_birthdays_are_seen_by_all_and_each_change_can_be_undone(people, house):
    ana, bo = open_home(people("ana.new", goes_offline=True)), open_home(people("bo.new"))
    # The first line says that nothing is planned only where nothing stands.
    visit(bo, "/calendar")
    expect(bo.get_by_text("Nothing is planned.")).to_be_visible()
    with Peer(house.url, house.token("bo.new")) as peer:
        chore = {"name": "Windows", "strategy": "fixed", "people": [], "date": day(1)}
        made = peer.call("chores.add", room=peer.household, chore=chore)
        expect(row(bo, "Windows")).to_be_visible()
        expect(bo.get_by_text("Nothing is planned.")).to_have_count(0)
        peer.call("chores.remove", room=peer.household, id=made["id"])
    visit(bo, "/")
    house.call("profile.update", {"birthday": f"1992-{day(3)[5:]}"}, house.token("cleo.new"))
    ana.get_by_role("region", name="Coming up").get_by_role("link", name="Calendar").tap()
    plan(ana, "Film night", Day=day(2), Time="19:30", Ends_at="00:30")
    # At home and in the calendar of the other one.
    expect(bo.get_by_role("region", name="Coming up")).to_contain_text("Film night")
    expect(bo.get_by_role("region", name="Coming up")).to_contain_text("Cleo’s birthday")
    visit(bo, "/household")
    bo.get_by_role("link", name="Calendar").tap()
    expect(row(bo, "Film night")).to_contain_text("19:30")
    expect(row(bo, "Cleo’s birthday")).to_be_visible()
    expect(bo.get_by_text("Next: Film night, ")).to_be_visible()
    # Only its author and the host change it; it ends on the day after.
    visit(bo, "/inbox")
    bo.get_by_role("button", name="In the calendar: Film night").tap()
    expect(sheet(bo)).to_contain_text("00:30")
    expect(sheet(bo).get_by_role("button", name="Change")).to_have_count(0)
    bo.keyboard.press("Escape")
    row(ana, "Film night").get_by_role("button").tap()
    sheet(ana).get_by_role("button", name="Change").tap()
    sheet(ana).get_by_label("How often").select_option("every week")
    sheet(ana).get_by_role("button", name="Bo").tap()
    sheet(ana).get_by_role("button", name="Save").tap()
    expect(row(bo, "Film night")).to_have_count(6)
    ana.get_by_role("button", name="Undo").tap()
    expect(row(bo, "Film night")).to_have_count(1)
    row(ana, "Film night").get_by_role("button").tap()
    sheet(ana).get_by_role("button", name="Remove").tap()
    expect(row(bo, "Film night")).to_have_count(0)
    ana.get_by_role("button", name="Undo").tap()
    expect(row(bo, "Film night")).to_contain_text("19:30")
    # An event that is planned without a network arrives later.
    go_offline(ana)
    plan(ana, "House meeting", Day=day(1), Last_day=day(4))
    expect(row(ana, "House meeting").get_by_text("not sent yet")).to_have_count(1)
    ana.context.set_offline(False)
    expect(row(bo, "House meeting")).to_contain_text("until", timeout=20_000)
    ana.get_by_role("button", name="Undo").tap()
    expect(row(bo, "House meeting")).to_have_count(0)


def test_s1_11_all_say_when_they_cannot_come_and_the_best_time_is_taken(people):
    ana, bo = calendar(people("ana.new")), people("bo.new")
    ana.get_by_role("button", name="New event").tap()
    sheet(ana).get_by_role("button", name="Find a time").tap()
    sheet(ana).get_by_label("What is it?").fill("Cellar")
    sheet(ana).get_by_label("Between").fill(day(2))
    sheet(ana).get_by_label("and", exact=True).fill(day(3))
    sheet(ana).get_by_label("Not before").fill("14:00")
    sheet(ana).get_by_label("It takes").select_option("180")
    for name in ["You", "Bo"]:
        sheet(ana).get_by_role("button", name=name, exact=True).tap()
    sheet(ana).get_by_text("Somebody needs less time").tap()
    expect(sheet(ana).get_by_label("Cleo", exact=True)).to_be_hidden()
    sheet(ana).get_by_label("Bo", exact=True).select_option("60")
    sheet(ana).get_by_role("button", name="Ask everybody").tap()
    expect(ana.get_by_role("heading", name="Cellar")).to_be_visible()
    ana.get_by_role("button", name="Any time suits me").tap()
    best = ana.get_by_role("region", name="Best times").get_by_role("listitem")
    expect(best.first).to_contain_text("14:00–17:00")
    # Bo is asked in the inbox, and cannot come on the first afternoon, nor on the second evening.
    visit(bo, "/inbox")
    bo.get_by_role("button", name="When can you not come? Cellar").tap()
    bo.get_by_role("group").first.get_by_role("button", name="Afternoon").tap()
    bo.get_by_role("group").last.get_by_role("button", name="Evening").tap()
    bo.get_by_role("button", name="I cannot come then").tap()
    expect(ana.get_by_text("2 of 2 have answered")).to_be_visible()
    there = datetime.date.fromisoformat(day(3))
    expect(best.first).to_contain_text(f"{there:%A}")
    expect(best.first).to_contain_text("suits everybody")
    expect(bo.get_by_role("button", name="Take")).to_have_count(0)
    ana.get_by_role("button", name="Take").first.tap()
    # It is in the calendar, and a chore for each.
    expect(bo.get_by_text("Its time is found")).to_be_visible()
    for page in (ana, calendar(bo)):
        expect(row(page, "Cellar")).to_have_count(3)
        expect(page.get_by_role("link", name=re.compile("^Cellar.*You$"))).to_have_count(1)
    # Another one is called off before it has a time.
    ana.get_by_role("button", name="New event").tap()
    sheet(ana).get_by_role("button", name="Find a time").tap()
    sheet(ana).get_by_label("What is it?").fill("Attic")
    sheet(ana).get_by_role("button", name="Bo", exact=True).tap()
    sheet(ana).get_by_role("button", name="Ask everybody").tap()
    expect(bo.get_by_role("link", name="Attic")).to_contain_text("Say when you cannot come.")
    # It does not concern Ana, who only decides.
    expect(best.first).to_contain_text("10:00–12:00")
    ana.get_by_role("button", name="Call it off").tap()
    sheet(ana).get_by_role("button", name="Call it off").tap()
    expect(ana.get_by_role("heading", name="Calendar")).to_be_visible()
    expect(bo.get_by_role("link", name="Attic")).to_have_count(0)


def test_s1_11_a_half_given_answer_stays_when_another_one_answers(people, house):
    tokens = {name: house.token(f"{name}.new") for name in ["ana", "bo"]}
    with Peer(house.url, tokens["ana"]) as ana, Peer(house.url, tokens["bo"]) as bo:
        room, minutes = ana.household, {ana.me: 60, bo.me: 60}
    window = {"from": in_two_hours(), "to": in_two_hours(48)}
    made = {"room": room, "title": "Painting", "minutes": minutes, "window": window}
    special = house.call("specialEvents.create", made, tokens["ana"])["id"]
    ana = open_home(people("ana.new", viewport={"width": 1280, "height": 800}))
    visit(ana, f"/special/{special}")
    news = ana.get_by_role("link", name=re.compile("^Inbox"))
    before = news.get_attribute("aria-label")
    part = ana.get_by_role("button", name=re.compile("Morning|Afternoon|Evening")).last
    part.click()
    house.call("specialEvents.busy", {"room": room, "id": special, "intervals": []}, tokens["bo"])
    house.call("notes.add", {"room": room, "text": "I can always come"}, tokens["bo"])
    expect(news).not_to_have_attribute("aria-label", before)
    expect(part).to_have_attribute("aria-pressed", "true")
    ana.get_by_role("button", name="I cannot come then").click()
    expect(ana.get_by_text("2 of 2 have answered")).to_be_visible()


def test_cho_27_the_secret_link_is_made_copied_and_ended(people, house):
    ana = calendar(people("ana.new", permissions=["clipboard-read", "clipboard-write"]))
    plan(ana, "Choir", Day=day(5))
    # What is last can be scrolled out from under the message.
    planned, other = ana.locator(".snackbar"), ana.get_by_role("button", name="In another calendar")
    expect(planned).to_contain_text("Choir is in the calendar.")

    def is_free():
        ana.evaluate("scrollTo(0, document.body.scrollHeight)")
        return (box := other.bounding_box())["y"] + box["height"] <= planned.bounding_box()["y"]

    # The screen comes back to where it was when the sheet has closed, which may be after the first scrolling.
    assert any(is_free() for _ in range(20))
    other.tap()
    sheet(ana).get_by_role("button", name="Make a link").tap()
    link = sheet(ana).locator(".secret").inner_text()
    sheet(ana).get_by_role("button", name="Copy the link").tap()
    expect(ana.locator(".snackbar")).to_contain_text("Copied.")
    # It is said over the sheet, and can be used there.
    expect(ana.locator("main[inert]")).to_have_count(1)
    said = sheet(ana).locator(".snackbar:not([inert])")
    expect(said).to_have_count(1)
    # It lies over nothing of the sheet, and a tap puts it away.
    assert (box := said.bounding_box())["y"] + box["height"] <= sheet(ana).bounding_box()["y"]
    said.tap()
    # Without the tap it stays for five seconds.
    expect(ana.locator(".snackbar")).to_be_hidden(timeout=2_000)
    assert ana.evaluate("navigator.clipboard.readText()") == link
    with urllib.request.urlopen(link) as answer:
        assert "SUMMARY:Choir" in answer.read().decode()
    sheet(ana).get_by_role("button", name="End the link").tap()
    sheet(ana, "End the link?").get_by_role("button", name="End the link").tap()
    expect(ana.locator(".snackbar")).to_contain_text("The link has ended.")
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(link)
    ana.get_by_role("button", name="In another calendar").tap()
    expect(sheet(ana).get_by_role("button", name="Make a link")).to_be_visible()


RULES = [
    {"every": 3, "unit": "days", "count": 5},
    {"every": 2, "unit": "weeks", "weekdays": ["sunday", "monday"]},
    {"every": 1, "unit": "weeks", "until": day(20)},
    {"every": 1, "unit": "months"},
    {"every": 1, "unit": "months", "day": 31},
    {"every": 1, "unit": "months", "nth": 2, "weekday": "tuesday", "count": 2},
    {"every": 1, "unit": "months", "nth": -1, "weekday": "friday"},
    {"every": 1, "unit": "years"},
]
COUNT = """async ([file, events, from, to]) => {
  const { eventDays } = await import(file);
  return Object.fromEntries(Object.entries(events).map(([id, one]) => [id, eventDays(one, from, to)]));
}"""


def test_cho_27_the_page_counts_the_days_of_events_as_the_server_does(device, house, newly):
    with Peer(house.url, house.token("cleo.new")) as cleo:
        for number, rule in enumerate(RULES):
            event = {"title": "Often", "start": day(number), "end": day(2 * number), "repeats": rule}
            cleo.call("events.add", room=newly, **event)
        events = cleo.state(newly)["events"]
        page = device(base_url=house.url).new_page()
        page.goto("/manifest.webmanifest")
        # The page has it in a bundle.
        page.route("**/parts/*.js", lambda route: route.fulfill(path=APP / "parts" / route.request.url.split("/")[-1]))
        for first in [0, 17, 330]:
            days = {"from": day(first), "to": day(first + 41)}
            known = cleo.call("events.days", room=newly, **days)["items"]
            counted = page.evaluate(COUNT, [f"{house.app}/parts/recurrence.js", events, days["from"], days["to"]])
            assert {one: days for one, days in counted.items() if days} == {one["id"]: one["days"] for one in known}
        for event in events:
            house.call("events.remove", {"room": newly, "id": event}, house.token("ana.new"))
