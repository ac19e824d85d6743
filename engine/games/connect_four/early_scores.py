"""Every Connect Four position of the first plies on 6 x 7, and its exact score.

The scores of ply 8 are a file, the score of each position in one signed byte::

    byte          0          1          2      ...     77714
             +----------+----------+----------+---+----------+      -128: not solved yet
             | score of | score of | score of |...| score of |
             | key 0    | key 1    | key 2    |   | key 77714|      key 0 < key 1 < key 2 < ...
             +----------+----------+----------+---+----------+

Ply 9 has a file of 239,959 such scores, followed by as many bytes that name a best column, -128 where it
is not known yet.

The keys are not stored: they are enumerated anew, which is quicker than reading them. A position and its
mirror image are one: the lesser of their keys, own + mask + (the bottom square of every column), as in
the solver's table. Left out are positions that are over and those in which the side to move wins at once,
whose score needs no file. Scores of plies before 8 follow by negamax, as far as its file is solved. The
file of ply 9 is read only when somebody asks about ply 8, whose moves it values, or ply 9.
Made by tools/make_early_scores.py, which can be ended at any moment: an unfinished file is of use too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

import numpy as np
import numpy.typing as npt

from engine.core import EngineError, Move
from engine.games.connect_four.keys import key_of
from engine.games.connect_four.rules import ConnectFourState

BASE_PLY = 8
"""The ply whose file settles all before it."""
LAST_PLY = 9
"""The last ply of which there is a file."""
UNKNOWN = -128
"""Stands in a file for what has not been solved yet."""

PACKAGE = "engine.data"

_COLUMNS, _HEIGHT = 7, 7
_BOTTOM = sum(1 << _HEIGHT * column for column in range(_COLUMNS))
_BOARD = _BOTTOM * 63
CENTRE_FIRST: Sequence[Move] = (3, 2, 4, 1, 5, 0, 6)

Keys = npt.NDArray[np.int64]
"""(n,) of positions, ascending, or of bitboards."""

Bools = npt.NDArray[np.bool_]
Scores = npt.NDArray[np.int8]


def name_of_file(ply: int) -> str:
    """In `PACKAGE`."""
    return f"connect_four_{ply}_plies.npy"


class EarlyScoresError(EngineError):
    """The file of scores does not belong to this enumeration."""


def stones(keys: Keys) -> tuple[Keys, Keys]:
    """(own, mask) of each key: the stones of the side to move, and all stones."""
    # The highest bit of each column marks the square above its stones; smeared down, without leaving the
    # column, it covers them.
    filled = keys.copy()
    for distance, kept in ((1, 0b0111111), (2, 0b0011111), (4, 0b0000111)):
        filled |= filled >> distance & _BOTTOM * kept
    mask = filled >> 1 & _BOARD
    return keys & mask, mask


def positions(ply: int) -> Keys:
    """The keys of every position after `ply` moves that is not over."""
    keys = np.array([_BOTTOM], np.int64)
    for _ in range(ply):
        keys = _following(*stones(keys))
    return keys


def stored_positions(ply: int = BASE_PLY) -> Keys:
    """The positions of a ply whose scores need a file, in its order."""
    keys = positions(ply)
    return keys[~_wins_at_once(*stones(keys))]


def _following(own: Keys, mask: Keys) -> Keys:
    """The keys of all positions one move on that are not over."""
    keys = np.sort(np.concatenate([keys[fits & ~wins] for fits, wins, keys in _children(own, mask)]))
    is_new = np.ones(keys.shape, np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
    return keys[is_new]  # ten times as quick as np.unique


def _children(own: Keys, mask: Keys) -> Iterator[tuple[Bools, Bools, Keys]]:
    """For each column: where a stone fits, where it wins, and the key of the position after it.

    Where no stone fits, the other two mean nothing.
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
    """The empty squares that would complete four in a row for the side to move."""
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
    """keys[ply] and scores[ply]: the positions of a ply, and what each is worth or UNKNOWN.

    columns: a best one in each position of the last ply, as its key stands for it; UNKNOWN, or empty.
    """

    keys: tuple[Keys, ...] = ()
    scores: tuple[Scores, ...] = ()
    columns: Scores = field(default_factory=lambda: np.zeros(0, np.int8))

    @staticmethod
    def of(solved: Scores, last_ply: int = BASE_PLY) -> EarlyScores:
        """All that follows from the scores of `stored_positions(last_ply)`; raises EarlyScoresError."""
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
        """With one ply more: the score and a best column of its `stored_positions`, (2, n).

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
        """A score that each of the `stored_positions` of the next ply is known to reach, in their order.

        No move leaves the other side less than the best one does: the negative score of any position
        before it. UNKNOWN, below every score, where none of those is solved.
        """
        boards = stones(self.keys[-1])
        keys = _following(*boards)
        least = np.full(len(keys), UNKNOWN, np.int8)
        for fits, wins, children in _children(*boards):
            leads = fits & ~wins & (self.scores[-1] != UNKNOWN)
            np.maximum.at(least, np.searchsorted(keys, children[leads]), -self.scores[-1][leads])
        return least[~_wins_at_once(*stones(keys))]

    def score_of(self, state: ConnectFourState) -> int | None:
        """The score of a state on 6x7x4 that is not over, for the side to move, as ConnectFourSolver counts.

        None when the state is too late or its score does not follow from what is solved.
        """
        place, _ = self._place_of(state)
        score = UNKNOWN if place is None else int(self.scores[state.ply][place])
        return None if score == UNKNOWN else score

    def scores_of_moves(self, state: ConnectFourState) -> dict[Move, int]:
        """The score for the side to move of every legal move of which it is known."""
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
        """(a score that a state of the ply after the last is known to reach, whether it is its very score).

        As in `least_after`; it is the very score where a best column of a position before leads here. UNKNOWN
        for a state of another ply, or none of whose positions before is known.
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
        """(the first in that order of the best moves, the state's score); None when it is not known.

        spread: see `ConnectFourSolver.best`. In the last ply only the most central one is known; of two as
        near to the centre it may be either.
        """
        if len(self.columns) and state.ply == len(self.keys) - 1:
            if order is not CENTRE_FIRST or spread:
                return None
            place, is_mirrored = self._place_of(state)
            column = UNKNOWN if place is None else int(self.columns[place])
            if place is None or column == UNKNOWN:
                return None
            return 6 - column if is_mirrored else column, int(self.scores[-1][place])
        scores = self.scores_of_moves(state)
        if len(scores) < len(state.legal_moves()):
            return None
        score = max(scores.values())
        least = least_alike(score, spread)
        return next(column for column in order if scores.get(column, UNKNOWN) >= least), score

    def _place_of(self, state: ConnectFourState) -> tuple[int | None, bool]:
        """Where the state stands among those of its ply, if it does; whether as its mirror image."""
        key, is_mirrored = key_of(state.own, state.mask)
        if state.ply >= len(self.keys):
            return None, is_mirrored
        keys = self.keys[state.ply]
        place = int(np.searchsorted(keys, key))
        return (place if place < len(keys) and keys[place] == key else None), is_mirrored


