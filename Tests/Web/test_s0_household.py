"""Accounts and households, as S0.1 to S0.5 and S1.1 to S1.6 tell it: several people, each with a browser."""

import datetime
import json
import re
import subprocess

import pytest
from playwright.sync_api import expect

from conftest import BINARY
from pages import (
    NEW_PASSWORD, address, back, fill_in, found, go_offline, join_link, log_out, mate, open_home,
    phone, sheet, sign_up, switch, visit,
)
from peer import Peer


def bell(page):
    return page.get_by_role("link", name=re.compile("^Inbox"))


def invite(page, email):
    page.get_by_role("button", name="Invite").click()
    page.get_by_label("Their email address").fill(email)
    page.get_by_role("button", name="Send the invitation").click()


def pin(page, text):
    page.get_by_role("button", name="New note").click()
    sheet(page).get_by_role("textbox", name="Note").fill(text)
    sheet(page).get_by_role("button", name="Pin it").click()


def username_is(form, email):
    """A password manager reads in a form whose new password it is; no person comes there."""
    one = form.locator("form:has([autocomplete=new-password]) [autocomplete=username]")
    expect(one).to_have_value(email)
    assert one.evaluate("(one) => one.readOnly && one.tabIndex === -1 && one.checkVisibility()")
    expect(form.get_by_role("textbox", name="Email address")).to_have_count(0)


def said(page, text):
    """The words are seen, also where the screen behind them has changed."""
    expect(page.locator(".snackbar", has_text=text)).to_be_visible()


def has_no_household(page):
    expect(page.get_by_role("heading", name="Who do you live with?")).to_be_visible()
    expect(page.get_by_role("navigation", name="Main parts").get_by_role("link")).to_have_text(["Home", "Out"])


def test_s1_1_missing_fields_are_named_all_at_once_and_housemates_see_the_day_of_a_birthday(device, site):
    page = phone(device, site)
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
    # The server knows the commonest passwords, and who is here already.
    email, password = page.get_by_label("Email address"), page.get_by_label("Password", exact=True)
    email.fill(address("ines"))
    password.fill("password1")
    page.get_by_role("button", name="Create account").click()
    expect(password).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("one of the commonest passwords")).to_be_visible()
    jo = sign_up(device, site, "Jo")
    found(jo, "Lime Tree")
    email.fill(jo.email)
    password.fill(NEW_PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("alert")).to_contain_text("There is an account with this address already.")
    # With all of it the account is there, and its birthday is what the others see of it: the day without the year.
    email.fill(address("ines"))
    page.get_by_label("Birthday, if you like").fill("1994-05-17")
    page.get_by_role("button", name="Create account").click()
    has_no_household(page)
    page.goto(join_link(jo))
    page.get_by_role("button", name="Join").click()
    expect(page.get_by_role("button", name="Lime Tree")).to_be_visible()
    jo.keyboard.press("Escape")
    jo.get_by_role("button", name=re.compile("^Ines")).click()
    expect(sheet(jo, "Ines")).to_contain_text("17 May")
    expect(sheet(jo, "Ines")).not_to_contain_text("1994")


def test_s0_1_and_s1_2_log_in_with_a_wrong_password_and_out_again(newcomer):
    page = newcomer("Ines")
    found(page, "Lime Tree")
    jo = mate(newcomer, join_link(page), "Jo", "Lime Tree")
    visit(page, "/me")
    log_out(page)
    visit(page, "/household")
    expect(page.get_by_role("heading", name="Welcome home")).to_be_visible()
    # Others go on; nothing of it is seen here until the next log-in.
    pin(jo, "While Ines was out")
    expect(jo.locator(".board > .note")).to_have_count(1)
    page.get_by_role("button", name="Log in").click()
    # An unknown address and a wrong password get the same answer.
    for email, password in [(address("nobody"), NEW_PASSWORD), (page.email, "not this one")]:
        fill_in(page, email, password)
        expect(page.get_by_role("alert")).to_have_text("The email address or the password is not right.")
    page.get_by_label("Password", exact=True).fill("once more")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_text("While Ines was out")).to_have_count(0)
    fill_in(page, page.email, NEW_PASSWORD)
    # That is the address that Ines asked for.
    expect(page.get_by_role("heading", name="Lime Tree")).to_be_visible()
    visit(page, "/")
    expect(page.locator(".board > .note")).to_contain_text("While Ines was out")


