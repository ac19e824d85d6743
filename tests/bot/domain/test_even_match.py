"""Echo's strength for a person: simulated people of every strength score half, and settled ratings hold."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import cache, partial
from random import Random

import pytest

from bot.domain.even_match import STEP, EchoResult, even_elo, expected_score
from bot.domain.rating import Record, first_record, newcomer, rate
from engine.agents import make_agent
from engine.agents.levels import levels_of
from engine.arena.elo_table import rated_levels
from engine.arena.matches import Contender, openings, play_game
from engine.arena.mixture import level_of_move
from engine.core import Choice, Limit, Player, State
from engine.games import GAMES

STRENGTHS = (600, 750, 900, 1200, 1600, 2000, 2300)
FIRST, NEXT, PEOPLE = 10, 10, 60
"""Matches that find the strength, matches that are judged, and simulated people of each strength."""

chosen_elo = cache(even_elo)
"""The first matches of simulated people are the same few ones."""


def expected_scores(game: str, strength: int, rng: Random, *, is_rated: bool) -> list[float]:
    """Return what a newcomer of that strength can expect in each of their matches against Echo."""
    record, results = newcomer(game), list[EchoResult]()
    expected = []
    for _ in range(FIRST + NEXT):
        elo = chosen_elo(game, record, tuple(results))
        expected.append(expected_score(strength, elo))
        has_won = rng.random() < expected[-1]
        results.insert(0, EchoResult(elo, float(has_won)))
        if is_rated:
            winner = Player.FIRST if has_won else Player.SECOND
            record, _ = rate(record, first_record(game, f"echo:{elo}"), winner)
    return expected


@pytest.mark.slow
@pytest.mark.parametrize("game", ["connect-four", "othello"])
@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("is_rated", [False, True])
def test_after_ten_matches_a_newcomer_of_any_strength_scores_half(
    game: str, strength: int, is_rated: bool
) -> None:
    rng = Random(strength)
    people = [expected_scores(game, strength, rng, is_rated=is_rated)[FIRST:] for _ in range(PEOPLE)]
    mean = sum(itertools.chain(*people)) / (PEOPLE * NEXT)
    assert 0.45 <= mean <= 0.55, mean


def test_ten_wins_in_a_row_lead_a_newcomer_to_the_top_and_ten_losses_to_the_bottom() -> None:
    for score, end in ((1.0, -1), (0.0, 0)):
        results: list[EchoResult] = []
        for _ in range(10):
            elo = even_elo("connect-four", newcomer("connect-four"), results)
            results.insert(0, EchoResult(elo, score))
        assert abs(results[0].elo - rated_levels("connect-four")[end].elo) <= 2 * STEP


def test_the_first_opponent_is_as_strong_as_the_persons_rating_says() -> None:
    for rating in (900, 1500, 2100):
        assert abs(even_elo("connect-four", Record(rating, 70), ()) - rating) <= 2 * STEP


def test_one_result_moves_a_settled_strength_less_than_a_newcomers() -> None:
    lost = [EchoResult(1500, 0.0)]
    assert 1500 - even_elo("connect-four", Record(1500, 70), lost) < 200
    assert 1500 - even_elo("connect-four", Record(1500, 350), lost) > 200


def test_a_person_who_has_won_more_than_half_meets_a_stronger_opponent_than_one_who_has_lost() -> None:
    even = [EchoResult(1500, score) for score in (1.0, 0.0) * 5]
    won = [EchoResult(1500, 1.0)] * 3
    lost = [EchoResult(1500, 0.0)] * 3
    found = [even_elo("connect-four", Record(1500, 70), results) for results in (lost, even, won)]
    assert found[0] < found[1] < found[2]


def test_a_server_with_a_highest_level_gets_no_stronger_opponent() -> None:
    assert even_elo("connect-four", Record(2200, 60), (), highest=1200) == 1200


def test_echo_is_rated_at_the_strength_in_its_key() -> None:
    record = first_record("connect-four", "echo:1525")
    assert record.is_fixed
    assert abs(record.points - 1525) <= 1
    assert 5 <= record.margin <= 40
    assert first_record("connect-four", "echo:9000").points == rated_levels("connect-four")[-1].elo


@dataclass
class EchoAgent:
    """Echo at a strength, as the bot lets it play."""

    key: str
    match_id: int

    def choose(self, state: State, limit: Limit) -> Choice:
        key = level_of_move("connect-four", "6x7x4", self.key, self.match_id, state.ply)
        level = next(level for level in levels_of("connect-four") if level.key == key)
        return make_agent(level.agent, self.match_id * 100 + state.ply).choose(state, level.limit)


@pytest.mark.slow
@pytest.mark.parametrize("level", ["bo", "otto"])
def test_a_real_level_in_the_place_of_a_person_scores_half(level: str) -> None:
    """Three newcomers, 40 matches each: 90 are judged, so the margin of error is a tenth."""
    start = GAMES["connect-four"].start()
    own = next(one for one in levels_of("connect-four") if one.key == level)
    person = Contender(level, lambda seed: make_agent(own.agent, seed), own.limit)
    points = []
    for number in range(3):
        results: list[EchoResult] = []
        for played, opening in enumerate(openings(start, 40, number, 4)):
            elo = even_elo("connect-four", newcomer("connect-four"), results)
            seed = 1000 * number + played
            echo = Contender("echo", partial(EchoAgent, f"echo:{elo}"), own.limit)
            sides = (0, 1) if played % 2 else (1, 0)
            score = play_game(start, opening, sides, [person, echo], seed).points(0)
            results.insert(0, EchoResult(elo, score))
        points += [result.score for result in results[: 40 - FIRST]]
    assert 0.4 <= sum(points) / len(points) <= 0.6
