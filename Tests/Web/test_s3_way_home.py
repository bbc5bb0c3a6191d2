"""The way home, as the use cases S3 tell it: one shares, others watch, and somebody fetches them."""

import datetime
import re

import pytest
from playwright.sync_api import expect

from pages import in_two_hours, switch, visit
from peer import Peer

GATE = {"latitude": 52.51631, "longitude": 13.3777, "accuracy": 8}
ELM_STREET = {"latitude": 52.52531, "longitude": 13.3777, "accuracy": 10}
PHONE = {"permissions": ["geolocation"], "geolocation": GATE}


def start(page, receivers, length="1 hour", ride=False, more=()):
    """Starts a share, and answers its address."""
    visit(page, "/out/new")
    faces = page.get_by_role("group", name="Who sees it")
    expect(faces.get_by_role("button")).to_have_count(3)
    for face in faces.get_by_role("button").all():
        is_wanted = any(name in face.inner_text() for name in receivers)
        if is_wanted != (face.get_attribute("aria-pressed") == "true"):
            face.tap()
    page.get_by_role("button", name=length, exact=True).tap()
    switch(page, "I need a ride", ride)
    for choice in more:
        page.get_by_label(choice).check()
    page.get_by_role("button", name=re.compile("^Share with")).tap()
    expect(page.get_by_role("heading", name="You share where you are")).to_be_visible()
    return re.sub(r"^https?://[^/]+", "", page.url)


def stop(page, address):
    """Ends a share of which the others need not be asked."""
    visit(page, address)
    page.get_by_role("button", name="Stop sharing").tap()
    page.get_by_role("dialog").get_by_role("button", name="Stop sharing").tap()
    expect(page.get_by_text(ENDED)).to_be_visible()


ENDED = re.compile("You have stopped sharing|Nobody watched")
NOTIFY = ["It ends at once, and they are told"]
CONSENT = "They have to agree, or they see you until the end"


@pytest.fixture
def ana(people, house):
    """They walk, with a phone that knows where it is; all that they have shared ends with the test."""
    yield people("ana", **PHONE)
    token = house.token("ana")
    with Peer(house.url, token) as peer:
        for share, one in peer.state("me").get("shares", {}).items():
            if one["role"] == "sharer":
                house.confirm("ana")
                house.call("shares.end", {"share": share}, token)


def report(peer, minutes=0):
    """Reports the gate, found so long ago."""
    now = datetime.datetime.now(datetime.UTC)
    found, sent = (time.strftime("%Y-%m-%dT%H:%M:%SZ") for time in (now - datetime.timedelta(minutes=minutes), now))
    fix = {"lat": GATE["latitude"], "lon": GATE["longitude"], "accuracy": 8, "fixTime": found}
    peer.call("positions.report", sentAt=sent, fixes=[fix])


@pytest.fixture(scope="module", autouse=True)
def way_home(house, sessions):
    """Cleo is on the way to Elm Street from the first test on, and Ana and Bo watch: nobody arrives within seconds.

    Answers the address of the share."""
    with Peer(house.url, sessions("cleo")["token"]) as cleo:
        receivers = cleo.mates("Ana", "Bo")
        place = {"lat": ELM_STREET["latitude"], "lon": ELM_STREET["longitude"], "label": "Elm Street"}
        share = cleo.call("shares.start", receivers=receivers, until=in_two_hours(), place=place, stop="notify")
        report(cleo)
    return f"/out/share/{share['id']}"


# A place that is found has the time of the page's clock; the browser's own would stay behind a clock that is moved on.
PLACE_BY_CLOCK = """for (const name of ["watchPosition", "getCurrentPosition"]) {
  const find = Geolocation.prototype[name];
  Geolocation.prototype[name] = function (found, ...rest) {
    return find.call(this, ({ coords }) => found({ coords, timestamp: Date.now() }), ...rest);
  };
}"""


def walk(page, place, seconds):
    """Finds itself at a place, and lets time pass on the page's clock.

    In small steps: the page's time limits for answers are shorter than a large step. The phone stirs at each of them,
    because the server's clock does not follow: to it, a fix that waits for long before it is sent is an old one."""
    for step in range(2 * seconds):
        page.context.set_geolocation({**place, "longitude": place["longitude"] + step % 2 * 1e-6})
        page.clock.run_for(500)


def test_s3_1_the_receivers_are_told_and_see_the_position(people, ana):
    bo = people("bo")
    visit(bo, "/out")
    address = start(ana, ["Bo"], "2 hours", more=NOTIFY)
    ana_row = bo.get_by_role("link", name=re.compile("^Ana"))
    expect(ana_row).to_be_visible()
    expect(ana_row).to_contain_text("until")
    expect(ana_row).not_to_contain_text("needs a ride")
    expect(ana_row).to_contain_text(re.compile("seen (just now|[0-9]+ seconds ago)"))
    expect(ana.get_by_text("has not looked yet")).to_be_visible()
    # They have not asked for a ride.
    expect(ana.get_by_role("button", name="I'm ready to be picked up")).to_have_class("quiet")
    ana_row.click()
    expect(bo.get_by_text(re.compile("^Seen (just now|[0-9]+ seconds ago)$")).first).to_be_visible()
    expect(bo.get_by_text("to within 10 m")).to_be_visible()
    expect(bo.get_by_role("img", name=re.compile("Map around you.*Ana"))).to_be_visible()
    # Looking is told.
    expect(ana.get_by_text("has looked", exact=True)).to_be_visible()
    assert address in ana.url


