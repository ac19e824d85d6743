"""A channel plays by votes: the start panel, the board's buttons, the private menus and the end."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from bot.domain.match import Match
from bot.domain.panel_choices import Against, Start
from bot.domain.result import End
from bot.domain.vote import Poll, Voters
from bot.ui.panel.routes import PANEL, Press
from engine.core import Limit
from tests.bot.table import Table, behind_more, buttons_of, line_of, parts_of, text_of


@pytest.fixture
def table(own_table: Table) -> Table:
    """A bot of its own: a channel takes two such matches, and the clock is set."""
    return own_table


async def begun(table: Table, game: str = "connect-four", **choices: Any) -> Any:
    """Ada lets the channel play from the start panel; returns the board."""
    table.draws.is_askers = True
    panel = (await table.ada.slash(table.games, "play")).response
    start = Start(game, "pip", **{"against": Against.CHANNEL, **choices})
    answer = await table.forge(table.ada, panel, PANEL(Press.BEGIN, start))
    return answer.response


async def the_match(table: Table, number: int = 1) -> Match:
    return await table.bot.services.matches.match(number)


async def poll(table: Table, number: int = 1) -> Poll:
    return (await table.bot.parts.changes.polls(await the_match(table, number))).now


def values_of(message: Any) -> set[str]:
    return {option["value"] for part in parts_of(message) for option in part.get("options") or ()}


async def chosen(table: Table, panel: Any, control: str, value: str) -> None:
    """Ada chooses in that menu of the panel."""
    (menu,) = (one for part in parts_of(panel) if f":{control}:" in (one := str(part.get("custom_id"))))
    await table.ada.select(panel, [value], custom_id=menu)


def blue(board: Any) -> list[str]:
    return [part["label"] for part in parts_of(board) if part["type"] == 2 and part.get("style") == 1]


async def test_the_panel_offers_the_channel_then_the_opponent_and_the_time_of_a_vote(table: Table) -> None:
    panel = (await table.ada.slash(table.games, "play")).response
    assert "channel" in values_of(panel)
    await chosen(table, panel, "pick-opponent", "channel")
    assert "the channel against" in text_of(panel)
    assert "Everybody here may vote" in text_of(panel)
    await table.ada.click(panel, label="More…")
    assert {"30", "60", "300", "3600", "28800", "86400", "halves"} <= values_of(panel)
    assert "8 hours" in {option["label"] for part in parts_of(panel) for option in part.get("options") or ()}
    await chosen(table, panel, "pick-clock", "3600")
    assert "1 hour per vote" in text_of(panel)
    await chosen(table, panel, "pick-first", "me")
    assert "The channel goes first" in text_of(panel)
    assert "I go first" not in text_of(panel)
    await chosen(table, panel, "pick-rival", "halves")
    assert "Who goes first" not in text_of(panel), "the first half does"
    assert "goes first" not in text_of(panel)
    assert "two halves of the channel" in text_of(panel)
    await table.ada.click(panel, label="Start")
    match = await the_match(table)
    assert [str(seat.name) for seat in match.seats] == ["First half", "Second half"]
    assert match.clock_seconds == 3600


async def test_votes_are_counted_on_the_buttons_and_the_leading_one_is_blue(table: Table) -> None:
    board = await begun(table)
    assert "The channel plays: Connect Four" in text_of(board)
    assert "#games" in text_of(board)
    for person, column in ((table.ada, "4"), (table.ben, "4"), (table.eve, "2")):
        answer = await person.click(board, custom_id=f"d1:vm:1:0:{int(column) - 1}")
        assert answer.acknowledged
    await table.env.advance_time(2)
    assert list(buttons_of(board))[:7] == ["1", "2 · 1", "3", "4 · 2", "5", "6", "7"]
    assert blue(board) == ["4 · 2"]
    assert "3 votes so far. **4** leads by 1 vote." in text_of(board)
    await table.eve.click(board, custom_id="d1:vm:1:0:3")
    await table.env.advance_time(2)
    assert "**4** leads by 3 votes." in text_of(board)


async def test_at_its_end_the_move_is_played_and_the_board_says_how(table: Table) -> None:
    board = await begun(table, clock=60)
    for person, column in ((table.ada, 3), (table.ben, 3), (table.eve, 2)):
        await person.click(board, custom_id=f"d1:vm:1:0:{column}")
    await table.skip(seconds=65)
    await table.env.advance_time(3)
    match = await the_match(table)
    assert match.moves[0] == 3
    assert len(match.moves) == 2
    assert "#games played **4**, with 2 of 3 votes." in text_of(board)
    assert "0 votes so far." in text_of(board)


@pytest.mark.slow
async def test_its_starter_ends_a_vote_or_the_match_behind_more(table: Table) -> None:
    board = await begun(table)
    await table.ben.click(board, custom_id="d1:vm:1:0:3")
    answer = await behind_more(table.ada, board, "End the vote now")
    assert "the move is made" in line_of(answer.response)
    assert (await the_match(table)).moves[0] == 3
    await behind_more(table.ada, board, "Stop")
    result = (await the_match(table)).result
    assert result is not None
    assert result.end is End.STOPPED
    assert list(buttons_of(board)) == ["How did I vote?", "Another", "Review", "Replay"]
    again = (await table.ben.click(board, label="Another")).response
    assert "The channel plays" in text_of(again)
    assert (await the_match(table, 2)).begun_by == table.ben.id


async def test_a_moderator_ends_the_match_from_its_menu_and_others_find_nothing_there(table: Table) -> None:
    board = await begun(table)
    role = table.guild.create_role("Crew", permissions=discord.Permissions(manage_messages=True))
    told = await table.ben.click(board, label="More…")
    assert "Everybody votes" in line_of(told.response)
    assert buttons_of(told.response) == {}
    boss = table.guild.add_member(table.env.create_user("boss", global_name="Boss"), roles=[role])
    asked = await behind_more(boss, board, "End this match…")
    await boss.click(asked.response, label="End it")
    await table.env.advance_time(2)
    result = (await the_match(table)).result
    assert result is not None
    assert result.end is End.MODERATED
    assert "Ended by a moderator" in text_of(board)
    assert "no longer" in await table.refused(table.forge(table.ben, board, "d1:vm:1:0:3"))


async def test_a_move_of_two_presses_is_voted_for_privately(table: Table) -> None:
    board = await begun(table, "gomoku")
    before = dict(buttons_of(board))
    column = next(label for label in before if label.startswith("h"))
    menu = await table.ben.click(board, label=column)
    assert menu.ephemeral
    assert buttons_of(board) == before
    done = await table.ben.click(menu.response, label="h8")
    assert "Your vote counts: **h8**" in line_of(done.response)
    assert (await poll(table)).total == 1
    await table.env.advance_time(2)
    assert f"{column} · 1" in buttons_of(board)


async def test_anybody_in_the_channel_brings_its_board_down_again(table: Table) -> None:
    await begun(table)
    again = await table.ben.slash(table.games, "match board")
    assert "The channel plays" in text_of(again.response)
    await table.ben.click(again.response, label="4")
    assert (await poll(table)).total == 1
    await table.ben.slash(table.games, "play", game="othello", level="pip", first="me")
    own = await table.ben.slash(table.games, "match board")
    assert "Othello" in text_of(own.response), "a match of one's own goes before"


async def test_a_board_of_buttons_takes_votes_as_well(table: Table) -> None:
    board = await begun(table, "tic-tac-toe")
    await table.ben.click(board, label="b2")
    await table.env.advance_time(2)
    assert "b2 · 1" in buttons_of(board)


async def test_a_rated_match_against_a_bot_bars_votes_with_the_way_out_of_it(table: Table) -> None:
    board = await begun(table)
    table.draws.is_askers = True
    await table.ben.slash(table.games, "play", game="connect-four", level="pip", rated=True)
    refused = await table.ben.click(board, custom_id="d1:vm:1:0:3")
    assert refused.ephemeral
    assert "rated match" in text_of(refused.response)
    assert len(buttons_of(refused.response)) == 2, "a way to the match, and one to resign it"
    assert (await poll(table)).total == 0


async def test_the_server_says_whose_votes_count(table: Table) -> None:
    settings = table.bot.services.settings
    board = await begun(table)
    await settings.change(table.guild.id, lambda before: before.changed(voters=Voters.JOINED))
    late = table.guild.add_member(table.env.create_user("late", global_name="Late"))
    assert "joined before" in await table.refused(late.click(board, custom_id="d1:vm:1:0:3"))
    await settings.change(table.guild.id, lambda before: before.changed(voters=Voters.NOBODY))
    panel = (await table.ada.slash(table.games, "play")).response
    assert "channel" not in values_of(panel)
    start = Start("connect-four", "pip", against=Against.CHANNEL)
    refused = await table.refused(table.forge(table.ada, panel, PANEL(Press.BEGIN, start)))
    assert "do not play" in refused


async def test_a_message_older_than_an_hour_is_posted_anew_when_the_next_vote_begins(table: Table) -> None:
    board = await begun(table, clock=3600)
    await table.ben.click(board, custom_id="d1:vm:1:0:3")
    await table.skip(seconds=3605)
    await table.env.advance_time(3)
    match = await the_match(table)
    assert len(match.moves) == 2
    assert match.location.message_id != board.id
    assert not buttons_of(board)


@pytest.mark.slow
async def test_at_the_end_a_message_names_the_best_voters_and_each_learns_their_own(table: Table) -> None:
    board = await begun(table, "tic-tac-toe")
    votes, people = table.bot.services.votes, [table.person(one) for one in (table.ada, table.ben)]
    while not (match := await the_match(table)).is_over:
        if match.awaits_votes:
            for person in people:
                await votes.cast(1, person, match.state.legal_moves()[-1], turn=match.turn)
            await votes.end(1, people[0])
        await table.env.advance_time(1)
    await table.bot.services.background.drain()
    await table.reconcile()
    (told,) = (one for one in table.games.history() if "people voted" in text_of(one))
    assert "2 people voted." in text_of(told)
    answer = await table.ada.click(told, label="How did I vote?")
    assert answer.ephemeral
    assert "Your vote was a best move in" in line_of(answer.response)
    other = await table.eve.click(board, label="How did I vote?")
    assert "You did not vote in this match" in line_of(other.response)
    await table.reconcile()
    assert len([one for one in table.games.history() if "people voted" in text_of(one)]) == 1


@pytest.mark.slow
async def test_a_channel_that_has_won_is_offered_the_next_strength(table: Table) -> None:
    board = await begun(table, clock=28_800)
    assert "Casual · 8 hours per vote" in text_of(board)
    votes, ada = table.bot.services.votes, table.person(table.ada)
    while not (match := await the_match(table)).is_over:
        if match.awaits_votes:
            found = await table.bot.services.reviews.evaluate(match, match.state, Limit(seconds=0.2))
            assert found.best is not None
            await votes.cast(1, ada, found.best, turn=match.turn)
            await votes.end(1, ada)
        await table.env.advance_time(1)
    await table.env.advance_time(3)
    again = (await table.ben.click(board, label="Again, against Beginner")).response
    assert "The channel plays" in text_of(again)
    following = await the_match(table, 2)
    assert [seat.level for seat in following.seats if seat.is_agent] == ["bo"]
    assert following.clock_seconds == 28_800


@pytest.mark.slow
async def test_a_process_that_dies_right_after_the_end_names_the_voters_once_after_its_start(
    table: Table,
) -> None:
    await begun(table, "tic-tac-toe", against=Against.HALVES)
    votes, people = table.bot.services.votes, [table.person(one) for one in (table.ada, table.ben)]
    for turn, move in enumerate((0, 3, 1, 4, 2)):
        await votes.cast(1, people[turn % 2], move, turn=turn)
        await votes.end(1, people[0])
    await table.restart()
    for _ in range(3):
        await table.reconcile()
    await table.bot.services.background.drain()
    assert len([one for one in table.games.history() if "people voted" in text_of(one)]) == 1


@pytest.mark.slow
async def test_every_button_works_after_a_restart(table: Table) -> None:
    board = await begun(table)
    await table.ben.click(board, custom_id="d1:vm:1:0:3")
    await table.restart()
    await table.eve.click(board, custom_id="d1:vm:1:0:3")
    assert await poll(table) == Poll({3: 2})
    await table.env.advance_time(3)
    assert "4 · 2" in buttons_of(board)
