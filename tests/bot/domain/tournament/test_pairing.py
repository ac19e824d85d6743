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
def test_in_a_round_robin_all_meet_once_and_play_once_a_round(entrants: int) -> None:
    order = list(range(1, entrants + 1))
    rounds = [berger_round(order, index) for index in range(berger_rounds(entrants))]
    for pairs in rounds:
        assert sorted(number for pair in pairs for number in pair if number is not None) == order
    met = Counter(frozenset(pair) for pairs in rounds for pair in pairs if None not in pair)
    assert met == Counter(frozenset(pair) for pair in combinations(order, 2))
    byes = Counter(first for pairs in rounds for first, second in pairs if second is None)
    assert set(byes.values()) <= {1}


@pytest.mark.parametrize("entrants", range(2, 17))
def test_in_a_round_robin_each_entrant_begins_about_half_of_the_matches(entrants: int) -> None:
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


@pytest.mark.slow
@given(st.integers(3, 20), st.integers(0, 10_000), st.data())
def test_no_two_meet_twice_and_none_has_two_byes_in_a_swiss_of_up_to_half_its_size(
    entrants: int, seed: int, data: st.DataObject
) -> None:
    # While fewer than half of the others were met, a round without a repetition always exists (Dirac).
    rounds = data.draw(st.integers(1, max(1, (entrants + 1) // 2)))
    played, players = _evening(entrants, rounds, seed)
    for pairs in played:
        paired = sorted(number for pair in pairs for number in pair if number is not None)
        assert paired == list(range(1, entrants + 1))
    for player in players:
        assert max(Counter(player.met).values(), default=0) <= 1
        assert player.byes <= 1


@pytest.mark.slow
@given(st.integers(4, 20), st.integers(0, 10_000))
def test_in_a_swiss_of_the_usual_length_sides_are_balanced(entrants: int, seed: int) -> None:
    _, players = _evening(entrants, max(3, (entrants - 1).bit_length()), seed)
    for player in players:
        assert abs(player.balance) <= 2
        text = "".join("+" if begins else "-" for begins in player.sides)
        assert "++++" not in text
        assert "----" not in text


@pytest.mark.slow
@given(st.integers(2, 12), st.integers(0, 10_000))
def test_a_swiss_goes_on_when_all_have_met(entrants: int, seed: int) -> None:
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


def test_an_entrant_that_began_twice_in_a_row_does_not_begin_again() -> None:
    pairs = swiss_round([SwissPlayer(1, 4, (8, 9), (True, True)), SwissPlayer(2, 4, (6, 7), (True, False))])
    assert pairs == ((2, 1),)


def test_two_that_both_must_change_sides_meet_others_even_of_fewer_points() -> None:
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


def test_six_players_begin_by_turns_as_they_go_round_the_circle() -> None:
    order = [1, 2, 3, 4, 5, 6]
    first_turn = [
        ((1, 6), (2, 5), (4, 3)),
        ((6, 2), (3, 1), (5, 4)),
        ((3, 6), (4, 2), (1, 5)),
        ((6, 4), (5, 3), (2, 1)),
        ((5, 6), (1, 4), (3, 2)),
    ]
    assert [berger_round(order, index) for index in range(5)] == first_turn
    swapped = [tuple((second, first) for first, second in pairs) for pairs in first_turn]
    assert [berger_round(order, index) for index in range(5, 10)] == swapped
    assert [berger_round(order, index) for index in range(10, 15)] == first_turn


@pytest.mark.parametrize(
    ("sides", "balance", "must", "wish"),
    [
        ("", 0, None, None),
        ("B", 1, None, False),
        ("W", -1, None, True),
        ("BW", 0, None, True),
        ("WB", 0, None, False),
        ("BB", 2, False, False),
        ("WW", -2, True, True),
        ("BWB", 1, None, False),
        ("WBW", -1, None, True),
        # Twice in a row, however the balance stands.
        ("WWBB", 0, False, False),
        ("BBWW", 0, True, True),
        ("WBB", 1, False, False),
        ("BWW", -1, True, True),
        # Two too many, however the last ones went.
        ("BBBW", 2, False, False),
        ("WWWB", -2, True, True),
        # Of what is long past only the balance counts.
        ("BBWB", 2, False, False),
        ("BBWWB", 1, None, False),
        ("BWWB", 0, None, False),
        ("WBBW", 0, None, True),
    ],
)
def test_the_side_that_an_entrant_must_or_should_have(
    sides: str, balance: int, must: bool | None, wish: bool | None
) -> None:
    player = SwissPlayer(1, sides=tuple(side == "B" for side in sides))
    assert (player.balance, player.must, player.wish) == (balance, must, wish)


@pytest.mark.parametrize(
    ("one", "other", "begins"),
    [
        ("", "", 1),
        ("B", "", 2),
        ("", "B", 1),
        ("W", "", 1),
        ("", "W", 2),
        # The one that must begin, although the other has begun less often.
        ("BB", "B", 2),
        ("WWBB", "BW", 2),
        ("BW", "WWBB", 1),
        ("BBWW", "BW", 1),
        ("BW", "BBWW", 2),
        # Both must have the same side: the one that began less often, else the higher in the ranking.
        ("WW", "WWW", 2),
        ("WWW", "WW", 1),
        ("WW", "WW", 1),
        ("BB", "BBB", 1),
        ("BBB", "BB", 2),
        ("BB", "BB", 1),
        # Equally often: the one that did not begin last, and the higher in the ranking first.
        ("BW", "WB", 1),
        ("WB", "BW", 2),
        ("WB", "WB", 2),
        ("BW", "BW", 1),
        ("WB", "", 2),
        ("", "WB", 1),
        ("BW", "", 1),
        ("", "BW", 2),
    ],
)
def test_the_side_that_begins_by_duty_balance_and_wish(one: str, other: str, begins: int) -> None:
    players = [
        SwissPlayer(number, sides=tuple(side == "B" for side in sides))
        for number, sides in ((1, one), (2, other))
    ]
    assert swiss_round(players) == ((begins, 3 - begins),)


def meetings(*players: SwissPlayer) -> set[frozenset[int | None]]:
    return {frozenset(pair) for pair in swiss_round(players)}


def pairs(*numbers: tuple[int, int | None]) -> set[frozenset[int | None]]:
    return {frozenset(pair) for pair in numbers}


def test_in_the_first_round_the_upper_half_meets_the_lower_in_order_and_begins_at_odd_tables() -> None:
    assert swiss_round([SwissPlayer(number) for number in range(1, 9)]) == ((1, 5), (6, 2), (3, 7), (8, 4))
    assert swiss_round([SwissPlayer(number) for number in range(1, 6)]) == ((1, 3), (4, 2), (5, None))


def test_whoever_is_left_over_among_equals_meets_the_best_of_the_next_below() -> None:
    above, below = (
        [SwissPlayer(n, halves=4) for n in (1, 2, 3)],
        [SwissPlayer(n, halves=2) for n in (4, 5, 6)],
    )
    assert meetings(*above, *below) == pairs((1, 2), (3, 4), (5, 6))


def test_two_small_steps_down_are_better_than_a_deep_one() -> None:
    players = [SwissPlayer(number, halves=halves) for number, halves in enumerate((6, 4, 2, 0), start=1)]
    assert meetings(*players) == pairs((1, 2), (3, 4))
    met = [replace(player, met=(other,)) for player, other in zip(players, (2, 1, 4, 3), strict=True)]
    assert meetings(*met) == pairs((1, 3), (2, 4)), "rather than from the top to the bottom"


def test_the_bye_goes_to_the_lowest_with_the_fewest_points_and_no_entrant_twice() -> None:
    players = [SwissPlayer(1, 2), SwissPlayer(2, 2), SwissPlayer(3), SwissPlayer(4), SwissPlayer(5)]
    assert meetings(*players) == pairs((1, 2), (3, 4), (5, None))
    had_one = [*players[:4], replace(players[4], byes=1)]
    assert frozenset({4, None}) in meetings(*had_one)
    assert frozenset({1, None}) in meetings(*(replace(p, byes=int(p.number > 1)) for p in players))


def test_no_two_meet_again_while_another_opponent_is_left() -> None:
    one, two = SwissPlayer(1, 4, met=(2,)), SwissPlayer(2, 4, met=(1,))
    assert meetings(one, two, SwissPlayer(3), SwissPlayer(4)) == pairs((1, 3), (2, 4))
    assert meetings(one, two) == pairs((1, 2))


def test_wishes_for_a_side_go_before_the_order_and_after_the_points() -> None:
    def player(number: int, halves: int, *sides: bool) -> SwissPlayer:
        return SwissPlayer(number, halves, sides=sides)

    # In order 1 would meet 3 and 2 meet 4, but 1 and 3 want the same side.
    began, did_not = (True,), (False,)
    four = [player(1, 2, *began), player(2, 2, *did_not), player(3, 2, *began), player(4, 2, *did_not)]
    assert meetings(*four) == pairs((1, 4), (2, 3))
    # A player without a wish never clashes.
    assert meetings(player(1, 2), player(2, 2, *began), player(3, 2), player(4, 2, *did_not)) == pairs(
        (1, 3), (2, 4)
    )
    # Points go before wishes …
    assert meetings(
        player(1, 4, *began), player(2, 4, *began), player(3, 0, *did_not), player(4, 0)
    ) == pairs((1, 2), (3, 4))
    # … and what must be goes before points.
    always = (True, True)
    assert meetings(player(1, 4, *always), player(2, 4, *always), player(3, 0), player(4, 0)) == pairs(
        (1, 3), (2, 4)
    )
