"""Breakthrough on 6 × 6: a piece moves one step ahead, straight or diagonally, captures diagonally, and wins
on the last row.

Written from docs/adding-a-game.md alone, as a game unlike ours: pieces leave squares and capture each other.
A move is 3 × its starting square + 0, 1 or 2 for left, straight and right as seen from the top of the board.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.core import BoardError, EndReason, IllegalMove, Move, NotationError, Outcome, Player, State
from engine.games.move_text import MoveText
from engine.games.spec import GameSpec, LookSpec, PlaySpec

SIZE = 6
START = (Player.SECOND,) * 12 + (None,) * 12 + (Player.FIRST,) * 12


@dataclass(frozen=True, slots=True)
class BreakthroughState:
    """The owner of each square, and the winner."""

    owners: tuple[Player | None, ...] = START
    ply: int = 0
    winner: Player | None = None

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

    def target(self, move: Move) -> int | None:
        """Return the target square; None for an illegal move."""
        square, way = divmod(move, 3)
        if not 0 <= square < SIZE * SIZE or self.owners[square] is not self.to_move:
            return None
        row, column = divmod(square, SIZE)
        row += -1 if self.to_move is Player.FIRST else 1
        column += way - 1
        if not (0 <= row < SIZE and 0 <= column < SIZE):
            return None
        there = SIZE * row + column
        held = self.owners[there]
        if held is self.to_move or (way == 1 and held is not None):
            return None
        return there

    def legal_moves(self) -> tuple[Move, ...]:
        if self.winner is not None:
            return ()
        return tuple(move for move in range(3 * SIZE * SIZE) if self.target(move) is not None)

    def play(self, move: Move) -> BreakthroughState:
        there = self.target(move)
        if self.winner is not None:
            raise IllegalMove(move, "over", "The game is over: somebody has won.")
        if there is None:
            raise IllegalMove(move, "no_way", "No man of yours can go that way.")
        owners = list(self.owners)
        owners[move // 3], owners[there] = None, self.to_move
        last_row = there // SIZE == (0 if self.to_move is Player.FIRST else SIZE - 1)
        has_won = last_row or self.to_move.other not in owners
        return BreakthroughState(tuple(owners), self.ply + 1, self.to_move if has_won else None)

    def outcome(self) -> Outcome | None:
        return None if self.winner is None else Outcome(self.winner, EndReason.OTHER)


def of_this_game(state: State) -> BreakthroughState:
    assert isinstance(state, BreakthroughState)
    return state


def _name(cell: int) -> str:
    return f"{'abcdef'[cell % SIZE]}{cell // SIZE + 1}"


class Breakthrough:
    """The rules."""

    key = "breakthrough"
    title = "Breakthrough"
    boards = ("6x6",)

    def start(self, board: str | None = None) -> BreakthroughState:
        if board not in (None, "6x6"):
            raise BoardError(f"{board!r} is no board: there is 6x6 alone.")
        return BreakthroughState()

    def move_name(self, state: State, move: Move) -> str:
        there = of_this_game(state).target(move)
        return _name(move // 3) + ("" if there is None else _name(there))

    def parse_move(self, state: State, text: str) -> Move:
        for move in state.legal_moves():
            if self.move_name(state, move) == text.strip().lower():
                return move
        raise NotationError(f"{text!r} is no move: write a5a4.")

    def cell_of(self, state: State, move: Move) -> int | None:
        return of_this_game(state).target(move)


def _press(state: State, move: Move) -> tuple[int, int]:
    there = of_this_game(state).target(move)
    assert there is not None
    return move // 3, there


SPEC = GameSpec(
    Breakthrough(),
    play=PlaySpec(
        about="Go one step ahead, straight or aslant; take aslant. Whoever reaches the last row wins.",
        move_text=MoveText(width=4),
        text_example="a5a4b2b3",
    ),
    look=LookSpec(picture_moves="a5a4 b2b3", press=_press),
)
