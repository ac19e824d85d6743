"""Whole matches, played by pressing buttons."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from discord import ui

from bot.domain.clock import Clock as MatchClock
from bot.domain.look import Theme
from bot.domain.preferences import Preferences, ServerSettings
from bot.ui.match.views import board_view
from engine.agents.roster import Roster
from engine.games import game
from tests.bot.made_once import all_texts, altered
from tests.bot.table import Table, behind_more, buttons_of, line_of, new_bot, parts_of, text_of


async def test_a_press_and_the_agents_reply_are_shown_in_the_same_message(table: Table) -> None:
    board = await table.start()
    answer = await table.ada.click(board, label="4")
    assert answer.response.id == board.id
    text = text_of(board)
    assert text.count("🔴") == 3, "the player, the disc and the turn"
    assert "Pip played" in text
    assert "**Ada** to move" in text


async def test_when_the_agent_begins_it_has_moved_in_the_first_message(table: Table) -> None:
    board = await table.start(first="opponent")
    assert "🟥" in text_of(board)
    assert "Pip played" in text_of(board)


@pytest.mark.slow
async def test_a_game_between_friends_is_played_to_a_marked_line(table: Table) -> None:
    board = await table.pair()
    await table.play(board, "1 7 2 7 3 7 4")
    text = text_of(board)
    assert "**Ada wins**: four in a row, across, columns 1 to 4." in text
    assert "❤️❤️❤️❤️" in text
    assert list(buttons_of(board)) == ["Rematch", "Review", "Replay", "Another game"]


@pytest.mark.slow
async def test_a_full_column_cannot_be_pressed_any_more(table: Table) -> None:
    board = await table.pair()
    await table.play(board, "1 1 1 1 1 1")
    assert not buttons_of(board)["1"]
    assert buttons_of(board)["2"]


@pytest.mark.slow
async def test_tic_tac_toe_is_a_grid_of_buttons(table: Table) -> None:
    board = await table.pair(game="tic-tac-toe")
    rows = [part for part in parts_of(board) if part["type"] == 1]
    assert [len(row["components"]) for row in rows[:3]] == [3, 3, 3]
    await table.ada.click(board, label="b2")
    await table.ben.click(board, label="a1")
    # The buttons are the board: there is no second one above, and a cell that is taken stays bright.
    assert "🟦" not in text_of(board)
    marks = {part["label"]: part["emoji"]["name"] for part in parts_of(board) if "emoji" in part}
    # Each has a picture, so that all are equally wide and the columns line up.
    assert "".join(marks.values()) == "⭕🟦🟦🟦❌🟦🟦🟦🟦"
    assert all(buttons_of(board)[name] for name in marks)
    before = text_of(board)
    taken = next(part["custom_id"] for part in parts_of(board) if part.get("label") == "a1")
    assert "is taken. Choose a free square." in await table.refused(table.ada.click(board, custom_id=taken))
    assert "It’s not your turn" in await table.refused(table.ben.click(board, custom_id=taken))
    assert "between Ada and Ben" in await table.refused(table.eve.click(board, custom_id=taken))
    assert text_of(board) == before
    await table.ada.click(board, label="b1")
    await table.ben.click(board, label="a2")
    await table.ada.click(board, label="b3")
    assert "**Ada wins**: three in a row, upright, b1 to b3." in text_of(board)
    assert "❎" in text_of(board)


async def test_the_pits_of_kalah_lie_as_on_the_board_and_keep_their_places(table: Table) -> None:
    """The second side's from right to left; an empty pit is a button that cannot be pressed."""
    board = await table.pair(game="kalah")
    assert pits_on(board) == "abcdef"
    await table.ada.click(board, label="a")
    assert pits_on(board) == "lkjihg"
    await table.ben.click(board, label="g")
    assert pits_on(board) == "abcdef"
    assert not buttons_of(board)["a"]
    assert "other" not in text_of(board)


