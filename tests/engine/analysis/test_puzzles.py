"""Each puzzle has exactly one winning move, checked by solvers that are independent of the generator."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from functools import cache, reduce
from operator import or_
from pathlib import Path

import pytest

from engine.analysis.puzzles import GRADES, Puzzle, depth_of, file_of, grade_of, puzzles, select
from engine.core import Limit, Player, State, replay
from engine.games import GAMES, SPECS, spec_of
from engine.games.connect_four import ConnectFourState
from engine.games.dots_and_boxes import DotsState
from engine.games.gomoku import GomokuState
from engine.games.hex import HexState
from engine.games.hex.proofs import HexProver, passed
from engine.games.kalah import KalahState
from engine.games.notation import parse_moves
from engine.games.othello import OthelloState
from engine.games.symmetry import are_equivalent, canonical
from engine.games.tic_tac_toe import TicTacToeState
from engine.kernels.running import running
from engine.score import Score
from tests.engine.games.connect_four.plain_connect_four import PlainSolver
from tests.engine.games.dots_and_boxes import plain_dots
from tests.engine.games.othello.positions import solved
from tests.engine.kernels.kernel_twins import OthelloTwin
from tests.slow_cases import mark_slow

PLAIN_FROM_PLY = 16
"""Before that the plain solver takes many seconds for one."""

PLAIN_EMPTIES = 8


def sample(puzzles_: list[Puzzle], count: int) -> list[Puzzle]:
    return random.Random(len(puzzles_)).sample(puzzles_, count)


def connect_four_values(state: ConnectFourState, solver: PlainSolver) -> dict[int, int]:
    """Return the score of every move for its player."""
    values = {}
    for move in state.legal_moves():
        after = state.play(move)
        if after.outcome() is None:
            values[move] = -solver.score(after.own, after.mask)
        else:
            values[move] = (43 - state.ply) // 2 if after.outcome().line else 0  # type: ignore[union-attr]
    return values


def squares(board: int) -> frozenset[int]:
    return frozenset(square for square in range(64) if board >> square & 1)


@cache
def tic_tac_toe_value(state: TicTacToeState) -> int:
    """1, 0 or -1 for the side to move, by playing everything out."""
    outcome = state.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else -1
    return max(-tic_tac_toe_value(state.play(move)) for move in state.legal_moves())


def test_our_first_three_games_have_a_thousand_of_every_grade() -> None:
    found = Counter((puzzle.game, puzzle.grade) for puzzle in puzzles().values())
    first = ("connect-four", "othello", "tic-tac-toe")
    assert sum(count for (game, _), count in found.items() if game in first) == 1000
    for game in ("connect-four", "othello"):
        assert all(found[game, grade] >= 50 for grade in GRADES)


@pytest.mark.parametrize("game", [key for key, spec in SPECS.items() if spec.teach.puzzle_depths])
def test_every_game_with_grades_has_a_file_of_ten_puzzles_at_least(game: str) -> None:
    lines = file_of(game).read_text("ascii").splitlines()
    assert len(lines) == len(select(game)) >= 10
    assert {line.split()[0] for line in lines} == {game}


def test_a_game_may_have_its_file_and_its_unit_of_depth_in_its_own_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = spec_of("gomoku")
    teach = replace(spec.teach, puzzles=tmp_path / "own.txt", puzzle_depth=lambda state: 7 + state.ply)
    monkeypatch.setattr("engine.analysis.puzzles.spec_of", lambda _key: replace(spec, teach=teach))
    monkeypatch.setattr("engine.analysis.puzzles.spec_of_state", lambda _state: replace(spec, teach=teach))
    assert file_of("gomoku") == tmp_path / "own.txt"
    assert depth_of(spec.rules.start(), Score.won(3)) == 7


def test_no_position_comes_twice_nor_its_mirror_image() -> None:
    assert len({canonical(puzzle.state) for puzzle in puzzles().values()}) == len(puzzles())


@pytest.mark.parametrize("game", mark_slow(GAMES, lambda game: game in ("connect-four", "othello")))
def test_every_puzzle_survives_writing_and_reading(game: str) -> None:
    for key, puzzle in select(game).items():
        assert Puzzle.parse(str(puzzle)) == puzzle
        assert puzzle.key == key
        assert puzzle.best in puzzle.state.legal_moves()
        assert len(puzzle.state.legal_moves()) >= 3


@pytest.mark.parametrize("count", [1, pytest.param(40, marks=pytest.mark.slow)])
def test_a_plain_solver_finds_the_same_only_winning_move_in_connect_four(count: int) -> None:
    late = [puzzle for puzzle in select("connect-four").values() if len(puzzle.moves) >= PLAIN_FROM_PLY]
    solver = PlainSolver()
    for puzzle in sample(late, count):
        state = puzzle.state
        assert isinstance(state, ConnectFourState)
        values = connect_four_values(state, solver)
        assert [move for move, value in values.items() if value > 0] == [puzzle.best], str(puzzle)
        assert Score.of_stones(values[puzzle.best], 42 - state.ply).moves == puzzle.depth


@pytest.mark.slow
def test_a_plain_solver_finds_the_same_only_winning_move_in_othello() -> None:
    late = [puzzle for puzzle in select("othello").values() if puzzle.depth <= PLAIN_EMPTIES]
    for puzzle in sample(late, 30):
        state = puzzle.state
        assert isinstance(state, OthelloState)
        assert state.cells().count(None) == puzzle.depth
        winning = []
        for move in state.legal_moves():
            after = state.play(move)
            if -solved(OthelloTwin(8, squares(after.own), squares(after.opponent))) > 0:
                winning.append(move)
        solved.cache_clear()
        assert winning == [puzzle.best], str(puzzle)


def test_playing_everything_out_finds_the_same_only_winning_move_in_tic_tac_toe() -> None:
    for puzzle in select("tic-tac-toe").values():
        state = puzzle.state
        assert isinstance(state, TicTacToeState)
        winning = [move for move in state.legal_moves() if tic_tac_toe_value(state.play(move)) == -1]
        assert winning == [puzzle.best], str(puzzle)


def winning_in(state: State, moves: int) -> list[int]:
    """The moves that win within that many moves of their side, by making every move."""
    mover = state.to_move

    def is_won(after: State, left: int) -> bool:
        outcome = after.outcome()
        if outcome is not None:
            return outcome.winner is mover
        if after.to_move is mover:
            return left > 0 and any(is_won(after.play(move), left - 1) for move in after.legal_moves())
        return left > 0 and all(is_won(after.play(move), left) for move in after.legal_moves())

    return [move for move in state.legal_moves() if is_won(state.play(move), moves - 1)]


@pytest.mark.parametrize("depth", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_making_every_move_finds_the_same_only_fastest_win_in_pop_out(depth: int) -> None:
    found = [puzzle for puzzle in select("pop-out").values() if puzzle.depth == depth]
    assert len(found) == 10
    for puzzle in found:
        assert winning_in(puzzle.state, depth) == [puzzle.best], str(puzzle)
        assert depth == 1 or not winning_in(puzzle.state, depth - 1)


@cache
def kalah_lead(pits: tuple[int, ...], player: Player) -> int:
    """The lead in seeds that the side to move wins from here on, by playing everything out."""
    state = KalahState(pits, to_move=player)
    return max(_lead_after(state, move) for move in state.legal_moves())


def _lead_after(state: KalahState, move: int) -> int:
    """The same for the side that makes this move."""
    after, player = state.play(move), state.to_move
    gained = (after.stores[player] - state.stores[player]) - (
        after.stores[player.other] - state.stores[player.other]
    )
    if after.outcome() is not None:
        return gained
    lead = kalah_lead(after.pits, after.to_move)
    return gained + (lead if after.to_move is player else -lead)


@pytest.mark.parametrize("most", [8, pytest.param(11, marks=pytest.mark.slow)])
def test_playing_everything_out_finds_the_same_only_winning_move_in_kalah(most: int) -> None:
    found = [puzzle for puzzle in select("kalah").values() if puzzle.depth <= most]
    assert found
    for puzzle in found:
        state = puzzle.state
        assert isinstance(state, KalahState)
        ahead = state.stores[state.to_move] - state.stores[state.to_move.other]
        winning = [move for move in state.legal_moves() if ahead + _lead_after(state, move) > 0]
        assert winning == [puzzle.best], str(puzzle)
        assert puzzle.depth == sum(state.pits)


@pytest.mark.parametrize("most", [10, pytest.param(16, marks=pytest.mark.slow)])
def test_playing_everything_out_finds_the_same_only_winning_line_in_dots_and_boxes(most: int) -> None:
    found = [puzzle for puzzle in select("dots-and-boxes").values() if puzzle.depth <= most]
    assert len(found) >= 10
    for puzzle in found:
        state = puzzle.state
        assert isinstance(state, DotsState)
        winning = [move for move, lead in plain_dots.final_leads(state).items() if lead > 0]
        assert winning == [puzzle.best], str(puzzle)
        assert puzzle.depth == len(state.legal_moves())


FIVES = [
    sum(1 << 15 * (row + down * step) + column + right * step for step in range(5))
    for row in range(15)
    for column in range(15)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    if row + 4 * down < 15 and 0 <= column + 4 * right < 15
]


def gaps(own: int, other: int, discs: int) -> int:
    """The empty squares of every five in which the side has so many discs, and the other side has none."""
    return reduce(
        or_, (five & ~own for five in FIVES if not five & other and (five & own).bit_count() == discs), 0
    )


def wins_by_fours(own: int, other: int, moves: int) -> bool:
    """Whether the side to move makes five within so many moves, each before the last one a four."""
    if gaps(own, other, 4) or moves == 1:
        return gaps(own, other, 4) > 0
    threatened, fours = gaps(other, own, 4), gaps(own, other, 3)
    for square in (1 << at for at in range(225) if fours >> at & 1):
        answers = gaps(own | square, other, 4)
        if not threatened & ~square and wins_by_fours(own | square, other | answers & -answers, moves - 1):
            return True
    return False


@pytest.mark.slow
def test_making_every_four_finds_the_shortest_win_in_gomoku_and_that_other_moves_lose() -> None:
    lost = tried = 0
    for puzzle in select("gomoku").values():
        state = puzzle.state
        assert isinstance(state, GomokuState)
        own, other = (state.discs[player] for player in (state.to_move, state.to_move.other))
        assert wins_by_fours(own, other, puzzle.depth), str(puzzle)
        assert puzzle.depth == 1 or not wins_by_fours(own, other, puzzle.depth - 1), str(puzzle)
        for move in state.legal_moves():
            if move != puzzle.best:
                assert state.play(move).outcome() is None
                tried += 1
                lost += wins_by_fours(other, own | 1 << move, 5)
    assert lost > 0.99 * tried, "after the few others it takes open threes"


SIDE = 11
BESIDE = [
    [
        (row + down) * SIDE + column + right
        for down, right in ((-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1))
        if 0 <= row + down < SIDE and 0 <= column + right < SIDE
    ]
    for row in range(SIDE)
    for column in range(SIDE)
]
BORDERS = {
    Player.FIRST: (range(SIDE), range(SIDE * (SIDE - 1), SIDE * SIDE)),
    Player.SECOND: (range(0, SIDE * SIDE, SIDE), range(SIDE - 1, SIDE * SIDE, SIDE)),
}

Cells = frozenset[int]


def joins(stones: Cells, player: Player) -> bool:
    """Whether the stones join the player's edges."""
    start, goal = BORDERS[player]
    waiting = [cell for cell in start if cell in stones]
    seen = set(waiting)
    while waiting:
        cell = waiting.pop()
        if cell in goal:
            return True
        new = [near for near in BESIDE[cell] if near in stones and near not in seen]
        seen.update(new)
        waiting += new
    return False