def test_s0_1_an_address_opens_after_the_log_in_but_none_of_another_site(device, site):
    page = phone(device, site)
    visit(page, "/calendar?from=a-mail")
    page.get_by_role("button", name="Create an account").click()
    page.get_by_role("button", name="I have an account").click()
    fill_in(page, "dan@example.org", "sample household")
    expect(page.get_by_role("heading", name="Calendar")).to_be_visible()
    assert page.url == f"{site}/calendar?from=a-mail"
    # After a log-out, Home comes first again.
    visit(page, "/me")
    log_out(page)
    expect(page).to_have_url(f"{site}/")
    page.goto("/login")
    page.evaluate("sessionStorage.setItem('hearth.after', '//example.org/')")
    fill_in(page, "dan@example.org", "sample household")
    expect(page.get_by_role("button", name="Elm Street")).to_be_visible()
    expect(page).to_have_url(f"{site}/")


def test_s0_1_a_wrong_token_is_told_and_logged_out_and_a_log_in_loads_everything(sessions, people):
    cleo = people("cleo", token=sessions("cleo")["token"][::-1])
    visit(cleo, "/me/look")
    expect(cleo.get_by_text("You have been logged out. Please log in again.")).to_be_visible()
    fill_in(cleo, "cleo@example.org", "sample household")
    expect(cleo.get_by_role("radio", name="Pink")).to_be_visible()
    back(cleo)
    expect(cleo.get_by_role("heading", name="Your account")).to_be_visible()
    back(cleo)
    expect(cleo.get_by_role("button", name="Elm Street")).to_be_visible()
    expect(cleo.locator(".board > .note").first).to_be_visible()
    # The same for a phone that another one logs out while somebody looks at it. Its settings were those of the account.
    dan = people("cleo")
    # No later test can use this log-in.
    del sessions.known["cleo"]
    visit(dan, "/me/look")
    dan.get_by_role("radio", name="Pink").check()
    expect(dan.get_by_role("radio", name="Pink")).to_be_checked()
    visit(cleo, "/me/look")
    expect(cleo.get_by_role("radio", name="Pink")).to_be_checked()
    visit(cleo, "/me/security")
    cleo.get_by_role("button", name="Log out all others").click()
    sheet(cleo).get_by_role("button", name="Log out all others").click()
    expect(dan.get_by_role("heading", name="Log in")).to_be_visible()
    expect(dan.get_by_text("You have been logged out. Please log in again.")).to_be_visible()


def test_s0_2_to_5_found_invite_accept_and_leave(house, newcomer):
    ines, jo = newcomer("Ines"), newcomer("Jo")
    # The clock of the phone tells what is paid with there, not its language.
    ines.get_by_text("Euro, Berlin time").click()
    names = ines.get_by_label("Currency").locator("option").all_inner_texts()
    assert names[0].startswith("Afghan") and names.index("Euro (EUR)") > names.index("Danish Krone (DKK)")
    [create] = [one for one in house.call("rpc.discover", {})["methods"] if one["name"] == "households.create"]
    [accepted] = [one["schema"]["enum"] for one in create["params"] if one["name"] == "currency"]
    assert {re.search(r"\((\w+)\)$", name)[1] for name in names} - set(accepted) == set()
    ines.get_by_label("Currency").select_option("DKK")
    ines.get_by_label("Time zone").select_option("America/New_York")
    expect(ines.get_by_text("Danish Krone, New York time")).to_be_visible()
    found(ines, "Lime Tree")
    # Invite by address: the request is there at once, with its buttons.
    ines.get_by_role("link", name="Invite the others").click()
    expect(sheet(ines).get_by_role("button", name="Show a code")).to_be_visible()
    ines.keyboard.press("Escape")
    expect(ines.get_by_text("You live here alone")).to_be_visible()
    expect(ines.get_by_role("button", name="Leave this household")).to_be_visible()
    invite(ines, jo.email)
    expect(ines.get_by_text("They find the invitation when they open Hearth.").first).to_be_visible()
    expect(ines.get_by_text(jo.email)).to_be_visible()
    expect(jo.get_by_text("Ines invites you")).to_be_visible()
    # Declining asks first, and changes nothing but the request.
    jo.get_by_role("button", name="Decline").click()
    expect(sheet(jo, "Decline")).to_contain_text("Ines would have to invite you again.")
    sheet(jo).get_by_role("button", name="Cancel").click()
    expect(jo.get_by_text("Ines invites you")).to_be_visible()
    jo.get_by_role("button", name="Decline").click()
    sheet(jo).get_by_role("button", name="Decline").click()
    said(jo, "Declined.")
    expect(jo.get_by_text("Ines invites you")).to_have_count(0)
    expect(ines.get_by_text(jo.email)).to_have_count(0)
    expect(ines.get_by_text("You live here alone")).to_be_visible()
    has_no_household(jo)
    # Again, and accept it: both see both, and what one does.
    invite(ines, jo.email)
    jo.get_by_role("button", name="Accept").click()
    expect(jo.get_by_role("button", name="Lime Tree")).to_be_visible()
    expect(ines.get_by_role("button", name=re.compile("^Jo"))).to_be_visible()
    pin(jo, "Jo is here")
    # Somebody who lives here already cannot be invited, and the sheet says so.
    invite(ines, jo.email)
    expect(sheet(ines).get_by_role("alert")).to_have_text("They live here already.")
    visit(ines, "/")
    expect(ines.locator(".board > .note")).to_contain_text("Jo is here")
    expect(ines.get_by_role("link", name="Invite the others")).to_have_count(0)
    # Leaving asks first; then the others are told, and nothing of it is left.
    with Peer(house.url, jo.token) as peer:
        peer.call("bills.add", room=peer.household, bill={"title": "Pizza", "amount": 1240})
    visit(jo, "/household")
    jo.get_by_role("button", name="Leave this household").click()
    sheet(jo, "Leave Lime Tree?").get_by_role("button", name="Cancel").click()
    expect(jo.get_by_role("heading", name="Lime Tree")).to_be_visible()
    jo.get_by_role("button", name="Leave this household").click()
    sheet(jo, "Leave Lime Tree?").get_by_role("button", name="Leave", exact=True).click()
    has_no_household(jo)
    said(jo, "You have left Lime Tree.")
    expect(ines.locator(".faces")).not_to_contain_text("Jo")
    visit(ines, "/inbox")
    expect(ines.get_by_role("main").get_by_text("Jo has left")).to_be_visible()
    visit(ines, "/money")
    expect(ines.get_by_role("list", name="With each person")).to_contain_text("Jono longer lives here")
    for path in ["/chat", "/activity", "/household", "/shopping"]:
        jo.goto(path)
        has_no_household(jo)
        expect(jo.get_by_text(re.compile("Lime Tree|Jo is here"))).to_have_count(0)


