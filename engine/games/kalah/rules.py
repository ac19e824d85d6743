"""Kalah: two rows of pits, a store on each side, and the same number of seeds in every pit.

The rules are those of Geoffrey Irving, Jeroen Donkers and Jos Uiterwijk, "Solving Kalah" (ICGA Journal 23(3),
2000). A move takes all seeds of an own pit and sows them one by one against the clock, also into the own
store, never into the other. A last seed in the own store gives another move. A last seed in an own empty pit
is captured together with the seeds of the pit opposite, even if there are none. A long sowing also fills the
pit that it started from. The game is over as soon as all pits of one side are empty; the seeds that are left
belong to their side. More seeds win.

On six pits the moves, the pits and their letters are the same numbers; the stores are cells 12 and 13::

         11 10  9  8  7  6             l  k  j  i  h  g
     13                    12
          0  1  2  3  4  5             a  b  c  d  e  f
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Self

from engine.core import (
    BoardError,
    EndReason,
    EngineError,
    IllegalMove,
    Move,
    NotationError,
    Outcome,
    Player,
    State,
)

PITS, MOST_SEEDS = 6, 6
_BOARD = re.compile(f"{PITS}x([1-{MOST_SEEDS}])", re.ASCII)


@dataclass(frozen=True, slots=True)
class KalahState:
    """A position. pits: the seeds in each, the first player's first, in the order of sowing."""

    pits: tuple[int, ...]
    stores: tuple[int, int] = (0, 0)
    to_move: Player = Player.FIRST
    ply: int = 0

    @classmethod
    def of(cls, pits: int, seeds: int) -> Self:
        """Return the start with that many pits a side, 1 to 6, and seeds in each."""
        return cls((seeds,) * (2 * pits))

    @property
    def size(self) -> int:
        """The number of pits of a side."""
        return len(self.pits) // 2

    @property
    def rows(self) -> int:
        return 2

    @property
    def columns(self) -> int:
        return self.size + 2

    def side(self, player: Player) -> tuple[int, ...]:
        """Return the seeds in that player's pits, in the order of sowing."""
        return self.pits[player * self.size : (player + 1) * self.size]

    def legal_moves(self) -> tuple[Move, ...]:
        if self._is_over:
            return ()
        first = self.to_move * self.size
        return tuple(pit for pit in range(first, first + self.size) if self.pits[pit])

    def play(self, move: Move) -> Self:
        if move not in self.legal_moves():
            raise self._refusal(move)
        pits, stores, last, _ = self.sown(move)
        if not any(pits[: self.size]) or not any(pits[self.size :]):
            stores = [stores[0] + sum(pits[: self.size]), stores[1] + sum(pits[self.size :])]
            pits = [0] * len(pits)
        to_move = self.to_move if last is None else self.to_move.other
        return type(self)(tuple(pits), (stores[0], stores[1]), to_move, self.ply + 1)

    def sown(self, move: Move) -> tuple[list[int], list[int], int | None, int]:
        """Return the pits, the stores, the pit of the last seed (None: the store) and the seeds captured."""
        size, mover = self.size, self.to_move
        pits, stores = list(self.pits), list(self.stores)
        # The mover's way round the board: its pits, its store (None), the other side's pits.
        first, second = range(size), range(size, 2 * size)
        way = [*first, None, *second] if mover is Player.FIRST else [*second, None, *first]
        place, seeds, pits[move], taken = way.index(move), pits[move], 0, 0
        for _ in range(seeds):
            place = (place + 1) % len(way)
            pit = way[place]
            if pit is None:
                stores[mover] += 1
            else:
                pits[pit] += 1
        last = way[place]
        if last is not None and place < size and pits[last] == 1:
            opposite = 2 * size - 1 - last
            taken = 1 + pits[opposite]
            stores[mover] += taken
            pits[last] = pits[opposite] = 0
        return pits, stores, last, taken

    def outcome(self) -> Outcome | None:
        if not self._is_over:
            return None
        first, second = self.stores
        winner = None if first == second else Player.FIRST if first > second else Player.SECOND
        return Outcome(winner, EndReason.POINTS, points=self.stores)

    def cells(self) -> tuple[Player | None, ...]:
        """Return the owner of each pit with seeds, then of the stores."""
        pits = (Player(pit // self.size) if seeds else None for pit, seeds in enumerate(self.pits))
        return (*pits, Player.FIRST, Player.SECOND)

    @property
    def _is_over(self) -> bool:
        return not any(self.pits)

    def _refusal(self, move: Move) -> IllegalMove:
        """Return the reason why `move` is illegal."""
        if self._is_over:
            return IllegalMove(move, "over", "The game is over.")
        names = ", ".join(ascii_lowercase[pit] for pit in self.legal_moves())
        if not 0 <= move < len(self.pits):
            return IllegalMove(move, "no_such_square", f"There is no pit {move}: choose one of {names}.")
        is_own = move // self.size == self.to_move
        problem = f"Pit {ascii_lowercase[move]} is {'empty' if is_own else 'not yours'}"
        return IllegalMove(move, "no_seeds", f"{problem}: choose one of {names}.")

    def __str__(self) -> str:
        """Return the upper row between the stores, then the lower row."""
        sides = self.side(Player.SECOND)[::-1], self.side(Player.FIRST)
        upper, lower = (" ".join(f"{seeds:2}" for seeds in side) for side in sides)
        return f"{self.stores[1]:2} | {upper} |\n   | {lower} | {self.stores[0]:2}"


def as_kalah(state: State) -> KalahState:
    """Return the state as one of this game; raises EngineError."""
    if not isinstance(state, KalahState):
        raise EngineError(f"this is Kalah, not {type(state).__name__}")
    return state


class Kalah:
    """The rules. A board is named by its pits and seeds: `6x4` has six pits a side with four seeds each.

    States of fewer pits follow the same rules, for proofs; they have no name.
    """

    key = "kalah"
    title = "Kalah"
    boards = ("6x4", "6x6")

    def start(self, board: str | None = None) -> KalahState:
        """Return the start on that board, 6x1 to 6x6; raises BoardError."""
        match = _BOARD.fullmatch((board or self.boards[0]).strip().lower())
        if match is None:
            raise BoardError(
                f"{board!r} is no Kalah board: write {PITS}x1 to {PITS}x{MOST_SEEDS}, pits x seeds."
            )
        return KalahState.of(PITS, int(match[1]))

    def move_name(self, state: State, move: Move) -> str:  # noqa: ARG002 - the same in every state
        """Return the letter of the pit: `a` and on for the first player, the next letters for the second."""
        return ascii_lowercase[move]

    def parse_move(self, state: State, text: str) -> Move:
        """Return the move from that pit; raises NotationError, or IllegalMove if it is not legal."""
        if len(text) != 1 or not "a" <= text <= ascii_lowercase[2 * as_kalah(state).size - 1]:
            raise NotationError(f"{text!r} is no pit: write a letter, such as c.")
        move = ord(text) - ord("a")
        state.play(move)
        return move

    def cell_of(self, state: State, move: Move) -> int | None:  # noqa: ARG002 - the same in every state
        """Return the pit that is sown."""
        return move
