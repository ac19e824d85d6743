"""Names of older versions, which were stored as they came, are clean wherever they are read."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bot.__main__ import main
from tests.bot.exports import exported
from tests.bot.services.test_leaderboards import beats
from tests.bot.sittings import ADA, BEN, HERE, sitting, terms_of
from tests.bot.store.test_check import file, spoil

__all__ = ["file"]

pytestmark = pytest.mark.sqlite

MARKED, SHOWN = "\u202eA\nda" + "\u0301" * 30, "A dá\u0301\u0301"


async def test_stored_names_are_clean_on_boards_lists_and_in_exports(file: Path) -> None:
    async with sitting(file) as table:
        match = await beats(table, ADA, BEN)
        await table.services.challenges.send(ADA, None, terms_of("othello"), HERE)
    spoil(
        file,
        f"UPDATE players SET name = '{MARKED}' WHERE player = '{ADA.user_id}'",
        f"UPDATE players SET name = '\u3164' WHERE player = '{BEN.user_id}'",
        f"UPDATE matches SET first_name = '{MARKED}', second_name = '\u3164'",
        f"UPDATE challenges SET challenger_name = '{MARKED}'",
    )
    async with sitting(file) as table:
        board = await table.services.standings.leaderboard(
            "connect-four", guild_id=HERE.guild_id, agents=False, page=1, user_id=1
        )
        found = await table.services.matches.match(match.id)
        (invitation,) = await table.services.challenges.in_channel(HERE.channel_id)
        own = exported(table.stores, ADA.user_id)
        profile = await table.services.standings.profile(BEN.user_id, guild_id=None)

    assert [row.name for row in board.rows] == [SHOWN, str(BEN.user_id)]
    assert [seat.name for seat in found.seats] == [SHOWN, str(BEN.user_id)]
    assert invitation.challenger.name == SHOWN
    assert {row["first_name"] for row in own["matches"]} == {SHOWN}
    assert profile.name == str(BEN.user_id)
    assert await asyncio.to_thread(main, ["check"]) == 0
