"""The page of docs/hearth-js.md, served from another origin, and the types that the server publishes."""

import functools
import http.server
import os
import pathlib
import re
import subprocess
import sys
import threading

import pytest
from conftest import ROOT
from playwright.sync_api import expect

DENO = pathlib.Path(sys.executable).with_name("deno")


class Files(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def elsewhere(tmp_path):
    """Serves a folder under another origin."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Files, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield folder, f"http://localhost:{server.server_address[1]}"
    server.shutdown()


def test_the_page_of_the_documentation_works_from_another_origin(own_server, elsewhere, chromium):
    folder, origin = elsewhere
    server = own_server("--allow-origin", origin)
    text = (ROOT / "docs/hearth-js.md").read_text()
    html = re.search(r"```html\n(.*?)```", text, re.S).group(1)
    (folder / "index.html").write_text(html.replace("http://127.0.0.1:7400", server.url))
    page = chromium.new_page()
    page.goto(origin)
    expect(page.get_by_text("Milk")).to_be_visible()
    page.get_by_placeholder("What is missing?").fill("Lemons")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Lemons")).to_be_visible()
    page.reload()
    expect(page.get_by_text("Lemons")).to_be_visible()
    page.close()


def test_a_misspelt_field_fails_against_the_published_types(server, tmp_path):
    program = """
        import { Hearth } from "%(server)s/hearth.js";
        const hearth = await Hearth.open();
        hearth.change("groceries.add", { id: hearth.newId(), %(name)s: "Milk" }, { room: "household/1" });
        hearth.change("chat.read", { household: "1" }, { optimistic: () => ({ chats: { 1: { n: 2, %(read)s: 2 } } }) });
        console.log(hearth.room("household/1").state?.%(notes)s, hearth.room("me").state?.profile?.name);
        const phase: "loggedOut" | "connecting" | "live" | "offline" | "outdated" = hearth.phase;
        console.log(phase);
    """
    words = ["name", "read", "notes"]
    for is_right in (True, False):
        file = tmp_path / f"{is_right}.ts"
        file.write_text(program % {"server": server.url, **{word: word if is_right else f"{word}x" for word in words}})
        checked = subprocess.run(
            [DENO, "check", "--no-config", "--allow-import", str(file)], capture_output=True, text=True,
            env={**os.environ, "NO_COLOR": "1", "DENO_DIR": str(tmp_path / "deno")}, cwd=tmp_path)
        assert (checked.returncode == 0) == is_right, checked.stderr
        assert is_right or all(f"{word}x" in checked.stderr for word in words), checked.stderr
