"""Hints: the best move in words, three a match, in casual matches only."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from bot.domain.look import Size
from bot.domain.preferences import Preferences
from engine.analysis.evaluators import ESTIMATE, Estimator
from engine.core import Limit
from engine.games import game, spec_of
from tests.bot.cold import cold
from tests.bot.table import Table, buttons_of, line_of, parts_of, text_of
from tests.working import MAX_TEST_WAIT_SECONDS


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    """Kernels compile here where they have to, not while simcord waits for an answer."""
    for key, board in (
        ("connect-four", None),
        ("connect-four", "5x5x3"),
        ("othello", "8x8"),
        ("othello", "6x6"),
    ):
        state, evaluator = game(key).start(board), Estimator(game(key))
        evaluator.evaluate(state, ESTIMATE)
        evaluator.evaluate(state, Limit(seconds=0.01))


@pytest.mark.slow
async def test_a_hint_says_privately_what_to_play_and_why(table: Table) -> None:
    board = await table.pair(rated=False)
    await table.play(board, "1 7 2 7 3")
    answer = (await table.ben.slash(table.games, "review hint")).response
    assert answer.ephemeral
    text = text_of(answer)
    assert "Hint 1 of 3: Connect Four" in text
    assert "**Column 4**: it stops 4 in a row" in text


@pytest.mark.slow
async def test_a_hint_that_ends_the_match_has_no_score(table: Table) -> None:
    board = await table.pair(game="tic-tac-toe", rated=False)
    for person, cell in (table.ada, "a1"), (table.ben, "a2"), (table.ada, "b1"), (table.ben, "b2"):
        await person.click(board, label=cell)
    text = text_of((await table.ada.slash(table.games, "review hint")).response)
    assert "**c1**: it wins" in text
    assert "After it" not in text


async def test_a_hint_is_played_by_its_button(table: Table) -> None:
    board = await table.pair(game="tic-tac-toe", rated=False)
    await table.play(board, "a1 a2 b1 b2")
    hint = (await table.ada.slash(table.games, "review hint")).response
    assert list(buttons_of(hint)) == ["Play c1"], "the value of a move that ends the match is plain"
    await table.ada.click(hint, label="Play c1")
    assert "You played **c1**" in text_of(hint)
    assert buttons_of(hint) == {}
    assert "Ada wins" in text_of(table.board())


async def test_the_distance_to_a_win_is_told_to_people_who_ask(table: Table) -> None:
    board = await table.pair(game="tic-tac-toe", rated=False)
    await table.play(board, "a1 a2")
    hint = (await table.ada.slash(table.games, "review hint")).response
    assert "You can force a win." in text_of(hint)
    assert "moves" not in text_of(hint)
    await table.ada.click(hint, label="How good is it?")
    assert "After it: winning in 3 moves" in text_of(hint)
    assert "Hint 1 of 3" in text_of(hint)
    assert [label[:4] for label in buttons_of(hint)] == ["Play"]


async def test_asking_again_in_the_same_position_finds_the_same_move(table: Table) -> None:
    board = await table.pair(game="tic-tac-toe", rated=False)
    reviews, matches = table.bot.services.reviews, table.bot.services.matches
    first = await reviews.hint(await matches.match(table.first_match))
    assert await reviews.hint(await matches.match(table.first_match)) is first
    await table.play(board, "a1")
    assert await reviews.hint(await matches.match(table.first_match)) is not first


@pytest.mark.slow
async def test_hints_run_out_also_after_a_restart(table: Table) -> None:
    board = await table.pair(rated=False)
    for number, moves in (1, "1 7"), (2, "1 7"):
        answer = (await table.ada.slash(table.games, "review hint")).response
        assert f"Hint {number} of 3" in text_of(answer)
        await table.play(board, moves)
    await table.restart()
    assert "Hint 3 of 3" in text_of((await table.ada.slash(table.games, "review hint")).response)
    await table.play(table.board(), "2 6")
    assert "all 3 hints" in await table.refused(table.ada.slash(table.games, "review hint"))


@pytest.mark.slow
async def test_asking_again_in_the_same_position_costs_no_other_hint(table: Table) -> None:
    board = await table.pair(rated=False)
    for number in 1, 2, 3:
        for _ in range(2):
            answer = (await table.ada.slash(table.games, "review hint")).response
            assert f"Hint {number} of 3" in text_of(answer)
        await table.play(board, "1 7")
    assert "all 3 hints" in await table.refused(table.ada.slash(table.games, "review hint"))


@pytest.mark.slow
async def test_each_person_has_hints_of_their_own(table: Table) -> None:
    board = await table.pair(game="tic-tac-toe", rated=False)
    await table.ada.slash(table.games, "review hint")
    await table.ada.click(board, label="a1")
    answer = (await table.ben.slash(table.games, "review hint")).response
    assert "Hint 1 of 3" in text_of(answer)
    assert "**b2**" in text_of(answer)


@pytest.mark.slow
async def test_rated_matches_have_no_hints(table: Table) -> None:
    await table.pair()
    assert "casual" in await table.refused(table.ada.slash(table.games, "review hint"))


async def test_a_hint_before_its_kernels_are_compiled_says_how_long_and_is_not_counted(table: Table) -> None:
    await table.pair(game="tic-tac-toe", rated=False)
    with cold(table.bot.services.search):
        told = text_of((await table.ada.slash(table.games, "review hint")).response)
        assert re.fullmatch(r"I’m still getting ready for this game, about \d+ s more. Ask again then.", told)
    assert "Hint 1 of 3" in text_of((await table.ada.slash(table.games, "review hint")).response)


async def test_a_review_before_its_kernels_are_compiled_says_how_long(table: Table) -> None:
    board = await table.pair(game="tic-tac-toe")
    await table.play(board, "a1 b1 a2 b2 a3")
    with cold(table.bot.services.search):
        assert "getting ready" in await table.refused(table.ada.click(board, label="Review"))


@pytest.mark.slow
async def test_only_the_player_to_move_gets_and_pays_for_a_hint(table: Table) -> None:
    board = await table.pair(game="tic-tac-toe", rated=False)
    assert "turn" in await table.refused(table.ben.slash(table.games, "review hint"))
    await table.ada.click(board, label="a1")
    assert "Hint 1 of 3" in text_of((await table.ben.slash(table.games, "review hint")).response)


@pytest.mark.slow
async def test_a_hint_that_the_end_of_the_bot_interrupts_is_not_counted(table: Table) -> None:
    await table.pair(game="tic-tac-toe", rated=False)
    table.bot.services.search.hold({spec_of("tic-tac-toe").search.evaluator_kind})
    asked = asyncio.ensure_future(table.ada.slash(table.games, "review hint"))
    await until_waiting(table)
    await table.bot.drain(1)
    await table.bot.finish_presses(1)
    assert (
        text_of((await asked).response)
        == "I’m being restarted and couldn’t finish this. Ask me again in a minute."
    )
    await table.restart()
    assert "Hint 1 of 3" in text_of((await table.ada.slash(table.games, "review hint")).response)


@pytest.mark.slow
async def test_a_review_that_the_end_of_the_bot_interrupts_says_so(own_table: Table) -> None:
    board = await own_table.pair(game="tic-tac-toe")
    await own_table.play(board, "a1 b1 a2 b2 a3")
    own_table.bot.services.search.hold({spec_of("tic-tac-toe").search.evaluator_kind})
    asked = asyncio.ensure_future(own_table.ada.click(board, label="Review"))
    await until_waiting(own_table)
    await own_table.bot.drain(1)
    await own_table.bot.finish_presses(1)
    answer: Any = await asked
    assert "I’m being restarted" in "".join(map(line_of, (answer.response, *answer.followups)))


async def until_waiting(table: Table) -> None:
    async with asyncio.timeout(MAX_TEST_WAIT_SECONDS):
        while not table.bot.services.search.waiting:
            await asyncio.sleep(0.01)


def described(message: Any) -> str:
    """The alternative text of the board's picture."""
    (text,) = (
        item["description"]
        for part in parts_of(message)
        for item in part.get("items", ())
        if item["media"]["url"].endswith("board.png")
    )
    return str(text)


