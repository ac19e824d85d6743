"""The end of a match counts ratings, seasons and achievements together, and never twice."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.domain.match import Match
from bot.domain.terms import First
from bot.store.shared import metadata
from tests.bot.sittings import ADA, BEN, HERE, Sitting, both_move_twice, sitting, terms_of

pytestmark = pytest.mark.postgres

COUNTED = ("records", "rating_steps", "achievements")


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Sitting]:
    async with sitting(tmp_path / "discade.db") as made:
        yield made


async def ended(table: Sitting) -> Match:
    """Ben has resigned against Ada, after two moves of each."""
    challenge = await table.services.challenges.send(ADA, BEN, terms_of("connect-four", first=First.ME), HERE)
    match = (await table.services.challenges.accept(challenge.id, BEN))[1]
    return await table.services.playing.resign((await both_move_twice(table, match)).id, BEN)


async def counted(table: Sitting) -> dict[str, list[tuple[object, ...]]]:
    async with table.stores.database.reading() as connection:
        return {
            name: [tuple(row) for row in await connection.execute(sa.select(metadata.tables[name]))]
            for name in COUNTED
        }


async def test_the_end_of_a_match_counts_in_all_tables_in_one_transaction(table: Sitting) -> None:
    await ended(table)
    found = await counted(table)
    assert {name: len(rows) for name, rows in found.items()} == {
        "records": 6,  # two people, here and everywhere, and here this month
        "rating_steps": 1,
        "achievements": 1,  # Ada's first win
    }


@pytest.mark.slow
async def test_a_finished_match_stored_again_counts_once(table: Sitting) -> None:
    match = await ended(table)
    before = await counted(table)
    for message_id in (41, 42):
        moved = match.moved_to(replace(match.channel, message_id=message_id), match.touched_at)
        await table.stores.matches.save(match, moved)
        match = moved
    assert await counted(table) == before


async def test_a_match_that_ends_before_both_moved_twice_rates_neither_player(table: Sitting) -> None:
    challenge = await table.services.challenges.send(ADA, BEN, terms_of("connect-four", first=First.ME), HERE)
    match = (await table.services.challenges.accept(challenge.id, BEN))[1]
    over = await table.services.playing.resign(match.id, BEN)
    assert over.rating_changes == ()
    assert (await counted(table))["rating_steps"] == []
