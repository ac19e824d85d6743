"""A tournament from sign-up to the end, without a database."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.errors import SetupError
from bot.domain.result import End, Result
from bot.domain.seat import Seat
from bot.domain.tournament.model import Pairing, Stage, System, Tournament, system_of_agents
from bot.domain.tournament.rounds import advance, rounds_of, tie_winner
from bot.domain.tournament.standings import standings
from engine.agents.levels import levels_of
from engine.core import Player
from engine.games import GAMES
from tests.bot.domain.tournament.playing import (
    NOW,
    better_seed_wins,
    by_lot,
    played_out,
    signed_up,
    started,
    with_results,
)


def numbers_met(tournament: Tournament) -> Counter[frozenset[int]]:
    return Counter(frozenset(pairing.numbers) for pairing in tournament.pairings if pairing.game == 1)


# Signing up


def test_signing_up_twice_or_late_or_beyond_the_last_place_is_refused() -> None:
    tournament = signed_up(System.ROUND_ROBIN, 16)
    with pytest.raises(SetupError, match="tournament_joined_already"):
        tournament.join(Seat("P1", 1), NOW)
    with pytest.raises(SetupError, match="tournament_full"):
        tournament.join(Seat("late", 99), NOW)
    with pytest.raises(SetupError, match="tournament_closed"):
        tournament.join(Seat("late", 99), tournament.closes_at)


def test_the_number_of_an_entrant_who_left_is_not_given_to_two() -> None:
    tournament = signed_up(System.SWISS, 4).leave(Seat("P3", 3)).join(Seat("new", 99), NOW)
    assert sorted(entrant.number for entrant in tournament.entrants) == [1, 2, 4, 5]
    with pytest.raises(SetupError, match="tournament_not_joined"):
        tournament.leave(Seat("P3", 3))


def test_two_are_too_few_and_nothing_starts_twice() -> None:
    with pytest.raises(SetupError, match="tournament_too_few"):
        started(signed_up(System.SWISS, 2))
    with pytest.raises(SetupError, match="tournament_started_already"):
        started(started(signed_up(System.SWISS, 4)))


def test_a_cancelled_tournament_cannot_be_joined_or_cancelled_again() -> None:
    cancelled = signed_up(System.SWISS, 4).cancel()
    assert advance(cancelled) is cancelled
    with pytest.raises(SetupError, match="tournament_over"):
        cancelled.cancel()
    with pytest.raises(SetupError, match="tournament_over"):
        cancelled.join(Seat("x", 99), NOW)
    with pytest.raises(SetupError, match="tournament_over"):
        cancelled.leave(Seat("P1", 1))


@pytest.mark.parametrize("game", list(GAMES))
def test_the_usual_tournament_of_agents_has_a_place_for_every_level(game: str) -> None:
    levels = levels_of(game)
    entrants = signed_up(system_of_agents(len(levels)), len(levels)).entrants
    assert len(entrants) == len(levels)


# Playing


@pytest.mark.parametrize(
    ("system", "entrants", "asked", "rounds"),
    [
        (System.SWISS, 3, 0, 3),
        (System.SWISS, 9, 0, 4),
        (System.SWISS, 9, 6, 6),
        (System.SWISS, 4, 9, 3),
        (System.ROUND_ROBIN, 5, 0, 5),
        (System.ROUND_ROBIN, 6, 3, 5),
        (System.KNOCKOUT, 5, 0, 3),
        (System.KNOCKOUT, 8, 0, 3),
    ],
)
def test_the_number_of_rounds_by_system_and_entrants(
    system: System, entrants: int, asked: int, rounds: int
) -> None:
    assert rounds_of(signed_up(system, entrants, rounds=asked)) == rounds


@given(st.sampled_from(list(System)), st.integers(3, 13), st.integers(0, 10_000))
def test_every_tournament_ends_and_no_entrant_is_paired_twice_in_a_round(
    system: System, entrants: int, seed: int
) -> None:
    over = played_out(started(signed_up(system, entrants)), by_lot(seed))
    assert over.stage is Stage.OVER
    for number in range(1, over.round + 1):
        seated = [
            entrant for pairing in over.of_round(number) if pairing.game == 1 for entrant in pairing.numbers
        ]
        assert len(seated) == len(set(seated))
    if system is System.KNOCKOUT:
        assert tie_winner(over, over.round, 1) is not None
        assert [place.rank for place in standings(over)][:2] == [1, 2]
    else:
        assert over.round == over.rounds
        assert max(numbers_met(over).values()) == 1


@pytest.mark.parametrize("is_twice", [False, True])
def test_in_a_round_robin_all_meet(is_twice: bool) -> None:
    over = played_out(started(signed_up(System.ROUND_ROBIN, 5, is_twice=is_twice)), by_lot(1))
    times = 2 if is_twice else 1
    assert numbers_met(over) == Counter({frozenset(pair): times for pair in combinations(range(1, 6), 2)})
    begun = Counter((pairing.first, pairing.second) for pairing in over.pairings)
    assert not is_twice or set(begun.values()) == {1}


def test_nothing_moves_on_while_a_match_runs() -> None:
    tournament = started(signed_up(System.SWISS, 6))
    assert advance(tournament) is tournament
    one_left = with_results(tournament, by_lot(1))
    one_left = replace(one_left, pairings=(*one_left.pairings[:-1], tournament.pairings[-1]))
    assert advance(one_left) is one_left


def test_the_best_seeds_reach_the_final_of_an_elimination() -> None:
    over = played_out(started(signed_up(System.KNOCKOUT, 6)), better_seed_wins)
    assert [(place.rank, place.entrant.number) for place in standings(over)] == [
        (1, 1), (2, 2), (3, 3), (3, 4), (5, 5), (5, 6),
    ]  # fmt: skip


def test_a_drawn_tie_is_replayed_with_swapped_sides_and_then_goes_to_the_better_seed() -> None:
    tournament = with_results(started(signed_up(System.KNOCKOUT, 4)), by_lot(1, draws=1))
    assert tie_winner(tournament, 1, 1) is None
    replayed = advance(tournament)
    first, replay = (pairing for pairing in replayed.pairings if pairing.table == 1)
    assert (replay.game, replay.first, replay.second) == (2, first.second, first.first)
    assert replay.first == 1  # the better seed
    again = with_results(replayed, by_lot(1, draws=1))
    assert tie_winner(again, 1, 1) == 1
    assert advance(again).round == 2


# Who does not appear, and who leaves


def no_show(_tournament: Tournament, pairing: Pairing) -> tuple[Result, int]:
    """Number 3 never moves; the others' games go to the better seed."""
    if 3 in pairing.numbers:
        side = Player(pairing.numbers.index(3))
        return Result(side.other, End.TIME), int(side)
    return better_seed_wins(_tournament, pairing)


