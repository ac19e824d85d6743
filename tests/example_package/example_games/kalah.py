"""Kalah with four pits a side and three seeds in each.

A move is the number of a pit: 0 to 3 are the first player's, from left to right, and 4 to 7 the second
player's, from right to left, so seeds are sown in the order of the numbers. Cells 8 and 9 are the stores.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.core import BoardError, EndReason, IllegalMove, Move, NotationError, Outcome, Player, State
from engine.games.move_text import MoveText
from engine.games.spec import BoardCell, GameSpec, LookSpec, Note, Piece, PlaySpec, Press

SIDE = 4
PITS = 2 * SIDE
STORES = (PITS, PITS + 1)
WAY = {
    Player.FIRST: (0, 1, 2, 3, STORES[0], 4, 5, 6, 7),
    Player.SECOND: (4, 5, 6, 7, STORES[1], 0, 1, 2, 3),
}
"""The cells in the order of sowing, without the other side's store."""


@dataclass(frozen=True, slots=True)
class KalahState:
    """A position: the seeds in each cell. moves_again: the last seed fell into the store."""

    seeds: tuple[int, ...] = (*(3,) * PITS, 0, 0)
    to_move: Player = Player.FIRST
    ply: int = 0
    moves_again: bool = False

    @property
    def rows(self) -> int:
        return 2

    @property
    def columns(self) -> int:
        return SIDE + 2

    def cells(self) -> tuple[Player | None, ...]:
        owners = (*(Player.FIRST,) * SIDE, *(Player.SECOND,) * SIDE, Player.FIRST, Player.SECOND)
        return tuple(owner if seeds else None for owner, seeds in zip(owners, self.seeds, strict=True))

    def legal_moves(self) -> tuple[Move, ...]:
        if self.outcome() is not None:
            return ()
        return tuple(pit for pit in WAY[self.to_move][:SIDE] if self.seeds[pit])

    def play(self, move: Move) -> KalahState:
        if self.outcome() is not None:
            raise IllegalMove(move, "over", "The game is over.")
        if move not in self.legal_moves():
            raise IllegalMove(move, "no_such_square", "You have no seeds there.")
        way, store, seeds = WAY[self.to_move], STORES[self.to_move], list(self.seeds)
        place, hand, seeds[move] = way.index(move), seeds[move], 0
        for _ in range(hand):
            place = (place + 1) % len(way)
            seeds[way[place]] += 1
        last = way[place]
        if place < SIDE and seeds[last] == 1:  # a pit of the mover's that was empty
            opposite = PITS - 1 - last
            seeds[store] += 1 + seeds[opposite]
            seeds[last] = seeds[opposite] = 0
        sides = WAY[Player.FIRST][:SIDE], WAY[Player.SECOND][:SIDE]
        if any(not any(seeds[pit] for pit in side) for side in sides):
            for side, owner_store in zip(sides, STORES, strict=True):
                seeds[owner_store] += sum(seeds[pit] for pit in side)
                for pit in side:
                    seeds[pit] = 0
        moves_again = last == store
        to_move = self.to_move if moves_again else self.to_move.other
        return KalahState(tuple(seeds), to_move, self.ply + 1, moves_again)

    def outcome(self) -> Outcome | None:
        if any(self.seeds[:PITS]):
            return None
        first, second = (self.seeds[store] for store in STORES)
        winner = None if first == second else Player.FIRST if first > second else Player.SECOND
        return Outcome(winner, EndReason.OTHER)


class Kalah:
    """The rules."""

    key = "little-kalah"
    title = "Little Kalah"
    boards = ("4x3",)

    def start(self, board: str | None = None) -> KalahState:
        if board not in (None, "4x3"):
            raise BoardError(f"{board!r} is no board of this game: there is 4x3 alone.")
        return KalahState()

    def move_name(self, state: State, move: Move) -> str:
        return "abcdefgh"[move]

    def parse_move(self, state: State, text: str) -> Move:
        for move in range(PITS):
            if self.move_name(state, move) == text.strip().lower():
                state.play(move)  # raises IllegalMove with the reason
                return move
        raise NotationError(f"{text!r} is no pit: write a to h.")

    def cell_of(self, state: State, move: Move) -> int | None:
        return None


def places(board: str) -> list[BoardCell]:
    """Return the pits, and the stores at both ends."""
    lower = [BoardCell(pit + 1.5, 1.5, 1, pit + 1, "abcd"[pit], shape="pit") for pit in range(SIDE)]
    upper = [BoardCell(4.5 - pit, 0.5, 0, 4 - pit, "efgh"[pit], shape="pit") for pit in range(SIDE)]
    right = BoardCell(5.5, 1, 1, 5, "store", shape="store", height=2)
    left = BoardCell(0.5, 1, 0, 0, "store", shape="store", height=2)
    return [*lower, *upper, right, left]


def pieces(state: State) -> dict[int, Piece]:
    """Return the seeds of every cell that has some."""
    assert isinstance(state, KalahState)
    owned = zip(state.cells(), state.seeds, strict=True)
    return {cell: Piece("seeds", owner, count=seeds) for cell, (owner, seeds) in enumerate(owned) if seeds}


def press(state: State, move: Move) -> Press:
    return (move,)


def note(state: State) -> Note | None:
    assert isinstance(state, KalahState)
    if not state.moves_again:
        return None
    return Note("again", "The last seed fell into the store: the same side moves again.", state.to_move)


SPEC = GameSpec(
    Kalah(),
    play=PlaySpec(
        about=(
            "Sow the seeds of one of your pits, one by one against the clock. If the last one falls into your"
            " store, you move again; if it falls into an empty pit of yours, you capture it with the seeds"
            " opposite. More seeds win. Example: b."
        ),
        can_pass=False,
        note=note,
        move_text=MoveText(width=1),
        text_example="ba",
    ),
    look=LookSpec(places=places, pieces=pieces, press=press, picture_moves="b a e"),
)
