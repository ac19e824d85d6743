"""The spec of Hex."""

from __future__ import annotations

from engine.core import Agent, Limit, Move, Player, State
from engine.games.hex.rules import Hex, HexState, around, as_hex, cell_name, group, stones_needed
from engine.games.move_text import MoveText
from engine.games.reasons import Reason, Why
from engine.games.spec import (
    BoardCell,
    Border,
    GameSpec,
    Glyphs,
    LookSpec,
    MakeAgent,
    MoveGroup,
    Options,
    OwnAgent,
    OwnLevel,
    Paint,
    PlaySpec,
    SearchSpec,
    TeachSpec,
)
from engine.score import Evaluator

_HEIGHT, _RADIUS = 3**0.5 / 2, 3**-0.5
"""From row to row, where the middles of neighbours are one apart; from the middle to a corner."""


def _places(board: str) -> list[BoardCell]:
    size = Hex().start(board).size
    return [
        BoardCell(
            column + row / 2 + 0.5,
            row * _HEIGHT + _RADIUS,
            row,
            column,
            cell_name(size, size * row + column),
            shape="hexagon",
        )
        for row in range(size)
        for column in range(size)
    ]


def _borders(board: str) -> list[Border]:
    """Return the outlines above, below, to the left and to the right, in the colours that join them."""
    places = _places(board)
    size = round(len(places) ** 0.5)

    def border(owner: Player, cells: list[BoardCell], *corners: tuple[float, float]) -> Border:
        return Border(owner, tuple((at.x + right, at.y + down) for at in cells for right, down in corners))

    half = _RADIUS / 2
    above = (-0.5, -half), (0, -_RADIUS), (0.5, -half)
    below = (-0.5, half), (0, _RADIUS), (0.5, half)
    return [
        border(Player.FIRST, places[:size], *above),
        border(Player.FIRST, places[-size:], *below),
        border(Player.SECOND, places[::size], above[0], below[0]),
        border(Player.SECOND, places[size - 1 :: size], above[2], below[2]),
    ]


def _ring(state: HexState, cell: Move) -> list[Player | str | None]:
    """Return what lies around a cell, in order; the edge of the board is its owner's."""
    row, column = divmod(cell, state.size)
    cells = state.cells()
    found: list[Player | str | None] = []
    for down, right in ((-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1)):
        r, c = row + down, column + right
        is_beyond, is_beside = not 0 <= r < state.size, not 0 <= c < state.size
        if is_beyond and is_beside:
            found.append("corner")
        elif is_beyond or is_beside:
            found.append(Player.FIRST if is_beyond else Player.SECOND)
        else:
            found.append(cells[r * state.size + c])
    return found