@pytest.mark.slow
async def test_threats_are_marked_on_a_picture_and_in_its_alternative_text(own_table: Table) -> None:
    await own_table.bot.services.settings.prefer(own_table.ben.id, Preferences(size=Size.LARGE))
    board = await own_table.pair(rated=False)
    await own_table.play(board, "1 7 2 7 3")
    answer = (await own_table.ben.slash(own_table.games, "review hint")).response
    assert "Small marks: a disc there completes a row, ● for 🔴, ◆ for 🟡." in text_of(answer)
    assert "X threatens row 1 of column 4: it can be played now, or falls to that side" in described(answer)
    plain = (await own_table.ada.slash(own_table.games, "match board")).response
    assert "Small marks" not in line_of(plain)


@pytest.mark.slow
async def test_boards_without_threats_or_pictures_have_no_legend_of_marks(own_table: Table) -> None:
    await own_table.bot.services.settings.prefer(own_table.ada.id, Preferences(size=Size.LARGE))
    board = await own_table.pair(rated=False)
    answer = (await own_table.ada.slash(own_table.games, "review hint")).response
    assert "Small marks" not in text_of(answer)
    assert "threatens" not in described(answer)
    await own_table.play(board, "1 7 2 7 3")
    answer = (await own_table.ben.slash(own_table.games, "review hint")).response
    assert "Small marks" not in text_of(answer), "Ben reads boards as text"


async def test_there_is_no_hint_while_an_opening_is_placed_and_none_is_counted(table: Table) -> None:
    await table.pair(game="gomoku", board="9x9-swap2", rated=False)
    answer = (await table.ada.slash(table.games, "review hint")).response
    assert "no hint while the opening is placed" in text_of(answer)
    assert not await table.bot.parts.stores.hints.has_any(table.first_match)
