"""Standings against figures worked out by hand, and against a calculation of another make."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.result import End, Result
from bot.domain.tournament.model import Pairing, System, Tournament
from bot.domain.tournament.standings import TIE_BREAKS, TieBreak, champions, standings
from engine.core import Player
from tests.bot.domain.tournament.playing import by_lot, played_out, signed_up, started

Crosstable = dict[int, list[tuple[int | None, Fraction, bool]]]
"""Each entrant's rounds: opponent, points, whether it was played."""


def crosstable(pairings: Iterable[Pairing]) -> Crosstable:
    """From the raw pairings, by another way than the code's."""
    table: Crosstable = {}
    for pairing in pairings:
        if pairing.second is None:
            table.setdefault(pairing.first, []).append((None, Fraction(1), False))
            continue
        if pairing.given is not None:
            won, is_played = int(pairing.given == 0), False
            points = Fraction(won)
        else:
            result = pairing.result
            assert result is not None
            points = Fraction(1, 2) if result.winner is None else Fraction(int(result.winner == 0))
            late = None if result.end is not End.TIME else 1 - int(result.winner or 0)
            is_played = late is None or pairing.turn > late
        table.setdefault(pairing.first, []).append((pairing.second, points, is_played))
        table.setdefault(pairing.second, []).append((pairing.first, 1 - points, is_played))
    return table


def separately(tournament: Tournament) -> list[tuple[int, Fraction, list[Fraction]]]:
    """(number, points, tie-breaks) in the order of the places, for Swiss and round robin."""
    table = crosstable(tournament.pairings)
    points = {entrant.number: Fraction(0) for entrant in tournament.entrants}
    for number, rounds in table.items():
        points[number] = sum((part for _, part, _ in rounds), Fraction(0))
    rows = []
    for number, total in points.items():
        buchholz, berger, wins = Fraction(0), Fraction(0), 0
        for opponent, part, is_played in table.get(number, []):
            is_own = opponent is None or (tournament.system is System.SWISS and not is_played)
            against = total if is_own or opponent is None else points[opponent]
            buchholz += against
            berger += against * part
            wins += is_played and part == 1
        breaks = [berger, Fraction(wins)]
        rows.append((number, total, [buchholz, *breaks] if tournament.system is System.SWISS else breaks))
    seeds = {entrant.number: entrant.seed or 0 for entrant in tournament.entrants}
    rows.sort(key=lambda row: (-row[1], [-part for part in row[2]], seeds[row[0]]))
    return rows


@pytest.mark.slow
@given(st.sampled_from([System.SWISS, System.ROUND_ROBIN]), st.integers(3, 12), st.integers(0, 10_000))
def test_standings_agree_with_a_separate_calculation(system: System, entrants: int, seed: int) -> None:
    over = played_out(started(signed_up(system, entrants)), by_lot(seed))
    found = [
        (place.entrant.number, Fraction(place.halves, 2), [Fraction(part) for part in place.tie_breaks])
        for place in standings(over)
    ]
    assert found == separately(over)


def pairing(number: int, table: int, first: int, second: int | None, winner: int | None) -> Pairing:
    result = Result(None if winner is None else Player(winner), End.LINE)
    if second is None:
        return Pairing(number, table, first, None, given=Player.FIRST)
    return Pairing(number, table, first, second, match_id=10 * number + table, result=result, turn=7)


def three_rounds() -> Tournament:
    """Five in three rounds of Swiss, worked out by hand below."""
    seeds = {number: number for number in range(1, 6)}
    return replace(
        signed_up(System.SWISS, 5).start(seeds),
        rounds=3,
        pairings=(
            pairing(1, 1, 1, 3, 0), pairing(1, 2, 4, 2, 1), pairing(1, 3, 5, None, None),
            pairing(2, 1, 2, 1, 1), pairing(2, 2, 5, 3, None), pairing(2, 3, 4, None, None),
            pairing(3, 1, 1, 5, 0), pairing(3, 2, 2, 4, None), pairing(3, 3, 3, None, None),
        ),
    )  # fmt: skip


def test_five_in_three_rounds_as_worked_out_by_hand() -> None:
    """Points: 1 has 3, 2, 3, 4 and 5 have 1½ each.

    Buchholz: 1 met 3, 2 and 5: 4½. 2 met 4, 1, 4: 1½ + 3 + 1½ = 6. 3 met 1, 5 and rested: 3 + 1½ + 1½ = 6.
    4 met 2, rested, 2: 4½. 5 rested, met 3 and 1: 1½ + 1½ + 3 = 6.
    Sonneborn-Berger: 2 beat 4 and drew with 4: 2¼. 3 drew with 5 and rested: ¾ + 1½ = 2¼. 5 rested and drew
    with 3: 2¼. 4 rested and drew with 2: 2¼. Wins: 2 has one, 3 and 5 none.
    """
    places = standings(three_rounds())
    assert [(place.rank, place.entrant.number, place.points, place.tie_breaks) for place in places] == [
        (1, 1, 3.0, (4.5, 4.5, 3.0)),
        (2, 2, 1.5, (6.0, 2.25, 1.0)),
        (3, 3, 1.5, (6.0, 2.25, 0.0)),
        (3, 5, 1.5, (6.0, 2.25, 0.0)),
        (5, 4, 1.5, (4.5, 2.25, 0.0)),
    ]


