"""Shopping, as the use cases S0.10 to S0.12 tell it: two people, two browsers, one list."""

import datetime
import random
import re
import string
import time

import pytest
from playwright.sync_api import expect

from pages import back, finger, go_offline, sheet, switch, visit


def word(name):
    """A name that no other test has on the list; without digits, which would be a quantity."""
    return f"{name} {''.join(random.choices(string.ascii_lowercase, k=5))}"


def shopping(people, name, path="/shopping", **options):
    page = people(name, **options)
    visit(page, path)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    return page


def add(page, line):
    page.get_by_role("textbox", name="Add an item").fill(line)
    page.get_by_role("textbox", name="Add an item").press("Enter")


def supplies(page):
    page.get_by_role("button", name="Lists and more").tap()
    sheet(page).get_by_role("button", name="Supplies").tap()


def wanted(page):
    return page.get_by_role("list", name="Shopping", exact=True)


def bought(page):
    return page.get_by_role("list", name="Bought")


def row(page, name):
    return page.locator("li.item", has_text=name)


def segment(page, name):
    page.locator(".segments label", has_text=name).click()


def count_alike(page):
    """Home says as many things as the list."""
    n = page.locator(".segments label", has_text="All").locator(".count").inner_text()
    visit(page, "/")
    expect(page.get_by_role("link", name=f"{n} to get", exact=True)).to_be_visible()


def selecting(page):
    return page.get_by_role("group", name="Select several")


# Answers whether a phone would show its menu. Chromium without a screen shows none by itself.
MENU = "(one) => one.dispatchEvent(new Event('contextmenu', { bubbles: true, cancelable: true }))"


def hold(page, element):
    """A finger rests on an element until it is selected, and leaves it."""
    touch = finger(page, element)
    touch("touchStart")
    expect(selecting(page)).to_contain_text("1 selected")
    assert element.evaluate(MENU) is False, "the browser's own menu comes"
    touch("touchEnd")


def swipe(page, element, right=20):
    """A finger pulls an element to the right. It took a second: a tap would stop a fast one, and do nothing else."""
    touch, start = finger(page, element), time.time() - 1
    touch("touchStart", timestamp=start)
    for step in range(1, 8):
        touch("touchMove", right=right * step, timestamp=start + step / 10)
    touch("touchEnd", timestamp=start + 1)


def test_s0_10_something_for_everybody_is_seen_by_everybody(people):
    ana, bo = shopping(people, "ana"), shopping(people, "bo")
    oats = word("Oats")
    add(ana, f"2 kg {oats}")
    expect(row(ana, oats)).to_contain_text("2 kg")
    expect(row(bo, oats)).to_contain_text("2 kg")
    # Bo wants some, too: it is one line, and the sum is the server's.
    add(bo, f"{oats.upper()} 500g")
    expect(bo.get_by_text(f"{oats}: 2.5 kg on the list now.").last).to_be_visible()
    expect(row(ana, oats)).to_have_count(1)
    expect(row(ana, oats)).to_contain_text("2.5 kg")
    expect(row(bo, oats)).to_contain_text("2.5 kg")


def test_s0_10_what_is_removed_is_gone_and_comes_back_by_undo(people):
    ana, bo = shopping(people, "ana"), shopping(people, "bo")
    jam = word("Jam")
    add(ana, f"2 {jam}")
    expect(row(bo, jam)).to_be_visible()
    ana.get_by_role("button", name=f"{jam}: details").click()
    ana.get_by_role("button", name="Remove").click()
    expect(row(bo, jam)).to_have_count(0)
    ana.get_by_role("button", name="Undo").click()
    expect(row(bo, jam)).to_contain_text("2")


def test_s0_10_one_tap_buys_and_one_tap_brings_back(people):
    ana, bo = shopping(people, "ana"), shopping(people, "bo")
    tea = word("Tea")
    add(ana, tea)
    row(bo, tea).locator("label").tap()
    expect(bought(ana)).to_contain_text(tea)
    expect(bought(ana).locator("li", has_text=tea)).to_contain_text("by Bo")
    expect(wanted(ana)).not_to_contain_text(tea)
    row(bo, tea).locator("label").tap()
    expect(wanted(ana)).to_contain_text(tea)


