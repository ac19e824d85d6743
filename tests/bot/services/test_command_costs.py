"""What a person and a server may ask of the dear commands."""

from __future__ import annotations

import pytest

from bot.domain.errors import SetupError
from bot.services.command_costs import PERSON_MOST, REMEMBERED, SERVER_MOST, Budget, Cost
from tests.bot.sittings import Clock

EXPORTS = int(PERSON_MOST // Cost.EXPORT)


def test_who_asks_for_too_much_is_told_when_there_is_enough_again() -> None:
    clock = Clock()
    budget = Budget(clock)
    for _ in range(EXPORTS):
        budget.spend(1, 20, Cost.EXPORT)

    with pytest.raises(SetupError, match=r"asked_too_much .*<t:[0-9]+:R>") as refused:
        budget.spend(1, 20, Cost.EXPORT)

    at = int(str(refused.value.params["when"]).split(":")[1])
    clock.advance(seconds=at - clock.now.timestamp() - 1)
    with pytest.raises(SetupError):
        budget.spend(1, 20, Cost.EXPORT)
    clock.advance(seconds=1)
    budget.spend(1, 20, Cost.EXPORT)


def test_what_is_cheap_may_be_asked_for_more_often_and_others_are_not_held_up() -> None:
    budget = Budget(Clock())
    budget.spend(1, 20, Cost.EXPORT)
    for _ in range(int(PERSON_MOST) - Cost.EXPORT):
        budget.spend(1, 20, Cost.LEADERBOARD)
    with pytest.raises(SetupError):
        budget.spend(1, None, Cost.LEADERBOARD)
    budget.spend(2, 20, Cost.EXPORT)


def test_a_server_has_a_budget_of_its_own_and_a_refusal_costs_nobody_anything() -> None:
    budget = Budget(Clock())
    people = iter(range(1, 1000))
    for _ in range(int(SERVER_MOST // Cost.EXPORT)):
        budget.spend(next(people), 20, Cost.EXPORT)
    unlucky = next(people)
    with pytest.raises(SetupError, match="asked_too_much_here"):
        budget.spend(unlucky, 20, Cost.EXPORT)
    budget.spend(unlucky, 21, Cost.EXPORT)
    budget.spend(next(people), None, Cost.EXPORT)


def test_a_clock_that_is_set_back_gives_nothing_and_takes_nothing() -> None:
    clock = Clock()
    budget = Budget(clock)
    for _ in range(EXPORTS):
        budget.spend(1, None, Cost.EXPORT)
    clock.advance(hours=-1)
    with pytest.raises(SetupError):
        budget.spend(1, None, Cost.EXPORT)
    clock.advance(minutes=1)
    budget.spend(1, None, Cost.EXPORT)


def test_the_memory_of_who_asked_is_bounded() -> None:
    budget = Budget(Clock())
    for user_id in range(REMEMBERED + 50):
        budget.spend(user_id, None, Cost.LEADERBOARD)
    assert len(budget._people) == REMEMBERED
