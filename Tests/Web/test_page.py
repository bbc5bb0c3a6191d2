"""The page as a whole: it opens without a network, takes a newer version when asked, and keeps to its policy."""

import datetime
import shutil

import pytest
from playwright.sync_api import expect

from conftest import APP, PASSWORD
from pages import NEW_PASSWORD, PHONE, fill_in, finger, go_offline, log_out, open_home, sheet
from peer import Peer


def log_in(device, server, name):
    page = device(base_url=server.url, **PHONE).new_page()
    page.goto("/login")
    return enter(page, name)


def enter(page, name):
    fill_in(page, f"{name}@example.org", PASSWORD)
    expect(page.get_by_role("button", name="Elm Street")).to_be_visible()
    return page


def is_kept(page):
    """Waits until the page is on the device, and its worker answers for it."""
    page.evaluate(
        """async () => {
          await navigator.serviceWorker.ready;
          if (navigator.serviceWorker.controller) return;
          await new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve));
        }"""
    )


def write(page, text):
    page.get_by_role("textbox", name="Write to everybody").fill(text)
    page.get_by_role("button", name="Send").click()


def bubble(page, text):
    return page.locator(".bubble", has_text=text)


def test_a_killed_server_is_no_reason_to_stop(device, own_server):
    server = own_server()
    ana = log_in(device, server, "ana")
    is_kept(ana)
    ana.goto("/chat")
    write(ana, "Before it died")
    expect(bubble(ana, "Before it died")).to_be_visible()
    expect(ana.locator(".bubble").get_by_text("not sent yet")).to_have_count(0)
    server.kill()
    write(ana, "While it was dead")
    expect(bubble(ana, "While it was dead")).to_be_visible()
    ana.reload()
    expect(bubble(ana, "Before it died")).to_be_visible()
    expect(bubble(ana, "While it was dead")).to_contain_text("not sent yet")
    server.start()
    expect(ana.locator(".bubble").get_by_text("not sent yet")).to_have_count(0, timeout=40_000)
    bo = log_in(device, server, "bo")
    bo.goto("/chat")
    for text in ["Before it died", "While it was dead"]:
        expect(bubble(bo, text)).to_have_count(1)


@pytest.mark.parametrize("what", ["localStorage", "indexedDB"])
def test_a_browser_that_may_store_nothing_is_told_why_there_is_no_page(chromium, house, what):
    # Not a device: its errors are meant.
    page = chromium.new_context().new_page()
    page.add_init_script(f"""Object.defineProperty(globalThis, "{what}", {{
      get() {{ throw new DOMException("Access is denied for this document.", "SecurityError"); }},
    }})""")
    page.goto(house.url)
    late = page.get_by_text("Your browser must allow it to store data")
    expect(late).to_be_hidden()
    # As after eight seconds.
    page.evaluate("document.getAnimations().forEach((one) => one.finish())")
    expect(late).to_be_visible()
    page.context.close()


def pull(page, far):
    touch = finger(page, page.get_by_role("heading", level=1))
    touch("touchStart")
    for down in range(0, far + 1, 20):
        touch("touchMove", down=down)
    touch("touchEnd")


def test_pulling_the_page_down_asks_the_server_at_once(device, own_server):
    server = own_server()
    page = device(base_url=server.url, **PHONE).new_page()
    page.clock.install()
    page.goto("/login")
    enter(page, "ana")
    said, offline = page.locator(".snackbar-words"), page.get_by_text("No connection. What you do is kept")
    pull(page, 60)
    page.get_by_role("link", name="Shopping").tap()
    expect(page.get_by_role("heading", name="Shopping")).to_be_visible()
    expect(said).to_be_hidden()
    pull(page, 160)
    expect(said).to_have_text("Everything is up to date.")
    server.kill()
    expect(offline).to_be_visible()
    page.get_by_role("button", name="Try now").tap()
    expect(said).to_have_text("Still no connection. It will be tried again by itself.")
    # The page itself makes no attempt while its clock stands still.
    page.clock.pause_at(datetime.datetime.now() + datetime.timedelta(hours=1))
    expect(offline).to_be_visible()
    server.start()
    pull(page, 160)
    expect(said).to_have_text("Everything is up to date.")
    expect(offline).to_have_count(0)


def test_two_tabs_show_the_same_and_are_erased_together(device, house):
    first = log_in(device, house, "ana")
    is_kept(first)
    second = first.context.new_page()
    for page in (first, second):
        page.goto("/chat")
    write(second, "From the other tab")
    expect(bubble(first, "From the other tab")).to_be_visible()
    expect(second.locator(".bubble").get_by_text("not sent yet")).to_have_count(0)
    # The one that has the connection goes, and the other one goes on.
    first.close()
    write(second, "Now alone")
    expect(second.locator(".bubble").get_by_text("not sent yet")).to_have_count(0)
    third = second.context.new_page()
    third.goto("/chat")
    expect(bubble(third, "Now alone")).to_be_visible()
    third.goto("/me")
    log_out(third)
    expect(second.get_by_role("heading", name="Welcome home")).to_be_visible()
    expect(second.locator(".bubble")).to_have_count(0)


