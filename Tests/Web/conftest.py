"""Fixtures of the tests of the page: servers of their own, which serve it, and browsers that notice every error.

SERVER_UNDER_TEST names the server's program; by default the release build. The page is the one in that program, or
the one in the folder WEB_FOLDER. FAILURES names a folder for pictures of the pages of tests that failed.
"""

import atexit
import collections
import concurrent.futures
import contextlib
import functools
import inspect
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
import uuid

import pytest
from playwright.sync_api import Error, Locator, TimeoutError, expect, sync_playwright

from pages import NEW_PASSWORD, address, phone
from peer import Peer

ROOT = pathlib.Path(__file__).parents[2]
APP = ROOT / "Sources/Web/app"
BINARY = os.environ.get("SERVER_UNDER_TEST", str(ROOT / ".build/release/hearth"))
# Without the window of a whole browser, whose own pages cost each phone a process.
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium-headless-shell")
# Three tests at once on two cores can be slow; nothing here measures times but test_budgets.py.
expect.set_options(timeout=10_000)
# Playwright notes the stack at each call. To frames that have no file, inspect would look for one in all modules.
inspect.modulesbyfile.update({"<frozen runpy>": "runpy", "<string>": "__main__"})
# The password of all people of the sample household.
PASSWORD = "sample household"
# As many accounts as most test files need.
NEWCOMERS = 8


def looking_again(act):
    """An action that looks for its element again. It may have found one of the screen before, which is hidden now."""

    @functools.wraps(act)
    def patient(locator, *args, **how):
        for _ in range(2):
            try:
                return act(locator, *args, **{"timeout": 5_000, **how})
            except TimeoutError as error:
                # The call log tells how far it came.
                if "timeout" in how or "performing" in str(error):
                    raise
        return act(locator, *args, **how)

    return patient


