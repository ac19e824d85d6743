"""A tournament as a value: points of pairings, permissions, and the result of each change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.domain.errors import SetupError
from bot.domain.location import Channel
from bot.domain.match import Forfeits
from bot.domain.names import clean
from bot.domain.result import End, Result
from bot.domain.seat import Seat
from bot.domain.terms import Fair
from bot.domain.tournament.model import ANNOUNCED_ALL, Entrant, Pairing, Stage, System, Tournament
from engine.core import Player
from engine.games.openings import balanced_openings

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
CLOSES = NOW + timedelta(hours=1)
HERE = Channel(10, 20, 30)
ADA, BEN, PIP = Seat("Ada", 1), Seat("Ben", 2), Seat("Pip", level="pip")
BO = Seat("Bo", level="bo")
SWISS = Tournament(7, clean("Spring"), 9, "tic-tac-toe", "3x3", System.SWISS, HERE, NOW, CLOSES, 3600)


def of(*seats: Seat, system: System = System.SWISS) -> Tournament:
    tournament = replace(SWISS, system=system)
    for seat in seats:
        tournament = tournament.join(seat, NOW)
    return tournament


def running(*seats: Seat, system: System = System.SWISS) -> Tournament:
    """Seeded in the opposite order of signing up."""
    tournament = of(*seats, system=system)
    return tournament.start(
        {entrant.number: len(seats) + 1 - entrant.number for entrant in tournament.entrants}
    )


def refusal(action: Callable[[], object]) -> tuple[str, dict[str, str | int]]:
    with pytest.raises(SetupError) as caught:
        action()
    return caught.value.key, caught.value.params


def test_stored_words_and_numbers_stay_as_they_are() -> None:
    assert [system.value for system in System] == ["swiss", "round-robin", "knockout"]
    assert [stage.value for stage in Stage] == ["open", "running", "over", "cancelled"]
    assert ANNOUNCED_ALL == -1
    assert [replace(SWISS, system=system).most for system in System] == [32, 16, 32]


def test_defaults_of_a_tournament_an_entrant_and_a_pairing() -> None:
    assert (SWISS.rounds, SWISS.is_twice, SWISS.rated, SWISS.stage) == (0, False, True, Stage.OPEN)
    assert (SWISS.entrants, SWISS.pairings, SWISS.announced, SWISS.version) == ((), (), 0, 0)
    assert SWISS.rated is True
    assert SWISS.is_twice is False
    newcomer = Entrant(1, ADA)
    assert (newcomer.seed, newcomer.is_out) == (None, False)
    assert newcomer.is_out is False
    pairing = Pairing(1, 2, 3, 4)
    assert (pairing.game, pairing.given, pairing.match_id, pairing.message_id) == (1, None, None, None)
    assert (pairing.result, pairing.turn) == (None, 0)


# Pairings

PLAYED = Pairing(1, 1, 5, 6, match_id=1, result=Result(Player.FIRST, End.LINE), turn=5)
BYE = Pairing(1, 1, 5, None, given=Player.FIRST)


def on_time(winner: Player | None, turn: int) -> Pairing:
    return replace(PLAYED, result=Result(winner, End.TIME), turn=turn)


@pytest.mark.parametrize(
    ("pairing", "halves", "is_played"),
    [
        (PLAYED, (2, 0), True),
        (replace(PLAYED, result=Result(Player.SECOND, End.LINE)), (0, 2), True),
        (replace(PLAYED, result=Result(None, End.BOARD_FULL)), (1, 1), True),
        (replace(PLAYED, result=None), None, True),
        (BYE, (2, 0), False),
        (Pairing(1, 1, 5, 6, given=Player.SECOND), (0, 2), False),
    ],
)
def test_half_points_of_a_pairing(pairing: Pairing, halves: tuple[int, int] | None, is_played: bool) -> None:
    assert pairing.halves == halves
    assert pairing.is_settled is (halves is not None)
    assert pairing.is_played is is_played


@pytest.mark.parametrize(
    ("pairing", "absentee"),
    [
        (on_time(Player.SECOND, 0), 5),
        (on_time(Player.SECOND, 1), None),
        (on_time(Player.FIRST, 1), 6),
        (on_time(Player.FIRST, 0), 6),
        (on_time(Player.FIRST, 2), None),
        (on_time(None, 0), None),
        (replace(PLAYED, result=Result(Player.SECOND, End.RESIGNATION), turn=0), None),
        (replace(PLAYED, result=None, turn=0), None),
        (BYE, None),
    ],
)
def test_an_entrant_who_lost_on_time_before_the_first_move_did_not_appear(
    pairing: Pairing, absentee: int | None
) -> None:
    assert pairing.absentee == absentee
    assert pairing.is_played is (absentee is None and pairing is not BYE)


def test_a_pairing_names_its_entrants_by_side() -> None:
    assert (PLAYED.numbers, BYE.numbers) == ((5, 6), (5,))
    assert [PLAYED.of(player) for player in Player] == [5, 6]
    assert BYE.of(Player.SECOND) is None


# Signing up


def test_an_entrant_is_found_by_number_and_by_person() -> None:
    tournament = of(ADA, PIP, BEN)
    assert [entrant.number for entrant in tournament.entrants] == [1, 2, 3]
    assert tournament.version == 3
    assert tournament.entrant(2).seat == PIP
    found = tournament.entrant_of(2)
    assert found is not None
    assert found.seat == BEN
    assert tournament.entrant_of(99) is None


def test_a_tournament_is_of_agents_if_all_entrants_are_agents() -> None:
    assert of(PIP, BO).is_of_agents
    assert not of(PIP, ADA).is_of_agents
    assert not SWISS.is_of_agents


def test_the_best_seed_comes_first_and_before_the_seeding_the_first_to_sign_up() -> None:
    assert [entrant.number for entrant in of(ADA, BEN, PIP).seeded] == [1, 2, 3]
    assert [entrant.number for entrant in running(ADA, BEN, PIP).seeded] == [3, 2, 1]
    assert [entrant.seed for entrant in running(ADA, BEN, PIP).entrants] == [3, 2, 1]
    mixed = replace(of(ADA, BEN), entrants=(Entrant(1, ADA, seed=1), Entrant(2, BEN)))
    assert [entrant.number for entrant in mixed.seeded] == [2, 1]


def test_refusals_have_names_and_numbers() -> None:
    full = of(*(Seat(f"P{number}", number) for number in range(1, 33)))
    assert refusal(lambda: full.join(Seat("late", 99), NOW)) == ("tournament_full", {"limit": 32})
    two = of(ADA, PIP)
    assert refusal(lambda: two.join(ADA, NOW)) == ("tournament_joined_already", {"name": "Ada"})
    assert refusal(lambda: two.leave(BEN)) == ("tournament_not_joined", {"name": "Ben"})
    assert refusal(lambda: two.start({1: 1, 2: 2})) == ("tournament_too_few", {"limit": 3})
    three = running(ADA, BEN, PIP)
    assert refusal(lambda: three.start({})) == ("tournament_started_already", {})
    assert refusal(lambda: three.join(BO, NOW)) == ("tournament_closed", {})
    assert refusal(lambda: three.join(ADA, NOW)) == ("tournament_closed", {})
    assert refusal(lambda: two.join(BO, CLOSES)) == ("tournament_closed", {})
    assert len(two.join(BO, CLOSES - timedelta(microseconds=1)).entrants) == 3
    left = three.leave(ADA)
    assert refusal(lambda: left.leave(ADA)) == ("tournament_not_joined", {"name": "Ada"})
    out = running(ADA, BEN, PIP, system=System.KNOCKOUT).leave(ADA)
    assert refusal(lambda: out.join(ADA, NOW)) == ("tournament_no_return", {})
    for over in (three.ended(), three.cancel()):
        for action in (over.cancel, lambda over=over: over.leave(ADA), lambda over=over: over.join(BO, NOW)):
            assert refusal(action) == ("tournament_over", {})


def test_an_entrant_who_comes_back_is_paired_again_under_the_new_name() -> None:
    left = running(ADA, BEN, PIP).leave(BEN)
    assert [entrant.is_out for entrant in left.entrants] == [False, True, False]
    back = left.join(Seat("Benjamin", 2), CLOSES)
    assert back.entrant(2) == Entrant(2, Seat("Benjamin", 2), seed=2)
    assert back.entrant(2).is_out is False
    assert back.version == left.version + 1
    assert (back.entrant(1), back.entrant(3)) == (left.entrant(1), left.entrant(3))


def test_levels_and_people_are_told_apart() -> None:
    left = of(ADA, PIP, BO).leave(PIP)
    assert [entrant.seat for entrant in left.entrants] == [ADA, BO]
    assert left.version == 4


# Under way


def test_every_change_is_counted_and_changes_nothing_else() -> None:
    begun = running(ADA, BEN, PIP)
    assert (begun.stage, begun.version, begun.is_active) == (Stage.RUNNING, 4, True)
    paired = begun.paired((PLAYED,)).paired((BYE,))
    assert (paired.pairings, paired.version, paired.round) == ((PLAYED, BYE), 6, 1)
    assert begun.ended() == replace(begun, stage=Stage.OVER, version=5)
    assert begun.cancel() == replace(begun, stage=Stage.CANCELLED, version=5)
    assert begun.shown_by(77) == replace(begun, location=Channel(10, 20, 77), version=5)
    assert begun.announce(2, 88) == replace(begun, announced=2, location=Channel(10, 20, 88), version=5)
    assert begun.announce(2, None) == replace(begun, announced=2, version=5)


def test_rounds_are_those_of_the_pairings() -> None:
    later = replace(PLAYED, round=3, result=None)
    tournament = running(ADA, BEN, PIP).paired((PLAYED, later))
    assert (SWISS.round, tournament.round) == (0, 3)
    assert tournament.of_round(1) == (PLAYED,)
    assert not tournament.is_round_over
    assert running(ADA, BEN, PIP).paired((PLAYED,)).is_round_over


def test_only_entrants_who_did_not_appear_in_the_last_round_are_out() -> None:
    begun = running(ADA, BEN, PIP)
    earlier = Pairing(1, 1, 1, 2, result=Result(Player.SECOND, End.TIME))
    last = Pairing(2, 1, 3, 2, result=Result(Player.FIRST, End.TIME), turn=1)
    after = begun.paired((earlier, last)).without_absentees()
    assert [entrant.is_out for entrant in after.entrants] == [False, True, False]
    assert after.version == begun.version + 2
    quiet = begun.paired((replace(last, turn=2),))
    assert quiet.without_absentees() is quiet
    assert after.without_absentees() is after


def test_the_match_of_a_pairing_is_played_as_the_tournament_says() -> None:
    tournament = replace(of(ADA, BEN, PIP, BO), clock_seconds=300)
    match = tournament.match_of(Pairing(1, 1, 2, 1), NOW)
    assert (match.game, match.board, match.seats) == ("tic-tac-toe", "3x3", (BEN, ADA))
    assert (match.location, match.created_at) == (Channel(10, 20, None), NOW)
    assert (match.rated, match.clock_seconds) == (True, 300)
    assert tournament.match_of(Pairing(1, 1, 1, 3), NOW).rated
    assert not tournament.match_of(Pairing(1, 1, 3, 4), NOW).rated
    assert not replace(tournament, rated=False).match_of(Pairing(1, 1, 1, 2), NOW).rated
    with pytest.raises(ValueError, match=r"^a bye has one seat$"):
        tournament.seats(BYE)


def test_matches_are_begun_as_the_tournament_says() -> None:
    balanced = replace(of(ADA, BEN, PIP), game="connect-four", board="6x7x4", fair=Fair.BALANCED)
    there, back = Pairing(1, 1, 1, 2), Pairing(2, 1, 2, 1)
    match = balanced.match_of(there, NOW)
    assert (match.fair, match.clock_seconds, match.location) == (Fair.BALANCED, 3600, Channel(10, 20))
    assert match.moves == balanced.opening_of(there)
    assert match.opening == len(match.moves) > 0
    assert match.opening % 2 == 0, "the first of the pairing makes the next move"
    assert balanced.opening_of(back) == match.moves, "who meet again swap sides of one opening"

    drawn = {balanced.opening_of(Pairing(1, 1, 1, other)) for other in range(2, 22)}
    assert len(drawn) > 10
    assert {len(moves) for moves in drawn} == {4, 6}
    known = {one.moves for one in balanced_openings("connect-four", "6x7x4")}
    assert drawn <= known
    assert {replace(balanced, id=number).opening_of(there) for number in range(20)} != {match.moves}
    assert replace(balanced, fair=Fair.PIE).opening_of(there) == ()


def test_levels_are_rated_on_their_own_board_alone() -> None:
    hex7 = replace(of(ADA, BEN, PIP, BO), game="hex", board="7x7")
    assert hex7.match_of(Pairing(1, 1, 1, 2), NOW).rated
    assert not hex7.match_of(Pairing(1, 1, 1, 3), NOW).rated
    hex11 = replace(hex7, board="11x11")
    assert hex11.match_of(Pairing(1, 1, 1, 3), NOW).rated
    entrants = tuple(
        replace(entrant, seat=Seat("Wolve", level="engine:wolve")) if entrant.number == 3 else entrant
        for entrant in hex11.entrants
    )
    engines = replace(hex11, entrants=entrants)
    assert not engines.match_of(Pairing(1, 1, 1, 3), NOW).rated
    assert not hex11.match_of(Pairing(1, 1, 3, 4), NOW).rated
    assert not replace(hex11, rated=False).match_of(Pairing(1, 1, 1, 2), NOW).rated


def test_a_pairing_begins_without_failed_moves() -> None:
    assert Pairing(1, 1, 1, 2).forfeits == (Forfeits(), Forfeits())
    assert SWISS.fair is Fair.USUAL


def test_judges_do_not_play() -> None:
    judged = of(ADA).judged_by(2).judged_by(3)
    assert judged.judges == {2, 3}
    assert refusal(lambda: judged.join(BEN, NOW)) == ("tournament_judged", {})


def test_a_tournament_moves_to_another_channel() -> None:
    moved = SWISS.moved_to(11, message_id=31, parent_id=12)
    assert moved.location == replace(HERE, channel_id=11, message_id=31, parent_id=12)
    assert moved.version == SWISS.version + 1
    assert moved.moved_to(13, message_id=None, parent_id=None).location == Channel(13, 20)
