"""An account: its devices, password, PIN and address, its contacts, and who comes after it on the same device."""

import re

from playwright.sync_api import expect

from conftest import PASSWORD
from pages import NEW_PASSWORD, address, fill_in, log_out, sheet, visit
from test_first_steps import log_in

OTHER = "another sentence of mine"


def security(page, row):
    """The sheet of one row of the screen."""
    visit(page, "/me/security")
    page.get_by_role("button", name=row).click()
    return sheet(page)


def said(page, text):
    expect(page.locator(".snackbar", has_text=text)).to_be_visible()


def test_a_password_is_changed_and_other_devices_are_told_that_they_are_logged_out(device, site, newcomer):
    una, tablet = newcomer("Una"), device(base_url=site, locale="en-GB").new_page()
    log_in(tablet, una.email, NEW_PASSWORD)
    form = security(una, "Change password")
    form.get_by_label("Your password now").fill("not this one")
    form.get_by_label("New password").fill(OTHER)
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_label("Your password now")).to_have_accessible_description("This is not your password.")
    form.get_by_label("Your password now").fill(NEW_PASSWORD)
    form.get_by_role("button", name="Save").click()
    said(una, "Your password is changed. Other devices are logged out.")
    expect(tablet.get_by_role("button", name="Log in", exact=True)).to_be_visible()
    log_in(tablet, una.email, OTHER)


def test_a_device_is_renamed_and_logged_out_from_another_one(device, site, newcomer):
    una, tablet = newcomer("Una"), device(base_url=site, locale="en-GB").new_page()
    log_in(tablet, una.email, NEW_PASSWORD)
    visit(una, "/me/security")
    devices = una.get_by_role("region", name="Devices").get_by_role("listitem")
    expect(devices).to_have_count(2)
    devices.nth(1).get_by_role("button").click()
    sheet(una).get_by_label("Name of the device").fill("The tablet in the kitchen")
    sheet(una).get_by_role("button", name="Save").click()
    visit(tablet, "/me/security")
    own = tablet.get_by_role("region", name="Devices").get_by_role("listitem").first
    expect(own).to_contain_text("The tablet in the kitchen")
    expect(own).to_contain_text("This device")
    una.get_by_role("button", name="The tablet in the kitchen").click()
    sheet(una).get_by_role("button", name="Log out there").click()
    said(una, "That device is logged out.")
    expect(devices).to_have_count(1)
    expect(tablet.get_by_role("button", name="Log in", exact=True)).to_be_visible()
    visit(tablet, "/me/security")
    expect(tablet.get_by_text("The tablet in the kitchen")).to_have_count(0)


def test_a_pin_is_removed_by_who_knows_it(newcomer):
    una = newcomer("Una")
    form = security(una, "PIN")
    form.get_by_label("New PIN").fill("482913")
    form.get_by_label("Your password").fill(NEW_PASSWORD)
    form.get_by_label("Your password").press("Enter")
    expect(form).to_have_count(0)
    # The frame of the focus is as round as the card.
    expect(una.get_by_role("button", name="PIN")).to_have_css("border-radius", "16px")
    form = security(una, "PIN")
    form.get_by_label("Your PIN now").fill("000000")
    form.get_by_role("button", name="Remove the PIN").click()
    expect(form).to_contain_text("This is not your PIN.")
    form.get_by_label("Your PIN now").fill("482913")
    form.get_by_role("button", name="Remove the PIN").click()
    said(una, "Your PIN is removed.")
    expect(una.get_by_role("button", name="PIN")).to_contain_text("No PIN yet")


def test_an_address_is_changed_and_serves_for_the_log_in(device, site, newcomer):
    una, other = newcomer("Una"), device(base_url=site, locale="en-GB").new_page()
    form = security(una, "Email address")
    form.get_by_label("New email address").fill("ana@example.org")
    form.get_by_label("Your password now").fill(NEW_PASSWORD)
    form.get_by_role("button", name="Save").click()
    expect(form).to_contain_text("There is an account with this address already.")
    new = address("una")
    form.get_by_label("New email address").fill(new)
    form.get_by_role("button", name="Save").click()
    said(una, "Your address is changed.")
    expect(una.get_by_role("button", name="Email address")).to_contain_text(new)
    log_in(other, new, NEW_PASSWORD)


