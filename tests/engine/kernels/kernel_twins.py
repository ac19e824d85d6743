"""Plain-Python twins of the kernels: slow, written from the rules and the papers, sharing no code with them.

A twin board is a `LineTwin` or an `OthelloTwin`: cells in a dictionary, squares numbered as the kernels
number them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache
from typing import Protocol, Self

INFINITE = 10**12
WIN = 1_000_000
WORD = (1 << 64) - 1
PASS = 64


class Twin(Protocol):
    def squares(self) -> list[int]: ...
    def moves(self) -> list[int]: ...
    def play(self, square: int) -> Self: ...
    def final_value(self, distance: int) -> int | None: ...
    def estimate(self) -> int: ...
    def sensible(self) -> list[int]: ...
    def playout_moves(self) -> list[int]: ...
    def ends_in_win_now(self) -> bool: ...
    def result(self) -> int | None: ...


# --- k in a row


@cache
def windows(rows: int, columns: int, k: int) -> tuple[frozenset[int], ...]:
    """Every k squares in a row."""
    found = []
    for column in range(columns):
        for row in range(rows):
            for right, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
                steps = [(column + i * right, row + i * up) for i in range(k)]
                if all(0 <= c < columns and 0 <= r < rows for c, r in steps):
                    found.append(frozenset((rows + 1) * c + r for c, r in steps))
    return tuple(found)


@dataclass(frozen=True)
class LineTwin:
    """own and other hold squares `stride * column + row`; estimates take the view of `root_to_move`."""

    rows: int
    columns: int
    k: int
    drops: bool
    centre: frozenset[int]
    own: frozenset[int] = frozenset()
    other: frozenset[int] = frozenset()
    root_to_move: bool = True

    @property
    def stride(self) -> int:
        return self.rows + 1

    def squares(self) -> list[int]:
        return [self.stride * column + row for column in range(self.columns) for row in range(self.rows)]

    def windows(self) -> tuple[frozenset[int], ...]:
        return windows(self.rows, self.columns, self.k)

    def has_line(self, stones: frozenset[int]) -> bool:
        return any(window <= stones for window in self.windows())

    def winning_squares(self, stones: frozenset[int]) -> set[int]:
        free = set(self.squares()) - self.own - self.other
        missing = [window - stones for window in self.windows()]
        return {square for rest in missing if len(rest) == 1 for square in rest & free}

    def moves(self) -> list[int]:
        taken = self.own | self.other
        free = [square for square in self.squares() if square not in taken]
        if self.drops:
            return [square for square in free if square % self.stride == 0 or square - 1 in taken]
        return free

    def play(self, square: int) -> LineTwin:
        return LineTwin(
            self.rows,
            self.columns,
            self.k,
            self.drops,
            self.centre,
            self.other,
            self.own | {square},
            not self.root_to_move,
        )

    def result(self) -> int | None:
        """Return 1 if the player who has just moved won, 0 for a draw, None while the game goes on."""
        if self.has_line(self.other):
            return 1
        return None if self.moves() else 0

    def final_value(self, distance: int) -> int | None:
        result = self.result()
        return None if result is None else -result * (WIN - distance)

    def window_value(self, mine: frozenset[int], theirs: frozenset[int]) -> int:
        value = 3 * len(mine & self.centre)
        for window in self.windows():
            held, lost = len(mine & window), len(theirs & window)
            if lost == 0 and held == self.k - 1:
                value += 5
            elif lost == 0 and held == self.k - 2:
                value += 2
            elif held == 0 and lost == self.k - 1:
                value -= 4
        return value

    def estimate(self) -> int:
        if self.root_to_move:
            return self.window_value(self.own, self.other)
        return -self.window_value(self.other, self.own)

    def subtlety(self, square: int) -> int:
        """Of lines that the move completes or stops: a pile 1, rows 2 or 3, diagonals 6 or 8; else 4."""
        straight, slanting = [], []
        for stones in (self.own, self.other):
            for window in self.windows():
                if square not in window or not window <= stones | {square}:
                    continue
                first, second = sorted(window)[:2]
                step = second - first
                is_gap = {square - step, square + step} <= stones
                if step == 1 and self.drops:
                    straight.append(1)
                elif step in (1, self.stride):
                    straight.append(2 if is_gap else 3)
                else:
                    slanting.append(6 if is_gap else 8)
        return min(straight) if straight else max(slanting, default=4)

    def sensible(self) -> list[int]:
        free = self.moves()
        own_threats = self.winning_squares(self.own)
        wins = [square for square in free if square in own_threats]
        if wins:
            return wins[:1]
        threats = self.winning_squares(self.other)
        blocks = [square for square in free if square in threats]
        if blocks:
            return blocks[:1]
        safe = [square for square in free if square + 1 not in threats] if self.drops else free
        return safe or free

    def playout_moves(self) -> list[int]:
        return self.sensible()

    def ends_in_win_now(self) -> bool:
        return bool(self.winning_squares(self.own).intersection(self.moves()))


# --- Othello


@dataclass(frozen=True)
class OthelloTwin:
    """own and other hold squares of the 8 x 8 grid; the board is the `size` x `size` in its centre."""

    size: int
    own: frozenset[int]
    other: frozenset[int]

    def squares(self) -> list[int]:
        margin = (8 - self.size) // 2
        inside = range(margin, 8 - margin)
        return [8 * row + column for row in inside for column in inside]

    def corners(self) -> set[int]:
        first, last = (8 - self.size) // 2, 7 - (8 - self.size) // 2
        return {8 * row + column for row in (first, last) for column in (first, last)}

    def flips(self, square: int) -> set[int]:
        if square in self.own or square in self.other:
            return set()
        row, column = divmod(square, 8)
        turned: set[int] = set()
        for down in (-1, 0, 1):
            for right in (-1, 0, 1):
                line, r, c = set(), row + down, column + right
                while 0 <= r < 8 and 0 <= c < 8 and 8 * r + c in self.other:
                    line.add(8 * r + c)
                    r, c = r + down, c + right
                if 0 <= r < 8 and 0 <= c < 8 and 8 * r + c in self.own:
                    turned |= line
        return turned

    def placements(self) -> list[int]:
        return [square for square in self.squares() if self.flips(square)]

    def swapped(self) -> OthelloTwin:
        return OthelloTwin(self.size, self.other, self.own)

    def moves(self) -> list[int]:
        return self.placements() or ([PASS] if self.swapped().placements() else [])

    def play(self, square: int) -> OthelloTwin:
        if square == PASS:
            return self.swapped()
        turned = self.flips(square)
        return OthelloTwin(self.size, self.other - turned, self.own | turned | {square})

    def margin(self) -> int:
        return len(self.own) - len(self.other)

    def result(self) -> int | None:
        if self.moves():
            return None
        return (self.margin() < 0) - (self.margin() > 0)

    def final_value(self, distance: int) -> int | None:
        if self.moves():
            return None
        margin = self.margin()
        sign = (margin > 0) - (margin < 0)
        return sign * (WIN - 128 * distance) + margin

    def estimate(self) -> int:
        corners = len(self.own & self.corners()) - len(self.other & self.corners())
        mobility = len(self.placements()) - len(self.swapped().placements())
        return 30 * corners + 5 * mobility + self.margin()

    def subtlety(self, square: int) -> int:
        """Corners 1; while more than twenty squares are empty, 8 less the discs turned; else 4."""
        if square in self.corners():
            return 1
        if len(self.squares()) - len(self.own) - len(self.other) <= 20:
            return 4
        return max(1, 8 - len(self.flips(square)))

    def sensible(self) -> list[int]:
        return self.moves()

    def playout_moves(self) -> list[int]:
        moves = self.moves()
        return [square for square in moves if square in self.corners()] or moves

    def ends_in_win_now(self) -> bool:
        return False


# --- the searches


def minimax(twin: Twin, depth: int, distance: int = 0) -> tuple[int, int]:
    """(value for the side to move, states visited)."""
    final = twin.final_value(distance)
    if final is not None:
        return final, 1
    if depth == 0:
        return twin.estimate(), 1
    best, nodes = -INFINITE, 1
    for square in twin.moves():
        value, seen = minimax(twin.play(square), depth - 1, distance + 1)
        best, nodes = max(best, -value), nodes + seen
    return best, nodes


# --- Monte Carlo tree search


def next_random(state: int) -> int:
    state ^= state << 13 & WORD
    state ^= state >> 7
    return state ^ (state << 17 & WORD)


def below(state: int, count: int) -> int:
    return (state >> 33) * count >> 31


@dataclass
class Node:
    square: int
    result: int | None
    visits: int = 0
    gain: int = 0
    children: list[Node] = field(default_factory=list)


class Uct:
    """The tree after `simulations`, grown with the kernels' random numbers."""

    def __init__(self, twin: Twin, simulations: int, exploration: float, seed: int) -> None:
        self.random = seed | 1
        for _ in range(16):
            self.random = next_random(self.random)
        self.exploration = exploration
        self.root = Node(0, None, visits=1)
        self.expand(self.root, twin)
        for _ in range(simulations):
            self.simulate(twin)

    def visits(self) -> list[tuple[int, int, int]]:
        return [(child.square, child.visits, child.gain) for child in self.root.children]

    def expand(self, node: Node, twin: Twin) -> None:
        node.children = [Node(square, twin.play(square).result()) for square in twin.sensible()]

    def simulate(self, twin: Twin) -> None:
        path = [self.root]
        while path[-1].result is None:
            node = path[-1]
            if not node.children:
                if node.visits == 0:
                    break
                self.expand(node, twin)
            child = self.select(node)
            path.append(child)
            twin = twin.play(child.square)
        result = path[-1].result
        gain = -self.play_out(twin) if result is None else result
        for node in reversed(path):
            node.visits += 1
            node.gain += gain
            gain = -gain

    def select(self, node: Node) -> Node:
        self.random = next_random(self.random)
        start = below(self.random, len(node.children))
        turned = node.children[start:] + node.children[:start]
        for child in turned:
            if child.visits == 0:
                return child
        scale = self.exploration * self.exploration * math.log(node.visits)

        def bound(child: Node) -> float:
            share = 1 / child.visits
            return child.gain * share + math.sqrt(scale * share)

        return max(turned, key=bound)

    def play_out(self, twin: Twin) -> int:
        """1 when the side to move wins, -1 when it loses, 0."""
        sign = 1
        while True:
            result = twin.result()
            if result is not None:
                return -sign * result
            if twin.ends_in_win_now():
                return sign
            moves = twin.playout_moves()
            if moves != [PASS] or PASS in twin.squares():
                self.random = next_random(self.random)
                twin = twin.play(moves[below(self.random, len(moves))])
            else:
                twin = twin.play(PASS)
            sign = -sign
