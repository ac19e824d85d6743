"""The spec of Othello."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core import Agent, EngineError, State
from engine.games.move_text import MoveText
from engine.games.othello.differences import differences
from engine.games.othello.heuristic import othello_reasons, othello_value
from engine.games.othello.kernels.heuristic_values import PLY
from engine.games.othello.notation import MARKS, read_board, write_board
from engine.games.othello.puzzle_themes import themes
from engine.games.othello.rules import Othello, OthelloState, frame
from engine.games.spec import (
    STONE_GLYPHS,
    STONES,
    Distinction,
    GameSpec,
    Ink,
    LookSpec,
    MakeAgent,
    Options,
    OwnAgent,
    PlaySpec,
    SearchSpec,
    TeachSpec,
)
from engine.score import Evaluator

if TYPE_CHECKING:
    from engine.games.search_board import SearchBoard


def as_othello(state: State) -> OthelloState:
    """Return the state as one of this game; raises EngineError."""
    if not isinstance(state, OthelloState):
        raise EngineError(f"this is Othello, not {type(state).__name__}")
    return state


def _search_board(state: State) -> SearchBoard:
    from engine.games.othello.search_board import OthelloBoard, signed  # loads compiled code

    own = as_othello(state)
    return OthelloBoard(signed(own.own), signed(own.opponent), own.size)


def _count_lines(state: State, depth: int) -> int:
    """Count lines; lines that ended sooner are included."""
    from engine.games.othello.kernels.perft import count_lines
    from engine.games.othello.kernels.vectors import signed

    if depth == 0:
        return 1
    own = as_othello(state)
    empties = frame(own.size) & ~(own.own | own.opponent)
    return int(count_lines(signed(own.own), signed(own.opponent), signed(empties), depth))


def _corner(seed: int, options: Options, make: MakeAgent) -> Agent:  # noqa: ARG001 - needs no other agent
    from engine.games.othello.corner import CornerAgent

    return CornerAgent(seed, **options)


def _pattern(seed: int, options: Options, make: MakeAgent) -> Agent:  # noqa: ARG001 - needs no other agent
    from engine.games.othello.agent import PatternAgent

    return PatternAgent(seed, **options)


def _evaluator() -> Evaluator:
    from engine.games.othello.evaluator import OthelloEvaluator  # loads compiled code

    return OthelloEvaluator()


_KERNELS = "engine.games.othello.kernels."

SPEC = GameSpec(
    Othello(),
    play=PlaySpec(
        about=(
            "Dark begins. Put a disc so that it traps a straight line of the other colour between itself and"
            " another disc of yours: every disc it traps turns over. If you have no such move you pass. When"
            " neither side can move, whoever has more discs wins."
        ),
        sides=("black", "white"),
        counts_discs=True,
        unit="discs",
        move_text=MoveText(width=2),
        text_example="f5d6c3",
        formats={"ggf": "othello", "sgf": "2", "wthor": "othello"},
        openings=Path(__file__).parents[2] / "data" / "openings_othello.txt",
        read_board=read_board,
        write_board=write_board,
        board_marks=tuple(MARKS),
    ),
    look=LookSpec(
        icon="🟢",
        glyphs=STONE_GLYPHS,
        paint=replace(STONES, board="#379A62", edge="#226C43"),
        ink=Ink(("●", "●"), ("black", "bright_white"), "on green"),
        distinguished_by=Distinction.BRIGHTNESS,
        shows_legal_moves=True,
        picture_moves="d3 c3 f5 d2 d1 e1 f1 e3 e2 f3 c2 c1 b1 c5 f4 f2 c4 c6 g1 b4 g3 g4 d6 h2",
    ),
    search=SearchSpec(
        keeps_ended=True,
        count_lines=_count_lines,
        heuristic=lambda state, mover: othello_value(as_othello(state), mover),
        board=_search_board,
        ply_cost=PLY,
        opening_margin=10,
        kernels=(f"{_KERNELS}plain_search",),
        tree_kernels=(f"{_KERNELS}uct",),
        agents=(
            OwnAgent("corner", "Corner", "A corner whenever one is free, else any move.", _corner),
            OwnAgent(
                "pattern",
                "Patterns",
                "Othello by learnt patterns, selective search and an exact end.",
                _pattern,
                {"depth": (1, 60), "book": (0, 1), "spread": (0, 64), "early": (0, 60), "pace": (0, 100)},
                tuple(
                    f"{_KERNELS}{name}"
                    for name in ("context", "endgame", "last_squares", "midgame", "patterns", "perft")
                ),
            ),
        ),
        ladder=(
            "pip",
            "cora",
            "otto",
            "finn",
            "tess",
            "theo",
            "ida",
            "nora",
            "greta",
            "hugo",
            "rosa",
            "emil",
            "alma",
            "iris",
            "runa",
            "freya",
            "sage",
        ),
        evaluator=_evaluator,
        evaluator_kind="pattern",
    ),
    teach=TeachSpec(
        rewards_corners=True,
        reasons=lambda state, move: othello_reasons(as_othello(state), move),
        differences=lambda state, move, other: differences(as_othello(state), move, other),
        themes=lambda state, best, _best_of: themes(as_othello(state), best),
        puzzle_depths=(6, 8, 10, 12),
    ),
)
