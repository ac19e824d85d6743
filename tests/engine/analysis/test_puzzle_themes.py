"""The themes of puzzles are exact, checked by code that is independent of the generator."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import pytest

from engine.analysis.evaluators import evaluator_of
from engine.analysis.puzzles import Puzzle, puzzles, select, themed
from engine.core import Limit, Move, Player, State
from engine.games import GAMES
from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.kernels import bounds
from engine.games.connect_four.kernels.board import FOUR
from engine.games.othello import OthelloState
from engine.games.puzzle_themes import PuzzleTheme
from engine.games.tic_tac_toe import TicTacToeState
from engine.kernels import lines
from tests.engine.games.connect_four.plain_connect_four import PlainSolver
from tests.engine.kernels.calling import called

PLAIN_FROM_PLY = 16


def sample(found: list[Puzzle], count: int) -> list[Puzzle]:
    return random.Random(len(found)).sample(found, min(count, len(found)))


# Connect Four and Tic-tac-toe, by making every move


def again(state: State) -> State:
    """The same board, as if the side that has just moved were to move again."""
    if isinstance(state, ConnectFourState | TicTacToeState):
        return replace(state, own=state.own ^ state.mask, ply=state.ply + 1)
    raise TypeError(state)


@cache
def wins(state: State) -> list[Move]:
    """Return the moves that win at once for their player."""
    return [
        move
        for move in state.legal_moves()
        if (outcome := state.play(move).outcome()) is not None and outcome.winner is not None
    ]


@cache
def wins_by_threats(state: State, move: Move) -> bool:
    """Whether the move wins with nothing but threats that have one answer."""
    after = state.play(move)
    if wins(after) or not (threats := wins(again(after))):
        return False
    if len(threats) > 1:
        return True
    here = after.play(threats[0])
    return bool(wins(here)) or any(wins_by_threats(here, reply) for reply in here.legal_moves())


def of_lines(state: State, best: Move) -> Iterator[PuzzleTheme]:
    after = state.play(best)
    if best in wins(state):
        yield PuzzleTheme.AT_ONCE
        return
    threats = wins(again(after))
    if not threats:
        yield PuzzleTheme.QUIET
    elif len(threats) > 1:
        yield PuzzleTheme.DOUBLE_THREAT
    elif isinstance(state, ConnectFourState):
        if threats[0] in wins(after.play(threats[0])):
            yield PuzzleTheme.STACKED
        elif wins_by_threats(state, best):
            yield PuzzleTheme.FORCED


compiled = cache(called)


def plans_of(state: ConnectFourState, best: Move) -> Iterator[PuzzleTheme]:
    """By the compiled bounds, which find them in another way."""
    after = state.play(best)
    if state.to_move is Player.FIRST:
        squares = compiled(lines.winning_squares)(after.opponent, after.mask, FOUR)
        if compiled(bounds.odd_threat_bound)(after.own, after.mask, squares, FOUR) < 0:
            yield PuzzleTheme.ODD_THREAT
    elif compiled(bounds.claim_even_bound)(after.own, after.mask, FOUR) < 0:
        yield PuzzleTheme.FOLLOW_UP


def best_line(puzzle: Puzzle, best_of: Callable[[State], Move]) -> list[State]:
    """Every position from the puzzle's on, the last one over."""
    found = [puzzle.state, puzzle.state.play(puzzle.best)]
    while found[-1].outcome() is None:
        found.append(found[-1].play(best_of(found[-1])))
    return found


def ends_in_zugzwang(line: list[State]) -> bool:
    """Whether the loser's last choice was none, and nothing threatened it."""
    choice = line[-3]
    return not wins(again(choice)) and all(wins(choice.play(move)) for move in choice.legal_moves())


@pytest.mark.parametrize(
    ("game", "count"),
    [
        pytest.param("connect-four", 300, marks=pytest.mark.slow),
        ("tic-tac-toe", 60),
        pytest.param("connect-four", 690, marks=pytest.mark.slow),
    ],
)
def test_themes_of_threats_and_plans_agree_with_every_move_and_the_bounds(game: str, count: int) -> None:
    found = Counter[PuzzleTheme]()
    easiest = list(select(game).values())[: count * 2]
    for puzzle in sample(easiest, count):
        state, best = puzzle.state, puzzle.best
        expected = set(of_lines(state, best))
        if isinstance(state, ConnectFourState):
            expected |= set(plans_of(state, best))
        assert set(puzzle.themes) - {PuzzleTheme.ZUGZWANG} == expected, str(puzzle)
        found.update(puzzle.themes)
    assert len(found) >= 2, found