async def test_while_the_agent_thinks_the_persons_pits_stay_where_they_are(table: Table) -> None:
    board = await table.start(game="kalah", level="pip", rated=False)
    (running,) = await table.bot.services.matches.running(table.ada.id)
    waiting = replace(running, seats=running.seats[::-1])
    view = board_view(waiting, all_texts().of("en"), Roster())
    shown = {
        one.label: one.disabled for one in view.walk_children() if isinstance(one, ui.Button) and one.label
    }
    assert "".join(label for label in shown if len(label) == 1) == "lkjihg"
    assert all(shown[label] for label in ("l", "g", "Hint", "Undo"))
    assert buttons_of(board)["Hint"]
    assert not buttons_of(board)["Undo"]


def pits_on(board: Any) -> str:
    return "".join(label for label in buttons_of(board) if len(label) == 1)


async def test_in_letters_tic_tac_toe_stands_above_its_buttons_too(table: Table) -> None:
    await table.bot.services.settings.prefer(table.ada.id, Preferences(theme=Theme.LETTERS))
    board = await table.pair(game="tic-tac-toe")
    await table.ada.click(board, label="b2")
    assert "[X]" in text_of(board)
    (taken,) = (part for part in parts_of(board) if part.get("label") == "b2 X")
    assert taken.get("emoji") is None, "Discord refuses a message with a letter for an emoji"


async def test_taken_squares_of_tic_tac_toe_have_a_text(table: Table) -> None:
    board = await table.pair(game="tic-tac-toe")
    await table.ada.click(board, label="b2")
    (taken,) = (part for part in parts_of(board) if part.get("label") == "b2")
    assert taken["emoji"]["name"] == "❌"


async def test_buttons_that_end_a_match_are_behind_more_for_its_players_alone(table: Table) -> None:
    board = await table.pair()
    assert not {"Resign", "Offer a draw"} & set(buttons_of(board))
    menu = await table.ben.click(board, label="More…")
    assert menu.ephemeral
    assert list(buttons_of(menu.response)) == ["Board style", "Offer a draw", "Resign"]
    asked = await table.ben.click(menu.response, label="Resign")
    assert asked.response.id == menu.response.id, "the question takes the menu's place"
    offered = await behind_more(table.ada, board, "Offer a draw")
    assert "offer is on the board" in line_of(offered.response)
    looks = await behind_more(table.ben, board, "Board style")
    assert looks.ephemeral


@pytest.mark.slow
async def test_there_are_four_buttons_to_a_row_at_most(table: Table) -> None:
    for board in (await table.pair(), await table.pair(game="othello")):
        rows = [part["components"] for part in parts_of(board) if part["type"] == 1]
        assert max(map(len, rows)) == 4
    assert [button["label"] for button in rows[-1]] == ["More…"]


@pytest.mark.slow
async def test_a_casual_match_has_a_hint_that_is_marked_on_the_board(table: Table) -> None:
    board = await table.pair(rated=False)
    hint = await table.ada.click(board, label="Hint")
    assert hint.ephemeral
    assert text_of(hint.response).count("🔹") == 1
    assert "Hint" not in buttons_of(await table.pair(rated=True))


async def test_othello_offers_the_legal_squares_marks_them_and_counts_discs(table: Table) -> None:
    board = await table.pair(game="othello")
    assert [label for label in buttons_of(board) if len(label) == 2] == ["d3", "c4", "f5", "e6"]
    assert text_of(board).count("🔹") == 4
    await table.ada.click(board, label="f5")
    text = text_of(board)
    assert "🟤 **4** : **1** 🟡" in text
    assert "🟫" in text
    assert [label for label in buttons_of(board) if len(label) == 2] == ["f4", "d6", "f6"]


@pytest.mark.slow
async def test_a_person_without_a_move_presses_pass_once(table: Table) -> None:
    board = await table.pair(game="othello", board="6x6")
    names = _way_to_a_pass()
    await table.play(board, " ".join(names))
    assert buttons_of(board)["Pass"]
    await (table.ada, table.ben)[len(names) % 2].click(board, label="Pass")
    assert "had no move and passed." in text_of(board)


def _way_to_a_pass() -> list[str]:
    """The shortest of 2,000 random games, with a fixed seed, to a position without a move."""
    rules, rng, best = game("othello"), random.Random(11), ["?"] * 99
    for _ in range(2000):
        state = rules.start("6x6")
        names: list[str] = []
        while state.outcome() is None and len(names) < len(best):
            move = rng.choice(state.legal_moves())
            if rules.cell_of(state, move) is None:
                best = names
                break
            names.append(rules.move_name(state, move))
            state = state.play(move)
    return best


