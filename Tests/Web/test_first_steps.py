"""The first steps of somebody new, and what a phone says that shares where it is and falls silent or is lost."""

import re

from playwright.sync_api import expect

from conftest import PASSWORD
from pages import NEW_PASSWORD, fill_in, found, sign_up
from test_s3_way_home import NOTIFY, PHONE, start, stop


def tip(page):
    return page.locator(".tip")


def log_in(page, email, password):
    page.goto("/login")
    fill_in(page, email, password)
    expect(page.get_by_role("navigation", name="Main parts")).to_be_visible()


def test_acc_11_each_tab_is_explained_once_on_all_devices(device, site):
    page = sign_up(device, site, "Mira")
    expect(tip(page)).to_have_count(0)
    found(page, "Birch Lane")
    expect(tip(page)).to_contain_text("a note there reaches everybody")
    page.get_by_role("button", name="Got it").click()
    expect(tip(page)).to_have_count(0)
    # The browser says that it can keep the app.
    page.evaluate("""() => {
      globalThis.asked = 0;
      dispatchEvent(Object.assign(new Event("beforeinstallprompt"), { prompt: async () => void globalThis.asked++ }));
    }""")
    expect(tip(page)).to_contain_text("Keep Hearth on this device")
    page.get_by_role("button", name="Install").click()
    expect(tip(page)).to_have_count(0)
    assert page.evaluate("globalThis.asked") == 1
    page.get_by_role("link", name="Shopping", exact=True).click()
    expect(tip(page)).to_contain_text("One list for all of you")
    page.get_by_role("button", name="Skip all tips").click()
    page.get_by_role("link", name="Out", exact=True).click()
    expect(page.get_by_role("heading", name="Out", exact=True)).to_be_visible()
    expect(tip(page)).to_have_count(0)

    other = device(base_url=site, locale="en-GB", user_agent="Mozilla/5.0 (iPhone) Safari").new_page()
    log_in(other, page.email, NEW_PASSWORD)
    expect(other.get_by_role("button", name="Birch Lane")).to_be_visible()
    expect(tip(other)).to_have_count(0)


def test_acc_11_an_iphone_is_told_how_by_hand(people):
    cleo = people("cleo", user_agent="Mozilla/5.0 (iPhone) Safari")
    cleo.goto("/")
    cleo.get_by_role("button", name="Got it").click()
    expect(tip(cleo)).to_contain_text("Add to Home Screen")
    cleo.get_by_role("button", name="Got it").click()
    expect(tip(cleo)).to_have_count(0)


def test_s3_the_sharer_is_warned_after_75_seconds_of_silence(people):
    ana = people("ana", **PHONE)
    is_cut = False

    def connect(socket):
        server = socket.connect_to_server()
        socket.on_message(lambda text: None if is_cut else server.send(text))
        server.on_message(lambda text: None if is_cut else socket.send(text))

    ana.route_web_socket("**/sync", connect)
    ana.clock.install()
    address = start(ana, ["Bo"], more=NOTIFY)
    warning = ana.get_by_text(re.compile("Keep Hearth open, or they will be told|No connection: the others do not see"))
    expect(ana.get_by_text(re.compile("^Sent"))).to_be_visible()
    is_cut = True
    ana.clock.run_for(60_000)
    expect(warning).to_have_count(0)
    ana.clock.run_for(20_000)
    expect(warning).to_be_visible()
    # By now there is no connection, and then the others have been told.
    ana.clock.run_for(20_000)
    expect(ana.get_by_text("No connection: the others do not see where you are now.")).to_be_visible()
    ana.clock.run_for(90_000)
    expect(ana.get_by_text("do not see where you are now, and have been told so")).to_be_visible()
    ana.goto(f"{address}/pocket")
    expect(ana.get_by_text("Do not lock the phone")).to_be_visible()
    ana.clock.run_for(80_000)
    silence = ana.locator(".pocket").get_by_text(re.compile("have not heard from you|do not see where you are"))
    expect(silence).to_be_visible()
    is_cut = False
    # The browser's place ages by the real clock, so the page gets a new one.
    ana.context.set_geolocation({"latitude": 52.5164, "longitude": 13.3777, "accuracy": 8})
    # In small steps: the page's time limits for answers are shorter than a large step.
    for _ in range(200):
        if silence.count() == 0:
            break
        ana.clock.run_for(500)
    expect(silence).to_have_count(0)
    stop(ana, address)


def test_s3_the_share_of_a_lost_phone_ends_from_another_device(people, device, site):
    cleo = people("cleo", **PHONE)
    address = start(cleo, ["Bo"])
    expect(cleo.get_by_text(re.compile("^Sent"))).to_be_visible()
    expect(cleo.get_by_role("button", name="My phone is lost")).to_have_count(0)
    other = device(base_url=site, locale="en-GB", has_touch=True).new_page()
    log_in(other, "cleo@example.org", PASSWORD)
    other.goto(address)
    other.get_by_role("button", name="My phone is lost").tap()
    other.get_by_role("dialog").get_by_role("button", name="Stop sharing").tap()
    expect(other.get_by_role("dialog", name="Is it you?")).to_contain_text("Stop sharing")
    other.get_by_role("dialog").get_by_label("Your password", exact=True).fill(PASSWORD)
    other.get_by_role("dialog").get_by_role("button", name="Confirm", exact=True).tap()
    for page in (other, cleo):
        expect(page.get_by_text("It was ended from another device.")).to_be_visible()
