"""The command line: verbs, settings that must be changed, and wrong tokens."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import repeat
from pathlib import Path

import discord
import pytest

from bot.__main__ import main
from bot.config import Settings
from bot.domain.errors import Unavailable
from bot.operation import live
from bot.operation.live import go_online
from bot.process.interrupts import Interrupts
from bot.process.logs import JsonLines, LateChoices, Reconnects, Redact, Repeats, TextLines
from tests.bot.made_once import make_database
from tests.bot.sittings import ADA, BEN, HERE, both_move_twice, sitting, terms_of
from tests.discord_server import FakeDiscord
from tests.discord_server.here import beside

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
def local_discord(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeDiscord]:
    """It knows another token than TOKEN."""
    with beside(monkeypatch) as server:
        yield server


def paths(server: FakeDiscord) -> list[str]:
    """What it was asked."""
    return [one.path for one in server.recorder.http]


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("content", [b"DISCORD_TOKEN=a\xff\xfe\n", b"DISCORD_TOKEN=a\x00b\n"])
def test_invalid_bytes_in_the_settings_file_print_one_line_and_exit_with_2(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / ".env").write_bytes(content)
    clean = {name: value for name, value in os.environ.items() if name != "DISCORD_TOKEN"}

    done = subprocess.run(
        (sys.executable, "-m", "bot", "check"), cwd=tmp_path, env=clean | {"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert ".env cannot be read" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "content",
    ['DISCADE_EMOJI=off\nDATABASE_URL="mine.db\n', "# mine\nDATABASE_URL mine.db\n", "\ufeff#\n'mine\n"],
)
def test_an_invalid_line_of_the_settings_file_is_named_and_stops_the_start(
    tmp_path: Path, content: str
) -> None:
    (tmp_path / ".env").write_text(content, "utf-8")

    done = subprocess.run(
        (sys.executable, "-m", "bot", "recount"), cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert ".env, line 2: " in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == [".env"]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_verb_without_writable_output_ends_with_one_line(tmp_path: Path) -> None:
    async def make() -> None:
        async with sitting(tmp_path / "discade.db"):
            pass

    asyncio.run(make())
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            (sys.executable, "-m", "bot", "check"), cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True,
            check=False,
        )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr


@pytest.mark.parametrize("user", ["abc", "-5", "0", "9" * 19, "9" * 30])
def test_forget_refuses_an_invalid_discord_id(user: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["forget", user])
    assert ended.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.slow
def test_a_wrong_token_ends_with_one_line_and_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], local_discord: FakeDiscord
) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", TOKEN)

    assert main(["run"]) == 2

    output = capsys.readouterr()
    assert paths(local_discord) == ["/users/@me"]
    assert "DISCORD_TOKEN was refused" in output.err
    assert "Traceback" not in output.err
    assert TOKEN not in output.err + output.out


@pytest.mark.slow
def test_an_unreachable_discord_prints_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DISCORD_TOKEN", TOKEN)
    monkeypatch.setattr(discord.http.Route, "BASE", "http://127.0.0.1:1")

    assert main(["run"]) == 1

    assert "cannot be reached" in capsys.readouterr().err


@pytest.mark.slow
def test_a_discord_with_troubles_of_its_own_is_asked_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], local_discord: FakeDiscord
) -> None:
    settings = Settings(token=TOKEN, database_url=f"sqlite+aiosqlite:///{tmp_path / 'discade.db'}")
    local_discord.faults.status("GET", "/users/@me", 503, times=2)

    code = asyncio.run(go_online(settings, TOKEN, Interrupts(), pauses=lambda: repeat(0.01)))

    assert code == 2, "the third answer was that the token is wrong"
    assert paths(local_discord) == ["/users/@me"] * 3
    assert capsys.readouterr().err.count("\n") == 1


def test_sync_without_a_token_names_the_missing_setting(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sync"]) == 2
    assert "DISCORD_TOKEN is not set" in capsys.readouterr().err


def test_recount_checks_and_mends_the_ratings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def play() -> None:
        async with sitting(tmp_path / "discade.db") as table:
            challenge = await table.services.challenges.send(ADA, BEN, terms_of("othello"), HERE)
            match = (await table.services.challenges.accept(challenge.id, BEN))[1]
            await both_move_twice(table, match)
            await table.services.playing.resign(match.id, BEN)

    asyncio.run(play())
    assert main(["recount", "--check"]) == 0
    assert "what the 1 rated matches give" in capsys.readouterr().out
    with contextlib.closing(sqlite3.connect(tmp_path / "discade.db")) as database, database:
        database.execute("UPDATE records SET points = 5000 WHERE season <> ''")

    assert main(["recount", "--check"]) == 1
    assert "2 rows are not" in capsys.readouterr().out
    assert main(["recount"]) == 0
    assert "mended" in capsys.readouterr().out
    assert main(["recount", "--check"]) == 0


def without_a_folder(file: Path) -> Path:
    return file.parent / "missing" / file.name


def of_a_newer_version(file: Path) -> Path:
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        database.execute("INSERT INTO alembic_version VALUES ('9999')")
    return file


def of_something_else(file: Path) -> Path:
    file.write_text("Dear diary, " * 1000)
    return file


def damaged(file: Path) -> Path:
    async def make() -> None:
        async with sitting(file):
            pass

    asyncio.run(make())
    content = bytearray(file.read_bytes())
    content[100:4096] = bytes(len(content[100:4096]))
    file.write_bytes(content)
    return file


def of_another_program(file: Path) -> Path:
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE diary (day)")
    return file


def a_folder(file: Path) -> Path:
    file.mkdir()
    return file


def a_pipe(file: Path) -> Path:
    os.mkfifo(file)
    return file


def kept_locked(file: Path) -> Path:
    database = sqlite3.connect(file)
    database.execute("CREATE TABLE diary (day)")
    database.execute("BEGIN EXCLUSIVE")
    database.execute("INSERT INTO diary VALUES (1)")
    KEPT.append(database)
    return file


KEPT: list[sqlite3.Connection] = []


@pytest.mark.parametrize("verb", ["run", "recount"])
@pytest.mark.parametrize(
    ("spoil", "advice"),
    [
        (without_a_folder, "DATABASE_URL"),
        (of_a_newer_version, "update this one"),
        (of_something_else, "is no SQLite database"),
        (of_another_program, "no database of Discade"),
        (damaged, "restore"),
        (a_folder, "cannot be opened"),
        pytest.param(
            a_pipe, "cannot be opened", marks=pytest.mark.skipif(os.name == "nt", reason="no pipes")
        ),
        pytest.param(kept_locked, "locked by another program", marks=pytest.mark.slow),
    ],
)
def test_a_database_that_cannot_be_used_ends_with_one_line_and_exit_code_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    local_discord: FakeDiscord,
    verb: str,
    spoil: Callable[[Path], Path],
    advice: str,
) -> None:
    file = spoil(tmp_path / "spoilt.db")
    monkeypatch.setattr(live, "LOCKED_FOR_SECONDS", 0.0)
    monkeypatch.setenv("DATABASE_URL", f"sqlite+aiosqlite:///{file}")
    monkeypatch.setenv("DISCORD_TOKEN", TOKEN)

    code = main([verb])

    for database in KEPT:
        database.close()
    KEPT.clear()
    output = capsys.readouterr().err
    assert (code, paths(local_discord)) == (2, [])
    assert advice in output
    assert str(file.parent) in output
    assert output.count("\n") == 1


@pytest.mark.slow
def test_a_start_waits_for_another_program_that_is_soon_done_with_the_database(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    local_discord: FakeDiscord,
    caplog: pytest.LogCaptureFixture,
) -> None:
    file = make_database(tmp_path / "discade.db")
    monkeypatch.setenv("DATABASE_URL", f"sqlite+aiosqlite:///{file}")
    monkeypatch.setenv("DISCORD_TOKEN", TOKEN)
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    class Done(logging.Handler):
        """The other program ends once the bot waits for it."""

        def emit(self, record: logging.LogRecord) -> None:
            if "locked by another program" in record.getMessage():
                other.close()

    monkeypatch.setattr(logging.getLogger("bot"), "handlers", [Done()])
    main(["run"])

    assert paths(local_discord), "it came as far as Discord"
    assert "locked by another program" in caplog.text


WRITE = """
import os, sys
import concurrent.futures.thread
import alembic.command
from bot.__main__ import main
from bot.operation import administration

