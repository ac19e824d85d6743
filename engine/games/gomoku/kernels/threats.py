"""Proofs of wins by fours, and by fours and open threes (Allis, Searching for Solutions, 1994).

A win by fours is proved because each answer is the only one. A win by threes is a tree: the attacker's moves
threaten a win by fours, and the other side tries every move that can defeat that win. These are the squares
of its discs, answers and fives, and the squares on which the other side would make a four now or after the
answers; on any other square a move leaves the same fours winning. So the tree's result is proved, too.

The tree is searched by proof numbers within bounds (Nagai, Df-pn Algorithm, 2002). The table PROOFS holds a
key and two numbers for each of its states, and behind them the keys of states in which fours do not win.
"""

from __future__ import annotations

from engine.games.gomoku.kernels.board import (
    EMPTY,
    FIVES,
    FOURS,
    FOURS_LEFT,
    FREE,
    KEY,
    LINE,
    LIST_WORDS,
    LISTS,
    LONGEST,
    PROOFS,
    PROOFS_MASK,
    SQUARES,
    THREES,
    WINS,
    WORDS,
    ZOBRIST,
    count_of,
    first_of,
    has,
    kind_word,
    put,
)
from engine.kernels.control import has_stopped, must_stop
from engine.kernels.intrinsics import load, lowest_index, shift_right, store
from engine.kernels.jit import inlined, kernel

CERTAIN = 1 << 30
"""The proof number of a refuted state, the other number of a proved one."""
FOURS_A_STATE = 400
"""The limit of states in a search for fours within the other searches."""
_PROVED, _REFUTED = -1, -2
ATTACKED = 0x5851F42D4C957F2D
DEFENDED = 0x14057B7EF767814F
_BY_FOURS = 0x2545F4914F6CDD1D


@kernel("int64(int64, int64, int64)")
def fours(memory: int, attacker: int, at: int) -> int:
    """Return the plies of a win by fours, the attacker to move; 0 if there is none, or no time.

    The moves are left in LINE from `at` on: fours and answers up to the four that two squares complete, or
    the five. The search visits at most FOURS_LEFT states.
    """
    if must_stop(memory):
        return 0
    square = first_of(memory, attacker, FIVES)
    if square >= 0:
        store(memory, LINE + at, square)
        return 1
    left = load(memory, FOURS_LEFT) - 1
    store(memory, FOURS_LEFT, left)
    if left < 0 or at >= LONGEST - 3:  # a four, its answer and the five must fit into LINE
        return 0
    other = 3 - attacker
    threats = count_of(memory, other, FIVES)
    if threats > 1:  # one of the two fives cannot be stopped
        return 0
    forced = first_of(memory, other, FIVES)
    win = first_of(memory, attacker, WINS)
    if forced >= 0:
        win = forced if has(memory, attacker, WINS, forced) else -1
    if win >= 0:
        store(memory, LINE + at, win)
        return 3
    table = load(memory, PROOFS)
    # One word a state, behind the pairs of words of the tree: only a failure is kept, a win ends the search.
    key = load(memory, KEY) ^ _BY_FOURS * (2 * attacker + 1)
    place = 2 * (load(memory, PROOFS_MASK) + 1) + (key & load(memory, PROOFS_MASK))
    if load(table, place) == key:
        return 0
    for word in range(WORDS):
        bits = kind_word(memory, attacker, FOURS, word)
        while bits:
            square = 64 * word + lowest_index(bits)
            bits &= bits - 1
            if forced >= 0 and square != forced:
                continue
            put(memory, square, attacker)
            # The only square: with two of them, this had been one of WINS.
            answer = first_of(memory, attacker, FIVES)
            put(memory, answer, other)
            store(memory, LINE + at, square)
            store(memory, LINE + at + 1, answer)
            plies = fours(memory, attacker, at + 2)
            put(memory, answer, EMPTY)
            put(memory, square, EMPTY)
            if plies:
                return plies + 2
            if has_stopped(memory) or load(memory, FOURS_LEFT) < 0:  # broken off, so no failure to keep
                return 0
    store(table, place, key)
    return 0


@inlined
def list_of(ply: int) -> int:
    """Return the offset of the move list of a ply: pairs of a square and a number."""
    return LISTS + LIST_WORDS * ply


@kernel("int64(int64, int64, int64)")
def attacks(memory: int, attacker: int, ply: int) -> int:
    """List the attacker's fours and open threes; return their number, _PROVED or _REFUTED."""
    other = 3 - attacker
    if first_of(memory, attacker, FIVES) >= 0:
        return _PROVED
    if count_of(memory, other, FIVES) > 1:
        return _REFUTED
    store(memory, FOURS_LEFT, FOURS_A_STATE)
    if fours(memory, attacker, 0):
        return _PROVED
    forced = first_of(memory, other, FIVES)
    moves = list_of(ply)
    if forced >= 0:
        store(memory, moves, forced)
        return 1
    listed = 0
    for word in range(WORDS):
        bits = kind_word(memory, attacker, FOURS, word) | kind_word(memory, attacker, THREES, word)
        while bits:
            store(memory, moves + 2 * listed, 64 * word + lowest_index(bits))
            bits &= bits - 1
            listed += 1
    return listed if listed else _REFUTED