def test_s0_3_a_contact_is_invited_by_name(people, house, newcomer):
    # Dan and Una know each other, and live in different households.
    una = newcomer("Una")
    found(una, "Oak Hill")
    visit(una, "/contacts")
    una.get_by_role("button", name="Add").first.click()
    una.get_by_label("Their email address").fill("dan@example.org")
    una.get_by_role("button", name="Ask them").click()
    dan = people("dan")
    visit(dan, "/inbox")
    dan.get_by_role("button", name="Accept").click()
    expect(una.get_by_role("main").get_by_text("Dan", exact=True)).to_be_visible()
    visit(una, "/household")
    una.get_by_role("button", name="Invite").click()
    sheet(una).locator(".row", has_text="Dan").get_by_role("button", name="Invite").click()
    expect(una.get_by_label("Open invitations").get_by_text("Dan", exact=True)).to_be_visible()
    expect(dan.get_by_role("main").get_by_text("Una invites you to Oak Hill")).to_be_visible()
    # A household that admits nobody of another one: Dan is told why, and nothing changes.
    visit(una, "/household/settings")
    switch(una, "People live in no other household", True)
    visit(una, "/household")
    dan.get_by_role("button", name="Accept").click()
    expect(dan.get_by_text("This household admits only people who are in no other one.").last).to_be_visible()
    expect(una.get_by_text("You live here alone")).to_be_visible()
    visit(una, "/inbox")
    expect(una.get_by_role("main").get_by_text("Somebody whom you invited is in another household")).to_be_visible()


def test_s1_15_a_person_who_is_not_in_the_group_sees_nothing_of_it(house, newcomer):
    una = newcomer("Una")
    with Peer(house.url, house.token("ana")) as ana:
        room, share = ana.household, next(iter(ana.state("me")["shares"]))
        item = house.call("groceries.add", {"room": room, "name": "Ana's secret"}, ana.token)["id"]
    links = [f"/shopping/item/{item}", "/chat", "/activity", "/household"]
    for path in links[:2]:
        una.goto(path)
        has_no_household(una)
    found(una, "Nobody Else")
    for path in [*links, f"/out/share/{share}"]:
        una.goto(path)
        expect(una.get_by_role("heading").first).to_be_visible()
        expect(una.get_by_text(re.compile("Elm Street|secret|Dan"))).to_have_count(0)
    expect(una.get_by_text("This share is over.")).to_be_visible()
    # The server itself keeps them out, whatever a page shows.
    with Peer(house.url, una.token) as stranger:
        for method, more in [
            ("room.subscribe", {}),
            ("notes.add", {"text": "Let me in"}),
            ("chat.send", {"text": "Let me in"}),
            ("groceries.remove", {"id": item, "sources": [item]}),
            ("members.away", {"from": "2030-01-01", "to": "2030-01-02"}),
        ]:
            with pytest.raises(AssertionError, match="'reason': 'room'"):
                stranger.call(method, room=room, **more)


