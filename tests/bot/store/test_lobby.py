"""Reports of names: the latest by each person is listed, for ninety days."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.domain.seat import Seat
from bot.store.lobby import REPORTS_KEPT_FOR, LobbyStore
from bot.store.stores import Stores
from tests.bot.made_once import database_url

NOW, LATER = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 5, 3, tzinfo=UTC)
ZOE, MAX = 1, 2

pytestmark = pytest.mark.postgres


@pytest.fixture
async def lobby(tmp_path: Path) -> AsyncIterator[LobbyStore]:
    stores = await Stores.open(database_url(tmp_path / "discade.db"))
    yield stores.lobby
    await stores.close()


def seat(name: str, guild_id: int = 77) -> Seat:
    return Seat(name, 9, guild_id=guild_id)


@pytest.mark.parametrize("changed", [seat("Awful"), seat("Nice", guild_id=78)])
async def test_a_report_of_a_changed_name_replaces_the_persons_earlier_one(
    lobby: LobbyStore, changed: Seat
) -> None:
    assert await lobby.report(ZOE, seat("Nice"), NOW)
    assert not await lobby.report(ZOE, seat("Nice"), NOW + timedelta(hours=1)), "the host knows it"
    assert await lobby.report(ZOE, changed, LATER)
    assert not await lobby.report(ZOE, changed, LATER + timedelta(hours=1))
    (found,) = await lobby.reports(LATER)
    assert (found.name, found.guild_id, found.reports) == (changed.name, changed.guild_id, 1)
    assert found.last_at == LATER


async def test_the_host_reads_each_reported_name_of_a_person(lobby: LobbyStore) -> None:
    for person in (ZOE, MAX):
        await lobby.report(person, seat("Nice"), NOW)
    assert [(one.name, one.reports) for one in await lobby.reports(NOW)] == [("Nice", 2)]
    await lobby.report(ZOE, seat("Awful"), LATER)
    assert [(one.name, one.reports) for one in await lobby.reports(LATER)] == [("Awful", 1), ("Nice", 1)]


async def test_reports_are_listed_for_ninety_days_and_then_deleted(lobby: LobbyStore) -> None:
    await lobby.report(ZOE, seat("Nice"), NOW)
    await lobby.report(MAX, seat("Nice"), LATER)
    last = NOW + REPORTS_KEPT_FOR
    assert [one.reports for one in await lobby.reports(last)] == [2]
    assert await lobby.forget_old(last) == 0
    over = last + timedelta(seconds=1)
    assert [one.reports for one in await lobby.reports(over)] == [1], "also where no bot runs"
    assert [one.reports for one in await lobby.reports(last)] == [2]
    assert await lobby.forget_old(over) == 1
    assert [one.reports for one in await lobby.reports(last)] == [1]