@kernel("int64(int64, int64, int64)")
def defences(memory: int, attacker: int, ply: int) -> int:
    """List the moves that can defeat the attacker's win by fours; return their number, or as `attacks`.

    _REFUTED: the attacker threatens no such win, or the other side makes five first.
    """
    other = 3 - attacker
    moves = list_of(ply)
    if first_of(memory, other, FIVES) >= 0:
        return _REFUTED
    fives = count_of(memory, attacker, FIVES)
    if fives:
        store(memory, moves, first_of(memory, attacker, FIVES))
        return _PROVED if fives > 1 else 1
    store(memory, FOURS_LEFT, FOURS_A_STATE)
    plies = fours(memory, attacker, 0)
    if plies == 0:
        return _REFUTED
    length = plies - 2
    for word in range(WORDS):  # at the end of the list, as bits
        store(memory, moves + 2 * SQUARES - WORDS + word, 0)
    for i in range(length):
        square = load(memory, LINE + i)
        word = moves + 2 * SQUARES - WORDS + (square >> 6)
        store(memory, word, load(memory, word) | 1 << (square & 63))
    for i in range(1, length, 2):
        put(memory, load(memory, LINE + i), other)
    for word in range(WORDS):
        bits = kind_word(memory, other, FOURS, word) | kind_word(memory, other, FIVES, word)
        place = moves + 2 * SQUARES - WORDS + word
        store(memory, place, load(memory, place) | bits)
    for i in range(0, length, 2):
        put(memory, load(memory, LINE + i), attacker)
    for word in range(WORDS):
        place = moves + 2 * SQUARES - WORDS + word
        store(memory, place, load(memory, place) | kind_word(memory, attacker, FIVES, word))
    for i in range(length):
        put(memory, load(memory, LINE + i), EMPTY)
    listed = 0
    for word in range(WORDS):
        bits = load(memory, moves + 2 * SQUARES - WORDS + word) & load(memory, FREE + word)
        while bits:
            store(memory, moves + 2 * listed, 64 * word + lowest_index(bits))
            bits &= bits - 1
            listed += 1
    return listed


@inlined
def _numbers_place(memory: int, key: int) -> int:
    return 2 * (key & load(memory, PROOFS_MASK))


@inlined
def state_key(memory: int, attacker: int, is_attack: int) -> int:
    """Return the key of a state of the tree; 1 for is_attack: the attacker is to move."""
    salt = ATTACKED if is_attack else DEFENDED
    return load(memory, KEY) ^ salt * (2 * attacker + 1)


@kernel("void(int64, int64, int64, int64, int64, int64)")
def prove(memory: int, attacker: int, is_attack: int, ply: int, proof: int, disproof: int) -> None:
    """Search a state until its proof or its disproof number reaches a bound; leave them in the table.

    is_attack: 1 if the attacker is to move. The other numbers of a proved or refuted state are 0 and CERTAIN.
    """
    if must_stop(memory):
        return
    table = load(memory, PROOFS)
    key = state_key(memory, attacker, is_attack)
    place = _numbers_place(memory, key)
    if ply >= LONGEST - 2:
        count = _REFUTED
    elif is_attack:
        count = attacks(memory, attacker, ply)
    else:
        count = defences(memory, attacker, ply)
    if has_stopped(memory):
        return
    if count < 0:
        store(table, place, key)
        store(table, place + 1, CERTAIN if count == _PROVED else CERTAIN << 32)
        return
    side = attacker if is_attack else 3 - attacker
    moves = list_of(ply)
    turned = 1 - is_attack
    salts = state_key(memory, attacker, turned) ^ load(memory, KEY)
    while True:
        # `own`: of the two numbers the one that a single move decides; `rest`: the one that all moves add to.
        best = CERTAIN
        second = CERTAIN
        total = 0
        chosen = 0
        chosen_total = 0
        for i in range(count):
            square = load(memory, moves + 2 * i)
            child = load(memory, KEY) ^ load(memory, ZOBRIST + SQUARES * (side - 1) + square) ^ salts
            there = _numbers_place(memory, child)
            own = 1
            rest = 1
            if load(table, there) == child:
                numbers = load(table, there + 1)
                own = shift_right(numbers, 32)
                rest = numbers & 0xFFFFFFFF
                if not is_attack:
                    own = numbers & 0xFFFFFFFF
                    rest = shift_right(numbers, 32)
            total = min(CERTAIN, total + rest)
            if own < best:
                second = best
                best = own
                chosen = square
                chosen_total = rest
            elif own < second:
                second = own
        if best >= CERTAIN:
            total = 0
        bound = proof if is_attack else disproof
        rest_bound = disproof if is_attack else proof
        if best >= bound or total >= rest_bound or best == 0:
            if best == 0:
                total = CERTAIN
            store(table, place, key)
            store(table, place + 1, best << 32 | total if is_attack else total << 32 | best)
            return
        limit = min(bound, second + second // 4 + 1)
        rest_limit = min(CERTAIN, rest_bound - total + chosen_total)
        put(memory, chosen, side)
        if is_attack:
            prove(memory, attacker, turned, ply + 1, limit, rest_limit)
        else:
            prove(memory, attacker, turned, ply + 1, rest_limit, limit)
        put(memory, chosen, EMPTY)
        if has_stopped(memory):
            return
