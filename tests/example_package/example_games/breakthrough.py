"""Breakthrough on 5 × 5: a man steps ahead, straight or diagonally, and captures diagonally.

A move is 25 × the man's cell + the target. The top row is 0, and the first player moves upwards.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.core import BoardError, EndReason, IllegalMove, Move, NotationError, Outcome, Player, State
from engine.games.move_text import MoveText
from engine.games.spec import GameSpec, LookSpec, PlaySpec, Press

SIZE = 5
CELLS = SIZE * SIZE
MEN = (*(Player.SECOND,) * 2 * SIZE, *(None,) * SIZE, *(Player.FIRST,) * 2 * SIZE)
GOAL = {Player.FIRST: range(SIZE), Player.SECOND: range(CELLS - SIZE, CELLS)}


@dataclass(frozen=True, slots=True)
class BreakthroughState:
    """A position: the owner of each cell."""

    owners: tuple[Player | None, ...] = MEN
    ply: int = 0

    @property
    def rows(self) -> int:
        return SIZE

    @property
    def columns(self) -> int:
        return SIZE

    @property
    def to_move(self) -> Player:
        return Player(self.ply & 1)

    def cells(self) -> tuple[Player | None, ...]:
        return self.owners

    def legal_moves(self) -> tuple[Move, ...]:
        if self.outcome() is not None:
            return ()
        men = [cell for cell, owner in enumerate(self.owners) if owner is self.to_move]
        return tuple(CELLS * man + target for man in men for target in self._targets(man))

    def play(self, move: Move) -> BreakthroughState:
        if self.outcome() is not None:
            raise IllegalMove(move, "over", "The game is over.")
        if move not in self.legal_moves():
            raise IllegalMove(move, "no_such_square", "No man of yours can make this move.")
        man, target = divmod(move, CELLS)
        owners = list(self.owners)
        owners[man], owners[target] = None, self.to_move
        return replace(self, owners=tuple(owners), ply=self.ply + 1)

    def outcome(self) -> Outcome | None:
        mover = self.to_move.other
        has_arrived = any(self.owners[cell] is mover for cell in GOAL[mover])
        if has_arrived or self.to_move not in self.owners:
            return Outcome(mover, EndReason.OTHER)
        return None

    def _targets(self, man: int) -> list[int]:
        """Return the cells that the man can step to, ascending."""
        row, column = divmod(man, SIZE)
        row += 1 if self.to_move is Player.SECOND else -1
        found = []
        for side in (-1, 0, 1):
            owner = self.owners[SIZE * row + column + side] if 0 <= column + side < SIZE else self.to_move
            if owner is None or (owner is not self.to_move and side):
                found.append(SIZE * row + column + side)
        return found


class Breakthrough:
    """The rules."""

    key = "little-breakthrough"
    title = "Little Breakthrough"
    boards = ("5x5",)

    def start(self, board: str | None = None) -> BreakthroughState:
        if board not in (None, "5x5"):
            raise BoardError(f"{board!r} is no board of this game: there is 5x5 alone.")
        return BreakthroughState()

    def move_name(self, state: State, move: Move) -> str:
        return "".join(f"{'abcde'[cell % SIZE]}{cell // SIZE + 1}" for cell in divmod(move, CELLS))

    def parse_move(self, state: State, text: str) -> Move:
        for move in state.legal_moves():
            if self.move_name(state, move) == text.strip().lower():
                return move
        raise NotationError(f"{text!r} is no move: write a square and the next one, such as c4c3.")

    def cell_of(self, state: State, move: Move) -> int | None:
        return move % CELLS


def press(state: State, move: Move) -> Press:
    """Return the man, then the target."""
    return divmod(move, CELLS)


SPEC = GameSpec(
    Breakthrough(),
    play=PlaySpec(
        about=(
            "Step ahead with a man, straight or diagonally; capture diagonally. The first man on the last row"
            " wins, and so does capturing all men. Example: c4c3."
        ),
        can_pass=False,
        move_text=MoveText(width=4),
        text_example="c4c3c2d3",
    ),
    look=LookSpec(press=press, picture_moves="c4c3 b2b3 d4d3"),
)
