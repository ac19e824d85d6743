"""Finished matches keep their moves packed: at once, and those of older versions a few at a time."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from bot.domain.challenge import First
from bot.domain.match import Fair, Location, Match, Seat
from bot.domain.shards import Shards
from bot.services.packing import Packing
from bot.store.check import Checker
from bot.store.matches import match_values, matches
from bot.store.recount import Recounter
from bot.store.stores import Stores
from bot.store.turns import moves, packed_values, turn_values
from bot.store.versions import MIGRATIONS, migrate
from engine.games import GAMES
from engine.games import game as game_of
from tests.bot.exports import exported
from tests.bot.made_once import database_url
from tests.bot.sittings import ADA, BEN, HERE, sitting
from tests.bot.table import Table

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def begun(game: str, board: str | None = None, *, guild_id: int | None = None, **options: object) -> Match:
    seats = (Seat("Ada", user_id=ADA.user_id), Seat("Ben", user_id=BEN.user_id))
    boards = game_of(game).boards
    return Match.begin(game, board or boards[0], seats, Location(10, guild_id), NOW, **options)  # type: ignore[arg-type]


async def played_out(stores: Stores, match: Match, rng: Random) -> Match:
    """The match from its first stored version to its last."""
    match, now = await stores.matches.add(match), NOW
    while not match.is_over:
        now += timedelta(microseconds=rng.randrange(9_000_000))
        pressed_at = now - timedelta(microseconds=rng.randrange(400_000))
        seat = match.seat_to_move
        assert seat.user_id is not None
        move = rng.choice(match.state.legal_moves())
        match = await stores.matches.save(match, match.play(seat.user_id, move, now, pressed_at=pressed_at))
    return match


async def count(stores: Stores, query: sa.Select[tuple[int]]) -> int:
    async with stores.database.reading() as connection:
        return int(await connection.scalar(query))


async def rows_of(stores: Stores, *numbers: int) -> int:
    """How many rows of `moves` these matches have."""
    return await count(stores, sa.select(sa.func.count()).where(moves.c.match_id.in_(numbers)))


async def packed_in(stores: Stores) -> int:
    return await count(stores, sa.select(sa.func.count()).where(matches.c.packed_plies.is_not(None)))


async def as_before(stores: Stores, *finished: Match) -> None:
    """As version 0026 stored these matches."""
    rows = [turn_values(match.id, ply, turn) for match in finished for ply, turn in enumerate(match.turns)]
    numbers = [match.id for match in finished]
    async with stores.database.writing() as connection:
        await connection.execute(
            sa.update(matches).where(matches.c.id.in_(numbers)).values(packed_plies=None, packed_turns=None)
        )
        if rows:
            await connection.execute(sa.insert(moves), rows)


async def several(stores: Stores, number: int) -> list[Match]:
    return [await played_out(stores, begun("tic-tac-toe"), Random(seed)) for seed in range(number)]


async def faults_of(stores: Stores) -> tuple[str, ...]:
    return (await Checker(stores.database).check()).problems


@pytest.mark.parametrize("game", GAMES)
async def test_a_match_is_the_same_before_and_after_its_moves_are_packed(database: Path, game: str) -> None:
    stores = await Stores.open(database_url(database))
    for board in game_of(game).boards:
        over = await played_out(stores, begun(game, board), Random(3))
        assert await stores.matches.find(over.id) == over
        assert await rows_of(stores, over.id) == 0
        await as_before(stores, over)
        assert await rows_of(stores, over.id) == len(over.turns)
        assert await stores.matches.find(over.id) == over
        assert await Packing(stores).pack_all() == 1
        assert await stores.matches.find(over.id) == over
        assert await rows_of(stores, over.id) == 0
    assert await faults_of(stores) == ()
    await stores.close()


async def test_openings_taken_over_moves_and_resignations_are_packed_as_well(database: Path) -> None:
    stores = await Stores.open(database_url(database))
    resigned = await stores.matches.add(begun("connect-four", opening=(3, 3, 4)))
    resigned = await stores.matches.save(resigned, resigned.resign(ADA.user_id, NOW))
    pie = await stores.matches.add(begun("connect-four", fair=Fair.PIE))
    pie = await stores.matches.save(pie, pie.play(ADA.user_id, 3, NOW))
    pie = await stores.matches.save(pie, pie.swap(BEN.user_id, NOW))
    pie = await stores.matches.save(pie, pie.resign(BEN.user_id, NOW))
    unmoved = await stores.matches.add(begun("othello"))
    unmoved = await stores.matches.save(unmoved, unmoved.resign(BEN.user_id, NOW))
    undone = await stores.matches.add(begun("connect-four", rated=False))
    for user_id, move in ((ADA, 3), (BEN, 4)):
        undone = await stores.matches.save(undone, undone.play(user_id.user_id, move, NOW))
    undone = await stores.matches.save(undone, undone.ask_undo(ADA.user_id, NOW))
    undone = await stores.matches.save(undone, undone.answer_undo(BEN.user_id, True, NOW))
    undone = await stores.matches.save(undone, undone.resign(BEN.user_id, NOW))

    for match in (resigned, pie, unmoved, undone):
        assert await stores.matches.find(match.id) == match
    assert await rows_of(stores, resigned.id, pie.id, unmoved.id, undone.id) == 0
    assert [match.result for match in await stores.matches.finished(ADA.user_id, 9)].count(None) == 0
    assert await faults_of(stores) == ()
    await stores.close()


async def test_ratings_are_counted_alike_from_packed_moves_and_from_rows(database: Path) -> None:
    """A rated match of too few moves does not count, however they are stored."""
    stores = await Stores.open(database_url(database))
    played = await several(stores, 5)
    short = await stores.matches.add(begun("othello"))
    short = await stores.matches.save(short, short.play(ADA.user_id, short.state.legal_moves()[0], NOW))
    short = await stores.matches.save(short, short.resign(ADA.user_id, NOW))
    assert (await Recounter(stores.database).check()).wrong == 0
    await as_before(stores, *played[:2], short)
    found = await Recounter(stores.database).check()
    assert (found.matches, found.wrong) == (5, 0)
    await stores.close()


async def test_an_export_has_the_same_moves_whether_they_are_packed_or_not(database: Path) -> None:
    stores = await Stores.open(database_url(database))
    played = await several(stores, 3)
    running = await stores.matches.add(begun("connect-four"))
    await stores.matches.save(running, running.play(ADA.user_id, 3, NOW))
    before = exported(stores, ADA.user_id)
    await as_before(stores, *played[1:])
    after = exported(stores, ADA.user_id)
    assert after["moves"] == before["moves"]
    assert all(row in before["matches"] for row in after["matches"])
    assert [line["moves"] for line in before["moves"]] == [*(list(one.moves) for one in played), [3]]
    assert not {"packed_plies", "packed_turns"} & set(before["matches"][0])
    await stores.close()


async def test_a_process_that_ends_in_the_middle_leaves_every_match_whole_and_the_next_goes_on(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.services.packing.AT_ONCE", 2)
    stores = await Stores.open(database_url(database))
    played = await several(stores, 7)
    await as_before(stores, *played)

    async def end(_seconds: float) -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await Packing(stores, sleep=end).pack_all()
    assert await packed_in(stores) == 2
    await stores.close()

    stores = await Stores.open(database_url(database))
    assert [await stores.matches.find(match.id) for match in played] == played
    assert await faults_of(stores) == ()
    assert await Packing(stores).pack_all() == 5
    assert await Packing(stores).pack_all() == 0
    assert [await stores.matches.find(match.id) for match in played] == played
    assert await rows_of(stores, *(match.id for match in played)) == 0
    await stores.close()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
async def test_a_process_that_is_killed_while_it_packs_leaves_every_match_whole(database: Path) -> None:
    stores = await Stores.open(database_url(database))
    played = await several(stores, 30)
    await as_before(stores, *played)
    for kill in range(3):
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.bot.store.packing_process", database_url(database)],
            cwd=Path(__file__).parents[3],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        with process.stdout as stdout:
            assert [stdout.readline() for _ in range(3 + kill)] == ["packed\n"] * (3 + kill)
            process.send_signal(signal.SIGKILL)
        process.wait()
        assert [await stores.matches.find(match.id) for match in played] == played
    assert 12 <= await packed_in(stores) < 30, "each goes on where the one before it was"
    assert await faults_of(stores) == ()
    await Packing(stores).pack_all()
    assert await packed_in(stores) == 30
    assert [await stores.matches.find(match.id) for match in played] == played
    await stores.close()


async def test_people_play_on_while_old_matches_are_packed(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.services.packing.AT_ONCE", 1)
    async with sitting(database) as table:
        played = await several(table.stores, 6)
        await as_before(table.stores, *played)
        packing = asyncio.create_task(Packing(table.stores).pack_all())
        match = await table.service.start(ADA, "tic-tac-toe", "pip", First.ME, HERE)
        while not match.is_over:
            match = await table.service.play(match.id, ADA, match.state.legal_moves()[0])
            table.service.proceed(match)
            await table.service.drain()
            match = await table.service.match(match.id)
        assert await packing == 6
        assert await packed_in(table.stores) == 7
        assert await faults_of(table.stores) == ()


async def test_a_match_whose_moves_are_damaged_stays_as_it_is_and_stops_no_other(
    database: Path, caplog: pytest.LogCaptureFixture
) -> None:
    stores = await Stores.open(database_url(database))
    played = await several(stores, 4)
    await as_before(stores, *played)
    async with stores.database.writing() as connection:
        await connection.execute(
            sa.update(moves).where(moves.c.match_id == played[1].id, moves.c.ply == 2).values(ply=99)
        )
    assert await Packing(stores).pack_all() == 3
    assert await rows_of(stores, played[1].id) == len(played[1].turns)
    assert await Packing(stores).pack_all() == 0
    assert f"match {played[1].id} is damaged" in caplog.text
    await stores.close()


async def test_of_several_processes_each_packs_the_matches_of_its_servers(database: Path) -> None:
    stores = await Stores.open(database_url(database))
    here, there = [
        await played_out(stores, begun("tic-tac-toe", guild_id=(2 + shard) << 22), Random(1))
        for shard in (0, 1)
    ]
    await as_before(stores, here, there)
    stores.database.share = Shards(2, frozenset({1}))
    assert await Packing(stores).pack_all() == 1
    assert (await rows_of(stores, here.id), await rows_of(stores, there.id)) == (len(here.turns), 0)
    stores.database.share = Shards(2, frozenset({0}))
    assert await Packing(stores).pack_all() == 1
    await stores.close()


async def test_the_writer_is_left_to_others_twice_as_long_as_it_is_used(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.services.packing.AT_ONCE", 2)
    stores = await Stores.open(database_url(database))
    await as_before(stores, *await several(stores, 5))
    now, slept = iter(range(100)), []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    assert await Packing(stores, time=lambda: float(next(now)), sleep=sleep).pack_all() == 5
    assert slept == [2.0, 2.0]
    await stores.close()


async def test_the_bot_packs_what_an_older_version_has_left_when_it_starts(table: Table) -> None:
    board = await table.pair()
    await table.play(board, "4 3 4 3 4 3 4")
    over = await table.bot.service.match(1)
    await as_before(table.bot.stores, over)
    await table.restart()
    await table.env.advance_time(6)
    assert await packed_in(table.bot.stores) == 1
    assert await table.bot.service.match(1) == over


def test_going_back_to_the_version_before_takes_the_moves_apart_again() -> None:
    engine = sa.create_engine("sqlite://")
    over = replace(begun("tic-tac-toe"), id=1)
    with engine.begin() as connection:
        migrate(connection)
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = connection
        for ply, move in enumerate((0, 3, 1, 4, 2)):
            over = over.play((ADA, BEN)[ply % 2].user_id, move, NOW + timedelta(seconds=ply, microseconds=7))

        connection.execute(sa.insert(matches).values(id=1, **match_values(over), **packed_values(over.turns)))
        command.downgrade(config, "0026")
        found = connection.exec_driver_sql("SELECT * FROM moves ORDER BY ply").mappings().all()
        assert [{**row, "at": datetime.fromisoformat(f"{row['at']}+00:00")} for row in found] == [
            turn_values(1, ply, turn) for ply, turn in enumerate(over.turns)
        ]
    engine.dispose()