@cache
def hex_win(stones: Cells, free: Cells, player: Player) -> Cells | None:
    """The free cells with which the player to move joins the edges, by playing out; None if they lose.

    The other side owns every cell that is neither in `stones` nor in `free`.
    """
    if joins(stones | free, player):
        for cell in sorted(free):
            needed = hex_hold(stones | {cell}, free - {cell}, player)
            if needed is not None:
                return needed | {cell}
    return None


@cache
def hex_hold(stones: Cells, free: Cells, player: Player) -> Cells | None:
    """The same with the other side to move; stones beside the cells that a win needs change nothing."""
    if joins(stones, player):
        return frozenset()
    needed = left = hex_win(stones, free, player)
    while left:
        cell = min(left)
        answered = hex_win(stones, free - {cell}, player)
        if answered is None or needed is None:
            return None
        needed, left = needed | answered | {cell}, left & answered
    return needed


def bits(cells: int) -> Cells:
    return frozenset(cell for cell in range(SIDE * SIDE) if cells >> cell & 1)


MOST_CELLS = 12
"""A proof of more takes minutes to play out."""


def lost_cells(state: HexState, best: int) -> Cells | None:
    """The cells other than `best` that lose: the engine names the cells that refute them, and these win.

    None where these are too many to play out.
    """
    free, other = bits(state.free), state.to_move.other
    theirs, lost = bits(state.stones[other]), Cells()
    with running(Limit()) as run:
        prover = HexProver(run)
        for _, threat in prover.threats(passed(state)):
            if not free - bits(threat) <= lost and hex_win(theirs, free & bits(threat), other):
                lost |= free - bits(threat)
        for cell in free - lost - {best}:
            refuted = prover.win(state.play(cell), 1) or 0
            if refuted.bit_count() > MOST_CELLS:
                return None
            if hex_win(theirs, free & bits(refuted) - {cell}, other):
                lost |= {cell}
    return lost


