"""The moves of a match: a row each while it runs, packed in its own row once it is over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa

from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.seat import Seat
from bot.domain.terms import Fair
from bot.store.check import Checker
from bot.store.moves import moves
from bot.store.recount import Recounter
from bot.store.stores import Stores
from engine.games import GAMES
from engine.games import game as game_of
from tests.bot.exports import exported
from tests.bot.made_once import database_url
from tests.bot.sittings import ADA, BEN
from tests.slow_cases import mark_slow

pytestmark = pytest.mark.postgres

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def begun(game: str, board: str | None = None, *, guild_id: int | None = None, **options: object) -> Match:
    seats = (Seat("Ada", user_id=ADA.user_id), Seat("Ben", user_id=BEN.user_id))
    boards = game_of(game).boards
    return Match.begin(game, board or boards[0], seats, Channel(10, guild_id), NOW, **options)  # type: ignore[arg-type]


async def played_out(stores: Stores, match: Match, rng: Random) -> Match:
    """The match from its first stored version to its last."""
    match, now = await stores.matches.add(match), NOW
    while not match.is_over:
        now += timedelta(microseconds=rng.randrange(9_000_000))
        pressed_at = now - timedelta(microseconds=rng.randrange(400_000))
        seat = match.seat_to_move
        assert seat.user_id is not None
        move = rng.choice(match.state.legal_moves())
        match = await stores.matches.save(
            match, match.play(seat.user_id, move, pressed_at).stored(match, now)
        )
    return match


async def count(stores: Stores, query: sa.Select[Any]) -> int:
    async with stores.database.reading() as connection:
        return int(await connection.scalar(query))


async def rows_of(stores: Stores, *numbers: int) -> int:
    """How many rows of `moves` these matches have."""
    return await count(stores, sa.select(sa.func.count()).where(moves.c.match_id.in_(numbers)))


async def several(stores: Stores, number: int) -> list[Match]:
    return [await played_out(stores, begun("tic-tac-toe"), Random(seed)) for seed in range(number)]


async def faults_of(stores: Stores) -> tuple[str, ...]:
    return (await Checker(stores.database).check()).problems


@pytest.mark.parametrize("game", mark_slow(GAMES, lambda game: game == "gomoku"))
async def test_a_finished_match_reads_back_the_same_from_its_packed_moves(database: Path, game: str) -> None:
    stores = await Stores.open(database_url(database))
    for board in game_of(game).boards:
        over = await played_out(stores, begun(game, board), Random(3))
        assert await stores.matches.find(over.id) == over
        assert await rows_of(stores, over.id) == 0
    assert await faults_of(stores) == ()
    await stores.close()


@pytest.mark.slow
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


async def test_a_rated_match_of_too_few_moves_does_not_count_when_ratings_are_counted_anew(
    database: Path,
) -> None:
    stores = await Stores.open(database_url(database))
    await several(stores, 5)
    short = await stores.matches.add(begun("othello"))
    short = await stores.matches.save(short, short.play(ADA.user_id, short.state.legal_moves()[0], NOW))
    short = await stores.matches.save(short, short.resign(ADA.user_id, NOW))
    found = await Recounter(stores.database).check()
    assert (found.matches, found.wrong) == (5, 0)
    await stores.close()


async def test_an_export_has_the_moves_of_running_and_finished_matches(database: Path) -> None:
    stores = await Stores.open(database_url(database))
    played = await several(stores, 3)
    running = await stores.matches.add(begun("connect-four"))
    await stores.matches.save(running, running.play(ADA.user_id, 3, NOW))
    found = exported(stores, ADA.user_id)
    assert [line["moves"] for line in found["moves"]] == [*(list(one.moves) for one in played), [3]]
    assert not {"packed_plies", "packed_moves"} & set(found["matches"][0])
    await stores.close()
