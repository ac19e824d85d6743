"""A Discord of a few routes over real HTTP, for cases that the simulated one does not cover."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import discord
import pytest

APPLICATION = "42"


@dataclass
class HttpDiscord:
    """What it has, what it was asked, and with which status it refuses the next requests of a route."""

    commands: list[dict[str, Any]] = field(default_factory=list)
    emoji: list[dict[str, Any]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    refusals: dict[str, list[tuple[int, dict[str, Any]]]] = field(default_factory=dict)
    window_seconds: float | None = None
    """Length of every route's window of 50 requests; None: no headers say so."""

    def refuse(self, route: str, status: int, *, times: int = 1, **body: Any) -> None:
        answers = [(status, {"message": str(status), "code": 0} | body)] * times
        self.refusals.setdefault(route, []).extend(answers)

    def window(self) -> dict[str, object]:
        """The headers of Discord's documentation, "Rate Limits", without `X-RateLimit-`."""
        if (seconds := self.window_seconds) is None:
            return {}
        return {
            "Limit": 50,
            "Remaining": 50 - len(self.asked),
            "Reset": time.time() + seconds,
            "Reset-After": seconds,
            "Bucket": "one",
        }

    def answer(self, route: str, body: Any) -> tuple[int, Any]:
        self.asked.append(route)
        if self.refusals.get(route):
            return self.refusals[route].pop(0)
        if route.endswith("/users/@me"):
            return 200, {"id": APPLICATION, "username": "Discade", "discriminator": "0", "avatar": None}
        if route.endswith("/oauth2/applications/@me"):
            return 200, {
                "id": APPLICATION, "name": "Discade", "description": "", "icon": None, "bot_public": True,
                "bot_require_code_grant": False, "verify_key": "", "flags": 0,
                "owner": {"id": "1", "username": "Host", "discriminator": "0", "avatar": None},
            }  # fmt: skip
        if route.endswith("/commands"):
            if route.startswith("PUT"):
                self.commands = [{"id": str(number), **command} for number, command in enumerate(body)]
            return 200, self.commands
        if route.endswith("/emojis"):
            return self._emoji(route, body)
        return 404, {"message": "404: Not Found", "code": 0}

    def _emoji(self, route: str, body: Any) -> tuple[int, Any]:
        if route.startswith("GET"):
            return 200, {"items": self.emoji}
        if any(body["name"] == one["name"] for one in self.emoji):
            return 400, {"message": "Invalid Form Body", "code": 50035}
        assert body["image"].startswith("data:image/png;base64,")
        self.emoji.append({"id": str(1000 + len(self.emoji)), "name": body["name"], "animated": False})
        return 201, self.emoji[-1]


@contextlib.contextmanager
def http_discord(monkeypatch: pytest.MonkeyPatch) -> Iterator[HttpDiscord]:
    """Everything that discord.py asks goes there."""
    state = HttpDiscord()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            status, answer = state.answer(f"{self.command} {self.path}", body)
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            for name, value in state.window().items():
                self.send_header(f"X-RateLimit-{name}", str(value))
            self.end_headers()
            self.wfile.write(content)

        def do_POST(self) -> None:
            self.do_GET()

        def do_PUT(self) -> None:
            self.do_GET()

        def log_message(self, *_: object) -> None:
            pass

    with answered_by(Handler, monkeypatch):
        yield state


@contextlib.contextmanager
def answered_by(handler: type[BaseHTTPRequestHandler], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Send discord.py's requests to a server on this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setattr(discord.http.Route, "BASE", f"http://127.0.0.1:{server.server_port}")
    yield
    server.shutdown()
    thread.join()
    server.server_close()