for name in ["check", "click", "fill", "tap", "uncheck"]:
    setattr(Locator, name, looking_again(getattr(Locator, name)))


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A server process with the page in it; it can be killed and started again on its data."""

    def __init__(self, folder: pathlib.Path, *options: str, sample: bool = True, web=os.environ.get("WEB_FOLDER")):
        self.folder, self.options = folder, [*options, *(["--web", str(web)] if web else [])]
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None
        # By the names of people: their tokens in a program, and unused sessions for phones.
        self.tokens, self.sessions = {}, {}
        # Accounts that nobody has used: a sign-up is made to be slow, too.
        self.newcomers = []
        # When a program of somebody has confirmed that it is theirs.
        self.confirmed = {}
        if sample:
            shutil.copytree(sample_data() / "data", folder)
            known = json.loads((sample_data() / "sessions.json").read_text())
            self.newly, self.tokens, self.sessions = known["newly"], known["tokens"], known["sessions"]
            self.newcomers = known["newcomers"]
        self.start(*(["--sample"] if sample else []))

    def start(self, *first: str):
        command = [BINARY, "serve", "--data", str(self.folder), "--port", str(self.port), *first, *self.options]
        log = self.folder.parent / f"{self.folder.name}.log"
        with open(log, "wb") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=output)
        while not self.is_ready(log.read_text(), "--sample" in command):
            # Looking without a pause would take the processor from the server that is waited for.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(0.02)
                raise RuntimeError(log.read_text())

    def is_ready(self, log: str, has_sample: bool) -> bool:
        # The people of the sample are there when they are printed, which is after the server is ready.
        if has_sample and "and in a third one" not in log:
            return False
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=1):
                return True
        except OSError:
            return False

    @functools.cached_property
    def app(self) -> str:
        """The path of this version of the page's files."""
        with urllib.request.urlopen(self.url) as response:
            return re.search(r'src="(/app/[^/"]+)/app\.js"', response.read().decode()).group(1)

    def call(self, method: str, params: dict, token: str | None = None, **more):
        """Calls a method as a client that is no browser; answers its result."""
        return call(self.url, method, params, token, **more)

    def log_in(self, name: str, device: str) -> dict:
        account = {"email": f"{name}@example.org", "password": PASSWORD, "device": device}
        return self.call("auth.logIn", account)

    def token(self, name: str) -> str:
        """The token of a person in a program. Each one logs in once, because a log-in is made to be slow."""
        if name not in self.tokens:
            self.tokens[name] = self.log_in(name, "A program")["token"]
        return self.tokens[name]

    def newcomer(self, name: str) -> dict:
        """An account with this name, which nobody has used; with a session, and the password of newcomers."""
        if not self.newcomers:
            account = {"email": address("new"), "password": NEW_PASSWORD, "name": name}
            return {**self.call("auth.signUp", account), "email": account["email"]}
        self.call("profile.update", {"name": name}, self.newcomers[-1]["token"])
        return self.newcomers.pop()

    def confirm(self, name: str):
        """Says that a program is this person's, unless that was said in the last minutes: it counts for five."""
        now = time.monotonic()
        if name not in self.confirmed or now - self.confirmed[name] > 180:
            self.call("auth.confirm", {"password": PASSWORD}, self.token(name))
            self.confirmed[name] = now

    def stop(self, how: int = signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait()

    def kill(self):
        self.stop(signal.SIGKILL)


@functools.cache
def sample_data() -> pathlib.Path:
    """The data of the sample household, and of one without a past, with sessions of the people who live there.

    A server takes seconds to make them, so they are made once, and then copied."""
    if "SAMPLE_DATA" not in os.environ:
        # Processes that this one starts find it there.
        os.environ["SAMPLE_DATA"] = tempfile.mkdtemp(prefix="hearth-sample-")
        atexit.register(shutil.rmtree, os.environ["SAMPLE_DATA"], ignore_errors=True)
        make_sample(pathlib.Path(os.environ["SAMPLE_DATA"]))
    return pathlib.Path(os.environ["SAMPLE_DATA"])


def make_sample(folder: pathlib.Path):
    server = Server(folder / "data", "--sample", sample=False)
    for name in ["ana", "bo", "cleo"]:
        account = {"email": f"{name}.new@example.org", "password": PASSWORD, "name": name.capitalize()}
        server.tokens[f"{name}.new"] = server.call("auth.signUp", account)["token"]
    ana, *others = server.tokens.values()
    home = {"name": "Lime Tree", "timeZone": "Europe/Berlin", "currency": "EUR"}
    room = f"household/{server.call('households.create', home, ana)['household']}"
    code = server.call("joinCodes.create", {"room": room}, ana)["code"]
    for token in others:
        server.call("households.join", {"code": code}, token)
    newcomers = [server.newcomer("Newcomer") for _ in range(NEWCOMERS)]
    names = ["ana", "bo", "cleo", "dan", *server.tokens]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        pool.map(server.token, names)
        sessions = dict(zip(names, pool.map(lambda name: server.log_in(name, "A phone"), names), strict=True))
    known = {"newly": room, "tokens": server.tokens, "sessions": sessions, "newcomers": newcomers}
    (folder / "sessions.json").write_text(json.dumps(known))
    server.stop()


def pytest_configure():
    """Makes the sample before there are workers."""
    sample_data()


# The files that take longest. They begin first, so that no worker is alone with one of them in the end.
LONG = ["accessibility", "s3_way_home", "s0_household", "s0_chores", "states", "s0_shopping"]


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.stem.removeprefix("test_") not in LONG)


def call(url: str, method: str, params: dict, token: str | None = None, **more):
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params, **more}
    headers = {"Content-Type": "application/json", **({"Authorization": f"Bearer {token}"} if token else {})}
    request = urllib.request.Request(f"{url}/rpc", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as response:
        answer = json.load(response)
    assert "error" not in answer, answer
    return answer["result"]


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """One that all tests share which do not stop it."""
    server = Server(tmp_path_factory.mktemp("shared") / "data")
    yield server
    server.kill()


@pytest.fixture
def own_server(tmp_path):
    """Makes servers for one test: to be killed, or with settings of their own."""
    servers = []

    def make(*options: str, **how) -> Server:
        servers.append(Server(tmp_path / f"data{len(servers)}", *options, **how))
        return servers[-1]

    yield make
    for one in servers:
        one.kill()


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def chromium(playwright):
    browser = playwright.chromium.launch(executable_path=CHROMIUM)
    yield browser
    browser.close()


# Messages of the console that are no errors of ours: the browser reports each lost connection.
LOST = [
    "Connection closed before receiving a handshake response",
    "net::ERR_CONNECTION_REFUSED",
    "net::ERR_CONNECTION_RESET",
    "net::ERR_INTERNET_DISCONNECTED",
    "net::ERR_NETWORK_CHANGED",
    "net::ERR_SOCKET_NOT_CONNECTED",
    "Firefox can’t establish a connection to the server",
    "was interrupted while the page was loading",
]


# Breaches of the policy are errors of the console, in every browser.
TELL_BREACHES = """addEventListener("securitypolicyviolation", (event) => {
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
})"""


def watch(context, errors: list):
    """Notes every error of a browser's pages, breaches of their policy, and requests that leave this machine."""

    def note(where: str, text: str):
        # A document that is no page names no icon, so the browser asks for one.
        if not any(known in text for known in LOST) and not where.endswith("/favicon.ico"):
            errors.append(f"{where}: {text}")

    def console(message):
        if message.type == "error":
            note(message.location.get("url", ""), message.text)

    def failure(error):
        note(error.page.url if error.page else "", f"{error.error}\n{error.error.stack}")

    def request(request):
        if not request.url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "blob:", "data:")):
            errors.append(f"a request to {request.url}")

    context.add_init_script(TELL_BREACHES)
    context.on("weberror", failure)
    context.on("console", console)
    context.on("request", request)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if call.when == "call":
        item.has_failed = report.failed
    return report


