"""Seed 004, "Tabuleiro Othello": the university championship's rules, board, players and screen."""

from __future__ import annotations

import logging
import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest
from rich.console import Console

from engine.agents import make_agent
from engine.cli.sitting import Chair, Sitting
from engine.core import Limit, Player, State
from engine.games import game
from engine.games.othello import OthelloState
from engine.plugins.championship import Board, Move, board_of
from engine.plugins.discovery import Plugin, discover
from engine.plugins.limits import HARD_SECONDS
from tests.engine.cli.commands import engine

RULES = game("othello")
START = RULES.start()

NO_MOVE_LEFT = OthelloState(8, own=1 << 63, opponent=0b110)

Found = Callable[..., dict[str, Plugin]]


@pytest.fixture(autouse=True)
def warnings_alone(caplog: pytest.LogCaptureFixture) -> None:
    """Keep what plug-ins print out of the log; an earlier test may have lowered the log's level."""
    caplog.set_level(logging.WARNING)


@pytest.fixture
def dropped(tmp_path: Path) -> Iterator[Found]:
    """Drops files, by name, and gives the players that are found."""
    plugins: list[Plugin] = []

    def drop(**files: str) -> dict[str, Plugin]:
        for name, code in files.items():
            (tmp_path / f"{name}.py").write_text(textwrap.dedent(code), "utf-8")
        plugins.extend(discover(tmp_path, entry_points=False))
        return {plugin.level.key.removeprefix("plugin:"): plugin for plugin in plugins}

    yield drop
    for plugin in plugins:
        plugin.close()


def square(name: str) -> int:
    return (int(name[1]) - 1) * 8 + "abcdefgh".index(name[0])


# The rules


def test_two_play_on_8_by_8_with_four_discs_of_alternate_colours_in_the_middle() -> None:
    assert (START.rows, START.columns) == (8, 8)
    held = {index: holder for index, holder in enumerate(START.cells()) if holder is not None}
    assert held == {
        square("d4"): Player.SECOND,
        square("e4"): Player.FIRST,
        square("d5"): Player.FIRST,
        square("e5"): Player.SECOND,
    }


def test_a_line_enclosed_by_a_disc_turns_over_across_down_and_diagonally() -> None:
    """All eight directions at once: white in the middle ring, black around it, and black plays the centre."""
    ring = [square(name) for name in ("c3", "d3", "e3", "c4", "e4", "c5", "d5", "e5")]
    around = [square(name) for name in ("b2", "d2", "f2", "b4", "f4", "b6", "d6", "f6")]
    state = OthelloState(8, sum(1 << s for s in around), sum(1 << s for s in ring))
    after = state.play(square("d4"))
    assert {after.cells()[s] for s in (*ring, *around, square("d4"))} == {Player.FIRST}


def test_a_move_must_turn_something_over() -> None:
    assert {RULES.move_name(START, move) for move in START.legal_moves()} == {"d3", "c4", "f5", "e6"}


def test_a_side_without_a_move_passes() -> None:
    row = sum(1 << square(name) for name in ("c1", "d1", "e1", "f1", "g1", "h1"))
    state = OthelloState(8, own=1 << square("b1"), opponent=row)
    assert [RULES.move_name(state, move) for move in state.legal_moves()] == ["pass"]
    assert state.play(state.pass_move).legal_moves() == (square("a1"),)


def test_the_game_ends_when_neither_can_move_and_more_discs_win() -> None:
    outcome = NO_MOVE_LEFT.outcome()
    assert NO_MOVE_LEFT.legal_moves() == ()
    assert outcome is not None
    assert outcome.winner is Player.SECOND, "two discs to one"


# The board as it is written


def test_the_board_is_a_matrix_with_a_border() -> None:
    board = board_of(START)
    assert [len(board.board), len(board.board[0])] == [10, 10]
    assert ["".join(row) for row in board.board] == [
        "??????????",
        "?........?",
        "?........?",
        "?........?",
        "?...●○...?",
        "?...○●...?",
        "?........?",
        "?........?",
        "?........?",
        "??????????",
    ]


