"""Matches whose channel was deleted: their clock stands until /board posts them elsewhere."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.domain.match import ABANDONED_AFTER, End
from tests.bot.table import Table, line_of, text_of


async def match_of(table: Table) -> Any:
    (found,) = await table.bot.parts.stores.matches.running(table.ada.id)
    return found


async def lose_channel(table: Table, *, is_away: bool = False) -> Any:
    """Delete the channel of the games; return another one."""
    other = table.guild.create_text_channel("elsewhere")
    if is_away:
        await table.bot.close()
    table.env.backend.delete_channel(table.games.id)
    if is_away:
        await table.restart()
    await table.soon(lambda: False)
    return other


@pytest.mark.parametrize("is_away", [False, True], ids=["told", "away"])
async def test_the_clock_stands_until_board_posts_the_match_elsewhere(table: Table, is_away: bool) -> None:
    await table.pair(clock=300)
    before = (await match_of(table)).deadline
    other = await lose_channel(table, is_away=is_away)
    await table.skip(minutes=20)
    standing = await match_of(table)
    assert (standing.stands_since is None, standing.deadline) == (False, None)
    listed = text_of((await table.ben.slash(other, "match list")).response)
    assert "its channel was deleted" in listed
    assert str(table.games.id) not in listed
    posted = await table.ben.slash(other, "match board")
    assert not posted.ephemeral
    back = await match_of(table)
    assert back.stands_since is None
    assert back.location.channel_id == other.id
    assert back.deadline > before + timedelta(minutes=20)
    await table.ada.click(posted.response, label="4")
    assert len((await match_of(table)).moves) == 1
    assert [one.content for one in other.history() if one.content.startswith("<@")], "Ben is pinged there"


async def test_without_board_the_match_ends_without_a_loser(table: Table) -> None:
    await table.pair(clock=300)
    match = await match_of(table)
    await lose_channel(table)
    await table.skip(days=ABANDONED_AFTER.days + 1)
    await table.soon(lambda: False)
    over = await table.bot.services.matches.match(match.id)
    assert over.result is not None
    assert (over.result.winner, over.result.end) == (None, End.ABANDONED)


async def test_a_match_that_stands_comes_back_in_its_own_server_alone(table: Table) -> None:
    await table.pair(clock=300)
    match = await match_of(table)
    await lose_channel(table)
    abroad = table.env.create_guild("Abroad")
    ada = abroad.add_member(table.ada.user)
    answer = await ada.slash(abroad.create_text_channel("there"), "match board", match=str(match.id))
    assert "Use `/match board` in a channel of its server" in line_of(answer.response)