def test_s0_10_a_suggestion_is_one_tap(people):
    ana = shopping(people, "ana")
    rice = word("Rice")
    add(ana, rice)
    row(ana, rice).locator("label").tap()
    expect(bought(ana)).to_contain_text(rice)
    field = ana.get_by_role("textbox", name="Add an item")
    field.fill(f"3 kg {rice[:6]}")
    # The message about the tap before does not cover it.
    ana.get_by_role("button", name=f"3 kg {rice}").tap(timeout=2000)
    expect(wanted(ana).locator("li", has_text=rice)).to_contain_text("3 kg")
    expect(field).to_have_value("")


def test_s0_11_my_own_item_hidden_shown_and_changed(people):
    ana = shopping(people, "ana", "/shopping?show=mine")
    bo = shopping(people, "bo")
    gift = word("Present for Bo")
    seen = ana.get_by_role("button", name="The next one: everybody sees it")
    assert seen.bounding_box()["height"] >= 44
    seen.tap()
    add(ana, gift)
    expect(row(ana, gift)).to_contain_text("Only you see it")
    count_alike(ana)
    visit(ana, "/shopping?show=mine")
    # A round of the server: had Bo seen it, it would be there by now.
    soap = word("Soap")
    ana.locator("form").get_by_role("button", name="The next one: only you see it").tap()
    add(ana, soap)
    expect(row(bo, soap)).to_be_visible()
    expect(row(bo, gift)).to_have_count(0)
    # Shown after all, and changed.
    ana.get_by_role("button", name=f"{gift}: details").click()
    switch(ana, "Show it to everybody", True)
    expect(row(bo, gift)).to_be_visible()
    ana.get_by_label("Note").fill("the blue one")
    ana.get_by_role("button", name="Done").click()
    expect(row(bo, gift)).to_contain_text("the blue one")
    # Bo can buy it, but it is Ana's to take away.
    bo.get_by_role("button", name=f"{gift}: details").click()
    expect(bo.get_by_text("only Ana can change it")).to_be_visible()
    bo.keyboard.press("Escape")
    # And hidden again.
    ana.get_by_role("button", name=f"{gift}: details").click()
    switch(ana, "Show it to everybody", False)
    expect(row(bo, gift)).to_have_count(0)
    expect(row(ana, gift)).to_contain_text("Only you see it")
    # An item of mine that is shown is gone for everybody once I remove it.
    ana.keyboard.press("Escape")
    ana.get_by_role("button", name=f"{soap}: details").click()
    ana.get_by_role("button", name="Remove").click()
    expect(row(bo, soap)).to_have_count(0)


def test_s0_11_each_one_s_addition_is_changed_and_brought_back(people):
    ana, bo = shopping(people, "ana"), shopping(people, "bo")
    barley = word("Barley")
    add(ana, f"2 kg {barley}")
    add(bo, f"500 g {barley}")
    expect(row(ana, barley)).to_contain_text("2.5 kg")
    # To the left is more of it.
    swipe(ana, row(ana, barley), right=-20)
    mine = sheet(ana).locator("section", has_text="What you added")
    mine.get_by_label("Quantity", exact=True).fill("3")
    mine.get_by_label("Note").fill("the fine one")
    mine.get_by_label("Note").press("Tab")
    expect(row(bo, barley)).to_contain_text("3.5 kg")
    expect(row(bo, barley)).to_contain_text("the fine one")
    sheet(ana).get_by_role("button", name="Remove 500 g").tap()
    expect(row(bo, barley)).to_contain_text("3 kg")
    sheet(ana).get_by_role("button", name="Undo").tap()
    expect(row(bo, barley)).to_contain_text("3.5 kg")


