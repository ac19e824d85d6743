"""The spec of Kalah."""

from __future__ import annotations

from string import ascii_lowercase

from engine.core import Agent, Limit, Move, Player, State
from engine.games.kalah.rules import PITS, Kalah, as_kalah
from engine.games.move_text import MoveText
from engine.games.reasons import Reason, Why
from engine.games.spec import (
    BoardCell,
    GameSpec,
    Ink,
    Layout,
    LookSpec,
    MakeAgent,
    Options,
    OwnAgent,
    OwnLevel,
    Paint,
    Piece,
    PlaySpec,
    Press,
    SearchSpec,
    TeachSpec,
)
from engine.score import Evaluator

_WINDOW = 2
"""Around the last value, in seeds."""
_KEEN = "depth=40,spread=1,early=6,selective=1"
_SOLVED_SEEDS = 24
"""With so many seeds at the start, or fewer, every position is solved in seconds."""


def _heuristic(state: State, mover: Player) -> float:
    """The lead in seeds for the player who has just moved; half a seed for another move."""
    stores = as_kalah(state).stores
    return 2 * (stores[mover] - stores[mover.other]) + (state.to_move is mover)


def _places(_board: str) -> list[BoardCell]:
    """Return the pits, the second player's above from right to left, then the stores at the ends."""
    lower = [_pit(pit, 1, pit + 1) for pit in range(PITS)]
    upper = [_pit(PITS + pit, 0, PITS - pit) for pit in range(PITS)]
    stores = [
        BoardCell(column + 0.5, 1, row, column, f"store {player + 1}", shape="store", height=2)
        for player, row, column in ((Player.FIRST, 1, PITS + 1), (Player.SECOND, 0, 0))
    ]
    return [*lower, *upper, *stores]


def _pit(pit: int, row: int, column: int) -> BoardCell:
    return BoardCell(column + 0.5, row + 0.5, row, column, ascii_lowercase[pit], shape="pit")


def _pieces(state: State) -> dict[int, Piece]:
    """Return the seeds in the pits that have some, and in both stores."""
    position = as_kalah(state)
    stores = len(position.pits)
    counts = {pit: seeds for pit, seeds in enumerate(position.pits) if seeds}
    counts |= {stores + player: position.stores[player] for player in Player}
    owners = position.cells()
    return {cell: Piece("seeds", owners[cell], count=count) for cell, count in counts.items()}


def _press(state: State, move: Move) -> Press:  # noqa: ARG001 - the same in every state
    return (move,)


def _reasons(state: State, move: Move) -> list[Reason]:
    """Return the seeds that the move captures, that it moves again, and the seeds that it saves."""
    position = as_kalah(state)
    _, _, last, taken = position.sown(move)
    found = [Reason(Why.TAKES_SEEDS, taken)] if taken > 1 else []
    if last is None and position.play(move).outcome() is None:
        found.append(Reason(Why.MOVES_AGAIN))
    return found


def _differences(state: State, move: Move, other: Move) -> list[Reason]:
    """Return the seeds that the other side could capture after the other move, and not after this one."""
    kept, lost = (_most_taken(state, played) for played in (move, other))
    return [Reason(Why.KEEPS_SEEDS, lost)] if lost > kept + 1 else []


def _most_taken(state: State, move: Move) -> int:
    """Return the most seeds that one move of the other side captures after this move."""
    after = as_kalah(state).play(move)
    if after.to_move is state.to_move:
        return 0
    return max((after.sown(answer)[3] for answer in after.legal_moves()), default=0)


def _sower(seed: int, options: Options, make: MakeAgent) -> Agent:  # noqa: ARG001 - needs no other agent
    from engine.games.deepening import DeepeningAgent
    from engine.games.kalah.search import KalahSearch  # loads compiled code
    from engine.games.points_search import varies

    return DeepeningAgent(KalahSearch, varies, seed, window=_WINDOW, **options)


def _evaluator() -> Evaluator:
    from engine.games.kalah.search import KalahSearch  # loads compiled code
    from engine.games.points_search import PointsEvaluator

    return PointsEvaluator(KalahSearch, lambda state: sum(as_kalah(state).pits) <= _SOLVED_SEEDS)


def _level(
    key: str, character: str, options: str, nodes: int | None = None, *, is_deep: bool = False
) -> OwnLevel:
    return OwnLevel(key, key.capitalize(), character, f"sower:{options}", Limit(nodes=nodes), is_deep)


SPEC = GameSpec(
    Kalah(),
    play=PlaySpec(
        about=(
            "Take all seeds of one of your pits and sow them one by one against the clock, also into your own"
            " store, not into the other. If the last one falls into your store, you move again. If it falls"
            " into an empty pit of yours, you capture it and the seeds in the pit opposite. The game is over"
            " once one side has no seeds in its pits; the seeds left belong to the side they are on. More"
            " seeds win. Example: c sows the third pit of the lower row."
        ),
        sides=("red", "yellow"),
        can_pass=False,
        points=lambda state: as_kalah(state).stores,
        unit="seeds",
        board_example="6x3",
        move_text=MoveText(width=1),
        text_example="cfg",
    ),
    look=LookSpec(
        icon="🫘",
        paint=Paint(board="#B07C44", edge="#6E4A1E", hole="#2A1A0C"),
        ink=Ink(("●", "●"), ("bright_red", "bright_yellow")),
        layout=Layout.ROWS,
        places=_places,
        pieces=_pieces,
        press=_press,
        picture_moves="d l b e h l i a f g b j f",
    ),
    search=SearchSpec(
        heuristic=_heuristic,
        agents=(
            OwnAgent(
                "sower",
                "Sower",
                "Kalah: looks ahead with a memory of positions, and plays the end exactly.",
                _sower,
                {
                    "depth": (1, 40),
                    "spread": (0, 9),
                    "overlooks": (0, 95),
                    "selective": (0, 1),
                    "early": (0, 80),
                },
                kernels=("engine.games.kalah.kernels.search",),
            ),
        ),
        levels=(
            _level("bela", "counts on her fingers, and loses count", "depth=2,overlooks=55"),
            _level("tino", "loves to move again, and again", "depth=2,overlooks=30"),
            _level("lila", "guards her seeds from the next move", "depth=2,spread=2"),
            _level("amos", "knows which pit ends in the store", "depth=3,spread=1"),
            _level("zuri", "sows with five moves in mind", "depth=5,spread=2"),
            _level("kofi", "counts your seeds before his own", "depth=7,spread=3"),
            _level("amara", "nine moves ahead, and humming", "depth=9,spread=3"),
            _level("sefu", "lets nothing fall into an empty pit", "depth=12,spread=3", is_deep=True),
            _level("imani", "remembers where each seed has been", _KEEN, 40_000),
            _level("baraka", "has counted the harvest before you sow", _KEEN, 2_000_000, is_deep=True),
        ),
        ladder=("pip", "bela", "tino", "lila", "amos", "zuri", "kofi", "amara", "sefu", "imani", "baraka"),
        opening_plies=3,
        evaluator=_evaluator,
        evaluator_kind="sower",
    ),
    teach=TeachSpec(
        puzzle_depths=(8, 11, 14, 17),
        puzzle_depth=lambda state: sum(as_kalah(state).pits),
        reasons=_reasons,
        differences=_differences,
    ),
)
