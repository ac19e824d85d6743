"""Puzzles in the interface: tasks, answers and privacy."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from random import Random
from typing import Any

import pytest

from bot.domain.errors import NotFound, Refusal
from bot.domain.look import Theme
from bot.domain.outgoing import Fate
from bot.domain.preferences import Preferences, ServerSettings
from bot.domain.puzzle import Attempt, Status, daily
from bot.i18n.texts import english
from engine.analysis.evaluators import ESTIMATE, Estimator
from engine.analysis.puzzles import puzzles, select
from engine.core import Limit
from engine.games import game
from engine.games.puzzle_themes import PuzzleTheme
from tests.bot.sittings import settle
from tests.bot.table import Table, buttons_of, line_of, options_of, text_of


@pytest.fixture
def table(own_table: Table) -> Table:
    """A bot of its own for each test: which puzzles come next depends on all those before."""
    return own_table


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    """Compile the kernels here, not while simcord waits for an answer."""
    for key in ("connect-four", "othello"):
        evaluator = Estimator(game(key))
        evaluator.evaluate(game(key).start(), ESTIMATE)
        evaluator.evaluate(game(key).start(), Limit(seconds=0.01))


async def begun(table: Table, person: Any = None, **options: Any) -> Any:
    """Open a new puzzle, by default an easy one of Connect Four, and return its message."""
    chosen = {"game": "connect-four", "difficulty": 1, **options}
    chosen = {name: value for name, value in chosen.items() if value is not None}
    answer = await (person or table.ada).slash(table.games, "puzzle play", **chosen)
    assert answer.ephemeral
    return answer.response


async def attempt_of(table: Table, number: int = 1) -> Attempt:
    return await table.bot.services.puzzles.attempt(number)


def name_of(attempt: Attempt, move: int) -> str:
    return game(attempt.task.game).move_name(attempt.state, move)


async def right(table: Table, number: int = 1) -> str:
    """Return the label of the winning move, according to the evaluator."""
    attempt = await attempt_of(table, number)
    best = Estimator(game(attempt.task.game)).evaluate(attempt.state, Limit(seconds=5)).best
    assert best is not None
    return name_of(attempt, best)


async def wrong(table: Table, number: int = 1) -> str:
    """Return the label of a move that does not win."""
    attempt = await attempt_of(table, number)
    best = puzzles()[attempt.task.key].best
    return name_of(attempt, next(move for move in attempt.state.legal_moves() if move != best))


async def solve(table: Table, message: Any, number: int = 1, person: Any = None) -> Any:
    """Answer correctly until the attempt is over; return the last response."""
    answer = None
    while not (await attempt_of(table, number)).is_over:
        answer = await (person or table.ada).click(message, label=await right(table, number))
    return answer


async def test_a_puzzle_is_private_and_names_the_side_to_move_and_the_depth(table: Table) -> None:
    text = text_of(await begun(table))
    assert "### 🧩 Puzzle: Connect Four" in text
    assert "★☆☆☆☆ very easy" in text
    assert ": **win in 2 moves**." in text
    assert table.games.history(viewer=table.ben) == []


@pytest.mark.slow
async def test_the_engine_replies_to_right_answers_until_the_puzzle_is_solved(table: Table) -> None:
    message = await begun(table)
    disc = "🔴" if (await attempt_of(table)).player == 0 else "🟡"
    await table.ada.click(message, label=await right(table))
    text = text_of(message)
    assert "is right: winning in 1 move." in text
    assert "replies **column" in text
    assert f"You are {disc}, and it’s your move. **Keep the win.**" in text
    await table.ada.click(message, label=await right(table))
    text = text_of(message)
    assert "is right: won." in text
    assert "🎉 **Solved!**" in text
    assert "Your new puzzle rating: **" in text
    assert "❤️" in text or "💛" in text
    assert list(buttons_of(message)) == ["Next puzzle", "Share"]


@pytest.mark.slow
async def test_a_wrong_answer_is_refuted_on_the_board_and_in_words(table: Table) -> None:
    message = await begun(table)
    before = await attempt_of(table)
    label = await wrong(table)
    await table.ada.click(message, label=label)
    text = text_of(message)
    assert f"❌ **Column {label}** is wrong: " in text
    assert "replies **column" in text
    after = await attempt_of(table)
    assert after.status is Status.FAILED
    assert len(after.moves) == 2
    assert len([cell for cell in after.state.cells() if cell is not None]) == len(before.task.line) + 2
    assert list(buttons_of(message)) == ["Solution", "Try again", "Next puzzle"]


async def test_the_solution_shows_the_right_move(table: Table) -> None:
    message = await begun(table)
    best = await right(table)
    await table.ada.click(message, label=await wrong(table))
    await table.ada.click(message, label="Solution")
    assert f"💡 **Column {best}** was right: winning in 2 moves." in text_of(message)
    assert list(buttons_of(message)) == ["Try again", "Next puzzle"]


@pytest.mark.slow
async def test_another_try_is_practice_and_changes_no_rating(table: Table) -> None:
    message = await begun(table)
    await table.ada.click(message, label=await wrong(table))
    rated = await table.bot.services.puzzles.standing(table.ada.id)
    await table.ada.click(message, label="Try again")
    assert "for practice, doesn’t count" in text_of(message)
    await solve(table, message, 2)
    assert "🎉" in text_of(message)
    assert "rating" not in text_of(message)
    assert await table.bot.services.puzzles.standing(table.ada.id) == rated


@pytest.mark.slow
async def test_the_next_puzzle_is_another_one_of_the_same_game(table: Table) -> None:
    message = await begun(table, game="tic-tac-toe")
    await solve(table, message)
    await table.ada.click(message, label="Next puzzle")
    first, second = await attempt_of(table), await attempt_of(table, 2)
    assert second.task.game == "tic-tac-toe"
    assert second.task.key != first.task.key
    assert "Tic-tac-toe" in text_of(message)


@pytest.mark.slow
async def test_an_unanswered_puzzle_is_shown_again_instead_of_a_new_one(table: Table) -> None:
    await begun(table)
    await begun(table)
    again = await table.ada.slash(table.games, "puzzle play")
    assert "Connect Four" in text_of(again.response)
    with pytest.raises(NotFound, match="puzzle_gone"):
        await attempt_of(table, 2)


@pytest.mark.slow
async def test_a_puzzle_is_answered_after_a_restart(table: Table) -> None:
    message = await begun(table)
    await table.ada.click(message, label=await right(table))
    await table.restart()
    await table.ada.click(message, label=await right(table))
    assert "🎉 **Solved!**" in text_of(message)


async def test_other_people_cannot_answer_or_see_the_solution(table: Table) -> None:
    message = await begun(table)
    service, ben, move = (
        table.bot.services.puzzles,
        table.person(table.ben),
        (await attempt_of(table)).task.state,
    )
    with pytest.raises(Refusal, match="puzzle_of_another"):
        await service.answer(1, ben, 0, move.legal_moves()[0])
    await table.ada.click(message, label=await wrong(table))
    before = await attempt_of(table)
    for press in (service.again(1, ben), service.solution(1, ben)):
        with pytest.raises(Refusal, match="puzzle_of_another"):
            await press
    assert await attempt_of(table) == before


async def test_an_older_message_of_the_same_attempt_is_refused(table: Table) -> None:
    first = await begun(table)
    second = await begun(table)
    await table.ada.click(second, label=await right(table))
    live = next(label for label, is_live in buttons_of(first).items() if is_live)
    assert "further in this puzzle since" in await table.refused(table.ada.click(first, label=live))


@pytest.mark.slow
async def test_othello_puzzles_offer_squares_and_count_discs(table: Table) -> None:
    message = await begun(table, game="othello")
    assert "squares still empty" in text_of(message)
    assert "🔹" in text_of(message)
    await table.ada.click(message, label=await right(table))
    assert "is right: winning by" in text_of(message)
    await solve(table, message)
    assert "🎉 **Solved!**" in text_of(message)


@pytest.mark.slow
async def test_more_squares_than_buttons_come_in_a_menu(table: Table) -> None:
    await begun(table, game="othello")
    crowded = await crowd(table)
    again = await table.ada.slash(table.games, "puzzle play", game="othello", difficulty=1)
    values = options_of(again.response)
    assert sorted(values) == sorted(map(str, crowded.state.legal_moves()))
    assert len(values) > 20
    assert not buttons_of(again.response)
    with pytest.raises(Refusal, match="puzzle_of_another"):
        (await attempt_of(table)).check_owner(table.ben.id)


async def crowd(table: Table) -> Attempt:
    """Give the first attempt a position with more than twenty legal squares."""
    attempt, rng, rules = await attempt_of(table), Random(5), game("othello")
    while True:
        state, moves = rules.start(), []
        while state.legal_moves():
            moves.append(rng.choice(state.legal_moves()))
            state = state.play(moves[-1])
            if len(state.legal_moves()) > 20:
                task = replace(attempt.task, line=tuple(moves))
                crowded = replace(attempt, task=task, version=attempt.version + 1)
                await table.bot.parts.stores.puzzles.save_attempt(attempt, crowded)
                return crowded


async def test_there_are_no_very_hard_puzzles_of_tic_tac_toe(table: Table) -> None:
    refused = table.ada.slash(table.games, "puzzle play", game="tic-tac-toe", difficulty=5)
    assert "no puzzle that hard or easy" in await table.refused(refused)


@pytest.mark.slow
async def test_puzzles_are_refused_outside_the_servers_channels_for_matches(table: Table) -> None:
    other = table.guild.create_text_channel("quiet")
    await table.bot.services.settings.save(
        table.guild.id, ServerSettings(play_channels=frozenset({table.games.id}))
    )
    for command in ("play", "daily", "mistakes"):
        refused = table.ada.slash(other, f"puzzle {command}")
        assert f"<#{table.games.id}>" in await table.refused(refused)


async def test_a_puzzle_uses_the_persons_look(table: Table) -> None:
    await table.bot.services.settings.prefer(table.ada.id, Preferences(theme=Theme.LETTERS))
    text = text_of(await begun(table))
    assert "```" in text
    assert "🔴" not in text


async def test_a_puzzle_in_direct_messages(table: Table) -> None:
    answer = await table.ada.user.slash("puzzle play", game="tic-tac-toe")
    await table.ada.user.click(answer.response, label=await right(table))
    assert "is right" in text_of(answer.response)


# The daily puzzle


@pytest.mark.slow
async def test_the_daily_puzzle_is_shared_and_only_the_first_try_counts(table: Table) -> None:
    shown = {}
    for person in (table.ada, table.ben):
        answer = await person.slash(table.games, "puzzle daily")
        assert answer.ephemeral
        shown[person.id] = answer.response
    ada, ben = await attempt_of(table), await attempt_of(table, 2)
    assert ada.task == ben.task
    assert ada.task.key == daily(table.clock().date()).key
    assert "### 📅 Daily puzzle 1: " in text_of(shown[table.ada.id])
    await table.ada.click(shown[table.ada.id], label=await wrong(table))
    again = await table.ada.slash(table.games, "puzzle daily")
    assert "You didn’t find it on the first try" in text_of(again.response)
    await table.ada.click(again.response, label="Try again")
    await solve(table, again.response, 3)
    assert (await table.bot.services.puzzles.standing(table.ada.id)).days == 0
    await solve(table, shown[table.ben.id], 2, table.ben)
    assert (await table.bot.services.puzzles.standing(table.ben.id)).days == 1
    assert "2 people have tried this puzzle; solved on the first try by 1." in text_of(shown[table.ben.id])


async def posted(table: Table) -> Any:
    """Choose a channel for the daily puzzle, advance to its hour, and return the message."""
    wish = ServerSettings(puzzle_channel=table.games.id, puzzle_hour=0)
    await table.bot.services.settings.save(table.guild.id, wish)
    await table.reconcile()
    (message,) = table.games.history(viewer=table.eve)
    return message


@pytest.mark.slow
async def test_the_posted_puzzle_opens_privately_for_each_person(table: Table) -> None:
    message = await posted(table)
    assert "### 📅 Daily puzzle 1: " in text_of(message)
    opened = await table.ada.click(message, label="Solve it")
    assert opened.ephemeral
    assert "### 📅 Daily puzzle 1: " in text_of(opened.response)
    await table.restart()
    other = await table.ben.click(message, label="Solve it")
    assert (await attempt_of(table, 2)).user_id == table.ben.id
    assert other.ephemeral
    assert len(table.games.history(viewer=table.eve)) == 1


@pytest.mark.slow
async def test_the_puzzle_is_posted_once_a_day_across_restarts(table: Table) -> None:
    await posted(table)
    await table.reconcile()
    await table.restart()
    await table.reconcile()
    assert len(table.games.history(viewer=table.eve)) == 1
    table.clock.ahead += timedelta(days=1)
    await table.reconcile()
    first, second = table.games.history(viewer=table.eve)
    assert text_of(first) != text_of(second)


@pytest.mark.slow
async def test_the_job_posts_at_the_chosen_hour(table: Table) -> None:
    wish = ServerSettings(puzzle_channel=table.games.id, puzzle_hour=9)
    await table.bot.services.settings.save(table.guild.id, wish)
    await table.env.advance_time(61)
    assert table.games.history() == []
    table.clock.ahead += timedelta(hours=9)
    await table.env.advance_time(61)
    assert len(table.games.history()) == 1


@pytest.mark.slow
async def test_the_post_shows_how_many_people_solved_yesterdays_puzzle(table: Table) -> None:
    message = await posted(table)
    opened = await table.ada.click(message, label="Solve it")
    await table.ada.click(opened.response, label=await wrong(table))
    table.clock.ahead += timedelta(days=1)
    await table.reconcile()
    second = table.games.history(viewer=table.eve)[-1]
    assert "Yesterday’s was tried by 1 person here and solved on the first try by 0." in text_of(second)


@pytest.mark.slow
async def test_a_message_whose_id_was_lost_is_found_again_and_not_sent_twice(table: Table) -> None:
    message = await posted(table)
    (note,) = await table.bot.parts.stores.outgoing.of("daily")
    assert (note.message_id, note.part) == (message.id, table.clock().toordinal())
    await table.bot.parts.stores.outgoing.save(replace(note, message_id=None, fate=Fate.SENDING))
    await table.restart()
    await table.reconcile()
    assert len(table.games.history(viewer=table.eve)) == 1
    assert await table.bot.parts.stores.outgoing.of("daily") == [note]


async def test_a_channel_without_permission_is_logged_once_and_the_settings_stay(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    table.env.inject_error(
        "POST", "/channels/*/messages", status=403, code=50013, message="Missing Permissions", times=None
    )
    wish = ServerSettings(puzzle_channel=table.games.id, puzzle_hour=0)
    await table.bot.services.settings.save(table.guild.id, wish)
    for _ in range(3):
        await table.reconcile()
    assert len([record for record in caplog.records if "gets no puzzle of" in record.message]) == 1
    assert table.bot.services.settings.server(table.guild.id) == wish
    assert table.games.history() == []


@pytest.mark.slow
async def test_an_unavailable_channel_gets_its_puzzle_later(table: Table) -> None:
    table.env.inject_error("POST", "/channels/*/messages", status=400, code=0, message="Odd", times=1)
    wish = ServerSettings(puzzle_channel=table.games.id, puzzle_hour=0)
    await table.bot.services.settings.save(table.guild.id, wish)
    await table.reconcile()
    assert table.games.history() == []
    await table.env.advance_time(70)
    assert len(table.games.history()) == 1


@pytest.mark.slow
async def test_a_day_that_is_closed_is_refused(table: Table) -> None:
    message = await posted(table)
    table.clock.ahead += timedelta(days=31)
    assert "That day’s puzzle is closed" in await table.refused(table.ada.click(message, label="Solve it"))


@pytest.mark.slow
async def test_an_older_days_puzzle_is_an_ordinary_puzzle(table: Table) -> None:
    message = await posted(table)
    table.clock.ahead += timedelta(days=1)
    opened = await table.ada.click(message, label="Solve it")
    await solve(table, opened.response)
    assert (await table.bot.services.puzzles.standing(table.ada.id)).days == 0


# Standings


@pytest.mark.slow
async def test_the_standing_shows_rating_place_and_runs(table: Table) -> None:
    new = await table.ada.slash(table.games, "puzzle standing")
    assert "You haven’t answered a puzzle yet" in text_of(new.response)
    message = await begun(table)
    await solve(table, message)
    shown = await table.ada.slash(table.games, "puzzle standing")
    assert shown.ephemeral
    text = text_of(shown.response)
    assert "not ranked yet" in text
    await settle(table.bot.parts.stores)
    text = text_of((await table.ada.slash(table.games, "puzzle standing")).response)
    assert "**, ranked 1 among" in text
    assert "1 of 1 puzzle solved on the first try." in text
    assert "Solved in a row: 1 now, 1 at best." in text


@pytest.mark.slow
async def test_the_leaderboard_of_puzzles_explains_its_margins(table: Table) -> None:
    await solve(table, await begun(table))
    text = text_of((await table.ada.slash(table.games, "leaderboard", kind="puzzles")).response)
    assert "Not ranked yet\n· **Ada**" in text
    assert "After about ten matches" in text


@pytest.mark.slow
async def test_the_leaderboard_ranks_people_who_answered_in_the_server(table: Table) -> None:
    empty = await table.ada.slash(table.games, "leaderboard", kind="puzzles")
    assert "Nobody has answered a puzzle yet" in text_of(empty.response)
    await solve(table, await begun(table))
    message = await begun(table, table.ben)
    await table.ben.click(message, label=await wrong(table, 2))
    await settle(table.bot.parts.stores)
    shown = await table.ada.slash(table.games, "leaderboard", kind="puzzles")
    assert not shown.ephemeral
    text = text_of(shown.response)
    assert text.index("1. **Ada**") < text.index("2. **Ben**")
    everywhere = await table.ben.user.slash("leaderboard", kind="puzzles")
    assert "Ada" not in text_of(everywhere.response)
    await table.bot.services.settings.prefer(table.ada.id, Preferences(is_listed=True))
    everywhere = await table.ben.user.slash("leaderboard", kind="puzzles")
    assert "1. **Ada**" in text_of(everywhere.response)
    refused = await table.ada.user.slash("leaderboard", kind="puzzles", scope="server")
    assert "no server here" in line_of(refused.response)


@pytest.mark.slow
async def test_only_the_reader_who_asked_turns_the_pages_of_the_leaderboard(table: Table) -> None:
    service = table.bot.services.puzzles
    for number in range(12):
        attempt = await service.play(replace(table.person(table.ada), user_id=1000 + number), table.guild.id)
        move = puzzles()[attempt.task.key].best
        other = next(found for found in attempt.state.legal_moves() if found != move)
        await service.answer(
            attempt.id, replace(table.person(table.ada), user_id=1000 + number), attempt.turn, other
        )
    shown = (await table.ada.slash(table.games, "leaderboard", kind="puzzles")).response
    assert buttons_of(shown) == {"◀ Previous": False, "Next ▶": True}
    copy = await table.ben.click(shown, label="Next ▶")
    assert copy.ephemeral
    await table.ada.click(shown, label="Next ▶")
    assert buttons_of(shown) == {"◀ Previous": True, "Next ▶": False}


# Themes


@pytest.mark.slow
async def test_the_theme_is_shown_only_after_the_puzzle_is_solved(table: Table) -> None:
    message = await begun(table)
    theme = puzzles()[(await attempt_of(table)).task.key].themes[0]
    name = english()(f"theme_{theme}")
    assert name not in text_of(message)
    await table.ada.click(message, label=await right(table))
    assert name not in text_of(message)
    await solve(table, message)
    assert f"🏷️ **{name}**: " in text_of(message)


@pytest.mark.slow
async def test_the_solution_shows_the_theme(table: Table) -> None:
    message = await begun(table, difficulty=None, theme="zugzwang")
    await table.ada.click(message, label=await wrong(table))
    assert "🏷️" not in text_of(message)
    await table.ada.click(message, label="Solution")
    assert "🏷️ **Zugzwang**: in the end nothing threatens the other side" in text_of(message)


@pytest.mark.slow
async def test_a_requested_theme_also_applies_to_the_next_puzzle(table: Table) -> None:
    message = await begun(table, game=None, difficulty=None, theme="wedge")
    assert "Othello" in text_of(message)
    assert "theme: Wedge" in text_of(message)
    await table.restart()
    await table.ada.click(message, label=await wrong(table))
    await table.ada.click(message, label="Next puzzle")
    found = [await attempt_of(table, number) for number in (1, 2)]
    assert [attempt.theme for attempt in found] == [PuzzleTheme.WEDGE] * 2
    assert all(PuzzleTheme.WEDGE in puzzles()[attempt.task.key].themes for attempt in found)
    assert found[0].task.key != found[1].task.key
    again = await table.ada.slash(table.games, "puzzle play")
    assert "theme: Wedge" in text_of(again.response)


async def test_themes_are_suggested_for_the_game_with_their_numbers(table: Table) -> None:
    every = await table.ada.autocomplete(table.games, "puzzle play", "theme", "")
    assert len(every) == len(PuzzleTheme) <= 25
    for_othello = await table.ada.autocomplete(table.games, "puzzle play", "theme", "we", game="othello")
    assert [(choice["name"], choice["value"]) for choice in for_othello] == [
        (f"Wedge ({len(select(theme=PuzzleTheme.WEDGE))})", "wedge")
    ]
    assert not await table.ada.autocomplete(table.games, "puzzle play", "theme", "zug", game="othello")


async def test_an_unknown_theme_or_one_without_puzzles_is_refused_with_a_message(table: Table) -> None:
    wrong = table.ada.slash(table.games, "puzzle play", theme="castling")
    assert "“castling” isn’t one of the choices" in await table.refused(wrong)
    none = table.ada.slash(table.games, "puzzle play", game="othello", theme="Zugzwang")
    assert "no puzzle of that theme" in await table.refused(none)


@pytest.mark.slow
async def test_a_puzzle_at_a_position_of_a_running_rated_match_is_neither_judged_nor_solved(
    table: Table,
) -> None:
    message = await begun(table)
    task = (await attempt_of(table)).task
    await table.ada.click(message, label=await wrong(table))
    rated = await table.pair(game=task.game, rated=True)
    state = game(task.game).start(task.board)
    for ply, move in enumerate(task.line):
        await (table.ada, table.ben)[ply % 2].click(rated, label=game(task.game).move_name(state, move))
        state = state.play(move)
    refused = await table.refused(table.ada.click(message, label="Solution"))
    assert "within a move of your rated match #1" in refused
    await table.ada.click(message, label="Try again")
    refused = await table.refused(table.ada.click(message, label=await right(table, 2)))
    assert "within a move of your rated match #1" in refused
    assert (await attempt_of(table, 2)).turn == 0
    eves = await begun(table, table.eve)
    await table.eve.click(eves, label=await right(table, 3))
    assert "is right" in text_of(eves), "it is nothing of hers"