async def test_the_person_to_move_is_pinged_and_the_ping_goes_with_their_move(table: Table) -> None:
    board = await table.pair()
    assert [call.split(",")[0] for call in table.calls()] == [table.ada.mention]
    await table.ada.click(board, label="4")
    assert [call.split(",")[0] for call in table.calls()] == [table.ben.mention]
    assert f"/{table.games.id}/{board.id}" in table.calls()[0]


def deletions(table: Table) -> int:
    """The bot's requests that delete a message by its own token or a press's."""
    return len(
        [one for one in table.env.http_requests if one.method == "DELETE" and "/messages/" in one.path]
    )


def ping_in(table: Table) -> Any:
    (ping,) = (one for one in table.games.history() if one.content.startswith("<@"))
    return ping


async def test_a_ping_that_a_moderator_has_deleted_is_not_deleted_again(table: Table) -> None:
    board = await table.pair()
    for person, column in ((table.ada, "4"), (table.ben, "4"), (table.ada, "3")):
        table.env.backend.delete_message(table.games.id, ping_in(table).id)
        await table.env.advance_time(1)
        await person.click(board, label=column)
        await table.reconcile()
    assert deletions(table) == 0


async def test_a_ping_whose_deletion_got_a_wrong_answer_is_not_deleted_again(own_table: Table) -> None:
    board = await own_table.pair()
    ping = ping_in(own_table)
    own_table.env.inject_error("DELETE", "/channels/*/messages/*", status=500, times=1)
    await own_table.ada.click(board, label="4")
    asked = deletions(own_table)
    own_table.env.backend.delete_message(own_table.games.id, ping.id)
    for _ in range(4):
        await own_table.env.advance_time(6)
        await own_table.reconcile()
    assert asked >= 1
    assert deletions(own_table) == asked


async def test_a_ping_that_is_gone_unnoticed_costs_two_deletions_at_most(own_table: Table) -> None:
    board = await own_table.pair()
    own_table.env.inject_error("DELETE", "/channels/*/messages/*", status=404, code=10008, times=9)
    await own_table.ada.click(board, label="4")
    for _ in range(6):
        await own_table.env.advance_time(6)
        await own_table.reconcile()
    assert deletions(own_table) == 2


async def test_only_the_pinged_person_is_notified(own_table: Table) -> None:
    await own_table.pair()
    (call,) = own_table.writes("POST", "/channels/*/messages")
    assert call["allowed_mentions"]["users"] == [own_table.ada.id]
    assert call["allowed_mentions"]["parse"] == []


@pytest.mark.slow
async def test_after_a_finished_match_there_is_no_ping(table: Table) -> None:
    board = await table.pair()
    await table.play(board, "1 7 2 7 3 7 4")
    assert table.calls() == []


@pytest.mark.slow
async def test_a_board_goes_on_after_a_restart(own_table: Table) -> None:
    board = await own_table.pair()
    await own_table.ada.click(board, label="4")
    await own_table.restart()
    answer = await own_table.ben.click(board, label="4")
    assert answer.response.id == board.id
    assert "Ben played **4**" in text_of(board)


@pytest.mark.slow
async def test_an_agent_whose_turn_it_was_moves_after_a_restart(own_table: Table) -> None:
    board = await own_table.start()
    match = await own_table.bot.services.playing.play(1, own_table.person(own_table.ada), 3)
    assert match.awaits_agent
    assert "Pip played" not in text_of(board)
    await own_table.restart()
    assert "Pip played" in text_of(board)


async def test_an_undo_takes_both_moves_back_in_a_casual_match(table: Table) -> None:
    board = await table.start(rated=False)
    assert not buttons_of(board)["Undo"]
    await table.ada.click(board, label="4")
    await table.ada.click(board, label="Undo")
    text = text_of(board)
    assert text.count("🔴") == 2, "the player and the turn"
    assert "🟨" not in text
    assert "**Ada** to move" in text


