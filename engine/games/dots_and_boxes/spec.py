"""The spec of Dots and Boxes."""

from __future__ import annotations

from itertools import product
from math import tanh

from engine.core import Agent, Limit, Move, Player, State
from engine.games.dots_and_boxes.rules import DotsAndBoxes, DotsState, as_dots, line_name
from engine.games.reasons import Reason, Why
from engine.games.spec import (
    BoardCell,
    GameSpec,
    Glyphs,
    Ink,
    LookSpec,
    MakeAgent,
    Options,
    OwnAgent,
    OwnLevel,
    Paint,
    Piece,
    PlaySpec,
    SearchSpec,
    TeachSpec,
)
from engine.score import Evaluator, Score

_THIN = 0.4
"""The width of dots and lines."""
_WINDOW = 2
"""Around the last value, in boxes."""
_KEEN = "depth=30,selective=1"
_DEPTH = 2
"""Of an agent without the option: on 5 x 5 boxes each further ply takes ten times as long."""

_TRUST, _BOXES_OF_CERTAINTY = 0.15, 14
"""The weight of an expected box beside a closed one, and a lead that is almost won. Unproved leads of the
strongest level's games named the winner no better than chance."""


def _heuristic(state: State, mover: Player) -> float:
    """The lead in boxes for the player who has just moved; boxes that can be closed belong to who moves."""
    position = as_dots(state)
    ready = sum(len(position.missing(box)) == 1 for box in range(len(position.boxes)))
    lead = position.points[mover] - position.points[mover.other]
    return lead + (ready if state.to_move is mover else -ready)


def _places(board: str) -> list[BoardCell]:
    """Return the lines, the boxes, each one unit wide, and the dots, which are only seen."""
    grid = DotsAndBoxes().start(board).grid
    edges = [_place(*spot, "edge", line_name(grid, line)) for line, spot in enumerate(grid.lines)]
    boxes = [
        _place(2 * row + 1, 2 * column + 1, "box", f"box {row * grid.across + column + 1}")
        for row in range(grid.down)
        for column in range(grid.across)
    ]
    spots = product(range(0, 2 * grid.down + 1, 2), range(0, 2 * grid.across + 1, 2))
    return [*edges, *boxes, *(_place(*spot, "dot") for spot in spots)]


def _place(row: int, column: int, shape: str, name: str = "") -> BoardCell:
    width, height = (1 if at % 2 else _THIN for at in (column, row))
    x, y = ((at + _THIN) / 2 for at in (column, row))
    return BoardCell(x, y, row, column, name, shape=shape, width=width, height=height)


def _pieces(state: State) -> dict[int, Piece]:
    """Return the drawn lines and the taken boxes."""
    position = as_dots(state)
    kinds = ("bar",) * len(position.lines) + ("claim",) * len(position.boxes)
    owners = enumerate(zip(kinds, position.cells(), strict=True))
    return {cell: Piece(kind, owner) for cell, (kind, owner) in owners if owner is not None}


def _reasons(state: State, move: Move) -> list[Reason]:
    """Return the boxes that the move closes, or that it leaves none to close."""
    position = as_dots(state)
    closed = len(position.closed(move))
    if closed:
        return [Reason(Why.CLOSES_BOXES, closed)]
    return [] if _given(position, move) else [Reason(Why.GIVES_NO_BOX)]


def _differences(state: State, move: Move, other: Move) -> list[Reason]:
    """Return the boxes that the other move would give away, and this one does not."""
    position = as_dots(state)
    kept, lost = (_given(position, played) for played in (move, other))
    return [Reason(Why.KEEPS_BOXES, lost)] if lost > kept else []


def _given(state: DotsState, move: Move) -> int:
    """Return how many boxes the other side can close in a row after the move."""
    after = state.play(move)
    if after.to_move is state.to_move:
        return 0
    before = after.points[after.to_move]
    while True:
        closing = next((line for line in after.legal_moves() if after.closed(line)), None)
        if closing is None:
            return after.points[after.to_move] - before
        after = after.play(closing)
        if after.outcome() is not None:
            return after.points[state.to_move.other] - before


def _boxer(seed: int, options: Options, make: MakeAgent) -> Agent:  # noqa: ARG001 - needs no other agent
    from engine.games.deepening import DeepeningAgent
    from engine.games.dots_and_boxes.search import DotsSearch  # loads compiled code
    from engine.games.points_search import varies

    return DeepeningAgent(DotsSearch, varies, seed, window=_WINDOW, **{"depth": _DEPTH, **options})


