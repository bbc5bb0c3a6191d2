"""The board, the chat, the activity and the inbox (S0.22, S0.23), with counted taps, offline and without a mouse."""

import datetime
import re
import uuid
import zoneinfo

from playwright.sync_api import expect

from conftest import PASSWORD
from pages import fill_in, go_offline, log_out, open_home, sheet, switch, visit
from peer import Peer


def word(name):
    return f"{name} {uuid.uuid4().hex[:6]}"


def pin(page, text):
    page.get_by_role("button", name="New note").tap()
    sheet(page, "New note").get_by_role("textbox", name="Note").fill(text)
    sheet(page, "New note").get_by_role("button", name="Pin it").tap()


def a_day(later: int) -> str:
    """The date in so many days, where the people of the sample live."""
    return str((datetime.datetime.now(zoneinfo.ZoneInfo("Europe/Berlin")) + datetime.timedelta(days=later)).date())


def note(page, text):
    return page.locator(".board > .note", has_text=text)


def test_s0_22_a_note_takes_two_taps_and_is_seen_by_all(people):
    ana, bo = open_home(people("ana")), open_home(people("bo"))
    text = word("Bins go out tonight")
    pin(ana, text)
    expect(sheet(ana)).to_have_count(0)
    expect(note(bo, text)).to_be_visible()
    expect(note(bo, text)).to_contain_text("Ana")
    # Bo reacts, and Ana sees how many have, and who.
    note(bo, text).get_by_role("button").tap()
    sheet(bo).get_by_role("button", name="React with 👍").tap()
    expect(note(ana, text)).to_contain_text("👍 1")
    note(ana, text).get_by_role("button").tap()
    expect(sheet(ana).get_by_role("button", name="👍: Bo")).to_have_text("👍Bo")
    ana.keyboard.press("Escape")
    # Only the author and the host take it down; one tap brings it back.
    expect(sheet(bo).get_by_text("Only Ana and the host can change it.")).to_be_visible()
    expect(sheet(bo).get_by_role("button", name="Take down")).to_have_count(0)
    note(ana, text).get_by_role("button").tap()
    sheet(ana).get_by_role("button", name="Take down").tap()
    expect(note(bo, text)).to_have_count(0)
    expect(sheet(bo).get_by_text("This note no longer hangs here.")).to_be_visible()
    ana.get_by_role("button", name="Undo").tap()
    expect(note(bo, text)).to_have_count(1)
    bo.keyboard.press("Escape")
    # It is in what happened lately.
    visit(bo, "/activity")
    bo.get_by_role("main").get_by_role("link", name="Ana pinned a note").filter(visible=True).first.tap()
    expect(bo.get_by_role("heading", name="Board")).to_be_visible()
    # Home shows the newest, which lead on as well.
    expect(bo.get_by_role("region", name="Lately").get_by_role("link", name="Ana pinned a note")).not_to_have_count(0)


# Resolves to what the next sign on a row says, and on which row.
NEXT_SIGN = """() => {
  window.nextSign = new Promise((resolve, reject) => {
    setTimeout(reject, 10_000, new Error("no sign"));
    new MutationObserver((changes, observer) => {
      const sign = changes.flatMap(({ addedNodes }) => [...addedNodes]).find((one) => one.className === "changed-by");
      if (!sign) return;
      observer.disconnect();
      resolve([sign.textContent, sign.parentElement.innerText]);
    }).observe(document.querySelector("main"), { childList: true, subtree: true });
  });
}"""


def test_s0_22_a_row_shows_for_a_moment_who_else_has_changed_it(people):
    ana, bo = open_home(people("ana")), open_home(people("bo"))
    for page in [ana, bo]:
        page.locator(".board").scroll_into_view_if_needed()
    text = word("Whose turn is it")
    bo.evaluate(NEXT_SIGN)
    pin(ana, text)
    initial, row = bo.evaluate("nextSign")
    assert initial == "A" and text in row
    expect(note(bo, text).locator(".changed-by")).to_have_count(0)
    # One's own change is no news.
    expect(note(ana, text)).to_be_visible()
    expect(ana.locator(".changed-by")).to_have_count(0)
    # The sign names the member who reacted, not the author.
    ana.evaluate(NEXT_SIGN)
    note(bo, text).get_by_role("button").tap()
    sheet(bo).get_by_role("button", name="React with 👍").tap()
    initial, row = ana.evaluate("nextSign")
    assert initial == "B" and text in row