async def test_between_people_an_undo_needs_consent(table: Table) -> None:
    board = await table.pair(rated=False)
    await table.ada.click(board, label="4")
    await table.ada.click(board, label="Undo")
    assert "would like to take their last move back" in text_of(board)
    assert table.calls()[-1].startswith(table.ben.mention)
    refusal = await table.refused(table.ada.click(board, label="Allow"))
    assert "your own request" in refusal
    await table.ben.click(board, label="Allow")
    assert "**Ada** to move" in text_of(board)
    assert "🟥" not in text_of(board)


async def test_a_rated_match_has_no_undo(table: Table) -> None:
    board = await table.start()
    await table.ada.click(board, label="4")
    assert "Undo" not in buttons_of(board)
    assert "rated" in await table.refused(table.ada.slash(table.games, "match undo"))


@pytest.mark.slow
async def test_a_draw_is_offered_and_accepted_by_button(table: Table) -> None:
    board = await table.pair()
    await behind_more(table.ada, board, "Offer a draw")
    assert "**Ada** offers a draw" in text_of(board)
    assert table.calls()[-1].startswith(table.ben.mention)
    await table.ben.click(board, label="Accept the draw")
    assert "**A draw**: you both agreed." in text_of(board)


async def test_an_offer_made_with_a_move_stands_on_the_board_and_in_the_ping(own_table: Table) -> None:
    board = await own_table.pair()
    await behind_more(own_table.ada, board, "Offer a draw")
    await own_table.ada.click(board, label="4")
    assert "**Ada** offers a draw" in text_of(board)
    (ping,) = own_table.calls()
    assert ping.startswith(own_table.ben.mention)
    assert "your turn" in ping
    assert "**Ada** offers a draw" in ping
    await own_table.ben.slash(own_table.games, "match draw", answer="accept")
    assert "**A draw**: you both agreed." in text_of(board)


async def test_a_board_names_the_move_that_is_asked_for_once_its_side_has_moved_on(table: Table) -> None:
    board = await table.pair(rated=False)
    await table.play(board, "1 2")
    await table.ada.click(board, label="Undo")
    assert "**Ada** would like to take their last move back" in text_of(board)
    await table.ada.click(board, label="3")
    assert "**Ada** would like to take back **1** and everything after it" in text_of(board)
    await table.ben.click(board, label="Allow")
    assert "played" not in text_of(board)


async def test_a_declined_draw_leaves_the_match_running(table: Table) -> None:
    board = await table.pair()
    await behind_more(table.ada, board, "Offer a draw")
    await table.ben.click(board, label="Decline")
    assert "offers a draw" not in text_of(board)
    assert buttons_of(board)["4"]


@pytest.mark.slow
async def test_resigning_asks_back_privately_first(table: Table) -> None:
    board = await table.pair()
    asked = await behind_more(table.ada, board, "Resign")
    assert asked.response.ephemeral
    assert "**Ben** then wins it" in line_of(asked.response)
    stayed = await table.ada.click(asked.response, label="Keep playing")
    assert "goes on" in line_of(stayed.response)
    assert buttons_of(board)["4"]
    asked = await behind_more(table.ada, board, "Resign")
    await table.ada.click(asked.response, label="Yes, resign")
    assert "**Ben wins**: Ada resigned." in text_of(board)
    assert table.calls() == []


@pytest.mark.slow
async def test_a_rematch_with_the_agent_swaps_colours_at_once(table: Table) -> None:
    board = await table.start()
    for label in ("4", "1"):
        await table.ada.click(board, label=label)
    asked = await behind_more(table.ada, board, "Resign")
    await table.ada.click(asked.response, label="Yes, resign")
    again = await table.ada.click(board, label="Rematch")
    assert again.response.id != board.id
    assert "🔴 **Pip**" in text_of(again.response)
    assert "Pip played" in text_of(again.response)
    assert "already begun" in await table.refused(table.ada.click(board, label="Rematch"))


async def test_a_win_against_a_level_leads_to_the_next_strength_in_one_press(table: Table) -> None:
    board = await table.start(position="414141")
    await table.ada.click(board, label="4")
    assert "Ada wins" in text_of(board)
    following = await table.ada.click(board, label="Next: Beginner")
    assert "Bo" in text_of(following.response)
    assert "Casual" in text_of(following.response)
    assert "already begun" in await table.refused(table.ada.click(board, label="Next: Beginner"))