def failures() -> pathlib.Path:
    """The folder for pictures of failed tests."""
    folder = pathlib.Path(os.environ.get("FAILURES") or pathlib.Path(tempfile.gettempdir()) / "hearth-failures")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def keep(contexts: list, name: str):
    """Keeps how the pages of a failed test looked, and how a reader of the screen finds them."""
    folder = failures()
    for number, page in enumerate(page for context in contexts for page in context.pages):
        file = folder / re.sub(r"[^\w]+", "-", f"{name} {number}")
        try:
            page.screenshot(path=file.with_suffix(".png"), timeout=3000)
            file.with_suffix(".txt").write_text(f"{page.url}\n{page.locator('body').aria_snapshot(timeout=3000)}\n")
        except Error as error:
            file.with_suffix(".txt").write_text(f"{page.url}: {error}\n")
    print(f"The pages are in {folder}.")


class Devices:
    """The devices of a test: browsers without a past. An error on any of their pages fails the test."""

    def __init__(self, browser):
        self.browser = browser
        # Each one's context, with the errors on its pages.
        self.held = []

    def __call__(self, browser=None, **options):
        context = (browser or self.browser).new_context(**{"reduced_motion": "reduce", **options})
        context.set_default_timeout(15_000)
        errors = []
        watch(context, errors)
        self.held.append((context, errors))
        return context

    def errors(self) -> list:
        return [error for _, errors in self.held for error in errors]


@pytest.fixture
def device(chromium, request):
    """Makes devices."""
    devices = Devices(chromium)
    yield devices
    if devices.errors() or getattr(request.node, "has_failed", False):
        keep([context for context, _ in devices.held], request.node.name)
    for context, _ in devices.held:
        context.close()
    assert devices.errors() == []


# MARK: the whole page


@pytest.fixture(scope="module")
def house(tmp_path_factory):
    """A server with a fresh sample household."""
    server = Server(tmp_path_factory.mktemp("house") / "data")
    yield server
    server.kill()


@pytest.fixture(scope="module")
def site(house):
    """The address of the page with that household."""
    return house.url


# Makes the databases of a phone where somebody is logged in, before the page opens them. Playwright would do it on a
# page of its own, which takes a third of the time that a phone takes to start.
LOG_IN = """([databases, facts]) => {
  // Once: after a log-out the page must find nothing.
  if (!location.protocol.startsWith("http") || sessionStorage.getItem("isLoggedIn")) return;
  sessionStorage.setItem("isLoggedIn", "once");
  for (const { name, version, stores } of databases) {
    const opening = indexedDB.open(name, version);
    opening.onupgradeneeded = () => {
      for (const { name, keyPath = null, autoIncrement, indexes } of stores) {
        const store = opening.result.createObjectStore(name, { keyPath, autoIncrement });
        for (const { name, keyPath, ...how } of indexes) store.createIndex(name, keyPath, how);
        if (name === "facts") { for (const [key, value] of Object.entries(facts)) store.add(value, key); }
      }
    };
    opening.onsuccess = () => opening.result.close();
  }
}"""


@pytest.fixture(scope="session")
def databases(chromium):
    """Answers the databases that a browser has after a log-in: those of the first one who asks."""
    made = []

    def known(site: str, session: dict) -> list:
        if not made:
            context = chromium.new_context(base_url=site)
            page = context.new_page()
            page.goto("/manifest.webmanifest")
            page.evaluate(
                """async (session) => {
                  const { Hearth } = await import("/hearth.js");
                  const hearth = await Hearth.open();
                  await hearth.adopt(session);
                  await hearth.close();
                }""",
                session,
            )
            [origin] = context.storage_state(indexed_db=True)["origins"]
            made.append(origin["indexedDB"])
            context.close()
        return made[0]

    return known