def test_s0_11_quantity_unit_and_note_of_an_item(people):
    ana, bo = shopping(people, "ana"), shopping(people, "bo")
    flour = word("Flour")
    add(ana, flour)
    ana.get_by_role("button", name=f"{flour}: details").click()
    expect(ana.get_by_role("heading", name=flour)).to_be_focused()
    quantity = ana.get_by_label("Quantity", exact=True)
    # No unit is chosen yet; pieces are counted from one.
    units = sheet(ana).get_by_role("group", name="Unit")
    expect(units.get_by_role("button", pressed=True)).to_have_count(0)
    units.get_by_role("button", name="pieces").tap()
    expect(units.get_by_role("button", pressed=True)).to_have_text("pieces")
    expect(quantity).to_have_value("1")
    quantity.fill("a lot")
    quantity.press("Tab")
    expect(ana.get_by_role("alert")).to_contain_text("Write a number")
    # A change of somebody else leaves alone what is being typed, and is seen beside it.
    ana.get_by_label("Note").fill("half a thou")
    bo.get_by_role("button", name=f"{flour}: details").click()
    bo.get_by_label("Unit").first.fill("bags")
    bo.get_by_label("Unit").first.press("Tab")
    expect(ana.get_by_label("Unit").first).to_have_value("bag")
    expect(ana.get_by_label("Note")).to_have_value("half a thou")
    expect(ana.get_by_label("Note")).to_be_focused()
    bo.keyboard.press("Escape")
    quantity.fill("1,5")
    quantity.press("Tab")
    ana.get_by_role("button", name="kg", exact=True).click()
    expect(row(bo, flour)).to_contain_text("1.5 kg")
    ana.get_by_role("button", name="More", exact=True).click()
    expect(row(bo, flour)).to_contain_text("2 kg")
    ana.go_back()
    expect(ana.get_by_role("dialog")).to_have_count(0)


def test_s0_12_all_that_is_wanted_is_one_list(people):
    ana = shopping(people, "ana")
    bo = shopping(people, "bo", "/shopping?show=mine")
    eggs = word("Eggs")
    add(ana, eggs)
    add(bo, eggs)
    # Two people's eggs are two eggs, in one row that shows whose they are.
    expect(row(ana, eggs)).to_have_count(1)
    expect(row(ana, eggs).locator(".item-quantity")).to_have_text("2")
    expect(row(ana, eggs).get_by_label("for Bo")).to_be_visible()
    expect(row(ana, eggs)).to_contain_text("1 for everybody · 1 for Bo")
    expect(row(bo, eggs).get_by_label("for you")).to_be_visible()
    # How many for whom.
    ana.get_by_role("button", name=f"{eggs}: details").tap()
    expect(sheet(ana).get_by_role("region", name="For whom").get_by_role("listitem")).to_have_text(
        ["1 · for everybody", "1 · for Bo"]
    )
    expect(sheet(ana).get_by_text("Below you change what is for everybody.")).to_be_visible()
    ana.keyboard.press("Escape")
    visit(ana, "/shopping/shop")
    expect(ana.get_by_role("button", name=eggs)).to_contain_text("1 for everybody · 1 for Bo")
    visit(ana, "/shopping")
    count_alike(ana)
    visit(ana, "/shopping?show=ours")
    expect(row(ana, eggs).locator(".item-quantity")).to_have_text("")
    segment(ana, "Mine")
    expect(row(ana, eggs)).to_have_count(0)
    # Bought together, with one tap.
    segment(ana, "All")
    row(ana, eggs).locator("label").tap()
    expect(bought(bo)).to_contain_text(eggs)


