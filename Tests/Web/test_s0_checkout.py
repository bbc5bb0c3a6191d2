"""Going shopping, the checkout and what was bought, as the use cases S0.13 to S0.15 tell it: two people, two phones."""

import re

import pytest
from playwright.sync_api import expect

from pages import go_offline, open_home, sheet, visit

pytestmark = pytest.mark.usefixtures("newly")


def shopping(people, name, **options):
    page = people(f"{name}.new", **options)
    visit(page, "/shopping")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    return page


def add(page, *lines):
    field = page.get_by_role("textbox", name="Add an item")
    for line in lines:
        field.fill(line)
        field.press("Enter")


def row(page, name):
    return page.locator("li.item", has_text=name)


def tile(page, name):
    return page.locator(".tile", has_text=re.compile(f"^{name}"))


def shares(page):
    """Each one's part, as it is shown."""
    rows = page.get_by_role("region", name="What each one pays").get_by_role("listitem")
    expect(rows.first).to_be_visible()
    return dict(one.inner_text().split("\n")[-2:] for one in rows.all())


def test_s0_13_the_others_know_that_somebody_goes_shopping(people):
    ana, bo = shopping(people, "ana"), open_home(people("bo.new"))
    add(ana, "Bread")
    ana.get_by_role("link", name="I'm going shopping").tap()
    expect(tile(ana, "Bread")).to_be_visible()
    # On Home at once, and in the inbox. It leads to Shopping, and there nowhere.
    bo.get_by_role("list", name="Shopping now").get_by_role("link", name="Ana is shopping").tap()
    expect(bo.get_by_role("heading", name="Shopping", exact=True)).to_be_visible()
    trip = bo.get_by_role("main").locator(".shopping").get_by_role("list", name="Shopping now")
    expect(trip).to_contain_text("Ana is shopping")
    expect(trip.locator("a, .row > .icon")).to_have_count(0)
    add(bo, "Cheese")
    # What comes late is marked, on both phones.
    expect(tile(ana, "Cheese")).to_contain_text("new")
    expect(row(bo, "Cheese")).to_contain_text("new")
    ana.get_by_role("button", name="Not shopping after all").tap()
    expect(bo.get_by_role("list", name="Shopping now")).to_have_count(0)
    expect(row(bo, "Cheese")).not_to_contain_text("new")
    visit(bo, "/inbox")
    expect(bo.get_by_role("main")).to_contain_text("Ana goes shopping. Is everything on the list?")
    expect(bo.get_by_role("main")).to_contain_text("Ana does not go shopping after all")
    for page in (ana,):
        row(page, "Bread").get_by_role("button").tap()
        sheet(page).get_by_role("button", name="Remove").tap()
        row(page, "Cheese").get_by_role("button").tap()
        sheet(page).get_by_role("button", name="Remove").tap()
    expect(row(ana, "Cheese")).to_have_count(0)