async def test_a_loss_leads_to_an_easier_strength_and_every_end_to_another_game(table: Table) -> None:
    board = await table.start(level="mia", rated=False)
    await table.ada.click(board, label="4")
    asked = await behind_more(table.ada, board, "Resign")
    await table.ada.click(asked.response, label="Yes, resign")
    board = table.board()
    ways = ["Rematch", "Easier: Beginner", "Review", "Replay", "Another game"]
    assert list(buttons_of(board)) == ways
    panel = await table.ben.click(board, label="Another game")
    assert panel.ephemeral
    assert "Start" in buttons_of(panel.response)
    following = await table.ada.click(board, label="Easier: Beginner")
    assert "Bo" in text_of(following.response)


async def test_a_level_that_a_server_has_closed_is_not_the_next_one(table: Table) -> None:
    await table.bot.services.settings.save(table.guild.id, ServerSettings(highest_level=1))
    board = await table.start(position="414141")
    await table.ada.click(board, label="4")
    assert "isn’t open" in await table.refused(table.ada.click(board, label="Next: Beginner"))


@pytest.mark.slow
async def test_a_rematch_between_people_is_an_invitation_with_colours_swapped(table: Table) -> None:
    board = await table.pair()
    await table.play(board, "1 7 2 7 3 7 4")
    invitation = await table.ada.click(board, label="Rematch")
    assert "would like a rematch" in text_of(invitation.response)
    started = await table.ben.click(invitation.response, label="Accept")
    assert "🔴 **Ben**" in text_of(started.response)


@pytest.mark.slow
async def test_pressing_rematch_too_accepts_the_rematch(table: Table) -> None:
    board = await table.pair()
    await table.play(board, "1 7 2 7 3 7 4")
    invitation = (await table.ada.click(board, label="Rematch")).response
    started = await table.ben.click(board, label="Rematch")
    assert "🔴 **Ben**" in text_of(started.response)
    assert buttons_of(invitation) == {}


async def test_the_second_of_two_equal_invitations_is_the_board(table: Table) -> None:
    terms = {"game": "tic-tac-toe", "rated": False}
    sent = await table.ada.slash(table.games, "challenge", opponent=table.ben, **terms)
    begun = await table.ben.slash(table.games, "challenge", opponent=table.ada, **terms)
    assert "to move" in text_of(begun.response)
    assert buttons_of(sent.response) == {}


@pytest.mark.slow
async def test_a_clock_warns_and_then_decides(table: Table) -> None:
    board = await table.pair(clock=300)
    assert "time runs out" in text_of(board)
    await table.env.advance_time(250)
    assert any("runs out" in call for call in table.calls())
    await table.env.advance_time(60)
    assert "**Ben wins**: Ada ran out of time." in text_of(board)
    assert table.calls() == []


@pytest.mark.slow
async def test_a_clock_warns_although_an_offer_stands(table: Table) -> None:
    board = await table.pair(clock=300)
    await behind_more(table.ada, board, "Offer a draw")
    await table.ada.click(board, label="4")
    await table.env.advance_time(250)
    (ping,) = table.calls()
    assert table.ben.mention in ping
    assert "runs out" in ping
    assert "**Ada** offers a draw" in ping


@pytest.mark.slow
async def test_a_warning_of_the_clock_tells_nobody_of_their_own_offer(table: Table) -> None:
    board = await table.pair(clock=300)
    await behind_more(table.ada, board, "Offer a draw")
    await table.env.advance_time(250)
    (ping,) = table.calls()
    assert table.ada.mention in ping
    assert "offers a draw" not in ping


@pytest.mark.slow
async def test_a_whole_matchs_clock_is_on_the_board_for_both_sides(table: Table) -> None:
    board = await table.pair(clock=MatchClock(180, 2).number)
    assert "3+2 for the whole match" in text_of(board)
    assert re.search(r"Ada’s time runs out <t:[0-9]+:R>\. Ben has 3:00 left\.", text_of(board))
    await table.env.advance_time(30)
    await table.ada.click(board, label="4")
    assert re.search(r"Ben’s time runs out <t:[0-9]+:R>\. Ada has 2:3[0-9] left\.", text_of(board))
    await table.env.advance_time(190)
    assert "**Ada wins**: Ben ran out of time." in text_of(board)


