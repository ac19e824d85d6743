"""What a person wants to begin, as the text that buttons carry and the database keeps."""

from __future__ import annotations

import itertools

import pytest

from bot.domain.challenge import First
from bot.domain.start import Against, Mode, Start, is_writable


@pytest.mark.parametrize(("first", "mode", "against"), list(itertools.product(First, Mode, Against)))
def test_what_was_written_is_read_again(first: First, mode: Mode, against: Against) -> None:
    start = Start("connect-four", "otto", first, mode, against, 123 if against is Against.FRIEND else None)
    assert Start.read(str(start)) == start
    assert Start.read(str(Start("othello"))) == Start("othello")


def test_the_longest_one_leaves_room_for_the_rest_of_a_button() -> None:
    start = Start("g" * 24, "l" * 32, friend=2**64 - 1)
    assert len(str(Start.read(str(start)))) <= 88


@pytest.mark.parametrize(
    "text", ["", "othello", "othello.x.c.b..pip", "othello.r.c.b..pip!", "a.r.c.b.-1.pip"]
)
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no start"):
        Start.read(text)


def test_a_friend_is_not_remembered() -> None:
    assert Start("othello", against=Against.FRIEND, friend=7).to_remember.friend is None


def test_a_level_that_no_text_can_hold_is_not_remembered() -> None:
    assert is_writable("plugin:mine")
    for level in ("minimax:depth=8", "l" * 33, ""):
        assert not is_writable(level)
        assert Start("othello", level).to_remember.level is None
