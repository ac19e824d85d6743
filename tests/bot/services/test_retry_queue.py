"""Work that failed while the database was unavailable is done once it is back."""

from __future__ import annotations

import pytest

from bot.domain.errors import Unavailable
from bot.services.retry_queue import RetryQueue


class Database:
    """A database that can be switched off."""

    def __init__(self) -> None:
        self.is_there = False
        self.done: list[str] = []

    async def note(self, what: str) -> None:
        if not self.is_there:
            raise Unavailable("database_unavailable")
        self.done.append(what)


async def test_deferred_actions_run_once_and_in_order() -> None:
    database, retries = Database(), RetryQueue()
    for what in ("one", "two", "three"):
        await retries.run(what, lambda what=what: database.note(what))  # type: ignore[misc]
    await retries.run_once()
    assert database.done == []
    database.is_there = True
    await retries.run_once()
    await retries.run_once()
    assert database.done == ["one", "two", "three"]


async def test_a_newer_action_replaces_the_waiting_one_of_its_key() -> None:
    database, retries = Database(), RetryQueue()
    await retries.run("call", lambda: database.note("old"))
    await retries.run("call", lambda: database.note("new"))
    database.is_there = True
    await retries.run_once()
    assert database.done == ["new"]


async def test_a_failing_action_does_not_block_the_others(caplog: pytest.LogCaptureFixture) -> None:
    database, retries = Database(), RetryQueue()

    async def fail() -> None:
        if database.is_there:
            raise ValueError("never")
        raise Unavailable("database_unavailable")

    await retries.run("bad", fail)
    await retries.run("good", lambda: database.note("good"))
    database.is_there = True
    await retries.run_once()
    assert database.done == ["good"]
    assert "bad failed" in caplog.text
