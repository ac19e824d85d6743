"""Five strengths with the same words in every game, each a level of the game's own ladder."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations

from engine.agents.echo import elo_in
from engine.agents.levels import Level, levels_of
from engine.arena.elo_table import rated_levels


class PlainStrength(enum.StrEnum):
    """A strength in a word that people know; weakest first. Its text has the key `strength_easy`."""

    BEGINNER = "beginner"
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    BEST = "best"


TARGETS = {
    PlainStrength.BEGINNER: 800,
    PlainStrength.EASY: 1075,
    PlainStrength.MEDIUM: 1450,
    PlainStrength.HARD: 1900,
}
"""Elo, on the game's own ladder, that the level of each word is nearest to. Ladders have no common zero."""


REACH: dict[PlainStrength, int | None] = {
    PlainStrength.BEGINNER: 2,
    PlainStrength.EASY: 3,
    PlainStrength.MEDIUM: 5,
    PlainStrength.HARD: 9,
    PlainStrength.BEST: None,
}
"""How many moves ahead the coach sees a win, as far as such an opponent does; None: any number."""


def reach(game: str, board: str, level: str) -> int | None:
    """Return how many moves ahead the coach sees a win against the level with that key; None: any number.

    A level between two words reaches as far as the weaker one. The strength of Echo is in its key; another
    level that is not on the game's ladder may be of any strength.
    """
    ladder = levels_of(game, board)
    elo = {row.key: float(row.elo) for row in rated_levels(game)}
    scale = {one.key: elo.get(one.key, float(place)) for place, one in enumerate(ladder)}
    words, own = strengths(game, board, ladder), scale.get(level, elo_in(level))
    if not words or own is None:
        return None
    not_stronger = [word for word, one in words.items() if scale[one.key] <= own]
    return REACH[not_stronger[-1] if not_stronger else PlainStrength.BEGINNER]


def strengths(game: str, board: str, allowed: Sequence[Level]) -> Mapping[PlainStrength, Level]:
    """Return the levels of the five words on that board, weakest first; no level has two words.

    allowed: the levels that people may choose there. Best is the strongest of them that is on the game's
    ladder. The other words mean the same levels wherever the game is played, so those that are not weaker
    than Best are missing. Empty if no level of the ladder is allowed.
    """
    keys = {level.key for level in allowed}
    ladder = levels_of(game, board)
    places = [place for place, level in enumerate(ladder) if level.key in keys]
    if not places:
        return {}
    best = places[-1]
    words = zip(TARGETS, _places(game, board), strict=False)
    found = {word: ladder[place] for word, place in words if place < best and place in places}
    return {**found, PlainStrength.BEST: ladder[best]}


def strength_word(game: str, board: str, level: str) -> PlainStrength | None:
    """Return the word of the level with that key, where all are allowed; None for those between words."""
    words = strengths(game, board, levels_of(game, board))
    return next((word for word, one in words.items() if one.key == level), None)


def following(
    game: str, board: str, level: str, allowed: Sequence[Level], *, is_stronger: bool
) -> tuple[PlainStrength, Level] | None:
    """Return the next stronger word, or the next weaker one, after a match against the level with that key.

    None if there is none, and after a level that is not on the board's ladder, such as Echo.
    """
    ladder = [one.key for one in levels_of(game, board)]
    if level not in ladder:
        return None
    place, words = ladder.index(level), list(strengths(game, board, allowed).items())
    if is_stronger:
        return next((one for one in words if ladder.index(one[1].key) > place), None)
    return next((one for one in reversed(words) if ladder.index(one[1].key) < place), None)


@cache
def _places(game: str, board: str) -> tuple[int, ...]:
    """Return the places of the four words below Best among all levels of the board, in ascending order.

    They minimise the sum of the distances to the targets, so two words never share a level. Without a
    measured ladder they are spread evenly.
    """
    ladder = levels_of(game, board)
    elo = {row.key: row.elo for row in rated_levels(game)}
    wanted, free = list(TARGETS.values()), range(len(ladder) - 1)
    if len(free) <= len(wanted):
        return tuple(free)
    if any(level.key not in elo for level in ladder):
        return tuple(round(n * len(free) / len(wanted)) for n in range(len(wanted)))
    return min(
        combinations(free, len(wanted)),
        key=lambda places: sum(
            abs(elo[ladder[place].key] - target) for place, target in zip(places, wanted, strict=True)
        ),
    )
