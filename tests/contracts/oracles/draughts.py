"""Draughts some plies ahead, and the endings of a few pieces by retrograde analysis of the plain rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations, product

from engine.score import Score
from tests.engine.games.draughts.plain_draughts import START, Board, place_of, turns

PLIES = 3
QUIET_PLIES = 80
Key = str
"""32 squares from the side to move's own end, which moves down: `b` and `B`, or `w` and `W`, else a point."""

PLACES = [place_of(number) for number in range(1, 33)]
TURNED = str.maketrans("bBwW", "wWbB")


def key_of(board: Board, side: str) -> Key:
    cells = "".join(board.get(place, ".") for place in PLACES)
    return cells if side == "b" else cells[::-1].translate(TURNED)


def board_of(key: Key) -> Board:
    return {place: piece for place, piece in zip(PLACES, key, strict=True) if piece != "."}


def all_keys(pieces: int) -> list[Key]:
    """Return every position with that number of pieces, both sides among them, without uncrowned kings."""
    found = []
    for places in combinations(range(32), pieces):
        for kinds in product("bBwW", repeat=pieces):
            cells = ["."] * 32
            for place, kind in zip(places, kinds, strict=True):
                cells[place] = kind
            has_both = {kind.lower() for kind in kinds} == {"b", "w"}
            if has_both and "w" not in cells[:4] and "b" not in cells[28:]:
                found.append("".join(cells))
    return found


@cache
def endings(most: int) -> dict[Key, int]:
    """Return the plies until the end of every ending of 2 to `most` pieces: odd if the side to move wins.

    Draws are left out.
    """
    keys = [key for pieces in range(2, most + 1) for key in all_keys(pieces)]
    after = {key: {key_of(board, "w") for board in turns(board_of(key), "b").values()} for key in keys}
    before: dict[Key, list[Key]] = {}
    for key, following in after.items():
        for one in following:
            before.setdefault(one, []).append(key)
    known = {one: 0 for one in before if one not in after}  # the last piece is taken
    known |= {key: 0 for key in keys if not after[key]}
    left, news, plies = {key: len(following) for key, following in after.items()}, list(known), 0
    while news:
        plies, ended, news = plies + 1, news, []
        for one in (one for key in ended for one in before.get(key, ())):
            left[one] -= 1
            if one not in known and (plies % 2 or not left[one]):
                known[one] = plies
                news.append(one)
    return known


def score_of_ending(key: Key, most: int) -> Score:
    plies = endings(most).get(key)
    if plies is None:
        return Score.drawn()
    return Score.won(plies) if plies % 2 else Score.lost(plies)


def forced(board: Board, side: str, plies: int, quiet: int, stood: Counter[Key]) -> Score:
    """Return the fastest end that is forced within so many plies, else the range that is left.

    stood: how often positions have occurred since the last capture or man's move, which was `quiet` plies
    ago.
    """
    following = turns(board, side)
    if not following:
        return Score.lost(0)
    if stood[key_of(board, side) + side] >= 3 or quiet >= QUIET_PLIES:
        return Score.drawn()
    if plies == 0:
        return Score.between(Score.lost(1), Score.won(1))
    other, found = "w" if side == "b" else "b", list[Score]()
    for squares, after in following.items():
        is_quiet = len(after) == len(board) and board[place_of(squares[0])].isupper()
        seen = Counter(stood) if is_quiet else Counter[Key]()
        seen[key_of(after, other) + other] += 1
        found.append(-forced(after, other, plies - 1, quiet + 1 if is_quiet else 0, seen).earlier())
    lows = [score.low or score for score in found]
    highs = [score.high or score for score in found]
    return Score.between(max(lows), max(highs))


def truth(_board: str, moves: Sequence[str], plies: int = PLIES, most: int = 2) -> Score:
    board, side, quiet = dict(START), "b", 0
    stood = Counter([key_of(board, side) + side])
    for name in moves:
        squares = tuple(map(int, name.replace("x", "-").split("-")))
        found = {
            key_of(after, "b"): (path, after)
            for path, after in turns(board, side).items()
            if squares in (path, (path[0], path[-1]))
        }
        ((path, after),) = found.values()
        is_quiet = len(after) == len(board) and board[place_of(path[0])].isupper()
        board, side, quiet = after, "w" if side == "b" else "b", quiet + 1 if is_quiet else 0
        stood = stood if is_quiet else Counter()
        stood[key_of(board, side) + side] += 1
    if len(board) <= most and max(stood.values()) == 1:
        score = score_of_ending(key_of(board, side), most)
        if quiet + (score.plies or 0) <= QUIET_PLIES:
            return score
    return forced(board, side, plies, quiet, stood)