def test_s3_1_three_taps_start_a_share_like_the_last_one(people, ana):
    start(ana, ["Bo", "Cleo"], "30 minutes", more=NOTIFY)
    visit(ana, "/")
    ana.get_by_role("link", name="Out", exact=True).tap()
    ana.get_by_role("link", name=re.compile("Share where I am")).tap()
    ana.get_by_role("button", name="Share with Bo and Cleo").tap()
    expect(ana.get_by_role("heading", name="You share where you are")).to_be_visible()
    expect(ana.get_by_text(re.compile("(29|30) mins? left"))).to_be_visible()


def test_s3_1_until_a_place(people, house, ana):
    bo = people("bo")
    visit(ana, "/out/new")
    ana.get_by_role("button", name="New place").tap()
    sheet = ana.get_by_role("dialog")
    sheet.get_by_label("What do you call it?").fill("Grandma's")
    sheet.get_by_label("Or paste it from a map").fill("nowhere")
    sheet.get_by_role("button", name="Keep this place").tap()
    expect(sheet.get_by_text("There is no place in this")).to_be_visible()
    sheet.get_by_label("Or paste it from a map").fill("52.52531, 13.37770")
    sheet.get_by_role("button", name="Keep this place").tap()
    expect(ana.get_by_role("button", name="Grandma's", pressed=True)).to_be_visible()
    expect(ana.get_by_text("after 12 hours at the latest")).to_be_visible()
    start(ana, ["Bo"], "Grandma's", ride=True, more=NOTIFY)
    expect(ana.get_by_text("until you are at Grandma's")).to_be_visible()
    # The phone has told where it was: the first place that it finds later may be Grandma's, and counts.
    with Peer(house.url, house.token("ana")) as peer:
        share = peer.state(f"share/{ana.url.rsplit('/', 1)[1]}")["share"]
    assert share["arrival"] == "underWay"
    # The next time has the same choices, but no ride, which was needed once.
    visit(ana, "/out/new")
    expect(ana.get_by_role("button", name="Grandma's", pressed=True)).to_be_visible()
    expect(ana.get_by_role("switch", name="I need a ride")).not_to_be_checked()
    visit(bo, "/out")
    bo.get_by_role("link", name=re.compile("^Ana.*to Grandma's.*needs a ride", re.S)).first.click()
    expect(bo.get_by_text(re.compile("to Grandma's, by"))).to_be_visible()


def test_s3_2_a_phone_that_finds_no_place_is_said_to_be_so_to_both(people, house):
    token = house.token("dan")
    with Peer(house.url, token) as peer:
        tomorrow = datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=23, minutes=59, seconds=50)
        until = tomorrow.strftime("%Y-%m-%dT%H:%M:%SZ")
        share = peer.call("shares.start", receivers=peer.mates("Bo"), until=until, stop="notify")
        peer.call("shares.takeOver")
        report(peer, minutes=4)
    bo, dan = people("bo"), people("dan")
    address = f"/out/share/{share['id']}"
    for path in ["/", "/out"]:
        visit(bo, path)
        row = bo.get_by_role("main").get_by_role("link", name=re.compile("^Dan"))
        expect(row.filter(has_text="until tomorrow").first).to_be_visible()
    visit(bo, address)
    expect(bo.locator(".share-facts")).to_contain_text("until tomorrow")
    expect(bo.get_by_text("Dan's phone answers, but does not know where it is.")).to_be_visible()
    visit(dan, address)
    unknown = dan.get_by_text("Your phone does not know where it is. They see where you were.")
    expect(unknown).to_be_visible()
    # Nothing beside it says that all is well.
    expect(dan.locator(".they-see .age")).to_have_count(0)
    visit(dan, f"{address}/pocket")
    expect(unknown).to_be_visible()
    stop(dan, address)


def test_s3_2_and_3_the_phone_reports_by_itself_and_how_far_it_is_follows(people, ana):
    bo = people("bo", permissions=["geolocation"], geolocation=ELM_STREET)
    ana.add_init_script(PLACE_BY_CLOCK)
    ana.clock.install()
    start(ana, ["Bo"], more=NOTIFY)
    visit(bo, "/out")
    row = bo.get_by_role("link", name=re.compile("^Ana"))
    expect(row).to_contain_text("1 km")
    row.click()
    expect(bo.locator(".far-line")).to_contain_text("1 km (0.6 mi)")
    expect(bo.locator(".far-line")).to_contain_text("to the south")
    # Closer: the map and the words follow.
    bo.context.set_geolocation({**ELM_STREET, "latitude": 52.5181})
    expect(bo.locator(".far-line")).to_contain_text("200 m")
    # Ana comes nearer, and nobody touches a phone: half a minute later it is told, on whichever screen it was opened.
    visit(ana, "/")
    expect(ana.get_by_role("button", name="New note")).to_be_visible()
    walk(ana, {**GATE, "latitude": 52.5172}, 31)
    expect(bo.locator(".far-line")).to_contain_text("100 m")


