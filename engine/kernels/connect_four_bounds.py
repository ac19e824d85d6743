"""Connect Four on 6 x 7: lines, threats, and two strategies that bound a position's score without search.

     6 13 20 27 34 41 48     <- sentinels, always empty
     5 12 19 26 33 40 47     row 5, claimed by the second player
     4 11 18 25 32 39 46     row 4, claimed by the first
     3 10 17 24 31 38 45     row 3, second
     2  9 16 23 30 37 44     row 2, first
     1  8 15 22 29 36 43     row 1, second
     0  7 14 21 28 35 42     row 0, first

A score of k means that the side to move wins with its k-th stone from the end (its last stone is the
first from the end), -k that it loses to the other's k-th stone from the end, 0 a draw. (The convention of
Pascal Pons, Solving Connect 4.)
"""

from __future__ import annotations

from engine.kernels.bits import lowest_index
from engine.kernels.jit import inlined

BOTTOM = sum(1 << 7 * column for column in range(7))
COLUMN = 0b111111
BOARD = BOTTOM * COLUMN
FIRSTS_ROWS = BOTTOM * 0b010101
SECONDS_ROWS = BOTTOM * 0b101010

NO_BOUND = 99
"""Above every score."""


@inlined
def winning_squares(stones: int, mask: int) -> int:
    """The empty squares that would complete four in a row for the owner of these stones.

    Sentinels end every walk, so nothing wraps; bits pushed past the board vanish in the last line.
    """
    found = (stones << 1) & (stones << 2) & (stones << 3)
    for step in (6, 7, 8):
        pair = (stones << step) & (stones << 2 * step)
        found |= pair & ((stones << 3 * step) | (stones >> step))
        pair = (stones >> step) & (stones >> 2 * step)
        found |= pair & ((stones << step) | (stones >> 3 * step))
    return found & (BOARD ^ mask)


@inlined
def _fours(stones: int, step: int) -> int:
    """The first square of every four in a row along the step."""
    pairs = stones & (stones >> step)
    return pairs & (pairs >> 2 * step)


@inlined
def has_four(stones: int) -> bool:
    """Whether four of these stones stand in a row."""
    return (_fours(stones, 1) | _fours(stones, 6) | _fours(stones, 7) | _fours(stones, 8)) != 0


@inlined
def mirrored(bits: int) -> int:
    """The board, or a sum of boards, with its columns in reverse order."""
    return (
        (bits & 127) << 42
        | (bits & 127 << 7) << 28
        | (bits & 127 << 14) << 14
        | bits & 127 << 21
        | (bits >> 14) & 127 << 14
        | (bits >> 28) & 127 << 7
        | (bits >> 42) & 127
    )


@inlined
def claim_even_bound(own: int, mask: int) -> int:
    """An upper bound of the score when the first player is to move, else meaningless.

    Claim: the second player can get every empty square of rows 1, 3 and 5 except those that can be played
    right now. Proof: call a column odd when it holds an odd number of stones; its next square then lies in
    row 1, 3 or 5. The first player is to move, so an even number of stones stand, and so an even number of
    columns are odd. The second player answers a stone in row 0, 2 or 4 right above it, which is always
    free. A stone of the first player in row 1, 3 or 5 must be the next square of a column that has been
    odd from the start; then another odd column is left, since they were even in number, and the second
    player answers there. After each answer an even number of columns are odd, and these have not been
    touched. So the squares lost to this strategy are at most the next squares of the odd columns.

    The first player then gets no other squares than all the rest. If those hold no four, he cannot win: the
    score is at most 0. If moreover the squares that the second player has and will get hold a four, he wins
    at the latest when the last square of that four is filled, so the score is at most -1. For a four in
    row 1, at least the four squares above that last one are then empty, so the second player has two more
    stones left: the score is at most -3. For a four in row 3 it is two squares, one stone and -2.
    """
    playable = mask + BOTTOM
    claimed = (own ^ mask) | (SECONDS_ROWS & BOARD & ~mask & ~playable)
    if has_four(BOARD ^ claimed):
        return NO_BOUND
    level = _fours(claimed, 7)
    if level:
        if level & BOTTOM << 1:
            return -3
        return -2 if level & BOTTOM << 3 else -1
    return -1 if _fours(claimed, 6) | _fours(claimed, 8) else 0


@inlined
def odd_threat_bound(own: int, mask: int, threats: int) -> int:
    """An upper bound of the score when the second player is to move, else meaningless.

    threats: the squares that complete a four for the first player. Let x be one of them, in row 2 or 4 and
    not playable right now. Claim: the first player can see to it that he gets x, unless the game ends
    before; and that until then the second player gets no other empty squares than

      (1) outside the column of x: those of rows 0, 2 and 4, and those playable right now;
      (2) in the column of x, below x: those of rows 1, 3 and 5, and the one playable right now.

    Proof: call a column odd when it holds an odd number of stones, and let m be how many columns other
    than x's are odd. The second player is to move, so an odd number of stones stand.

    State A, x's column is odd, hence m even. The first player answers
      - a stone outside in row 0, 2 or 4: right above it. m is as before.
      - a stone outside in row 1, 3 or 5, which opens an odd column: in another odd column outside, of
        which one is left since m is even. m falls by 2.
      - a stone in x's column, at row 1 or 3: right above it. That is x, and wins, or still below x.
    Each answer leads to state A again.

    State B, x's column is even, hence m odd. x is in an even row and not playable, so two or more squares
    below it are empty. The first player answers
      - a stone outside in row 0, 2 or 4: right above it. State B.
      - a stone outside in row 1, 3 or 5: in another odd column outside if there is one, which is state B
        with m less by 2; if that was the last, with the next square of x's column: state A, m = 0.
      - the next square of x's column: in an odd column outside, of which there is one since m is odd.
        State A.

    So outside the first player leaves to the other no square of row 1, 3 or 5 but the first one of a column
    odd from the start, which is playable right now; that is (1). In x's column the second player gets its
    next square at most in state B, and otherwise squares of rows 1 and 3; that is (2). The first player
    always has an answer, and outside the squares run out, so in the end x is his.

    If his own stones and the squares of (1) and (2) hold no four for the second player, he loses, at the
    latest to the stone on x, so the score is at most -1. For x in row 2, at least the three squares above
    it are then empty, so the first player has another stone left: the score is at most -2.
    """
    bound = NO_BOUND
    playable = (mask + BOTTOM) & BOARD
    empty = BOARD ^ mask
    left = threats & FIRSTS_ROWS & ~playable
    while left:
        threat = left & -left
        left ^= threat
        square = lowest_index(threat)
        column = COLUMN << 7 * (square // 7)
        outside = empty & ~column
        below = empty & column & (threat - 1)
        if not has_four(
            own | outside & FIRSTS_ROWS | outside & playable | below & SECONDS_ROWS | below & playable
        ):
            bound = min(bound, -2 if threat & BOTTOM << 2 else -1)
    return bound
