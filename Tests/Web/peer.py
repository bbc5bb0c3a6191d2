"""A client that is no browser, on a WebSocket: it sees what the server says, whatever a page shows."""

import json
import time
import uuid

from websockets.sync.client import connect

# Longer than anything may take; waiting ends with the answer.
PATIENCE = 20


class Peer:
    def __init__(self, url: str, token: str):
        address = url.replace("http", "ws", 1) + "/sync"
        # Messages that nobody reads must not hold up the end of the connection.
        self.connection = connect(address, subprotocols=["hearth.v1"], max_size=None, max_queue=None)
        self.token, self.number = token, 0

    def __enter__(self):
        self.socket = self.connection.__enter__()
        self.me = self.call("hello", token=self.token, client=str(uuid.uuid4()))["me"]
        return self

    def __exit__(self, *why):
        self.connection.__exit__(*why)

    def call(self, method: str, **params) -> dict:
        self.number += 1
        self.socket.send(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv(timeout=PATIENCE))
            if message.get("id") == self.number:
                assert "error" not in message, message
                return message["result"]

    def call_all(self, method: str, calls: list):
        """Many calls, of which several are on their way at a time."""
        for start in range(0, len(calls), 50):
            some = {}
            for params in calls[start:start + 50]:
                self.number += 1
                some[self.number] = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
                self.socket.send(json.dumps(some[self.number]))
            while some:
                message = json.loads(self.socket.recv(timeout=PATIENCE))
                assert "error" not in message, message
                some.pop(message.get("id"), None)

    def state(self, room: str) -> dict:
        return self.call("room.subscribe", room=room)["state"]

    @property
    def household(self) -> str:
        """The room of the first household that the person belongs to."""
        return f"household/{next(iter(self.state('me')['households']))}"

    def mates(self, *names: str) -> list:
        """The ids of some who live in the first household."""
        return [person for person, one in self.state(self.household)["members"].items() if one["name"] in names]

    def until(self, room: str, holds) -> dict:
        """Waits until the room's state is as wanted; each change that the server tells is looked at."""
        end = time.monotonic() + PATIENCE
        while not holds(state := self.state(room)):
            assert time.monotonic() < end, state
            while json.loads(self.socket.recv(timeout=PATIENCE)).get("params", {}).get("room") != room:
                pass
        return state
