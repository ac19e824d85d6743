"""`check` names every fault of a database; a damaged row affects only its own match."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import sqlite3
import tempfile
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.domain.clock import Clock as MatchClock
from bot.domain.errors import MatchError
from bot.domain.match import Match
from bot.domain.terms import First
from bot.services.checked_terms import RATED_CLOCK
from bot.store.check import Checker
from bot.store.damage import Damage
from bot.store.lock import held
from bot.store.match_rows import read_matches
from tests.bot.exports import exported
from tests.bot.services.tournaments.evenings import evening
from tests.bot.sittings import (
    ADA,
    BEN,
    EVE,
    HERE,
    Clock,
    Screen,
    Sitting,
    both_move_twice,
    paired,
    sitting,
    terms_of,
)

pytestmark = pytest.mark.sqlite

WHOLE = MatchClock(180, 2)


@pytest.fixture(autouse=True)
def file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("DATABASE_URL", f"sqlite+aiosqlite:///{tmp_path / 'discade.db'}")
    monkeypatch.setenv("DISCORD_TOKEN", "")
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    return tmp_path / "discade.db"


async def between_people(table: Sitting, *moves: int, clock_seconds: int | None = None) -> Match:
    match = await paired(table, ADA.seat, BEN.seat, "tic-tac-toe", clock_seconds=clock_seconds or RATED_CLOCK)
    for number, move in enumerate(moves):
        match = await table.services.playing.play(match.id, (ADA, BEN)[number % 2], move)
    return match


def played(file: Path) -> None:
    """A database of five matches; see `_played`."""
    file.write_bytes(_played())


@functools.cache
def _played() -> bytes:
    """1: won by Ada on the board; 2: running; 3: against an agent; 4: resigned; 5: by 3+2; an invitation."""

    async def play() -> None:
        async with sitting(made) as table:
            await between_people(table, 0, 3, 1, 4, 2)
            await between_people(table, 0, 3, clock_seconds=86_400)
            match = await table.services.starting.start(ADA, terms_of("othello", first=First.ME), "pip", HERE)
            table.services.pings.ping(
                await table.services.playing.play(match.id, ADA, match.state.legal_moves()[0])
            )
            await table.services.background.drain()
            await table.services.playing.resign((await between_people(table, 4)).id, BEN)
            await table.services.challenges.send(EVE, None, terms_of("othello"), HERE)
            await between_people(table, 0, 3, 1, clock_seconds=WHOLE.number)

    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "discade.db")
        asyncio.run(play())
        return made.read_bytes()


def spoil(file: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(file)) as database, database:
        for statement in statements:
            database.execute(statement)


def test_a_database_in_use_has_no_faults(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    played(file)
    with held(f"sqlite+aiosqlite:///{file}"):
        assert main(["check"]) == 0, "also while the bot runs"
    assert "5 matches were replayed" in capsys.readouterr().out


async def test_the_clock_of_a_side_that_moves_twice_in_a_row_has_no_faults(file: Path) -> None:
    async with sitting(file) as table:
        clock = WHOLE.number
        sent = await table.services.challenges.send(
            ADA, BEN, terms_of("kalah", first=First.ME, clock_seconds=clock), HERE
        )
        match = (await table.services.challenges.accept(sent.id, BEN))[1]
        for seconds, person, move in ((10, ADA, 2), (10, ADA, 0), (175, BEN, 7)):
            table.clock.advance(seconds=seconds)
            match = await table.services.playing.play(match.id, person, move)
        assert [int(player) for player in match.movers] == [0, 0, 1]
        assert (await Checker(table.stores.database).check()).problems == ()


def test_a_finished_tournament_has_no_faults(file: Path) -> None:
    async def play() -> None:
        async with evening(file) as here:
            running = await here.begin(await here.sign_up(3, ("pip",)))
            for pairing in running.pairings:
                if pairing.match_id is not None:
                    await here.play_out(pairing.match_id)
            await here.step(running)

    asyncio.run(play())
    assert main(["check"]) == 0


def test_check_does_not_make_a_missing_database(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 2
    assert "There is no database" in capsys.readouterr().err
    assert not file.exists()


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("UPDATE moves SET move = 3 WHERE match_id = 2 AND ply = 0", "match 2: IllegalMove"),
        ("UPDATE moves SET ply = 7 WHERE match_id = 2 AND ply = 1", "match 2: ValueError: its moves"),
        ("DELETE FROM moves WHERE match_id = 2 AND ply = 0", "match 2: ValueError: its moves"),
        (
            "UPDATE matches SET packed_moves = NULL, packed_plies = NULL WHERE id = 1",
            "match 1: ValueError: the moves",
        ),
        ("UPDATE matches SET packed_moves = NULL WHERE id = 1", "match 1: ValueError: its moves are packed"),
        ("UPDATE matches SET packed_plies = 4 WHERE id = 1", "match 1: ValueError: 5 moves are packed"),
        (
            "UPDATE matches SET packed_moves = substr(packed_moves, 1, 20) WHERE id = 1",
            "match 1: ValueError: its packed moves are not as many",
        ),
        ("UPDATE matches SET end = NULL WHERE id = 4", "match 4: ValueError: the moves"),
        (
            "INSERT INTO moves SELECT 1, ply, move, seconds, at FROM moves WHERE match_id = 2",
            "match 1: its moves are packed, and stored apart",
        ),
        ("UPDATE matches SET winner = 1 WHERE id = 1", "match 1: its board says"),
        (
            "UPDATE matches SET end = NULL, winner = NULL WHERE id = 1",
            "match 1: ValueError: the game",
        ),
        ("UPDATE matches SET game = 'chess' WHERE id = 3", "match 3: UnknownName"),
        ("UPDATE matches SET board = '99x99' WHERE id = 3", "match 3: BoardError"),
        ("UPDATE matches SET touched_at = 'yesterday' WHERE id = 2", "match 2: ValueError"),
        ("UPDATE matches SET end = 'bored' WHERE id = 4", "match 4: ValueError: 'bored'"),
        ("UPDATE matches SET first_level = 'pip' WHERE id = 2", "match 2: ValueError: a seat holds"),
        ("UPDATE matches SET turn = 'x' WHERE id = 2", "match 2: TypeError: 'x' is no number"),
        ("UPDATE matches SET turn = 0 WHERE id = 2", "match 2: more moves are stored"),
        ("UPDATE matches SET due_at = NULL WHERE id = 2", "match 2: due_at is None"),
        (
            "UPDATE moves SET seconds = 181 WHERE match_id = 5 AND ply = 0",
            "match 5: Ada made move 1 after the",
        ),
        ("UPDATE moves SET seconds = 179 WHERE match_id = 5", "match 5: Ada made move 3 after the time"),
        ("UPDATE moves SET seconds = 9 WHERE match_id = 5 AND ply = 1", "match 5: due_at is"),
        ("UPDATE records SET points = points + 1 WHERE player = '1'", "records"),
        ("UPDATE challenges SET status = 'lost' WHERE status = 'open'", "invitation 1: ValueError"),
        ("INSERT INTO hints VALUES (99, 1, 1, NULL)", "hints, row"),
        (
            "INSERT INTO preferences (user_id, theme, is_called, is_listed) VALUES (1, 'plaid', 1, 0)",
            "what was chosen by 1: ValueError",
        ),
    ],
)
def test_check_names_every_fault_and_exits_with_code_1(
    file: Path, capsys: pytest.CaptureFixture[str], statement: str, line: str
) -> None:
    played(file)
    spoil(file, statement)

    assert main(["check"]) == 1

    output = capsys.readouterr()
    assert line in output.out
    assert "Traceback" not in output.out + output.err
    assert output.err == ""


def test_check_names_missing_pages_and_exits_with_code_1(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    played(file)
    with contextlib.closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        root = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'moves'").fetchone()[0]
        size = database.execute("PRAGMA page_size").fetchone()[0]
    content = bytearray(file.read_bytes())
    content[(root - 1) * size : root * size] = b"\xff" * size
    file.write_bytes(content)

    assert main(["check"]) == 1

    assert "the file" in capsys.readouterr().out


DAMAGE = (
    "UPDATE moves SET move = 77 WHERE match_id = 2 AND ply = 0",
    "UPDATE matches SET game = 'chess' WHERE id = 2",
    "UPDATE matches SET touched_at = 'yesterday' WHERE id = 2",
    "UPDATE matches SET touched_at = 'yesterday', due_at = '' WHERE id = 2",
    "UPDATE matches SET turn_started_at = 'noon' WHERE id = 2",
    "UPDATE matches SET locale = X'ff00', version = X'ff00' WHERE id = 2",
    "UPDATE matches SET turn = 'x' WHERE id = 2",
    "UPDATE matches SET second_user = NULL WHERE id = 2",
    "UPDATE matches SET draw_offer = 5 WHERE id = 2",
)


@pytest.mark.parametrize("statement", DAMAGE)
async def test_a_damaged_match_affects_no_other_match(
    file: Path, statement: str, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    async with sitting(file, clock=clock) as table:
        await between_people(table, clock_seconds=86_400)
        await between_people(table, 0, 3, clock_seconds=86_400)
        third = await between_people(table, 4, clock_seconds=86_400)
        table.draws.is_askers = False
        agents = await table.services.starting.start(ADA, terms_of("tic-tac-toe"), "pip", HERE)
    spoil(file, statement)

    async with sitting(file, clock=clock) as table:
        assert await table.services.clocks.resume() == 1, "the agent is woken"
        await table.services.background.drain()
        assert (await table.services.matches.match(agents.id)).turn == 1
        assert {match.id for match in await table.services.matches.running(ADA.user_id)} == {1, 3, agents.id}
        with pytest.raises(MatchError, match=r"match_damaged.*2"):
            await table.services.playing.play(2, ADA, 8)
        assert (await table.services.playing.play(3, BEN, 0)).turn == third.turn + 1
        await table.reconciler.run_once()
        await table.reconciler.drain()
        assert len(exported(table.stores, ADA.user_id)["matches"]) >= 3, "they get what can be read"
        clock.advance(days=1, seconds=4)
        await table.services.clocks.tick()
        assert (await table.services.matches.match(1)).is_over, "the clocks of the others go on"
        await table.services.clocks.tick()
    told = [record.message for record in caplog.records if "is damaged and left out" in record.message]
    assert len(told) == 1
    assert "match 2 is damaged" in told[0]


@pytest.mark.slow
async def test_damaged_packed_moves_affect_no_other_match(file: Path) -> None:
    async with sitting(file) as table:
        for _ in range(3):
            await between_people(table, 0, 3, 1, 4, 2)
        (packed,) = rows(file, "SELECT packed_moves FROM matches WHERE id = 2")[0]
        assert isinstance(packed, bytes)
    wrong = [packed[:cut] for cut in range(len(packed))] + [packed + b"x", b"\xff" * 300]
    turned = ((packed[:place], packed[place] ^ 0xFF, packed[place + 1 :]) for place in range(len(packed)))
    wrong += [bytes((*before, byte, *after)) for before, byte, after in turned]
    damage = Damage("match", is_logged=False)
    async with sitting(file) as table:
        for spoilt in wrong:
            spoil(file, f"UPDATE matches SET packed_moves = X'{spoilt.hex()}' WHERE id = 2")
            found = await table.stores.database.ask(
                lambda connection: read_matches(connection, damage, [1, 2, 3])
            )
            assert {match.id for match in found} >= {1, 3}
        assert [match.id for match in await table.services.matches.finished(ADA.user_id, 9)][-1] == 1
        with pytest.raises(MatchError, match=r"match_damaged.*2"):
            await table.services.starting.rematch(2, ADA, HERE)
        assert {row["match_id"] for row in exported(table.stores, ADA.user_id)["moves"]} == {1, 3}
    assert await asyncio.to_thread(main, ["check"]) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE challenges SET version = 9223372036854775807",
        "UPDATE challenges SET version = X'ff00'",
        "UPDATE challenges SET expires_at = 'x'",
        "UPDATE matches SET guild_id = '' WHERE id = 2",
        "UPDATE matches SET ping_ask = 'x', ping_id = 'y' WHERE id = 2",
        "UPDATE rating_steps SET first_points = 'x'",
        "UPDATE rating_steps SET local_first_margin = X'ff00'",
        "UPDATE records SET points = 'x', rating = 'x'",
    ],
)
async def test_a_damaged_row_of_another_table_stops_neither_clocks_nor_messages_nor_an_export(
    file: Path, statement: str
) -> None:
    clock, screen = Clock(), Screen()
    async with sitting(file, clock=clock, screen=screen) as table:
        await both_move_twice(table, await between_people(table, clock_seconds=86_400))
        match = await both_move_twice(table, await between_people(table, clock_seconds=86_400))
        table.services.pings.ping(match)
        await table.services.background.drain()
        await table.services.playing.resign(match.id, ADA)
        await table.services.challenges.send(EVE, None, terms_of("othello"), HERE)
        calm = await table.services.challenges.send(BEN, None, terms_of("othello"), HERE)
        await table.services.starting.watch(ADA, "tic-tac-toe", "pip", "pip", HERE)
        spoil(file, f"{statement}{f' WHERE id <> {calm.id}' if 'challenges' in statement else ''}")
    async with sitting(file, clock=clock, screen=screen) as table:
        await table.reconciler.run_once()
        await table.reconciler.drain()
        clock.advance(days=1, seconds=4)
        await table.services.clocks.tick()
        assert not (await table.services.challenges.find(calm.id)).is_open
        exported(table.stores, ADA.user_id)
        if "records" not in statement:
            assert (await table.services.matches.match(1)).is_over
    assert await asyncio.to_thread(main, ["check"]) in (0, 1)
    assert await asyncio.to_thread(main, ["recount"]) in (0, 1)


def rows(file: Path, query: str) -> list[tuple[object, ...]]:
    with contextlib.closing(sqlite3.connect(file)) as database:
        return database.execute(query).fetchall()


@pytest.mark.slow
async def test_resume_reads_thousands_of_matches_and_leaves_out_damaged_ones(file: Path) -> None:
    many = 3000
    async with sitting(file) as table:
        await between_people(table)
    copied = "game, board, channel_id, locale, created_at, turn_started_at, touched_at, due_at, fair, pace"
    made = "first_user, first_name, second_level, second_name, rated, turn, version"
    switches = "opening, is_local, is_coached"
    spoil(
        file,
        f"INSERT INTO matches ({copied}, {switches}, {made}) "
        f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {many}) "
        f"SELECT {copied}, 0, 0, 0, 1000 + i, 'P', 'pip', 'Pip', 0, 0, 0 FROM n, matches WHERE id = 1",
        "UPDATE matches SET game = 'chess' WHERE id % 1000 = 0",
    )
    async with sitting(file) as table:
        assert len((await table.stores.matches.running_with_agents(0, many))[0]) == many - 3
