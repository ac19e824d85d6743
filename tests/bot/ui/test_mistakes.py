"""Training one's own mistakes in Discord: from a review, a command or a reminder, privately to the end."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.bot.table import Table, buttons_of, line_of, parts_of, text_of

LOST = "a1 b1 a2 b2 c1 b3"
"""Ada plays c1 where a3 wins at once, and Ben wins at b3. His first move was a blunder, too."""


@pytest.fixture
def table(shared_table: Table) -> Table:
    return shared_table


async def trained(table: Table, person: Any = None) -> Any:
    """The private message with the position of Ada's blunder, opened from the review of her match."""
    person = person or table.ada
    board = await table.pair(game="tic-tac-toe", rated=False)
    await table.play(board, LOST)
    review = (await person.click(board, label="Review")).response
    answer = await person.click(review, label="Train my mistakes")
    assert answer.ephemeral
    return answer.response


def id_of(message: Any, label: str) -> str:
    (found,) = (part["custom_id"] for part in parts_of(message) if part.get("label") == label)
    return str(found)


async def test_a_blunder_is_trained_under_its_review(table: Table) -> None:
    posed = await trained(table)
    text = text_of(posed)
    assert "### 🪞 Position 1 of 1" in text
    assert "Tic-tac-toe, your match against Ben, move 5" in text
    assert "You played **c1**, and it threw away a win. **Find better.**" in text
    assert {"a3", "Show me", "Stop"} <= set(buttons_of(posed))

    wrong = (await table.ada.click(posed, label="c1")).response
    assert "❌ **c1** is wrong: lost in 1 move." in text_of(wrong)
    assert "can now play **b3**" in text_of(wrong)
    assert "It comes again tomorrow." in text_of(wrong)
    assert list(buttons_of(wrong)) == ["Try again", "Show me", "Next position"]

    again = (await table.ada.click(wrong, label="Try again")).response
    right = (await table.ada.click(again, label="a3")).response
    assert "✅ **a3** is right" in text_of(right)
    assert "This try was practice" in text_of(right)
    assert "0 learnt · 0 left today · nothing is rated" in text_of(right)

    over = (await table.ada.click(right, label="Next position")).response
    assert "That’s all for today. The next position comes on" in text_of(over)


async def test_a_right_answer_comes_again_in_three_days(table: Table) -> None:
    posed = await trained(table)
    right = (await table.ada.click(posed, label="a3")).response
    assert "You see it again in 3 days." in text_of(right)
    assert list(buttons_of(right)) == ["Next position", "Stop"]
    assert (await table.bot.services.puzzles.standing(table.ada.id)).row is None


async def test_the_better_move_is_shown_with_its_reason(table: Table) -> None:
    shown = (await table.ada.click(await trained(table), label="Show me")).response
    assert "**a3**: it wins" in text_of(shown)
    assert "It comes again tomorrow." in text_of(shown)


async def test_a_strangers_press_changes_nothing(table: Table) -> None:
    posed = await trained(table)
    theirs = (await table.ben.slash(table.games, "puzzle mistakes")).response
    for label in ("a3", "Show me"):
        await table.forge(table.ben, theirs, id_of(posed, label))
        await table.forge(table.eve, table.board(), id_of(posed, label))
    right = (await table.ada.click(posed, label="a3")).response
    assert "You see it again in 3 days." in text_of(right)


async def test_who_only_watched_has_nothing_to_train(table: Table) -> None:
    board = await table.pair(game="tic-tac-toe", rated=False)
    await table.play(board, LOST)
    review = (await table.eve.click(board, label="Review")).response
    assert "Next mistake" in buttons_of(review)
    assert "Train my mistakes" not in buttons_of(review)


async def test_of_two_messages_with_a_position_one_is_answered(table: Table) -> None:
    posed = await trained(table)
    other = (await table.ada.slash(table.games, "puzzle mistakes")).response
    await table.ada.click(posed, label="a3")
    (told,) = (await table.ada.click(other, label="c1")).followups
    assert told.flags.ephemeral
    assert "You have answered this position" in text_of(told) + told.content
    (one,) = await table.bot.parts.stores.mistakes.of_person(table.ada.id)
    assert (one.version, one.rights) == (1, 1)


async def test_the_command_finds_the_mistakes_of_the_last_matches(table: Table) -> None:
    assert "Nothing to train" in line_of((await table.eve.slash(table.games, "puzzle mistakes")).response)
    board = await table.pair(game="tic-tac-toe", rated=False)
    await table.play(board, LOST)
    posed = await table.ben.slash(table.games, "puzzle mistakes")
    assert posed.ephemeral
    assert "your match against Ada, move 2" in text_of(posed.response)
    stopped = (await table.ben.click(posed.response, label="Stop")).response
    assert "0 learnt · 1 left today" in text_of(stopped)
    assert "your match against Ada" in text_of((await table.ben.click(stopped, label="Start")).response)


# Reminders and days


@pytest.mark.slow
async def test_a_person_is_reminded_where_they_play_once_a_day(own_table: Table) -> None:
    table = own_table
    posed = await trained(table)

    async def ended() -> list[Any]:
        """What Ada is told privately after a match that she ends."""
        await table.pair(game="tic-tac-toe", rated=False)
        asked = await table.ada.slash(table.games, "match resign")
        return list((await table.ada.click(asked.response, label="Yes, resign")).followups)

    await ended()  # asks whether to rate the next match, once
    (told,) = [one for one in await ended() if "wait" in text_of(one)]
    assert told.flags.ephemeral
    assert "🪞 1 of your positions waits" in text_of(told)
    assert list(buttons_of(told)) == ["Start", "Later", "No more reminders"]
    assert not any("wait" in text_of(one) for one in await ended())

    await table.restart()
    start = (await table.ada.click(told, label="Start")).response
    assert "your match against Ben, move 5" in text_of(start)
    right = (await table.ada.click(posed, label="a3")).response
    assert "You see it again in 3 days." in text_of(right), "buttons of before the restart work"

    table.clock.ahead += timedelta(days=3)
    (told,) = [one for one in await ended() if "wait" in text_of(one)]
    quiet = (await table.ada.click(told, label="No more reminders")).response
    assert "No more reminders." in line_of(quiet)
    table.clock.ahead += timedelta(days=1)
    assert not any("wait" in text_of(one) for one in await ended())
    posed = (await table.ada.slash(table.games, "puzzle mistakes")).response
    stopped = (await table.ada.click(posed, label="Stop")).response
    assert list(buttons_of(stopped)) == ["Start", "Remind me again"]
    await table.ada.click(stopped, label="Remind me again")
    assert any("wait" in text_of(one) for one in await ended())