def test_s0_10_each_store_has_its_list_and_its_way(people):
    ana, bo = shopping(people, "ana"), shopping(people, "bo")
    market, leek, cream = word("Market"), word("Leek"), word("Cream")
    ana.get_by_role("button", name="Lists and more").get_by_text("Lists", exact=True).tap()
    sheet(ana).get_by_role("button", name="New list").tap()
    sheet(ana).get_by_label("Name of the list").fill(market)
    sheet(ana).get_by_label("Store").fill("Elm Square")
    sheet(ana).get_by_role("button", name="Create list").tap()
    expect(ana.get_by_role("radio", name=market)).to_be_checked()
    # What is added there is on that list, and the same thing on the main list is another line.
    add(ana, f"2 {leek}")
    segment(bo, market)
    expect(row(bo, leek)).to_contain_text("2")
    segment(bo, "Main list")
    add(bo, leek)
    expect(row(bo, leek).locator(".item-quantity")).to_have_text("")
    # A category of one's own: it is a group of the list.
    ana.get_by_role("button", name=f"{leek}: details").tap()
    sheet(ana).locator("summary").tap()
    sheet(ana).get_by_role("combobox", name="Category").select_option("Other")
    sheet(ana).get_by_role("button", name="Done").tap()
    add(ana, cream)
    ana.get_by_role("button", name=f"{cream}: details").tap()
    sheet(ana).locator("summary").tap()
    sheet(ana).get_by_label("Barcode").fill("4006381333932")
    sheet(ana).get_by_label("Barcode").press("Tab")
    expect(sheet(ana).get_by_text("One of them is not right.")).to_be_visible()
    sheet(ana).get_by_role("combobox", name="Category").select_option("Another one …")
    sheet(ana).get_by_label("Name of the category").fill("Cheese wagon")
    sheet(ana).get_by_label("Name of the category").press("Tab")
    sheet(ana).get_by_role("button", name="Done").tap()
    segment(bo, market)
    expect(bo.locator(".group-head")).to_have_text(["Other", "Cheese wagon"])
    # The way through this shop is another one.
    ana.get_by_role("button", name="Lists and more").tap()
    sheet(ana).get_by_role("button", name=market).tap()
    sheet(ana).get_by_role("button", name="Order of the shelves").tap()
    sheet(ana).get_by_role("button", name="Cheese wagon: further up").tap()
    sheet(ana).get_by_role("button", name="Done").tap()
    expect(bo.locator(".group-head")).to_have_text(["Cheese wagon", "Other"])
    # A list that is removed leaves its things behind, and takes them along when it comes back.
    ana.get_by_role("button", name="Lists and more").tap()
    sheet(ana).get_by_role("button", name=market).tap()
    sheet(ana).get_by_role("button", name="Remove list").tap()
    expect(bo.get_by_role("radio", name=market)).to_have_count(0)
    expect(row(bo, cream)).to_be_visible()
    ana.get_by_role("button", name="Undo").tap()
    segment(bo, market)
    expect(row(bo, cream)).to_be_visible()


def test_s0_10_a_long_press_selects_several_and_one_tap_buys_them(people):
    ana, bo = shopping(people, "ana"), shopping(people, "bo")
    rest, chosen = word("Rest"), [word("Figs"), word("Kale"), word("Nuts")]
    meanwhile = word("Meanwhile")
    for name in [rest, meanwhile, *chosen]:
        add(ana, name)
    expect(row(bo, chosen[-1])).to_be_visible()
    hold(ana, row(ana, meanwhile))
    for name in chosen:
        row(ana, name).locator("label").tap()
    expect(selecting(ana)).to_contain_text("4 selected")
    expect(row(ana, chosen[0]).get_by_role("checkbox", name=f"Select {chosen[0]}")).to_be_checked()
    expect(ana.get_by_role("textbox", name="Add an item")).to_be_hidden()
    # A second tap takes one out, and so does somebody who buys it. A swipe does nothing.
    row(ana, rest).locator("label").tap()
    row(ana, rest).locator("label").tap()
    swipe(ana, row(ana, rest))
    row(bo, meanwhile).locator("label").tap()
    expect(ana.get_by_role("status").filter(has_text="3 selected")).to_be_attached()
    selecting(ana).get_by_role("button", name="Bought").tap()
    for name in chosen:
        expect(bought(bo)).to_contain_text(name)
    expect(wanted(bo)).to_contain_text(rest)
    expect(selecting(ana)).to_have_count(0)
    expect(ana.get_by_role("textbox", name="Add an item")).to_be_visible()
    expect(ana.locator(".snackbar")).to_contain_text("3 things are in the basket")
    ana.get_by_role("button", name="Undo").tap()
    for name in chosen:
        expect(wanted(bo)).to_contain_text(name)
    expect(bought(bo)).to_contain_text(meanwhile)
    # The swipe does something again.
    swipe(ana, row(ana, rest))
    expect(bought(bo)).to_contain_text(rest)