def test_s3_3_miles_come_first_where_people_are_used_to_them(people, ana):
    bo = people("bo", permissions=["geolocation"], geolocation=ELM_STREET, locale="en-US")
    start(ana, ["Bo"], more=NOTIFY)
    visit(bo, "/out")
    row = bo.get_by_role("link", name=re.compile("^Ana"))
    expect(row).to_contain_text("0.6 mi")
    row.click()
    expect(bo.locator(".far-line")).to_contain_text("0.6 mi (1 km)")


def test_s3_3_everybody_on_one_map(people, ana):
    bo = people("bo", **PHONE)
    start(ana, ["Bo"], more=NOTIFY)
    visit(bo, "/out/map")
    picture = bo.get_by_role("img", name=re.compile("Map around you"))
    expect(picture).to_have_attribute("aria-label", re.compile("Ana"))
    expect(picture).to_have_attribute("aria-label", re.compile("Dan"))
    expect(bo.locator(".map-person")).not_to_have_count(1)
    expect(ana.get_by_text("has looked", exact=True)).to_be_visible()
    expect(bo.get_by_text("The map has no streets, so that no map service learns where you are.")).to_be_visible()
    bo.get_by_role("button", name="Closer").tap()
    bo.get_by_role("button", name="Show everything").tap()
    bo.get_by_role("link", name=re.compile("^Ana")).first.click()
    expect(bo.get_by_role("heading", name="Ana")).to_be_visible()


# As on an iPhone, where a page must ask, in a tap.
ASKS = """DeviceOrientationEvent.requestPermission = async () => {
  window.isAsked = navigator.userActivation.isActive;
}"""
# The phone lies on a table and points somewhere, which it tells again and again.
POINT = """([alpha, absolute]) => {
  clearInterval(window.pointing);
  window.pointing = setInterval(() => {
    dispatchEvent(new DeviceOrientationEvent("deviceorientationabsolute", { alpha, absolute }));
  }, 50);
}"""


def test_s3_3_which_way_the_phone_points(people, way_home):
    bo = people("bo", new=True, geolocation={**GATE, "latitude": 52.51})
    bo.add_init_script(ASKS)
    visit(bo, way_home)
    how_far = bo.get_by_role("button", name="How far is that from me?")
    expect(how_far).to_be_visible()
    assert bo.evaluate("window.isAsked") is None
    bo.context.grant_permissions(["geolocation"])
    how_far.tap()
    assert bo.evaluate("window.isAsked") is True
    direction, cone = bo.locator(".far-line"), bo.locator(".map-me > .map-cone")
    expect(direction).to_have_text(re.compile("to the north$"))
    expect(cone).to_be_hidden()
    bo.evaluate(POINT, [270, True])
    expect(cone).to_be_visible()
    expect(cone).to_have_attribute("transform", "rotate(90.0)")
    expect(direction).to_have_text(re.compile("to the north, ?on your left$"))
    bo.evaluate(POINT, [350, True])
    expect(cone).to_have_attribute("transform", "rotate(10.0)")
    expect(direction).to_have_text(re.compile("to the north, ?ahead of you$"))
    # A direction that is not from north, or none, shows nothing.
    bo.evaluate(POINT, [350, False])
    expect(cone).to_be_hidden()
    expect(direction).to_have_text(re.compile("to the north$"))
    visit(bo, "/out/map")
    expect(bo.locator(".map-me")).to_be_visible()
    bo.evaluate(POINT, [180, True])
    expect(cone).to_have_attribute("transform", "rotate(180.0)")
    bo.evaluate(POINT, [None, True])
    expect(cone).to_be_hidden()


