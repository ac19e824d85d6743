"""Reasons why a Connect Four position is won or held, after Victor Allis, given only if they are proved.

Rows are counted from 0 at the bottom here, and from 1 for people; the first player placed the first stone of
the game. `kernels.bounds` proves the two plans; this module finds them without compiled code, with the square
that decides, on boards of any size.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.core import Move, Player
from engine.games.connect_four.rules import ConnectFourState
from engine.games.reasons import Reason, Threat, Why

MAX_POSITIONS = 80
"""The limit of the search for a forced win: some milliseconds."""


def plans(after: ConnectFourState) -> list[Reason]:
    """Return the proved plans of the side that has just moved; after: a state that is not over."""
    if after.rows % 2:
        return []
    if after.ply % 2 == 0:
        return _of_second(after)
    square = deciding_threat(after)
    return [] if square is None else [Reason(Why.THREAT_DECIDES, cell=_cell(after, square))]


def deciding_threat(state: ConnectFourState) -> int | None:
    """Return the lowest square that alone wins for the first player, with the second to move.

    See `odd_threat_bound`.
    """
    first, second, empty = state.opponent, state.own, _board(state) & ~state.mask
    playable, evens = playable_squares(state), _even_rows(state)
    height = state.rows + 1
    found = []
    for square in _bits(winning_squares(state, first) & evens & ~playable):
        column = square // height
        held = ((1 << state.rows) - 1) << (column * height)
        below = empty & held & ((1 << square) - 1)
        outside = empty & ~held
        if not has_line(state, second | outside & (evens | playable) | below & (~evens | playable)):
            found.append(square)
    return min(found, key=lambda square: (square % height, square), default=None)


def _of_second(state: ConnectFourState) -> list[Reason]:
    """The plans of the second player, with the first to move; see `claim_even_bound`."""
    playable = playable_squares(state)
    claimed = state.opponent | _board(state) & ~_even_rows(state) & ~state.mask & ~playable
    if has_line(state, _board(state) ^ claimed):
        return []
    wins = has_line(state, claimed)
    if playable & ~_even_rows(state):  # some stones are answered in another column
        return [Reason(Why.EVEN_ROWS_WIN if wins else Why.LINES_STOPPED)]
    return [Reason(Why.FOLLOW_UP_WINS if wins else Why.FOLLOW_UP_HOLDS)]


def new_threats(state: ConnectFourState, move: Move) -> list[Reason]:
    """Return the threats that the move creates on squares not yet playable, the lowest of each column."""
    after = state.play(move)
    height, waiting = state.rows + 1, _board(after) & ~after.mask & ~playable_squares(after)
    mine = winning_squares(after, after.opponent) & waiting
    # A square above a threat of either side is reached only after that threat is gone.
    every = (mine | winning_squares(after, after.own)) & waiting
    lowest = {square // height: square for square in sorted(_bits(every), reverse=True)}
    fresh = mine & ~winning_squares(state, state.own)
    found = [square for square in lowest.values() if fresh >> square & 1]
    if not found:
        return []
    square = min(found, key=lambda square: (not is_well_placed(after, square), square % height, square))
    why = Why.THREAT_WAITS if is_well_placed(after, square) else Why.THREAT_ABOVE
    return [Reason(why, cell=_cell(after, square))]


def threats(state: ConnectFourState) -> list[Threat]:
    """Return the empty cells that complete a line for either side, row-major; () if the game is over."""
    if state.outcome() is not None:
        return []
    found, playable = [], playable_squares(state)
    stones = {state.to_move: state.own, state.to_move.other: state.opponent}
    for side in Player:
        for square in _bits(winning_squares(state, stones[side])):
            comes = bool(playable >> square & 1) or falls_to(state, square) is side
            found.append(Threat(_cell(state, square), side, comes))
    return sorted(found, key=lambda threat: (threat.cell, threat.side))


def is_well_placed(state: ConnectFourState, square: int) -> bool:
    """Whether the side that has just moved gets the square if all other columns are filled first."""
    return falls_to(state, square) is state.to_move.other


def falls_to(state: ConnectFourState, square: int) -> Player:
    """Return the side that gets the square if all other columns are filled first.

    It follows from the number of stones then: on boards of even height the first player gets the rows 1, 3
    and 5 from the bottom, the second 2, 4 and 6; with odd height and even width it is reversed.
    """
    stone = state.rows * (state.columns - 1) + square % (state.rows + 1) + 1
    return Player.FIRST if stone % 2 else Player.SECOND


def forced_win(state: ConnectFourState, move: Move, most: int = MAX_POSITIONS) -> int | None:
    """Return in how many of its own moves the side wins by force, starting with the move; None: it does not.

    most: the limit of positions searched.
    """
    budget = [most]
    return _forced(state, move, budget)


def _forced(state: ConnectFourState, move: Move, budget: list[int]) -> int | None:
    budget[0] -= 1
    after = state.play(move)
    playable = playable_squares(after)
    if winning_squares(after, after.own) & playable:
        return None  # the other side wins first
    wins = list(_bits(winning_squares(after, after.opponent) & playable))
    if len(wins) != 1:
        return 2 if wins else None
    here = after.play(wins[0] // (state.rows + 1))
    if here.outcome() is not None:
        return None
    if winning_squares(here, here.own) & playable_squares(here):
        return 2
    found = None
    for reply in here.legal_moves():
        if budget[0] <= 0:
            break
        further = _forced(here, reply, budget)
        if further is not None and (found is None or further < found):
            found = further
    return None if found is None else found + 1


def playable_squares(state: ConnectFourState) -> int:
    """Return the squares on which the next stone of each column lands, as bits."""
    return (state.mask + _bottom(state)) & _board(state)


def winning_squares(state: ConnectFourState, stones: int) -> int:
    """Return the empty squares that complete a line of these stones, as bits; playable or not."""
    height, k, found = state.rows + 1, state.k, 0
    for step in (1, height, height - 1, height + 1):
        for missing in range(k):
            run = -1
            for place in range(k):
                if place != missing:
                    shift = (place - missing) * step
                    run &= stones >> shift if shift > 0 else stones << -shift
            found |= run
    return found & _board(state) & ~state.mask


def has_line(state: ConnectFourState, squares: int) -> bool:
    """Whether these squares contain a winning line."""
    height = state.rows + 1
    for step in (1, height, height - 1, height + 1):
        run = squares
        for distance in range(1, state.k):
            run &= squares >> (distance * step)
        if run:
            return True
    return False


def _bottom(state: ConnectFourState) -> int:
    return sum(1 << column * (state.rows + 1) for column in range(state.columns))


def _board(state: ConnectFourState) -> int:
    return _bottom(state) * ((1 << state.rows) - 1)


def _even_rows(state: ConnectFourState) -> int:
    return _bottom(state) * sum(1 << row for row in range(0, state.rows, 2))


def _bits(squares: int) -> Iterator[int]:
    while squares:
        lowest = squares & -squares
        yield lowest.bit_length() - 1
        squares ^= lowest


def _cell(state: ConnectFourState, square: int) -> int:
    """Return the square's index in `State.cells()`."""
    column, row = divmod(square, state.rows + 1)
    return (state.rows - 1 - row) * state.columns + column