def _before(state: ConnectFourState) -> Iterator[tuple[Move, ConnectFourState]]:
    """The positions that one move leads from to the state, reached in play or not, and its column."""
    for column in range(_COLUMNS):
        last = (state.mask + (1 << _HEIGHT * column) & 127 << _HEIGHT * column) >> 1
        if last & (state.mask ^ state.own):
            mask = state.mask ^ last
            yield column, ConnectFourState(own=mask ^ state.own, mask=mask, ply=state.ply - 1)


def least_alike(score: int, spread: int) -> int:
    """The least score that is at most `spread` worse, and won, drawn or lost alike."""
    if score == 0:
        return 0
    return max(score - spread, 1) if score > 0 else max(score - spread, -win_at(1))


def _of_another_ply(ply: int, solved: Scores) -> EarlyScoresError:
    return EarlyScoresError(
        f"{name_of_file(ply)} holds {solved.shape} {solved.dtype}, not what is known of ply {ply}"
    )


def win_at(ply: int) -> int:
    """The score of winning with the stone that is played after `ply` others."""
    return (43 - ply) >> 1


def _negamax(ply: int, own: Keys, mask: Keys, next_keys: Keys, next_scores: Scores) -> Scores:
    """The scores of these positions of a ply, from those of all positions of the next.

    A position is unknown while one of its moves is, unless another is the best that there can be: to win
    at once or, where no move does, with the stone after.
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
"""Knows nothing: for who wants every score searched for."""


@cache
def early_scores(last_ply: int = LAST_PLY) -> EarlyScores:
    """What the files of the plies until that one say, each read once; NO_SCORES where there is none.

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
