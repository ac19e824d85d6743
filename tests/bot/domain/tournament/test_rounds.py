"""The next step of a tournament, pairing by pairing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.domain.location import Channel
from bot.domain.names import clean
from bot.domain.result import End, Result
from bot.domain.seat import Seat
from bot.domain.tournament.model import Pairing, Stage, System, Tournament
from bot.domain.tournament.rounds import advance, rounds_of, tie_winner
from engine.core import Player
from tests.bot.domain.tournament.playing import better_seed_wins, played_out

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
FIRST, SECOND = Player


def begun(system: System, entrants: int, *, rounds: int = 0, is_twice: bool = False) -> Tournament:
    """Number 1 is the best seed, and so on; nothing is paired yet."""
    tournament = Tournament(
        1, clean("Spring"), 1, "tic-tac-toe", "3x3", system, Channel(10), NOW, NOW + timedelta(hours=1), 60,
        rounds=rounds, is_twice=is_twice,
    )  # fmt: skip
    for number in range(1, entrants + 1):
        tournament = tournament.join(Seat(f"P{number}", number), NOW)
    return tournament.start({number: number for number in range(1, entrants + 1)})


def out(tournament: Tournament, *numbers: int) -> Tournament:
    for number in numbers:
        tournament = tournament.leave(tournament.entrant(number).seat)
    return tournament


def ended(tournament: Tournament, *winners: Player | None) -> Tournament:
    """The matches that run, ended in the order in which they were paired."""
    results, pairings = iter(winners), []
    for pairing in tournament.pairings:
        if pairing.is_settled:
            pairings.append(pairing)
        else:
            pairings.append(replace(pairing, result=Result(next(results), End.LINE), turn=5, match_id=1))
    assert next(results, "none left") == "none left"
    return replace(tournament, pairings=tuple(pairings))


def tables(tournament: Tournament, number: int) -> list[tuple[int, int, int | None, Player | None, int]]:
    return [
        (pairing.table, pairing.first, pairing.second, pairing.given, pairing.game)
        for pairing in tournament.of_round(number)
    ]


@pytest.mark.parametrize(
    ("system", "entrants", "rounds"),
    [(System.SWISS, 5, 3), (System.SWISS, 8, 3), (System.SWISS, 9, 4), (System.KNOCKOUT, 9, 4)],
)
def test_the_number_of_rounds_is_fixed_when_it_begins(system: System, entrants: int, rounds: int) -> None:
    assert advance(begun(system, entrants)).rounds == rounds


def test_before_the_first_entrant_there_are_rounds_for_three() -> None:
    empty = replace(begun(System.ROUND_ROBIN, 3), entrants=())
    assert rounds_of(empty) == 3
    assert rounds_of(replace(empty, is_twice=True)) == 6
    assert rounds_of(replace(empty, system=System.KNOCKOUT)) == 2
    assert rounds_of(replace(empty, system=System.SWISS, rounds=1)) == 1


def test_the_first_round_of_a_swiss_has_a_bye_for_the_last_seed() -> None:
    tournament = advance(begun(System.SWISS, 5))
    assert tables(tournament, 1) == [(1, 1, 3, None, 1), (2, 4, 2, None, 1), (3, 5, None, FIRST, 1)]


def test_a_swiss_pairs_by_points_sides_and_byes_so_far() -> None:
    second = advance(ended(advance(begun(System.SWISS, 5)), FIRST, SECOND))
    # 1, 2 and 5 have a point, 3 and 4 none; 5 had the bye, 1 and 4 began.
    assert tables(second, 2) == [(1, 2, 1, None, 1), (2, 3, 5, None, 1), (3, 4, None, FIRST, 1)]


def test_a_point_without_a_match_is_a_bye_and_no_side() -> None:
    """Number 4 leaves before the second round, in which they were not paired; 2 had a walkover."""
    tournament = advance(begun(System.SWISS, 4))
    walkover = replace(tournament.pairings[1], given=SECOND)
    tournament = replace(tournament, pairings=(tournament.pairings[0], walkover))
    second = advance(out(ended(tournament, FIRST), 4))
    assert tables(second, 2) == [(1, 2, 1, None, 1), (2, 3, None, FIRST, 1)]


def test_entrants_who_left_a_swiss_are_not_paired_and_it_ends_with_one_left() -> None:
    first = ended(advance(begun(System.SWISS, 4)), FIRST, FIRST)
    seated = tables(advance(out(first, 1)), 2)
    assert {number for _, one, other, _, _ in seated for number in (one, other)} == {2, 3, 4, None}
    assert advance(out(first, 1, 2)).stage is Stage.RUNNING
    assert advance(out(first, 1, 2, 3)).stage is Stage.OVER


def test_a_round_robin_gives_a_point_for_an_absent_opponent_and_none_for_a_bye() -> None:
    tournament = out(begun(System.ROUND_ROBIN, 4), 4)
    assert tables(advance(tournament), 1) == [(1, 1, 4, FIRST, 1), (2, 2, 3, None, 1)]
    assert tables(advance(out(tournament, 1)), 1) == [(1, 2, 3, None, 1)], "no pairing if both have left"
    three = advance(begun(System.ROUND_ROBIN, 3))
    assert [len(three.of_round(1)), tables(three, 1)[0][2] is None] == [1, False]


def test_a_round_of_a_round_robin_without_players_is_skipped() -> None:
    tournament = advance(begun(System.ROUND_ROBIN, 3))
    (pairing,) = tournament.pairings
    resting = {1, 2, 3} - set(pairing.numbers)
    over = advance(out(ended(tournament, FIRST), *pairing.numbers))
    assert all(resting <= set(found.numbers) for found in over.pairings[1:])
    assert [found.given is not None for found in over.pairings[1:]] == [True] * len(over.pairings[1:])


def test_a_bracket_with_empty_slots_lets_the_best_go_on() -> None:
    tournament = advance(begun(System.KNOCKOUT, 5))
    assert tables(tournament, 1) == [
        (1, 1, None, FIRST, 1), (2, 5, 4, None, 1), (3, 2, None, FIRST, 1), (4, 3, None, FIRST, 1),
    ]  # fmt: skip
    second = advance(ended(tournament, FIRST))
    assert tables(second, 2) == [(1, 5, 1, None, 1), (2, 3, 2, None, 1)]
    final = advance(ended(second, SECOND, FIRST))
    assert tables(final, 3) == [(1, 3, 1, None, 1)]
    over = advance(ended(final, FIRST))
    assert (over.stage, over.round) == (Stage.OVER, 3)


def test_only_drawn_ties_are_replayed_and_only_once() -> None:
    tournament = ended(advance(begun(System.KNOCKOUT, 6)), None, FIRST)
    replayed = advance(tournament)
    assert tables(replayed, 1)[4:] == [(2, 4, 5, None, 2)]
    assert advance(replayed) is replayed
    again = ended(replayed, None)
    assert tie_winner(again, 1, 2) == 4
    assert tables(advance(again), 2)[0][:3] == (1, 4, 1)


def test_after_a_draw_the_side_that_stays_advances_without_a_replay() -> None:
    """Table 2 is 5 against 4, of whom either leaves."""
    drawn = ended(advance(begun(System.KNOCKOUT, 6)), None, FIRST)
    for leaver, stayer, given in ((5, 4, FIRST), (4, 5, SECOND)):
        walkover = advance(out(drawn, leaver))
        assert tables(walkover, 1)[4:] == [(2, 4, 5, given, 2)]
        assert tie_winner(walkover, 1, 2) == stayer
        assert {1, stayer} in [set(pairing.numbers) for pairing in advance(walkover).of_round(2)]
        assert played_out(walkover, better_seed_wins).stage is Stage.OVER


def test_a_better_seed_who_has_left_does_not_advance_after_two_draws() -> None:
    drawn = ended(advance(ended(advance(begun(System.KNOCKOUT, 6)), None, FIRST)), None)
    assert tables(advance(out(drawn, 5)), 2)[0] == (1, 4, 1, None, 1)
    walkover = advance(out(drawn, 4))
    assert tables(walkover, 1)[5:] == [(2, 5, 4, FIRST, 3)]
    second = advance(walkover)
    assert tables(second, 2)[0] == (1, 5, 1, None, 1)
    assert tie_winner(out(second, 5), 1, 2) == 5, "leaving later changes nothing"
    assert played_out(second, better_seed_wins).stage is Stage.OVER


@pytest.mark.parametrize("draws", [1, 2])
def test_nobody_advances_in_a_drawn_tie_that_both_have_left(draws: int) -> None:
    tournament = ended(advance(begun(System.KNOCKOUT, 6)), None, FIRST)
    if draws == 2:
        tournament = ended(advance(tournament), None)
    second = advance(out(tournament, 4, 5))
    assert len(second.of_round(1)) == 3 + draws
    (own,) = [pairing for pairing in second.of_round(2) if 1 in pairing.numbers]
    assert (own.first, own.given) == (1, FIRST)
    assert played_out(second, better_seed_wins).stage is Stage.OVER


@pytest.mark.parametrize("leavers", [(1,), (2,), (1, 2)])
def test_a_drawn_final_that_somebody_has_left_ends_the_tournament(leavers: tuple[int, ...]) -> None:
    second = advance(ended(advance(begun(System.KNOCKOUT, 4)), SECOND, SECOND))
    assert tables(second, 2) == [(1, 2, 1, None, 1)]
    over = played_out(out(ended(second, None), *leavers), better_seed_wins)
    assert tie_winner(over, 2, 1) == {(1,): 2, (2,): 1, (1, 2): None}[leavers]


def of_round(*pairings: Pairing) -> Tournament:
    return begun(System.KNOCKOUT, 4).paired(pairings)


def played(winner: Player | None, game: int = 1, first: int = 3, second: int = 2) -> Pairing:
    return Pairing(1, 1, first, second, game=game, result=Result(winner, End.LINE), turn=5)


@pytest.mark.parametrize(
    ("pairings", "winner"),
    [
        ([played(FIRST)], 3),
        ([played(SECOND)], 2),
        ([played(None)], None),
        ([played(None), played(SECOND, 2, 2, 3)], 3),
        ([played(SECOND, 2, 2, 3), played(None)], 3),
        ([played(None), played(None, 2, 2, 3)], 2),
        ([Pairing(1, 1, 3, 2)], None),
        ([Pairing(1, 1, 3, None, given=FIRST)], 3),
        ([Pairing(1, 1, 3, None)], None),
        ([Pairing(1, 1, 3, 2, given=SECOND)], 2),
        ([], None),
    ],
)
def test_the_winner_of_a_tie_advances(pairings: Sequence[Pairing], winner: int | None) -> None:
    tournament = of_round(*pairings)
    assert tie_winner(tournament, 1, 1) == winner
    assert tie_winner(tournament, 1, 2) is None
    assert tie_winner(tournament, 2, 1) is None


def test_leaving_an_elimination_lets_the_opponent_advance_and_if_both_leave_none_does() -> None:
    first = ended(advance(begun(System.KNOCKOUT, 4)), FIRST, FIRST)
    finalists = [tie_winner(first, 1, table) for table in (1, 2)]
    one, other = (number for number in finalists if number is not None)
    final = advance(out(first, one))
    assert tables(final, 2) == [(1, other, one, FIRST, 1)]
    assert advance(out(first, one, other)).stage is Stage.OVER


def test_nothing_happens_before_the_start_and_after_the_end() -> None:
    tournament = begun(System.SWISS, 4)
    for stage in (Stage.OPEN, Stage.OVER, Stage.CANCELLED):
        waiting = replace(tournament, stage=stage)
        assert advance(waiting) is waiting


def test_it_ends_after_its_last_round() -> None:
    tournament = advance(begun(System.SWISS, 4, rounds=1))
    over = advance(ended(tournament, FIRST, None))
    assert (over.stage, over.round, over.rounds) == (Stage.OVER, 1, 1)


def test_seeds_decide_and_not_the_order_of_signing_up() -> None:
    tournament = begun(System.KNOCKOUT, 4)
    backwards = tuple(replace(entrant, seed=5 - entrant.number) for entrant in tournament.entrants)
    first = advance(replace(tournament, entrants=backwards))
    assert tables(first, 1) == [(1, 1, 4, None, 1), (2, 2, 3, None, 1)], "the better seed begins the replay"
    replayed = ended(advance(ended(first, None, FIRST)), None)
    assert tie_winner(replayed, 1, 1) == 4
    assert tables(advance(replayed), 2) == [(1, 2, 4, None, 1)]


def test_rounds_of_a_round_robin_follow_one_another() -> None:
    tournament = advance(begun(System.ROUND_ROBIN, 4))
    assert tables(tournament, 1) == [(1, 1, 4, None, 1), (2, 2, 3, None, 1)]
    second = advance(ended(tournament, FIRST, FIRST))
    assert tables(second, 2) == [(1, 4, 2, None, 1), (2, 3, 1, None, 1)]


def test_the_last_two_in_a_swiss_go_on_and_meet_again_if_they_must() -> None:
    first = ended(advance(begun(System.SWISS, 4)), FIRST, FIRST)
    one, other = (first.pairings[0].first, first.pairings[0].second)
    second = advance(out(first, *({1, 2, 3, 4} - {one, other})))
    assert tables(second, 2) == [(1, other, one, None, 1)]


def test_no_entrant_has_two_byes_in_a_swiss_of_three() -> None:
    first = advance(begun(System.SWISS, 3))
    assert tables(first, 1) == [(1, 1, 2, None, 1), (2, 3, None, FIRST, 1)]
    second = advance(ended(first, FIRST))
    assert tables(second, 2)[1] == (2, 2, None, FIRST, 1)
    leader = Player(second.of_round(2)[0].numbers.index(1))
    third = advance(ended(second, leader))
    assert tables(third, 3)[1] == (2, 1, None, FIRST, 1), "the only one who had none, though in the lead"


def test_winners_meet_winners() -> None:
    second = advance(ended(advance(begun(System.SWISS, 6)), FIRST, FIRST, SECOND))
    first = {pairing.numbers for pairing in second.of_round(1)}
    assert first == {(1, 4), (5, 2), (3, 6)}
    met = {frozenset(pairing.numbers) for pairing in second.of_round(2)}
    assert len(met & {frozenset({1, 5}), frozenset({1, 6}), frozenset({5, 6})}) == 1
    assert len(met & {frozenset({2, 3}), frozenset({3, 4}), frozenset({2, 4})}) == 1


def test_seven_in_four_rounds_of_swiss() -> None:
    """The lower number wins, but for 4, who does not appear against 5, and for 6 and 5, who draw."""
    tournament, rounds = advance(begun(System.SWISS, 7, rounds=4)), []
    for _ in range(4):
        rounds.append([pairing.numbers for pairing in tournament.of_round(tournament.round)])
        tournament = replace(
            tournament,
            pairings=tuple(
                replace(pairing, given=SECOND) if pairing.numbers == (4, 5) else pairing
                for pairing in tournament.pairings
            ),
        )
        running = [pairing.numbers for pairing in tournament.pairings if not pairing.is_settled]
        winners = [None if pair == (6, 5) else FIRST if pair[0] < pair[1] else SECOND for pair in running]
        tournament = advance(ended(tournament, *winners))
    assert rounds == [
        [(1, 4), (5, 2), (3, 6), (7,)],
        [(7, 1), (2, 3), (4, 5), (6,)],
        [(1, 2), (3, 7), (6, 5), (4,)],
        [(3, 1), (5, 7), (4, 6), (2,)],  # 5 had a point without a match, and so no bye
    ]
    assert tournament.stage is Stage.OVER


def test_leaving_does_not_change_the_results_of_opponents() -> None:
    first = ended(advance(begun(System.SWISS, 4)), SECOND, FIRST)
    assert {pairing.numbers for pairing in first.pairings} == {(1, 3), (4, 2)}
    assert tables(advance(out(first, 1)), 2) == [(1, 3, 4, None, 1), (2, 2, None, FIRST, 1)]


def test_an_unplayed_tie_does_not_change_the_others() -> None:
    tournament = advance(begun(System.KNOCKOUT, 8))
    winners = [FIRST if pairing.first < (pairing.second or 9) else SECOND for pairing in tournament.pairings]
    second = advance(out(ended(tournament, *winners), 1, 4))
    assert tables(second, 2) == [(2, 3, 2, None, 1)]


def test_the_better_seed_begins_the_replay_also_from_the_lower_half() -> None:
    tournament = advance(begun(System.KNOCKOUT, 4))
    assert [pairing.numbers for pairing in tournament.pairings] == [(4, 1), (3, 2)]
    final = advance(ended(tournament, FIRST, SECOND))
    assert tables(final, 2) == [(1, 4, 2, None, 1)]
    left = ended(tournament, FIRST, SECOND)
    assert tables(advance(out(left, 2)), 2) == [(1, 4, 2, FIRST, 1)]
    assert tables(advance(out(left, 4)), 2) == [(1, 2, 4, FIRST, 1)]


def test_a_win_against_an_entrant_who_left_still_counts_in_the_pairing() -> None:
    first = ended(advance(begun(System.SWISS, 6)), SECOND, FIRST, FIRST)
    assert [pairing.numbers for pairing in first.pairings] == [(1, 4), (5, 2), (3, 6)]
    assert tables(advance(out(first, 1)), 2)[0] == (1, 4, 3, None, 1), "both have won"
