"""English draughts, or American checkers, on 8 × 8: the rules of the World Checkers and Draughts Federation.

Men move one square forwards, kings one square in any direction, on the dark squares. A jump takes a piece; it
is compulsory, any jump may be chosen, and it goes on as long as the same piece can jump. A man that reaches
the far row becomes a king, and its turn ends there. A side that cannot move has lost. A position that occurs
for the third time with the same side to move is a draw, and so are 40 moves of each side without a capture
or a man's move (WCDF, "Rules of Draughts", section 1; there a player claims the draw, here it just counts).

People number the dark squares from 1 to 32. FIRST has 1 to 12 and moves down. Bits skip every ninth place, so
that all steps down are shifts by 4 and 5, and a piece that leaves the board lands on a skipped bit::

        1     2     3     4             0     1     2     3
     5     6     7     8             4     5     6     7
        9    10    11    12             9    10    11    12
    13    14    15    16            13    14    15    16
       17    18    19    20            18    19    20    21
    21    22    23    24            22    23    24    25
       25    26    27    28            27    28    29    30
    29    30    31    32            31    32    33    34

A move is a whole turn: 32 * from + to, with squares counted from 0, plus 1024 * n for the n-th further turn
between the same squares. Turns that take the same pieces between the same squares are one move.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Self

from engine.core import (
    AmbiguousName,
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
from engine.games.drawing import drawn

SQUARES = 32
BITS = tuple(square + square // 8 for square in range(SQUARES))
BOARD = sum(1 << bit for bit in BITS)
LAST_ROWS = (0xF << 31, 0xF)
"""The row in which a man becomes a king, by Player."""
REPETITIONS_FOR_DRAW = 3
QUIET_PLIES_FOR_DRAW = 80
RECORD_BOARDS = MappingProxyType({"8x8": "8x8-claimed"})
"""The board of games over the board, where such a draw is claimed, and unclaimed games go on."""

_STEPS = ((4, 5), (-4, -5))
"""The steps of a man, by Player."""
_TURN = re.compile(r"[0-9]{1,2}(?:[-x][0-9]{1,2})+", re.ASCII)

Path = tuple[int, ...]
"""The bits that a piece stands on during its turn."""


def square_of(bit: int) -> int:
    return bit - bit // 9


def cell_of_square(square: int) -> int:
    row, place = divmod(square, 4)
    return 8 * row + 2 * place + 1 - row % 2


@lru_cache(4096)
def paths(own: int, other: int, kings: int, side: Player) -> Mapping[Move, Path]:
    """Return the legal turns of the side by move, ascending: jumps if there are any."""
    found, known = dict[Move, Path](), set[tuple[int, int, frozenset[int]]]()
    for path in _turns(own, other, kings, side):
        if (deed := _deed(path)) not in known:
            known.add(deed)
            move = SQUARES * square_of(path[0]) + square_of(path[-1])
            while move in found:
                move += SQUARES * SQUARES
            found[move] = path
    return MappingProxyType(dict(sorted(found.items())))


def _turns(own: int, other: int, kings: int, side: Player) -> list[Path]:
    """Return all ways to walk the legal turns, ascending."""
    jumps, steps, free = list[Path](), list[Path](), BOARD & ~(own | other)
    for bit in BITS:
        if own >> bit & 1:
            is_king = kings >> bit & 1
            ways, last = (_STEPS[0] + _STEPS[1], 0) if is_king else (_STEPS[side], LAST_ROWS[side])
            jumps += _jumps((bit,), other, free | 1 << bit, ways, last)
            steps += [(bit, bit + way) for way in ways if bit + way >= 0 and free >> bit + way & 1]
    return sorted(jumps or steps)


def _deed(path: Path) -> tuple[int, int, frozenset[int]]:
    """Return what the turn does, whichever way it takes."""
    return path[0], path[-1], frozenset(taken_on(path))


def _jumps(path: Path, other: int, free: int, ways: tuple[int, ...], last: int) -> list[Path]:
    found = list[Path]()
    for way in ways:
        over, to = path[-1] + way, path[-1] + 2 * way
        if to >= 0 and other >> over & 1 and free >> to & 1:
            further = [] if last >> to & 1 else _jumps((*path, to), other ^ 1 << over, free, ways, last)
            found += further or [(*path, to)]
    return found


def taken_on(path: Path) -> list[int]:
    """Return the bits of the pieces that the turn takes, in order."""
    if abs(path[1] - path[0]) <= _STEPS[0][1]:
        return []
    return [(here + there) // 2 for here, there in itertools.pairwise(path)]


@dataclass(frozen=True, slots=True)
class DraughtsState:
    """A position. pieces: of FIRST and of SECOND, their kings included; seen: (pieces, kings) at every turn
    since the last capture or man's move. is_claimed: a draw has to be claimed, so the game goes on.
    """

    pieces: tuple[int, int] = (sum(1 << bit for bit in BITS[:12]), sum(1 << bit for bit in BITS[20:]))
    kings: int = 0
    ply: int = 0
    seen: tuple[tuple[tuple[int, int], int], ...] = ()
    is_claimed: bool = False

    @property
    def rows(self) -> int:
        return 8

    @property
    def columns(self) -> int:
        return 8

    @property
    def to_move(self) -> Player:
        return Player(self.ply & 1)

    @property
    def paths(self) -> Mapping[Move, Path]:
        """The turns of the side to move, even if the game is drawn."""
        mover = self.to_move
        return paths(self.pieces[mover], self.pieces[mover.other], self.kings, mover)

    @property
    def times(self) -> int:
        """How often the position has occurred with the same side to move, including now."""
        return 1 + self.seen[len(self.seen) & 1 :: 2].count((self.pieces, self.kings))

    def legal_moves(self) -> tuple[Move, ...]:
        return () if self._is_drawn() else tuple(self.paths)

    def play(self, move: Move) -> Self:
        path = None if self._is_drawn() else self.paths.get(move)
        if path is None:
            raise self._refusal(move)
        start, end, mover = 1 << path[0], 1 << path[-1], self.to_move
        taken = sum(1 << bit for bit in taken_on(path))
        own, other = self.pieces[mover] & ~start | end, self.pieces[mover.other] & ~taken
        is_king = bool(self.kings & start)
        kings = self.kings & ~(start | taken) | (end if is_king else end & LAST_ROWS[mover])
        seen = (*self.seen, (self.pieces, self.kings)) if is_king and not taken else ()
        pieces = (own, other) if mover is Player.FIRST else (other, own)
        return type(self)(pieces, kings, self.ply + 1, seen, self.is_claimed)

    def outcome(self) -> Outcome | None:
        if not self.paths:
            return Outcome(self.to_move.other, EndReason.OTHER)
        if not self._is_drawn():
            return None
        is_third = self.times >= REPETITIONS_FOR_DRAW
        return Outcome(None, EndReason.REPETITION if is_third else EndReason.OTHER)

    def cells(self) -> tuple[Player | None, ...]:
        found: list[Player | None] = [None] * 64
        for player in Player:
            for square, bit in enumerate(BITS):
                if self.pieces[player] >> bit & 1:
                    found[cell_of_square(square)] = player
        return tuple(found)

    def _is_drawn(self) -> bool:
        if not self.seen or self.is_claimed:
            return False
        return self.times >= REPETITIONS_FOR_DRAW or len(self.seen) >= QUIET_PLIES_FOR_DRAW

    def _refusal(self, move: Move) -> IllegalMove:
        """Return the reason why `move` is illegal."""
        legal = self.legal_moves()
        if not legal:
            return IllegalMove(move, "over", "The game is over.")
        if not 0 <= move < SQUARES * SQUARES:
            return IllegalMove(move, "no_such_square", f"No turn has the number {move}.")
        names = f"choose one of {', '.join(name_of(self, legal_move) for legal_move in legal)}."
        if taken_on(self.paths[legal[0]]):
            return IllegalMove(move, "must_take", f"You have to take a piece: {names}")
        return IllegalMove(move, "no_such_move", f"No piece of yours can move like that: {names}")

    def __str__(self) -> str:
        return drawn(self)


def name_of(state: DraughtsState, move: Move) -> str:
    """Return `11-15`, `22x15`, or `22x18x15` if the shorter form would name several turns."""
    path = state.paths[move]
    ends = move % (SQUARES * SQUARES)
    is_clear = [other % (SQUARES * SQUARES) for other in state.paths].count(ends) == 1
    squares = (path[0], path[-1]) if is_clear else path
    return ("x" if taken_on(path) else "-").join(str(square_of(bit) + 1) for bit in squares)


def as_draughts(state: State) -> DraughtsState:
    """Return the state as one of this game; raises EngineError."""
    if not isinstance(state, DraughtsState):
        raise EngineError(f"this is draughts, not {type(state).__name__}")
    return state


class Draughts:
    """The rules on the only board."""

    key = "draughts"
    title = "Draughts"
    boards = ("8x8",)

    def start(self, board: str | None = None) -> DraughtsState:
        """Return the starting position, also of RECORD_BOARDS; raises BoardError."""
        name = self.boards[0] if board is None else board.strip().lower()
        is_claimed = name in RECORD_BOARDS.values()
        if name not in self.boards and not is_claimed:
            raise BoardError(f"{board!r} is no board of draughts: there is 8x8 alone.")
        return DraughtsState(is_claimed=is_claimed)

    def move_name(self, state: State, move: Move) -> str:
        """Return `11-15` for a step, `22x15` for a jump; with the squares between if that is ambiguous."""
        return name_of(as_draughts(state), move)

    def parse_move(self, state: State, text: str) -> Move:
        """Return the move `11-15` or `22x15`, with or without the squares between.

        Raises NotationError, or IllegalMove if it is not legal.
        """
        position = as_draughts(state)
        if _TURN.fullmatch(text) is None:
            raise NotationError(f"{text!r} is no move: write 11-15 for a step, 22x15 for a jump.")
        squares = [int(number) - 1 for number in re.findall("[0-9]+", text)]
        if not all(0 <= square < SQUARES for square in squares):
            raise NotationError(f"{text!r} is no move: the squares are 1 to {SQUARES}.")
        named = tuple(BITS[square] for square in squares)
        mover = position.to_move
        turns = _turns(position.pieces[mover], position.pieces[mover.other], position.kings, mover)
        # A move is named by one of its ways; another way that does the same is the same move.
        deed = _deed(named) if named in turns else None
        found = [
            move
            for move, path in position.paths.items()
            if (named == (path[0], path[-1]) or _deed(path) == deed) and move in position.legal_moves()
        ]
        if len(found) > 1:
            names = [name_of(position, move) for move in found]
            raise AmbiguousName(f"{text!r} is ambiguous: write one of {', '.join(names)}.", names)
        move = found[0] if found else SQUARES * squares[0] + squares[-1]
        # The ends fit, but not the squares between: "illegal" would be wrong.
        if not found and len(squares) > 2 and move in position.legal_moves():
            raise NotationError(f"{text!r} is no move: {name_of(position, move)} takes another way.")
        position.play(move)
        return move

    def cell_of(self, state: State, move: Move) -> int | None:  # noqa: ARG002 - the same in every state
        """Return the cell in which the turn ends; None if there is none."""
        return cell_of_square(move % SQUARES) if move >= 0 else None