def test_s3_4_and_5_ready_and_fetched_in_two_taps(people, ana):
    bo, cleo = people("bo"), people("cleo")
    address = start(ana, ["Bo", "Cleo"], ride=True, more=NOTIFY)
    for page in (bo, cleo):
        visit(page, address)
        expect(page.get_by_text("needs a ride")).to_be_visible()
    ana.get_by_role("button", name="I'm ready to be picked up").tap()
    expect(cleo.get_by_role("main").get_by_text("is ready to be picked up")).to_be_visible()
    bo.get_by_role("button", name="I'll pick you up").tap()
    bo.get_by_role("button", name="I'm there in 10 minutes").tap()
    expect(ana.get_by_text("Bo comes for you.")).to_be_visible()
    # A reader of the screen hears it once.
    expect(ana.locator("body > .unseen")).to_contain_text("Bo comes for the pick-up")
    expect(ana.locator("main [role=status]", has_text="comes")).to_have_count(0)
    expect(ana.get_by_text(re.compile("There in (9|10) mins?"))).to_be_visible()
    expect(cleo.get_by_text(re.compile("Bo comes, there in (9|10) mins?"))).to_be_visible()
    expect(cleo.get_by_role("button", name="I'll pick you up")).to_have_count(0)
    # A new time, then another driver.
    bo.get_by_role("button", name="New time").tap()
    bo.get_by_role("button", name="I'm there in 30 minutes").tap()
    expect(ana.get_by_text(re.compile("There in (29|30) mins?"))).to_be_visible()
    told = cleo.context.new_page()
    visit(told, "/inbox")
    words = re.compile(r"^Bo comes for the pick-up, there by (tomorrow )?\d\d:\d\d")
    message = told.get_by_role("button", name=words).first
    expect(message).to_be_visible()
    message.tap()
    expect(told).to_have_url(re.compile(address))
    visit(told, "/")
    row = told.get_by_role("main").get_by_role("link", name=re.compile("^Ana until"))
    expect(row).to_contain_text("Bo comes, there in")
    told.close()
    bo.get_by_role("button", name="I can't come after all").tap()
    expect(ana.locator("body > .unseen")).to_contain_text("Bo can't come for the pick-up after all")
    off = ana.get_by_role("main").get_by_text("Bo can’t come after all.")
    expect(off).to_be_visible()
    cleo.get_by_role("button", name="I'll pick you up").tap()
    cleo.get_by_role("button", name="I'm there in 5 minutes").tap()
    expect(ana.get_by_text("Cleo comes for you.")).to_be_visible()
    expect(off).to_have_count(0)
    ana.get_by_role("button", name="I'm in the car").tap()
    expect(cleo.get_by_text("is in the car with you")).to_be_visible()
    # A driver who no longer watches has no name.
    cleo.get_by_role("button", name="Stop watching").tap()
    cleo.get_by_role("dialog").get_by_role("button", name="Stop watching").tap()
    expect(ana.get_by_text("You are in the car.")).to_be_visible()
    expect(bo.get_by_text("is in the car", exact=True)).to_be_visible()
    # Once it is over, nothing that was told of it leads anywhere.
    visit(bo, "/inbox")
    message = bo.get_by_role("listitem").filter(has_text="Ana is ready to be picked up").first
    expect(message.get_by_role("button")).to_have_count(1)
    stop(ana, address)
    expect(message.get_by_role("button")).to_have_count(0)
    expect(ana.get_by_text("You have stopped sharing. Nobody sees where you are now.")).to_be_visible()


def test_s3_5_a_driver_backs_out_before_anybody_was_ready(people, ana):
    bo = people("bo")
    address = start(ana, ["Bo"], ride=True, more=NOTIFY)
    visit(bo, "/inbox")
    told = bo.get_by_role("listitem").filter(has_text="Ana shares with you").first
    expect(told).to_contain_text("needs a ride")
    visit(bo, address)
    bo.get_by_role("button", name="I'll pick you up").tap()
    bo.get_by_role("button", name="I'm there in 10 minutes").tap()
    ana.get_by_role("link", name="Dark screen for the pocket").tap()
    expect(ana.get_by_text(re.compile("Bo comes, there in (9|10) mins?"))).to_be_visible()
    visit(ana, address)
    bo.get_by_role("button", name="I can't come after all").tap()
    expect(ana.get_by_text("They know that you need a ride. Tell them when you are ready.")).to_be_visible()
    expect(ana.get_by_role("main").get_by_text("Bo can’t come after all.")).to_be_visible()
    ana.get_by_role("button", name="I'm ready to be picked up").tap()
    expect(ana.get_by_text("They know that you are ready.")).to_be_visible()
    expect(bo.get_by_role("main").get_by_text("is ready to be picked up")).to_be_visible()


def test_a_second_share_goes_on_when_the_first_one_ends(people, ana):
    start(ana, ["Bo", "Cleo"], more=NOTIFY)
    first = start(ana, ["Cleo"], more=NOTIFY)
    visit(ana, "/out")
    mine = ana.get_by_role("region", name="They see where you are")
    expect(mine).to_contain_text(re.compile("Shown to (Bo and Cleo|Cleo and Bo)"))
    expect(mine.get_by_text("Shown to Cleo", exact=True)).to_be_visible()
    stop(ana, first)
    expect(ana.get_by_text("But others still see where you are.")).to_be_visible()
    cleo = people("cleo")
    visit(cleo, "/inbox")
    expect(cleo.get_by_text("One share of Ana is over, another one goes on").first).to_be_visible()
    visit(ana, "/me")
    ana.get_by_role("button", name="Log out").tap()
    expect(ana.get_by_role("dialog")).to_contain_text("You share where you are. Stop that first")
    ana.get_by_role("button", name="Cancel").tap()


