"""Two bots with one token: logged once, and not for a lost connection now and then."""

from __future__ import annotations

import pytest

from bot.ui.duplicate_bots import MAX_COLLISIONS, DuplicateBotDetector
from tests.bot.sittings import Clock


def test_repeated_collisions_are_logged_once_an_hour(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    detector = DuplicateBotDetector(clock)
    for _ in range(3 * MAX_COLLISIONS):
        clock.advance(seconds=30)
        detector.record()
    assert not caplog.records, "lost connections"
    for hours, lines in ((0, 1), (0, 1), (2, 2)):
        clock.advance(hours=hours)
        for _ in range(MAX_COLLISIONS):
            detector.record()
        assert len(caplog.records) == lines