@pytest.mark.slow
async def test_ten_seconds_a_move_are_a_clock_too(table: Table) -> None:
    board = await table.pair(clock=10)
    assert "10 seconds per move" in text_of(board)
    await table.env.advance_time(16)
    assert "**Ben wins**: Ada ran out of time." in text_of(board)


@pytest.mark.slow
async def test_a_week_without_a_move_ends_the_match(own_table: Table) -> None:
    board = await own_table.start(rated=False)
    await own_table.skip(days=7, minutes=1)
    assert "Ended without a result" in text_of(board)


@pytest.mark.slow
async def test_a_rated_match_that_is_left_is_lost_on_time(own_table: Table) -> None:
    board = await own_table.start()
    await own_table.skip(days=3, minutes=1)
    assert "Ada ran out of time" in text_of(board)


WIDE = "e6 f4 e3 d2 c3 d6 f2 e2 f6 c4 d3 f7 e7 e8 d8 b4 c6 c5 f3 g7 b6 a6 a7 g4 d1 g2"
"""Leads to a position with more moves than a select has room for; found among random games."""


@pytest.mark.slow
async def test_more_squares_than_a_select_holds_are_found_by_their_column(table: Table) -> None:
    rules = game("othello")
    state = rules.start()
    for name in WIDE.split():
        state = state.play(rules.parse_move(state, name))
    legal = [rules.move_name(state, move) for move in state.legal_moves()]
    assert len(legal) > 24
    board = await table.pair(game="othello")
    await table.play(board, WIDE)
    square = legal[-1]
    column = square[0]
    assert "Ada is to move" in await table.refused(table.ben.click(board, label=column))
    assert "match is between Ada and Ben" in await table.refused(table.eve.click(board, label=column))
    opened = (await table.ada.click(board, label=column)).response
    offered = [name for name in buttons_of(opened) if name in legal]
    assert offered == sorted(name for name in legal if name[0] == column)
    await table.ada.click(opened, label=square)
    assert f"Ada played **{square}**" in text_of(board)


async def test_a_live_ping_is_never_removed_as_lost(own_table: Table) -> None:
    await own_table.pair()
    standing = own_table.calls()
    assert len(standing) == 1
    await own_table.bot.close()
    altered(own_table.database, "UPDATE matches SET draw_offer = 1, version = version + 1")
    own_table.bot = new_bot(own_table.database, own_table.clock)
    await own_table.env.restart_bot(own_table.bot)
    await own_table.soon(lambda: own_table.calls() != standing)
    assert len(own_table.calls()) == 1
    assert "draw" in own_table.calls()[0]


async def test_an_answer_that_was_received_in_time_counts_though_the_bot_was_busy(own_table: Table) -> None:
    board = await own_table.pair(clock=10)
    await own_table.play(board, "1 2")
    jobs = own_table.bot._jobs
    assert jobs is not None
    jobs.stop()
    await own_table.ben.slash(own_table.games, "match draw", answer="offer")
    await own_table.env.advance_time(9.5)
    own_table.clock.ahead += timedelta(seconds=1.2)
    await own_table.bot.services.clocks.tick()
    await own_table.ada.slash(own_table.games, "match draw", answer="accept")
    assert "**A draw**" in text_of(board)


async def test_a_press_that_was_received_after_the_deadline_ends_nothing_early(own_table: Table) -> None:
    board = await own_table.pair(clock=10)
    jobs = own_table.bot._jobs
    assert jobs is not None
    jobs.stop()
    await own_table.env.advance_time(10.5)
    line = await own_table.refused(own_table.ada.click(board, label="1"))
    assert line.startswith("The time for this move has run out. The match ends in a moment")
    assert "**Ada** to move" in text_of(board)
    own_table.clock.ahead += timedelta(seconds=2)
    assert "The match ends" in await own_table.refused(own_table.ben.slash(own_table.games, "match draw")), (
        "not by others"
    )
    own_table.clock.ahead += timedelta(seconds=1)
    await own_table.bot.services.clocks.tick()
    await own_table.env.advance_time(1)
    assert "**Ben wins**" in text_of(board)