@pytest.mark.parametrize("count", [3, pytest.param(None, marks=pytest.mark.slow)])
def test_playing_out_the_proofs_finds_the_same_only_winning_stone_in_hex(count: int | None) -> None:
    checked = 0
    for puzzle in list(select("hex").values())[:count]:
        state, best = puzzle.state, puzzle.best
        assert isinstance(state, HexState)
        with running(Limit()) as run:
            proof = HexProver(run).loss(state.play(best), 1) or 0
        lost = lost_cells(state, best) if proof.bit_count() <= MOST_CELLS else None
        if lost is not None:
            checked += 1
            assert lost == bits(state.free) - {best}, str(puzzle)
            mine, free = bits(state.stones[state.to_move]), bits(state.free) - {best}
            assert hex_hold(mine | {best}, free & bits(proof), state.to_move) is not None, str(puzzle)
        hex_win.cache_clear()
        hex_hold.cache_clear()
    assert checked >= (count or 15)


def test_deeper_wins_have_higher_grades() -> None:
    assert [grade_of("connect-four", depth) for depth in (1, 2, 3, 5, 7, 9, 10, 17)] == [
        1,
        1,
        2,
        3,
        4,
        4,
        5,
        5,
    ]
    assert [grade_of("othello", empties) for empties in (5, 7, 9, 11, 13)] == [1, 2, 3, 4, 5]
    assert [grade_of("tic-tac-toe", depth) for depth in (1, 2, 3)] == [1, 2, 3]


