"""Links that log in once, as `hearth serve --sample` prints them: the page of the real server."""

import base64
import hashlib
import json
import re
import urllib.parse
import urllib.request

import pytest
from playwright.sync_api import expect

from conftest import PASSWORD, Server
from pages import PHONE, sign_up, switch


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """A server that serves the page itself; `links` are those of the sample's people, by name."""
    folder = tmp_path_factory.mktemp("login") / "data"
    server = Server(folder)
    log = folder.parent / f"{folder.name}.log"
    server.links = dict(re.findall(r"^  (\w+) +http://\S+?(/login/\S+)$", log.read_text(), re.M))
    yield server
    server.stop()


@pytest.fixture
def phone(device, sample):
    return lambda **options: device(base_url=sample.url, **{**PHONE, **options})


@pytest.fixture
def lenient(chromium, sample):
    """A phone whose browser may report errors: it does for each answer that says no."""
    context = chromium.new_context(base_url=sample.url, reduced_motion="reduce", **PHONE)
    context.set_default_timeout(10_000)
    yield context
    context.close()


def test_a_link_logs_in_once_and_leaves_the_address(phone, lenient, sample):
    page = phone().new_page()
    page.goto("/")
    page.goto(sample.links["Ana"])
    expect(page.get_by_role("heading", level=1)).to_contain_text("Ana")
    assert page.url == f"{sample.url}/"
    # Neither is it in the history.
    page.go_back()
    assert "/login/" not in page.url
    code = sample.links["Ana"].rsplit("/", 1)[1]
    assert code not in str(page.evaluate("Object.values({ ...localStorage, ...sessionStorage })"))
    assert code not in str(page.context.storage_state(indexed_db=True))

    other = lenient.new_page()
    other.goto(sample.links["Ana"])
    expect(other.get_by_text("This link has been used already.")).to_be_visible()
    other.get_by_role("button", name="Log in by email address").click()
    expect(other.get_by_label("Email address")).to_be_focused()
    other.get_by_label("Email address").fill("ana@example.org")
    other.get_by_label("Password", exact=True).fill(PASSWORD)
    other.get_by_role("button", name="Log in").click()
    expect(other.get_by_role("heading", level=1)).to_contain_text("Ana")


def test_somebody_who_is_logged_in_is_asked_and_warned(device, sample):
    page = sign_up(device, sample.url, "Zoë")
    is_cut = True

    def connect(socket):
        # A server that never answers.
        if is_cut:
            return
        server = socket.connect_to_server()
        socket.on_message(server.send)
        server.on_message(socket.send)

    # A change that cannot be sent, on a phone that knows the account already.
    page.goto("/me/look")
    expect(page.get_by_role("radio", name="Blue")).to_be_visible()
    page.route_web_socket("**/sync", connect)
    page.reload()
    switch(page, "Others see when you are online", False)
    # The question comes before anything is lost, and the link is still good after a No.
    page.goto(sample.links["Bo"])
    expect(page.get_by_text("Zoë is logged in here.")).to_be_visible()
    expect(page.get_by_text("One change of theirs has not been sent yet")).to_be_visible()
    page.get_by_role("button", name="Leave it as it is").click()
    expect(page.get_by_role("link", name="Your account")).to_be_visible()
    is_cut = False
    page.goto(sample.links["Bo"])
    page.get_by_role("button", name="Log out and go on").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Bo")
    kept = str(page.context.storage_state(indexed_db=True))
    assert "Zoë" not in kept and page.email not in kept


def test_a_link_without_a_network_is_tried_again(lenient, sample):
    page = lenient.new_page()
    page.route("**/login/*", lambda route: route.abort() if route.request.method == "POST" else route.continue_())
    page.goto(sample.links["Cleo"])
    expect(page.get_by_text("This needs a connection.")).to_be_visible()
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Cleo")


def test_an_unsafe_connection_is_told_even_if_the_server_does_not_know(lenient, sample):
    page = lenient.new_page()

    def proxied(route):
        path = re.sub("^http://[^/]+", "", route.request.url)
        with urllib.request.urlopen(sample.url + path) as answer:
            route.fulfill(body=answer.read(), headers={"Content-Type": answer.headers["Content-Type"]})

    page.route("http://hearth.home/**", proxied)
    page.goto("http://hearth.home/shopping")
    expect(page.get_by_role("heading", name="Hearth needs a safe connection")).to_be_visible()
    assert page.url == "http://hearth.home/insecure"
    # It has a style sheet of its own.
    expect(page.locator("main")).to_have_css("max-width", "576px")


def test_a_provider_logs_in_and_its_code_leaves_the_address(phone, lenient, sample):
    page = phone().new_page()
    asked = []

    def away(route):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(route.request.url).query)
        asked.append(query["challenge"][0])
        route.fulfill(status=302, headers={"Location": f"/openid/callback?code=c1&state={query['state'][0]}"})

    def exchange(route):
        body = route.request.post_data_json
        digest = hashlib.sha256(body["verifier"].encode()).digest()
        assert base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == asked[-1]
        assert (body["provider"], body["code"]) == ("home", "c1")
        route.fulfill(body='{"idToken":"a.b.c"}', content_type="application/json")

    def log_in(route):
        # No provider is there to sign a token: the server's answer is that of a log-in with a password.
        call = route.request.post_data_json
        if call["method"] != "auth.logInWithToken":
            return route.continue_()
        assert call["params"]["provider"] == "home" and call["params"]["idToken"] == "a.b.c"
        account = {"email": "dan@example.org", "password": PASSWORD}
        route.continue_(post_data=json.dumps({**call, "method": "auth.logIn", "params": account}))

    def greet(socket):
        server = socket.connect_to_server()
        socket.on_message(server.send)
        server.on_message(lambda text: socket.send(text.replace('"page":', '"openid":["home"],"page":')))

    page.route("**/openid/home?**", away)
    page.route("**/openid/token", exchange)
    page.route("**/rpc", log_in)
    page.route_web_socket("**/sync", greet)
    page.goto("/chores")
    page.get_by_role("button", name="Create an account").click()
    page.get_by_role("button", name="Continue with home").click()
    expect(page.get_by_role("heading", name="Chores")).to_be_visible()
    assert len(asked) == 1 and page.url == f"{sample.url}/chores"
    page.get_by_role("link", name="Home").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Dan")

    # An answer that this tab has not asked for may be somebody else's.
    other = lenient.new_page()
    other.goto("/openid/callback?code=c2&state=another")
    expect(other.get_by_text("This log-in was not begun here")).to_be_visible()
    assert other.url == f"{sample.url}/login"
