"""The command line: verbs, settings that must be changed, and what a wrong token leads to."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import discord
import pytest

from bot.__main__ import Redact, main
from tests.bot.sittings import ADA, BEN, HERE, sitting

ROOT = Path(__file__).parents[2]
TOKEN = "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of the developer's own environment, .env or logging."""
    for variable in ("DISCORD_TOKEN", "DISCADE_AGENTS", "DISCADE_SEARCH_THREADS", "DISCADE_LOG_LEVEL"):
        monkeypatch.setenv(variable, "")
    monkeypatch.setenv("DATABASE_URL", f"sqlite+aiosqlite:///{tmp_path / 'discade.db'}")
    monkeypatch.setattr(logging.getLogger(), "handlers", [])


@pytest.fixture
def refusing_discord(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A server on this machine that answers every request as Discord answers a wrong token."""
    asked: list[str] = []

    class Refusing(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(401)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(b'{"message": "401: Unauthorized", "code": 0}')

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Refusing)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setattr(discord.http.Route, "BASE", f"http://127.0.0.1:{server.server_port}")
    yield asked
    server.shutdown()
    thread.join()
    server.server_close()


def test_help_lists_the_verbs() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "bot", "--help"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout

    for verb in ("run", "demo", "sync", "recount"):
        assert f"    {verb} " in shown


@pytest.mark.parametrize(
    ("variable", "value"), [("DISCORD_TOKEN", "secret"), ("DISCADE_SEARCH_THREADS", "none")]
)
def test_a_bad_setting_ends_with_one_line_and_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)

    assert main([]) == 2

    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.startswith(variable)
    assert output.err.count("\n") == 1
    assert "secret" not in output.err


def test_a_wrong_token_ends_with_one_line_and_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], refusing_discord: list[str]
) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", TOKEN)

    assert main(["run"]) == 2

    output = capsys.readouterr()
    assert refusing_discord == ["/users/@me"]
    assert "DISCORD_TOKEN was refused" in output.err
    assert "Traceback" not in output.err
    assert TOKEN not in output.err + output.out


def test_where_discord_cannot_be_reached_one_line_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", TOKEN)
    monkeypatch.setattr(discord.http.Route, "BASE", "http://127.0.0.1:1")

    assert main(["run"]) == 1

    assert "cannot be reached" in capsys.readouterr().err


def test_sync_without_a_token_says_what_is_missing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sync"]) == 2
    assert "DISCORD_TOKEN is not set" in capsys.readouterr().err


def test_recount_checks_and_mends_the_ratings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def play() -> None:
        async with sitting(tmp_path / "discade.db") as table:
            challenge = await table.service.challenges.send(ADA, BEN, "othello", HERE)
            match = (await table.service.challenges.accept(challenge.id, BEN))[1]
            await table.service.resign(match.id, BEN)

    asyncio.run(play())
    assert main(["recount", "--check"]) == 0
    assert "what the 1 rated matches give" in capsys.readouterr().out
    with contextlib.closing(sqlite3.connect(tmp_path / "discade.db")) as database, database:
        database.execute("UPDATE season_records SET points = 5000")

    assert main(["recount", "--check"]) == 1
    assert "2 rows are not" in capsys.readouterr().out
    assert main(["recount"]) == 0
    assert "mended" in capsys.readouterr().out
    assert main(["recount", "--check"]) == 0


def test_the_token_is_taken_out_of_the_log_and_of_tracebacks(caplog: pytest.LogCaptureFixture) -> None:
    formatter = logging.Formatter("%(message)s")
    redact = Redact(TOKEN)
    try:
        raise RuntimeError(f"sent {TOKEN}")
    except RuntimeError:
        logging.getLogger("test").exception("with %s", TOKEN)
    (record,) = caplog.records

    assert redact.filter(record)

    line = formatter.format(record)
    assert TOKEN not in line
    assert "with [token]" in line
    assert "sent [token]" in line