def test_without_a_network_nobody_is_said_to_know_about_a_ride(people, ana):
    bo, kept = people("bo"), "Nobody knows yet. It is kept and sent later."
    address = start(ana, ["Bo"], ride=True, more=NOTIFY)
    visit(bo, address)
    expect(bo.get_by_text("needs a ride")).to_be_visible()
    ready = ana.get_by_role("button", name="I'm ready to be picked up")
    expect(ready).to_be_visible()
    ana.context.set_offline(True)
    ready.tap()
    expect(ana.get_by_text(kept)).to_be_visible()
    expect(ana.get_by_text("They know that you are ready.")).to_have_count(0)
    ana.get_by_role("button", name="Stop sharing").tap()
    ana.get_by_role("dialog").get_by_role("button", name="Stop sharing").tap()
    expect(ana.get_by_text(kept)).to_have_count(2)
    expect(ana.get_by_role("button", name="Stop sharing")).to_have_count(0)
    bo.context.set_offline(True)
    bo.get_by_role("button", name="I'll pick you up").tap()
    bo.get_by_role("button", name="I'm there in 10 minutes").tap()
    expect(bo.locator("main").get_by_text(kept)).to_be_visible()
    expect(bo.locator(".snackbar-words")).to_have_text(kept)
    bo.context.set_offline(False)
    expect(bo.locator("main").get_by_text(kept)).to_have_count(0, timeout=20_000)
    expect(bo.get_by_text(re.compile("You are there in (9|10) mins?"))).to_be_visible()
    ana.context.set_offline(False)
    expect(ana.get_by_text(ENDED)).to_be_visible(timeout=20_000)


def test_without_a_network_nobody_is_said_to_be_asked_to_let_me_stop(people, ana):
    start(ana, ["Bo"], more=[CONSENT])
    ask = ana.get_by_role("main").get_by_role("button", name="Ask to stop")
    expect(ask).to_be_visible()
    ana.context.set_offline(True)
    ask.tap()
    ana.get_by_role("dialog").get_by_role("button", name="Ask to stop").tap()
    expect(ana.get_by_text("Nobody knows yet.")).to_be_visible()
    expect(ana.get_by_text("You have asked to stop.")).to_have_count(0)
    ana.context.set_offline(False)
    expect(ana.get_by_text("You have asked to stop.")).to_be_visible(timeout=20_000)


KEEP_SOCKET = """window.WebSocket = class extends WebSocket {
  constructor(...how) {
    super(...how);
    window.socket = this;
  }
}"""


@pytest.mark.parametrize("where", ["a share", "the shop"])
def test_a_short_gap_in_the_connection_is_nobodys_business(people, way_home, where):
    bo = people("bo")
    bo.add_init_script(KEEP_SOCKET)
    bo.clock.install()
    visit(bo, way_home if where == "a share" else "/shopping/shop")
    expect(bo.get_by_role("heading", name="Cleo" if where == "a share" else "In the shop")).to_be_visible()
    expect(bo.get_by_role("main").get_by_text("Seen" if where == "a share" else "Done").first).to_be_visible()
    bo.clock.pause_at(datetime.datetime.now() + datetime.timedelta(seconds=1))
    bo.context.set_offline(True)
    bo.evaluate("socket.dispatchEvent(new CloseEvent('close', { code: 1006 }))")
    said = bo.get_by_text("No connection")
    bo.clock.run_for(1000)
    bo.clock.run_for(1500)
    assert said.count() == 0
    bo.clock.run_for(1000)
    expect(said).to_have_count(2 if where == "a share" else 1)


def test_my_share_shows_its_stop_when_it_is_opened(ana):
    address = start(ana, ["Bo", "Cleo"], more=NOTIFY)
    visit(ana, address)
    expect(ana.get_by_role("button", name="Stop sharing")).to_be_in_viewport(ratio=1)
    # It keeps its place below all else, which can be scrolled out from under it.
    longer = ana.get_by_role("button", name=re.compile("more$")).last
    longer.tap()
    expect(ana.locator(".snackbar-words")).to_have_text(re.compile("^Share longer: until"))
    ana.evaluate("scrollTo(0, document.body.scrollHeight)")
    stop, last = ana.get_by_role("button", name="Stop sharing").bounding_box(), longer.bounding_box()
    assert last["y"] + last["height"] <= stop["y"]
    assert stop["y"] + stop["height"] <= ana.get_by_role("navigation", name="Main parts").bounding_box()["y"]


# Here no app opens such an address.
OPENS_NOTHING = """addEventListener("click", (event) => {
  if (event.target.closest("[href^='geo:']")) event.preventDefault();
})"""


def test_s3_6_directions_open_an_app_of_the_phone_that_is_chosen_once(people, ana):
    bo = people("bo", new=True)
    bo.add_init_script(OPENS_NOTHING)
    visit(bo, start(ana, ["Bo"], more=NOTIFY))
    bo.get_by_role("button", name="Directions").tap()
    sheet = bo.get_by_role("dialog")
    # On a laptop, too.
    web = sheet.get_by_role("link", name="OpenStreetMap")
    expect(web).to_have_attribute("href", re.compile(r"^https://www\.openstreetmap\.org/.*to=52\.51631,13\.37770"))
    expect(web).to_have_attribute("target", "_blank")
    way = sheet.get_by_role("link", name="the phone's map")
    expect(way).to_have_attribute("href", re.compile(r"^geo:52\.51631,13\.37770"))
    way.tap()
    sheet.get_by_role("button", name="Close").tap()
    expect(bo.get_by_role("link", name="Directions")).to_have_attribute("href", re.compile("^geo:52"))
    bo.get_by_role("button", name="Another app").tap()
    expect(sheet.locator(".chosen")).to_have_text("the phone's map")


