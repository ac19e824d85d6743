"""The spec of Connect Four."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from engine.core import Agent, EngineError, Game, Move, NotationError, State
from engine.games.connect_four.plans import forced_win, new_threats, plans, threats
from engine.games.connect_four.puzzle_themes import themes
from engine.games.connect_four.rules import ConnectFour, ConnectFourState
from engine.games.k_in_a_row import line_reasons, line_value
from engine.games.move_text import MoveText, Word
from engine.games.reasons import Reason, Why
from engine.games.spec import (
    GameSpec,
    Glyphs,
    Ink,
    Layout,
    LookSpec,
    MakeAgent,
    Options,
    OwnAgent,
    Paint,
    PlaySpec,
    SearchSpec,
    TeachSpec,
)
from engine.score import Evaluator

if TYPE_CHECKING:
    from engine.games.search_board import SearchBoard

DATA = Path(__file__).parents[2] / "data"

COLUMNS = string.digits[1:] + string.ascii_lowercase
"""The character of each column: 1 to 9, then a, b, c … from the tenth on."""

WIDE = 10
"""The least number of columns on which a letter is one of COLUMNS; on fewer, `a` is the first column."""


def as_connect_four(state: State) -> ConnectFourState:
    """Return the state as one of this game; raises EngineError."""
    if not isinstance(state, ConnectFourState):
        raise EngineError(f"this is Connect Four, not {type(state).__name__}")
    return state


class _Columns(MoveText):
    """A column is one character, or on wide boards a number between separators."""

    def __init__(self) -> None:
        super().__init__(width=1)

    def write(self, rules: Game, state: State, move: Move) -> str:  # noqa: ARG002 - the same in every state
        return COLUMNS[move] if 0 <= move < len(COLUMNS) else "?"

    def read(self, rules: Game, state: State, word: str) -> Move:
        # A number that is too large is an illegal move, which the rules explain.
        is_number = word.isdecimal() and word != "0"
        if not is_number and word not in COLUMNS[: state.columns]:
            last = self.write(rules, state, state.columns - 1)
            raise NotationError(f"{word!r} is no column: write the columns 1 to {last}, such as 1213.")
        return int(word) - 1 if is_number else COLUMNS.index(word)

    def adapted(self, words: Sequence[Word], state: State) -> list[Word]:
        """Join the digits of numbers on wide boards; count columns from 1, and letters from `a`."""
        found = _joined(words) if state.columns >= WIDE else list(words)
        names = {word.text for word in found}
        letters = string.ascii_lowercase[: state.columns]
        if state.columns < WIDE and names <= set(letters):
            return [replace(word, text=str(letters.index(word.text) + 1)) for word in found]
        if "0" not in names:
            return found
        last = str(state.columns)
        if last in names:
            message = f"0 and {last}: are columns numbered from 0 or from 1?"
            raise NotationError(message, reason="columns", last=last)
        return [
            replace(word, text=str(int(word.text) + 1)) if word.text.isdecimal() else word for word in found
        ]


def _joined(words: Sequence[Word]) -> list[Word]:
    """Return numbers of two digits as one word each, if separators stand between all numbers."""
    groups = list[list[Word]]()
    for word in words:
        if groups and groups[-1][-1].column + 1 == word.column:
            groups[-1].append(word)
        else:
            groups.append([word])
    if len(groups) < 2 or any(len(group) > 2 for group in groups):
        return list(words)
    texts = ["".join(word.text for word in group) for group in groups]
    return [
        replace(group[0], text=text, quoted=repr(text)) for group, text in zip(groups, texts, strict=True)
    ]


def _turned(state: State) -> State:
    position = as_connect_four(state)
    return replace(position, own=position.opponent, ply=position.ply + 1)


def _reasons(state: State, move: Move) -> list[Reason]:
    position, is_central = as_connect_four(state), 2 * move == state.columns - 1
    found = line_reasons(state, move, position.k, _turned, is_central=is_central)
    after = position.play(move)
    if after.outcome() is not None:
        return found
    if any(reason.why is Why.TWO_THREATS for reason in found):
        return found
    moves = forced_win(position, move)
    if moves is not None:
        found.append(Reason(Why.FORCES, moves))
    return [*found, *plans(after), *new_threats(position, move)]


def _search_board(state: State) -> SearchBoard:
    from engine.games.connect_four.large_board import LargeBoard  # loads compiled code, as does the next
    from engine.games.connect_four.search_board import ConnectFourBoard, connect_four_layout

    position = as_connect_four(state)
    if not position.fits_a_word:
        return LargeBoard.of(position)
    layout = connect_four_layout(position.rows, position.columns, position.k)
    return ConnectFourBoard(position.own, position.mask, *layout)


def _perfect(seed: int, options: Options, make: MakeAgent) -> Agent:
    from engine.games.connect_four.agent import PerfectAgent

    slips, early = options.get("slips", 0), options.get("early", 0)
    slipping = make("alphabeta:depth=6,varied=1", seed) if slips or early else None
    fallback, sampling = make("alphabeta:depth=8", seed), make("mcts", seed)
    return PerfectAgent(fallback, sampling, Random(seed), options.get("spread", 0), slips, slipping, early)


def _evaluator() -> Evaluator:
    from engine.games.connect_four.evaluator import ConnectFourEvaluator  # loads compiled code

    return ConnectFourEvaluator()


_KERNELS = "engine.games.connect_four.kernels."

SPEC = GameSpec(
    ConnectFour(),
    play=PlaySpec(
        about=(
            "Drop a disc into a column; it falls as far as it can. Whoever first has four of their discs in a"
            " row, across, down or diagonally, wins. A full board without such a row is a draw."
        ),
        sides=("red", "yellow"),
        can_pass=False,
        board_example="8x9x5",
        line_length=lambda board: int(board.rpartition("x")[2]),
        move_text=_Columns(),
        text_example="4453",
        formats={"text": "connect-four", "kaggle": "connectx"},
        openings=DATA / "openings_connect_four.txt",
    ),
    look=LookSpec(
        icon="🔴",
        glyphs=Glyphs(),
        paint=Paint(),
        ink=Ink(("●", "●"), ("bright_red", "bright_yellow"), "on blue"),
        layout=Layout.COLUMNS,
        picture_moves="6 7 3 4 5 2 5 5 5 4 3 2 5 7 4 3 3",
    ),
    search=SearchSpec(
        heuristic=lambda state, mover: line_value(state, mover, as_connect_four(state).k),
        board=_search_board,
        kernels=("engine.kernels.drop_search",),
        tree_kernels=("engine.kernels.drop_uct",),
        opening_margin=4,
        agents=(
            OwnAgent(
                "perfect",
                "Perfect",
                "Connect Four solved: exact on 6x7, Monte Carlo tree search on other boards.",
                _perfect,
                {"spread": (0, 21), "slips": (0, 100), "early": (0, 100)},
                kernels=(f"{_KERNELS}exact_search", f"{_KERNELS}any_board_search"),
            ),
        ),
        ladder=("pip", "bo", "mia", "otto", "tess", "theo", "luca", "vera", "ivo", "nils", "una"),
        boards_of_level={"nils": ("6x7x4",), "una": ("6x7x4", "5x6x4", "5x5x3")},
        evaluator=_evaluator,
        evaluator_kind="perfect",
    ),
    teach=TeachSpec(
        reasons=_reasons,
        threats=lambda state: threats(as_connect_four(state)),
        themes=lambda state, best, best_of: themes(as_connect_four(state), best, best_of),
        puzzle_depths=(2, 4, 6, 9),
    ),
)