def test_a_telephone_number_is_taken_however_it_is_written(house, newcomer):
    una = newcomer("Una")
    house.call("auth.setPin", {"pin": "2580", "password": NEW_PASSWORD}, una.token)
    visit(una, "/me/profile")
    number = una.get_by_label("Apple Pay (telephone)")
    save = una.get_by_role("button", name="Save how you are paid")
    number.fill("0151 2345678")
    save.click()
    expect(number).to_have_accessible_description(re.compile("Begin with . and the country code"))
    number.fill("0049 (151) 234-5678")
    save.click()
    sheet(una, "Is it you?").get_by_label("Your PIN").fill("2580")
    sheet(una, "Is it you?").get_by_role("button", name="Confirm").click()
    said(una, "Saved.")
    una.reload()
    expect(number).to_have_value("+491512345678")


def test_contacts_are_taken_back_declined_removed_and_blocked(newcomer):
    una, tom = newcomer("Una"), newcomer("Tom")

    def ask():
        una.get_by_role("button", name="Add").first.click()
        sheet(una).get_by_label("Their email address").fill(tom.email)
        sheet(una).get_by_role("button", name="Ask them").click()
        said(una, "They are asked.")

    for page in (una, tom):
        visit(page, "/contacts")
    mine, wants = una.get_by_role("main"), tom.get_by_text("would like to be your contact")
    ask()
    expect(wants).to_be_visible()
    # A long address goes on in a second line at its host.
    expect(mine.get_by_text(tom.email).locator("wbr")).to_have_count(1)
    mine.get_by_role("button", name="Take back").click()
    expect(wants).to_have_count(0)
    ask()
    # Una is not told that Tom declines: to her, it is open until she takes it back.
    tom.get_by_role("button", name="Decline").click()
    expect(wants).to_have_count(0)
    mine.get_by_role("button", name="Take back").click()
    expect(mine.get_by_role("button", name="Take back")).to_have_count(0)
    ask()
    tom.get_by_role("button", name="Accept").click()
    expect(mine.get_by_role("button", name="Tom")).to_be_visible()
    mine.get_by_role("button", name="Tom").click()
    share = sheet(una).get_by_role("link", name="Share where I am")
    expect(share).to_have_attribute("href", re.compile("^/out/new.to=[0-9a-f-]+$"))
    una.keyboard.press("Escape")
    # Removed: both of them are alone again, and Tom is told nothing.
    mine.get_by_role("button", name="Tom").click()
    sheet(una).get_by_role("button", name="Remove").click()
    expect(sheet(una)).to_contain_text("Remove Tom?")
    sheet(una).get_by_role("button", name="Remove").click()
    expect(mine.get_by_role("button", name="Tom")).to_have_count(0)
    expect(tom.get_by_role("main").get_by_role("button", name="Una")).to_have_count(0)
    ask()
    tom.get_by_role("button", name="Accept").click()
    # Blocked: nothing of Tom's arrives until they are unblocked.
    mine.get_by_role("button", name="Tom").click()
    sheet(una).get_by_role("button", name="Block").click()
    sheet(una).get_by_role("button", name="Block").click()
    blocked = una.get_by_role("region", name="Blocked")
    expect(blocked).to_contain_text("Tom")
    expect(tom.get_by_role("main").get_by_role("button", name="Una")).to_have_count(0)
    blocked.get_by_role("button", name="Unblock").click()
    expect(blocked).to_have_count(0)


def test_another_person_on_the_same_device_finds_nothing_that_was_typed(people):
    page = people("ana")
    visit(page, "/chat")
    page.get_by_role("textbox", name="Write to everybody").fill("Do not tell Bo")
    page.get_by_role("link", name="Home").click()
    page.get_by_role("button", name="New note").click()
    sheet(page).get_by_role("textbox", name="Note").fill("A cake for Bo")
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Your account").tap()
    log_out(page)
    page.get_by_role("button", name="Log in").tap()
    fill_in(page, "bo@example.org", PASSWORD)
    page.get_by_role("button", name="New note").click()
    expect(sheet(page).get_by_role("textbox", name="Note")).to_have_value("")
    page.keyboard.press("Escape")
    visit(page, "/chat")
    expect(page.get_by_role("textbox", name="Write to everybody")).to_have_value("")
