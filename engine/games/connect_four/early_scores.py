"""The exact scores of all Connect Four positions of the first plies on 6 x 7.

The scores of ply 8 are stored in a file, one signed byte per position::

    byte          0          1          2      ...     77714
             +----------+----------+----------+---+----------+      -128: not solved yet
             | score of | score of | score of |...| score of |
             | key 0    | key 1    | key 2    |   | key 77714|      key 0 < key 1 < key 2 < ...
             +----------+----------+----------+---+----------+

Ply 9 has a file of 239,959 such scores, followed by as many bytes with a best column each, -128 for an
unknown one.

The keys are not stored: enumerating them is faster than reading them. A position and its mirror image share
the smaller of their keys, own + mask + (the bottom square of every column), as in the solver's table.
Positions that are over, and those with an immediate win, are left out: their scores need no file. Scores of
plies before 8 follow by negamax, as far as their successors are solved. The file of ply 9 is only read for
states of ply 8, whose moves it values, or of ply 9. tools/make_early_scores.py writes the files and can be
stopped at any time: an unfinished file is usable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

import numpy as np
import numpy.typing as npt

from engine.core import EngineError, Move
from engine.games.connect_four.rules import ConnectFourState

BASE_PLY = 8
"""The ply of the file from which all earlier plies are computed."""
LAST_PLY = 9
"""The last ply with a file."""
UNKNOWN = -128
"""The score of an unsolved position in a file."""

PACKAGE = "engine.data"

_COLUMNS, _HEIGHT = 7, 7
_BOTTOM = sum(1 << _HEIGHT * column for column in range(_COLUMNS))
_BOARD = _BOTTOM * 63
CENTRE_FIRST: Sequence[Move] = (3, 2, 4, 1, 5, 0, 6)

Keys = npt.NDArray[np.int64]
"""(n,) keys of positions, ascending, or bitboards."""

Bools = npt.NDArray[np.bool_]
Scores = npt.NDArray[np.int8]


def name_of_file(ply: int) -> str:
    """Return the name of a ply's file in `PACKAGE`."""
    return f"connect_four_{ply}_plies.npy"


class EarlyScoresError(EngineError):
    """The file of scores does not match this enumeration of positions."""


def key_of(own: int, mask: int) -> tuple[int, bool]:
    """Return (the key of a position, whether it is that of the mirror image)."""
    key = own + mask + _BOTTOM
    image = sum(
        (key >> _HEIGHT * column & 127) << _HEIGHT * (_COLUMNS - 1 - column) for column in range(_COLUMNS)
    )
    return min(key, image), image < key


def stones(keys: Keys) -> tuple[Keys, Keys]:
    """Return (own, mask) of each key: the stones of the side to move, and all stones."""
    # The highest bit of each column marks the square above its stones; shifted down within the column, it
    # covers them.
    filled = keys.copy()
    for distance, kept in ((1, 0b0111111), (2, 0b0011111), (4, 0b0000111)):
        filled |= filled >> distance & _BOTTOM * kept
    mask = filled >> 1 & _BOARD
    return keys & mask, mask


def positions(ply: int) -> Keys:
    """Return the keys of all positions after `ply` moves that are not over."""
    keys = np.array([_BOTTOM], np.int64)
    for _ in range(ply):
        keys = _following(*stones(keys))
    return keys


def stored_positions(ply: int = BASE_PLY) -> Keys:
    """Return the keys of a ply's positions whose scores are stored, in the order of the file."""
    keys = positions(ply)
    return keys[~_wins_at_once(*stones(keys))]