user = int(sys.argv[1])
if os.geteuid() != user:
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
for url in sys.argv[3:]:
    os.environ["DATABASE_URL"] = url
    for arguments in (["recount"], ["restore", sys.argv[2]]):
        print(main(arguments))
"""
"""Writes databases as that user. Everything is imported first: only root may be able to read the code."""

USERS = sorted({os.geteuid(), os.geteuid() or 65534}) if os.name != "nt" else []
"""Who runs the tests, and a normal user."""


@pytest.mark.parametrize("user", USERS)
def test_a_database_marked_as_read_only_ends_with_one_line_and_exit_code_2_and_stays_so(user: int) -> None:
    modes = (0o400, 0o444)
    with tempfile.TemporaryDirectory() as folder:
        files = [make_database(Path(folder, f"{mode}.db")) for mode in modes]
        before = [file.read_bytes() for file in files]
        backup = Path(folder, "backup.db")
        backup.write_bytes(before[0])
        for file, mode in zip(files, modes, strict=True):
            file.chmod(mode)
        for path in (Path(folder), backup, *files):
            os.chown(path, user, -1)
        urls = [f"sqlite+aiosqlite:///{file}" for file in files]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        ended = subprocess.run(
            [sys.executable, "-c", WRITE, str(user), str(backup), *urls],
            cwd=folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ended.stdout.split() == ["2"] * 4, ended.stderr
        said = ended.stderr.splitlines()
        assert len(said) == 4
        assert all("cannot be written" in line for line in said)
        assert [file.stat().st_mode & 0o777 for file in files] == list(modes)
        assert [file.read_bytes() for file in files] == before


@pytest.mark.parametrize("arguments", [["recount", "--check"], ["recount"]])
def test_a_verb_that_needs_a_database_makes_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert main(arguments) == 2
    assert "There is no database" in capsys.readouterr().err
    assert list(tmp_path.glob("*.db")) == []


def test_a_lost_connection_is_one_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise OSError("gone")
    except OSError:
        logging.getLogger("discord.client").exception("Attempting a reconnect in %.2fs", 1.5)
    (record,) = caplog.records

    assert Reconnects().filter(record)

    assert logging.Formatter("%(message)s").format(record) == (
        "Attempting a reconnect in 1.50s after OSError: gone"
    )


@pytest.mark.parametrize(
    "error",
    [OSError("gone"), Unavailable("database_unavailable"), discord.RateLimited(40), ValueError("ours")],
)
def test_choices_that_came_too_late_are_one_line_of_the_log(
    caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    try:
        raise error
    except Exception:
        logging.getLogger("discord.app_commands.tree").exception(
            "Ignoring exception in autocomplete for %r", 1
        )
    (record,) = caplog.records

    assert LateChoices().filter(record)

    assert (record.levelname, record.exc_info is None) == (
        ("ERROR", False) if isinstance(error, ValueError) else ("WARNING", True)
    )


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


def test_a_line_of_the_log_has_its_date_level_event_and_match(caplog: pytest.LogCaptureFixture) -> None:
    try:
        raise RuntimeError("broken")
    except RuntimeError:
        logging.getLogger("bot.test").exception("match %d: agent %s failed", 12, "pip")
    (record,) = caplog.records
    record.created, record.msecs = 1_795_319_999.25, 250.0

    text = TextLines().format(record)
    line = json.loads(JsonLines().format(record))

    assert text.startswith("2026-11-22T03:59:59.250Z ERROR   bot.test: match 12: agent pip failed\nTraceback")
    error = line.pop("error")
    assert error.endswith("RuntimeError: broken")
    assert line == {
        "time": "2026-11-22T03:59:59.250Z",
        "level": "ERROR",
        "logger": "bot.test",
        "event": "match %d: agent %s failed",
        "message": "match 12: agent pip failed",
        "match": 12,
    }


def test_a_full_disk_is_not_filled_by_its_own_log(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    repeats, log = Repeats(lambda: now), logging.getLogger("bot.test")
    caplog.set_level(logging.INFO)
    caplog.handler.addFilter(repeats)
    try:
        for tenth in range(1_200):
            now = tenth / 10
            log.warning("match %d could not be stored", tenth)
            if tenth % 100 == 0:
                log.info("alive at %d", tenth)
                log.error("reference %d: failed", tenth, extra={"is_asked_for": True})
    finally:
        caplog.handler.removeFilter(repeats)
    lines = caplog.messages
    stored = [line for line in lines if line.startswith("match")]
    assert [line.split()[1] for line in stored] == [
        "0",
        "1",
        "2",
        "3",
        "4",
        "600",
        "601",
        "602",
        "603",
        "604",
    ]
    assert stored[5] == "match 600 could not be stored (and 595 more like it in the 60 s before)"
    assert len(lines) == len(stored) + 24


def test_the_kind_of_event_survives_the_redaction(caplog: pytest.LogCaptureFixture) -> None:
    logging.getLogger("bot.test").warning("sent %s to %s", TOKEN, "somebody")
    (record,) = caplog.records
    Redact(TOKEN).filter(record)
    line = json.loads(JsonLines().format(record))
    assert (line["event"], line["message"]) == ("sent %s to %s", "sent [token] to somebody")


def test_debug_records_are_our_own_alone() -> None:
    """discord.py's hold names, messages and tokens of interactions; aiosqlite's every value stored."""
    program = (
        "import logging\n"
        "from bot.config import Settings\n"
        "from bot.process.logs import log_to_stderr\n"
        "log_to_stderr(Settings.from_env({'DISCADE_LOG_LEVEL': 'debug'}))\n"
        "for name in ('bot.app', 'engine.core', 'discord.http', 'aiosqlite', 'aiohttp.client'):\n"
        "    logging.getLogger(name).debug('%s at debug', name)\n"
        "    logging.getLogger(name).info('%s at info', name)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    said = [line.split(": ", 1)[1] for line in run.stderr.splitlines()]
    assert said == [
        "bot.app at debug", "bot.app at info", "engine.core at debug", "engine.core at info",
        "discord.http at info", "aiosqlite at info", "aiohttp.client at info",
    ]  # fmt: skip
