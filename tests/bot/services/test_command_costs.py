"""Limits on expensive commands, per person and per server."""

from __future__ import annotations

import pytest

from bot.domain.errors import SetupError
from bot.services.command_costs import PERSON_MOST, REMEMBERED, SERVER_MOST, Budget, Cost
from tests.bot.sittings import Clock

EXPORTS = int(PERSON_MOST // Cost.EXPORT)


def test_a_refused_person_is_told_when_to_ask_again() -> None:
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


def test_cheap_commands_are_allowed_more_often_and_do_not_delay_other_people() -> None:
    budget = Budget(Clock())
    budget.spend(1, 20, Cost.EXPORT)
    for _ in range(int(PERSON_MOST) - Cost.EXPORT):
        budget.spend(1, 20, Cost.LEADERBOARD)
    with pytest.raises(SetupError):
        budget.spend(1, None, Cost.LEADERBOARD)
    budget.spend(2, 20, Cost.EXPORT)


def test_a_server_has_its_own_budget_and_refusals_are_free() -> None:
    budget = Budget(Clock())
    people = iter(range(1, 1000))
    for _ in range(int(SERVER_MOST // Cost.EXPORT)):
        budget.spend(next(people), 20, Cost.EXPORT)
    unlucky = next(people)
    with pytest.raises(SetupError, match="asked_too_much_here"):
        budget.spend(unlucky, 20, Cost.EXPORT)
    budget.spend(unlucky, 21, Cost.EXPORT)
    budget.spend(next(people), None, Cost.EXPORT)


def test_a_clock_that_is_set_back_does_not_change_the_budget() -> None:
    clock = Clock()
    budget = Budget(clock)
    for _ in range(EXPORTS):
        budget.spend(1, None, Cost.EXPORT)
    clock.advance(hours=-1)
    with pytest.raises(SetupError):
        budget.spend(1, None, Cost.EXPORT)
    clock.advance(minutes=1)
    budget.spend(1, None, Cost.EXPORT)


def test_the_number_of_remembered_askers_is_limited() -> None:
    budget = Budget(Clock())
    for user_id in range(REMEMBERED + 50):
        budget.spend(user_id, None, Cost.LEADERBOARD)
    assert len(budget._people) == REMEMBERED
