"""Two bots with one token: said once, and not for a torn connection now and then."""

from __future__ import annotations

import pytest

from bot.ui.twins import MOST, Twins
from tests.bot.sittings import Clock


def test_answers_that_somebody_else_has_given_are_one_line_an_hour(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    twins = Twins(clock)
    for _ in range(3 * MOST):
        clock.advance(seconds=30)
        twins.note()
    assert not caplog.records, "torn connections"
    for hours, lines in ((0, 1), (0, 1), (2, 2)):
        clock.advance(hours=hours)
        for _ in range(MOST):
            twins.note()
        assert len(caplog.records) == lines
