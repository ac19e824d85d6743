"""The form of a challenge offers every board there is room for."""

from __future__ import annotations

from bot.ui.match.challenge_form import MOST_OPTIONS, offered_boards
from engine.games import GAMES
from engine.games.tic_tac_toe import TicTacToe


class Another(TicTacToe):
    boards = ("3x3", "4x4", "5x5", "6x6")

    def __init__(self, number: int) -> None:
        self.key = f"another-{number}"


def test_every_board_of_our_games_is_offered() -> None:
    expected = [(key, board) for key, game in GAMES.items() for board in game.boards]
    assert offered_boards(tuple(GAMES.values())) == expected


def test_with_many_games_each_keeps_its_usual_boards() -> None:
    offered = offered_boards([Another(number) for number in range(10)])
    assert len(offered) == MOST_OPTIONS
    for number in range(10):
        assert [board for key, board in offered if key == f"another-{number}"][:2] == ["3x3", "4x4"]