def test_s3_7_a_receiver_leaves_and_the_others_go_on(people, ana):
    bo, cleo = people("bo"), people("cleo")
    address = start(ana, ["Bo", "Cleo"], more=NOTIFY)
    for page in (bo, cleo):
        visit(page, address)
        expect(page.get_by_role("heading", name="Ana")).to_be_visible()
    bo.get_by_role("button", name="Stop watching").tap()
    expect(bo.get_by_text("The others go on watching.")).to_be_visible()
    bo.get_by_role("dialog").get_by_role("button", name="Stop watching").tap()
    expect(bo.get_by_text("You no longer watch Ana.").first).to_be_visible()
    expect(ana.get_by_text("no longer watches")).to_be_visible()
    # The last one ends it, and is told so before.
    cleo.get_by_role("button", name="Stop watching").tap()
    expect(cleo.get_by_text("You are the only one who watches.")).to_be_visible()
    cleo.get_by_role("dialog").get_by_role("button", name="Stop watching").tap()
    expect(ana.get_by_text("Nobody watched any longer.")).to_be_visible()
    visit(ana, "/inbox")
    said = ana.get_by_role("listitem").filter(has_text="You no longer share where you are").first
    expect(said).to_contain_text("nobody watched any longer")


def test_s3_8_asking_to_stop_denied_and_confirmed(people, ana):
    bo, cleo = people("bo"), people("cleo")
    address = start(ana, ["Bo", "Cleo"], more=[CONSENT])
    for page in (bo, cleo):
        visit(page, address)
        expect(page.get_by_role("heading", name="Ana")).to_be_visible()
    ana.evaluate("scrollTo(0, document.body.scrollHeight)")
    ana.get_by_role("button", name="Ask to stop").tap()
    ana.get_by_role("dialog").get_by_role("button", name="Ask to stop").tap()
    expect(ana.get_by_text("You have asked to stop.")).to_be_visible()
    # The answer to the tap is in sight, wherever the button was.
    expect(ana.get_by_text("You have asked to stop.")).to_be_in_viewport()
    question = bo.get_by_text("Ana would like to stop sharing.")
    expect(question).to_be_visible()
    assert question.bounding_box()["y"] < bo.locator(".headline").bounding_box()["y"]
    for path in ["/", "/out"]:
        visit(bo, path)
        row = bo.get_by_role("main").get_by_role("link", name=re.compile("^Ana Ana would"))
        expect(row.locator(".row-text")).to_have_text(re.compile("^Ana would like to stop sharing"))
    visit(bo, address)
    bo.get_by_role("button", name="Go on watching").tap()
    expect(ana.get_by_text("wants to go on watching")).to_be_visible()
    visit(bo, "/out")
    expect(bo.get_by_role("link", name=re.compile("^Ana"))).not_to_contain_text("would like to stop")
    visit(bo, address)
    cleo.get_by_role("button", name="Agree").tap()
    expect(ana.get_by_text("has agreed to stop")).to_be_visible()
    # All who are left have answered.
    denied = re.compile(r"They go on seeing you until (tomorrow )?\d\d:\d\d\. You can ask again from")
    expect(ana.get_by_text(denied)).to_be_visible()
    expect(ana.get_by_role("button", name="Ask to stop")).to_have_count(0)
    # Bo changes their mind.
    bo.get_by_role("button", name="Agree").tap()
    expect(ana.get_by_text(ENDED)).to_be_visible()


def test_s3_9_nobody_else_sees_it(people, ana):
    cleo = people("cleo")
    address = start(ana, ["Bo"], more=NOTIFY)
    visit(cleo, "/out")
    expect(cleo.get_by_role("link", name=re.compile("^Dan"))).to_be_visible()
    expect(cleo.get_by_role("link", name=re.compile("^Ana"))).to_have_count(0)
    visit(cleo, address)
    expect(cleo.get_by_text("This share is over.")).to_be_visible()


def test_s3_9_both_roles_at_once(people, ana):
    bo = people("bo", **PHONE)
    start(ana, ["Bo"], more=NOTIFY)
    theirs = start(bo, ["Ana"], ride=True, more=NOTIFY)
    for page, other in [(ana, "Bo"), (bo, "Ana")]:
        visit(page, "/out")
        on_the_way = page.get_by_role("region", name="On the way")
        expect(on_the_way.get_by_role("link", name=re.compile(f"^{other}"))).to_be_visible()
        expect(page.get_by_role("region", name="They see where you are").get_by_role("link")).to_have_count(1)
    # Everybody who sees me is listed, and marked once they have looked.
    ana.get_by_role("link", name=re.compile("^Bo")).first.tap()
    bo.get_by_role("region", name="They see where you are").get_by_role("link").tap()
    expect(bo.get_by_role("listitem").filter(has_text="Ana")).to_contain_text("has looked")
    stop(bo, theirs)
    expect(ana.get_by_role("main").get_by_text("Bo has stopped sharing.")).to_be_visible()


def test_s3_11_a_phone_that_falls_silent_is_said_to_be(people, ana):
    bo = people("bo")
    bo.clock.install()
    visit(bo, start(ana, ["Bo"], more=NOTIFY))
    age = bo.locator(".headline .age")
    expect(age).to_contain_text("Seen")
    ana.context.set_offline(True)
    # With a network, Bo's phone would greet the server again, and set its clock by the answer.
    bo.context.set_offline(True)
    bo.clock.fast_forward("02:00")
    expect(age).to_contain_text("Last seen 2 min")
    bo.clock.fast_forward("02:00")
    expect(age).to_contain_text("Not seen since")
    ana.context.set_offline(False)