def test_s1_4_and_5_join_by_a_link_be_removed_and_dissolve(device, site, house, newcomer):
    ines = newcomer("Ines")
    found(ines, "Elder Street")
    link = join_link(ines)
    # Two taps for somebody without an account: the link leads through the sign-up into the household.
    invited = phone(device, site)
    invited.goto(f"{link}/Elder%20Street")
    expect(invited.get_by_role("heading", name="Elder Street")).to_be_visible()
    kim = sign_up(device, site, "Kim", path=f"{link}/Elder%20Street", goes_offline=True)
    expect(kim.get_by_role("heading", name="You are invited")).to_be_visible()
    expect(kim.get_by_text("Your link leads to Elder Street. Tap Join.")).to_be_visible()
    expect(kim.get_by_role("main").get_by_role("button")).to_have_text(["Join", "Begin your own household instead"])
    kim.get_by_role("button", name="Begin your own household instead").click()
    expect(kim.get_by_role("heading", name="Who do you live with?")).to_be_focused()
    expect(kim.get_by_label("Name of the household")).to_be_visible()
    expect(kim.get_by_role("textbox", name="Code")).to_have_value(link.removeprefix("/join#"))
    kim.get_by_role("button", name="Join").click()
    expect(kim.get_by_role("button", name="Elder Street")).to_be_visible()
    ines.keyboard.press("Escape")
    expect(ines.get_by_role("button", name=re.compile("^Kim"))).to_be_visible()
    # The next guest gets the same code, until it is used up.
    ines.get_by_role("button", name="Invite", exact=True).click()
    assert link == f"/join#{sheet(ines).locator('.code').inner_text().replace(' ', '')}"
    ines.keyboard.press("Escape")
    expect(ines.get_by_label("Open invitations").get_by_role("listitem")).to_have_count(1)
    # Kim writes without a network, and is removed meanwhile: that change cannot be made, and Kim is told.
    visit(kim, "/chat")
    go_offline(kim)
    kim.get_by_role("textbox", name="Write to everybody").fill("Too late")
    kim.get_by_role("button", name="Send").click()
    expect(kim.locator(".bubble").get_by_text("not sent yet")).to_have_count(1)
    ines.get_by_role("button", name=re.compile("^Kim")).click()
    sheet(ines, "Kim").get_by_role("button", name="Remove").click()
    sheet(ines, "Remove Kim?").get_by_role("button", name="Cancel").click()
    expect(sheet(ines)).to_have_count(0)
    ines.get_by_role("button", name=re.compile("^Kim")).click()
    sheet(ines, "Kim").get_by_role("button", name="Remove").click()
    sheet(ines, "Remove Kim?").get_by_role("button", name="Remove").click()
    expect(ines.get_by_role("button", name=re.compile("^Kim"))).to_have_count(0)
    kim.context.set_offline(False)
    has_no_household(kim)
    expect(kim.get_by_text("Ines has removed you from Elder Street.")).to_be_visible()
    kim.get_by_role("link", name="Look").click()
    expect(kim.locator("li", has_text="Too late")).to_contain_text("You are not in this any more.")
    kim.get_by_role("button", name="Discard").click()
    expect(kim.get_by_text("Everything you did has arrived.")).to_be_visible()
    visit(kim, "/inbox")
    expect(kim.get_by_role("main").get_by_text("Ines has removed you from Elder Street")).to_be_visible()
    # The old link is dead. With a new one Kim comes back, to be there when the household is dissolved.
    kim.goto(link)
    kim.get_by_role("button", name="Join").click()
    expect(kim.get_by_text(re.compile("^This code is wrong, or no longer counts."))).to_be_visible()
    visit(kim, "/inbox")
    link = join_link(ines)
    kim.goto(link)
    kim.get_by_role("button", name="Join").click()
    expect(kim.get_by_role("button", name="Elder Street")).to_be_visible()
    kim.goto(link)
    kim.get_by_role("button", name="Join").click()
    said(kim, "You live here already.")
    ines.keyboard.press("Escape")
    expect(ines.get_by_role("button", name=re.compile("^Kim"))).to_be_visible()
    token = house.call("auth.logIn", {"email": kim.email, "password": NEW_PASSWORD})["token"]
    with Peer(house.url, token) as peer:
        peer.call("bills.add", room=peer.household, bill={"title": "Pizza", "amount": 1240})
    # Dissolving asks, tells of the money, and asks who it is.
    visit(ines, "/money")
    expect(ines.get_by_text("You owe €6.20")).to_be_visible()
    visit(ines, "/household")
    ines.get_by_role("button", name="Dissolve this household").click()
    expect(sheet(ines)).to_contain_text("You owe €6.20 in all. That stays open: settle it before")
    sheet(ines).get_by_role("button", name="Cancel").click()
    expect(ines.get_by_role("heading", name="Elder Street")).to_be_visible()
    ines.get_by_role("button", name="Dissolve this household").click()
    sheet(ines).get_by_role("button", name="Dissolve").click()
    expect(sheet(ines, "Is it you?")).to_have_accessible_description("Dissolve Elder Street?")
    sheet(ines, "Is it you?").get_by_label("Your password").fill("not this one")
    sheet(ines, "Is it you?").get_by_role("button", name="Confirm").click()
    secret = sheet(ines, "Is it you?").get_by_label("Your password")
    expect(secret).to_have_accessible_description("This is not your password.")
    # Until it is really the host, nothing has happened.
    expect(kim.get_by_role("button", name="Elder Street")).to_be_visible()
    sheet(ines, "Is it you?").get_by_label("Your password").fill(NEW_PASSWORD)
    sheet(ines, "Is it you?").get_by_role("button", name="Confirm").click()
    has_no_household(ines)
    said(ines, "Elder Street is dissolved.")
    has_no_household(kim)
    bell(kim).click()
    expect(kim.get_by_role("main").get_by_text("Ines has dissolved Elder Street")).to_be_visible()
    # It can be brought back for a week.
    expect(ines.get_by_text("You have dissolved Elder Street, and can bring it back for 7 days.")).to_be_visible()
    expect(ines.get_by_role("main").get_by_role("button").first).to_have_text("Bring it back")
    ines.get_by_role("button", name="Bring it back").click()
    expect(ines.get_by_role("button", name="Elder Street")).to_be_visible()
    expect(kim.get_by_role("main").get_by_text("Ines has brought Elder Street back")).to_be_visible()