def test_the_signs_match_the_championships_page() -> None:
    assert (Board.EMPTY, Board.BLACK, Board.WHITE, Board.OUTER) == (".", "○", "●", "?")


def test_play_returns_the_board_with_the_move_made() -> None:
    board = Board(None)
    assert board.play(Move(3, 4), Board.BLACK) is board
    assert [board.get_square_color(3, 4), board.get_square_color(4, 4)] == ["○", "○"]


def test_get_square_color_returns_the_sign_there() -> None:
    board = Board(None)
    assert [board.get_square_color(*at) for at in ((1, 1), (4, 5), (4, 4), (0, 3))] == [".", "○", "●", "?"]


def test_get_clone_returns_a_copy() -> None:
    board = Board(None)
    board.get_clone().play(Move(3, 4), Board.BLACK)
    assert board.score() == [2, 2]


def test_valid_moves_returns_every_move_of_a_player() -> None:
    moves = Board(None).valid_moves(Board.BLACK)
    assert [(move.x, move.y) for move in moves] == [(3, 4), (4, 3), (5, 6), (6, 5)]


def test_score_returns_white_then_black() -> None:
    assert Board(None).play(Move(3, 4), Board.BLACK).score() == [1, 4]


def test_opponent_returns_the_other_sign() -> None:
    board = Board(None)
    assert [board._opponent(Board.BLACK), board._opponent(Board.WHITE)] == [Board.WHITE, Board.BLACK]


# Players


def test_a_file_named_player_is_an_agent_and_others_are_not(dropped: Found) -> None:
    code = """
        class ExemploPlayer:
            def __init__(self, color):
                self.color = color
            def play(self, board):
                return board.valid_moves(self.color)[0]
    """
    assert list(dropped(exemplo_player=code, exemplo=code)) == ["exemplo"]


@pytest.mark.slow
def test_a_player_gets_its_colour_and_at_each_move_the_board_as_it_is(
    dropped: Found, caplog: pytest.LogCaptureFixture
) -> None:
    players = dropped(
        exemplo_player="""
        class ExemploPlayer:
            def __init__(self, color):
                self.color = color
            def play(self, board):
                print(self.color, board.score())
                return board.valid_moves(self.color)[0]
        """
    )
    agent = players["exemplo"].make(0)
    assert agent.choose(START, Limit()).info.said == "○ [2, 2]\n"
    assert agent.choose(START.play(square("d3")), Limit()).info.said == "● [1, 4]\n"
    assert not caplog.records


@pytest.mark.slow
def test_a_player_may_look_ahead_with_the_boards_functions(
    dropped: Found, caplog: pytest.LogCaptureFixture
) -> None:
    """Minimax on clones, which the championship demands; it beats the random player."""
    players = dropped(
        minimax_player="""
        class MinimaxPlayer:
            def __init__(self, color):
                self.color = color
            def play(self, board):
                return max(board.valid_moves(self.color), key=lambda move: self.minimum(
                    board.get_clone().play(move, self.color)))
            def minimum(self, board):
                other = board._opponent(self.color)
                after = [board.get_clone().play(move, other) for move in board.valid_moves(other)]
                return min(map(self.value, after or [board]))
            def value(self, board):
                corners = [(1, 1), (1, 8), (8, 1), (8, 8)]
                signs = [board.get_square_color(l, c) for l, c in corners]
                white, black = board.score()
                mine = white - black if self.color == board.WHITE else black - white
                return mine + 50 * (signs.count(self.color) - signs.count(board._opponent(self.color)))
        """
    )
    agent, rng = players["minimax"].make(0), Random(4)
    state: State = START
    while (outcome := state.outcome()) is None:
        mine = state.to_move is Player.FIRST
        state = state.play(agent.choose(state, Limit()).move if mine else rng.choice(state.legal_moves()))
    assert outcome.winner is Player.FIRST
    assert not caplog.records


