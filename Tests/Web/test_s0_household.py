"""Accounts and households, as S0.1 to S0.5 and S1.1 to S1.6 tell it: several people, each with a browser."""

import re

from playwright.sync_api import expect

from pages import NEW_PASSWORD, PHONE, back, found, join_link, newcomer, open_home, sheet


def bell(page):
    return page.get_by_role("link", name=re.compile("^Inbox"))


def test_s1_1_missing_fields_are_named_all_at_once(device, site):
    page = device(base_url=site, **PHONE).new_page()
    page.goto("/signup")
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_text("Please fill this in.")).to_have_count(3)
    expect(page.get_by_label("Your name")).to_be_focused()
    page.get_by_label("Your name").fill("Ines")
    page.get_by_label("Email address").fill("no address")
    page.get_by_label("Password", exact=True).fill("short")
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_text("does not look like an email address")).to_be_visible()
    expect(page.get_by_text("Use 8 characters or more")).to_be_visible()
    # The server knows the commonest passwords; its word is shown at the field.
    page.get_by_label("Email address").fill("ines@example.org")
    page.get_by_label("Password", exact=True).fill("password1")
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_label("Password", exact=True)).to_have_attribute("aria-invalid", "true")


def test_s0_1_log_in_with_a_wrong_password_and_out_again(device, site):
    page = newcomer(device, site, "Ines")
    page.goto("/me")
    page.get_by_role("button", name="Log out").click()
    sheet(page, "Log out?").get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", name="Welcome home")).to_be_visible()
    page.goto("/household")
    expect(page.get_by_role("heading", name="Welcome home")).to_be_visible()
    page.get_by_role("button", name="Log in").click()
    page.get_by_label("Email address").fill(page.email)
    page.get_by_label("Password", exact=True).fill("not this one")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_have_text("The email address or the password is not right.")
    page.get_by_label("Password", exact=True).fill(NEW_PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Who do you live with?")).to_be_visible()


def test_s0_2_to_5_found_invite_accept_and_leave(device, site):
    ines, jo = newcomer(device, site, "Ines"), newcomer(device, site, "Jo")
    found(ines, "Lime Tree")
    # Invite by address: the request is there at once, with its buttons.
    ines.goto("/household")
    ines.get_by_role("button", name="Invite").click()
    ines.get_by_label("Their email address").fill(jo.email)
    ines.get_by_role("button", name="Send the invitation").click()
    expect(ines.get_by_text("The invitation is on its way.").first).to_be_visible()
    expect(ines.get_by_text(jo.email)).to_be_visible()
    expect(jo.get_by_text("Ines invites you")).to_be_visible()
    # Declining changes nothing but the request.
    jo.get_by_role("button", name="Decline").click()
    expect(jo.get_by_text("Ines invites you")).to_have_count(0)
    expect(ines.get_by_text(jo.email)).to_have_count(0)
    expect(ines.get_by_text("You live here alone")).to_be_visible()
    # Again, and accept it: both see both.
    ines.get_by_role("button", name="Invite").click()
    ines.get_by_label("Their email address").fill(jo.email)
    ines.get_by_role("button", name="Send the invitation").click()
    jo.get_by_role("button", name="Accept").click()
    expect(jo.get_by_role("button", name="Lime Tree")).to_be_visible()
    expect(ines.get_by_role("button", name=re.compile("^Jo"))).to_be_visible()
    # Leaving asks first; then the others are told, and nothing of it is left.
    jo.goto("/household")
    jo.get_by_role("button", name="Leave this household").click()
    sheet(jo, "Leave Lime Tree?").get_by_role("button", name="Cancel").click()
    expect(jo.get_by_role("heading", name="Lime Tree")).to_be_visible()
    jo.get_by_role("button", name="Leave this household").click()
    sheet(jo, "Leave Lime Tree?").get_by_role("button", name="Leave", exact=True).click()
    expect(jo.get_by_role("heading", name="Who do you live with?")).to_be_visible()
    expect(ines.get_by_role("button", name=re.compile("^Jo"))).to_have_count(0)
    ines.goto("/inbox")
    expect(ines.get_by_text("Jo has left")).to_be_visible()


def test_s1_4_and_5_join_by_a_link_be_removed_and_dissolve(device, site):
    ines = newcomer(device, site, "Ines")
    found(ines, "Elder Street")
    link = join_link(ines)
    # Two taps for somebody without an account: the link leads through the sign-up into the household.
    kim = newcomer(device, site, "Kim", path=link)
    kim.get_by_role("button", name="Join").click()
    expect(kim.get_by_role("button", name="Elder Street")).to_be_visible()
    ines.keyboard.press("Escape")
    ines.get_by_role("button", name=re.compile("^Kim")).click()
    sheet(ines, "Kim").get_by_role("button", name="Remove").click()
    sheet(ines, "Remove Kim?").get_by_role("button", name="Remove").click()
    expect(ines.get_by_role("button", name=re.compile("^Kim"))).to_have_count(0)
    expect(kim.get_by_role("heading", name="Who do you live with?")).to_be_visible()
    bell(kim).click()
    expect(kim.get_by_text("Ines has removed you from Elder Street")).to_be_visible()
    # Dissolving asks, and asks who it is.
    ines.get_by_role("button", name="Dissolve this household").click()
    sheet(ines).get_by_role("button", name="Cancel").click()
    expect(ines.get_by_role("heading", name="Elder Street")).to_be_visible()
    ines.get_by_role("button", name="Dissolve this household").click()
    sheet(ines).get_by_role("button", name="Dissolve").click()
    sheet(ines, "Is it you?").get_by_label("Your password").fill("not this one")
    sheet(ines, "Is it you?").get_by_role("button", name="It is me").click()
    expect(ines.get_by_role("alert").filter(has_text="This is not your password.")).to_be_visible()
    sheet(ines, "Is it you?").get_by_label("Your password").fill(NEW_PASSWORD)
    sheet(ines, "Is it you?").get_by_role("button", name="It is me").click()
    expect(ines.get_by_role("heading", name="Who do you live with?")).to_be_visible()
    # It can be brought back for a week.
    ines.get_by_role("button", name="Bring it back").click()
    expect(ines.get_by_role("button", name="Elder Street")).to_be_visible()


def test_an_invitation_by_link_takes_two_taps(people):
    ana = people("ana", permissions=["clipboard-read", "clipboard-write"])
    ana.goto("/household")
    ana.get_by_role("button", name="Invite").tap()
    sheet(ana).get_by_role("button", name="Copy a link").tap()
    expect(ana.get_by_text("The link is copied.").last).to_be_visible()
    assert re.search("/join#[0-9A-Z]{10}$", ana.evaluate("navigator.clipboard.readText()"))
    # The code is shown, too, for somebody who stands beside; it can be taken back.
    expect(sheet(ana).get_by_role("img", name="The link")).to_be_visible()
    ana.keyboard.press("Escape")
    expect(ana.get_by_role("button", name="Take back").first).to_be_visible()


def test_s1_3_profile_and_deleting_the_account(device, site):
    page = newcomer(device, site, "Ines")
    page.goto("/me/profile")
    page.get_by_label("Your name").fill("Inês")
    page.get_by_role("button", name="Save", exact=True).click()
    back(page)
    expect(page.locator(".person-name")).to_have_text("Inês")
    page.get_by_role("link", name="Delete my account").click()
    page.get_by_role("button", name="Delete my account").click()
    sheet(page, "Delete for good?").get_by_role("button", name="Keep it").click()
    expect(page.get_by_role("heading", name="Delete my account")).to_be_visible()
    page.get_by_role("button", name="Delete my account").click()
    sheet(page, "Delete for good?").get_by_role("button", name="Delete my account").click()
    sheet(page, "Is it you?").get_by_label("Your password").fill(NEW_PASSWORD)
    sheet(page, "Is it you?").get_by_role("button", name="It is me").click()
    expect(page.get_by_role("heading", name="Welcome home")).to_be_visible()
    page.goto("/login")
    page.get_by_label("Email address").fill(page.email)
    page.get_by_label("Password", exact=True).fill(NEW_PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_have_text("The email address or the password is not right.")


def test_s1_6_away_is_seen_by_all(people):
    bo, cleo = people("bo"), people("cleo")
    bo.goto("/household/away")
    today = bo.get_by_label("First day").input_value()
    bo.get_by_label("Last day").fill("2000-01-01")
    # A browser may write dates in another language than the page.
    expect(bo.get_by_text("1 January 2000")).to_be_visible()
    bo.get_by_role("button", name="I am away then").click()
    expect(bo.get_by_text("The last day comes after the first.")).to_be_visible()
    bo.get_by_label("Last day").fill(today)
    bo.get_by_label("Who stands in for you?").select_option(label="Dan")
    bo.get_by_role("button", name="I am away then").click()
    cleo.goto("/household")
    expect(cleo.get_by_role("button", name=re.compile("Bo.*Away until"))).to_be_visible()
    bo.goto("/household/away")
    bo.get_by_role("button", name="I am back").click()
    expect(cleo.get_by_role("button", name=re.compile("Bo.*Away until"))).to_have_count(0)


def test_security_pin_and_devices(people):
    dan, other = people("dan"), people("dan")
    open_home(other)
    dan.goto("/me/security")
    dan.get_by_role("button", name="PIN").click()
    sheet(dan).get_by_label("New PIN").fill("12")
    sheet(dan).get_by_label("Your password now").fill("sample household")
    sheet(dan).get_by_role("button", name="Set a PIN").click()
    expect(sheet(dan).get_by_text("Use 4 to 8 digits.")).to_be_visible()
    sheet(dan).get_by_label("New PIN").fill("482913")
    sheet(dan).get_by_role("button", name="Set a PIN").click()
    expect(dan.get_by_text("A PIN is set")).to_be_visible()
    expect(other.get_by_role("heading", level=1)).to_be_visible()


def test_settings_are_kept_and_seen(people):
    ana, bo = people("ana"), people("bo")
    # S0.24: the colour of the board, and when automatic notices come.
    bo.goto("/me/look")
    bo.get_by_role("radio", name="Blue").check()
    bo.get_by_role("radio", name="Dark").check()
    expect(bo.locator("html")).to_have_attribute("data-scheme", "dark")
    bo.goto("/me/notifications")
    bo.get_by_label("When automatic notices come").fill("18:30")
    bo.get_by_role("switch", name="New notes").uncheck()
    bo.reload()
    expect(bo.get_by_label("When automatic notices come")).to_have_value("18:30")
    expect(bo.get_by_role("switch", name="New notes")).not_to_be_checked()
    bo.goto("/")
    expect(bo.locator(".board.blue")).to_be_visible()
    # The host renames the household; others read, and see it at once.
    bo.goto("/household/settings")
    expect(bo.get_by_text("Only the host changes these.")).to_be_visible()
    ana.goto("/household/settings")
    ana.get_by_label("Name of the household").fill("Elm Street 12")
    ana.get_by_role("button", name="Save").click()
    bo.goto("/")
    expect(bo.get_by_role("button", name="Elm Street 12")).to_be_visible()
    # German, without loading the page again.
    bo.goto("/me/look")
    bo.get_by_label("Language").select_option("de")
    expect(bo.get_by_role("heading", name="Aussehen und Sprache")).to_be_visible()
    expect(bo.locator("html")).to_have_attribute("lang", "de")
