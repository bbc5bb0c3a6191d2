"""The client library in a real browser, against a real server: what needs IndexedDB, locks, tabs, sockets and death."""

import subprocess
import sys

import pytest

from conftest import PASSWORD, ROOT

# The helpers of a page: `until(f)` waits for changes, never for time.
SETUP = """async (app) => {
  const { Hearth, HearthError } = await import(`${app}/hearth/hearth.js`);
  const hearth = window.hearth = await Hearth.open();
  window.HearthError = HearthError;
  window.until = (f) => new Promise((resolve, reject) => {
    const rooms = [hearth.room("me"), ...(window.house ? [window.house] : [])];
    const state = () => `${f}: ${hearth.phase}, ${JSON.stringify(hearth.waiting)}`;
    const timer = setTimeout(() => reject(new Error(state())), 12_000);
    const look = () => {
      if (!f()) return;
      clearTimeout(timer);
      for (const end of ends) end();
      resolve();
    };
    const ends = [hearth.onChange(look), ...rooms.map((room) => room.onChange(look))];
    look();
  });
  window.enter = async () => {
    await until(() => hearth.room("me").state?.households);
    window.house = hearth.room("household/" + Object.keys(hearth.room("me").state.households)[0]);
    await until(() => house.state);
  };
  window.add = (text) => {
    const id = hearth.newId();
    return hearth.change("notes.add", { id, text }, {
      room: house,
      optimistic: () => ({ notes: { [id]: { text, author: hearth.me } } }),
      about: text,
    });
  };
  window.texts = () => Object.values(house.state.notes ?? {}).map(({ text }) => text).sort();
  if (hearth.me) await enter();
}"""


def empty(context, server):
    """A document of the server with no script of its own: the page's icon."""
    page = context.new_page()
    page.goto(f"{server.url}{server.app}/icon.svg")
    return page


def open_page(context, server):
    page = empty(context, server)
    page.evaluate(SETUP, server.app)
    return page


def keep_offline(page):
    """Lets the page's own worker keep its files on the device."""
    page.evaluate(
        """async () => {
          const policy = trustedTypes.createPolicy("hearth", { createScriptURL: (url) => url });
          await navigator.serviceWorker.register(policy.createScriptURL("/sw.js"));
          await navigator.serviceWorker.ready;
          if (!navigator.serviceWorker.controller) {
            await new Promise((resolve) => navigator.serviceWorker.addEventListener("controllerchange", resolve));
          }
        }"""
    )


def log_in(page, name="ana"):
    page.evaluate(
        """async ([email, password]) => {
          await hearth.logIn({ email, password });
          await until(() => hearth.phase === "live");
          await enter();
        }""",
        [f"{name}@example.org", PASSWORD],
    )


def reload(page, server):
    page.reload()
    page.evaluate(SETUP, server.app)


# MARK: IndexedDB

STORE = """async (app) => {
  const { DiskStore, MIGRATIONS, Erased } = await import(`${app}/hearth/store.js`);
  Object.assign(window, { DiskStore, MIGRATIONS, Erased });
  window.intent = (id, number = 0) => ({ id, number, room: "me", method: "m", params: {}, patch: null, needs: [],
    about: "", at: 0 });
  window.opened = async (name, migrations) => {
    const store = new DiskStore(name, migrations);
    await store.logIn({ token: "t", me: "ana", client: "c" });
    return store;
  };
}"""


@pytest.fixture
def disk(device, server):
    page = empty(device(), server)
    page.evaluate(STORE, server.app)
    return page


def test_numbers_and_intents_are_written_together_in_one_strict_transaction(disk):
    assert disk.evaluate(
        """async () => {
          const store = await opened("a");
          const used = [];
          const real = IDBDatabase.prototype.transaction;
          IDBDatabase.prototype.transaction = function (names, mode, options) {
            used.push([[...names].sort().join(), mode, options.durability]);
            return real.call(this, names, mode, options);
          };
          const numbers = await store.number([intent("x"), intent("y")], 5);
          IDBDatabase.prototype.transaction = real;
          const { facts, intents } = await store.load();
          return [numbers, used, facts.next, intents.map(({ id, number }) => [id, number])];
        }"""
    ) == [
        [{"id": "x", "number": 5}, {"id": "y", "number": 6}],
        [["facts,queue", "readwrite", "strict"]],
        7,
        [["x", 5], ["y", 6]],
    ]