def open_lately(page):
    page.get_by_role("region", name="Lately").get_by_role("link", name="Earlier").tap()
    expect(page.get_by_role("heading", name="Lately", level=1)).to_be_visible()


def take_down(page, text):
    """Takes a note down, does not take that back at once, and looks at what happened lately."""
    note(page, text).get_by_role("button").tap()
    sheet(page).get_by_role("button", name="Take down").tap()
    message = page.get_by_text("Note taken down.").and_(page.locator(".snackbar-words"))
    message.tap()
    expect(message).to_be_hidden()
    open_lately(page)


def test_s0_22_a_note_taken_down_can_be_brought_back_later(people):
    ana, bo = open_home(people("ana")), open_home(people("bo"))
    text, other = word("Taken down too early"), word("Taken down rightly")
    for one in [text, other]:
        pin(ana, one)
        expect(note(bo, one)).to_be_visible()
        take_down(ana, one)
        expect(note(bo, one)).to_have_count(0)
        ana.get_by_role("button", name="Back").tap()
    open_lately(ana)
    left = ana.get_by_role("region", name="You can still take back")
    expect(left.get_by_role("listitem")).to_have_text([re.compile(other), re.compile(text)])
    left.get_by_role("button", name=re.compile(f"^Undo: .*{text}")).tap()
    expect(ana.locator(".snackbar", has_text=f"Taken back: {text}")).to_be_visible()
    expect(note(bo, text)).to_be_visible()
    expect(note(bo, other)).to_have_count(0)
    expect(left.get_by_role("listitem")).to_have_count(1)
    expect(left.get_by_role("button")).to_be_focused()
    left.get_by_role("button").tap()
    expect(note(bo, other)).to_be_visible()
    expect(left).to_have_count(0)
    expect(ana.get_by_role("heading", name="Lately", level=1)).to_be_focused()


def test_s0_22_after_ten_minutes_or_a_log_out_nothing_can_be_brought_back(people, house):
    ana = people("ana", house.log_in("ana", "Another phone")["token"])
    ana.clock.install()
    open_home(ana)
    text, other = word("Gone"), word("Gone as well")
    left = ana.get_by_role("region", name="You can still take back")
    pin(ana, text)
    take_down(ana, text)
    ana.clock.fast_forward("09:30")
    expect(left).to_contain_text(f"{text} · 9 min")
    ana.clock.fast_forward("00:30")
    expect(left).to_have_count(0)
    # The next one on this device may be somebody else.
    ana.get_by_role("button", name="Back").tap()
    pin(ana, other)
    take_down(ana, other)
    expect(left).to_contain_text(other)
    ana.get_by_role("button", name="Back").tap()
    ana.get_by_role("link", name="Your account").tap()
    log_out(ana)
    ana.get_by_role("button", name="Log in").tap()
    fill_in(ana, "ana@example.org", PASSWORD)
    open_lately(ana)
    expect(left).to_have_count(0)


def test_s0_22_a_note_with_a_time_and_a_colour_can_be_changed(people):
    ana, bo = open_home(people("ana")), open_home(people("bo"))
    text = word("Plumber")
    ana.get_by_role("button", name="New note").tap()
    sheet(ana).get_by_role("textbox", name="Note").fill(text)
    sheet(ana).get_by_role("radio", name="Blue").check()
    # No two choices mean the same.
    choices = sheet(ana).get_by_label("It stays for")
    expect(choices).to_have_value("week")
    assert "As usual" not in choices.inner_text()
    choices.select_option(label="Until a time…")
    until = sheet(ana).get_by_label("Until when?")
    until.fill("2020-02-01T20:00")
    sheet(ana).get_by_role("button", name="Pin it").tap()
    expect(sheet(ana).get_by_text("That has passed. Choose a later time.")).to_be_visible()
    until.fill(f"{a_day(400)}T20:00")
    sheet(ana).get_by_role("button", name="Pin it").tap()
    expect(sheet(ana).get_by_text("Choose a time within a year.")).to_be_visible()
    until.fill(f"{a_day(1)}T20:00")
    sheet(ana).get_by_role("button", name="Pin it").tap()
    expect(note(bo, text)).to_have_class(re.compile("blue"))
    note(bo, text).get_by_role("button").tap()
    expect(sheet(bo).get_by_text("Goes tomorrow at 20:00")).to_be_visible()
    note(ana, text).get_by_role("button").tap()
    sheet(ana).get_by_role("button", name="Change").tap()
    expect(until).to_have_value(f"{a_day(1)}T20:00")
    until.fill(f"{a_day(1)}T19:30")
    sheet(ana).get_by_role("textbox", name="Note").fill(f"{text} at nine")
    # Bo reacts to the note meanwhile, and the typed text stays.
    sheet(bo).get_by_role("button", name="React with 👍").tap()
    expect(note(ana, text)).to_contain_text("👍 1")
    expect(sheet(ana).get_by_role("textbox", name="Note")).to_have_value(f"{text} at nine")
    sheet(ana).get_by_role("button", name="Save").tap()
    expect(sheet(bo).get_by_text(f"{text} at nine")).to_be_visible()
    expect(sheet(bo).get_by_text("changed by Ana")).to_be_visible()
    expect(sheet(bo).get_by_text("Goes tomorrow at 19:30")).to_be_visible()