def test_s0_14_what_was_bought_leaves_the_list_and_is_divided(people):
    ana, bo = shopping(people, "ana", goes_offline=True), shopping(people, "bo")
    add(ana, "3 Lemons", "Rice", "Tea")
    visit(bo, "/shopping?show=mine")
    add(bo, "2 Chocolate")
    expect(row(ana, "Chocolate")).to_be_visible()
    ana.get_by_role("link", name="I'm going shopping").tap()
    for name in ["Lemons", "Rice", "Chocolate"]:
        tile(ana, name).tap()
    for name in ["Lemons", "Rice", "Chocolate"]:
        expect(ana.get_by_role("list", name="In the basket")).to_contain_text(name)
    # Reception ends in the shop: all of it works, and comes when there is a network again.
    go_offline(ana)
    ana.get_by_role("link", name="Done shopping").tap()
    basket = ana.get_by_role("list", name="What I have bought")
    for name in ["3 Lemons", "Rice", "2 Chocolate"]:
        expect(basket.get_by_role("checkbox", name=name)).to_be_checked()
    ana.get_by_label("Total in EUR").fill("10,01")
    # 4 units of everybody's and 2 of Bo's: weights 4, 10 and 4.
    before = shares(ana)
    assert sorted(before) == ["Bo", "Cleo", "You"] and before["Bo"] == "€5.56"
    assert sorted([before["Cleo"], before["You"]]) in (["€2.22", "€2.23"], ["€2.22", "€2.22"])
    ana.get_by_role("button", name="Done: €10.01").tap()
    expect(ana.locator(".snackbar")).to_contain_text("3 things bought for €10.01.")
    expect(row(ana, "Tea")).to_be_visible()
    expect(row(ana, "Lemons")).to_have_count(0)
    # Meanwhile Bo has bought the rice, with its price.
    visit(bo, "/shopping/checkout")
    bo.get_by_role("checkbox", name="Rice").check()
    bo.get_by_role("switch", name="Prices of single things").tap()
    bo.get_by_role("textbox", name="Price of Rice").fill("3.00")
    bo.get_by_role("button", name="Sum of the prices: €3.00").tap()
    bo.get_by_role("button", name="Done: €3.00").tap()
    # A phone that sees it proves that the server has it.
    expect(row(shopping(people, "cleo"), "Rice")).to_have_count(0)
    ana.context.set_offline(False)
    expect(ana.locator(".snackbar")).to_contain_text("Bo has bought Rice already.", timeout=20_000)
    expect(row(bo, "Lemons")).to_have_count(0)
    ana.get_by_role("button", name="Look").tap()
    things = ana.get_by_role("region", name="Things")
    expect(things).to_contain_text("Lemons")
    expect(things).not_to_contain_text("Rice")
    # The server has divided what was left: weights 3, 9 and 3.
    after = shares(ana)
    assert after["Bo"] in ("€6.00", "€6.01")
    visit(bo, "/inbox")
    expect(bo.get_by_role("main")).to_contain_text(f"Ana has been shopping: your share is {after['Bo']}")
    # The bill is named in each one's language.
    for phone, name in [(bo, "Groceries"), (people("cleo.new", locale="de-DE"), "Einkauf")]:
        visit(phone, "/money")
        phone.locator(".bill", has_text=name).first.get_by_role("link").tap()
        expect(phone.get_by_role("heading", name=name)).to_be_visible()
    # It leads to the things.
    bo.get_by_role("link", name="What was bought").tap()
    expect(bo.get_by_role("region", name="Things")).to_contain_text("Lemons")
    # The tests after this one find an empty list.
    visit(bo, "/shopping?show=all")
    row(bo, "Tea").get_by_role("button").tap()
    sheet(bo).get_by_role("button", name="Remove").tap()
    expect(row(bo, "Tea")).to_have_count(0)


def test_s0_14_the_preview_is_what_the_server_says_to_the_cent(people):
    ana, bo = shopping(people, "ana"), shopping(people, "bo")
    add(ana, "Honey", "Salt")
    for name in ["Honey", "Salt"]:
        row(ana, name).locator("label").tap()
    # The others are told afterwards: what was ticked before belongs to the trip, too.
    visit(ana, "/shopping/shop")
    ana.get_by_role("button", name="Tell the others that I go shopping").tap()
    expect(ana.get_by_role("button", name="Not shopping after all")).to_be_visible()
    visit(ana, "/shopping")
    ana.get_by_role("link", name="Check out").tap()
    expect(ana.get_by_role("checkbox", name="Honey")).to_be_checked()
    ana.get_by_label("Total").fill("2.00")
    ana.get_by_role("switch", name="Prices of single things").tap()
    ana.get_by_role("textbox", name="Price of Honey").fill("2.50")
    expect(ana.get_by_text("The prices are €0.50 above the total.")).to_be_visible()
    ana.get_by_role("textbox", name="Price of Honey").fill("1.01")
    before = shares(ana)
    assert len(set(before.values())) == 2
    ana.get_by_label("Paid by").select_option("Bo")
    ana.get_by_role("button", name="Done: €2.00").tap()
    ana.get_by_role("button", name="Look").tap()
    assert shares(ana) == before
    visit(bo, "/activity")
    expect(bo.get_by_role("main")).to_contain_text("Ana has been shopping")


