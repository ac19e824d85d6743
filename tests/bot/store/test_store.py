"""The store, while callers are cancelled, somebody else writes, or a question takes too long."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.domain.challenge import First
from bot.domain.errors import Unavailable
from bot.store.database import READERS, Database, uncancellable
from tests.bot.made_once import database_url, locked
from tests.bot.sittings import ADA, HERE, sitting


@pytest.mark.parametrize("milliseconds", [step / 4 for step in range(16)])
async def test_a_cancelled_caller_leaves_a_whole_transaction_and_a_store_that_closes(
    tmp_path: Path, milliseconds: float
) -> None:
    async def evening() -> None:
        async with sitting(tmp_path / "discade.db") as table:
            match = await table.service.start(ADA, "othello", "pip", First.ME, HERE)
            press = asyncio.create_task(table.service.play(match.id, ADA, match.state.legal_moves()[0]))
            await asyncio.sleep(milliseconds / 1000)
            press.cancel()

    await asyncio.wait_for(evening(), 60)

    async with sitting(tmp_path / "discade.db") as table:
        (match,) = await table.stores.matches.running()
        assert len(match.moves) == match.turn == match.version


class Questions:
    """A store with one question, which SQLite takes about a minute to answer."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def count_for_a_minute(self) -> int:
        async with self._database.reading() as connection:
            endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000)"
            return int((await connection.execute(sa.text(f"{endless} SELECT count(*) FROM n"))).scalar_one())


async def test_who_reads_does_not_wait_for_who_writes(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        match = await table.service.start(ADA, "othello", "pip", First.ME, HERE)
        async with table.stores.database.writing():
            assert await asyncio.wait_for(table.service.match(match.id), 5) == match


async def test_a_question_that_takes_too_long_is_given_up_and_the_connection_serves_the_next(
    tmp_path: Path,
) -> None:
    database = await Database.open(database_url(tmp_path / "discade.db"), query_seconds=0.2)
    try:
        for _ in range(2 * READERS):
            with pytest.raises(Unavailable):
                await asyncio.wait_for(Questions(database).count_for_a_minute(), 20)
        async with database.reading() as connection:
            assert (await connection.execute(sa.text("SELECT 1"))).scalar_one() == 1
    finally:
        await database.close()


async def test_nobody_who_reads_can_write(tmp_path: Path) -> None:
    database = await Database.open(database_url(tmp_path / "discade.db"))
    try:
        with pytest.raises(sa.exc.DBAPIError, match=r"readonly|read-only"):
            async with database.reading() as connection:
                await connection.execute(sa.text("DELETE FROM matches"))
    finally:
        await database.close()


async def test_a_press_on_a_locked_database_is_refused_in_words_and_counts_when_made_again(
    tmp_path: Path,
) -> None:
    file = tmp_path / "discade.db"
    async with sitting(file, busy_seconds=0.05) as table:
        match = await table.service.start(ADA, "othello", "pip", First.ME, HERE)
        move = match.state.legal_moves()[0]
        with locked(file), pytest.raises(Unavailable):
            await table.service.play(match.id, ADA, move)
        assert (await table.service.play(match.id, ADA, move)).moves == (move,)


async def test_what_could_not_be_stored_is_not_known(tmp_path: Path) -> None:
    file = tmp_path / "discade.db"
    async with sitting(file, busy_seconds=0.05) as table:
        match = await table.service.start(ADA, "othello", "pip", First.ME, HERE)
        with locked(file):
            with pytest.raises(Unavailable):
                await table.service.play(match.id, ADA, match.state.legal_moves()[0])
            assert await table.stores.matches.find(match.id) == match