def test_a_win_within_some_moves_is_that_deep() -> None:
    start = spec_of("gomoku").rules.start()
    assert depth_of(start, Score.between(Score.won(7), Score.won(5))) == 4
    assert depth_of(start, Score.won()) == 0


def test_images_of_a_position_share_a_key_and_other_positions_do_not() -> None:
    left, right = ConnectFourState().play(0).play(1), ConnectFourState().play(6).play(5)
    assert canonical(left) == canonical(right) != canonical(ConnectFourState().play(0).play(2))
    corner, turned = TicTacToeState().play(0).play(1), TicTacToeState().play(8).play(5)
    assert canonical(corner) == canonical(turned) != canonical(TicTacToeState().play(0).play(4))
    assert canonical(OthelloState(8, 1, 2, Player.FIRST)) == canonical(OthelloState(8, 1, 2, Player.SECOND))


def test_a_move_that_repeats_a_position_is_worth_another_than_its_image() -> None:
    rules = spec_of("pop-out").rules
    state = replay(rules.start(), parse_moves(rules, None, "317p1p71p3p1"))
    drawing, image = (rules.parse_move(state, column) for column in "35")
    assert canonical(state.play(drawing)) == canonical(state.play(image))
    assert not are_equivalent(state, drawing, image)
    assert are_equivalent(rules.start(), drawing, image)
