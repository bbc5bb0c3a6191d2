"""WebKit, the engine of Safari, as Debian has it: driven by plain W3C WebDriver, in a screen of its own."""

import base64
import contextlib
import json
import os
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request

MINI_BROWSER = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser"
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
# The least that the window can be is wider than a phone.
WINDOW = {"width": 450, "height": 844}
PATIENCE = 30
ENTER = "\ue007"
# Elements with names for readers of the screen, unless they are hidden.
SPOKEN = ":is(h1, h2, a, button, input, select, textarea, dialog, [role]):not([aria-hidden] *, [inert] *)"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Refused(Exception):
    """An answer of the driver that is an error."""


class Page:
    """A page of a running browser. Elements are found by XPath, and waited for."""

    def __init__(self, url: str):
        self.url = url
        options = {"binary": MINI_BROWSER, "args": ["--automation"]}
        session = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}})
        self.url += f"/session/{session['sessionId']}"
        self.ask("POST", "/timeouts", {"implicit": PATIENCE * 1000, "script": PATIENCE * 1000, "pageLoad": 30_000})
        self.ask("POST", "/window/rect", WINDOW)

    def ask(self, method: str, path: str, body: dict | None = None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["value"]
        except urllib.error.HTTPError as error:
            raise Refused(f"{method} {path} {body}: {error.read().decode()}") from None

    def goto(self, url: str):
        self.ask("POST", "/url", {"url": url})

    def reload(self):
        self.ask("POST", "/refresh", {})

    def find(self, xpath: str) -> str:
        return self.ask("POST", "/element", {"using": "xpath", "value": xpath})[ELEMENT]

    def tap(self, xpath: str):
        """Clicks. Nothing can be hit while one screen turns into another, so it tries again for a while."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return self.ask("POST", f"/element/{self.find(xpath)}/click", {})
            except Refused as error:
                if time.monotonic() > end or not re.search("not interactable|stale element", str(error)):
                    raise

    def type(self, xpath: str, text: str):
        """Presses keys, and waits for them: a click that is sent at once may overtake the last of them."""
        element = f"/element/{self.find(xpath)}"
        self.ask("POST", f"{element}/value", {"text": text})
        end = time.monotonic() + PATIENCE
        while not text.endswith(ENTER) and not self.ask("GET", f"{element}/property/value").endswith(text):
            assert time.monotonic() < end, f"{text} is not in {xpath}"

    def spoken(self) -> list[str]:
        """The roles and names that WebKit tells to a reader of the screen."""
        elements = self.ask("POST", "/elements", {"using": "css selector", "value": SPOKEN})
        found = []
        for path in [f"/element/{element[ELEMENT]}" for element in elements]:
            # WebKit answers with an error for elements that it does not show.
            with contextlib.suppress(Refused):
                role, name = self.ask("GET", f"{path}/computedrole"), self.ask("GET", f"{path}/computedlabel")
                found.append(f"{role} {name}".strip())
        return found

    def keep(self, path):
        """Keeps a picture of the page, its text, and how a reader of the screen finds it."""
        path.with_suffix(".png").write_bytes(base64.b64decode(self.ask("GET", "/screenshot")))
        text = self.evaluate("return `${location}\\n${document.body.innerText}`")
        path.with_suffix(".txt").write_text("\n".join([text, *self.spoken(), ""]))

    def evaluate(self, body: str):
        """Runs the body of an asynchronous function."""
        script = f"const done = arguments[0]; (async () => {{ {body} }})().then(done, (error) => done(String(error)))"
        return self.ask("POST", "/execute/async", {"script": script, "args": []})


@contextlib.contextmanager
def webkit(folder, failure):
    """Starts the browser without a past, and ends everything that was started for it.

    `failure` is a path without an ending, for how the page looked if something fails."""
    with contextlib.ExitStack() as started:

        def start(*command: str, **how) -> subprocess.Popen:
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL, **how)
            started.callback(process.wait)
            started.callback(process.terminate)
            return process

        # It says which display it took when that is ready.
        screen = start("Xvfb", "-displayfd", "1", "-screen", "0", "1280x1024x24", stdout=subprocess.PIPE)
        display = screen.stdout.readline().decode().strip()
        home = {name: str(folder) for name in ("HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
        settings = {
            "DISPLAY": f":{display}",
            "GDK_BACKEND": "x11",
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",
            "LANG": "en_GB.UTF-8",
            "LANGUAGE": "en_GB",
        }
        port = free_port()
        driver = start("WebKitWebDriver", f"--port={port}", env={**os.environ, **home, **settings})
        url = f"http://127.0.0.1:{port}"
        while driver.poll() is None:
            try:
                with urllib.request.urlopen(f"{url}/status", timeout=10):
                    break
            except (urllib.error.URLError, ConnectionError):
                continue
        page = Page(url)
        try:
            yield page
        except Exception:
            page.keep(failure)
            raise
        finally:
            page.ask("DELETE", "")
