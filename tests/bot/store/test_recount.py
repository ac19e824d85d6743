"""The recount in little memory, and when a start makes one: what is asked of the database is counted."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.domain.preferences import Preferences
from bot.store import recount
from bot.store.rating_steps import rating_steps
from bot.store.ratings import ALL_TIME, board_of, records
from bot.store.recount import Recounter, scale_fact
from tests.bot.services.test_leaderboards import beats
from tests.bot.sittings import ADA, BEN, EVE, Sitting, sitting

pytestmark = pytest.mark.postgres

GROWING = ("achievements", "matches", "moves", "players", "rating_steps", "records")


@pytest.fixture
def statements() -> Iterator[list[tuple[sa.Connection, str]]]:
    """Each statement that any database was asked meanwhile, with the connection that asked it."""
    asked: list[tuple[sa.Connection, str]] = []

    def note(connection: sa.Connection, _cursor: object, statement: str, *_rest: object) -> None:
        asked.append((connection, statement))

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    yield asked
    sa.event.remove(sa.Engine, "before_cursor_execute", note)


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recount, "ROWS_AT_ONCE", 2)
    monkeypatch.setattr(recount, "BATCH", 2)


async def _evening(table: Sitting) -> None:
    for winner, loser in ((ADA, BEN), (BEN, EVE), (EVE, ADA), (ADA, BEN), (ADA, EVE), (ADA, BEN)):
        await beats(table, winner, loser)
        table.clock.advance(hours=5)


@pytest.mark.slow
@pytest.mark.usefixtures("little_memory")
async def test_the_recount_finds_and_mends_the_same_however_little_it_keeps_in_memory(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        await _evening(table)
        recounter = Recounter(table.stores.database)
        assert (await recounter.check()).differences == ()

        async with table.stores.database.writing() as connection:
            await connection.execute(sa.update(records).where(records.c.player == "1").values(wins=9))
            is_season = records.c.season != ALL_TIME
            await connection.execute(sa.delete(records).where(is_season, records.c.player == "2"))
            await connection.execute(sa.update(rating_steps).values(first_points=1))
        found = await recounter.repair()

        assert found.matches == 6
        tables = [line.split()[0] for line in found.differences]
        assert (tables.count("rating_steps"), tables.count("records")) == (6, 4)
        assert (await recounter.check()).differences == ()


@pytest.mark.slow
@pytest.mark.usefixtures("little_memory")
async def test_a_step_that_is_lost_is_made_again(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        await _evening(table)
        recounter = Recounter(table.stores.database)
        async with table.stores.database.writing() as connection:
            await connection.execute(sa.delete(rating_steps).where(rating_steps.c.match_id == 3))

        assert (await recounter.repair()).wrong
        assert (await recounter.check()).differences == ()
        async with table.stores.database.reading() as connection:
            numbers = (await connection.execute(sa.select(rating_steps.c.match_id))).scalars().all()
        assert sorted(numbers) == [1, 2, 3, 4, 5, 6]


async def test_of_many_differences_the_first_are_told_and_the_others_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recount, "MAX_LINES", 3)
    async with sitting(tmp_path / "discade.db") as table:
        await _evening(table)
        async with table.stores.database.writing() as connection:
            await connection.execute(sa.update(records).values(best_streak=99))
        found = await Recounter(table.stores.database).check()

    assert (len(found.differences), found.wrong) == (3, 9)


@pytest.mark.slow
@pytest.mark.sqlite
async def test_opening_a_file_that_is_up_to_date_asks_nothing_of_what_grows(
    tmp_path: Path, statements: list[tuple[sa.Connection, str]]
) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        await _evening(table)
        statements.clear()
    async with sitting(tmp_path / "discade.db"):
        opened = [statement for _, statement in statements]

    assert opened, "statements are counted"
    asked = [one for one in opened if any(f" {name}" in one.replace('"', "") for name in GROWING)]
    assert asked == []


@pytest.mark.slow
async def test_only_the_game_whose_levels_were_measured_anew_is_counted_again_and_the_log_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "bot.store.recount")
    async with sitting(tmp_path / "discade.db") as table:
        await _evening(table)
        await table.stores.facts.remember(scale_fact("othello"), "another")
        async with table.stores.database.writing() as connection:
            await connection.execute(sa.update(records).values(wins=77))
    assert "recounting" not in caplog.text
    async with sitting(tmp_path / "discade.db") as table:
        assert "recounting" not in caplog.text, "nobody has played it"
        found = await table.stores.ratings.ranked(board_of(20, "connect-four"), ADA.user_id)
        assert found is not None
        assert found.record.wins == 77
        await table.stores.facts.remember(scale_fact("connect-four"), "another")
    async with sitting(tmp_path / "discade.db") as table:
        assert "recounting the ratings of connect-four" in caplog.text
        found = await table.stores.ratings.ranked(board_of(20, "connect-four"), ADA.user_id)
        assert found is not None
        assert found.record.wins == 4


@pytest.mark.slow
async def test_a_deletion_asks_as_much_of_a_person_of_many_matches_as_of_one_of_few(
    tmp_path: Path, statements: list[tuple[sa.Connection, str]]
) -> None:
    asked = []
    async with sitting(tmp_path / "discade.db") as table:
        for _ in range(8):
            await beats(table, ADA, BEN)
        await beats(table, EVE, BEN)
        for person in (EVE, ADA):
            await table.stores.preferences.save_preferences(person.user_id, Preferences(is_listed=True))
            statements.clear()
            await table.stores.privacy.erase(person.user_id)
            # Only the deletion's own transaction: PostgreSQL's listener reads what changed at any moment.
            (erasing,) = {
                connection for connection, text in statements if text.startswith("DELETE FROM hints")
            }
            asked.append(sum(connection is erasing for connection, _ in statements))

    assert asked[0] == asked[1] > 20


@pytest.mark.slow
async def test_how_rare_an_achievement_is_follows_every_award_and_every_deletion(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        await _evening(table)
        before = await table.stores.achievements.totals()
        await table.stores.privacy.erase(ADA.user_id)
        after = await table.stores.achievements.totals()

        assert (before.players, before.holders["first-win"]) == (3, 3)
        assert (after.players, after.holders["first-win"]) == (3, 2)