def test_s0_22_a_note_is_gone_at_its_time_even_without_a_network(people):
    ana, bo = people("ana"), people("bo", goes_offline=True)
    bo.clock.install()
    open_home(ana), open_home(bo)
    text = word("Cake in the kitchen")
    ana.get_by_role("button", name="New note").tap()
    sheet(ana).get_by_role("textbox", name="Note").fill(text)
    sheet(ana).get_by_label("It stays for").select_option(label="An hour")
    sheet(ana).get_by_role("button", name="Pin it").tap()
    note(bo, text).get_by_role("button").tap()
    go_offline(bo)
    bo.clock.fast_forward("59:00")
    expect(sheet(bo).get_by_text(text)).to_be_visible()
    bo.clock.fast_forward("02:00")
    expect(sheet(bo).get_by_text("This note no longer hangs here.")).to_be_visible()
    expect(note(bo, text)).to_have_count(0)


def test_s0_23_the_newest_thirty_events_and_older_ones(people, house):
    with Peer(house.url, house.token("bo")) as bo:
        room = bo.household
        for number in range(31):
            bo.call("notes.add", room=room, text=f"Event {number}", lifetime=60_000)
    pages = [people("ana"), people("cleo")]
    for page in pages:
        visit(page, "/activity")
        expect(page.locator("li .row")).to_have_count(30)
    earlier, first = pages[1].get_by_role("button", name="Earlier"), pages[1].get_by_text("founded the household")
    while not first.is_visible():
        shown = pages[1].locator("li .row").count()
        earlier.tap()
        expect(pages[1].locator("li .row").nth(shown)).to_be_visible()
    assert pages[1].locator("li .row").count() > 30
    # Another one arrives by itself, and the oldest of the thirty makes room for it.
    house.call("groceries.add", {"room": room, "name": "Not an event"}, bo.token)
    house.call("notes.add", {"room": room, "text": "The newest", "lifetime": 60_000}, house.token("dan"))
    expect(pages[0].locator("li .row").first).to_contain_text("Dan pinned a note")
    expect(pages[0].locator("li .row")).to_have_count(30)


def test_a_sheet_closes_with_back_and_keeps_what_was_typed(people):
    ana = open_home(people("ana"))
    ana.get_by_role("button", name="New note").tap()
    sheet(ana).get_by_role("textbox", name="Note").fill("half a thought")
    ana.go_back()
    expect(sheet(ana)).to_have_count(0)
    expect(ana).to_have_url(re.compile("/$"))
    ana.keyboard.press("n")
    expect(sheet(ana).get_by_role("textbox", name="Note")).to_have_value("half a thought")
    ana.keyboard.press("Escape")
    expect(sheet(ana)).to_have_count(0)
    expect(ana.get_by_role("button", name="New note")).to_be_focused()


def test_chat_is_live_counted_and_read(people):
    cleo, dan = open_home(people("cleo")), people("dan")
    visit(dan, "/chat")
    text = word("Who is home for dinner?")
    dan.get_by_role("textbox", name="Write to everybody").fill(text)
    dan.get_by_role("button", name="Send").tap()
    expect(dan.locator(".bubble", has_text=text)).to_be_visible()
    expect(cleo.locator(".home-below .badge").first).to_be_visible()
    visit(cleo, "/chat")
    expect(cleo.locator(".bubble", has_text=text)).to_be_visible()
    cleo.locator(".bubble", has_text=text).tap()
    sheet(cleo).get_by_role("button", name="React with 🎉").tap()
    expect(dan.locator(".message", has_text=text)).to_contain_text("🎉 1")
    # All that Cleo has seen is no longer counted, nor is a message that is taken back before they look.
    visit(cleo, "/")
    count = cleo.locator(".home-below .badge")
    expect(count).to_have_count(0)
    text = word("And who cooks?")
    dan.get_by_role("textbox", name="Write to everybody").fill(text)
    dan.get_by_role("button", name="Send").tap()
    expect(count).to_contain_text("1 message")
    dan.locator(".bubble", has_text=text).tap()
    sheet(dan).get_by_role("button", name="Remove message").tap()
    sheet(dan, "Remove it for everybody?").get_by_role("button", name="Remove message").tap()
    expect(dan.locator(".bubble", has_text=text)).to_have_count(0)
    expect(count).to_have_count(0)