def test_a_new_number_replaces_the_old_one(disk):
    assert disk.evaluate(
        """async () => {
          const store = await opened("a");
          await store.number([intent("x"), intent("y")], 1);
          await store.number([intent("x", 1)], 1);
          return (await store.load()).intents.map(({ id, number }) => [id, number]);
        }"""
    ) == [["y", 2], ["x", 3]]


def test_two_tabs_never_draw_the_same_number(disk, server):
    other = empty(disk.context, server)
    other.evaluate(STORE, server.app)
    draw = """async () => {
      const store = await opened("a");
      const all = Array.from({ length: 40 }, (_, index) => store.number([intent(crypto.randomUUID())], 1));
      return (await Promise.all(all)).flat().map(({ number }) => number);
    }"""
    start = f"() => {{ window.drawing = ({draw})(); }}"
    disk.evaluate(start)
    other.evaluate(start)
    numbers = disk.evaluate("() => drawing") + other.evaluate("() => drawing")
    assert sorted(numbers) == list(range(1, 81))


def test_bug_1_an_intent_leaves_in_the_transaction_that_stores_its_document(disk):
    assert disk.evaluate(
        """async () => {
          const store = await opened("a");
          await store.number([intent("x"), intent("y")], 1);
          const room = { room: "r", epoch: "e", version: 3, state: { a: 1 } };
          const real = IDBObjectStore.prototype.delete;
          // The disk fails in the middle: neither the document nor the intent may have changed.
          IDBObjectStore.prototype.delete = function () { queueMicrotask(() => this.transaction.abort()); };
          const failed = await store.commit({ rooms: [room], done: [1], refused: [], floor: 1 }).catch(() => "failed");
          IDBObjectStore.prototype.delete = real;
          const before = await store.load();
          const refused = [{ ...intent("y", 2), error: { code: 6 } }];
          await store.commit({ rooms: [room], done: [1], refused, floor: 9 });
          await store.commit({ rooms: [{ ...room, version: 2, state: {} }], done: [], refused: [], floor: 1 });
          const after = await store.load();
          const list = ({ rooms, intents }) => [rooms, intents.map(({ id, error }) => [id, error?.code ?? 0])];
          return [failed, list(before), list(after), after.facts.next];
        }"""
    ) == [
        "failed",
        [[], [["x", 0], ["y", 0]]],
        # A late older document does not replace a newer one.
        [[{"room": "r", "epoch": "e", "version": 3, "state": {"a": 1}}], [["y", 6]]],
        9,
    ]


def test_a_handle_that_is_taken_away_is_opened_again(disk):
    assert disk.evaluate(
        """async () => {
          const store = await opened("a");
          const real = IDBDatabase.prototype.transaction;
          let taken = 0;
          IDBDatabase.prototype.transaction = function (...all) {
            if (!taken++) this.close();
            return real.apply(this, all);
          };
          const numbers = await store.number([intent("x")], 1);
          IDBDatabase.prototype.transaction = real;
          return [numbers, taken, (await store.load()).intents.length];
        }"""
    ) == [[{"id": "x", "number": 1}], 2, 1]


def test_a_newer_schema_keeps_what_is_there_and_an_older_page_says_that_it_is_outdated(disk):
    assert disk.evaluate(
        """async () => {
          const old = await opened("hearth");
          await old.number([intent("x")], 1);
          const next = new DiskStore("hearth", [...MIGRATIONS, (db) => db.createObjectStore("more")]);
          const { intents, facts } = await next.load();
          const { Hearth } = await import("/hearth.js");
          const hearth = await Hearth.open();
          return [intents.length, facts.me, hearth.phase];
        }"""
    ) == [1, "ana", "outdated"]


