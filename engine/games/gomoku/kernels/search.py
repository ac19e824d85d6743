"""Gomoku's search: alpha-beta over the moves that shapes recommend, with wins by fours as its leaves.

Values are those of the side to move; a won game is worth WIN less one per ply until then. The table TABLE
holds two words for a state: its key, and its value, depth, bound and best move.
"""

from __future__ import annotations

from engine.games.gomoku.kernels.board import (
    EMPTY,
    FIVES,
    FOURS,
    FOURS_LEFT,
    FREE,
    KEY,
    LONGEST,
    PV,
    SQUARES,
    TABLE,
    TABLE_MASK,
    WINS,
    WORDS,
    count_of,
    estimate,
    first_of,
    has,
    mark_of,
    put,
    value_of,
)
from engine.games.gomoku.kernels.threats import defences, fours, list_of
from engine.kernels.control import INFINITY, has_stopped, must_stop
from engine.kernels.heuristic_values import DECIDED, WIN
from engine.kernels.intrinsics import load, lowest_index, store
from engine.kernels.jit import inlined, kernel

LEAF_FOURS = 24
"""The limit of states in a search for fours at a leaf."""
_LOWER, _UPPER, _EXACT = 1, 2, 3
_TO_MOVE = 0x369DEA0F31A53F85
_BASE = 1 << 21


@inlined
def _row(ply: int) -> int:
    return PV + LONGEST * ply


@inlined
def _begin_line(memory: int, ply: int, square: int) -> None:
    """Make the line of this ply one move, or none (-1)."""
    store(memory, _row(ply) + LONGEST - 1, 1 if square >= 0 else 0)
    store(memory, _row(ply), square)


@inlined
def _update_line(memory: int, ply: int, square: int) -> None:
    """Make the line of this ply the move and the line of the next ply."""
    row = _row(ply)
    length = min(load(memory, row + 2 * LONGEST - 1), LONGEST - 4)
    store(memory, row, square)
    for i in range(length):
        store(memory, row + 1 + i, load(memory, row + LONGEST + i))
    store(memory, row + LONGEST - 1, length + 1)


@inlined
def _rank(memory: int, side: int, square: int) -> int:
    """Return how promising a move looks."""
    mine = mark_of(memory, side, square)
    theirs = mark_of(memory, 3 - side, square)
    return 2 * value_of(mine) + value_of(theirs)


@inlined
def _sort_in(memory: int, moves: int, found: int, square: int, rank: int, width: int) -> int:
    """Insert a move into those listed, best first, at most `width`; return their number."""
    if found == width:
        if load(memory, moves + 2 * found - 1) >= rank:
            return found
        found -= 1
    place = moves + 2 * found
    while place > moves and load(memory, place - 1) < rank:
        store(memory, place, load(memory, place - 2))
        store(memory, place + 1, load(memory, place - 1))
        place -= 2
    store(memory, place, square)
    store(memory, place + 1, rank)
    return found + 1


@inlined
def _promising(memory: int, side: int, ply: int, width: int) -> int:
    """List the best-ranked moves; return their number."""
    moves = list_of(ply)
    found = 0
    for word in range(WORDS):
        bits = load(memory, FREE + word)
        while bits:
            square = 64 * word + lowest_index(bits)
            bits &= bits - 1
            rank = _rank(memory, side, square)
            if rank:
                found = _sort_in(memory, moves, found, square, rank, width)
    return found


@inlined
def _ranked(memory: int, side: int, ply: int, count: int) -> int:
    """Rank the listed moves; return their number."""
    moves = list_of(ply)
    found = 0
    for i in range(count):
        square = load(memory, moves + 2 * i)
        found = _sort_in(memory, moves, found, square, _rank(memory, side, square), SQUARES)
    return found


