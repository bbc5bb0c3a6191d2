"""What the tests of the page share: a server of their own, the page's files beside it, browsers that notice every error.

SERVER_UNDER_TEST names the server's program; by default the release build.
"""

import functools
import http.server
import os
import pathlib
import signal
import socket
import subprocess
import threading
import urllib.error
import urllib.request

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


@pytest.fixture
def device(chromium):
    """Makes devices: browsers without a past. An error on any of their pages fails the test.

    A message of the console that contains one of `expected` is none: the browser reports each lost connection.
    """
    contexts, errors = [], []
    expected = ["net::ERR_CONNECTION_REFUSED", "net::ERR_INTERNET_DISCONNECTED", "net::ERR_NETWORK_CHANGED"]
    expected += ["Connection closed before receiving a handshake response", "ERR_CONNECTION_RESET", "ERR_SOCKET_NOT"]

    def watch(page):
        page.on("pageerror", lambda error: errors.append(f"{error}\n{error.stack}"))

        def console(message):
            if message.type == "error" and not any(text in message.text for text in expected):
                errors.append(message.text)

        page.on("console", console)

    def make(**options):
        context = chromium.new_context(reduced_motion="reduce", **options)
        context.set_default_timeout(15_000)
        context.on("page", watch)
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        context.close()
    assert errors == []