@pytest.mark.parametrize("system", [System.SWISS, System.ROUND_ROBIN])
def test_an_entrant_who_never_moves_loses_and_is_paired_no_more(system: System) -> None:
    over = played_out(started(signed_up(system, 7)), no_show)
    own = [pairing for pairing in over.pairings if 3 in pairing.numbers]
    absent = [pairing for pairing in own if pairing.absentee == 3]
    assert len(absent) == 1
    assert over.entrant(3).is_out
    if system is System.SWISS:
        assert own == absent
    else:
        # Every entrant has the same point, without a match.
        assert all(not pairing.is_played for pairing in own)
        assert len(own) == 6
    assert next(place for place in standings(over) if place.entrant.number == 3).halves == 0


def test_an_entrant_who_lost_on_time_after_a_move_did_appear() -> None:
    def slow(tournament: Tournament, pairing: Pairing) -> tuple[Result, int]:
        result, _ = no_show(tournament, pairing)
        return result, 4

    tournament = advance(with_results(started(signed_up(System.SWISS, 6)), slow))
    assert not tournament.entrant(3).is_out


def test_an_entrant_who_left_a_swiss_can_come_back_for_the_next_round() -> None:
    tournament = started(signed_up(System.SWISS, 6)).leave(Seat("P3", 3))
    second = advance(with_results(tournament, by_lot(2)))
    assert 3 not in {number for pairing in second.of_round(2) for number in pairing.numbers}
    third = advance(with_results(second.join(Seat("P3", 3), NOW), by_lot(2)))
    assert 3 in {number for pairing in third.of_round(3) for number in pairing.numbers}


def test_an_entrant_who_left_an_elimination_stays_out_and_the_opponent_advances() -> None:
    tournament = with_results(started(signed_up(System.KNOCKOUT, 4)), better_seed_wins).leave(Seat("P1", 1))
    final = advance(tournament)
    assert [(pairing.first, pairing.second, pairing.given) for pairing in final.of_round(2)] == [
        (2, 1, Player.FIRST)
    ]
    with pytest.raises(SetupError, match="tournament_no_return"):
        final.join(Seat("P1", 1), NOW)
    over = advance(final)
    assert over.stage is Stage.OVER
    assert standings(over)[0].entrant.number == 2


@pytest.mark.parametrize("system", list(System))
def test_a_tournament_ends_when_one_entrant_is_left(system: System) -> None:
    tournament = started(signed_up(system, 5))
    for number in range(1, 5):
        tournament = tournament.leave(tournament.entrant(number).seat)
    over = played_out(tournament, better_seed_wins)
    assert over.stage is Stage.OVER


def test_signing_up_ends_at_its_time() -> None:
    tournament = signed_up(System.SWISS, 3)
    assert (
        tournament.join(Seat("x", 99), tournament.closes_at - timedelta(seconds=1)).entrants[-1].number == 4
    )