@kernel("int64(int64, int64, int64, int64, int64, int64, int64)")
def search(memory: int, side: int, depth: int, alpha: int, beta: int, ply: int, width: int) -> int:
    """Return the value for the side to move, `depth` plies deep, without counting forced replies.

    Only the `width` best-ranked moves of each state are searched, or all that answer a threat.
    """
    if must_stop(memory):
        return 0
    _begin_line(memory, ply, -1)
    other = 3 - side
    square = first_of(memory, side, FIVES)
    if square >= 0:
        _begin_line(memory, ply, square)
        return WIN - ply - 1
    threats = count_of(memory, other, FIVES)
    forced = first_of(memory, other, FIVES)
    if threats > 1:
        _begin_line(memory, ply, forced)
        return ply + 2 - WIN
    win = first_of(memory, side, WINS)
    if forced >= 0 and win >= 0:
        win = forced if has(memory, side, WINS, forced) else -1
    if win >= 0:
        _begin_line(memory, ply, win)
        return WIN - ply - 3
    if ply >= LONGEST - 4:
        return estimate(memory, side)
    key = load(memory, KEY) ^ _TO_MOVE * side
    table = load(memory, TABLE)
    place = 2 * (key & load(memory, TABLE_MASK))
    first = -1
    if forced < 0:
        if depth <= 0:
            if first_of(memory, side, FOURS) >= 0:
                store(memory, FOURS_LEFT, LEAF_FOURS)
                plies = fours(memory, side, 0)
                if plies:
                    return WIN - ply - plies
            return estimate(memory, side)
        if load(table, place) == key:
            entry = load(table, place + 1)
            first = entry & 255
            kind = entry >> 8 & 3
            value = (entry >> 24) - _BASE
            if value > DECIDED:
                value -= ply
            elif value < -DECIDED:
                value += ply
            if (entry >> 16 & 255) >= depth and (
                kind == _EXACT or (kind == _LOWER and value >= beta) or (kind == _UPPER and value <= alpha)
            ):
                _begin_line(memory, ply, first)
                return value
    moves = list_of(ply)
    is_threatened = False
    if forced >= 0:
        store(memory, moves, forced)
        found = 1
    else:
        if first_of(memory, side, FOURS) >= 0:
            store(memory, FOURS_LEFT, 4 * LEAF_FOURS)
            plies = fours(memory, side, 0)
            if plies:
                return WIN - ply - plies
        count = defences(memory, other, ply)
        if count >= 0:
            is_threatened = True
            found = _ranked(memory, side, ply, count)
        else:
            found = _promising(memory, side, ply, width)
            if found == 0:
                return estimate(memory, side)
        if first >= 0:  # the table's move comes first
            for i in range(found):
                if load(memory, moves + 2 * i) == first:
                    for j in range(i, 0, -1):
                        store(memory, moves + 2 * j, load(memory, moves + 2 * j - 2))
                    store(memory, moves, first)
                    break
    if has_stopped(memory):
        return 0
    best = -INFINITY
    best_square = -1
    floor = alpha
    deeper = depth if forced >= 0 else depth - 1
    for i in range(found):
        square = load(memory, moves + 2 * i)
        put(memory, square, side)
        reduced = deeper
        if i > 2 and depth > 2 and not is_threatened:
            reduced = deeper - 1 - (i > 6) - (i > 10 and depth > 5)
        window = beta if i == 0 else floor + 1
        value = -search(memory, other, reduced, -window, -floor, ply + 1, width)
        if i > 0 and value > floor and reduced < deeper:
            value = -search(memory, other, deeper, -window, -floor, ply + 1, width)
        if i > 0 and floor < value < beta:
            value = -search(memory, other, deeper, -beta, -floor, ply + 1, width)
        put(memory, square, EMPTY)
        if has_stopped(memory):
            return 0
        if value > best:
            best = value
            best_square = square
            _update_line(memory, ply, square)
            if value > floor:
                floor = value
                if value >= beta:
                    break
    if forced < 0:
        stored = best
        if best > DECIDED:
            stored = best + ply
        elif best < -DECIDED:
            stored = best - ply
        kind = _LOWER if best >= beta else _EXACT if best > alpha else _UPPER
        store(table, place, key)
        store(table, place + 1, (stored + _BASE) << 24 | min(depth, 255) << 16 | kind << 8 | best_square)
    return best