def test_s3_11_a_phone_that_may_not_say_where_it_is_is_told_so(people):
    bo = people("bo")
    dan = people("cleo", permissions=[])
    address = start(dan, ["Bo"], more=NOTIFY)
    refused = dan.get_by_text("Your browser does not let Hearth see where you are.")
    nobody = dan.get_by_role("main").get_by_text("Nobody sees where you are now.").filter(visible=True)
    expect(refused).to_be_visible()
    expect(nobody).to_be_visible()
    expect(dan.get_by_text("Sent just now")).to_have_count(0)
    for path in ["/", "/out"]:
        visit(dan, path)
        expect(nobody.first).to_be_visible()
    visit(dan, address)
    expect(refused).to_be_visible()
    visit(bo, address)
    expect(bo.get_by_text("Cleo's phone has not told yet where it is.").first).to_be_visible()
    # They allow it in the settings, and come back.
    dan.context.set_geolocation(GATE)
    dan.context.grant_permissions(["geolocation"])
    dan.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(bo.get_by_text("to within 10 m")).to_be_visible()
    expect(refused).to_have_count(0)
    expect(nobody).to_have_count(0)
    stop(dan, address)
    dan.context.clear_permissions()


def test_without_a_network_nobody_sees_me_and_the_page_says_so(people, ana):
    # Once with a network, so that the screens are on the device.
    start(ana, ["Bo"], more=NOTIFY)
    ana.get_by_role("button", name="Back").tap()
    ana.get_by_role("link", name=re.compile("Share where I am")).tap()
    expect(ana.get_by_role("button", name="Share with Bo")).to_be_visible()
    ana.context.set_offline(True)
    ana.get_by_role("button", name=re.compile("^Share with")).tap()
    expect(ana.get_by_text("Not sent yet. Nobody sees where you are")).to_be_visible()
    ana.context.set_offline(False)
    expect(ana.get_by_role("heading", name="They see you")).to_be_visible(timeout=20_000)
    expect(ana.locator(".map-person")).to_have_count(1, timeout=20_000)


def test_a_share_that_was_begun_without_a_network_is_taken_back_and_nobody_ever_sees_it(people, ana, house):
    bo = people("bo")
    visit(bo, "/out")
    stop(ana, start(ana, ["Bo"], more=NOTIFY))
    # This phone keeps only the screens that it has shown.
    visit(ana, "/out")
    visit(ana, "/out/new")
    expect(ana.get_by_role("button", name="Share with Bo")).to_be_visible()
    ana.context.set_offline(True)
    expect(ana.get_by_text("No connection.")).to_be_visible()
    ana.get_by_role("button", name="Share with Bo").tap()
    ana.get_by_role("button", name="Do not share after all").tap()
    expect(ana.locator(".snackbar-words")).to_have_text("Nobody sees where you are now.")
    expect(ana).to_have_url(re.compile("/out$"))
    expect(ana.get_by_role("region", name="They see where you are")).to_have_count(0)
    ana.context.set_offline(False)
    expect(ana.get_by_text("No connection.")).to_have_count(0, timeout=20_000)
    # What is done later has arrived, so the share would have.
    visit(ana, "/me/changes")
    expect(ana.get_by_text("Everything you did has arrived.")).to_be_visible()
    with Peer(house.url, house.token("ana")) as peer:
        assert not [one for one in peer.state("me").get("shares", {}).values() if one["role"] == "sharer"]
    expect(bo.get_by_role("link", name=re.compile("^Dan|^Cleo")).first).to_be_visible()
    expect(bo.get_by_role("link", name=re.compile("^Ana"))).to_have_count(0)


def test_the_next_share_after_the_last_one_is_told_from_here_too(people, ana):
    stop(ana, start(ana, ["Bo"], more=NOTIFY))
    start(ana, ["Bo"], more=NOTIFY)
    expect(ana.locator(".map-person")).to_have_count(1)


def test_a_share_that_was_begun_without_a_network_is_told_from_here_after_the_page_was_closed(people, ana):
    # Once with a network, so that the screens are on the device.
    stop(ana, start(ana, ["Bo"], more=NOTIFY))
    visit(ana, "/out/new")
    expect(ana.get_by_role("button", name="Share with Bo")).to_be_visible()
    ana.context.set_offline(True)
    ana.get_by_role("button", name=re.compile("^Share with")).tap()
    expect(ana.get_by_text("Not sent yet. Nobody sees where you are")).to_be_visible()
    address = ana.url
    context = ana.context
    ana.close()
    context.set_offline(False)
    again = context.new_page()
    visit(again, address)
    expect(again.get_by_role("heading", name="They see you")).to_be_visible(timeout=20_000)
    expect(again.locator(".map-person")).to_have_count(1, timeout=20_000)
    expect(again.get_by_text("Another device of yours")).to_have_count(0)
    again.close()


