"""Every slash command and the context menus: answers, suggestions and refusals."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import discord
import pytest
from discord import app_commands

from bot.commands import COMMANDS
from bot.domain.location import Channel
from bot.domain.person import Person
from bot.domain.preferences import Preferences, ServerSettings
from bot.domain.strengths import PlainStrength, strengths
from bot.services.match_limits import MAX_RUNNING_MATCHES
from bot.ui.panel.help_views import HELP_GROUPS, help_view
from engine.agents.algorithms import algorithms_of
from engine.agents.levels import levels_of
from engine.arena.elo_table import rating_of
from tests.bot.made_once import all_texts
from tests.bot.sittings import first_match, settle, terms_of
from tests.bot.table import Table, behind_more, buttons_of, line_of, parts_of, text_of

# Starting


async def test_play_needs_no_more_than_a_game(table: Table) -> None:
    answer = await table.ada.slash(table.games, "play", game="tic-tac-toe", level="pip")
    assert "Tic-tac-toe" in text_of(answer.response)


@pytest.mark.slow
async def test_play_takes_board_clock_and_casual(table: Table) -> None:
    board = await table.start(board="5x5x3", rated=False, clock=3600)
    text = text_of(board)
    assert "### Connect Four, 5×5, 3 in a row" in text
    assert "Casual · 1 hour per move" in text
    assert "time runs out" in text


async def test_levels_are_offered_for_the_game_with_their_elo_and_character(table: Table) -> None:
    echo, *offered = await table.ada.autocomplete(table.games, "play", "level", "", game="othello")
    assert echo["value"] == "echo"
    rated = rating_of("othello", "pip")
    assert rated is not None
    assert offered[0]["value"] == "pip"
    assert re.fullmatch(rf"Pip · {rated.elo} ± [0-9]+: plays at random", offered[0]["name"])
    keys = [choice["value"] for choice in offered]
    ladder = [level.key for level in table.bot.services.roster.levels_of("othello")]
    assert keys[: len(ladder)] == ladder
    assert keys[len(ladder) :] == [level.key for level in algorithms_of("othello")][: 24 - len(ladder)]


async def test_levels_have_no_elo_on_boards_without_measurements(table: Table) -> None:
    offered = await table.ada.autocomplete(table.games, "play", "level", "Pip", game="othello", board="6x6")
    assert offered[0]["name"] == "Pip: plays at random"


async def test_a_level_may_be_typed_by_its_name(table: Table) -> None:
    board = await table.start(level=" PIP ")
    assert "**Pip**" in text_of(board)


@pytest.mark.slow
async def test_boards_are_offered_for_the_game(table: Table) -> None:
    offered = await table.ada.autocomplete(table.games, "play", "board", "6×6", game="othello")
    assert [(choice["name"], choice["value"]) for choice in offered] == [("6×6", "6x6")]


@pytest.mark.parametrize("written", ["6X6", "6×6", " 6 x 6 ", "۶×۶"])
async def test_a_board_may_be_written_in_its_own_way(table: Table, written: str) -> None:
    board = await table.start(game="othello", board=written)
    assert "### Othello, 6×6" in text_of(board)


@pytest.mark.parametrize(("written", "title"), [("10×10x5", "10×10, 5"), ("7 x 10 x 6", "7×10, 6")])
async def test_connect_four_has_any_board_up_to_ten_wide(table: Table, written: str, title: str) -> None:
    options = {"game": "connect-four"}
    offered = await table.ada.autocomplete(table.games, "play", "board", written, **options)
    assert len(offered) == 1
    board = await table.start(board=offered[0]["value"])
    assert title in text_of(board)
    assert "10" in buttons_of(board)
    assert len(text_of(board)) < 4_000


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"level": "nobody"}, "There’s no level “nobody” here"),
        ({"level": "cora"}, "There’s no level “cora” here"),
        ({"board": "99x99x9"}, "has no board “99x99x9”"),
        ({"board": "12x12x5"}, "any other up to 10 × 10 like 8x9x5"),
        ({"board": "**"}, r"has no board “\*\*”"),
    ],
)
async def test_values_that_autocomplete_did_not_offer_are_refused_with_a_message(
    table: Table, options: dict[str, str], says: str
) -> None:
    chosen = {"game": "connect-four", **options}
    line = await table.refused(table.ada.slash(table.games, "play", **chosen))
    assert says in line
    assert await table.bot.services.matches.running(table.ada.id) == ()


async def test_a_challenge_notifies_only_the_person_challenged(table: Table) -> None:
    answer = await table.ada.slash(table.games, "challenge", game="othello", opponent=table.ben)
    assert table.ben.mention in text_of(answer.response)
    (sent,) = table.writes("POST", "/interactions/*/callback")
    assert sent["data"]["allowed_mentions"]["users"] == [table.ben.id]
    assert sent["data"]["allowed_mentions"]["parse"] == []


@pytest.mark.slow
async def test_a_challenge_can_be_declined_and_then_cannot_be_accepted(table: Table) -> None:
    invitation = (
        await table.ada.slash(table.games, "challenge", game="othello", opponent=table.ben)
    ).response
    await table.ben.click(invitation, label="Decline")
    assert "**Ben** declined" in text_of(invitation)
    assert buttons_of(invitation) == {}


async def test_a_stranger_cannot_answer_a_challenge_nor_the_challenger_accept_it(table: Table) -> None:
    invitation = (
        await table.ada.slash(table.games, "challenge", game="othello", opponent=table.ben)
    ).response
    assert "for Ben" in await table.refused(table.eve.click(invitation, label="Accept"))
    assert "your own invitation" in await table.refused(table.ada.click(invitation, label="Accept"))
    assert buttons_of(invitation) == {"Accept": True, "Decline": True}


async def test_the_challenger_can_withdraw(table: Table) -> None:
    invitation = (
        await table.ada.slash(table.games, "challenge", game="othello", opponent=table.ben)
    ).response
    await table.ada.click(invitation, label="Decline")
    assert "**Ada** withdrew" in text_of(invitation)


async def test_anyone_may_take_an_open_seat_but_only_the_inviter_may_withdraw_it(table: Table) -> None:
    invitation = (await table.ada.slash(table.games, "challenge", game="othello")).response
    assert "looking for an opponent" in text_of(invitation)
    assert "only they can withdraw" in await table.refused(table.eve.click(invitation, label="Withdraw"))
    started = await table.eve.click(invitation, label="Play")
    assert "**Eve**" in text_of(started.response)


async def test_an_invitation_expires(own_table: Table) -> None:
    invitation = (
        await own_table.ada.slash(own_table.games, "challenge", game="othello", opponent=own_table.ben)
    ).response
    await own_table.skip(minutes=31)
    assert "has expired" in text_of(invitation)
    assert buttons_of(invitation) == {}


async def test_people_cannot_challenge_themselves(table: Table) -> None:
    line = await table.refused(table.ada.slash(table.games, "challenge", game="othello", opponent=table.ada))
    assert "yourself" in line


async def test_a_bot_cannot_be_challenged(table: Table) -> None:
    robot = table.guild.add_member(table.env.create_user("robot", bot=True))
    line = await table.refused(table.ada.slash(table.games, "challenge", game="othello", opponent=robot))
    assert "`/play`" in line


async def test_the_menu_on_a_person_asks_for_game_and_clock_and_sends_the_challenge(table: Table) -> None:
    asked = await table.ada.context_menu(table.games, "Challenge", table.ben)
    game, first, clock, start = (label["component"]["custom_id"] for label in asked.modal["components"])
    fields = {game: ["othello 6x6"], first: ["me"], clock: ["300"], start: ["pie"]}
    sent = await table.ada.submit_modal(asked, fields)
    text = text_of(sent.response)
    assert table.ben.mention in text
    assert "6×6 · Casual · pie rule · 5 minutes per move · Ada goes first" in text
    started = await table.ben.click(sent.response, label="Accept")
    assert "🟤 **Ada**" in text_of(started.response)


async def test_an_invitation_to_a_rated_match_promises_no_first_move(table: Table) -> None:
    sent = await table.ada.slash(
        table.games, "challenge", game="othello", opponent=table.ben, first="me", rated=True
    )
    assert text_of(sent.response).count("first move drawn, then in turn") == 1
    assert "Ada goes first" not in text_of(sent.response)
    table.draws.is_askers = False
    await table.ben.click(sent.response, label="Accept")
    assert (await table.bot.services.matches.match(table.first_match)).seats[0].user_id == table.ben.id


async def test_the_menu_refuses_a_challenge_to_oneself_without_a_form(table: Table) -> None:
    assert "yourself" in await table.refused(table.ada.context_menu(table.games, "Challenge", table.ada))


async def test_watching_needs_no_more_than_a_game(table: Table) -> None:
    ladder = levels_of("othello")
    first = strengths("othello", "8x8", ladder)[PlainStrength.EASY]
    second = ladder[ladder.index(first) + 1]
    text = text_of((await table.ada.slash(table.games, "watch", game="othello")).response)
    assert f"🟤 **{first.name}**" in text
    assert f"🟡 **{second.name}**" in text


async def test_at_most_two_matches_between_agents_run_in_a_channel(table: Table) -> None:
    options = {"game": "othello", "first_level": "pip", "second_level": "pip"}
    for _ in range(2):
        await table.ada.slash(table.games, "watch", **options)
    assert "2 matches between bots" in await table.refused(table.ben.slash(table.games, "watch", **options))


@pytest.mark.slow
async def test_too_many_running_matches_are_refused(table: Table) -> None:
    for _ in range(20):
        await table.start(game="tic-tac-toe", rated=False)
    line = await table.refused(table.ada.slash(table.games, "play", game="tic-tac-toe", level="pip"))
    assert "more than 20" in line


# During a match


@pytest.mark.parametrize("page", [None, "achievements"])
async def test_an_invisible_name_gives_way_to_the_account_in_a_profile(
    table: Table, page: str | None
) -> None:
    gil = table.guild.add_member(table.env.create_user("gil", global_name="\u3164"))
    options = {} if page is None else {"page": page}
    answer = await table.ada.slash(table.games, "profile", person=gil, **options)
    assert text_of(answer.response).startswith("### ")
    assert "gil" in text_of(answer.response).partition("\n")[0]


async def test_move_plays_and_the_board_shows_it(table: Table) -> None:
    board = await table.start()
    answer = await table.ada.slash(table.games, "move", to="4")
    assert answer.ephemeral
    assert "You played **4**." in line_of(answer.response)
    assert f"/{table.games.id}/{board.id}" in line_of(answer.response)
    assert "Pip played" in text_of(board)


async def test_a_move_is_suggested_and_played_in_the_digits_of_any_script(table: Table) -> None:
    await table.start()
    offered = await table.ada.autocomplete(table.games, "move", "to", "۴")
    assert [choice["value"] for choice in offered] == ["4"]
    answer = await table.ada.slash(table.games, "move", to="۴")
    assert "You played **4**." in line_of(answer.response)


async def test_a_position_is_read_as_people_write_games_down(table: Table) -> None:
    await table.start(game="othello", level="pip", position="1. F۵ — d6 2. c3")
    [match] = await table.bot.services.matches.running(table.ada.id)
    assert match.moves[: match.opening] == (37, 43, 18)


async def test_move_offers_the_legal_moves_of_the_person_to_move(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    await table.pair(game="othello")
    offered = await table.ada.autocomplete(table.games, "move", "to", "")
    assert [choice["value"] for choice in offered] == ["d3", "c4", "f5", "e6"]
    narrowed = await table.ada.autocomplete(table.games, "move", "to", "F")
    assert [choice["value"] for choice in narrowed] == ["f5"]
    assert await table.ben.autocomplete(table.games, "move", "to", "") == []
    with caplog.at_level(logging.ERROR):
        assert await table.eve.autocomplete(table.games, "move", "to", "") == []
    assert caplog.text == ""


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("zz", "I don’t understand"),
        ("a1", "turns no disc over"),
        ("d4", "is taken"),
        ("pass", "can’t pass"),
    ],
)
async def test_an_invalid_move_is_refused_and_changes_nothing(table: Table, typed: str, says: str) -> None:
    board = await table.pair(game="othello")
    before = text_of(board)
    assert says in await table.refused(table.ada.slash(table.games, "move", to=typed))
    assert text_of(board) == before


@pytest.mark.parametrize(("game", "typed"), [("hex", "swap"), ("gomoku", "two")])
async def test_a_swap_that_is_not_possible_now_is_refused_as_such(
    table: Table, game: str, typed: str
) -> None:
    await table.pair(game=game)
    line = await table.refused(table.ada.slash(table.games, "move", to=typed))
    assert f"{typed} isn’t possible now. You can play a1, b1" in line


async def test_a_refused_move_is_quoted_as_it_was_typed_with_one_that_can_be_copied(own_table: Table) -> None:
    await own_table.start()
    line = await own_table.refused(own_table.ada.slash(own_table.games, "move", to="**4**"))
    assert "“\\*\\*4\\*\\*”" in line, "its stars are escaped once"
    example = line.partition("like ")[2].partition(",")[0]
    await own_table.ada.slash(own_table.games, "move", to=example)
    match = await own_table.bot.services.matches.match(1)
    assert match.moves[0] == 0


async def test_move_says_whose_turn_it_is(table: Table) -> None:
    await table.pair()
    assert "Ada is to move" in await table.refused(table.ben.slash(table.games, "move", to="4"))


async def test_with_several_matches_move_uses_the_chosen_one(own_table: Table) -> None:
    first, second = await own_table.start(), await own_table.start(game="tic-tac-toe")
    offered = await own_table.ada.autocomplete(own_table.games, "move", "match", "")
    assert [choice["value"] for choice in offered] == ["2", "1"]
    assert offered[0]["name"] == "#2 Tic-tac-toe against Pip"
    await own_table.ada.slash(own_table.games, "move", to="4", match="1")
    assert "Pip played" in text_of(first)
    assert "Pip played" not in text_of(second)


@pytest.mark.parametrize("number", ["0", "99", "-1", "1e3", "²", "9" * 30, ""])
async def test_an_invalid_match_number_is_refused(table: Table, number: str) -> None:
    await table.start()
    refused = table.ada.slash(table.games, "match resign", match=number or "x")
    assert "/match list" in await table.refused(refused)


async def test_other_peoples_matches_cannot_be_named(own_table: Table) -> None:
    await own_table.pair()
    assert "match is between Ada and Ben" in await own_table.refused(
        own_table.eve.slash(own_table.games, "move", to="1", match="1")
    )


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("move", {"to": "1"}),
        ("match board", {}),
        ("match resign", {}),
        ("match draw", {}),
        ("match undo", {}),
    ],
)
async def test_without_a_match_here_every_command_says_so(
    table: Table, command: str, options: dict[str, Any]
) -> None:
    line = await table.refused(table.ada.slash(table.games, command, **options))
    assert "no running match in this channel" in line


async def test_board_posts_the_board_again_and_the_old_message_links_to_it(table: Table) -> None:
    old = await table.start()
    new = (await table.ada.slash(table.games, "match board")).response
    assert new.id != old.id
    assert buttons_of(old) == {}
    assert f"/{table.games.id}/{new.id}" in text_of(old)
    await table.ada.click(new, label="4")
    assert "Pip played" in text_of(new)
    assert "Pip played" not in text_of(old)


@pytest.mark.slow
async def test_board_of_a_match_played_elsewhere_says_where(own_table: Table) -> None:
    other = own_table.guild.create_text_channel("other")
    await own_table.start()
    line = await own_table.refused(own_table.ada.slash(other, "match board", match="1"))
    assert f"<#{own_table.games.id}>" in line.replace("\\", "")


async def test_resign_asks_for_confirmation(table: Table) -> None:
    board = await table.start()
    asked = await table.ada.slash(table.games, "match resign")
    assert asked.ephemeral
    await table.ada.click(asked.response, label="Yes, resign")
    assert "**Pip wins**: Ada resigned." in text_of(board)


async def test_draw_offers_and_the_other_accepts_by_command(table: Table) -> None:
    board = await table.pair()
    offered = await table.ada.slash(table.games, "match draw")
    assert "on the board" in line_of(offered.response)
    assert "has to answer it" in await table.refused(
        table.ada.slash(table.games, "match draw", answer="accept")
    )
    accepted = await table.ben.slash(table.games, "match draw", answer="accept")
    assert "A draw" in line_of(accepted.response)
    assert "**A draw**" in text_of(board)


async def test_a_draw_offer_and_a_request_for_a_take_back_are_both_on_the_board(table: Table) -> None:
    await table.play(await table.pair(rated=False), "1 2")
    await table.ada.slash(table.games, "match draw")
    await table.ben.slash(table.games, "match undo")
    said = text_of(table.board())
    assert "**Ada** offers a draw." in said
    assert "**Ben** would like to take their last move back." in said
    assert {"Decline the draw", "Decline the take-back"} < buttons_of(table.board()).keys()
    answered = await table.ada.click(table.board(), label="Allow")
    assert "Ada played **1**" in text_of(answered.response)


@pytest.mark.slow
async def test_draw_can_be_declined_and_there_must_be_an_offer(table: Table) -> None:
    await table.pair()
    assert "Nobody has offered" in await table.refused(
        table.ben.slash(table.games, "match draw", answer="decline")
    )
    await table.ada.slash(table.games, "match draw")
    assert "answered yet" in await table.refused(table.ada.slash(table.games, "match draw"))
    declined = await table.ben.slash(table.games, "match draw", answer="decline")
    assert "You declined" in line_of(declined.response)


async def test_the_agent_declines_a_draw(table: Table) -> None:
    await table.start()
    assert "Pip would rather play on" in await table.refused(table.ada.slash(table.games, "match draw"))


async def test_undo_by_command(table: Table) -> None:
    board = await table.pair(rated=False)
    assert "no move to take back" in await table.refused(table.ada.slash(table.games, "match undo"))
    await table.ada.click(board, label="4")
    asked = await table.ada.slash(table.games, "match undo")
    assert "on the board" in line_of(asked.response)
    agreed = await table.ben.slash(table.games, "match undo", answer="accept")
    assert "taken back" in line_of(agreed.response)
    assert "**Ada** to move" in text_of(board)


@pytest.mark.parametrize("consent", [{"answer": "accept"}, {}])
async def test_a_take_back_of_several_moves_names_the_first_of_them(
    table: Table, consent: dict[str, str]
) -> None:
    board = await table.pair(rated=False)
    await table.play(board, "1 2")
    await table.ada.slash(table.games, "match undo")
    await table.ada.click(board, label="3")
    agreed = await table.ben.slash(table.games, "match undo", **consent)
    assert "**1** and everything after it were taken back." in line_of(agreed.response)


async def test_games_lists_running_matches_with_links_and_turns(table: Table) -> None:
    assert "no running matches" in line_of((await table.ada.slash(table.games, "match list")).response)
    board = await table.pair()
    await table.ada.click(board, label="4")
    mine = line_of((await table.ada.slash(table.games, "match list")).response)
    assert "**Connect Four** against **Ben**" in mine
    assert f"/{table.games.id}/{board.id}" in mine
    assert "Your turn" not in mine
    assert "Your turn" in line_of((await table.ben.slash(table.games, "match list")).response)


@pytest.mark.slow
async def test_twenty_matches_with_long_names_fit_into_a_message_in_every_language(own_table: Table) -> None:
    services, here = own_table.bot.services, Channel(own_table.games.id, own_table.guild.id)
    rival = Person(99, "*" * 32)
    board = discord.ui.LayoutView().add_item(discord.ui.TextDisplay("A board that is not deleted"))
    message = await own_table.bot.get_partial_messageable(own_table.games.id).send(view=board)
    for _ in range(MAX_RUNNING_MATCHES):
        asked = await services.challenges.send(
            own_table.person(own_table.ada), None, terms_of("connect-four", "10x10x4"), here
        )
        _, match = await services.challenges.accept(asked.id, rival)
        await own_table.bot.services.changes.attach(match.id, replace(match.channel, message_id=message.id))
    for language in ("en", "de", "es", "fa", "fr", "pt"):
        await own_table.bot.services.settings.prefer(own_table.ada.id, Preferences(language=language))
        shown = line_of((await own_table.ada.slash(own_table.games, "match list")).response)
        assert len(shown) <= 4000
        assert shown.count("https://") >= 10


# Standings


async def _finished(table: Table, times: int = 1) -> None:
    for _ in range(times):
        board = await table.pair()
        await table.play(board, "1 7 2 7 3 7 4")


@pytest.mark.slow
async def test_the_leaderboard_shows_ranks_ratings_and_win_rates(own_table: Table) -> None:
    empty = await own_table.ada.slash(own_table.games, "leaderboard", game="connect-four")
    assert "Be the first" in text_of(empty.response)
    await _finished(own_table)
    shown = text_of((await own_table.ada.slash(own_table.games, "leaderboard", game="connect-four")).response)
    won, lost = first_match("connect-four")
    about = [f"about {50 * round(one.points / 50)}" for one in (won, lost)]
    assert f"Not ranked yet\n· **Ada** · {about[0]} · 1 game · 100% won" in shown
    assert f"· **Ben** · {about[1]} · " in shown
    assert "After about ten matches" in shown
    await settle(own_table.bot.parts.stores)
    shown = text_of((await own_table.ada.slash(own_table.games, "leaderboard", game="connect-four")).response)
    assert f"1. **Ada** · {won.points} · 1 game" in shown, "no medals while one person alone has won"
    assert f"2. **Ben** · {lost.points} · " in shown
    assert "Not ranked yet" not in shown
    assert "Connect Four: people, this server" in shown


async def test_bots_have_their_own_leaderboard(table: Table) -> None:
    board = await table.start()
    for column in "45":
        await table.ada.click(board, label=column)
    asked = await table.ada.slash(table.games, "match resign")
    await table.ada.click(asked.response, label="Yes, resign")
    options = {"game": "connect-four", "kind": "bots", "scope": "everywhere"}
    shown = text_of((await table.ada.slash(table.games, "leaderboard", **options)).response)
    assert "**Pip**" in shown
    assert "**Ada**" not in shown
    assert "bots, everywhere" in shown


async def _crowd(table: Table) -> list[Any]:
    """Store matches of twelve people who each lost to Ada."""
    crowd = []
    for index in range(12):
        person = table.guild.add_member(table.env.create_user(f"p{index}", global_name=f"P{index}"))
        crowd.append(person)
        invitation = await table.ada.slash(
            table.games, "challenge", game="tic-tac-toe", opponent=person, first="me", rated=True
        )
        board = (await person.click(invitation.response, label="Accept")).response
        for mover, cell in zip((table.ada, person) * 3, ("a1", "b1", "a2", "b2", "a3"), strict=False):
            await mover.click(board, label=cell)
    return crowd


@pytest.mark.slow
async def test_a_long_leaderboard_has_pages_and_shows_the_readers_own_row(table: Table) -> None:
    crowd = await _crowd(table)
    last = crowd[0]
    board = (await last.slash(table.games, "leaderboard", game="tic-tac-toe")).response
    assert "Page 1 of 2" in text_of(board)
    assert "**Your place**" in text_of(board) or "**P0**" in text_of(board)
    assert buttons_of(board) == {"◀ Previous": False, "Next ▶": True}
    await last.click(board, label="Next ▶")
    assert "Page 2 of 2" in text_of(board)
    others = await table.ada.click(board, label="◀ Previous")
    assert others.ephemeral
    assert "Page 1 of 2" in text_of(others.response)
    assert "Page 2 of 2" in text_of(board)
    by_number = await table.ada.slash(table.games, "leaderboard", game="tic-tac-toe", page=99)
    assert "**Your place**" in text_of(by_number.response)


@pytest.mark.slow
async def test_profile_shows_standings_streak_and_last_matches(table: Table) -> None:
    await _finished(table)
    profile = (await table.eve.slash(table.games, "profile", person=table.ada)).response
    shown = text_of(profile)
    assert "### Ada, this server" in shown
    assert "**Ada wins**: four in a row, " in shown
    (gallery,) = (part for part in parts_of(profile) if part["type"] == 12)
    pictured = gallery["items"][0]["description"]
    assert "1 won, 0 drawn, 0 lost (100%)" in pictured
    assert "Now: 1 win" in pictured
    assert "running" not in shown
    await table.pair()
    assert "1 match running" in text_of(
        (await table.eve.slash(table.games, "profile", person=table.ada)).response
    )


async def test_matches_from_elsewhere_are_not_on_a_profile_here(table: Table) -> None:
    private = (await table.ada.user.slash("play", game="tic-tac-toe", level="pip", first="me")).response
    asked = await behind_more(table.ada.user, private, "Resign")
    await table.ada.user.click(asked.response, label="Yes, resign")
    seen_by_ben = await table.ben.slash(table.games, "profile", person=table.ada)
    assert "Ada resigned" not in text_of(seen_by_ben.response)
    assert "Ada resigned" in text_of((await table.ada.user.slash("profile")).response)


@pytest.mark.slow
async def test_a_newcomer_has_an_empty_profile_and_bots_have_none(table: Table) -> None:
    assert "No rated matches" in text_of((await table.eve.slash(table.games, "profile")).response)
    robot = table.guild.add_member(table.env.create_user("robot", bot=True))
    assert "Bots have no profile" in await table.refused(
        table.eve.slash(table.games, "profile", person=robot)
    )


# Help


@pytest.mark.parametrize("game", ["connect-four", "othello", "tic-tac-toe"])
async def test_rules_come_with_a_picture_and_its_description(table: Table, game: str) -> None:
    answer = await table.ada.slash(table.games, "help", game=game)
    assert answer.ephemeral
    (gallery,) = (part for part in parts_of(answer.response) if part["type"] == 12)
    assert gallery["items"][0]["description"].endswith(".")
    assert (await answer.response.attachments[0].read()).startswith(b"\x89PNG")


async def test_help_is_four_lines_the_panel_and_buttons(table: Table) -> None:
    asked = await table.ada.slash(table.games, "help")
    assert asked.ephemeral
    assert text_of(asked.response).splitlines()[6].startswith("**Connect Four** against ")
    assert {"Start", "Puzzle of the day", "All commands"} <= set(buttons_of(asked.response))
    puzzle = await table.ada.click(asked.response, label="Puzzle of the day")
    assert puzzle.ephemeral
    assert "daily puzzle" in text_of(puzzle.response).lower()


async def test_help_names_every_command_so_that_it_can_be_clicked(table: Table) -> None:
    asked = await table.ada.slash(table.games, "help")
    listed = await table.ada.click(asked.response, label="All commands")
    assert listed.ephemeral
    shown = text_of(listed.response)
    for command in await table.bot.tree.fetch_commands():
        if command.type is discord.AppCommandType.chat_input:
            # Only subcommands of a group can be clicked.
            assert re.search(rf"</{command.name}( [a-z]+)?:{command.id}>", shown)
    assert "🟥" in shown


async def test_a_commands_slash_stays_in_front_of_it_in_a_language_from_right_to_left(table: Table) -> None:
    await table.bot.services.settings.prefer(table.ada.id, Preferences(language="fa"))
    asked = await table.ada.slash(table.games, "help")
    listed = await table.ada.click(asked.response, label=table.bot.services.texts.of("fa")("button_commands"))
    assert re.search("\u2066</play:[0-9]+>\u2069", text_of(listed.response))


def test_help_knows_every_command() -> None:
    named = [name for group in HELP_GROUPS.values() for name in group]
    assert len(set(named)) == len(named)
    # Some groups have several lines.
    assert {name.partition(" ")[0] for name in named} == {
        command.name for command in COMMANDS if not isinstance(command, app_commands.ContextMenu)
    }


async def test_the_list_of_commands_has_a_menu_of_rules(table: Table) -> None:
    asked = await table.ada.slash(table.games, "help")
    listed = await table.ada.click(asked.response, label="All commands")
    rules = await table.ada.select(listed.response, ["othello"])
    assert rules.ephemeral
    assert "### Othello" in text_of(rules.response)
    assert rules.response.attachments


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.0, None), (0.04, "Discord answers in 40 ms"), (math.nan, "only just arrived")]
)
def test_help_tells_the_bots_delay_where_it_says_something(seconds: float, said: str | None) -> None:
    view = help_view(all_texts().of("en"), None, seconds)
    shown = text_of(SimpleNamespace(components=view.to_components()))  # type: ignore[no-untyped-call]
    assert ("🏓" in shown) == (said is not None)
    assert (said or "") in shown


# Elsewhere


async def test_a_match_in_direct_messages_gets_the_agents_answer(table: Table) -> None:
    answer = await table.ada.user.slash("play", game="tic-tac-toe", level="pip", first="me")
    await table.ada.user.click(answer.response, label="b2")
    assert "Pip played" in text_of(answer.response)
    listed = await table.ada.user.slash("match list")
    assert "https://discord.com/channels/@me/" in line_of(listed.response)


async def test_in_direct_messages_challenges_are_refused(table: Table) -> None:
    answer = await table.ada.user.slash("challenge", game="othello")
    assert "Only the two of us" in line_of(answer.response)


async def test_in_direct_messages_the_leaderboard_covers_all_servers(table: Table) -> None:
    shown = await table.ada.user.slash("leaderboard", game="othello")
    assert "everywhere" in text_of(shown.response)
    refused = await table.ada.user.slash("leaderboard", game="othello", scope="server")
    assert "no server here" in line_of(refused.response)


@pytest.mark.slow
async def test_a_match_in_a_thread_is_played_there(table: Table) -> None:
    channel = table.bot.get_channel(table.games.id)
    assert isinstance(channel, discord.TextChannel)
    await channel.create_thread(name="side table", type=discord.ChannelType.public_thread)
    (thread,) = table.games.threads
    answer = await table.ada.slash(thread, "play", game="connect-four", level="pip", first="me")
    await table.ada.click(answer.response, label="4")
    assert "Pip played" in text_of(answer.response)


async def test_every_command_says_where_it_may_be_installed_and_used(table: Table) -> None:
    for command in COMMANDS:
        payload = command.to_dict(table.bot.tree)
        # The first in a server with the bot alone, where they can work.
        is_of_server = command.name in ("settings", "tournament", "End this match")
        assert sorted(payload["integration_types"]) == ([0] if is_of_server else [0, 1])
        assert sorted(payload["contexts"]) == ([0] if is_of_server else [0, 1, 2])


def options(payload: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the options of a command and of its subcommands, each with the command's name."""
    for option in payload.get("options", ()):
        if option["type"] == discord.AppCommandOptionType.subcommand.value:
            yield from options(option)
        else:
            yield payload["name"], option


