"""What the database refused, done once it can be."""

from __future__ import annotations

import pytest

from bot.domain.errors import Unavailable
from bot.services.later import Later


class Database:
    """One that answers or does not."""

    def __init__(self) -> None:
        self.is_there = False
        self.done: list[str] = []

    async def note(self, what: str) -> None:
        if not self.is_there:
            raise Unavailable("database_unavailable")
        self.done.append(what)


async def test_what_was_refused_is_done_later_in_its_order_and_once() -> None:
    database, later = Database(), Later()
    for what in ("one", "two", "three"):
        await later.do(what, lambda what=what: database.note(what))  # type: ignore[misc]
    await later.look()
    assert database.done == []
    database.is_there = True
    await later.look()
    await later.look()
    assert database.done == ["one", "two", "three"]


async def test_a_newer_deed_takes_the_place_of_the_one_that_waits() -> None:
    database, later = Database(), Later()
    await later.do("call", lambda: database.note("old"))
    await later.do("call", lambda: database.note("new"))
    database.is_there = True
    await later.look()
    assert database.done == ["new"]


async def test_a_deed_that_fails_keeps_no_other_waiting(caplog: pytest.LogCaptureFixture) -> None:
    database, later = Database(), Later()

    async def fail() -> None:
        if database.is_there:
            raise ValueError("never")
        raise Unavailable("database_unavailable")

    await later.do("bad", fail)
    await later.do("good", lambda: database.note("good"))
    database.is_there = True
    await later.look()
    assert database.done == ["good"]
    assert "bad could not be done" in caplog.text