@pytest.mark.slow
@pytest.mark.parametrize("count", [25, pytest.param(690, marks=pytest.mark.slow)])
def test_zugzwang_means_that_the_loser_would_pass_at_the_end_of_best_play(count: int) -> None:
    evaluator, plain = evaluator_of(GAMES["connect-four"]), PlainSolver()

    def best_of(state: State) -> Move:
        best = evaluator.evaluate(state, Limit()).best
        assert best is not None
        return best

    late = [puzzle for puzzle in select("connect-four").values() if len(puzzle.moves) >= PLAIN_FROM_PLY]
    said = Counter[bool]()
    for puzzle in sample(late, count):
        line = best_line(puzzle, best_of)
        assert ends_in_zugzwang(line) == (PuzzleTheme.ZUGZWANG in puzzle.themes), str(puzzle)
        # It is best play: the plain solver's score stays the same with every move.
        scores = [
            plain.score(state.own, state.mask) * (-1) ** place
            for place, state in enumerate(line[1:-1])
            if isinstance(state, ConnectFourState)
        ]
        assert len(set(scores)) == 1, str(puzzle)
        assert scores[0] < 0
        said[PuzzleTheme.ZUGZWANG in puzzle.themes] += 1
    assert min(said.values()) >= count // 8


# Othello, on a board of rows and columns

DIRECTIONS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right]
CORNERS = {0, 7, 56, 63}
Board = list[list[int | None]]


def board_of(state: OthelloState) -> Board:
    cells = state.cells()
    return [list(cells[row * 8 : row * 8 + 8]) for row in range(8)]


def turned(board: Board, row: int, column: int, mover: int) -> set[tuple[int, int]]:
    found: set[tuple[int, int]] = set()
    for down, right in DIRECTIONS:
        run, r, c = set(), row + down, column + right
        while 0 <= r < 8 and 0 <= c < 8 and board[r][c] == 1 - mover:
            run.add((r, c))
            r, c = r + down, c + right
        if 0 <= r < 8 and 0 <= c < 8 and board[r][c] == mover:
            found |= run
    return found


def squares_for(board: Board, mover: int) -> set[int]:
    return {
        8 * row + column
        for row in range(8)
        for column in range(8)
        if board[row][column] is None and turned(board, row, column, mover)
    }


def placed(board: Board, square: int, mover: int) -> Board:
    row, column = divmod(square, 8)
    after = [list(line) for line in board]
    for r, c in {*turned(board, row, column, mover), (row, column)}:
        after[r][c] = mover
    return after


def sizes_of_regions(board: Board) -> list[int]:
    left = {(row, column) for row in range(8) for column in range(8) if board[row][column] is None}
    sizes = []
    while left:
        waiting, size = [left.pop()], 0
        while waiting:
            row, column = waiting.pop()
            size += 1
            for down, right in DIRECTIONS:
                if (row + down, column + right) in left:
                    left.remove((row + down, column + right))
                    waiting.append((row + down, column + right))
        sizes.append(size)
    return sizes


def of_othello(state: OthelloState, best: Move) -> Iterator[PuzzleTheme]:
    board, mover = board_of(state), int(state.to_move)
    row, column = divmod(best, 8)
    after = placed(board, best, mover)
    replies = squares_for(after, 1 - mover)
    if best in CORNERS:
        yield PuzzleTheme.CORNER
    elif row in (0, 7) or column in (0, 7):
        yield PuzzleTheme.EDGE
        ends = (
            [(row, column - 1), (row, column + 1)]
            if row in (0, 7)
            else [(row - 1, column), (row + 1, column)]
        )
        if all(after[r][c] == 1 - mover for r, c in ends):
            yield PuzzleTheme.WEDGE
    beside = {(1, 1): 0, (1, 6): 7, (6, 1): 56, (6, 6): 63}
    if (row, column) in beside and state.cells()[beside[row, column]] is None:
        yield PuzzleTheme.X_SQUARE
    if (replies - squares_for(board, 1 - mover)) & CORNERS:
        yield PuzzleTheme.SACRIFICE
    if len(sizes_of_regions(board)) > 1 and not any(size % 2 for size in sizes_of_regions(after)):
        yield PuzzleTheme.PARITY
    if not replies:
        yield PuzzleTheme.NO_REPLY
    elif all(
        len(squares_for(placed(board, other, mover), 1 - mover)) > len(replies)
        for other in state.legal_moves()
        if other != best
    ):
        yield PuzzleTheme.MOBILITY


def test_themes_of_othello_agree_with_a_plain_board() -> None:
    found = Counter[PuzzleTheme]()
    for puzzle in select("othello").values():
        assert isinstance(puzzle.state, OthelloState)
        assert set(puzzle.themes) == set(of_othello(puzzle.state, puzzle.best)), str(puzzle)
        found.update(puzzle.themes)
    assert min(found.values()) >= 5, found


# All


def test_every_theme_has_puzzles_and_nine_puzzles_in_ten_have_a_theme() -> None:
    found = Counter(theme for puzzle in puzzles().values() for theme in puzzle.themes)
    assert set(found) == set(PuzzleTheme)
    assert sum(bool(puzzle.themes) for puzzle in puzzles().values()) > 900
    assert set(select(theme=PuzzleTheme.WEDGE)) == {
        key for key, puzzle in puzzles().items() if PuzzleTheme.WEDGE in puzzle.themes
    }


def test_the_files_themes_are_up_to_date() -> None:
    for game in ("connect-four", "othello", "tic-tac-toe"):
        evaluator = evaluator_of(GAMES[game])
        for puzzle in sample(list(select(game).values()), 12):
            assert themed(replace(puzzle, themes=()), evaluator) == puzzle
