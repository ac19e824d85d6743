"""The table of all levels: its rows, and the positions in which one move wins."""

from __future__ import annotations

import pytest

from bench import levels, mistakes
from engine.agents.levels import levels_of


def test_every_level_has_its_row(capsys: pytest.CaptureFixture[str]) -> None:
    levels.rows_of("tic-tac-toe", games=4, seconds=0.2)
    rows = capsys.readouterr().out.splitlines()
    assert [row.split(" | ")[1] for row in rows] == [level.name for level in levels_of("tic-tac-toe")]


@pytest.mark.parametrize("game", ["kalah", "draughts", "dots-and-boxes"])
def test_the_only_move_that_wins_at_once_is_known_in_games_without_lines(game: str) -> None:
    ((what, positions),) = mistakes.tests_of(game, 3).items()
    assert what[0] == "win"
    assert len(positions) == 3
    for state, move in positions:
        for other in state.legal_moves():
            outcome = state.play(other).outcome()
            assert (outcome is not None and outcome.winner is state.to_move) == (other == move)