def test_s0_14_the_cost_is_divided_and_paid_otherwise_if_one_says_so(people):
    ana, bo = shopping(people, "ana"), shopping(people, "bo")
    add(ana, "Candles")
    row(ana, "Candles").locator("label").tap()
    visit(ana, "/shopping/checkout")
    ana.get_by_label("Total").fill("20")
    ana.get_by_text("Divide it otherwise").tap()
    expect(ana.get_by_label("How is it divided?")).to_have_value("")
    ana.get_by_label("Paid by", exact=True).select_option("Several people")
    ana.get_by_label("Paid by you").fill("15")
    ana.get_by_label("How is it divided?").select_option("By amounts")
    ana.get_by_label("Your amount").fill("2")
    ana.get_by_label("Amount of Bo").fill("17")
    # Typed text stays, whatever the others do meanwhile; and it must add up.
    add(bo, "Soap for all")
    expect(ana.get_by_text("1 more on the lists")).to_be_visible()
    ana.get_by_role("button", name="Done: €20.00").tap()
    expect(ana.locator(".snackbar")).to_contain_text("€5.00 of what was paid is missing.")
    ana.get_by_label("Paid by Bo").fill("5")
    ana.get_by_role("button", name="Done: €20.00").tap()
    expect(ana.locator(".snackbar")).to_contain_text("€1.00 are missing.")
    ana.get_by_label("Amount of Bo").fill("18")
    assert shares(ana) == {"You": "€2.00", "Bo": "€18.00"}
    ana.get_by_role("button", name="Done: €20.00").tap()
    ana.get_by_role("button", name="Look").tap()
    assert shares(ana) == {"You": "€2.00", "Bo": "€18.00"}
    visit(bo, "/money")
    bo.get_by_role("listitem").filter(has_text="Ana and you paid €20.00").get_by_role("link").tap()
    paid = bo.get_by_role("region", name="Who has paid?").get_by_role("listitem")
    expect(paid.filter(has_text="Ana")).to_contain_text("€15.00")
    expect(paid.filter(has_text="You")).to_contain_text("€5.00")


def test_what_is_said_at_the_checkout_does_not_lie_over_its_button(people):
    ana = people("ana.new", viewport={"width": 390, "height": 844})
    visit(ana, "/shopping/checkout")
    done = ana.get_by_role("button", name="Done", exact=True)
    # On some of these phones the button ends a little below the place where other screens show what was done.
    for height in [844, 780, 700]:
        ana.set_viewport_size({"width": 390, "height": height})
        done.tap()
        said = ana.locator(".snackbar", has_text="Choose what you have bought.")
        expect(said).to_be_visible()
        box = said.bounding_box()
        assert box["y"] + box["height"] <= done.bounding_box()["y"]


def test_s0_15_a_purchase_is_changed_later_and_everybody_sees_how(people):
    ana, bo = shopping(people, "ana"), shopping(people, "bo")
    add(ana, "Wine")
    row(ana, "Wine").locator("label").tap()
    visit(ana, "/shopping/checkout")
    ana.get_by_label("Total").fill("9")
    # Bo looks at what was bought: more comes by itself, and so does what becomes of it.
    bo.get_by_role("button", name="Lists and more").tap()
    sheet(bo).get_by_role("button", name="Purchases").tap()
    expect(bo.get_by_role("heading", name="Purchases")).to_be_visible()
    expect(bo.get_by_role("status", name="Loading")).to_have_count(0)
    ana.get_by_role("button", name="Done: €9.00").tap()
    bo.get_by_role("link", name="Wine").tap()
    expect(bo.get_by_role("region", name="What each one pays")).to_contain_text("€3.00")
    expect(bo.get_by_role("button", name="Change")).to_have_count(0)
    visit(ana, "/shopping/history")
    ana.get_by_role("link", name="Wine").tap()
    ana.get_by_role("button", name="Change").tap()
    dialog = sheet(ana, "Change")
    dialog.get_by_role("combobox", name="For whom").select_option("Bo")
    dialog.get_by_role("button", name="Add a thing").tap()
    dialog.get_by_role("textbox", name="Thing", exact=True).last.fill("2 Bread")
    dialog.get_by_role("textbox", name="Price of 2 Bread").fill("6")
    dialog.get_by_label("Total").fill("12")
    dialog.get_by_role("button", name="Done").tap()
    # 6 of Bo's wine, and 2 of everybody's bread each.
    expect(ana.get_by_role("region", name="Who changed what")).to_contain_text("Changed by you")
    assert shares(ana) == {"You": "€2.00", "Bo": "€8.00", "Cleo": "€2.00"}
    for page, owner in {ana: "for Bo", bo: "for you"}.items():
        expect(page.get_by_role("region", name="Things")).to_contain_text(owner)
    history = bo.get_by_role("region", name="Who changed what")
    expect(history).to_contain_text("Changed by Ana")
    expect(history).to_contain_text("total €9.00 → €12.00, Wine changed, Bread added")
    visit(bo, "/inbox")
    expect(bo.get_by_role("main")).to_contain_text("Ana changed a purchase: your share is €8.00, it was €3.00")
