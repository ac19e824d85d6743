"""Choices for a new match, as text in custom_ids and the database."""

from __future__ import annotations

import itertools

import pytest

from bot.domain.panel_choices import Against, Mode, Start, is_writable
from bot.domain.terms import Fair, First
from bot.services.checked_terms import CLOCKS, NO_CLOCK
from bot.ui.panel.routes import PANEL, Press


@pytest.mark.parametrize(("first", "mode", "against"), list(itertools.product(First, Mode, Against)))
def test_choices_are_written_and_read(first: First, mode: Mode, against: Against) -> None:
    start = Start("connect-four", "otto", first, mode, against, 123 if against is Against.FRIEND else None)
    assert Start.read(str(start)) == start
    assert Start.read(str(Start("othello"))) == Start("othello")


@pytest.mark.parametrize(("fair", "clock"), list(itertools.product(Fair, (None, NO_CLOCK, *CLOCKS))))
def test_fair_starts_and_clocks_are_written_and_read(fair: Fair, clock: int | None) -> None:
    start = Start("connect-four", "plugin:mine", fair=fair, clock=clock)
    assert Start.read(str(start)) == start


def test_a_text_without_a_clock_is_read() -> None:
    assert Start.read("connect-four.m.r.b..otto") == Start("connect-four", "otto", First.ME, Mode.RATED)
    assert str(Start("connect-four", "otto", First.ME, Mode.RATED)) == "connect-four.m.r.b..otto"


@pytest.mark.parametrize("friend", [None, 2**64 - 1])
def test_the_longest_one_fits_into_a_button(friend: int | None) -> None:
    start = Start("g" * 24, "l" * 32, friend=friend, fair=Fair.PIE, clock=min(CLOCKS))
    custom_id = PANEL(Press.PICK_FRIEND, start)
    assert len(custom_id) <= 100
    assert PANEL.read(custom_id) is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "othello",
        "othello.r.c.b..pip.x",
        "othello.r.c.b..pip.u60.u60",
        "othello.r.c.b..pip.60",
        "othello.x.c.b..pip",
        "othello.r.c.b..pip!",
        "a.r.c.b.-1.pip",
    ],
)
def test_an_invalid_text_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="no start"):
        Start.read(text)


def test_the_choices_to_offer_next_time_have_no_friend() -> None:
    assert Start("othello", against=Against.FRIEND, friend=7).to_remember.friend is None


def test_the_choices_to_offer_next_time_have_no_level_that_no_text_can_hold() -> None:
    for level in ("plugin:mine", "minimax:depth=8", "mcts:simulations=100000"):
        assert Start("othello", level).to_remember.level == level
        assert Start.read(str(Start("othello", level))).level == level
    for level in ("perfect:slips=6,spread=6", "l" * 33, ""):
        assert not is_writable(level)
        assert Start("othello", level).to_remember.level is None