@pytest.fixture(scope="module")
def sessions(house):
    """Answers a person's session on phones."""
    known = {}

    def session(name: str) -> dict:
        if name not in known:
            known[name] = house.sessions.pop(name, None) or house.log_in(name, "A phone")
        return known[name]

    session.known = known
    return session


# Whether a phone is as it was made: logged in, nothing chosen, no change on its way or refused, with its own network,
# clock, size and scheme.
IS_AS_MADE = """async () => {
  const isUsual = document.querySelector(".tabs") && localStorage.length === 0 && navigator.onLine &&
    [Date, WebSocket].every((one) => one.toString().includes("[native code]")) &&
    innerWidth === 390 && innerHeight === 844 && matchMedia("(prefers-color-scheme: light)").matches;
  const changes = () => new Promise((done) => {
    indexedDB.open("hearth").onsuccess = ({ target: { result: db } }) => {
      db.transaction("queue").objectStore("queue").count().onsuccess = ({ target }) => done(target.result);
      db.close();
    };
  });
  return isUsual && await changes() === 0;
}"""


@pytest.fixture(scope="module")
def resting():
    """Phones that a test has left as they were made, by person and options. The next test goes on with them."""
    phones = collections.defaultdict(list)
    yield phones
    for context, _ in itertools.chain.from_iterable(phones.values()):
        context.close()


def logged_in(device, databases, site: str, session: dict, **options):
    """A page on a new phone with a session."""
    page = phone(device, site, **options)
    # A number must not be used twice, so each phone is an installation of its own.
    facts = {"me": session["me"], "token": session["token"], "client": str(uuid.uuid4())}
    page.add_init_script(f"({LOG_IN})({json.dumps([databases(site, session), facts])})")
    return page


@pytest.fixture
def newcomer(device, house, databases):
    """Answers pages of people without a household: `newcomer("Una").email` is Una's address."""

    def make(name: str, path="/", **options):
        account = house.newcomer(name)
        page = logged_in(device, databases, house.url, account, **options)
        page.email, page.token = account["email"], account["token"]
        page.goto(path)
        expect(page.get_by_role("navigation", name="Main parts")).to_be_visible()
        return page

    return make


@pytest.fixture
def people(device, site, sessions, databases, resting, request):
    """Answers pages on phones: on `people("ana")` Ana of the sample household is logged in.

    A test may get a phone that an earlier one has used with the same options, since a new one costs ten times as much.
    `people("ana", new=True)` is new, and for this test alone; so is one that keeps the page without a network."""
    usual = {}

    def make(name: str, token: str | None = None, new=False, **options):
        is_usual = not (token or new or options.get("goes_offline"))
        kind = json.dumps([name, options], sort_keys=True)
        if is_usual and resting[kind]:
            device.held.append(resting[kind].pop())
            context, _ = device.held[-1]
            usual[context] = kind
            if "geolocation" in options:
                context.set_geolocation(options["geolocation"])
            return context.pages[0]
        session = sessions(name)
        page = logged_in(device, databases, site, {**session, "token": token or session["token"]}, **options)
        if is_usual:
            usual[page.context] = kind
        return page

    yield make
    if device.errors() or getattr(request.node, "has_failed", False):
        return
    for one in [one for one in device.held if one[0] in usual]:
        context, _ = one
        if len(context.pages) == 1 and context.pages[0].evaluate(IS_AS_MADE):
            # Here nothing runs.
            context.pages[0].goto("/manifest.webmanifest")
            if not device.errors():
                device.held.remove(one)
                resting[usual[context]].append(one)


@pytest.fixture(scope="module")
def newly(house):
    """The household without a past: `people("ana.new")` is logged in as its Ana. Bo and Cleo live there, too."""
    return house.newly


@pytest.fixture
def books(house, newly):
    """What the people of the household without a past do as programs; bills of earlier tests are taken back."""

    class Books:
        server = house
        room = newly
        tokens = {name: house.token(f"{name}.new") for name in ["ana", "bo", "cleo"]}
        ids = {}

        def call(self, name, method, **params):
            return house.call(method, {"room": self.room, **params}, self.tokens[name])

        def bill(self, name, title, amount, **more):
            return self.call(name, "bills.add", bill={"title": title, "amount": amount, **more})["id"]

    made = Books()
    for name, token in made.tokens.items():
        with Peer(house.url, token) as peer:
            made.ids[name] = peer.me
    for one in made.call("ana", "bills.list")["items"]:
        if "removedAt" not in one["bill"]:
            made.call("ana", "bills.remove", id=one["id"])
    return made