def _reasons(state: State, move: Move) -> list[Reason]:
    """Return whether the move joins both edges for sure, holds a bridge, or makes one."""
    from engine.games.hex.searcher import bridges  # loads compiled code

    position = as_hex(state)
    if move == position.swap:
        return []
    mover, after, found = position.to_move, position.play(move), []
    if not after.won and bridges(position, mover) is None and bridges(after, mover) is not None:
        found.append(Reason(Why.SURE_CHAIN))
    ring = _ring(position, move)
    if any((ring[i - 2], ring[i - 1], ring[i]) == (mover, mover.other, mover) for i in range(6)):
        found.append(Reason(Why.HOLDS_BRIDGE))
    stone, size = 1 << move, position.size
    mine = group(after.stones[mover], stone, size)
    beside = around(stone, size) & after.free
    for other in range(position.swap):
        is_apart = after.stones[mover] >> other & 1 and not mine >> other & 1
        if is_apart and (around(1 << other, size) & beside).bit_count() > 1:
            found.append(Reason(Why.BRIDGE))
            break
    if position.ply < 2 and max(abs(place - size // 2) for place in divmod(move, size)) <= 1:
        found.append(Reason(Why.CENTRE))
    return found


def _bridging(seed: int, options: Options, make: MakeAgent) -> Agent:  # noqa: ARG001 - needs no other agent
    from engine.games.hex.agent import BridgeAgent  # loads compiled code

    return BridgeAgent(seed, **options)


def _evaluator() -> Evaluator:
    from engine.games.hex.evaluator import HexEvaluator  # loads compiled code

    return HexEvaluator()


def _level(key: str, character: str, nodes: int, options: str = "", *, is_deep: bool = False) -> OwnLevel:
    agent = f"bridges:{options}" if options else "bridges"
    return OwnLevel(key, key.capitalize(), character, agent, Limit(nodes=nodes), is_deep)


SPEC = GameSpec(
    Hex(),
    play=PlaySpec(
        about=(
            "Put a stone on any free hexagon; it never moves. Red joins the top edge with the bottom edge,"
            " blue the left edge with the right one. Whoever has a chain of stones from edge to edge wins;"
            " there are no draws. After the first stone the other side may take it over: swap moves it to"
            " its mirror image, in their colour. Example: f6 is the middle of the large board."
        ),
        sides=("red", "blue"),
        can_pass=False,
        groups=(
            MoveGroup(
                key="swap",
                title="Or take the first stone over, mirrored in your colour:",
                emoji="🔄",
                holds=lambda state, move: isinstance(state, HexState) and move == state.swap,
            ),
        ),
        move_text=MoveText(words=("swap",)),
        text_example="a2f6",
        formats={"sgf": "11", "hexworld": "hex"},
        boards_of_people=("11x11", "7x7"),
        has_swap=lambda _board: True,
    ),
    look=LookSpec(
        icon="🐝",
        glyphs=Glyphs(
            plain=("🔴", "🔵"),
            last=("🟥", "🟦"),
            line=("❤️", "💙"),
            empty="🟩",
        ),
        paint=Paint(
            board="#7C879C",
            edge="#566076",
            hole="#14161C",
            discs=("#D62F3A", "#A2D6FF"),
            rims=("#8E1620", "#4E8CC6"),
        ),
        picture_moves="b4 f6 d8 e4 g4 f7 d5 d7 c8 c7 e5",
        places=_places,
        borders=_borders,
    ),
    search=SearchSpec(
        agents=(
            OwnAgent(
                "bridges",
                "Bridges",
                "Hex by simulated games that keep their bridges.",
                _bridging,
                {"strays": (0, 95), "solved": (0, 1), "early": (0, 80)},
                kernels=("engine.games.hex.kernels.tree",),
            ),
        ),
        levels=(
            _level("wim", "lays stones beside stones, and hums", 30, "strays=85"),
            _level("ella", "has heard of bridges, and builds some", 30, "strays=73"),
            _level("bram", "looks where the wall is thin", 30, "strays=56"),
            _level("dirk", "follows each stone, and blinks often", 32, "strays=44"),
            _level("piet", "sees one edge and forgets the other", 40, "strays=33"),
            _level("nele", "walks a path to its end, most days", 50, "strays=23"),
            _level("jorn", "rarely lets a gap go by", 60, "strays=16"),
            _level("lieke", "sees both edges at once", 70, "strays=8"),
            _level("klaas", "walks a hundred paths before a step", 90),
            _level("marit", "keeps every bridge in mind", 185),
            _level("siem", "knows which stone you need next", 430),
            _level("rena", "has walked every path twice", 1_000),
            _level("otis", "is at the far edge before you set out", 2_500),
            _level("ilse", "hears where your chain will tear", 7_000, "solved=1"),
            _level("fenna", "joined both edges an hour ago", 20_000, "solved=1", is_deep=True),
            _level(
                "sanne",
                "sees the last bridge before your first stone",
                60_000,
                "solved=1,early=4",
                is_deep=True,
            ),
        ),
        ladder=(
            "wim",
            "ella",
            "bram",
            "dirk",
            "piet",
            "nele",
            "jorn",
            "lieke",
            "klaas",
            "marit",
            "siem",
            "rena",
            "otis",
            "ilse",
            "fenna",
            "sanne",
        ),
        opening_plies=3,
        evaluator=_evaluator,
        evaluator_kind="bridges",
    ),
    teach=TeachSpec(
        puzzle_depths=(2, 3),
        puzzle_depth=lambda state: stones_needed(as_hex(state)),
        reasons=_reasons,
    ),
)
