"""The lines about a match: its last move."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.domain.match import Channel, Match, Seat
from bot.presentation.status import last_move, result
from engine.games.conformance import MAX_PLIES
from tests.bot.made_once import all_texts
from tests.long_game import long_game

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SEATS = (Seat("Crash", level="plugin:crash"), Seat("Ada", user_id=1))


@pytest.mark.parametrize("language", all_texts().languages)
def test_the_line_under_the_board_says_that_an_agent_failed_and_why(language: str) -> None:
    match = Match.begin("connect-four", "6x7x4", SEATS, Channel(10, 20), NOW)
    t = all_texts().of(language)
    failed = last_move(t, match.play_agent(3, NOW, turn=0, seconds=0.1, forfeit="it raised *Oops*"))
    fine = last_move(t, match.play_agent(3, NOW, turn=0, seconds=0.1))
    assert failed is not None
    assert fine is not None
    assert failed.startswith(fine)
    assert "⚠️" in failed
    assert failed.count("Crash") == 2
    assert r"it raised \*Oops\*" in failed
    assert "⚠️" not in fine


def test_the_longest_match_is_shown_after_a_restart() -> None:
    seats = (Seat("Ada", user_id=1), Seat("Ben", user_id=2))
    moves = long_game(MAX_PLIES)
    # As a match that comes from the database: none of its positions was shown.
    match = Match.begin("pop-out", "6x7", seats, Channel(10, 20), NOW, opening=moves[:-1])
    match = match.play(2, moves[-1], NOW)
    assert result(all_texts().of("en"), match) == "🤝 **A draw**: the match has 1000 moves."
    assert (last_move(all_texts().of("en"), match) or "").startswith("Ben")
