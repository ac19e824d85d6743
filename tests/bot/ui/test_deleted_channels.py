"""Matches and tournaments whose channel was deleted: they stand until they are posted elsewhere."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.domain.match import ABANDONED_AFTER
from bot.domain.preferences import ServerSettings, Threads
from bot.domain.result import End
from bot.domain.tournament.model import Stage
from tests.bot.table import Table, line_of, text_of


@pytest.fixture
def table(own_table: Table) -> Table:
    """A bot of its own for each test: clocks stand and are set ahead."""
    return own_table


async def running(table: Table) -> Any:
    return await table.bot.parts.stores.matches.running(table.ada.id)


async def match_of(table: Table) -> Any:
    (found,) = await running(table)
    return found


async def lose_channel(table: Table, *, is_away: bool = False) -> Any:
    """Delete the channel of the games; return another one."""
    other = table.guild.create_text_channel("elsewhere")
    if is_away:
        await table.bot.close()
        # Its threads are gone with it.
        for thread in tuple(table.env.backend.get_guild(table.guild.id).thread_ids):
            table.env.backend.delete_channel(thread)
    table.env.backend.delete_channel(table.games.id)
    if is_away:
        await table.restart()
    for _ in range(10):
        await table.env.advance_time(6)
        standing = [match for match in await running(table) if match.stands_since is not None]
        if standing or told(table):
            break
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


async def test_the_clock_of_a_rated_match_against_a_bot_goes_on_without_its_channel(table: Table) -> None:
    await table.start(game="connect-four")
    before = (await match_of(table)).deadline
    other = await lose_channel(table)
    assert (await match_of(table)).deadline == before
    listed = text_of((await table.ada.slash(other, "match list")).response)
    assert "its channel was deleted, and its clock goes on" in listed
    posted = await table.ada.slash(other, "match board")
    assert (await match_of(table)).deadline == before
    await table.ada.click(posted.response, label="4")
    assert (await match_of(table)).has_persons_move


@pytest.mark.slow
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


@pytest.mark.parametrize("is_away", [False, True], ids=["told", "away"])
async def test_the_clock_of_a_match_in_a_thread_stands_with_its_channel(table: Table, is_away: bool) -> None:
    await table.bot.services.settings.save(table.guild.id, ServerSettings(threads=Threads.ALWAYS))
    await table.pair(clock=300)
    place = (await match_of(table)).location
    assert place.parent_id == table.games.id
    other = await lose_channel(table, is_away=is_away)
    assert (await match_of(table)).stands_since is not None
    await table.ben.slash(other, "match board")
    back = await match_of(table)
    assert (back.stands_since, back.location.guild_id) == (None, table.guild.id)
    assert back.location.channel_id not in (place.channel_id, place.parent_id)


# Tournaments


async def tournament_of(table: Table) -> Any:
    return await table.bot.services.tournaments.tournament(1)


async def sign_up(table: Table, *people: Any) -> Any:
    made = (await table.ada.slash(table.games, "tournament create", game="tic-tac-toe", sign_up=600)).response
    for person in people:
        await person.click(made, label="Join")
    return made


def told(table: Table) -> list[str]:
    return [
        str(body["content"])
        for body in table.writes("POST", "/channels/*/messages")
        if "on hold" in str(body)
    ]


async def test_a_sign_up_goes_on_where_its_organiser_shows_it(table: Table) -> None:
    await sign_up(table, table.ben)
    other = await lose_channel(table)
    assert [line.partition(". ")[0] for line in told(table)] == ["**Tic-tac-toe tournament** is on hold"]
    listed = text_of((await table.ben.slash(other, "tournament list")).response)
    assert "Tic-tac-toe tournament" in listed
    assert str(table.games.id) not in listed
    await table.skip(minutes=20)
    assert (await tournament_of(table)).stage is Stage.OPEN, "too few have signed up, but it waits"
    await table.ben.slash(other, "tournament show")
    assert (await tournament_of(table)).location.channel_id == table.games.id, "Ben is not its organiser"
    await table.ada.slash(other, "tournament show")
    back = await tournament_of(table)
    (message,) = (one for one in other.history() if one.id == back.location.message_id)
    for person in (table.ada, table.eve):
        await person.click(message, label="Join")
    await table.ada.click(message, label="Start now")
    assert (await tournament_of(table)).stage is Stage.RUNNING


@pytest.mark.slow
@pytest.mark.parametrize("is_away", [False, True], ids=["told", "away"])
async def test_a_running_tournament_goes_on_with_its_boards_in_a_new_channel(
    table: Table, is_away: bool
) -> None:
    made = await sign_up(table, table.ada, table.ben, table.eve)
    await table.ada.click(made, label="Start now")
    other = await lose_channel(table, is_away=is_away)
    await table.soon(lambda: told(table))
    assert "Use `/tournament show` in another channel" in told(table)[0]
    await table.skip(hours=3)
    await table.ada.slash(other, "tournament show")
    await table.soon(lambda: False)
    after = await tournament_of(table)
    (pairing,) = (one for one in after.pairings if one.match_id is not None)
    assert (after.stage, pairing.result) == (Stage.RUNNING, None), "its clock stood"
    there = [one.id for one in other.history()]
    assert after.location.message_id in there
    assert pairing.message_id in there
    assert len(told(table)) == 1


@pytest.mark.slow
async def test_a_tournament_that_stays_without_a_channel_is_cancelled_after_a_week(table: Table) -> None:
    made = await sign_up(table, table.ada, table.ben, table.eve)
    await table.ada.click(made, label="Start now")
    await lose_channel(table)
    await table.skip(days=ABANDONED_AFTER.days + 1)
    await table.soon(lambda: False)
    assert (await tournament_of(table)).stage is Stage.CANCELLED