def test_s0_10_several_are_removed_at_once_but_not_what_is_anothers_own(people):
    ana, bo = shopping(people, "ana"), shopping(people, "bo", "/shopping?show=mine")
    own, mine = word("Razor"), [word("Figs"), word("Kale"), word("Nuts")]
    add(bo, own)
    for name in mine:
        add(ana, name)
    segment(bo, "All")
    expect(row(bo, mine[-1])).to_be_visible()
    ana.get_by_role("button", name="Lists and more").tap()
    sheet(ana).get_by_role("button", name="Select several").tap()
    expect(selecting(ana).get_by_role("button", name="Remove")).to_be_disabled()
    for name in [own, *mine]:
        row(ana, name).locator("label").tap()
    selecting(ana).get_by_role("button", name="Remove").tap()
    for name in mine:
        expect(row(bo, name)).to_have_count(0)
    expect(row(ana, own)).to_be_visible()
    expect(ana.locator(".snackbar")).to_contain_text("3 things removed. The other one belongs to Bo.")
    ana.get_by_role("button", name="Undo").tap()
    for name in mine:
        expect(row(bo, name)).to_be_visible()
    # Back ends it, and nothing has happened.
    hold(ana, row(ana, own))
    ana.go_back()
    expect(selecting(ana)).to_have_count(0)
    expect(wanted(ana)).to_contain_text(own)
    row(ana, own).locator("label").tap()
    expect(bought(bo)).to_contain_text(own)


def test_s0_10_several_are_moved_by_keys_to_another_list_and_back(people):
    ana = shopping(people, "ana", viewport={"width": 1280, "height": 800}, is_mobile=False, has_touch=False)
    market, leek, chard = word("Market"), word("Leek"), word("Chard")
    ana.get_by_role("button", name="Lists and more").click()
    sheet(ana).get_by_role("button", name="New list").click()
    sheet(ana).get_by_label("Name of the list").fill(market)
    sheet(ana).get_by_role("button", name="Create list").click()
    expect(ana.get_by_role("radio", name=market)).to_be_checked()
    bo = shopping(people, "bo")
    segment(bo, market)
    add(bo, leek)
    segment(ana, "Main list")
    add(ana, leek)
    add(ana, chard)
    expect(row(ana, chard).locator(".waiting-mark")).to_have_count(0)
    row(ana, chard).get_by_role("checkbox").focus()
    ana.keyboard.press("x")
    ana.keyboard.press("ArrowDown")
    expect(row(ana, leek).get_by_role("checkbox")).to_be_focused()
    ana.keyboard.press("Space")
    expect(selecting(ana)).to_contain_text("2 selected")
    ana.keyboard.press("Escape")
    expect(selecting(ana)).to_have_count(0)
    ana.keyboard.press("x")
    ana.keyboard.press("ArrowUp")
    ana.keyboard.press("x")
    selecting(ana).get_by_role("button", name="Move", exact=True).press("Enter")
    sheet(ana, "Move to").get_by_role("button", name=market).press("Enter")
    expect(ana.locator(".snackbar")).to_contain_text(f"2 things moved to “{market}”")
    expect(row(ana, leek)).to_have_count(0)
    # There it was on the list already, and stays when the other one goes back.
    expect(row(bo, leek).locator(".item-quantity")).to_have_text("2")
    expect(row(bo, chard)).to_be_visible()
    ana.get_by_role("button", name="Undo").press("Enter")
    expect(row(bo, chard)).to_have_count(0)
    expect(row(bo, leek).locator(".item-quantity")).to_have_text("")
    expect(row(ana, leek)).to_be_visible()
    expect(row(ana, chard)).to_be_visible()
    # Rows stay in their place when the first thing is bought, for which there is room beside them.
    segment(ana, market)
    line = ana.get_by_role("textbox", name="Add an item")
    place = line.bounding_box()
    row(ana, leek).get_by_role("checkbox").press("Space")
    expect(bought(ana)).to_contain_text(leek)
    assert line.bounding_box() == place


