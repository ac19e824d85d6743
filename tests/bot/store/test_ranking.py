"""Leaderboards: ranks and pages are the same as if every player were counted."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest
import sqlalchemy as sa

from bot.domain.preferences import Preferences
from bot.domain.rating import SETTLED_UNDER
from bot.store.count_cache import STALE_SECONDS, UNUSED_SECONDS, CountCache
from bot.store.preferences import preferences
from bot.store.ranking import (
    HIDDEN,
    PROVISIONAL,
    SETTLED,
    PointCounts,
    Ranking,
    record_of,
    standing_of,
)
from bot.store.ratings import ALL_TIME, board_of, records
from bot.store.recount import Recounter
from bot.store.stores import Stores
from tests.bot.made_once import database_url
from tests.bot.services.test_leaderboards import beats
from tests.bot.sittings import ADA, BEN, EVE, sitting

GAME, PEOPLE = "connect-four", 300

FIRST_ID = 1_000
"""Numbers of one length have the same order as texts, as which PostgreSQL stores them."""


def is_listed(number: int) -> bool:
    return number % 2 == 0


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
                    "scope": scope, "season": ALL_TIME, "game": GAME, "is_agent": False,
                    "player": str(FIRST_ID + number), "rating": float(points[number]),
                    "deviation": 60.0 if number % 5 else 300.0, "points": points[number],
                    "wins": 1, "draws": 0, "losses": 0, "streak": 1, "best_streak": 1,
                    "standing": HIDDEN if not (scope or is_listed(number))
                    else SETTLED if number % 5 else PROVISIONAL,
                }
                for scope in (0, 20)
                for number in range(PEOPLE)
            ],
        )  # fmt: skip
        await connection.execute(
            sa.insert(preferences),
            [{"user_id": FIRST_ID + n, "is_called": True, "is_listed": is_listed(n)} for n in range(PEOPLE)],
        )
    yield opened
    await opened.close()


@pytest.mark.parametrize("scope", [0, 20])
async def test_every_page_is_the_same_as_if_every_player_were_counted(stores: Stores, scope: int) -> None:
    async with stores.database.reading() as connection:
        rows = (await connection.execute(sa.select(records).where(records.c.scope == scope))).all()
    shown = [row for row in rows if scope or is_listed(int(row.player))]
    settled = sorted((row for row in shown if row.deviation < 100), key=lambda row: (-row.points, row.player))
    others = sorted((row for row in shown if row.deviation > 100), key=lambda row: (-row.points, row.player))
    expected = [(1 + sum(other.points > row.points for other in settled), row.player) for row in settled] + [
        (None, row.player) for row in others
    ]
    board = board_of(scope, GAME)

    found = []
    for offset in range(0, len(expected) + 10, 10):
        page = await stores.ratings.leaderboard(board, offset=offset, limit=10)
        assert page.total == len(expected)
        found += [(row.rank, row.player) for row in page.rows]

    assert found == expected
    for rank, player in expected[:40]:
        own = await stores.ratings.ranked(board, int(player))
        assert own is not None
        assert own.rank == rank


async def test_equal_points_are_one_rank_and_in_one_order_however_the_rows_are_read(stores: Stores) -> None:
    """Without the index a database returns equal rows as they happen to lie."""
    async with stores.database.writing() as connection:
        await connection.execute(sa.delete(records))
        await connection.execute(sa.text("DROP INDEX ix_records_board"))
        await connection.execute(
            sa.insert(records),
            [
                {
                    "scope": 20, "season": ALL_TIME, "game": GAME, "is_agent": False,
                    "player": str(FIRST_ID + number), "rating": 1500.0, "deviation": 60.0,
                    "points": 50 if number == 5 else 40, "wins": 1, "draws": 0, "losses": 0, "streak": 1,
                    "best_streak": 1, "standing": SETTLED,
                }
                for number in (7, 5, 9, 2, 8)
            ],
        )  # fmt: skip
    board = board_of(20, GAME)
    pages = [await stores.ratings.leaderboard(board, offset=offset, limit=2) for offset in (0, 2, 4)]
    ranks = [(row.rank, int(row.player) - FIRST_ID) for page in pages for row in page.rows]
    assert ranks == [(1, 5), (2, 2), (2, 7), (2, 8), (2, 9)]


async def test_choosing_to_be_listed_or_not_changes_the_leaderboards_across_all_servers(
    stores: Stores,
) -> None:
    await stores.preferences.save_preferences(FIRST_ID + 2, Preferences(is_listed=False))
    await stores.preferences.save_preferences(FIRST_ID + 3, Preferences(is_listed=True))
    await stores.privacy.erase(FIRST_ID + 4)

    page = await stores.ratings.leaderboard(board_of(0, GAME), offset=0, limit=PEOPLE)
    assert {"1003"} == {row.player for row in page.rows} & {"1002", "1003", "1004"}


@pytest.mark.parametrize(("below", "standing"), [(0.3, PROVISIONAL), (0.7, SETTLED)])
async def test_a_person_who_is_listed_again_is_ranked_by_the_margin_that_people_read(
    stores: Stores, below: float, standing: int
) -> None:
    deviation = SETTLED_UNDER - below  # which is rounded
    is_own = sa.and_(records.c.player == str(FIRST_ID + 2), records.c.scope == 0)
    async with stores.database.writing() as connection:
        await connection.execute(sa.update(records).where(is_own).values(deviation=deviation))
    for is_listed_now in (False, True):
        await stores.preferences.save_preferences(FIRST_ID + 2, Preferences(is_listed=is_listed_now))
    async with stores.database.reading() as connection:
        row = (await connection.execute(sa.select(records).where(is_own))).one()
    assert row.standing == standing == standing_of(record_of(row), is_hidden=False)


async def test_the_recount_finds_and_mends_a_wrong_standing(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        await beats(table, ADA, BEN)
        async with table.stores.database.writing() as connection:
            await connection.execute(sa.update(records).where(records.c.scope == 0).values(standing=SETTLED))
        recounter = Recounter(table.stores.database)
        assert (await recounter.repair()).wrong == 2
        assert (await recounter.check()).differences == ()


def test_point_counts_find_the_player_at_an_offset() -> None:
    counts = PointCounts([(30, 2), (20, 1), (-5, 3)])
    assert counts.players == 6
    assert [counts.above(points) for points in (31, 30, 25, 20, -5, -6)] == [0, 0, 2, 2, 3, 6]
    assert [counts.find(offset) for offset in range(6)] == [
        (None, 0), (None, 1), (20, 0), (-5, 0), (-5, 1), (-5, 2),
    ]  # fmt: skip


async def test_counts_of_a_large_leaderboard_are_cached_and_counted_again_in_time(stores: Stores) -> None:
    now = 0.0
    cache = CountCache(stores.database, from_players=PEOPLE, time=lambda: now)
    ranking, board = Ranking(stores.database, cache), board_of(20, GAME)

    async def total() -> int:
        return (await ranking.page(board, 0, 10)).total

    async def remove(number: int) -> None:
        async with stores.database.writing() as connection:
            await connection.execute(sa.delete(records).where(records.c.player == str(FIRST_ID + number)))

    assert await total() == PEOPLE
    await remove(0)
    assert await total() == PEOPLE, "cached"
    now += STALE_SECONDS / 2
    await cache.run_once()
    assert await total() == PEOPLE - 1, "counted again by the job"
    await remove(1)
    now += STALE_SECONDS
    assert await total() == PEOPLE - 2, "counted again when asked, as the job did not run"
    await remove(2)
    assert await total() == PEOPLE - 3, "too few players to be cached"


async def test_no_rank_is_below_its_row_although_counts_are_older(stores: Stores) -> None:
    ranking = Ranking(stores.database, CountCache(stores.database, from_players=1, time=lambda: 0.0))
    board = board_of(20, GAME)
    first, second, third = (await ranking.page(board, 0, 3)).rows
    async with stores.database.writing() as connection:
        gone = records.c.player.in_([first.player, second.player])
        await connection.execute(sa.delete(records).where(gone))
    (now_first, *_) = (await ranking.page(board, 0, 3)).rows
    assert (now_first.player, now_first.rank) == (third.player, 1)


async def test_counts_not_used_for_long_are_dropped(stores: Stores) -> None:
    now = 0.0
    cache = CountCache(stores.database, from_players=1, time=lambda: now)
    await Ranking(stores.database, cache).page(board_of(20, GAME), 0, 10)
    now += UNUSED_SECONDS + 1
    await cache.run_once()
    assert len(cache) == 0


async def test_a_finished_match_shows_at_once_in_ones_own_row(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        cache = CountCache(table.stores.database, from_players=1)
        ranking, board = Ranking(table.stores.database, cache), board_of(20, GAME)
        await beats(table, ADA, BEN)
        await ranking.page(board, 0, 10)
        before = await ranking.own(board, ADA.user_id)
        await beats(table, ADA, EVE)
        after = await ranking.own(board, ADA.user_id)

        assert before is not None
        assert after is not None
        assert after.record.points > before.record.points
        page = await ranking.page(board, 0, 10)
        assert page.rows[0].record == after.record
