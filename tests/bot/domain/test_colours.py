"""Who makes the first move of a rated match."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.domain.colours import in_turn
from bot.domain.errors import SetupError
from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.result import End, Result
from bot.domain.seat import Seat
from bot.domain.terms import Fair, First, Terms, are_drawn
from engine.core import Player

ADA, BEN, PIP = Seat("Ada", user_id=1), Seat("Ben", user_id=2), Seat("Pip", level="pip")
NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def begun(first: Seat, second: Seat, moves: str = "", **changes: Any) -> Match:
    """A rated match after these moves, in turn."""
    match = Match.begin("connect-four", "6x7x4", (first, second), Channel(10, 20), NOW)
    for column in moves:
        seat, move = match.seat_to_move, int(column) - 1
        if seat.user_id is None:
            match = match.play_agent(move, NOW, turn=match.turn, seconds=0.1)
        else:
            match = match.play(seat.user_id, move, NOW)
    return replace(match, id=7, **changes)


RESIGNED, ABANDONED = Result(Player.FIRST, End.RESIGNATION), Result(None, End.ABANDONED)
STANDS = {"stands_since": NOW + timedelta(hours=1)}


def test_the_first_match_of_two_is_as_drawn() -> None:
    assert in_turn(begun(ADA, BEN), None).seats == (ADA, BEN)


@pytest.mark.parametrize(
    ("last", "begins"),
    [
        (begun(ADA, BEN, "4455", result=RESIGNED), BEN),
        (begun(BEN, ADA, "4455", result=RESIGNED), ADA),
        (begun(ADA, BEN, "4455"), BEN),
        (begun(ADA, BEN, result=RESIGNED), ADA),
        (begun(ADA, BEN, "445", result=RESIGNED), ADA),
        (begun(ADA, BEN, "445", result=ABANDONED), ADA),
        (begun(ADA, BEN, "4455", result=ABANDONED), ADA),
        (begun(ADA, BEN, "445", **STANDS), ADA),
        (begun(ADA, BEN, "4455", **STANDS), BEN),
    ],
)
def test_two_players_take_turns_and_a_match_that_does_not_count_is_begun_again(
    last: Match, begins: Seat
) -> None:
    drawn = (begun(ADA, BEN), begun(BEN, ADA))
    assert [in_turn(match, last).seats[0] for match in drawn] == [begins, begins]


def test_no_second_match_begins_while_the_last_one_can_still_be_left() -> None:
    with pytest.raises(SetupError) as refused:
        in_turn(begun(ADA, BEN), begun(BEN, ADA, "445"))
    assert (refused.value.key, refused.value.params) == ("rated_hardly_begun", {"number": 7})


@pytest.mark.parametrize(("before", "now"), [("echo:1525", "echo:1550"), ("pip", "pip")])
def test_a_level_is_one_opponent_whatever_its_strength_and_the_persons_name(before: str, now: str) -> None:
    last = begun(ADA, Seat("Echo 1525", level=before), "4455", result=RESIGNED)
    again = begun(Seat("Ada the Great", user_id=1), Seat("Echo 1550", level=now))
    assert in_turn(again, last).seats == (again.seats[1], again.seats[0])


def test_the_first_move_is_chosen_in_casual_matches_and_with_a_fair_start() -> None:
    assert [are_drawn(rated=True, fair=fair) for fair in Fair] == [True, False, False]
    assert not any(are_drawn(rated=False, fair=fair) for fair in Fair)
    assert Terms("othello", "8x8", First.ME).are_colours_drawn
    assert not Terms("othello", "8x8", First.ME, rated=False).are_colours_drawn


def test_a_match_that_becomes_rated_begins_anew_with_the_drawn_seats() -> None:
    casual = replace(begun(PIP, ADA, "4"), rated=False)
    rated = casual.make_rated(1, 300, NOW + timedelta(hours=1), seats=(ADA, PIP))
    assert (rated.seats, rated.moves, rated.rated) == ((ADA, PIP), (), True)
    assert rated.version == casual.version + 1
    assert rated.turn > casual.turn, "a press on the old board is out of date"
    assert rated.deadline == NOW + timedelta(hours=1, seconds=300)
    assert rated.play(1, 3, NOW + timedelta(hours=1)).moves == (3,)