def test_in_the_shop_with_bad_reception(people):
    ana, bo = shopping(people, "ana", goes_offline=True), shopping(people, "bo")
    bread, butter, cheese, beans = word("Bread"), word("Butter"), word("Cheese"), word("Beans")
    add(ana, bread)
    add(ana, beans)
    add(ana, butter)
    expect(row(bo, butter)).to_be_visible()
    ana.get_by_role("link", name="I'm going shopping").click()
    expect(ana.get_by_role("heading", name="In the shop")).to_be_visible()
    tile = ana.get_by_role("button", name=re.compile(bread))
    expect(tile).to_be_visible()
    assert tile.bounding_box()["height"] >= 56
    # Things that are wanted late are marked.
    add(bo, cheese)
    expect(ana.get_by_role("button", name=re.compile(cheese))).to_contain_text("new")
    # Tiles keep their places while they are tapped, also when somebody else takes a thing off the list.
    tiles, basket = wanted(ana).locator(".tile"), ana.get_by_role("list", name="In the basket")
    ana.clock.install()
    ana.clock.pause_at(datetime.datetime.now() + datetime.timedelta(seconds=1))
    places, sizes = tiles.locator(".tile-name").all_inner_texts(), [one.bounding_box() for one in tiles.all()]
    tile.tap()
    expect(ana.get_by_role("status").filter(has_text=f"{len(places) - 1} to get")).to_be_attached()
    ana.clock.run_for(1500)
    row(bo, beans).get_by_role("button").tap()
    sheet(bo).get_by_role("button", name="Remove").tap()
    expect(ana.get_by_role("button", name=re.compile(beans))).to_have_attribute("aria-pressed", "true")
    expect(tile).to_have_attribute("aria-pressed", "true")
    expect(tiles.locator(".tile-name")).to_have_text(places)
    assert [one.bounding_box() for one in tiles.all()] == sizes
    # A second tap at the same place meets the same thing.
    tile.tap()
    expect(tile).to_have_attribute("aria-pressed", "false")
    ana.clock.run_for(1500)
    expect(tiles.locator(".tile-name")).to_have_text(places)
    ana.clock.run_for(1500)
    expect(tiles.locator(".tile-name")).to_have_text([name for name in places if name != beans])
    expect(basket.filter(has_text=bread)).to_have_count(0)
    go_offline(ana)
    tile.tap()
    expect(tile).to_have_attribute("aria-pressed", "true")
    ana.clock.run_for(2500)
    expect(basket).to_contain_text(bread)
    ana.get_by_role("button", name=re.compile(butter)).tap()
    # A tick that still keeps its place is not lost when one leaves.
    ana.clock.resume()
    back(ana)
    expect(bought(ana)).to_contain_text(bread)
    ana.get_by_role("link", name="I'm going shopping").click()
    expect(ana.get_by_role("button", name=re.compile(f"^{cheese}"))).to_be_visible()
    expect(ana.get_by_role("button", name=re.compile(f"^{bread}"), pressed=False)).to_have_count(0)
    expect(wanted(bo)).to_contain_text(bread)
    ana.context.set_offline(False)
    expect(bought(bo)).to_contain_text(bread, timeout=20_000)
    expect(bought(bo)).to_contain_text(butter)


def test_a_wish_that_was_made_without_a_network_is_discarded_and_never_on_the_list(people):
    ana, bo = shopping(people, "ana", goes_offline=True), shopping(people, "bo")
    figs, dates = word("Figs"), word("Dates")
    go_offline(ana)
    expect(ana.get_by_text("No connection.")).to_be_visible()
    add(ana, figs)
    add(ana, dates)
    visit(ana, "/me/changes")
    waiting = ana.get_by_role("main").get_by_role("listitem")
    waiting.filter(has_text=figs).get_by_role("button", name="Discard").tap()
    expect(ana.locator(".snackbar-words")).to_have_text(re.compile(f"^Discarded: .*{figs}"))
    expect(waiting.filter(has_text=figs)).to_have_count(0)
    expect(waiting.filter(has_text=dates)).to_be_visible()
    expect(ana.get_by_text("Version of this page:")).to_be_visible()
    visit(ana, "/shopping")
    expect(row(ana, dates)).to_be_visible()
    expect(row(ana, figs)).to_have_count(0)
    ana.context.set_offline(False)
    expect(row(bo, dates)).to_be_visible(timeout=20_000)
    expect(row(bo, figs)).to_have_count(0)


