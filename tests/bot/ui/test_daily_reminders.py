"""The direct message that says each day that there is a new puzzle."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.domain.outgoing import Fate, Outgoing, direct
from bot.domain.person import Person
from bot.domain.preferences import Preferences, ServerSettings
from bot.domain.puzzle import Status
from bot.domain.reminder import Reminder, ReminderKind
from tests.bot.table import Table, buttons_of, text_of

pytestmark = [pytest.mark.simcord(settle_timeout=20), pytest.mark.slow]


@pytest.fixture
def table(own_table: Table) -> Table:
    """A bot of its own for each test, since each sets the clock."""
    return own_table


async def reminded(table: Table, person: Any = None) -> Any:
    """The person presses *Remind me daily* on the day's message; returns the private answer."""
    wish = ServerSettings(puzzle_channel=table.games.id, puzzle_hour=0)
    await table.bot.services.settings.save(table.guild.id, wish)
    await table.reconcile()
    message = table.games.history(viewer=table.eve)[0]
    return (await (person or table.ada).click(message, label="Remind me daily")).response


async def a_day_later(table: Table) -> None:
    table.clock.ahead += timedelta(days=1)
    for _ in range(3):
        await table.reconcile()


def told(table: Table, person: Any = None) -> list[Any]:
    """The direct messages that the person has got."""
    user_id = (person or table.ada).id
    channel_id = table.env.backend.dm_channels.get(user_id)
    return [] if channel_id is None else list(table.env.backend.messages[channel_id].values())


async def test_the_reminder_comes_each_day_and_is_stopped_by_its_button(table: Table) -> None:
    answer = await reminded(table)
    assert "I’ll write to you each day at about <t:" in text_of(answer)
    assert told(table) == []
    for days in (1, 2):
        await a_day_later(table)
        assert len(told(table)) == days
    assert told(table, table.ben) == []
    user = table.ada.user
    message = user.dm_channel.history()[-1]
    assert text_of(message).startswith("### 📅 Daily puzzle 3: ")
    assert "The new daily puzzle is here: ★" in text_of(message)
    assert list(buttons_of(message)) == ["Solve it", "Stop reminding me"]
    opened = await user.click(message, label="Solve it")
    assert "### 📅 Daily puzzle" in text_of(opened.response)
    stopped = await user.click(message, label="Stop reminding me")
    assert text_of(stopped.response).startswith("🔕 No more reminders")
    count = len(told(table))
    await a_day_later(table)
    assert len(told(table)) == count


async def test_a_second_press_keeps_the_time_and_offers_to_stop(table: Table) -> None:
    first = await reminded(table)
    due = await table.bot.parts.stores.reminders.find(table.ada.id, ReminderKind.PUZZLE)
    table.clock.ahead += timedelta(hours=2)
    assert text_of(await reminded(table)) == text_of(first)
    assert await table.bot.parts.stores.reminders.find(table.ada.id, ReminderKind.PUZZLE) == due
    await table.ada.click(first, label="Stop reminding me")
    assert await table.bot.parts.stores.reminders.find(table.ada.id, ReminderKind.PUZZLE) is None


async def test_who_has_answered_the_days_puzzle_is_not_reminded_of_it(table: Table) -> None:
    await reminded(table)
    table.clock.ahead += timedelta(days=1)
    service = table.bot.services.puzzles
    attempt = await service.daily(Person(table.ada.id, "Ada"), None)
    ended = replace(attempt, status=Status.FAILED, ended_at=table.clock(), version=1)
    await table.bot.parts.stores.puzzles.save_attempt(attempt, ended)
    for _ in range(3):
        await table.reconcile()
    assert told(table) == []
    await a_day_later(table)
    assert len(told(table)) == 1


async def test_after_a_refusal_of_discord_there_are_no_more_reminders(table: Table) -> None:
    await reminded(table)
    path, refusal = f"/channels/{table.ada.user.dm_channel.id}/messages", "Cannot send messages to this user"
    table.env.inject_error("POST", path, status=403, code=50007, message=refusal)
    await a_day_later(table)
    assert await table.bot.parts.stores.reminders.find(table.ada.id, ReminderKind.PUZZLE) is None
    assert await table.bot.parts.stores.outgoing.of("puzzle-dm") == []
    await a_day_later(table)
    assert told(table) == []


async def test_a_reminder_that_came_too_fast_for_discord_comes_later(table: Table) -> None:
    await reminded(table)
    too_fast = "You are opening direct messages too fast"
    table.env.inject_error("POST", "/users/@me/channels", status=403, code=40003, message=too_fast)
    await a_day_later(table)
    await table.env.advance_time(10)
    assert len(table.writes("POST", "/users/@me/channels")) == 2
    assert len(told(table)) == 1


async def test_a_process_that_died_before_or_after_it_sent_a_reminder_sends_it_once(table: Table) -> None:
    await reminded(table)
    store, ada = table.bot.parts.stores.reminders, table.ada.id
    reminder = await store.find(ada, ReminderKind.PUZZLE)
    assert reminder is not None
    table.clock.ahead += timedelta(days=1)
    sent_since = table.clock() - table.clock.ahead  # by Discord's clock
    await table.bot.close()  # until the next start, nothing is sent
    claimed = Outgoing(
        "puzzle-dm",
        ada,
        reminder.due_at.toordinal(),
        direct(ada, "en-US"),
        None,
        "",
        Fate.SENDING,
        sent_since,
    )
    for _ in ("killed before it was sent", "killed after it was sent"):
        await table.restart()
        await table.bot.parts.stores.reminders.put(reminder)
        await table.bot.parts.stores.outgoing.claim(claimed)
        table.bot.senders[-2].doubt()
        for _ in range(3):
            await table.reconcile()
        assert len(told(table)) == 1
        moved = await table.bot.parts.stores.reminders.find(ada, ReminderKind.PUZZLE)
        assert moved is not None
        assert moved.due_at == reminder.due_at + timedelta(days=1)


async def test_a_reminder_is_written_in_the_persons_language(table: Table) -> None:
    await table.bot.services.settings.prefer(table.ada.id, Preferences(language="de"))
    await reminded(table)
    await a_day_later(table)
    assert "Das neue Tagesrätsel ist da" in text_of(table.ada.user.dm_channel.history()[-1])


async def test_deleted_data_has_no_reminder_and_none_that_is_being_sent(table: Table) -> None:
    await reminded(table)
    stores, ada = table.bot.parts.stores, table.ada.id
    claimed = Outgoing("puzzle-dm", ada, 1, direct(ada, "en-US"), None, "", Fate.SENDING, table.clock())
    await stores.outgoing.claim(claimed)
    await table.bot.services.privacy.delete(Person(ada, "Ada"))
    assert await stores.reminders.find(ada, ReminderKind.PUZZLE) is None
    assert await stores.outgoing.of("puzzle-dm") == []


def test_a_reminder_keeps_its_time_of_day_after_an_outage_of_days(table: Table) -> None:
    due_at = table.clock()
    reminder = Reminder(1, ReminderKind.PUZZLE, "", due_at)
    assert reminder.after(due_at).due_at == due_at + timedelta(days=1)
    assert reminder.after(due_at + timedelta(days=2, hours=23)).due_at == due_at + timedelta(days=3)
    assert reminder.after(due_at - timedelta(hours=1)).due_at == due_at
