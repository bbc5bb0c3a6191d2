"""Fixtures of the tests of the page: servers of their own, the page's files, and browsers that notice every error.

SERVER_UNDER_TEST names the server's program; by default the release build.
"""

import functools
import http.server
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import threading
import urllib.error
import urllib.request
import uuid

import dev_server
import pytest
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).parents[2]
APP = ROOT / "Sources/Web/app"
BINARY = os.environ.get("SERVER_UNDER_TEST", str(ROOT / ".build/release/hearth"))
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
# The password of all people of the sample household.
PASSWORD = "sample household"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A server process; it can be killed and started again on its data."""

    def __init__(self, folder: pathlib.Path, origin: str, *options: str, sample: bool = True):
        self.folder, self.origin, self.options = folder, origin, options
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None
        self.start(*(["--sample"] if sample else []))

    def start(self, *first: str):
        command = [BINARY, "serve", "--data", str(self.folder), "--port", str(self.port), *first, *self.options]
        command += ["--allow-origin", self.origin]
        log = self.folder.parent / f"{self.folder.name}.log"
        with open(log, "wb") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=output)
        while not self.is_ready(log.read_text(), "--sample" in first):
            if self.process.poll() is not None:
                raise RuntimeError(log.read_text())

    def is_ready(self, log: str, has_sample: bool) -> bool:
        # The people of the sample are there when they are printed, which is after the server is ready.
        if has_sample and "and in a third one" not in log:
            return False
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=1):
                return True
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def stop(self, how: int = signal.SIGTERM):
        if self.process and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait()

    def kill(self):
        self.stop(signal.SIGKILL)


class Files(http.server.SimpleHTTPRequestHandler):
    """The page's files under the policy of the real page, but for the server's other port."""

    POLICY = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self' "
        "http://127.0.0.1:* ws://127.0.0.1:*; manifest-src 'self'; worker-src 'self'; font-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        "trusted-types hearth"
    )
    protocol_version = "HTTP/1.1"
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".js": "text/javascript"}

    def end_headers(self):
        self.send_header("Content-Security-Policy", self.POLICY)
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def do_GET(self):
        # A page with nothing on it, for the library alone.
        if self.path == "/empty":
            body = b"<!doctype html><html lang=en><title>Library</title><link rel=icon href=data:,>"
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        else:
            super().do_GET()

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def origin():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=str(APP)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@pytest.fixture(scope="session")
def server(origin, tmp_path_factory):
    """One that all tests share which do not stop it."""
    server = Server(tmp_path_factory.mktemp("shared") / "data", origin)
    yield server
    server.stop()


@pytest.fixture
def own_server(origin, tmp_path):
    """Makes servers for one test: to be killed, or with settings of their own."""
    servers = []

    def make(*options: str, **how) -> Server:
        servers.append(Server(tmp_path / f"data{len(servers)}", origin, *options, **how))
        return servers[-1]

    yield make
    for one in servers:
        one.stop()


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
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
]


def watch(page, errors: list):
    """Notes every error of a page, a breach of its policy, and each request that leaves this machine."""

    def console(message):
        if message.type == "error" and not any(text in message.text for text in LOST):
            errors.append(f"{page.url}: {message.text}")

    def request(request):
        if not request.url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "blob:", "data:")):
            errors.append(f"{page.url}: a request to {request.url}")

    page.on("pageerror", lambda error: errors.append(f"{page.url}: {error}\n{error.stack}"))
    page.on("console", console)
    page.on("request", request)


@pytest.fixture
def device(chromium):
    """Makes devices: browsers without a past. An error on any of their pages fails the test."""
    contexts, errors = [], []

    def make(**options):
        context = chromium.new_context(reduced_motion="reduce", **options)
        context.set_default_timeout(15_000)
        context.on("page", lambda page: watch(page, errors))
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        context.close()
    assert errors == []


# MARK: the whole page


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The page's origin, with a fresh sample household behind it."""
    page = dev_server.Server(0, "")
    url = f"http://127.0.0.1:{page.server_address[1]}"
    server = Server(tmp_path_factory.mktemp("site") / "data", url)
    page.hearth = server.url
    threading.Thread(target=page.serve_forever, daemon=True).start()
    yield url
    page.shutdown()
    server.stop()


@pytest.fixture(scope="module")
def logged_in(chromium, site):
    """Answers what a browser keeps after a person's log-in; each time for another installation."""
    kept = {}

    def state(name: str) -> dict:
        if name not in kept:
            context = chromium.new_context(base_url=site)
            page = context.new_page()
            page.goto("/manifest.webmanifest")
            page.evaluate(
                """async ([endpoint, email, password]) => {
                  const { Hearth } = await import("/app/development/hearth/hearth.js");
                  const hearth = await Hearth.open({ endpoint });
                  await hearth.logIn({ email, password });
                  await hearth.close();
                }""",
                [server_of(site), f"{name}@example.org", PASSWORD],
            )
            kept[name] = json.dumps(context.storage_state(indexed_db=True))
            context.close()
        found = json.loads(kept[name])
        # A number must not be used twice, so each copy is an installation of its own.
        for database in found["origins"][0]["indexedDB"]:
            for store in database["stores"]:
                for record in store["records"]:
                    if store["name"] == "facts" and record["key"] == "client":
                        record["value"] = str(uuid.uuid4())
        return found

    return state


def server_of(site: str) -> str:
    """The address of the server behind a page, as the page says it."""
    with urllib.request.urlopen(site) as response:
        return re.search('name="hearth-server" content="([^"]+)"', response.read().decode()).group(1)


@pytest.fixture
def people(device, site, logged_in):
    """Makes pages on phones of their own: `people("ana")` is logged in as Ana of the sample household."""

    def make(name: str, **options):
        phone = {
            "viewport": {"width": 390, "height": 844},
            "has_touch": True,
            "locale": "en-GB",
            "timezone_id": "Europe/Berlin",
        }
        return device(base_url=site, storage_state=logged_in(name), **{**phone, **options}).new_page()

    return make