@pytest.fixture
def folder(tmp_path):
    """A copy of the page in which files may be changed."""
    return shutil.copytree(APP, tmp_path / "app")


def change(folder):
    """Makes another version of the page, which shows."""
    style = folder / "app.css"
    style.write_text(f"{style.read_text()}\nbody {{ --changed: yes; }}\n")


IS_CHANGED = "getComputedStyle(document.body).getPropertyValue('--changed')"


def test_a_newer_version_is_taken_when_asked(device, own_server, folder):
    server = own_server(web=folder)
    ana = log_in(device, server, "ana")
    is_kept(ana)
    # Two more tabs, one of which somebody writes in. All speak with one worker.
    other, writing = ana.context.new_page(), ana.context.new_page()
    other.goto("/chat")
    writing.goto("/chat")
    writing.get_by_role("textbox", name="Write to everybody").fill("Half a sen")
    script = "document.querySelector('script[type=module]').src"
    old = ana.evaluate(script)
    change(folder)
    # In the session that brought the first worker.
    ana.evaluate("navigator.serviceWorker.getRegistration().then((one) => one.update()).then(() => true)")
    expect(ana.get_by_text("There is a newer Hearth.").last).to_be_visible()
    # Until somebody asks for it, everything is the old one, also screens that are opened for the first time.
    assert (ana.evaluate(script), ana.evaluate(IS_CHANGED)) == (old, "")
    ana.get_by_role("navigation").get_by_role("link", name="Shopping").click()
    expect(ana.get_by_role("heading", name="Shopping", exact=True)).to_be_visible()
    ana.get_by_role("button", name="Reload").click()
    for page in (ana, other):
        expect(page.locator(f"script[src='{old.removeprefix(server.url)}']")).to_have_count(0)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.evaluate(IS_CHANGED) == "yes"
    assert len(ana.evaluate("caches.keys()")) == 1
    expect(writing.get_by_text("There is a newer Hearth.").last).to_be_visible()
    expect(writing.get_by_role("textbox", name="Write to everybody")).to_have_value("Half a sen")
    writing.get_by_role("button", name="Reload").click()
    expect(writing.locator(f"script[src='{old.removeprefix(server.url)}']")).to_have_count(0)


def test_a_page_of_a_version_that_is_gone_opens_without_a_network(device, own_server, folder):
    server = own_server(web=folder)
    ana = log_in(device, server, "ana")
    is_kept(ana)
    change(folder)
    # The server no longer has any file of the version that this device keeps.
    server.kill()
    ana.goto("/shopping")
    expect(ana.get_by_role("heading", name="Shopping", exact=True)).to_be_visible()
    assert ana.evaluate(IS_CHANGED) == ""


WATCH_TRANSITIONS = """() => {
  const start = document.startViewTransition.bind(document);
  window.transitions = { asked: 0, times: [] };
  document.startViewTransition = (swap) => {
    transitions.asked += 1;
    const transition = start(swap);
    transition.ready.then(() => {
      for (const { effect } of document.getAnimations()) {
        if (effect.pseudoElement?.startsWith("::view")) transitions.times.push(effect.getComputedTiming().endTime);
      }
    });
    return transition;
  };
}"""


def test_a_tab_is_there_at_once_and_another_screen_within_150_ms(people):
    page = open_home(people("ana", reduced_motion="no-preference"))
    page.evaluate(WATCH_TRANSITIONS)
    page.get_by_role("link", name="Shopping", exact=True).tap()
    expect(page.get_by_role("heading", name="Shopping", exact=True)).to_be_focused()
    assert page.evaluate("transitions") == {"asked": 0, "times": []}
    page.get_by_role("link", name="Your account").tap()
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    page.wait_for_function("transitions.times.length")
    assert max(page.evaluate("transitions.times")) <= 150
    # A tab that is chosen before a transition has begun is not replaced by the screen before it.
    page.get_by_role("link", name="Home", exact=True).tap()
    expect(page.get_by_role("button", name="New note")).to_be_visible()
    page.evaluate("""async () => {
      const tap = (path) => document.querySelector(`[href="${path}"]`).click();
      const { asked } = transitions;
      tap("/me");
      while (transitions.asked === asked) await null;
      tap("/shopping");
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 100)));
    }""")
    expect(page.get_by_role("heading", name="Shopping", exact=True)).to_be_visible()


# Chooses a tab, and something on its screen before the browser has drawn that; the page's frame comes later.
CHOOSE_BEFORE_THE_FRAME = """async ([path, wanted]) => {
  const frame = window.requestAnimationFrame;
  const held = [];
  window.requestAnimationFrame = (work) => held.push(work);
  document.querySelector(`[href="${path}"]`).click();
  const end = Date.now() + 5_000;
  const find = () => document.querySelector(wanted);
  while (!find() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve));
  window.requestAnimationFrame = frame;
  find().focus();
  for (const work of held) work(performance.now());
  await new Promise((resolve) => setTimeout(resolve, 50));
  return held.length > 0 && document.activeElement === find();
}"""