def test_a_face_leads_to_its_person_who_is_asked_by_name(people):
    bo = open_home(people("bo.new"))
    face = bo.locator(".faces").get_by_role("link", name="Cleo")
    expect(face).to_have_css("text-decoration-line", "none")
    face.tap()
    sheet(bo, "Cleo").get_by_role("button", name="Add as contact").tap()
    said(bo, "Asked. Cleo is a contact after a yes.")
    visit(bo, "/contacts")
    asked = bo.get_by_role("listitem").filter(has_text="Cleo")
    asked.get_by_role("button", name="Take back").tap()
    expect(asked).to_have_count(0)


def test_s1_5_the_others_are_told_who_was_removed(people, house, newly):
    with Peer(house.url, house.token("ana.new")) as ana:
        code = ana.call("joinCodes.create", room=newly)["code"]
        gil = house.newcomer("Gil")
        house.call("households.join", {"code": code}, gil["token"])
        ana.call("members.remove", room=newly, person=gil["me"])
    bo = people("bo.new")
    visit(bo, "/inbox")
    expect(bo.get_by_role("main").get_by_text("Ana has removed Gil")).to_be_visible()


def test_a_link_that_cannot_be_copied_is_said_to_be_and_the_code_is_shown(people):
    ana = people("ana")
    visit(ana, "/household")
    ana.get_by_role("button", name="Invite").tap()
    sheet(ana).get_by_role("button", name="Copy a link").tap()
    expect(ana.get_by_text("This browser does not let it be copied. Show them the code.").last).to_be_visible()
    expect(sheet(ana).get_by_role("img", name="The link")).to_be_visible()


def test_an_invitation_by_link_takes_two_taps(people):
    ana = people("ana", permissions=["clipboard-read", "clipboard-write"])
    visit(ana, "/household")
    ana.get_by_role("button", name="Invite").tap()
    sheet(ana).get_by_role("button", name="Copy a link").tap()
    expect(ana.get_by_text("The link is copied.").last).to_be_visible()
    assert re.search("/join#[0-9A-Z]{10}/Elm%20Street$", ana.evaluate("navigator.clipboard.readText()"))
    # The code is shown, too, for somebody who stands beside; it can be taken back.
    expect(sheet(ana).get_by_role("img", name="The link")).to_be_visible()
    ana.keyboard.press("Escape")
    take_back = ana.get_by_role("button", name="Take back")
    expect(take_back.first).to_be_visible()
    count = take_back.count()
    take_back.first.tap()
    sheet(ana, "Take back").get_by_role("button", name="Cancel").tap()
    expect(take_back).to_have_count(count)
    take_back.first.tap()
    sheet(ana, "Take back").get_by_role("button", name="Take back").tap()
    expect(take_back).to_have_count(count - 1)