def _evaluator() -> Evaluator:
    from engine.games.dots_and_boxes.search import DotsSearch  # loads compiled code
    from engine.games.points_search import PointsEvaluator

    return PointsEvaluator(DotsSearch, lambda _state: False, _estimate)


def _estimate(state: State, lead: int, _depth: int) -> Score:
    """Return an expectation: open boxes count little, since who gets them is chance until it is proved."""
    position = as_dots(state)
    closed = position.points[state.to_move] - position.points[state.to_move.other]
    return Score.likely(tanh((closed + _TRUST * (lead - closed)) / _BOXES_OF_CERTAINTY))


def _level(
    key: str, character: str, options: str, nodes: int | None = None, *, is_deep: bool = False
) -> OwnLevel:
    return OwnLevel(key, key.capitalize(), character, f"boxer:{options}", Limit(nodes=nodes), is_deep)


SPEC = GameSpec(
    DotsAndBoxes(),
    play=PlaySpec(
        about=(
            "Draw a line between two dots next to each other. Whoever draws the fourth line of a box owns it"
            " and moves again. When all lines are drawn, more boxes win. Example: b1 is the first line of the"
            " top row."
        ),
        sides=("red", "yellow"),
        can_pass=False,
        points=lambda state: as_dots(state).points,
        unit="boxes",
        text_example="b1a2",
    ),
    look=LookSpec(
        icon="🔲",
        glyphs=Glyphs(shapes={"dot": "▪️", "edge": "▫️", "box": "⬛"}),
        paint=Paint(board="#6F7C94", edge="#8B93A3", hole="#1E2430"),
        ink=Ink(("X", "O"), ("bright_red", "bright_yellow")),
        places=_places,
        pieces=_pieces,
        press=lambda _state, move: (move,),
        picture_moves=(
            "f5 c2 f11 b3 b9 f7 h11 c8 h3 d7 i8 g6 h9 j9 e2 g4 e4 c4 f3 e6"
            " g8 h7 a6 h1 j1 g10 j3 j5 i10 e10 e8 f9 b1 k8"
        ),
    ),
    search=SearchSpec(
        heuristic=_heuristic,
        agents=(
            OwnAgent(
                "boxer",
                "Boxer",
                "Dots and Boxes: looks ahead with the rules of chains, and plays the end exactly.",
                _boxer,
                {
                    "depth": (1, 30),
                    "spread": (0, 9),
                    "overlooks": (0, 95),
                    "selective": (0, 1),
                    "early": (0, 80),
                },
                kernels=("engine.games.dots_and_boxes.kernels.search",),
            ),
        ),
        levels=(
            _level("dora", "draws wherever the pencil lies", "depth=1,overlooks=90"),
            _level("milo", "closes a box if it is right under his nose", "depth=1,overlooks=75"),
            _level("edda", "likes her boxes one at a time", "depth=1,overlooks=62"),
            _level("quinn", "counts three sides, and sometimes the fourth", "depth=1,overlooks=51"),
            _level("oskar", "takes what you leave, and leaves too much", "depth=1,overlooks=40"),
            _level("lotte", "avoids the third line, mostly", "depth=1,overlooks=29"),
            _level("bruno", "sees a chain when it is long enough", "depth=1,overlooks=17"),
            _level("ina", "never leaves a box on the table", "depth=1"),
            _level("sven", "gives you two boxes to get ten", "depth=20", nodes=200),
            _level("thea", "counts the chains before you see them", "depth=20", nodes=800),
            _level("arne", "knows who will open the last chain", _KEEN, 4_000),
            _level("sigrid", "sees how the last chains join", _KEEN, 10_000),
            _level("leif", "hands you a chain, and takes the next", _KEEN, 25_000, is_deep=True),
            _level("ragna", "counts every box before the first one closes", _KEEN, 60_000, is_deep=True),
        ),
        ladder=(
            "pip",
            "dora",
            "milo",
            "edda",
            "quinn",
            "oskar",
            "lotte",
            "bruno",
            "ina",
            "sven",
            "thea",
            "arne",
            "sigrid",
            "leif",
            "ragna",
        ),
        opening_plies=8,
        evaluator=_evaluator,
        evaluator_kind="boxer",
    ),
    teach=TeachSpec(
        puzzle_depths=(9, 12, 15, 18),
        puzzle_depth=lambda state: as_dots(state).lines.count(None),
        reasons=_reasons,
        differences=_differences,
    ),
)
