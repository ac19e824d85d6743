"""The stores while callers are cancelled, another process writes, or a query takes too long."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import aiosqlite
import pytest
import sqlalchemy as sa

from bot.domain.errors import Unavailable
from bot.domain.terms import First
from bot.store.connection import Connection
from bot.store.database import (
    LONG_READERS,
    QUICK_READERS,
    Database,
    Store,
    part_of_transaction,
    uncancellable,
)
from bot.store.group_commit import MOST_TOGETHER
from bot.store.shared import Conflict
from tests.bot.made_once import database_url, locked
from tests.bot.sittings import ADA, HERE, sitting, terms_of
from tests.working import MAX_TEST_WAIT_SECONDS

pytestmark = pytest.mark.postgres


@pytest.mark.parametrize("milliseconds", [step / 4 for step in range(16)])
async def test_a_cancelled_caller_leaves_a_whole_transaction_and_a_store_that_closes(
    tmp_path: Path, milliseconds: float
) -> None:
    async def evening() -> None:
        async with sitting(tmp_path / "discade.db") as table:
            match = await table.services.starting.start(ADA, terms_of("othello", first=First.ME), "pip", HERE)
            press = asyncio.create_task(
                table.services.playing.play(match.id, ADA, match.state.legal_moves()[0])
            )
            await asyncio.sleep(milliseconds / 1000)
            press.cancel()

    await asyncio.wait_for(evening(), MAX_TEST_WAIT_SECONDS)

    async with sitting(tmp_path / "discade.db") as table:
        (match,) = await table.stores.matches.running()
        assert len(match.moves) == match.turn == match.version


class Refusing(Store):
    """A store whose change is always refused."""

    @uncancellable
    async def save(self) -> None:
        await asyncio.sleep(0)
        raise Conflict


def test_a_stores_public_coroutine_method_says_who_keeps_it_whole() -> None:
    async def save(_self: Store) -> None: ...

    async def save_by(_self: Store, connection: Connection) -> None: ...

    for careless in (save, save_by):
        with pytest.raises(TypeError, match=r"^Careless\.save is neither"):
            type("Careless", (Store,), {"save": careless})
    type("Private", (Store,), {"_save": save})
    type("Kept", (Store,), {"save": uncancellable(save), "save_by": part_of_transaction(save_by)})


class Questions(Store):
    """A store with one question, which SQLite takes about a minute to answer."""

    @uncancellable
    async def count_for_a_minute(self) -> int:
        async with self._database.reading() as connection:
            endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000)"
            return int((await connection.execute(sa.text(f"{endless} SELECT count(*) FROM n"))).scalar_one())


@pytest.mark.slow
async def test_readers_do_not_wait_for_the_writer(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        match = await table.services.starting.start(ADA, terms_of("othello", first=First.ME), "pip", HERE)
        async with table.stores.database.writing():
            assert (
                await asyncio.wait_for(table.services.matches.match(match.id), MAX_TEST_WAIT_SECONDS) == match
            )


@pytest.mark.slow
async def test_a_question_that_takes_too_long_is_given_up_and_the_connection_serves_the_next(
    tmp_path: Path,
) -> None:
    database = await Database.open(database_url(tmp_path / "discade.db"), query_seconds=0.2)
    try:
        for _ in range(2 * (LONG_READERS + QUICK_READERS)):
            with pytest.raises(Unavailable):
                await asyncio.wait_for(Questions(database).count_for_a_minute(), MAX_TEST_WAIT_SECONDS)
        async with database.reading() as connection:
            assert (await connection.execute(sa.text("SELECT 1"))).scalar_one() == 1
    finally:
        await database.close()


async def test_connections_for_reading_cannot_write(tmp_path: Path) -> None:
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
        match = await table.services.starting.start(ADA, terms_of("othello", first=First.ME), "pip", HERE)
        move = match.state.legal_moves()[0]
        with locked(file), pytest.raises(Unavailable):
            await table.services.playing.play(match.id, ADA, move)
        assert (await table.services.playing.play(match.id, ADA, move)).moves == (move,)


async def test_a_change_that_was_not_stored_is_not_remembered(tmp_path: Path) -> None:
    file = tmp_path / "discade.db"
    async with sitting(file, busy_seconds=0.05) as table:
        match = await table.services.starting.start(ADA, terms_of("othello", first=First.ME), "pip", HERE)
        with locked(file):
            with pytest.raises(Unavailable):
                await table.services.playing.play(match.id, ADA, match.state.legal_moves()[0])
            assert await table.stores.matches.find(match.id) == match


async def rows(connection: Connection) -> list[str]:
    return list((await connection.execute(sa.text("SELECT key FROM facts ORDER BY key"))).scalars())


def remembering(key: str) -> Callable[[Connection], Awaitable[int]]:
    """A change that stores a fact and says how many there are then."""

    async def remember(connection: Connection) -> int:
        await connection.execute(sa.text("INSERT INTO facts (key, value) VALUES (:key, '-')"), {"key": key})
        return len(await rows(connection))

    return remember


@pytest.mark.slow
async def test_changes_made_at_once_share_a_transaction_and_one_that_fails_spoils_no_other(
    tmp_path: Path,
) -> None:
    database = await Database.open(f"sqlite+aiosqlite:///{tmp_path / 'discade.db'}")
    before = await database.ask(rows)

    async def refused(connection: Connection) -> int:
        await remembering("left-out")(connection)
        raise Conflict

    async def wrong(connection: Connection) -> int:
        await remembering("left-out")(connection)
        await connection.execute(sa.text("SELECT nothing FROM nowhere"))
        return 0

    first = database.change(remembering("a"))
    works = (refused, remembering("b"), remembering("b"), wrong, remembering("c"))
    answers = await asyncio.gather(first, *map(database.change, works), return_exceptions=True)

    kinds = [type(answer) for answer in answers]
    assert kinds == [int, Conflict, int, sa.exc.IntegrityError, sa.exc.OperationalError, int]
    assert await database.ask(rows) == sorted([*before, "a", "b", "c"])
    await database.close()


@pytest.mark.slow
async def test_of_changes_that_come_while_another_is_written_all_are_committed_at_once(
    tmp_path: Path,
) -> None:
    database = await Database.open(f"sqlite+aiosqlite:///{tmp_path / 'discade.db'}")
    begun: list[str] = []
    writer: Any = database.writer
    sa.event.listen(writer._connection.engine.sync_engine, "begin", lambda _connection: begun.append("BEGIN"))

    async with database.writing():
        changes = [asyncio.create_task(database.change(remembering(f"k{number}"))) for number in range(20)]
        await asyncio.sleep(0.1)
        assert not any(change.done() for change in changes), "nobody is told before it is kept"
    counts = await asyncio.gather(*changes)

    assert len(begun) == 2
    assert counts == list(range(counts[0], counts[0] + 20))
    await database.close()


async def written(database: Database) -> None:
    async with database.writing() as connection:
        await remembering("w")(connection)


@pytest.mark.parametrize("is_refused", [False, True])
async def test_a_press_that_is_cancelled_while_it_waits_keeps_no_other_from_its_answer(
    tmp_path: Path, is_refused: bool
) -> None:
    database = await Database.open(f"sqlite+aiosqlite:///{tmp_path / 'discade.db'}")
    before = await database.ask(rows)

    async def refused(_connection: Connection) -> int:
        raise Conflict

    async with database.writing():
        cancelled = asyncio.create_task(database.change(refused if is_refused else remembering("a")))
        other = asyncio.create_task(database.change(remembering("b")))
        await asyncio.sleep(0.05)
        cancelled.cancel()
        await asyncio.sleep(0)
    assert await asyncio.wait_for(other, MAX_TEST_WAIT_SECONDS) == len(before) + 2 - is_refused
    assert cancelled.cancelled()
    assert await asyncio.wait_for(database.change(remembering("c")), MAX_TEST_WAIT_SECONDS)
    kept = ["b", "c"] if is_refused else ["a", "b", "c"]
    assert await database.ask(rows) == sorted([*before, *kept]), "a change that was begun is made"
    await database.close()


def count_begun(database: Database) -> list[str]:
    """Return a list that grows by each transaction that is tried."""
    begun: list[str] = []
    writer: Any = database.writer

    def note(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        if statement.startswith("BEGIN"):
            begun.append(statement)

    sa.event.listen(writer._connection.engine.sync_engine, "before_cursor_execute", note)
    return begun


async def test_a_transaction_has_only_so_many_changes(tmp_path: Path) -> None:
    database = await Database.open(f"sqlite+aiosqlite:///{tmp_path / 'discade.db'}")
    begun = count_begun(database)
    async with database.writing():
        works = [remembering(f"k{number}") for number in range(MOST_TOGETHER + 1)]
        changes = [asyncio.create_task(database.change(work)) for work in works]
        await asyncio.sleep(0.1)
    await asyncio.gather(*changes)
    assert len(begun) == 3
    await database.close()


async def test_where_the_file_is_locked_all_who_wait_are_refused_by_one_try(tmp_path: Path) -> None:
    file = tmp_path / "discade.db"
    database = await Database.open(f"sqlite+aiosqlite:///{file}", busy_seconds=0.3)
    begun = count_begun(database)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        writers = [asyncio.create_task(written(database)) for _ in range(5)]
        while not begun:
            await asyncio.sleep(0.001)
        works = [remembering(f"k{number}") for number in range(3 * MOST_TOGETHER)]
        changes = [asyncio.create_task(database.change(work)) for work in works]
        answers = await asyncio.gather(*writers, *changes, return_exceptions=True)
    assert {type(answer) for answer in answers} == {sa.exc.OperationalError}
    assert len(begun) == 1
    assert await database.change(remembering("a")), "and then it is written"
    await database.close()


@pytest.mark.slow
async def test_while_the_file_is_locked_only_the_first_of_changes_in_turn_waits_in_full(
    tmp_path: Path,
) -> None:
    """Those of one match come in turn: the second of two presses was answered after three seconds."""
    file = tmp_path / "discade.db"
    database = await Database.open(f"sqlite+aiosqlite:///{file}", busy_seconds=1.0)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        began = asyncio.get_running_loop().time()
        for number in range(8):
            with pytest.raises(sa.exc.OperationalError):
                await database.change(remembering(f"k{number}"))
        assert 1 <= asyncio.get_running_loop().time() - began < 6
        other.execute("ROLLBACK")
    waits = await database.change(lambda connection: connection.scalar(sa.text("PRAGMA busy_timeout")))
    assert waits == 1000, "and as usual, once it was written"
    await database.close()


async def test_a_change_that_shared_a_transaction_with_a_refused_one_is_made_before_later_ones(
    tmp_path: Path,
) -> None:
    database = await Database.open(f"sqlite+aiosqlite:///{tmp_path / 'discade.db'}")
    before = len(await database.ask(rows))
    later: list[asyncio.Task[int]] = []

    async def refused(_connection: Connection) -> int:
        later.append(asyncio.create_task(database.change(remembering("later"))))
        await asyncio.sleep(0.05)
        raise Conflict

    answers = await asyncio.gather(
        database.change(refused), database.change(remembering("sooner")), return_exceptions=True
    )
    assert isinstance(answers[0], Conflict)
    assert (answers[1], await later[0]) == (before + 1, before + 2)
    await database.close()


async def test_a_database_is_closed_after_the_change_that_is_under_way(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path / 'discade.db'}"
    database = await Database.open(url)
    is_under_way = asyncio.Event()

    async def long_change(connection: Connection) -> int:
        is_under_way.set()
        await asyncio.sleep(0.1)
        return await remembering("a")(connection)

    change = asyncio.create_task(database.change(long_change))
    await is_under_way.wait()
    await database.close()
    await change
    again = await Database.open(url)
    assert "a" in await again.ask(rows)
    await again.close()


@pytest.mark.sqlite
async def test_a_file_that_is_moved_away_twice_is_named_twice(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file, elsewhere = tmp_path / "discade.db", tmp_path / "elsewhere.db"
    database = await Database.open(f"sqlite+aiosqlite:///{file}")
    for key in "ab":
        file.rename(elsewhere)
        for _ in range(2):
            with pytest.raises(Unavailable):
                await database.change(remembering(key))
        elsewhere.rename(file)
        await database.change(remembering(key))
    assert caplog.text.count("was moved or deleted") == 2
    await database.close()


async def test_a_full_disk_refuses_every_change_of_the_transaction_at_once(tmp_path: Path) -> None:
    database = await Database.open(f"sqlite+aiosqlite:///{tmp_path / 'discade.db'}")
    before = await database.ask(rows)

    async def too_large(connection: Connection) -> int:
        await connection.execute(sa.text("PRAGMA max_page_count = 1"))  # never less than there are
        await connection.execute(
            sa.text("INSERT INTO facts VALUES ('large', :value)"), {"value": "x" * 10**7}
        )
        return 0

    works = (remembering("a"), too_large, remembering("b"))
    answers = await asyncio.gather(*map(database.change, works), return_exceptions=True)
    assert {type(answer) for answer in answers} == {sa.exc.OperationalError}
    assert await database.ask(rows) == before
    await database.close()


async def test_after_a_commit_that_fails_nothing_is_stored_and_the_next_change_is(tmp_path: Path) -> None:
    database = await Database.open(f"sqlite+aiosqlite:///{tmp_path / 'discade.db'}")
    before = await database.ask(rows)

    async def orphan(connection: Connection) -> None:
        await remembering("left-out")(connection)
        await connection.execute(sa.text("PRAGMA defer_foreign_keys = ON"))
        await connection.execute(
            sa.text("INSERT INTO moves (match_id, ply, move, seconds, at) VALUES (404, 0, 0, 0.0, 0)")
        )

    together = await asyncio.gather(
        *map(database.change, (orphan, remembering("also"))), return_exceptions=True
    )
    assert [type(answer) for answer in together] == [sa.exc.IntegrityError] * 2
    with pytest.raises(sa.exc.IntegrityError):
        async with database.writing() as connection:
            await orphan(connection)
    assert await database.ask(rows) == before
    assert await database.change(remembering("a")) == len(before) + 1
    await database.close()


@pytest.mark.sqlite
async def test_the_driver_of_every_connection_is_aiosqlite(tmp_path: Path) -> None:
    database = await Database.open(f"sqlite+aiosqlite:///{tmp_path / 'discade.db'}")
    async with database.reading() as reader, database.writing() as writer:
        for connection in (reader, writer):
            raw = await connection.get_raw_connection()
            assert isinstance(raw.driver_connection, aiosqlite.Connection)
    await database.close()


async def test_a_database_in_memory_is_written_and_read_at_once() -> None:
    database = await Database.open("sqlite+aiosqlite://")
    before = await database.ask(rows)
    counts = await asyncio.gather(*(database.change(remembering(f"k{number}")) for number in range(5)))
    async with database.reading() as connection:
        assert len(await rows(connection)) == max(counts) == len(before) + 5
    await database.close()


@pytest.mark.sqlite
async def test_a_file_that_is_deleted_or_moved_away_takes_no_more_moves_until_it_is_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """SQLite would go on writing to a file that has no name any more, and all of that would be lost."""
    file = tmp_path / "discade.db"
    async with sitting(file) as table:
        match = await table.services.starting.start(
            ADA, terms_of("connect-four", first=First.ME, rated=False), "pip", HERE
        )
        file.rename(tmp_path / "elsewhere.db")
        for _ in range(2):
            with pytest.raises(Unavailable):
                await table.services.playing.play(match.id, ADA, 3)
        (tmp_path / "elsewhere.db").rename(file)
        assert (await table.services.playing.play(match.id, ADA, 3)).turn == 1
    assert [record.levelname for record in caplog.records if "was moved or deleted" in record.message] == [
        "ERROR"
    ]


@pytest.mark.sqlite
async def test_a_deleted_log_takes_no_more_moves_and_loses_none_even_if_the_bot_is_killed_then(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """SQLite would write on into a log without a name, which ends with the process."""
    file, copy = tmp_path / "discade.db", tmp_path / "after-the-kill.db"
    async with sitting(file) as table:
        match = await table.services.starting.start(
            ADA, terms_of("connect-four", first=First.ME, rated=False), "pip", HERE
        )
        await table.services.playing.play(match.id, ADA, 3)
        file.with_name("discade.db-wal").unlink()
        for _ in range(2):
            with pytest.raises(Unavailable):
                await table.services.playing.resign(match.id, ADA)
        copy.write_bytes(file.read_bytes())  # all that a kill would leave
    assert [
        record.levelname for record in caplog.records if "-wal was moved or deleted" in record.message
    ] == ["ERROR"]
    for survivor in (copy, file):
        async with sitting(survivor) as table:
            assert (await table.services.matches.match(match.id)).turn == 1
