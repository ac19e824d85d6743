"""Reviews of finished matches: their texts, their buttons, and the right to see them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from bot.services.reviews import Reviews
from engine.analysis.evaluators import ESTIMATE, Estimator
from engine.core import Limit
from engine.games import game
from tests.bot.table import Table, buttons_of, line_of, parts_of, text_of


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


LINE = "1 7 2 7 3 7 4"
"""Ada makes four in the bottom row while Ben looks elsewhere."""


def patient(table: Table) -> Table:
    """Nothing is proved any further once the first review is whole."""
    reviews = Reviews(table.bot.services.search, later_seconds=0.0)
    table.bot.services = replace(table.bot.services, reviews=reviews)
    return table


async def finished(table: Table, **options: Any) -> Any:
    board = await patient(table).pair(**options)
    await table.play(board, "b2 a1 b1 a2 b3" if options else LINE)
    return board


def descriptions_of(message: Any) -> list[str]:
    return [item["description"] for part in parts_of(message) if part["type"] == 12 for item in part["items"]]


async def press_arrow(person: Any, review: Any, arrow: str) -> None:
    ids = {part["emoji"]["name"]: part["custom_id"] for part in parts_of(review) if part.get("emoji")}
    await person.click(review, custom_id=ids[arrow])


@pytest.mark.slow
async def test_the_review_names_the_losing_move_and_what_was_better(table: Table) -> None:
    board = await finished(table)
    review = (await table.ben.click(board, label="Review")).response
    assert review.ephemeral
    text = text_of(review)
    assert "### Review: Connect Four" in text
    assert "The losing move: 🟡 Ben’s **move 6, column 7**" in text
    assert "; **column 4**" in text
    kinds = [part["type"] for part in parts_of(review)]
    assert kinds.index(1) < kinds.index(12), "the buttons to step come before the plot"
    assert {"Share", "Train my mistakes"} <= set(buttons_of(review))
    assert kinds.count(1) == 3, "a fourth row of buttons would take it off the screen"
    assert text.index("Move 6, 🟡 Ben") < text.index("accuracy")
    assert "❌ Move 6, 🟡 Ben: **column 7**, a blunder. Now lost in 1 move." in text
    assert "Ada can now play **column 4**: it wins at once." in text
    better = text.partition("Better was ")[2]
    assert better.startswith("**column 4**: ")
    assert "\nWhy: it stops 4 in a row" in better, "the reason follows, and the move is not named again"
    assert "🔴 Ada: accuracy **" in text
    (described,) = descriptions_of(review)
    assert "Ada ahead after moves" in described
    assert "-# Bars: who was winning, move by move; up is Ada. Dots: mistakes." in text
    (picture,) = review.attachments
    assert (await picture.read()).startswith(b"\x89PNG")


@pytest.mark.slow
async def test_the_board_follows_when_proofs_find_another_worst_move(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.analysis.review.FIRST_SECONDS", 0.0)  # the first values are estimates
    reviews = Reviews(table.bot.services.search, later_seconds=120.0)
    table.bot.services = replace(table.bot.services, reviews=reviews)
    board = await table.pair()
    await table.play(board, "4 5 2 3 3 6 4 4 5 6 2")
    shown = (await table.ben.click(board, label="Review")).response
    async with asyncio.timeout(120):
        while "Checked by an exact solver." not in text_of(shown):
            await asyncio.sleep(0.05)
    assert "\n⚠️ Move 8, 🟡 Ben: **column 4**, a mistake. Now lost in 2 moves." in text_of(shown)


@pytest.mark.slow
async def test_the_plot_in_words_names_one_move_as_one(table: Table) -> None:
    board = await table.pair(game="tic-tac-toe", rated=False)
    await table.play(board, "a1 a2 c3")  # a2 loses, and c3 gives it back
    asked = await table.ada.slash(table.games, "match resign")
    await table.ada.click(asked.response, label="Yes, resign")
    (described,) = descriptions_of((await table.ada.click(board, label="Review")).response)
    assert "even after move 1; Ada ahead after move 2; even after move 3." in described


@pytest.mark.slow
async def test_buttons_step_through_the_match(table: Table) -> None:
    board = await finished(table, game="tic-tac-toe")
    review = (await table.ada.click(board, label="Review")).response
    assert "Checked by an exact solver." in text_of(review)
    await press_arrow(table.ada, review, "⏮️")
    assert "The start: a draw" in text_of(review)
    assert [label for label, is_live in buttons_of(review).items() if not is_live] == ["◀️", "⏮️"]
    await press_arrow(table.ada, review, "▶️")
    assert "Move 1, ❌ Ada: **b2**, the best move. Now a draw." in text_of(review)
    await press_arrow(table.ada, review, "⏭️")
    assert "Move 5, ❌ Ada: **b3**, the best move. Now won." in text_of(review)
    await press_arrow(table.ada, review, "◀️")
    assert "Move 4" in text_of(review)
    assert "a blunder" in text_of(review)
    assert not buttons_of(review)["Next mistake"], "it is the only one"
    await press_arrow(table.ada, review, "⏮️")
    await table.ada.click(review, label="Next mistake")
    assert "Move 4" in text_of(review)
    assert len(review.attachments) == 1


async def test_next_mistake_goes_from_one_to_the_next_and_then_to_the_first(table: Table) -> None:
    board = await table.pair(game="tic-tac-toe", rated=False)
    await table.play(board, "a1 a2 c3 a3 b1 c1 b2")  # a2 loses, c3 gives it back, a3 loses, b1 gives it back
    review = (await table.ada.click(board, label="Review")).response
    await press_arrow(table.ada, review, "⏮️")
    seen = []
    for _ in range(5):
        await table.ada.click(review, label="Next mistake")
        seen.append(next(n for n in range(1, 8) if f"Move {n}, " in text_of(review)))
    assert seen == [2, 3, 4, 2, 3]


@pytest.mark.slow
async def test_a_drawn_match_names_the_last_win_that_was_missed(table: Table) -> None:
    board = await patient(table).pair(game="tic-tac-toe")
    await table.play(board, "b2 b1 a1 c3 a3 c1 c2 a2 b3")
    text = text_of((await table.ada.click(board, label="Review")).response)
    assert "A win missed: " in text
    assert "Ada’s **move 7, c2** threw away a win; **a2** won" in text
    assert "Ben’s" not in text
    assert "lost this match" not in text


@pytest.mark.slow
async def test_a_draw_without_a_chance_says_so(table: Table) -> None:
    board = await patient(table).pair(game="tic-tac-toe")
    await table.play(board, "b2 a1 a2 c2 b1 b3 a3 c1 c3")
    text = text_of((await table.ada.click(board, label="Review")).response)
    assert "Neither side ever had a win to miss." in text


@pytest.mark.slow
async def test_a_review_can_be_stepped_after_a_restart(table: Table) -> None:
    board = await finished(table, game="tic-tac-toe")
    review = (await table.ada.click(board, label="Review")).response
    await table.restart()
    await press_arrow(table.ada, review, "⏮️")
    assert "The start: a draw" in text_of(review)


@pytest.mark.slow
async def test_analyze_means_the_last_finished_match_here(table: Table) -> None:
    await finished(table, game="tic-tac-toe")
    await table.pair()
    review = (await table.ada.slash(table.games, "review analysis")).response
    assert "### Review: Tic-tac-toe" in text_of(review)
    offered = await table.ada.autocomplete(table.games, "review analysis", "match", "")
    assert [choice["value"] for choice in offered] == [str(table.first_match)]


@pytest.mark.slow
async def test_a_resigned_match_is_reviewed_up_to_its_end(table: Table) -> None:
    await patient(table).pair(game="othello", board="6x6")
    await table.ada.slash(table.games, "move", to="b3")
    await table.bot.services.playing.resign(table.first_match, table.person(table.ada))
    review = (await table.ada.slash(table.games, "review analysis")).response
    text = text_of(review)
    assert "### Review: Othello, 6×6" in text
    assert "Values are estimates." in text


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({}, "no finished match in this channel"),
        ({"match": "{running}"}, "still running"),
        ({"match": "77"}, "77"),
        ({"match": "nonsense"}, "nonsense"),
    ],
)
async def test_matches_that_cannot_be_reviewed_are_refused(
    table: Table, options: dict[str, str], says: str
) -> None:
    await table.pair()
    options = {name: value.format(running=table.first_match) for name, value in options.items()}
    assert says in await table.refused(table.ada.slash(table.games, "review analysis", **options))


async def test_strangers_may_not_review_a_match_from_elsewhere(table: Table) -> None:
    await finished(table, game="tic-tac-toe")
    assert "Ada" in await table.refused(
        table.eve.slash(table.games, "review analysis", match=str(table.first_match))
    )


@pytest.mark.slow
async def test_a_match_without_a_move_has_nothing_to_review(table: Table) -> None:
    board = await table.pair()
    await table.bot.display.show(
        await table.bot.services.playing.resign(table.first_match, table.person(table.ada))
    )
    assert "Review" not in buttons_of(board)
    assert "No move was made" in line_of((await table.ada.slash(table.games, "review analysis")).response)


async def test_a_forged_press_from_another_channel_shows_nothing(table: Table) -> None:
    board = await finished(table, game="tic-tac-toe")
    match = await table.bot.services.matches.match(table.first_match)
    elsewhere = replace(match, location=replace(match.channel, channel_id=match.channel.channel_id + 1))
    await table.bot.parts.stores.matches.save(match, replace(elsewhere, version=match.version + 1))
    for label in ("Review", "Replay"):
        assert "Ada" in await table.refused(table.eve.click(board, label=label))
