"""The page as a whole: it opens without a network, takes a newer version when asked, and keeps to its policy."""

import threading

import dev_server
import pytest
from playwright.sync_api import expect

from conftest import PASSWORD, Server
from pages import PHONE


@pytest.fixture
def page_server(tmp_path):
    """The page with its service worker, before a sample household; answers the server of the page."""
    page = dev_server.Server(0, "", has_worker=True)
    page.url = f"http://127.0.0.1:{page.server_address[1]}"
    server = Server(tmp_path / "data", page.url)
    page.hearth = server.url
    threading.Thread(target=page.serve_forever, daemon=True).start()
    yield page
    page.shutdown()
    server.stop()


def log_in(device, page_server, name):
    page = device(base_url=page_server.url, **PHONE).new_page()
    page.goto("/login")
    page.get_by_label("Email address").fill(f"{name}@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("button", name="Elm Street")).to_be_visible()
    return page


def test_every_screen_opens_without_a_network(device, page_server):
    ana = log_in(device, page_server, "ana")
    ana.evaluate("navigator.serviceWorker.ready.then(() => true)")
    ana.context.set_offline(True)
    for path, heading in [("/", "Good"), ("/household", "Elm Street"), ("/chat", "Chat"), ("/me/security", "Security"),
                          ("/shopping", "Shopping"), ("/out", "Out")]:
        ana.goto(path)
        expect(ana.get_by_role("heading", level=1)).to_contain_text(heading if path != "/" else "Ana")
    # What is done meanwhile is there after another start, and arrives when the network is back.
    ana.goto("/chat")
    ana.get_by_role("textbox", name="Write to everybody").fill("Down here there is no network")
    ana.get_by_role("button", name="Send").click()
    expect(ana.locator(".bubble").get_by_text("not sent yet")).to_have_count(1)
    ana.reload()
    expect(ana.locator(".bubble", has_text="Down here there is no network")).to_be_visible()
    ana.context.set_offline(False)
    expect(ana.locator(".bubble").get_by_text("not sent yet")).to_have_count(0)


def test_a_newer_version_is_taken_when_asked(device, page_server):
    ana = log_in(device, page_server, "ana")
    ana.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page_server.version = "newer"
    ana.goto("/household")
    ana.evaluate("navigator.serviceWorker.getRegistration().then((one) => one.update()).then(() => true)")
    expect(ana.get_by_text("There is a newer Hearth.").last).to_be_visible()
    assert ana.evaluate("document.querySelector('script[type=module]').src").endswith("/app/development/app.js")
    ana.get_by_role("button", name="Reload").click()
    expect(ana.locator("script[src='/app/newer/app.js']")).to_have_count(1)
    expect(ana.get_by_role("heading", name="Elm Street")).to_be_visible()
    assert ana.evaluate("caches.keys()") == ["app-newer"]


def test_after_a_log_out_nothing_is_left_on_the_device(device, page_server):
    ana = log_in(device, page_server, "ana")
    ana.goto("/me")
    ana.get_by_role("button", name="Log out").click()
    ana.get_by_role("dialog").get_by_role("button", name="Log out").click()
    expect(ana.get_by_role("heading", name="Welcome home")).to_be_visible()
    assert ana.evaluate("indexedDB.databases().then((all) => all.length)") == 0
    assert not any("household" in key for key in ana.evaluate("Object.keys(localStorage)"))