def test_the_end_of_the_chat_stays_in_sight_with_a_keyboard(people, house):
    with Peer(house.url, house.token("bo")) as bo:
        bo.call_all("chat.send", [{"room": bo.household, "text": f"Line {number} of some"} for number in range(30)])
    ana = people("ana")
    visit(ana, "/chat")
    newest, line = ana.locator(".bubble").last, ana.locator(".writing")
    expect(newest).to_be_in_viewport()
    wide = ana.viewport_size
    for width, height in [(wide["width"], 480), (844, 390), (wide["width"], wide["height"])]:
        ana.set_viewport_size({"width": width, "height": height})
        expect(newest).to_be_in_viewport(ratio=1)
        bottom = newest.bounding_box()
        assert bottom["y"] + bottom["height"] <= line.bounding_box()["y"], (width, height)
    # The place of somebody who reads earlier messages is theirs.
    ana.evaluate("scrollTo(0, 0)")
    ana.set_viewport_size({"width": wide["width"], "height": 480})
    expect(newest).not_to_be_in_viewport()


# Whether the most digits of a badge fit into one line of it; null if it is no longer there.
FITS = """(badge) => {
  badge.textContent = "99+";
  const text = document.createRange();
  text.selectNodeContents(badge);
  const fits = text.getClientRects().length === 1 && text.getBoundingClientRect().width < badge.clientWidth;
  return badge.isConnected ? fits : null;
}"""


def test_the_inbox_counts_and_is_read_by_looking(people):
    ana, bo = open_home(people("ana")), open_home(people("bo"))
    pin(ana, word("News"))
    bell = bo.get_by_role("link", name=re.compile("^Inbox, [1-9]"))
    expect(bell).to_be_visible()
    # More digits stay on one line. The badge may be made anew just then.
    while (fits := bell.locator(".badge").evaluate(FITS)) is None:
        pass
    assert fits
    bo.get_by_role("link", name=re.compile("^Inbox")).tap()
    expect(bo.get_by_role("button", name="Ana pinned a note").first).to_be_visible()
    bo.get_by_role("button", name="Back").tap()
    expect(bo.get_by_role("link", name="Inbox, 0 new messages")).to_be_visible()


def test_earlier_messages_of_the_chat_come_page_by_page(people, house):
    with Peer(house.url, house.token("bo")) as bo:
        bo.call_all("chat.send", [{"room": bo.household, "text": f"Message {number} of many"} for number in range(170)])
    ana = people("ana")
    visit(ana, "/chat")
    bubbles = ana.locator(".bubble")
    expect(bubbles.filter(has_text="Message 169 of many")).to_be_visible()
    expect(bubbles.filter(has_text="Message 100 of many")).to_have_count(0)
    ana.get_by_role("button", name="Earlier messages").click()
    expect(bubbles.filter(has_text="Message 100 of many")).to_have_count(1)
    expect(bubbles.filter(has_text="Message 9 of many")).to_have_count(0)
    ana.get_by_role("button", name="Earlier messages").click()
    expect(bubbles.filter(has_text="Message 9 of many")).to_have_count(1)
    texts = bubbles.all_inner_texts()
    numbers = [int(found[1]) for text in texts if (found := re.search(r"Message (\d+) of", text))]
    assert numbers == list(range(170))


