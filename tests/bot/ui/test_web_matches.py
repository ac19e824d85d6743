"""Matches on the web alone, beside Discord."""

from __future__ import annotations

from typing import Any

import pytest

from bot.domain.location import Channel, Web
from bot.domain.match import Match
from bot.domain.preferences import ServerSettings
from bot.domain.terms import First
from bot.services.ports import Delivered
from tests.bot.sittings import terms_of
from tests.bot.table import Table, buttons_of, line_of, text_of


async def begin(table: Table, **options: Any) -> Match:
    """A rated match of Ada's against Pip on the web, in which she begins."""
    starting, ada = table.bot.services.starting, table.person(table.ada)
    return await starting.start(ada, terms_of("connect-four", first=First.ME, **options), "pip", Web())


async def play(table: Table, match: Match, move: int) -> Match:
    """The match after Ada's move on the web and the agent's answer."""
    services = table.bot.services
    await services.playing.play(match.id, table.person(table.ada), move)
    await services.background.drain()
    return await services.matches.match(match.id)


def posts(table: Table) -> int:
    """How many messages the bot has sent or edited on its own."""
    path = "*/channels/*/messages*"
    return sum(len(table.writes(method, path)) for method in ("POST", "PATCH", "DELETE"))


@pytest.mark.slow
async def test_nothing_of_a_match_on_the_web_is_sent_to_discord(own_table: Table) -> None:
    match = await begin(own_table, clock_seconds=300)
    match = await play(own_table, match, 3)
    assert await own_table.bot.display.show(match) is Delivered.DELIVERED
    assert await own_table.bot.display.recover(match) is Delivered.DELIVERED
    await own_table.skip(seconds=250)
    await own_table.reconcile()
    match = await own_table.bot.services.matches.match(match.id)
    assert match.warned_turn == match.turn
    await own_table.restart()
    match = await play(own_table, match, 3)
    while not match.is_over:
        match = await play(own_table, match, match.state.legal_moves()[0])
    await own_table.env.advance_time(60)
    await own_table.reconcile()
    assert match.counts
    assert len(match.rating_changes) == 2
    assert posts(own_table) == 0
    assert list(own_table.games.history()) == []


async def test_the_list_of_matches_leads_to_the_page_of_a_match_on_the_web(table: Table) -> None:
    match = await begin(table)
    services = table.bot.services
    page = await services.web.page_of_players(match.id)
    listed = line_of((await table.ada.slash(table.games, "match list")).response)
    assert "Pip" in listed
    assert page.key not in listed, "without an address there is no way to it"
    services.web.url = "https://play.example"
    try:
        listed = line_of((await table.ada.slash(table.games, "match list")).response)
    finally:
        services.web.url = None
    assert f"(https://play.example/m/{page.key})" in listed


async def test_board_brings_a_match_on_the_web_to_the_channel(table: Table) -> None:
    match = await play(table, await begin(table), 3)
    await table.restart()
    assert "Pip" in line_of((await table.ada.slash(table.games, "match list")).response)
    board = (await table.ada.slash(table.games, "match board")).response
    assert buttons_of(board)
    found = await table.bot.services.matches.match(match.id)
    assert found.location == Channel(table.games.id, table.guild.id, board.id)
    await table.ada.click(board, label="4")
    assert "Pip played" in text_of(board)
    pieces = text_of(board).count("🔴")
    # Moves on the web are shown there, too.
    await play(table, match, 0)
    await table.reconcile()
    assert text_of(board).count("🔴") == pieces + 1


async def test_a_match_on_the_web_is_not_brought_where_matches_are_not_wanted(own_table: Table) -> None:
    await begin(own_table)
    other = own_table.guild.create_text_channel("other")
    await own_table.bot.services.settings.save(
        own_table.guild.id, ServerSettings(play_channels=frozenset({other.id}))
    )
    assert str(other.id) in await own_table.refused(own_table.ada.slash(own_table.games, "match board"))
    assert isinstance((await own_table.bot.services.matches.match(1)).location, Web)


async def test_a_command_in_discord_changes_a_match_on_the_web_without_a_board(table: Table) -> None:
    match = await begin(table)
    answer = await table.ada.slash(table.games, "move", to="4")
    assert answer.ephemeral
    assert "4" in line_of(answer.response)
    found = await table.bot.services.matches.match(match.id)
    assert found.moves[0] == 3
    assert isinstance(found.location, Web)
    assert list(table.games.history()) == []