def _following(own: Keys, mask: Keys) -> Keys:
    """Return the keys of all positions one move later that are not over."""
    keys = np.sort(np.concatenate([keys[fits & ~wins] for fits, wins, keys in _children(own, mask)]))
    is_new = np.ones(keys.shape, np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
    return keys[is_new]  # ten times as fast as np.unique


def _children(own: Keys, mask: Keys) -> Iterator[tuple[Bools, Bools, Keys]]:
    """Yield, for each column: where a stone fits, where it wins, and the key of the position after it.

    If no stone fits, the other two are meaningless.
    """
    winning = _winning_squares(own, mask)
    for column in range(_COLUMNS):
        square = mask + (1 << _HEIGHT * column) & 127 << _HEIGHT * column & ~mask
        after = mask | square
        keys = (own ^ mask) + after + _BOTTOM
        yield (square & _BOARD) != 0, (square & winning) != 0, np.minimum(keys, _mirrored(keys))


def _mirrored(keys: Keys) -> Keys:
    image = keys & 127 << 3 * _HEIGHT
    for column in range(3):
        distance = _HEIGHT * (6 - 2 * column)
        image |= (keys & 127 << _HEIGHT * column) << distance
        image |= keys >> distance & 127 << _HEIGHT * column
    return image


def _winning_squares(own: Keys, mask: Keys) -> Keys:
    """Return the empty squares that would complete four in a row for the side to move."""
    found = own << 1 & own << 2 & own << 3
    for step in (_HEIGHT - 1, _HEIGHT, _HEIGHT + 1):
        above, below = own << step, own >> step
        pairs = above & own << 2 * step
        found |= pairs & (own << 3 * step | below)
        pairs = below & own >> 2 * step
        found |= pairs & (above | own >> 3 * step)
    return found & _BOARD & ~mask


def _wins_at_once(own: Keys, mask: Keys) -> Bools:
    wins: Bools = (_winning_squares(own, mask) & mask + _BOTTOM) != 0
    return wins


@dataclass(frozen=True, slots=True)
class EarlyScores:
    """keys[ply] and scores[ply]: the positions of a ply and their scores, or UNKNOWN.

    columns: a best column of each position of the last ply, in the orientation of its key; UNKNOWN, or an
    empty array.
    """

    keys: tuple[Keys, ...] = ()
    scores: tuple[Scores, ...] = ()
    columns: Scores = field(default_factory=lambda: np.zeros(0, np.int8))

    @staticmethod
    def of(solved: Scores, last_ply: int = BASE_PLY) -> EarlyScores:
        """Compute all scores that follow from `stored_positions(last_ply)`; raises EarlyScoresError."""
        boards = [stones(positions(0))]
        keys = [positions(0)]
        for _ in range(last_ply):
            keys.append(_following(*boards[-1]))
            boards.append(stones(keys[-1]))
        wins = _wins_at_once(*boards[-1])
        if solved.dtype != np.int8 or solved.shape != (np.count_nonzero(~wins),):
            raise _of_another_ply(last_ply, solved)
        scores = [np.full(len(wins), win_at(last_ply), np.int8)]
        scores[0][~wins] = solved
        for ply in range(last_ply - 1, -1, -1):
            scores.insert(0, _negamax(ply, *boards[ply], keys[ply + 1], scores[0]))
        return EarlyScores(tuple(keys), tuple(scores))

    def followed_by(self, solved: Scores) -> EarlyScores:
        """Add a ply: the score and a best column of each of its `stored_positions`, (2, n).

        Raises EarlyScoresError.
        """
        ply, keys = len(self.keys), _following(*stones(self.keys[-1]))
        is_stored = ~_wins_at_once(*stones(keys))
        if solved.dtype != np.int8 or solved.shape != (2, np.count_nonzero(is_stored)):
            raise _of_another_ply(ply, solved)
        scores, columns = np.full(len(keys), win_at(ply), np.int8), np.full(len(keys), UNKNOWN, np.int8)
        scores[is_stored], columns[is_stored] = solved
        return EarlyScores((*self.keys, keys), (*self.scores, scores), columns)

    def least_after(self) -> Scores:
        """Return a lower bound for each of the next ply's `stored_positions`, in their order.

        No move leaves the other side less than the best move does, so the negative score of any predecessor
        is such a bound. UNKNOWN, below every score, if no predecessor is solved.
        """
        boards = stones(self.keys[-1])
        keys = _following(*boards)
        least = np.full(len(keys), UNKNOWN, np.int8)
        for fits, wins, children in _children(*boards):
            leads = fits & ~wins & (self.scores[-1] != UNKNOWN)
            np.maximum.at(least, np.searchsorted(keys, children[leads]), -self.scores[-1][leads])
        return least[~_wins_at_once(*stones(keys))]

    def score_of(self, state: ConnectFourState) -> int | None:
        """Return the score for the side to move of a state on 6x7x4, as ConnectFourSolver counts it.

        None if the state is too late or its score does not follow from the solved ones.
        """
        place, _ = self._place_of(state)
        score = UNKNOWN if place is None else int(self.scores[state.ply][place])
        return None if score == UNKNOWN else score

    def scores_of_moves(self, state: ConnectFourState) -> dict[Move, int]:
        """Return the known scores of legal moves for the side to move."""
        if state.ply + 1 >= len(self.keys):
            return {}
        found: dict[Move, int] = {}
        for move in state.legal_moves():
            child = state.play(move)
            score = -win_at(state.ply) if child.outcome() is not None else self.score_of(child)
            if score is not None:
                found[move] = -score
        return found

    def promised(self, state: ConnectFourState) -> tuple[int, bool]:
        """Return (a lower bound for a state of the ply after the last, whether it is its exact score).

        As in `least_after`; the bound is exact if a best column of a predecessor leads here. UNKNOWN for a
        state of another ply, or without a known predecessor.
        """
        least, is_exact = UNKNOWN, False
        if state.ply != len(self.keys):
            return least, is_exact
        for column, before in _before(state):
            place, is_mirrored = self._place_of(before)
            if place is not None and self.scores[-1][place] != UNKNOWN:
                least = max(least, -int(self.scores[-1][place]))
                best = int(self.columns[place]) if len(self.columns) else UNKNOWN
                is_exact |= best == (6 - column if is_mirrored else column)
        return least, is_exact

    def best(
        self, state: ConnectFourState, order: Sequence[Move] = CENTRE_FIRST, spread: int = 0
    ) -> tuple[Move, int] | None:
        """Return (the first best move in that order, the state's score); None if it is unknown.

        spread: see `ConnectFourSolver.best`. In the last ply only a most central best move is known; of two
        equally near the centre it may be either.
        """
        if len(self.columns) and state.ply == len(self.keys) - 1:
            # Of the last ply the file has one best column a position, and no scores of the ply after it.
            if order is not CENTRE_FIRST or spread:
                return None
            place, is_mirrored = self._place_of(state)
            column = UNKNOWN if place is None else int(self.columns[place])
            if place is None or column == UNKNOWN:
                return None
            return 6 - column if is_mirrored else column, int(self.scores[-1][place])
        scores = self.scores_of_moves(state)
        if len(scores) < len(state.legal_moves()):  # an unknown move may be the best
            return None
        score = max(scores.values())
        least = least_alike(score, spread)
        return next(column for column in order if scores.get(column, UNKNOWN) >= least), score

    def _place_of(self, state: ConnectFourState) -> tuple[int | None, bool]:
        """Return the index of the state in its ply, if any, and whether it is stored as its mirror image."""
        key, is_mirrored = key_of(state.own, state.mask)
        if state.ply >= len(self.keys):
            return None, is_mirrored
        keys = self.keys[state.ply]
        place = int(np.searchsorted(keys, key))
        return (place if place < len(keys) and keys[place] == key else None), is_mirrored


def _before(state: ConnectFourState) -> Iterator[tuple[Move, ConnectFourState]]:
    """Yield the columns and positions that lead to the state, whether they can occur in a game or not."""
    for column in range(_COLUMNS):
        last = (state.mask + (1 << _HEIGHT * column) & 127 << _HEIGHT * column) >> 1
        if last & (state.mask ^ state.own):
            mask = state.mask ^ last
            yield column, ConnectFourState(own=mask ^ state.own, mask=mask, ply=state.ply - 1)


def least_alike(score: int, spread: int) -> int:
    """Return the lowest score that is at most `spread` worse and has the same result."""
    if score == 0:
        return 0
    return max(score - spread, 1) if score > 0 else max(score - spread, -win_at(1))


def _of_another_ply(ply: int, solved: Scores) -> EarlyScoresError:
    return EarlyScoresError(
        f"{name_of_file(ply)} holds {solved.shape} {solved.dtype}, not what is known of ply {ply}"
    )


def win_at(ply: int) -> int:
    """Return the score of winning with the stone that is played after `ply` others."""
    return (43 - ply) >> 1


def _negamax(ply: int, own: Keys, mask: Keys, next_keys: Keys, next_scores: Scores) -> Scores:
    """Compute the scores of a ply's positions from those of all positions of the next.

    A position with an unknown move is unknown, unless another move has the best possible score: an immediate
    win or, if there is none, a win with the next stone.
    """
    best = np.full(own.shape, -128, np.int16)
    has_unknown = np.zeros(own.shape, np.bool_)
    for fits, wins, keys in _children(own, mask):
        places = np.minimum(np.searchsorted(next_keys, keys), len(next_keys) - 1)
        found = next_scores[places].astype(np.int16)
        plays_on = fits & ~wins
        has_unknown |= plays_on & (found == UNKNOWN)
        best = np.where(plays_on & (found != UNKNOWN), np.maximum(best, -found), best)
        best[fits & wins] = win_at(ply)
    best[has_unknown & (best < win_at(ply + 2))] = UNKNOWN
    return best.astype(np.int8)


NO_SCORES = EarlyScores()
"""An empty table, for callers that want every score searched."""


@cache
def early_scores(last_ply: int = LAST_PLY) -> EarlyScores:
    """Read the files up to that ply, each once; NO_SCORES if there are none.

    Raises ValueError for a ply before the first file, EarlyScoresError for files of other positions.
    """
    if last_ply < BASE_PLY:
        raise ValueError(f"the first file is of ply {BASE_PLY}")
    solved = _read(last_ply)
    if last_ply == BASE_PLY:
        return NO_SCORES if solved is None else EarlyScores.of(solved)
    before = early_scores(last_ply - 1)
    return before if solved is None or before is NO_SCORES else before.followed_by(solved)


def _read(ply: int) -> Scores | None:
    file = resources.files(PACKAGE) / name_of_file(ply)
    if not file.is_file():
        return None
    with file.open("rb") as stream:
        solved: Scores = np.load(stream, allow_pickle=False)
    return solved
