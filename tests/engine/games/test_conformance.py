"""The conformance checks of games find the defects they are for, and describe them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from engine.core import EndReason, Limit, Move, NotationError, Outcome, Player, State
from engine.games import SPECS
from engine.games.conformance import failures
from engine.games.move_text import MoveText
from engine.games.spec import BoardCell, GameSpec, Layout, LookSpec, Paint, PlaySpec, SearchSpec
from engine.games.tic_tac_toe.evaluator import TicTacToeEvaluator
from engine.games.tic_tac_toe.rules import TicTacToe, TicTacToeState
from engine.score import Evaluation, Score
from tests.contracts.oracles import tic_tac_toe
from tests.engine.games import breakthrough
from tests.engine.games.shapes import EDGES, HEXAGONS


class Rules(TicTacToe):
    """Tic-tac-toe whose states are of another kind."""

    key = "odd"
    state: type[TicTacToeState] = TicTacToeState

    def start(self, board: str | None = None) -> TicTacToeState:
        super().start(board)
        return self.state()


@dataclass(frozen=True, slots=True)
class Forgiving(TicTacToeState):
    def play(self, move: Move) -> Forgiving:
        return super(Forgiving, self).play(move if 0 <= move < 9 else self.legal_moves()[0])


@dataclass(frozen=True, slots=True)
class Unending(TicTacToeState):
    def outcome(self) -> Outcome | None:
        return None


@dataclass(frozen=True, slots=True)
class Unsorted(TicTacToeState):
    def legal_moves(self) -> tuple[Move, ...]:
        return super(Unsorted, self).legal_moves()[::-1]


@dataclass(frozen=True, slots=True)
class Lineless(TicTacToeState):
    def outcome(self) -> Outcome | None:
        found = super(Lineless, self).outcome()
        return None if found is None else Outcome(found.winner, EndReason.LINE, (0,))


class Forgetful(TicTacToeState):
    """Counts how often it was played, in itself."""

    played = 0

    def play(self, move: Move) -> Forgetful:
        type(self).played += 1
        return super().play(move)

    def cells(self) -> tuple[Player | None, ...]:
        return super().cells()[: 9 if self.played % 2 else 8]


class Misplaced(Rules):
    def cell_of(self, state: State, move: Move) -> int | None:
        return 0


class Misread(Rules):
    def parse_move(self, state: State, text: str) -> Move:
        if not text.strip():
            raise NotationError("nothing")
        return state.legal_moves()[0]


class Loud(Rules):
    """It reads capitals only, and what people type is folded to lower case."""

    def parse_move(self, state: State, text: str) -> Move:
        if text != text.upper():
            raise NotationError("write capitals")
        return super().parse_move(state, text.lower())


class Boundless(Rules):
    def start(self, board: str | None = None) -> TicTacToeState:
        return TicTacToeState()


class Hopeful(TicTacToeEvaluator):
    def evaluate(self, state: State, limit: Limit) -> Evaluation:
        found = super().evaluate(state, limit)
        return replace(found, score=Score.won()) if found.score == Score.drawn() else found


def proving(evaluator: type[TicTacToeEvaluator]) -> GameSpec:
    return GameSpec(Rules(), search=SearchSpec(evaluator=evaluator, oracle=tic_tac_toe.truth))


def of(state: type[TicTacToeState]) -> GameSpec:
    rules = Rules()
    rules.state = state
    return GameSpec(rules)


def _all_edges(board: str) -> list[BoardCell]:
    return [replace(place, shape="edge") for place in GameSpec(Rules()).places_of(board)]


@pytest.mark.parametrize(
    ("spec", "check", "problem"),
    [
        (GameSpec(Boundless()), "it has a key", "does not raise BoardError"),
        (
            GameSpec(Rules(), play=PlaySpec(old_boards=("4x4-old",))),
            "it has a key",
            "the old board '4x4-old' is no offered board's name and '-old'",
        ),
        (of(Unending), "random games end", "nobody can move, and outcome() is None"),
        (of(Forgetful), "states never change", "changes the state"),
        (of(Unsorted), "legal moves ascend", "do not ascend"),
        (of(Forgiving), "legal moves ascend", "play(-2) is not refused"),
        (GameSpec(Misplaced()), "a move takes the cell", "is empty after it"),
        (GameSpec(Misread()), "names of moves", "is read as another move"),
        (GameSpec(Loud()), "names of moves", "raises NotationError: write capitals"),
        (of(Lineless), "a winning line", "is not the winner's"),
        (GameSpec(Misread()), "whole games", "is read as another game"),
        (GameSpec(Rules(), play=PlaySpec(text_example="a1a1")), "whole games", "Character 3"),
        (GameSpec(Rules(), look=LookSpec(paint=Paint(board="blue"))), "it fits", "'blue' is no colour"),
        (GameSpec(Rules(), look=LookSpec(icon="⬡")), "it fits", "'⬡' is no emoji"),
        (GameSpec(Rules(), look=LookSpec(picture_moves="a1 a1")), "it fits", "IllegalMove"),
        (replace(SPECS["othello"], look=LookSpec(layout=Layout.GRID)), "it fits", "5 x 5 at most"),
        (GameSpec(Rules(), look=LookSpec(places=lambda _board: [])), "its pieces lie", "fewer places"),
        (EDGES, "its pieces lie", "column 3 of 'd1' is not below 3"),
        (
            GameSpec(Rules(), look=LookSpec(places=_all_edges)),
            "its pieces lie",
            "the edge 'a1' is as wide as high",
        ),
        (
            GameSpec(Rules(), look=LookSpec(press=lambda _state, move: (move + 1,))),
            "each legal move",
            "c3 is made by (9,), and a part of it cannot be touched",
        ),
        (
            GameSpec(Rules(), look=LookSpec(press=lambda _state, move: (move // 2,))),
            "each legal move",
            "b1 cannot be told from a1: both begin with (0,)",
        ),
        (
            GameSpec(Rules(), look=LookSpec(press=lambda _state, move: (0, 1) if move == 0 else (move % 8,))),
            "each legal move",
            "a1 cannot be reached: (0,) already plays c3",
        ),
        (proving(Hopeful), "whatever its evaluator proves", "solve says Score(result=1"),
        (
            GameSpec(
                Rules(), search=SearchSpec(evaluator=TicTacToeEvaluator, oracle=lambda _board, _moves: None)
            ),
            "whatever its evaluator proves",
            "the oracle knows no position",
        ),
    ],
)
def test_every_defect_is_reported(spec: GameSpec, check: str, problem: str) -> None:
    found = [str(failure) for failure in failures(spec)]
    assert any(text.startswith(check) and problem in text for text in found), found


def test_a_bare_game_passes() -> None:
    assert list(failures(GameSpec(Rules()))) == []


def test_a_game_whose_oracle_agrees_with_its_evaluator_passes() -> None:
    assert list(failures(proving(TicTacToeEvaluator))) == []


def test_a_game_on_hexagons_passes() -> None:
    assert list(failures(HEXAGONS)) == []


def test_a_game_with_moving_and_capturing_pieces_passes() -> None:
    assert list(failures(breakthrough.SPEC)) == []


@pytest.mark.parametrize(
    ("spec", "remedy"),
    [
        (breakthrough.SPEC, "MoveText(width=4)"),
        (SPECS["hex"], 'MoveText(words=("swap",))'),
    ],
    ids=lambda one: getattr(one, "key", None),
)
def test_inseparable_move_names_are_reported_with_the_remedy(spec: GameSpec, remedy: str) -> None:
    found = list(failures(replace(spec, play=replace(spec.play, move_text=MoveText()))))
    assert found
    for failure in found:
        assert failure.check == "whole games are written and read back"
        assert remedy in failure.problem