def test_the_focus_of_a_tab_that_opens_is_not_taken_from_a_field(people):
    page = open_home(people("ana"))
    page.get_by_role("link", name="Shopping", exact=True).tap()
    expect(page.get_by_role("heading", name="Shopping", exact=True)).to_be_focused()
    page.get_by_role("link", name="Home", exact=True).tap()
    expect(page.get_by_role("button", name="New note")).to_be_visible()
    assert page.evaluate(CHOOSE_BEFORE_THE_FRAME, ["/shopping", "main > :not([aria-hidden]) input"])


def test_after_a_log_out_nothing_is_left_on_the_device(device, house):
    ana = log_in(device, house, "ana")
    ana.goto("/me")
    log_out(ana)
    assert ana.evaluate("indexedDB.databases().then((all) => all.length)") == 0
    assert not any("household" in key for key in ana.evaluate("Object.keys(localStorage)"))


def test_a_session_that_ends_below_an_open_sheet_leaves_a_page_that_can_be_used(house, newcomer):
    page = newcomer("Nora")
    page.get_by_role("link", name="Your account").tap()
    page.get_by_role("button", name="Log out").tap()
    expect(page.locator("main[inert]")).to_have_count(1)
    other = house.call("auth.logIn", {"email": page.email, "password": NEW_PASSWORD})
    with Peer(house.url, other["token"]) as peer:
        for session in peer.state("me")["devices"]:
            if session != other["session"]:
                peer.call("devices.revoke", id=session)
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    expect(page.locator("[inert]")).to_have_count(0)
    page.get_by_label("Email address").fill(page.email)
    page.get_by_label("Password", exact=True).fill(NEW_PASSWORD)
    page.get_by_role("button", name="Log in").tap()
    page.get_by_role("button", name="Log out").tap()
    page.keyboard.press("Escape")
    expect(page.locator("[inert], .sheet")).to_have_count(0)


def test_another_person_finds_no_screen_of_the_one_before(device, house):
    page = log_in(device, house, "ana")
    tab = page.get_by_role("navigation").get_by_role("link", name="Chores")
    tab.tap()
    expect(page.get_by_role("list", name="Chores")).to_contain_text("Call the landlord")
    page.evaluate("window.isTheSame = true")
    page.get_by_role("link", name="Your account").tap()
    page.get_by_role("button", name="Log out").tap()
    sheet(page).get_by_role("button", name="Log out").tap()
    page.get_by_role("link", name="Log in").or_(page.get_by_role("button", name="Log in")).first.tap()
    enter(page, "bo")
    tab.tap()
    expect(page.get_by_role("heading", name="Chores")).to_be_visible()
    expect(page.get_by_role("list", name="Chores")).not_to_contain_text("Call the landlord")
    assert page.evaluate("window.isTheSame")


def test_a_log_in_without_a_network_says_so(device, house):
    page = device(base_url=house.url, **PHONE).new_page()
    page.goto("/login")
    page.get_by_label("Email address").fill("ana@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    is_kept(page)
    go_offline(page)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert").first).to_be_visible()
    page.context.set_offline(False)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("button", name="Elm Street")).to_be_visible()


def test_a_screen_that_is_not_on_the_device_comes_with_the_network(people):
    # Nothing but what has been opened is on a phone whose browser keeps no page.
    page = open_home(people("ana", new=True))
    page.context.set_offline(True)
    page.get_by_role("link", name="Inbox").click()
    expect(page.locator("main")).to_contain_text("This screen is not on your device yet")
    expect(page.locator(".notices")).to_contain_text("No connection")
    page.context.set_offline(False)
    expect(page.get_by_role("heading", name="Inbox", level=1)).to_be_visible()


def test_arrows_go_from_row_to_row_in_every_list(people):
    page = people("ana")
    page.goto("/me")
    rows = page.locator("main .rows :is(a, button)")
    rows.first.focus()
    page.keyboard.press("ArrowDown")
    expect(rows.nth(1)).to_be_focused()
    # From one list to the next, and no further than the last.
    for _ in range(rows.count()):
        page.keyboard.press("ArrowDown")
    expect(rows.last).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(rows.nth(rows.count() - 2)).to_be_focused()


def test_an_address_with_a_broken_percent_encoding_says_that_nothing_is_there(people):
    page = people("ana")
    page.goto("/chores/chore/%E4%BD")
    expect(page.get_by_text("This chore is done, or off the list.")).to_be_visible()
    page.goto("/join#ABCDEFGHJK/%E4%BD")
    expect(page.get_by_role("textbox", name="Code")).to_have_value("ABCDEFGHJK")
    # A second link, opened where the first one is.
    page.goto("/join#BCDEFGHJKL/Elm%20Street")
    expect(page.get_by_role("textbox", name="Code")).to_have_value("BCDEFGHJKL")
