"""The lines about a match: its last move."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random

import pytest

from bot.domain.match import Channel, Match, Seat
from bot.presentation.status import last_move
from engine.core import Move
from engine.games import game as game_of
from tests.bot.made_once import all_texts

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


def long_game(plies: int) -> list[Move]:
    """Moves of Pop Out that end no game: discs are taken out where possible, so that few lie on the board."""
    rng, state, moves = Random(1), game_of("pop-out").start(), list[Move]()
    while len(moves) < plies:
        legal = [move for move in state.legal_moves() if state.play(move).outcome() is None]
        moves.append(rng.choice([move for move in legal if move >= state.columns] or legal))
        state = state.play(moves[-1])
    return moves


def test_a_match_of_1500_moves_is_shown_after_a_restart() -> None:
    seats = (Seat("Ada", user_id=1), Seat("Ben", user_id=2))
    moves = long_game(1500)
    # As a match that comes from the database: none of its positions was shown.
    match = Match.begin("pop-out", "6x7", seats, Channel(10, 20), NOW, opening=moves[:-1])
    match = match.play(2, moves[-1], NOW)
    assert (last_move(all_texts().of("en"), match) or "").startswith("Ben")