async def test_only_the_move_of_a_move_must_be_given(table: Table) -> None:
    every = [pair for command in COMMANDS for pair in options(command.to_dict(table.bot.tree))]
    assert [(name, option["name"]) for name, option in every if option["required"]] == [("move", "to")]
    assert "Connect Four" in text_of((await table.ada.slash(table.games, "challenge")).response)
    await table.start(game="othello")
    for command in ("challenge", "leaderboard", "tournament create", "watch"):
        shown = await table.ada.slash(table.games, command)
        assert "Othello" in text_of(shown.response), "the game of the last start"


async def test_a_leaderboard_of_a_server_is_offered_where_it_works(table: Table) -> None:
    async def offered(actor: Any, *place: Any) -> list[str]:
        found = await actor.autocomplete(*place, "leaderboard", "scope", "")
        return [choice["value"] for choice in found]

    assert await offered(table.ada, table.games) == ["server", "everywhere"]
    assert await offered(table.ada.user) == ["everywhere"]
    await table.bot.services.settings.save(table.guild.id, ServerSettings(is_closed=True))
    assert await offered(table.ada, table.games) == ["server"]


# Refusals


@pytest.mark.slow
async def test_a_strangers_press_is_refused_and_changes_nothing(table: Table) -> None:
    board = await table.pair()
    before = text_of(board)
    assert "match is between Ada and Ben" in await table.refused(table.eve.click(board, label="4"))
    menu = (await table.eve.click(board, label="More…")).response
    assert buttons_of(menu) == {}, "who watches may show the match elsewhere, and no more"
    assert text_of(board) == before


async def test_a_move_out_of_turn_is_refused(table: Table) -> None:
    board = await table.pair()
    assert "Ada is to move" in await table.refused(table.ben.click(board, label="4"))
