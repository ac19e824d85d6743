"""Tic-tac-toe: checks of its whole game tree."""

from __future__ import annotations

import pytest

from engine.core import EndReason, Outcome, Player
from engine.games import game
from engine.games.tic_tac_toe.rules import LINES, TicTacToeState


def test_the_lines_are_the_rows_the_columns_and_the_diagonals() -> None:
    wanted = {(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)}
    assert {tuple(bit for bit in range(9) if line >> bit & 1) for line in LINES} == wanted


@pytest.mark.slow
def test_the_whole_tree_has_the_known_numbers_of_results() -> None:
    """255,168 games: 131,184 won by the first player, 77,904 by the second, 46,080 drawn (Bottomley)."""
    results: dict[Player | None, int] = {Player.FIRST: 0, Player.SECOND: 0, None: 0}

    def walk(state: TicTacToeState) -> None:
        outcome = state.outcome()
        if outcome is not None:
            results[outcome.winner] += 1
            return
        for move in state.legal_moves():
            walk(state.play(move))

    start = game("tic-tac-toe").start()
    assert isinstance(start, TicTacToeState)
    walk(start)

    assert results == {Player.FIRST: 131_184, Player.SECOND: 77_904, None: 46_080}


def test_a_line_made_with_the_last_mark_wins() -> None:
    state = game("tic-tac-toe").start()
    for move in (0, 1, 2, 3, 4, 5, 7, 6, 8):
        state = state.play(move)
    assert state.outcome() == Outcome(Player.FIRST, EndReason.LINE, (0, 4, 8))