def test_another_persons_log_in_erases_and_the_same_persons_keeps(disk):
    assert disk.evaluate(
        """async () => {
          const store = await opened("a");
          await store.number([intent("x")], 1);
          await store.logIn({ token: "t2", me: "ana", client: "c2" });
          const same = await store.load();
          await store.logIn({ token: "t3", me: "bo", client: "c3" });
          const other = await store.load();
          return [same, other].map(({ facts: { client, token, next }, intents }) => {
            return [client, token, next ?? 0, intents.length];
          });
        }"""
    ) == [["c", "t2", 2, 1], ["c3", "t3", 0, 0]]


def test_nothing_comes_back_after_an_erasure(disk):
    assert disk.evaluate(
        """async () => {
          const store = await opened("a"), late = new DiskStore("a");
          await late.load();
          await store.wipe();
          const errors = [];
          for (const write of [
            () => late.number([intent("x")], 1),
            () => late.commit({ rooms: [], done: [], refused: [intent("y", 1)], floor: 1 }),
            () => late.setFacts({ token: "t" }),
          ]) errors.push(await write().then(() => "written", (error) => error instanceof Erased));
          const { facts, rooms, intents } = await late.load();
          return [errors, facts, rooms, intents];
        }"""
    ) == [[True, True, True], {}, [], []]


def test_pictures_wait_on_disk(disk):
    assert disk.evaluate(
        """async () => {
          const store = await opened("a");
          await store.putFile("ab", new Blob(["picture"], { type: "image/png" }));
          const file = await new DiskStore("a").file("ab");
          const found = [file.type, await file.text()];
          await store.dropFile("ab");
          return [found, await store.file("ab") ?? null];
        }"""
    ) == [["image/png", "picture"], None]


# MARK: one tab


def test_a_change_is_shown_at_once_and_reaches_another_device(device, server):
    mine, other = open_page(device(), server), open_page(device(), server)
    log_in(mine)
    log_in(other, "bo")
    mine.evaluate("async () => { await add('Milk is out').answer; }")
    other.evaluate("async () => { await until(() => texts().includes('Milk is out')); }")
    found = mine.evaluate("[hearth.waiting.length, house.status, Object.isFrozen(house.state.notes)]")
    assert found == [0, "current", True]


def test_offline_reload_shows_everything_and_a_killed_server_does_it_once(device, own_server):
    server = own_server()
    page = open_page(device(), server)
    log_in(page)
    keep_offline(page)
    before = page.evaluate("async () => { await add('one').answer; return texts(); }")
    server.kill()
    page.evaluate("async () => { add('two'); add('three'); await until(() => texts().includes('three')); }")
    reload(page, server)
    expected = sorted([*before, "two", "three"])
    assert page.evaluate("[texts(), house.status]") == [expected, "stale"]
    # That the first one was answered may not be on disk yet: then it is asked once more.
    assert page.evaluate("hearth.waiting.map(({ about }) => about)")[-2:] == ["two", "three"]
    server.start()
    page.evaluate("async () => { await until(() => hearth.phase === 'live' && !hearth.waiting.length); }")
    assert page.evaluate("texts()") == expected
    # In the middle of a hundred changes.
    page.evaluate("() => { for (let n = 0; n < 100; n++) add(`many ${n}`); }")
    page.evaluate("async () => { await until(() => hearth.waiting.length < 70 && hearth.waiting.length > 0); }")
    server.kill()
    server.start()
    # The last of them may only now be on the disk, and so among those that wait.
    page.evaluate("async () => { await until(() => texts().filter((one) => one.startsWith('many')).length === 100); }")
    page.evaluate("async () => { await until(() => hearth.phase === 'live' && !hearth.waiting.length); }")
    expected = sorted([*expected, *(f"many {n}" for n in range(100))])
    assert page.evaluate("texts()") == expected
    fresh = open_page(device(), server)
    log_in(fresh, "bo")
    assert fresh.evaluate("texts()") == expected
    assert page.evaluate("hearth.refused") == []


