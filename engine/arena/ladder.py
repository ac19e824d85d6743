"""Measurement of the ladder: every level against the one below, saved after every step, so it can be resumed.

Each duel is 400 games in pairs with swapped colours, from random openings. Only missing duels are played, and
those whose level has changed its agent or limit since.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from random import Random

from engine.agents import make_agent
from engine.agents.levels import Level, levels_of
from engine.arena.elo import ratings
from engine.arena.elo_table import (
    ADDED_LATER,
    PAIR_POINTS,
    Duel,
    RatedLevel,
    describe,
    file_name,
    parse,
    rated_levels,
    write,
)
from engine.arena.matches import Contender, GameResult, openings, play_game
from engine.arena.mixture import FILE, RatedMixture
from engine.arena.mixture import parse as parse_mixtures
from engine.arena.mixture import write as write_mixtures
from engine.core import Choice, Limit, Move, State
from engine.games import GAMES, spec_of

GAMES_A_DUEL = 400
GAMES_A_STEP = 20
SEED = 2026
MEAN_ELO = 1500

DATA = Path(__file__).parents[1] / "data"


def measure(
    game_key: str, jobs: int = 1, *, games: int = GAMES_A_DUEL, say: Callable[[str], object] = print
) -> None:
    """Play the missing duels of this game and write its table, weakest levels first.

    games: per duel, a multiple of twenty. say: called with a line for each finished duel.
    """
    file = DATA / file_name(game_key)
    known = {row.key: row for row in parse(file.read_text("utf-8"))} if file.is_file() else {}
    levels = levels_of(game_key)
    duels: dict[str, Duel | None] = {levels[0].key: None}
    for below, level in itertools.pairwise(levels):
        duels[level.key] = duel = still_true(known, below, level)
        while duel is None or duel.games < games:
            duels[level.key] = duel = continued(game_key, below, level, duel, jobs)
            rated = _rated(levels, duels)
            later = [known[each.key] for each in levels[len(rated) :] if each.key in known]
            file.write_text(write(game_key, [*rated, *later]), "utf-8")  # an interrupt loses no finished step
        say(f"{game_key}: {level.name} against {below.name}: {line_of(duel)}")
    file.write_text(write(game_key, _rated(levels, duels)), "utf-8")


def still_true(known: dict[str, RatedLevel], below: Level, level: Level) -> Duel | None:
    """Return the stored duel of these two if both still play the same."""
    rows = [known.get(each.key) for each in (below, level)]
    if any(
        row is None or row.description != describe(each)
        for row, each in zip(rows, (below, level), strict=True)
    ):
        return None
    keys = list(known)
    if keys.index(level.key) != keys.index(below.key) + 1:
        return None
    return known[level.key].below


def measure_mixtures(
    game_key: str,
    keys: Sequence[str],
    jobs: int = 1,
    *,
    games: int = GAMES_A_DUEL,
    say: Callable[[str], object] = print,
) -> None:
    """Measure the mixtures of these levels with the one above each, against both; add them to the table.

    games: against each of the two.
    """
    file = DATA / FILE
    for below, level in itertools.pairwise(levels_of(game_key)):
        if below.key not in keys:
            continue
        duels: list[Duel] = []
        for other in (below, level):
            duel = None
            while duel is None or duel.games < games:
                duel = continued(game_key, other, _mixed(below, level), duel, jobs)
            duels.append(duel)
        found = parse_mixtures(file.read_text("utf-8")) if file.is_file() else {}
        found[game_key, below.key, level.key] = row = _rated_mixture(game_key, below, level, duels)
        file.write_text(write_mixtures(found), "utf-8")
        say(f"{game_key}: {below.name} and {level.name}: {row.elo} ({row.low} to {row.high})")


def _mixed(below: Level, level: Level) -> Contender:
    return Contender("mixture", lambda seed: _HalfAndHalf(below, level, seed), below.limit)


class _HalfAndHalf:
    """An agent that plays half of its moves as one level and half as the other."""

    def __init__(self, below: Level, level: Level, seed: int) -> None:
        self._rng = Random(seed)
        self._levels = [(make_agent(one.agent, seed), one.limit) for one in (below, level)]

    def choose(self, state: State, limit: Limit) -> Choice:  # noqa: ARG002 (each level has its own)
        agent, own = self._rng.choice(self._levels)
        return agent.choose(state, own)


def _rated_mixture(game_key: str, below: Level, level: Level, duels: list[Duel]) -> RatedMixture:
    """Return the strength at which these results are likeliest, where both levels keep theirs."""
    rows = {row.key: row for row in rated_levels(game_key)}
    ends = [rows[one.key] for one in (below, level)]
    pairs = {(1, 0): _points_of(duels[0]), (1, 2): _points_of(duels[1])}
    between = ends[1].below
    if between is not None:
        pairs[2, 0] = _points_of(between)
    found = ratings(3, pairs, SEED)
    base = sum(end.elo for end in ends) / 2 - (found[0].elo + found[2].elo) / 2
    elo, low, high = (round(base + value) for value in (found[1].elo, found[1].low, found[1].high))
    won, drawn, lost = (
        (getattr(duels[0], name), getattr(duels[1], name)) for name in ("wins", "draws", "losses")
    )
    descriptions = (describe(below), describe(level))
    return RatedMixture(below.key, level.key, descriptions, elo, low, high, won, drawn, lost)


def continued(
    game_key: str, below: Level, level: Level | Contender, duel: Duel | None, jobs: int = 1
) -> Duel:
    """Return the duel after another step of games."""
    start = GAMES[game_key].start()
    own = spec_of(game_key).search.opening_plies
    plies = max(1, start.rows * start.columns // 10) if own is None else own
    done = 0 if duel is None else duel.games
    last = (done + GAMES_A_STEP) // 2
    starts = _openings(game_key, max(last, GAMES_A_DUEL // 2), plies)[done // 2 : last]
    contenders = [_contender(level), _contender(below)]
    schedule = [
        (opening, sides, SEED + done + 2 * number + sides[0])
        for number, opening in enumerate(starts)
        for sides in ((0, 1), (1, 0))
    ]
    with ThreadPoolExecutor(jobs) as threads:
        played = [
            threads.submit(play_game, start, opening, sides, contenders, seed)
            for opening, sides, seed in schedule
        ]
        results = [game.result() for game in played]
    return _sum(duel, results, plies)


@cache
def _openings(game_key: str, count: int, plies: int) -> list[tuple[Move, ...]]:
    """Return the openings, the same for every duel; finding quiet ones takes longer than playing them."""
    return openings(GAMES[game_key].start(), count, SEED, plies)


def _contender(level: Level | Contender) -> Contender:
    if isinstance(level, Contender):
        return level
    return Contender(level.key, lambda seed: make_agent(level.agent, seed), level.limit)


def _sum(duel: Duel | None, results: list[GameResult], plies: int) -> Duel:
    """Return the duel with the games added; contender 0 is the level, 1 the one below."""
    points = [result.points(0) for result in results]
    pairs = [one + other for one, other in zip(points[::2], points[1::2], strict=True)]
    before = duel or Duel(0, 0, 0, (0, 0, 0, 0, 0), plies, (0.0, 0.0))
    counted = [old + pairs.count(value) for old, value in zip(before.pairs, PAIR_POINTS, strict=True)]
    fresh = [
        1000
        * sum(result.seconds[result.contenders.index(side)] for result in results)
        / max(1, sum(result.chosen[result.contenders.index(side)] for result in results))
        for side in (0, 1)
    ]
    share = len(points) / (before.games + len(points))
    old_one, old_other = before.milliseconds
    return Duel(
        before.wins + points.count(1.0),
        before.draws + points.count(0.5),
        before.losses + points.count(0.0),
        (counted[0], counted[1], counted[2], counted[3], counted[4]),
        plies,
        (
            round(old_one + share * (fresh[0] - old_one), 2),
            round(old_other + share * (fresh[1] - old_other), 2),
        ),
    )


def _rated(levels: tuple[Level, ...], duels: dict[str, Duel | None]) -> list[RatedLevel]:
    """Return the rows of the levels measured so far; levels next to a missing duel are left out."""
    measured = [level for level in levels if level.key in duels]
    pairs = {
        (number, number - 1): _points_of(duel)
        for number, level in enumerate(measured)
        if (duel := duels[level.key]) is not None
    }
    found = ratings(len(measured), pairs, SEED)
    first = [
        rating.elo for level, rating in zip(measured, found, strict=True) if level.key not in ADDED_LATER
    ]
    base = MEAN_ELO - sum(first) / len(first)
    return [
        RatedLevel(
            level.key,
            describe(level),
            round(base + rating.elo),
            round(base + rating.low),
            round(base + rating.high),
            duels[level.key],
        )
        for level, rating in zip(measured, found, strict=True)
    ]


def _points_of(duel: Duel) -> list[float]:
    """Return the points of each pair of games."""
    return [value for value, count in zip(PAIR_POINTS, duel.pairs, strict=True) for _ in range(count)]


def line_of(duel: Duel) -> str:
    return f"{duel.wins} won, {duel.draws} drawn, {duel.losses} lost, {100 * duel.score:.1f} %"