def test_pocket_mode_is_left_by_sliding_or_by_two_taps(people, ana):
    address = start(ana, ["Bo"], more=NOTIFY)
    ana.get_by_role("link", name="Dark screen for the pocket").tap()
    expect(ana.get_by_text("You share where you are")).to_be_visible()
    ana.get_by_role("button", name="Leave pocket mode").tap()
    ana.get_by_role("button", name="Tap again to leave").tap()
    expect(ana.get_by_role("heading", name="They see you")).to_be_visible()
    visit(ana, f"{address}/pocket")
    ana.get_by_role("slider", name="Slide to leave").fill("100")
    expect(ana.get_by_role("heading", name="They see you")).to_be_visible()


def test_asking_where_somebody_is(people, ana):
    bo = people("bo", **PHONE)
    visit(bo, "/out")
    visit(ana, "/out")
    ana.get_by_role("button", name="Ask somebody where they are").tap()
    ana.get_by_role("dialog").get_by_role("button", name="Bo").tap()
    expect(ana.get_by_text("You have asked Bo.")).to_be_visible()
    expect(bo.get_by_text("Ana asks where you are.")).to_be_visible()
    bo.get_by_role("link", name="Share with Ana").tap()
    # It is said before how it ends.
    expect(bo.get_by_label(CONSENT)).to_be_visible()
    bo.get_by_label(NOTIFY[0]).check()
    bo.get_by_role("button", name="Share with Ana").tap()
    expect(bo.get_by_role("heading", name="They see you")).to_be_visible()
    address = re.sub(r"^https?://[^/]+", "", bo.url)
    expect(ana.get_by_role("link", name=re.compile("^Bo"))).to_be_visible()
    expect(ana.get_by_text("You have asked Bo.")).to_have_count(0)
    stop(bo, address)


def test_s3_10_arrived_safely_and_the_receivers_are_told(people, house, sessions, way_home):
    # Of another share to the same place, Bo is the driver: it goes on for a little.
    with Peer(house.url, sessions("cleo")["token"]) as peer, Peer(house.url, house.token("bo")) as driver:
        place = {"lat": ELM_STREET["latitude"], "lon": ELM_STREET["longitude"], "label": "Elm Street"}
        how = {"place": place, "ride": True, "stop": "notify"}
        share = peer.call("shares.start", receivers=peer.mates("Bo"), until=in_two_hours(), **how)["id"]
        driver.call("pickup.accept", room=f"share/{share}", minutes=10)
        report(peer)
    ana, bo, cleo = people("ana"), people("bo", new=True), people("cleo", permissions=["geolocation"])
    cleo.add_init_script(PLACE_BY_CLOCK)
    for page in (bo, cleo):
        page.clock.install()
    visit(cleo, way_home)
    visit(bo, way_home)
    visit(ana, "/inbox")
    expect(bo.get_by_role("heading", name="Cleo")).to_be_visible()
    over = bo.get_by_text("Cleo has arrived at Elm Street.")
    # Twice at the door, ten seconds apart, is an arrival. A test that runs alone comes too early for the first ones.
    for _ in range(100):
        walk(cleo, ELM_STREET, 11)
        walk(cleo, {**ELM_STREET, "latitude": 52.5254}, 1)
        # Cleo looks at the phone, which then reports.
        cleo.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        if over.is_visible():
            break
    expect(over).to_be_visible()
    expect(ana.get_by_role("main").get_by_text("Cleo has arrived: Elm Street")).to_be_visible()
    expect(cleo.get_by_text("You have arrived: Elm Street. They have been told.")).to_be_visible()
    for page in (bo, cleo):
        visit(page, f"/out/share/{share}")
    expect(bo.locator(".headline")).to_contain_text("has arrived")
    expect(cleo.get_by_text(re.compile(r"You have arrived\. This ends by itself at"))).to_be_visible()
    visit(bo, "/out")
    rows = bo.get_by_role("region", name="On the way").get_by_role("listitem")
    expect(rows.filter(has_text="has arrived")).to_have_count(1)
    names = {row.locator(".row-title").inner_text() for row in rows.filter(has_not_text="has arrived").all()}
    lead = f"{next(iter(names), 'Nobody')} is on the way." if len(names) < 2 else f"{len(names)} people are on the way."
    expect(bo.get_by_role("main").get_by_text(lead)).to_be_visible()
    # Cleo no longer sends places, and is not lost for all that.
    bo.clock.set_system_time(datetime.datetime.now() + datetime.timedelta(minutes=10))
    bo.clock.run_for(2000)
    expect(rows.filter(has_text="has arrived")).to_have_class(re.compile(r"\bfresh\b"))
    visit(bo, "/out/map")
    expect(bo.get_by_role("main").get_by_role("link", name=re.compile("^Cleo"))).to_contain_text("has arrived")
    visit(cleo, "/out")
    expect(cleo.get_by_role("link", name=re.compile("^You have arrived"))).to_be_visible()
    with Peer(house.url, house.token("cleo")) as peer:
        peer.call("shares.stop", room=f"share/{share}")
    visit(cleo, f"/out/share/{share}")
    expect(cleo.get_by_text("They have been told. Nobody sees where you are now.")).to_be_visible()
