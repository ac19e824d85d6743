"""The direct message that says each day which matches with days for a move wait for the person."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.reminder import ReminderKind
from tests.bot.table import Table, buttons_of, text_of
from tests.bot.ui.test_daily_reminders import a_day_later, told

pytestmark = [pytest.mark.simcord(settle_timeout=20), pytest.mark.slow]

DAYS = 259_200


@pytest.fixture
def table(own_table: Table) -> Table:
    """A bot of its own for each test, since each sets the clock."""
    return own_table


async def asked(table: Table) -> Any:
    """Ada, who is to move, presses *Remind me daily* under her list of matches."""
    listed = (await table.ada.slash(table.games, "match list")).response
    return (await table.ada.click(listed, label="Remind me daily")).response


async def stored(table: Table) -> Match:
    return await table.bot.services.matches.match(table.first_match)


async def test_one_message_a_day_lists_the_matches_that_wait_until_one_has_moved(table: Table) -> None:
    board = await table.pair(clock=DAYS)
    quick = await table.start(rated=False)  # against a bot, without a clock
    answer = await asked(table)
    assert "I’ll write to you each day at about <t:" in text_of(answer)
    assert told(table) == [], "not before the next day"
    await a_day_later(table)
    (message,) = table.ada.user.dm_channel.history()
    assert "1 match waits for you" in text_of(message)
    assert "**Connect Four** against **Ben**" in text_of(message)
    assert f"/{board.id})" in text_of(message)
    assert f"/{quick.id})" not in text_of(message)
    assert list(buttons_of(message)) == ["Stop reminding me"]
    await table.reconcile()
    assert len(told(table)) == 1
    await table.ada.click(board, label="4")
    await a_day_later(table)
    assert len(told(table)) == 1, "Ben is to move"
    assert told(table, table.ben) == [], "Ben has asked for none"
    stopped = await table.ada.user.click(message, label="Stop reminding me")
    assert text_of(stopped.response).startswith("🔕 No more messages about your turns")
    assert await table.bot.services.reminders.of(table.ada.id, ReminderKind.TURNS) is None


async def test_only_a_match_that_lasts_days_offers_the_reminder_and_preferences_always_do(
    table: Table,
) -> None:
    await table.start(rated=False)
    listed = (await table.ada.slash(table.games, "match list")).response
    assert "Remind me daily" not in buttons_of(listed)
    chosen = (await table.ada.slash(table.games, "preferences")).response
    await table.ada.click(chosen, label="Remind me daily")
    again = (await table.ada.slash(table.games, "preferences")).response
    assert "Stop reminding me" in buttons_of(again)
    await a_day_later(table)
    assert told(table) == [], "a match against a bot without a clock waits for nobody"


async def test_after_a_refusal_of_discord_nothing_is_sent_any_more(table: Table) -> None:
    await table.pair(clock=DAYS)
    await asked(table)
    path, refusal = f"/channels/{table.ada.user.dm_channel.id}/messages", "Cannot send messages to this user"
    table.env.inject_error("POST", path, status=403, code=50007, message=refusal)
    await a_day_later(table)
    assert await table.bot.services.reminders.of(table.ada.id, ReminderKind.TURNS) is None
    await a_day_later(table)
    assert told(table) == []


async def test_both_reminders_are_chosen_by_themselves_and_deleted_with_the_person(table: Table) -> None:
    await table.pair(clock=DAYS)
    await asked(table)
    reminders, ada = table.bot.services.reminders, Person(table.ada.id, "Ada")
    kept = await reminders.of(ada.user_id, ReminderKind.TURNS)
    await reminders.remind(ada, ReminderKind.PUZZLE, "de")
    await reminders.stop(ada.user_id, ReminderKind.PUZZLE)
    assert await reminders.of(ada.user_id, ReminderKind.TURNS) == kept
    await table.bot.services.privacy.delete(ada)
    assert await reminders.of(ada.user_id, ReminderKind.TURNS) is None


async def test_a_process_that_dies_before_the_message_sends_it_once_after_its_start(table: Table) -> None:
    await table.pair(clock=DAYS)
    await asked(table)
    table.clock.ahead += timedelta(days=1)
    await table.restart()
    for _ in range(3):
        await table.reconcile()
    assert len(told(table)) == 1