def test_without_a_network_nobody_is_said_to_know_who_goes_shopping(people):
    cleo, bo = shopping(people, "cleo"), shopping(people, "bo")
    visit(cleo, "/shopping/shop")
    tell, kept = cleo.get_by_role("button", name="Tell the others that I go shopping"), "Nobody knows yet. It is kept"
    said = cleo.locator(".snackbar-words")
    expect(tell).to_be_visible()
    cleo.context.set_offline(True)
    tell.tap()
    expect(said).to_contain_text(kept)
    cleo.get_by_role("button", name="Not shopping after all").tap()
    expect(said).to_contain_text("It is kept")
    expect(cleo.get_by_role("heading", name="Shopping", exact=True)).to_be_visible()
    cleo.get_by_role("button", name="Undo").tap()
    trip = cleo.get_by_role("list", name="Shopping now").get_by_role("listitem").filter(has_text="You are shopping")
    expect(trip).to_contain_text("not sent yet")
    cleo.context.set_offline(False)
    expect(bo.get_by_role("list", name="Shopping now")).to_contain_text("Cleo", timeout=20_000)
    expect(trip).not_to_contain_text("not sent yet")
    visit(cleo, "/shopping/shop")
    cleo.get_by_role("button", name="Not shopping after all").tap()
    expect(said).to_contain_text("The others know that you do not go shopping.")


@pytest.mark.parametrize("name", ["a" * 100, "ملح البحر الميت", "超市的苹果和香蕉" * 6])
def test_long_names_and_other_scripts_stay_inside(people, name):
    ana = shopping(people, "ana", viewport={"width": 320, "height": 640})
    add(ana, f"12 {name}")
    expect(row(ana, name).first).to_be_visible()
    assert ana.evaluate("document.documentElement.scrollWidth <= innerWidth")
    row(ana, name).first.get_by_role("button").click()
    ana.get_by_role("button", name="Remove").click()
    expect(row(ana, name)).to_have_count(0)


def test_keys_alone_are_enough(people):
    ana = shopping(people, "ana", viewport={"width": 1280, "height": 800}, is_mobile=False, has_touch=False)
    plums, pears = word("Plums"), word("Pears")
    # Nothing has a button of its own here: a new thing is written into the field.
    ana.keyboard.press("n")
    ana.keyboard.type(plums)
    ana.keyboard.press("Enter")
    ana.keyboard.type(pears)
    ana.keyboard.press("Enter")
    expect(row(ana, pears)).to_be_visible()
    # Until both are sent they may change places: one has the server's time, the other that of the phone.
    expect(ana.locator("li.item .waiting-mark")).to_have_count(0)
    row(ana, pears).get_by_role("checkbox").focus()
    ana.keyboard.press("ArrowDown")
    expect(row(ana, plums).get_by_role("checkbox")).to_be_focused()
    ana.keyboard.press("Space")
    expect(bought(ana)).to_contain_text(plums)
    row(ana, pears).get_by_role("checkbox").focus()
    ana.keyboard.press("Delete")
    expect(row(ana, pears)).to_have_count(0)


def test_cho_25_what_is_out_goes_on_the_list_and_an_undo_takes_it_off(people):
    ana, bo = shopping(people, "ana"), shopping(people, "bo")
    soap, oil = word("Soap"), word("Oil")
    add(ana, oil)
    for page in (ana, bo):
        supplies(page)
    ana.get_by_role("button", name="Add a supply").tap()
    ana.get_by_role("dialog").get_by_label("What should never run out?").fill(soap)
    ana.get_by_role("dialog").get_by_role("button", name="Watch it").tap()
    # Names of the list are offered.
    ana.get_by_role("button", name="Add a supply").tap()
    ana.get_by_role("dialog").get_by_role("button", name=oil).tap()
    for name in (soap, oil):
        expect(bo.get_by_role("group", name=name).get_by_label("There")).to_be_checked()
    bo.get_by_role("group", name=oil).locator("label", has_text="Low").tap()
    expect(ana.get_by_text("1 is running low.")).to_be_visible()
    bo.get_by_role("group", name=soap).locator("label", has_text="Out").tap()
    expect(ana.get_by_text("1 thing is out. 1 is running low.")).to_be_visible()
    visit(ana, "/shopping")
    expect(row(ana, soap)).to_have_count(1)
    bo.get_by_role("button", name="Undo").tap()
    expect(row(ana, soap)).to_have_count(0)
    expect(bo.get_by_role("group", name=soap).get_by_label("There")).to_be_checked()
    bo.get_by_role("button", name=f"Watch {oil} no longer").tap()
    supplies(ana)
    expect(ana.get_by_text("Everything is there.")).to_be_visible()
    expect(ana.get_by_role("group", name=oil)).to_have_count(0)
    bo.get_by_role("button", name="Undo").tap()
    expect(ana.get_by_role("group", name=oil).get_by_label("Low")).to_be_checked()