def test_s1_3_profile_and_deleting_the_account(newcomer):
    page = newcomer("Ines")
    found(page, "Lime Tree")
    jo = mate(newcomer, join_link(page), "Jo", "Lime Tree")
    visit(page, "/")
    pin(page, "By Ines")
    expect(jo.locator(".board > .note")).to_contain_text("Ines")
    visit(page, "/me/profile")
    page.get_by_label("Your name").fill("Inês")
    page.get_by_role("button", name="Save", exact=True).click()
    visit(page, "/me")
    expect(page.locator(".person-name")).to_have_text("Inês")
    expect(jo.locator(".board > .note .note-by")).to_contain_text("Inês")
    page.get_by_role("link", name="Delete my account").click()
    page.get_by_role("button", name="Delete my account").click()
    # Nothing is under way until the question is answered.
    expect(page.locator("[aria-busy=true]")).to_have_css("opacity", "1")
    sheet(page, "Delete for good?").get_by_role("button", name="Keep it").click()
    expect(page.get_by_role("heading", name="Delete my account")).to_be_visible()
    page.get_by_role("button", name="Delete my account").click()
    sheet(page, "Delete for good?").get_by_role("button", name="Delete my account").click()
    expect(sheet(page, "Is it you?")).to_contain_text("Delete my account")
    sheet(page, "Is it you?").get_by_label("Your password").fill(NEW_PASSWORD)
    sheet(page, "Is it you?").get_by_role("button", name="Confirm").click()
    expect(page.get_by_role("heading", name="Welcome home")).to_be_visible()
    said(page, "Your account is deleted.")
    expect(jo.locator(".board > .note .note-by")).to_contain_text("Former housemate 1")
    visit(jo, "/inbox")
    expect(jo.get_by_role("main").get_by_text("Former housemate 1 has deleted the account")).to_be_visible()
    visit(jo, "/activity")
    host = jo.get_by_role("listitem").filter(has_text="You are host now")
    expect(host.locator(".avatar")).to_have_text("J")
    visit(jo, "/")
    expect(jo.get_by_text("Inês")).to_have_count(0)
    page.goto("/login")
    fill_in(page, page.email, NEW_PASSWORD)
    expect(page.get_by_role("alert")).to_have_text("The email address or the password is not right.")
    # The household goes on; a new host looks after it.
    visit(jo, "/household")
    expect(jo.get_by_role("button", name=re.compile("^Jo"))).to_contain_text("Host")


def test_s1_3_a_forgotten_password_is_replaced_with_a_code(device, site, house, newcomer):
    page = newcomer("Ines")
    other = phone(device, site, is_mobile=True)
    other.goto("/login")
    other.get_by_label("Email address").fill(page.email)
    # A button of the screen before has been tapped where that one is now.
    other.get_by_role("button", name="Create an account").hover()
    expect(other.get_by_role("button", name="Create an account")).to_have_css("background-color", "rgba(0, 0, 0, 0)")
    other.get_by_role("button", name="Forgotten your password?").click()
    expect(other.get_by_role("heading", name="A new password")).to_be_visible()
    expect(other.get_by_label("Email address")).to_have_value(page.email)
    expect(other.get_by_text("It comes by mail, or from the person who has set up Hearth for you.")).to_be_visible()
    # This house sends no mail, and says at once how to get a code.
    other.get_by_role("button", name="Send me a code").click()
    expect(other.get_by_role("alert")).to_contain_text("Ask at home who has set it up: they can make a code.")
    command = [BINARY, "admin", "reset-code", page.email, "--json", "--data", str(house.folder)]
    code = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["code"]
    other.get_by_role("button", name="I have a code").click()
    expect(other.get_by_text("Write the code that you have")).to_be_visible()
    expect(other.get_by_text("on its way")).to_have_count(0)
    username_is(other, page.email)
    other.get_by_label("Code").fill(code)
    other.get_by_label("New password").fill("another sentence of mine")
    other.get_by_role("button", name="Change and log in").click()
    has_no_household(other)
    # Wherever the old password was used, its owner is told, and the new one counts.
    expect(page.get_by_text("You have been logged out. Please log in again.")).to_be_visible()
    fill_in(page, page.email, NEW_PASSWORD)
    expect(page.get_by_role("alert")).to_have_text("The email address or the password is not right.")
    fill_in(page, page.email, "another sentence of mine")
    has_no_household(page)