def test_bug_1_a_confirmed_change_is_there_after_a_reload_without_a_network(device, own_server):
    server = own_server()
    page = open_page(device(), server)
    log_in(page)
    keep_offline(page)
    # The page goes in the moment of the answer, before anything could be written later.
    page.evaluate("async () => { await add('confirmed').answer; }")
    server.kill()
    reload(page, server)
    assert "confirmed" in page.evaluate("texts()")


def test_a_dead_line_is_found_when_the_network_comes_back(device, server):
    context = device()
    page = open_page(context, server)
    log_in(page)
    context.set_offline(True)
    # Chromium leaves the socket open: nobody tells that it is dead.
    page.evaluate("async () => { add('from the cellar'); await until(() => hearth.phase === 'offline'); }")
    assert page.evaluate("texts()").count("from the cellar") == 1
    context.set_offline(False)
    page.evaluate("async () => { await until(() => hearth.phase === 'live' && !hearth.waiting.length); }")
    assert page.evaluate("texts()").count("from the cellar") == 1


def test_a_leaving_server_is_come_back_to(device, own_server):
    server = own_server()
    page = open_page(device(), server)
    log_in(page)
    server.stop()
    page.evaluate("async () => { await until(() => hearth.phase !== 'live'); }")
    server.start()
    page.evaluate("async () => { await until(() => hearth.phase === 'live'); }")


def test_a_refused_change_is_listed_in_words_also_after_a_reload(device, server):
    page = open_page(device(), server)
    log_in(page, "cleo")
    found = page.evaluate(
        """async () => {
          const { answer } = hearth.change("notes.remove", { id: hearth.newId() }, { room: house, about: "a note" });
          const error = await answer.catch((error) => error);
          return [error instanceof HearthError, error.code, error.reason, hearth.refused.map(({ about }) => about)];
        }"""
    )
    assert found == [True, 3, "gone", ["a note"]] or found == [True, 3, "notFound", ["a note"]]
    page.evaluate("async () => { await hearth.close(); }")
    reload(page, server)
    found = page.evaluate("hearth.refused.map(({ about, error }) => [about, error.message.length > 5])")
    assert found == [["a note", True]]


def test_errors_of_a_form_name_its_fields(device, server):
    page = open_page(device(), server)
    fields = page.evaluate(
        """async () => {
          const error = await hearth.signUp({ email: "x", password: "short", name: "" }).catch((error) => error);
          return [error.code, Object.keys(error.fields).sort()];
        }"""
    )
    assert fields == [-32602, ["email", "name", "password"]]


def test_puzzles_are_solved_under_the_policy_of_the_page(device, own_server):
    server = own_server("--puzzle", "always", "--puzzle-numbers", "2000", sample=False)
    page = open_page(device(), server)
    page.evaluate(
        """async () => {
          await hearth.signUp({ email: "new@example.org", password: "correct horse battery", name: "New" });
          await until(() => hearth.phase === "live" && hearth.room("me").state);
          const id = hearth.newId();
          await hearth.change("households.create", { id, name: "Elm", timeZone: "Europe/Berlin", currency: "EUR" }, {
            optimistic: () => ({ households: { [id]: { name: "Elm" } } }),
          }).answer;
          window.house = hearth.room("household/" + id);
          await until(() => house.status === "current");
        }"""
    )
    assert page.evaluate("house.state.household.name") == "Elm"


# MARK: tabs


def test_tabs_share_one_connection_and_the_lock_passes(device, server):
    context = device()
    sockets = []
    context.on("page", lambda page: page.on("websocket", lambda socket: sockets.append(socket)))
    first = open_page(context, server)
    log_in(first)
    second = open_page(context, server)
    second.evaluate("async () => { await until(() => hearth.phase === 'live'); }")
    assert [first.evaluate("hearth.isLeader"), second.evaluate("hearth.isLeader")] == [True, False]
    second.evaluate("async () => { await add('from the second tab').answer; }")
    first.evaluate("async () => { await until(() => texts().includes('from the second tab')); }")
    assert second.evaluate("async () => (await hearth.ask('chat.list', {}, { room: house })).items.length") >= 0
    assert len(sockets) == 1
    first.close()
    second.evaluate("async () => { await until(() => hearth.isLeader && hearth.phase === 'live'); }")
    second.evaluate("async () => { await add('from the new leader').answer; }")
    assert second.evaluate("texts().filter((text) => /second tab|new leader/.test(text)).length") == 2


