"""Proofs in their time on a busy machine, for tests of what they say about positions that are solved."""

from __future__ import annotations

import pytest

from bot.services import coaching, reviews, vote_scores
from engine.analysis import review
from tests.working import MAX_TEST_WAIT_SECONDS


def judge_patiently() -> None:
    """Let an agent's answer wait for the coach until a busy machine has loaded compiled code for it."""
    coaching.JUDGED_WITHIN_SECONDS = MAX_TEST_WAIT_SECONDS


def prove_patiently(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give every search that a person waits for a minute: where all is proved in a moment, none takes it.

    An unsolved position takes all of its time; tests of such games go without this.
    """
    for module, names in (
        (coaching, ("SEARCH_SECONDS",)),
        (review, ("FIRST_SECONDS", "FIRST_EACH")),
        (reviews, ("HINT_SECONDS", "MOVE_SECONDS", "MOVES_SECONDS")),
        (vote_scores, ("SECONDS_EACH",)),
    ):
        for name in names:
            assert hasattr(module, name)
            monkeypatch.setattr(module, name, MAX_TEST_WAIT_SECONDS)
