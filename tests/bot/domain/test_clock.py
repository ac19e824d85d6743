"""Clocks: what their numbers say, and whose the time of a press is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.domain.clock import Clock, heard_until, moment_of
from bot.services.checked_terms import CLOCKS

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize("number", CLOCKS)
def test_every_clock_that_is_offered_is_told_by_its_number(number: int) -> None:
    assert Clock.of(number).number == number


def test_positive_numbers_of_clocks_are_seconds_for_each_move() -> None:
    assert Clock.of(259_200) == Clock(259_200)
    assert Clock.of(-180_002) == Clock(180, 2)
    assert Clock(60, 0).number == -60_000
    assert Clock.of(0) == Clock(0)


def test_time_decides_when_every_press_that_could_count_has_arrived() -> None:
    assert heard_until(NOW) == NOW - timedelta(seconds=3)
    earliest = min(moment_of(NOW - timedelta(seconds=ago / 10), NOW) for ago in range(50))
    assert earliest == heard_until(NOW)


@pytest.mark.parametrize(("ago", "counted"), [(0.0, 0.0), (2.5, 2.5), (3.0, 3.0), (3.5, 0.0), (-1.0, 0.0)])
def test_the_time_between_a_press_and_our_answer_is_ours_unless_the_clocks_disagree(
    ago: float, counted: float
) -> None:
    assert moment_of(NOW - timedelta(seconds=ago), NOW) == NOW - timedelta(seconds=counted)
    assert moment_of(None, NOW) == NOW