def test_a_tab_that_is_looked_at_takes_over_from_a_hidden_one(device, server):
    context = device()
    first = open_page(context, server)
    log_in(first)
    second = open_page(context, server)
    second.evaluate("async () => { await until(() => hearth.phase === 'live'); }")
    look = """(isHidden) => {
      Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    first.evaluate(look, True)
    second.evaluate(look, False)
    second.evaluate("async () => { await until(() => hearth.isLeader && hearth.phase === 'live'); }")
    assert first.evaluate("hearth.isLeader") is False
    first.evaluate("async () => { await add('from behind').answer; }")
    # And when that one closes, the lock passes back.
    second.close()
    first.evaluate("async () => { await until(() => hearth.isLeader && hearth.phase === 'live'); }")


def test_bug_3_a_tab_that_opens_shows_what_the_leader_has_not_stored_yet(device, server):
    context = device()
    first, other = open_page(context, server), open_page(device(), server)
    log_in(first, "dan")
    log_in(other, "bo")
    # From here on nothing more is stored.
    first.evaluate("() => { hearth.store.commit = () => new Promise(() => {}); }")
    other.evaluate("async () => { await add('not stored yet').answer; }")
    first.evaluate("async () => { await until(() => texts().includes('not stored yet')); }")
    second = open_page(context, server)
    second.evaluate("async () => { await until(() => texts().includes('not stored yet')); }")
    assert second.evaluate("hearth.isLeader") is False


# MARK: the end


def test_a_log_out_leaves_nothing_in_any_tab(device, server):
    context = device()
    first = open_page(context, server)
    log_in(first)
    second = open_page(context, server)
    second.evaluate("async () => { await until(() => hearth.phase === 'live'); }")
    first.evaluate("async () => { await caches.open('pictures'); await caches.open('app-1'); }")
    second.evaluate("async () => { await hearth.logOut(); }")
    first.evaluate("async () => { await until(() => hearth.me === null); }")
    for page in [first, second]:
        found = page.evaluate("[hearth.phase, hearth.me, house.state, hearth.waiting.length]")
        assert found == ["loggedOut", None, None, 0]
    left = """async () => {
      await navigator.locks.request("anything", () => {});
      return [(await indexedDB.databases()).map(({ name }) => name), await caches.keys(), localStorage.length];
    }"""
    assert second.evaluate(left) == [[], ["app-1"], 0]


def test_a_session_that_is_ended_elsewhere_leaves_nothing(device, server):
    mine, phone = open_page(device(), server), open_page(device(), server)
    log_in(mine)
    log_in(phone)
    mine.evaluate("async (id) => { await hearth.ask('devices.revoke', { id }); }", phone.evaluate("hearth.session"))
    phone.evaluate("async () => { await until(() => hearth.me === null); await hearth.logOut(); }")
    assert phone.evaluate("async () => (await indexedDB.databases()).length") == 0


def test_another_person_finds_nothing_of_the_one_before(device, server):
    page = open_page(device(), server)
    log_in(page)
    page.evaluate("async () => { await hearth.logIn({ email: 'bo@example.org', password: 'sample household' }); }")
    page.evaluate("async () => { await until(() => hearth.room('me').state?.profile.name === 'Bo'); }")
    assert page.evaluate("async () => (await hearth.store.load()).facts.me === hearth.me")


# MARK: what is shipped


def test_the_types_are_what_this_server_says(server):
    command = [sys.executable, ROOT / "Tests/Web/make_types.py", server.url, "--check"]
    check = subprocess.run(command, capture_output=True)
    assert check.returncode == 0, check.stderr.decode()