SEEN = """(state) => {
  Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_an_open_inbox_that_nobody_sees_reads_nothing(people):
    ana, laptop, phone = open_home(people("ana")), people("bo", new=True), open_home(people("bo", new=True))
    visit(laptop, "/inbox")
    expect(phone.get_by_role("link", name="Inbox, 0 new messages")).to_be_visible()
    laptop.evaluate(SEEN, "hidden")
    pin(ana, word("First"))
    pin(ana, word("Second"))
    expect(phone.get_by_role("link", name="Inbox, 2 new messages")).to_be_visible()
    laptop.evaluate(SEEN, "visible")
    expect(phone.get_by_role("link", name="Inbox, 0 new messages")).to_be_visible()
    expect(laptop.get_by_role("heading", name="New", exact=True)).to_be_visible()


def test_the_keyboard_goes_everywhere(people):
    ana = open_home(people("ana", viewport={"width": 1280, "height": 800}, has_touch=False))
    ana.keyboard.press("g")
    ana.keyboard.press("c")
    expect(ana.get_by_role("heading", name="Chat")).to_be_focused()
    ana.keyboard.press("?")
    expect(sheet(ana, "Keyboard")).to_be_visible()
    ana.keyboard.press("Escape")
    expect(sheet(ana)).to_have_count(0)
    ana.keyboard.press("/")
    expect(ana.get_by_role("textbox", name="Write to everybody")).to_be_focused()
    # Without them, a key that is pressed by accident does nothing.
    visit(ana, "/me/look")
    for is_on, sheets in [(False, 0), (True, 1)]:
        switch(ana, "Shortcuts of a keyboard", is_on)
        ana.keyboard.press("?")
        expect(sheet(ana, "Keyboard")).to_have_count(sheets)


def test_long_names_three_scripts_and_320_pixels(people):
    ana = people("ana", viewport={"width": 320, "height": 640})
    open_home(ana)
    pin(ana, word("Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen" * 2))
    pin(ana, word("שלום לכולם, הערב אנחנו אוכלים יחד"))
    pin(ana, word("今晚大家一起吃饭好吗"))
    for path in ["/", "/household", "/chat", "/inbox", "/activity", "/me", "/me/security", "/me/look", "/start"]:
        visit(ana, path)
        expect(ana.get_by_role("heading", level=1)).to_be_visible()
        assert ana.evaluate("document.documentElement.scrollWidth") <= 320, path


def test_a_tap_beside_a_sheet_closes_the_sheet_alone(people):
    ana = open_home(people("ana"))
    for name in ["Shopping", "Chores"]:
        ana.get_by_role("navigation").get_by_role("link", name=name).tap()
    ana.get_by_role("button", name="New chore").tap()
    expect(sheet(ana)).to_be_visible()
    ana.touchscreen.tap(200, 10)
    expect(sheet(ana)).to_have_count(0)
    # Further back it does not go, whatever else has closed the sheet.
    ana.get_by_role("navigation").get_by_role("link", name="Money").tap()
    expect(ana.get_by_role("heading", name="Money")).to_be_visible()
    ana.go_back()
    expect(ana.get_by_role("heading", name="Chores")).to_be_visible()


def test_nothing_but_an_open_sheet_can_be_used(people):
    ana = open_home(people("ana"))
    ana.get_by_role("button", name="New note").tap()
    expect(ana.locator("main[inert]")).to_have_count(1)
    for _ in range(40):
        ana.keyboard.press("Tab")
        assert ana.evaluate("document.activeElement === document.body || !!document.activeElement.closest('dialog')")
    ana.keyboard.press("Escape")
    expect(sheet(ana)).to_have_count(0)
    expect(ana.locator("[inert]")).to_have_count(0)


def test_a_tab_that_is_left_stays_as_it_was_and_up_to_date(people):
    ana, bo = open_home(people("ana")), open_home(people("bo"))
    tabs = ana.get_by_role("navigation")
    tabs.get_by_role("link", name="Shopping").tap()
    ana.get_by_role("textbox", name="Add an item").fill("Half a word")
    tabs.get_by_role("link", name="Home").tap()
    expect(ana.get_by_role("button", name="New note")).to_be_visible()
    # Nobody hears of the tab that is left.
    expect(ana.get_by_role("textbox", name="Add an item")).to_have_count(0)
    expect(ana.get_by_role("main").get_by_role("article")).to_have_count(1)
    tabs.get_by_role("link", name="Shopping").tap()
    expect(ana.get_by_role("textbox", name="Add an item")).to_have_value("Half a word")
    text = word("The lamp is broken")
    pin(bo, text)
    expect(note(bo, text)).to_be_visible()
    tabs.get_by_role("link", name="Home").tap()
    expect(note(ana, text)).to_have_count(1)
    note(ana, text).get_by_role("button").tap()
    expect(sheet(ana)).to_contain_text(text)
