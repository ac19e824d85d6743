"""The spec of Pop Out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from engine.core import Agent, Limit, Move, Player, State, is_opening
from engine.games.k_in_a_row import FULL, line_value
from engine.games.move_text import MoveText
from engine.games.pop_out.rules import COLUMNS, K, PopOut, PopOutState, as_pop_out
from engine.games.reasons import Reason, Why
from engine.games.spec import (
    GameSpec,
    Ink,
    Layout,
    LookSpec,
    MakeAgent,
    MoveGroup,
    Options,
    OwnAgent,
    OwnLevel,
    PlaySpec,
    SearchSpec,
    TeachSpec,
)
from engine.score import Evaluator

if TYPE_CHECKING:
    from engine.games.search_board import SearchBoard


_WINDOW = 6
"""Around the last value, in the heuristic's points."""
_POP = re.compile(r"p(?:op)? *[0-9]")


class _PopOutText(MoveText):
    """A digit for a drop, `p` or `pop` and a digit for a pop."""

    def cut(self, text: str, column: int) -> str:
        pop = _POP.match(text, column)
        return text[column] if pop is None else pop[0]


def _heuristic(state: State, mover: Player) -> float:
    """As in Connect Four, except that a pop that makes four for the other side loses."""
    outcome = state.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else FULL if outcome.winner is mover else -FULL
    return line_value(state, mover, K)


def _reasons(state: State, move: Move) -> list[Reason]:
    """Return stopped fours of the other side, the mover's own threats, and the centre."""
    found = []
    after = state.play(move)
    if after.outcome() is None:
        mine, theirs = _wins(as_pop_out(after).turned()), _wins(as_pop_out(after))
        if len(mine) > 1 and not theirs:
            found.append(Reason(Why.TWO_THREATS))
        elif mine:
            found.append(Reason(Why.THREAT, K))
        if _wins(as_pop_out(state).turned()) and not theirs:
            found.append(Reason(Why.STOPS_LINE, K))
    if move == COLUMNS // 2:
        found.append(Reason(Why.CENTRE))
    return found


def _wins(state: PopOutState) -> list[Move]:
    """Return the immediate wins of the side to move."""
    return [
        move
        for move in state.legal_moves()
        if (outcome := state.play(move).outcome()) is not None and outcome.winner is state.to_move
    ]


def _search_board(state: State) -> SearchBoard:
    from engine.games.pop_out.search_board import PopOutBoard  # loads compiled code

    position = as_pop_out(state)
    return PopOutBoard(position.own, position.mask, position.drawn_by_repetition)


def _popping(seed: int, options: Options, make: MakeAgent) -> Agent:  # noqa: ARG001 - needs no other agent
    from engine.games.deepening import DeepeningAgent
    from engine.games.pop_out.search import PopOutSearch  # loads compiled code

    return DeepeningAgent(PopOutSearch, is_opening, seed, window=_WINDOW, **options)


def _evaluator() -> Evaluator:
    from engine.games.pop_out.evaluator import PopOutEvaluator  # loads compiled code

    return PopOutEvaluator()


def _level(
    key: str, character: str, agent: str, nodes: int | None = None, *, is_deep: bool = False
) -> OwnLevel:
    return OwnLevel(key, key.capitalize(), character, agent, Limit(nodes=nodes), is_deep)


SPEC = GameSpec(
    PopOut(),
    play=PlaySpec(
        about=(
            "Drop a disc into a column, or take out one of your own discs at the bottom: all above it fall"
            " by one. Whoever has four in a row wins, whoever made it; where a pop makes four for both, who"
            " popped wins. A position that comes for the third time is a draw. Example: 4 drops into the"
            " middle column, p4 takes your disc out at its bottom."
        ),
        sides=("red", "yellow"),
        can_pass=False,
        line_length=lambda _board: K,
        groups=(
            MoveGroup(
                key="pop",
                title="Take out your disc at the bottom of column",
                emoji="⏏️",
                holds=lambda _state, move: move >= COLUMNS,
                label=lambda _state, move: str(move - COLUMNS + 1),
            ),
        ),
        move_text=_PopOutText(),
        text_example="44p4",
    ),
    look=LookSpec(
        icon="⏬",
        ink=Ink(("●", "●"), ("bright_red", "bright_yellow"), "on blue"),
        layout=Layout.COLUMNS,
        picture_moves="4 7 3 3 4 5 3 4 6 2 5 1 6 3 p3",
    ),
    search=SearchSpec(
        heuristic=_heuristic,
        board=_search_board,
        kernels=("engine.games.pop_out.kernels.search",),
        tree_kernels=("engine.games.pop_out.kernels.uct",),
        evaluator=_evaluator,
        agents=(
            OwnAgent(
                "popping",
                "Popping",
                "Pop Out: looks ahead with a memory of positions.",
                _popping,
                {"depth": (1, 40), "spread": (0, 100), "selective": (0, 1), "early": (0, 80)},
                kernels=("engine.games.pop_out.kernels.deepening",),
            ),
        ),
        levels=(
            _level("zoe", "pops first and asks later", "overlooking:depth=1,blindness=87"),
            _level(
                "lou", "sees your threat when it is too late", "overlooking:depth=2,blindness=55,varied=1"
            ),
            _level("rex", "takes the floor away eight moves ahead", "alphabeta:depth=8,varied=1"),
            _level(
                "gus",
                "knows which disc will fall next, and why",
                "popping:depth=40,spread=3,early=6,selective=1",
                2_000_000,
                is_deep=True,
            ),
        ),
        ladder=("pip", "zoe", "bo", "lou", "mia", "finn", "tess", "theo", "ida", "nora", "rex", "gus"),
    ),
    teach=TeachSpec(puzzle_depths=(1, 2, 3), reasons=_reasons),
)
