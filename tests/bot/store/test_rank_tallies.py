"""Boards by tallies: the same ranks and pages as counting everybody, without reading everybody."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest
import sqlalchemy as sa

from bot.domain.preferences import Preferences
from bot.store.preferences import preferences
from bot.store.ratings import records
from bot.store.recount_boards import board_faults, recount_boards
from bot.store.stores import Stores
from tests.bot.made_once import database_url

GAME, PEOPLE = "connect-four", 300

FIRST_ID = 1_000
"""Numbers of one length have the same order as texts have, as PostgreSQL keeps them."""


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    opened = await Stores.open(database_url(tmp_path / "discade.db"))
    rng = Random(3)
    points = [rng.randrange(-30, 60) for _ in range(PEOPLE)]
    async with opened.database.writing() as connection:
        await connection.execute(
            sa.insert(records),
            [
                {
                    "scope": scope, "game": GAME, "is_agent": False, "player": str(FIRST_ID + number),
                    "rating": float(points[number]), "deviation": 60.0 if number % 5 else 300.0,
                    "points": points[number], "wins": 1, "draws": 0, "losses": 0, "streak": 1,
                    "best_streak": 1,
                }
                for scope in (0, 20)
                for number in range(PEOPLE)
            ],
        )  # fmt: skip
        await connection.execute(
            sa.insert(preferences),
            [{"user_id": FIRST_ID + n, "is_called": True, "is_listed": n % 2 == 0} for n in range(PEOPLE)],
        )
        await recount_boards(connection)
    yield opened
    await opened.close()


@pytest.mark.parametrize("scope", [0, 20])
async def test_every_page_is_as_if_everybody_were_counted(stores: Stores, scope: int) -> None:
    async with stores.database.reading() as connection:
        rows = (await connection.execute(sa.select(records).where(records.c.scope == scope))).all()
    shown = [row for row in rows if scope or int(row.player) % 2 == 0]
    settled = sorted((row for row in shown if row.deviation < 100), key=lambda row: (-row.points, row.player))
    others = sorted((row for row in shown if row.deviation > 100), key=lambda row: (-row.points, row.player))
    expected = [(1 + sum(other.points > row.points for other in settled), row.player) for row in settled] + [
        (None, row.player) for row in others
    ]

    found = []
    for offset in range(0, len(expected) + 10, 10):
        page = await stores.ratings.leaderboard(scope, GAME, is_agent=False, offset=offset, limit=10)
        assert page.total == len(expected)
        found += [(row.rank, row.player) for row in page.rows]

    assert found == expected
    for rank, player in expected[:40]:
        own = await stores.ratings.ranked(scope, GAME, int(player))
        assert own is not None
        assert own.rank == rank


async def test_who_chooses_to_be_listed_or_not_moves_on_and_off_the_boards_of_everywhere(
    stores: Stores,
) -> None:
    await stores.preferences.save_preferences(FIRST_ID + 2, Preferences(is_listed=False))
    await stores.preferences.save_preferences(FIRST_ID + 3, Preferences(is_listed=True))
    await stores.privacy.erase(FIRST_ID + 4)

    async with stores.database.reading() as connection:
        assert await board_faults(connection) == ()
    page = await stores.ratings.leaderboard(0, GAME, is_agent=False, offset=0, limit=PEOPLE)
    assert {"1003"} == {row.player for row in page.rows} & {"1002", "1003", "1004"}