def test_s1_6_away_is_seen_by_all(people, house):
    bo, cleo = people("bo"), people("cleo")
    visit(bo, "/household/away")
    today = bo.get_by_label("First day").input_value()
    bo.get_by_label("Last day").fill("2000-01-01")
    # A browser may write dates in another language than the page.
    expect(bo.get_by_text("1 January 2000")).to_be_visible()
    bo.get_by_role("button", name="I am away then").click()
    expect(bo.get_by_text("The last day comes after the first.")).to_be_visible()
    bo.get_by_label("Last day").fill(today)
    mates = bo.get_by_label("Who stands in for you?")
    expect(mates.locator("option", has_text="Cleo")).to_have_text(re.compile("^Cleo \\(away until "))
    mates.select_option(label="Dan")
    bo.get_by_role("button", name="I am away then").click()
    visit(cleo, "/household")
    cleo.get_by_role("button", name=re.compile("Bo.*Away until")).click()
    expect(sheet(cleo, "Bo").get_by_text("Stand-in: Dan")).to_be_visible()
    cleo.keyboard.press("Escape")
    dan = people("dan")
    visit(dan, "/inbox")
    expect(dan.get_by_role("listitem").filter(has_text="You stand in for Bo from ")).to_be_visible()
    # It is on the first screen, too, among the events of the days.
    with Peer(house.url, house.token("bo")) as peer:
        later = str(datetime.date.fromisoformat(today) + datetime.timedelta(1))
        peer.call("events.add", room=peer.household, title="Choir trip", start=later)
    cleo.get_by_role("link", name="Home").click()
    expect(cleo.get_by_role("link", name="Bo Away, back after today")).to_be_visible()
    planned = cleo.get_by_role("region", name="Coming up").get_by_role("listitem")
    expect(planned.filter(has_text="Choir trip")).to_be_visible()
    names = ["You" if "You" in one else one for one in planned.all_inner_texts()]
    assert [one for one in names if one == "You" or "Choir trip" in one][-1] == "You", names
    cleo.get_by_role("link", name="Calendar", exact=True).click()
    expect(cleo.get_by_role("link", name=re.compile("^Bo away$"))).to_be_visible()
    visit(cleo, "/household")
    visit(bo, "/household/away")
    bo.get_by_role("button", name="I am back").click()
    expect(cleo.get_by_role("button", name=re.compile("Bo.*Away until"))).to_have_count(0)
    expect(dan.get_by_role("listitem").filter(has_text="You no longer stand in for Bo")).to_be_visible()
    bo.get_by_role("button", name="Undo").click()
    expect(cleo.get_by_role("button", name=re.compile("Bo.*Away until"))).to_be_visible()
    # Later days are told with both dates, to the others and on the own row.
    visit(bo, "/household/away")
    days = [datetime.date.fromisoformat(today) + datetime.timedelta(days) for days in (20, 24)]
    bo.get_by_label("First day").fill(str(days[0]))
    bo.get_by_label("Last day").fill(str(days[1]))
    bo.get_by_role("button", name="I am away then").click()
    words = " until ".join(f"{day.day} {day:%B}" for day in days)
    expect(bo.get_by_text(f"The others see that you are away from {words}.").last).to_be_visible()
    expect(bo.get_by_role("link", name=f"Away from {words}")).to_be_visible()
    expect(cleo.get_by_role("button", name=re.compile(f"Bo.*Away from {words}"))).to_be_visible()
    cleo.get_by_role("link", name="Calendar", exact=True).click()
    expect(cleo.get_by_role("link", name=f"Bo away · until {days[1].day} {days[1]:%B}")).to_be_visible()
    visit(bo, "/household/away")
    bo.get_by_role("button", name="I am not going away").click()


def test_security_pin_and_devices(people):
    dan, other = people("dan"), people("dan")
    open_home(other)
    visit(dan, "/me/security")
    dan.get_by_role("button", name="Change password").click()
    username_is(sheet(dan), "dan@example.org")
    dan.keyboard.press("Escape")
    dan.get_by_role("button", name="PIN").click()
    sheet(dan).get_by_label("New PIN").fill("12")
    sheet(dan).get_by_label("Your password").fill("sample household")
    sheet(dan).get_by_role("button", name="Set a PIN").click()
    expect(sheet(dan).get_by_text("Use 4 to 8 digits.")).to_be_visible()
    sheet(dan).get_by_label("New PIN").fill("482913")
    sheet(dan).get_by_role("button", name="Set a PIN").click()
    expect(dan.get_by_text("A PIN is set")).to_be_visible()
    expect(other.get_by_role("heading", level=1)).to_be_visible()