@pytest.mark.slow
def test_a_move_may_take_ten_seconds_and_no_more(
    dropped: Found, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    assert HARD_SECONDS == 10.0
    (tmp_path / "slow_player.py").write_text(
        "class SlowPlayer:\n"
        "    def __init__(self, color):\n        self.color = color\n"
        "    def play(self, board):\n        while True: pass\n",
        "utf-8",
    )
    (plugin,) = discover(tmp_path, entry_points=False, hard_seconds=0.5, trial_seconds=0)
    assert plugin.make(0).choose(START, Limit()).move in START.legal_moves()
    plugin.close()
    assert "gave no answer within 0.5 s" in caplog.text


def test_there_is_a_player_that_prefers_corners() -> None:
    state = OthelloState(8, 1 << square("c1") | 1 << square("e4"), 1 << square("b1") | 1 << square("d4"))
    assert {square("a1"), square("c4")} == set(state.legal_moves())
    assert {make_agent("corner", seed).choose(state, Limit()).move for seed in range(20)} == {square("a1")}


def test_there_is_a_random_player() -> None:
    assert {make_agent("random", seed).choose(START, Limit()).move for seed in range(40)} == set(
        START.legal_moves()
    )


@pytest.mark.slow
def test_the_base_codes_own_players_can_be_built_upon(
    dropped: Found, caplog: pytest.LogCaptureFixture
) -> None:
    players = dropped(
        both_player="""
        from models.players.corner_player import CornerPlayer
        from models.players.random_player import RandomPlayer
        class BothPlayer:
            def __init__(self, color):
                self.players = [CornerPlayer(color), RandomPlayer(color)]
            def play(self, board):
                self.players.reverse()
                return self.players[0].play(board)
        """
    )
    agent = players["both"].make(0)
    for _ in range(2):
        assert agent.choose(START, Limit()).move in START.legal_moves()
    assert not caplog.records


def test_the_persons_own_file_is_no_agent(dropped: Found, caplog: pytest.LogCaptureFixture) -> None:
    person = (
        "class HumanPlayer:\n    def __init__(self, color): ...\n    def play(self, board): return input()\n"
    )
    assert dropped(human_player=person) == {}
    assert "is left out: in a trial it reads from the keyboard, and there is none here" in caplog.text


# The screen


def test_agents_are_listed_and_black_is_chosen_before_white() -> None:
    done = engine("play", "--game", "othello", "--as-text", typed="person\nrandom\nquit\n")
    assert done.stdout.index("  1  person") < done.stdout.index("Who plays black?")
    assert done.stdout.index("Who plays black?") < done.stdout.index("Who plays white?")
    assert "Black X (you) to move." in done.stdout


def test_the_screen_has_the_score_and_whose_turn_it_is_above_and_the_seconds_below() -> None:
    console = Console(width=100, color_system=None)
    chairs = (Chair("Ada", make_agent("random", 1)), Chair("Ben", make_agent("random", 2)))
    with console.capture() as capture:
        Sitting(RULES, None, chairs, console, input, as_text=True).run()
    screens = capture.get().strip().split("\n\n")
    assert screens[0].splitlines()[0] == "Black X (Ada) to move. Black has 2, white 2."
    for screen in screens[1:-1]:
        first, *board, last = screen.splitlines()
        assert re.fullmatch(r"(Black X \(Ada\)|White O \(Ben\)) to move\. Black has \d+, white \d+\.", first)
        assert len(board) == 9
        assert re.fullmatch(r"(Ada|Ben) played (pass|[a-h][1-8]) in \d+\.\d\d s\.", last)


def test_a_game_can_be_stepped_through_move_by_move() -> None:
    done = engine("play", "pip", "pip", "--game", "othello", "--as-text", "--step", typed="\n\n\nquit\n")
    assert done.stdout.count("Pip played") == 3