def test_wins_draws_and_losses_are_of_matches_that_were_played() -> None:
    third = standings(three_rounds())[2]
    assert (third.wins, third.draws, third.losses) == (0, 1, 1)
    assert [outcome.opponent for outcome in third.outcomes] == [1, 5, None]


def test_a_tournament_without_a_won_match_has_no_champion() -> None:
    begun = replace(signed_up(System.SWISS, 3).start({1: 1, 2: 2, 3: 3}), rounds=2)
    late = Result(Player.FIRST, End.TIME)
    idle = replace(
        begun,
        pairings=(
            pairing(1, 1, 1, 2, None), pairing(1, 2, 3, None, None),
            Pairing(2, 1, 1, 2, match_id=9, result=late, turn=1), pairing(2, 2, 3, None, None),
        ),
    )  # fmt: skip
    assert [place.rank for place in standings(idle)] != [1, 1, 1]
    assert champions(idle) == ()
    assert [entrant.number for entrant in champions(three_rounds())] == [1]


@pytest.mark.parametrize("system", list(System))
def test_before_the_first_result_all_are_equal(system: System) -> None:
    places = standings(started(signed_up(system, 4)))
    assert {place.rank for place in places} == {1}


def test_stored_words_and_the_order_of_tie_breaks_stay_as_they_are() -> None:
    assert [rule.value for rule in TieBreak] == ["buchholz", "sonneborn-berger", "wins"]
    assert {system: [rule.value for rule in TIE_BREAKS[system]] for system in System} == {
        System.SWISS: ["buchholz", "sonneborn-berger", "wins"],
        System.ROUND_ROBIN: ["sonneborn-berger", "wins"],
        System.KNOCKOUT: [],
    }


def test_every_place_has_its_wins_draws_and_losses_by_round() -> None:
    found = {place.entrant.number: place for place in standings(three_rounds())}
    counted = {number: (place.wins, place.draws, place.losses) for number, place in found.items()}
    assert counted == {1: (3, 0, 0), 2: (1, 1, 1), 3: (0, 1, 1), 4: (0, 1, 1), 5: (0, 1, 1)}
    assert [(own.round, own.opponent, own.halves, own.is_played) for own in found[2].outcomes] == [
        (1, 4, 2, True), (2, 1, 0, True), (3, 4, 1, True),
    ]  # fmt: skip


def test_in_an_elimination_every_tie_won_is_a_point_and_a_replay_is_none() -> None:
    seeds = {number: number for number in range(1, 5)}
    drawn = replace(pairing(1, 2, 2, 3, None))
    tournament = replace(
        signed_up(System.KNOCKOUT, 4).start(seeds),
        rounds=2,
        pairings=(
            pairing(1, 1, 1, 4, 0), drawn, replace(pairing(1, 2, 3, 2, 0), game=2), pairing(2, 1, 1, 3, 1),
        ),
    )  # fmt: skip
    places = [(place.rank, place.entrant.number, place.points) for place in standings(tournament)]
    assert places == [(1, 3, 2.0), (2, 1, 1.0), (3, 2, 0.0), (3, 4, 0.0)]
    second = next(place for place in standings(tournament) if place.entrant.number == 2)
    assert [own.halves for own in second.outcomes] == [1, 0]


def test_a_round_robin_counts_unplayed_rounds_as_they_stand() -> None:
    """Only a Swiss puts oneself in the place of an opponent who was not met."""
    seeds = {number: number for number in range(1, 4)}
    walkover = Pairing(1, 1, 1, 2, given=Player.FIRST)
    tournament = replace(
        signed_up(System.ROUND_ROBIN, 3).start(seeds),
        rounds=3,
        pairings=(walkover, pairing(2, 1, 2, 3, 0), pairing(3, 1, 3, 1, None)),
    )
    found = {place.entrant.number: place.tie_breaks for place in standings(tournament)}
    # 1 has 1½ points, 2 has 1, 3 has ½. 1: all of 2's and half of 3's points; 2: all of 3's; 3: half of 1's.
    assert found == {1: (1.25, 0.0), 2: (0.5, 1.0), 3: (0.75, 0.0)}


def test_in_a_swiss_an_unplayed_round_counts_as_one_against_oneself() -> None:
    seeds = {number: number for number in range(1, 4)}
    walkover = Pairing(1, 1, 1, 2, given=Player.FIRST)
    tournament = replace(
        signed_up(System.SWISS, 3).start(seeds),
        rounds=3,
        pairings=(walkover, pairing(2, 1, 2, 3, 0), pairing(3, 1, 3, 1, 1)),
    )
    found = {place.entrant.number: place for place in standings(tournament)}
    # 1 has 2 points, 2 has 1, 3 has none. Buchholz, Sonneborn-Berger, wins.
    assert {number: place.tie_breaks for number, place in found.items()} == {
        1: (2.0, 2.0, 1.0),
        2: (1.0, 0.0, 1.0),
        3: (3.0, 0.0, 0.0),
    }
    assert {number: place.losses for number, place in found.items()} == {1: 0, 2: 0, 3: 2}
