"""The spec of Tic-tac-toe."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from engine.core import EngineError, Move, State
from engine.games.k_in_a_row import line_reasons, line_value
from engine.games.move_text import MoveText
from engine.games.puzzle_themes import PuzzleTheme
from engine.games.reasons import Reason, Why
from engine.games.spec import (
    BestOf,
    Distinction,
    GameSpec,
    Glyphs,
    Layout,
    LookSpec,
    Paint,
    PlaySpec,
    SearchSpec,
    TeachSpec,
)
from engine.games.tic_tac_toe.evaluator import TicTacToeEvaluator
from engine.games.tic_tac_toe.rules import TicTacToe, TicTacToeState

if TYPE_CHECKING:
    from engine.games.search_board import SearchBoard

LENGTH, CENTRE = 3, 4


def as_tic_tac_toe(state: State) -> TicTacToeState:
    """Return the state as one of this game; raises EngineError."""
    if not isinstance(state, TicTacToeState):
        raise EngineError(f"this is Tic-tac-toe, not {type(state).__name__}")
    return state


def _turned(state: State) -> State:
    position = as_tic_tac_toe(state)
    return replace(position, own=position.own ^ position.mask, ply=position.ply + 1)


def _reasons(state: State, move: Move) -> list[Reason]:
    return line_reasons(state, move, LENGTH, _turned, is_central=move == CENTRE)


def _themes(state: State, best: Move, _best_of: BestOf) -> list[PuzzleTheme]:
    if state.play(best).outcome() is not None:
        return [PuzzleTheme.AT_ONCE]
    whys = {reason.why for reason in _reasons(state, best)}
    if Why.TWO_THREATS in whys:
        return [PuzzleTheme.DOUBLE_THREAT]
    return [] if Why.THREAT in whys else [PuzzleTheme.QUIET]


def _search_board(state: State) -> SearchBoard:
    from engine.games.tic_tac_toe.search_board import (  # loads compiled code
        TicTacToeBoard,
        stand_up,
        tic_tac_toe_layout,
    )

    position = as_tic_tac_toe(state)
    return TicTacToeBoard(stand_up(position.own), stand_up(position.mask), *tic_tac_toe_layout())


SPEC = GameSpec(
    TicTacToe(),
    play=PlaySpec(
        about=(
            "Put your mark into an empty cell. Whoever first has three of theirs in a row wins; a full board"
            " without such a row is a draw."
        ),
        can_pass=False,
        line_length=lambda _board: LENGTH,
        move_text=MoveText(width=2),
        text_example="b2a1",
    ),
    look=LookSpec(
        icon="❌",
        glyphs=Glyphs(plain=("❌", "⭕"), last=("❌", "⭕"), line=("❎", "🅾️")),
        paint=Paint(
            board="#7B869C",
            edge="#7B869C",
            hole="#1C2230",
            discs=("#FF6A6A", "#5AC6FF"),
            rims=("#FF6A6A", "#5AC6FF"),
            accent="#FFFFFF",
        ),
        distinguished_by=Distinction.SHAPE,
        layout=Layout.GRID,
        picture_moves="b2 b1 a2 c2 a1 a3 c3",
    ),
    search=SearchSpec(
        heuristic=lambda state, mover: line_value(state, mover, LENGTH),
        board=_search_board,
        evaluator=TicTacToeEvaluator,
        ladder=("pip", "bo", "mia", "otto", "kit", "tia"),
    ),
    teach=TeachSpec(
        reasons=_reasons,
        themes=_themes,
        puzzle_depths=(1, 2, 3),
        tree_empties=5,
    ),
)