def test_s1_3_and_s0_24_saving_keeps_what_others_have_changed_meanwhile(people, house):
    with Peer(house.url, house.token("ana.new")) as peer:
        peer.call("households.update", room=peer.household, policies={"settings": "anyMember"})
    ana, bo, tablet = people("ana.new"), people("bo.new"), people("ana.new", new=True)
    visit(ana, "/household/settings")
    visit(bo, "/household/settings")
    ana.get_by_label("Dinner: answers until").fill("18:30")
    bo.get_by_label("Name of the household").fill("Linden")
    bo.get_by_label("Time zone", exact=True).select_option("Europe/Lisbon")
    bo.get_by_role("button", name="Save").click()
    # An open field shows the new value, unless its own person has begun to change it.
    expect(ana.get_by_label("Name of the household")).to_have_value("Linden")
    expect(ana.get_by_label("Time zone", exact=True)).to_have_value("Europe/Lisbon")
    expect(ana.get_by_label("Dinner: answers until")).to_have_value("18:30")
    bo.get_by_label("Name of the household").fill("Bo's")
    ana.get_by_role("button", name="Save").click()
    expect(bo.get_by_label("Dinner: answers until")).to_have_value("18:30")
    expect(bo.get_by_label("Name of the household")).to_have_value("Bo's")
    with Peer(house.url, house.token("ana.new")) as peer:
        known = peer.state(peer.household)["household"]
    assert (known["name"], known["timeZone"], known["dinnerCutoff"]) == ("Linden", "Europe/Lisbon", "18:30")
    # The same with two devices of one person.
    visit(ana, "/me/profile")
    visit(tablet, "/me/profile")
    ana.get_by_label("Your name").fill("Anna")
    tablet.get_by_label("Birthday").fill("1994-05-17")
    tablet.get_by_role("button", name="Save", exact=True).click()
    expect(ana.get_by_label("Birthday")).to_have_value("1994-05-17")
    expect(ana.get_by_text("17 May 1994")).to_be_visible()
    ana.get_by_role("button", name="Save", exact=True).click()
    expect(tablet.get_by_label("Your name")).to_have_value("Anna")
    expect(tablet.get_by_label("Birthday")).to_have_value("1994-05-17")


def test_s0_24_settings_are_kept_and_seen(people):
    ana, bo = people("ana"), people("bo")
    # The colour of the board, and when automatic notices come.
    visit(bo, "/me/look")
    bo.get_by_role("radio", name="Blue").check()
    bo.get_by_role("radio", name="Dark").check()
    expect(bo.locator("html")).to_have_attribute("data-scheme", "dark")
    visit(bo, "/me/notifications")
    bo.get_by_label("When automatic notices come").fill("18:30")
    bo.get_by_label("From", exact=True).fill("22:00")
    bo.get_by_label("To", exact=True).fill("07:00")
    switch(bo, "New notes", False)
    bo.reload()
    expect(bo.get_by_label("From", exact=True)).to_have_value("22:00")
    expect(bo.get_by_label("To", exact=True)).to_have_value("07:00")
    expect(bo.get_by_label("When automatic notices come")).to_have_value("18:30")
    expect(bo.get_by_role("switch", name="New notes")).not_to_be_checked()
    group = bo.get_by_role("region", name="The household")
    group.get_by_role("button", name="Turn all off").tap()
    expect(group.get_by_role("switch", checked=True)).to_have_count(0)
    bo.get_by_role("button", name="Undo").tap()
    expect(group.get_by_role("switch", checked=False)).to_have_count(1)
    expect(group.get_by_role("switch", checked=False)).to_have_accessible_name("New notes")
    group.get_by_role("button", name="Turn all off").tap()
    group.get_by_role("button", name="Turn all on").tap()
    expect(group.get_by_role("switch", checked=False)).to_have_count(0)
    visit(bo, "/")
    expect(bo.locator(".board.blue")).to_be_visible()
    # The host renames the household; others read, and see it at once.
    visit(bo, "/household/settings")
    expect(bo.get_by_text("Only the host changes these.")).to_be_visible()
    expect(bo.get_by_role("switch", name="Chores have points")).to_have_css("opacity", "0.5")
    visit(ana, "/household/settings")
    ana.get_by_label("Name of the household").fill("Elm Street 12")
    ana.get_by_role("button", name="Save").click()
    visit(bo, "/")
    expect(bo.get_by_role("button", name="Elm Street 12")).to_be_visible()
    # German, without loading the page again.
    visit(bo, "/me/look")
    bo.get_by_label("Language").select_option("de")
    expect(bo.get_by_role("heading", name="Aussehen und Sprache")).to_be_visible()
    expect(bo.locator("html")).to_have_attribute("lang", "de")
