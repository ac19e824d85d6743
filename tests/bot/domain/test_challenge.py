"""Invitations: allowed answers, expiry, and the side that begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from random import Random

import pytest

from bot.domain.challenge import (
    EXPIRES_AFTER,
    MAX_OPEN,
    MAX_OPEN_TO_ONE,
    Challenge,
    ChallengeStatus,
    seated,
)
from bot.domain.clock import MAX_PRESS_DELAY
from bot.domain.errors import MatchError
from bot.domain.location import Channel
from bot.domain.seat import Seat
from bot.domain.terms import Fair, First, Terms

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
END = NOW + EXPIRES_AFTER
ADA, BEN, EVE = 1, 2, 3
BY_ADA = Terms("othello", "8x8", First.ME)
FOR_BEN = Challenge(5, Seat("Ada", ADA), Seat("Ben", BEN), BY_ADA, Channel(10, 20), NOW, END, version=3)
FOR_ANYONE = replace(FOR_BEN, opponent=None)


def refusal(action: Callable[[], object]) -> tuple[str, dict[str, str | int]]:
    with pytest.raises(MatchError) as caught:
        action()
    return caught.value.key, caught.value.params


def test_the_person_challenged_accepts_or_declines() -> None:
    accepted, declined = FOR_BEN.accept(BEN, NOW), FOR_BEN.decline(BEN, NOW)
    assert accepted == replace(FOR_BEN, status=ChallengeStatus.ACCEPTED, version=4)
    assert declined == replace(FOR_BEN, status=ChallengeStatus.DECLINED, version=4)
    assert not accepted.is_open
    assert FOR_BEN.is_open


def test_the_challenger_withdraws_and_cannot_accept() -> None:
    for challenge in (FOR_BEN, FOR_ANYONE):
        assert challenge.decline(ADA, NOW).status is ChallengeStatus.WITHDRAWN
        assert refusal(partial(challenge.accept, ADA, NOW)) == ("challenge_own", {})


def test_only_the_person_challenged_can_answer() -> None:
    for action in (FOR_BEN.accept, FOR_BEN.decline):
        assert refusal(partial(action, EVE, NOW)) == ("challenge_not_yours", {"name": "Ben"})


def test_an_open_seat_can_be_taken_by_anyone_and_declined_by_no_one() -> None:
    assert FOR_ANYONE.accept(EVE, NOW).status is ChallengeStatus.ACCEPTED
    assert refusal(lambda: FOR_ANYONE.decline(EVE, NOW)) == ("challenge_open_seat", {"name": "Ada"})


def test_an_answered_challenge_cannot_be_answered_again() -> None:
    for status in ChallengeStatus:
        challenge = replace(FOR_BEN, status=status)
        if status is not ChallengeStatus.OPEN:
            assert refusal(partial(challenge.accept, BEN, NOW)) == ("challenge_not_open", {})
            assert challenge.expire(END + MAX_PRESS_DELAY) is None


def test_a_challenge_lives_until_its_time_and_not_at_it() -> None:
    last, settled = END - timedelta(seconds=1), END + MAX_PRESS_DELAY
    assert FOR_BEN.expire(settled - timedelta(seconds=1)) is None, "a press made in time may be under way"
    assert FOR_BEN.accept(BEN, last).status is ChallengeStatus.ACCEPTED
    assert FOR_BEN.expire(settled) == replace(FOR_BEN, status=ChallengeStatus.EXPIRED, version=4)
    for action in (FOR_BEN.accept, FOR_BEN.decline):
        assert refusal(partial(action, BEN, END)) == ("challenge_expired", {})


def test_invitations_can_be_edited_as_long_as_they_live() -> None:
    assert timedelta(minutes=30) == EXPIRES_AFTER


def test_the_message_that_shows_it_is_part_of_it() -> None:
    shown = FOR_BEN.shown_by(77)
    assert shown == replace(FOR_BEN, location=Channel(10, 20, 77), version=4)


def test_the_challenger_chooses_the_side_that_begins() -> None:
    ada, ben = Seat("Ada", ADA), Seat("Ben", BEN)
    assert seated(ada, ben, First.ME, Random(1)) == (ada, ben)
    assert seated(ada, ben, First.OPPONENT, Random(1)) == (ben, ada)
    begun = sum(seated(ada, ben, First.RANDOM, Random(seed))[0] is ada for seed in range(400))
    assert 150 < begun < 250


def test_stored_words_stay_as_they_are() -> None:
    assert [status.value for status in ChallengeStatus] == [
        "open", "accepted", "declined", "withdrawn", "expired",
    ]  # fmt: skip
    assert [first.value for first in First] == ["me", "opponent", "random"]


def test_a_challenge_is_rated_without_a_clock_and_not_answered_unless_said_otherwise() -> None:
    plain = Challenge(0, Seat("Ada", ADA), None, Terms("othello", "8x8"), Channel(10), NOW, END)
    assert (plain.terms.rated, plain.terms.clock_seconds) == (True, None)
    assert (plain.rematch_of, plain.match_id, plain.version) == (None, None, 0)
    assert plain.is_open
    assert plain.terms.fair is Fair.USUAL


def test_ten_invitations_may_be_open_and_three_to_one_person() -> None:
    assert (MAX_OPEN, MAX_OPEN_TO_ONE) == (10, 3)
