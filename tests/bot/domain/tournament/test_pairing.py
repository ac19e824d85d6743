"""Who meets whom, for every number of entrants and any results."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.tournament.pairing import Pair, SwissPlayer, berger_round, berger_rounds, bracket, swiss_round


def _sides(rounds: list[tuple[Pair, ...]]) -> Counter[int]:
    """How many times oftener each one began than not."""
    found: Counter[int] = Counter()
    for pairs in rounds:
        for first, second in pairs:
            if second is not None:
                found[first] += 1
                found[second] -= 1
    return found


# Round robin


@pytest.mark.parametrize("entrants", range(2, 17))
def test_in_a_round_robin_everybody_meets_everybody_once_and_sits_once_a_round(entrants: int) -> None:
    order = list(range(1, entrants + 1))
    rounds = [berger_round(order, index) for index in range(berger_rounds(entrants))]
    for pairs in rounds:
        assert sorted(number for pair in pairs for number in pair if number is not None) == order
    met = Counter(frozenset(pair) for pairs in rounds for pair in pairs if None not in pair)
    assert met == Counter(frozenset(pair) for pair in combinations(order, 2))
    byes = Counter(first for pairs in rounds for first, second in pairs if second is None)
    assert set(byes.values()) <= {1}


@pytest.mark.parametrize("entrants", range(2, 17))
def test_in_a_round_robin_everybody_begins_about_as_often_as_not(entrants: int) -> None:
    order = list(range(1, entrants + 1))
    once = [berger_round(order, index) for index in range(berger_rounds(entrants))]
    twice = [berger_round(order, index) for index in range(2 * berger_rounds(entrants))]
    assert max(map(abs, _sides(once).values())) <= 1
    assert not any(_sides(twice).values())


def test_four_players_meet_as_in_the_berger_table() -> None:
    """FIDE Handbook C.05, Annex 1, up to the names of the players: 4 always has the fixed place."""
    assert berger_round([1, 2, 3, 4], 0) == ((1, 4), (2, 3))
    assert [{frozenset(pair) for pair in berger_round([1, 2, 3, 4], index)} for index in (1, 2)] == [
        {frozenset({2, 4}), frozenset({1, 3})},
        {frozenset({3, 4}), frozenset({1, 2})},
    ]


# Single elimination


def test_the_best_seeds_meet_as_late_as_can_be() -> None:
    assert bracket([1, 2, 3, 4, 5, 6, 7, 8]) == (1, 8, 4, 5, 2, 7, 3, 6)


@pytest.mark.parametrize("entrants", range(2, 33))
def test_empty_slots_of_a_bracket_stand_beside_the_best_seeds(entrants: int) -> None:
    slots = bracket(list(range(1, entrants + 1)))
    assert sorted(slot for slot in slots if slot) == list(range(1, entrants + 1))
    alone = {one or other for one, other in zip(slots[::2], slots[1::2], strict=True) if not (one and other)}
    assert alone == set(range(1, len(slots) - entrants + 1))


# Swiss


def _evening(entrants: int, rounds: int, seed: int) -> tuple[list[tuple[Pair, ...]], list[SwissPlayer]]:
    """A whole Swiss tournament with results by lot."""
    rng = Random(seed)
    players = {number: SwissPlayer(number) for number in range(1, entrants + 1)}
    played = []
    for _ in range(rounds):
        pairs = swiss_round(list(players.values()))
        played.append(pairs)
        for first, second in pairs:
            if second is None:
                lucky = players[first]
                players[first] = replace(lucky, halves=lucky.halves + 2, byes=lucky.byes + 1)
                continue
            won = rng.choice((0, 1, 2))
            for me, other, halves, begins in ((first, second, won, True), (second, first, 2 - won, False)):
                before = players[me]
                players[me] = replace(
                    before,
                    halves=before.halves + halves,
                    met=(*before.met, other),
                    sides=(*before.sides, begins),
                )
    return played, list(players.values())


@given(st.integers(3, 20), st.integers(0, 10_000), st.data())
def test_nobody_meets_twice_or_has_two_byes_in_a_swiss_of_up_to_half_its_size(
    entrants: int, seed: int, data: st.DataObject
) -> None:
    # While fewer than half of the others were met, a round without a repetition always exists (Dirac).
    rounds = data.draw(st.integers(1, max(1, (entrants + 1) // 2)))
    played, players = _evening(entrants, rounds, seed)
    for pairs in played:
        everybody = sorted(number for pair in pairs for number in pair if number is not None)
        assert everybody == list(range(1, entrants + 1))
    for player in players:
        assert max(Counter(player.met).values(), default=0) <= 1
        assert player.byes <= 1


@given(st.integers(4, 20), st.integers(0, 10_000))
def test_in_a_swiss_of_the_usual_length_sides_are_balanced(entrants: int, seed: int) -> None:
    _, players = _evening(entrants, max(3, (entrants - 1).bit_length()), seed)
    for player in players:
        assert abs(player.balance) <= 2
        text = "".join("+" if begins else "-" for begins in player.sides)
        assert "++++" not in text
        assert "----" not in text


@given(st.integers(2, 12), st.integers(0, 10_000))
def test_a_swiss_goes_on_when_everybody_has_met(entrants: int, seed: int) -> None:
    played, players = _evening(entrants, entrants + 2, seed)
    assert all(len(pairs) == (entrants + 1) // 2 for pairs in played)
    byes = [player.byes for player in players]
    assert max(byes) - min(byes) <= 2 if entrants % 2 else max(byes) == 0


def test_the_first_swiss_round_pairs_the_upper_half_with_the_lower() -> None:
    pairs = swiss_round([SwissPlayer(number) for number in range(1, 9)])
    assert pairs == ((1, 5), (6, 2), (3, 7), (8, 4))


def test_equal_points_meet_and_the_last_without_a_bye_rests() -> None:
    players = [
        SwissPlayer(1, 4, (3, 5), (True, False)),
        SwissPlayer(2, 4, (4, 5), (False, True)),
        SwissPlayer(3, 2, (1,), (False,), byes=1),
        SwissPlayer(4, 0, (2,), (True,)),
        SwissPlayer(5, 0, (1, 2), (True, False)),
    ]
    pairs = swiss_round(players)
    assert {1, 2} in [set(pair) for pair in pairs]
    assert pairs[-1] == (5, None)
    assert {3, 4} in [set(pair) for pair in pairs]


def test_who_began_twice_in_a_row_does_not_begin_again() -> None:
    pairs = swiss_round([SwissPlayer(1, 4, (8, 9), (True, True)), SwissPlayer(2, 4, (6, 7), (True, False))])
    assert pairs == ((2, 1),)


def test_two_who_both_must_change_sides_meet_others_even_of_fewer_points() -> None:
    always, never = (True, True), (False, False)
    players = [
        SwissPlayer(1, 4, (8, 9), always),
        SwissPlayer(2, 4, (6, 7), always),
        SwissPlayer(3, 2, (6, 9), never),
        SwissPlayer(4, 2, (7, 8), never),
    ]
    assert {first for first, _ in swiss_round(players)} == {3, 4}


def test_the_bye_of_the_first_round_goes_to_the_last_seed() -> None:
    pairs = swiss_round([SwissPlayer(number) for number in range(1, 6)])
    assert pairs == ((1, 3), (4, 2), (5, None))
