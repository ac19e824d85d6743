"""The reconciler repairs stale messages: found in the database, retried, and limited in number."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.domain.backoff import Backoff
from bot.domain.challenge import Challenge
from bot.domain.errors import SetupError
from bot.domain.location import Channel
from bot.domain.match import Match
from bot.services.ports import Delivered
from bot.services.rate_window import MAX_REQUESTS_PER_SECOND
from bot.services.reconciler import MAX_DELIVERIES_PER_CHANNEL, MAX_REQUESTS_PER_TICK
from tests.bot.sittings import ADA, BEN, HERE, Clock, Screen, Sitting, paired, sitting, terms_of


@dataclass
class Refusing(Screen):
    """A display for which Discord gives the same answer to every message."""

    answer: Delivered = Delivered.CHANNEL_REFUSED
    tries: list[int] = field(default_factory=list)

    async def show(self, match: Match) -> Delivered:
        self.tries.append(match.id)
        return self.answer

    async def show_challenge(self, _challenge: Challenge) -> Delivered:
        return self.answer


async def people(table: Sitting, location: Channel = HERE) -> Match:
    match = await paired(table, ADA.seat, BEN.seat, location=location)
    match = await table.changes.attach(match.id, replace(location, message_id=1000 + match.id))
    await table.services.background.drain()
    return match


async def moved(table: Sitting, match: Match) -> Match:
    """The match after a move that is stored and that nothing has displayed yet."""
    person = ADA if match.seat_to_move.user_id == ADA.user_id else BEN
    return await table.services.playing.play(match.id, person, 3, turn=match.turn)


async def look_for_a_while(table: Sitting, times: int) -> None:
    for _ in range(times):
        await look(table)
        table.clock.advance(seconds=20)


async def look(table: Sitting) -> None:
    await table.reconciler.run_once()
    await table.reconciler.drain()


async def test_a_restart_displays_only_the_stale_board(tmp_path: Path) -> None:
    file, clock = tmp_path / "discade.db", Clock()
    async with sitting(file, clock=clock) as before:
        quiet, missed = await people(before), await people(before)
        await look(before)
        assert set(before.screen.shown) == {quiet.id, missed.id}
        missed = await moved(before, missed)  # and the process dies here
    async with sitting(file, clock=clock) as after:
        await look(after)
        assert after.screen.shown == {missed.id: [missed]}
    async with sitting(file, clock=clock) as again:
        await look(again)
        assert again.screen.shown == {}


@pytest.mark.slow
async def test_a_tick_starts_few_deliveries_and_fewer_in_one_channel(tmp_path: Path) -> None:
    screen = Refusing(answer=Delivered.DELIVERED)
    async with sitting(tmp_path / "discade.db", screen=screen) as table:
        for channel in range(MAX_REQUESTS_PER_TICK + 3):
            await people(table, Channel(500 + channel, 5))
        screen.tries.clear()
        await look(table)
        assert len(screen.tries) == MAX_REQUESTS_PER_TICK
    screen = Refusing(answer=Delivered.DELIVERED)
    async with sitting(tmp_path / "other.db", screen=screen) as table:
        for _ in range(MAX_DELIVERIES_PER_CHANNEL + 2):
            await people(table)
        screen.tries.clear()
        await look(table)
        assert len(screen.tries) == MAX_DELIVERIES_PER_CHANNEL


async def test_sources_are_asked_once_a_second_while_nothing_can_be_delivered_unless_woken(
    tmp_path: Path,
) -> None:
    asked: list[datetime] = []

    def note(_c: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        if statement.startswith("SELECT matches.id, matches.channel_id, matches.message_id"):
            asked.append(clock())

    screen = Refusing(answer=Delivered.DELIVERED)
    async with sitting(tmp_path / "discade.db", screen=screen) as table:
        clock = table.clock
        await look(table)
        await people(table)  # its board is left to the code that began the match for a grace period
        table.reconciler.wake()
        sa.event.listen(sa.Engine, "before_cursor_execute", note)
        for _ in range(5):
            await look(table)
            clock.advance(seconds=0.5)
        table.reconciler.wake()
        await look(table)
        sa.event.remove(sa.Engine, "before_cursor_execute", note)
    assert [(at - asked[0]).total_seconds() for at in asked] == [0.0, 1.0, 2.0, 2.5]


async def test_a_channel_that_refuses_is_probed_by_one_board_at_a_time(tmp_path: Path) -> None:
    screen, clock = Refusing(answer=Delivered.CHANNEL_REFUSED), Clock()
    async with sitting(tmp_path / "discade.db", screen=screen, clock=clock) as table:
        for _ in range(4):
            await people(table)
        screen.tries.clear()
        await look(table)
        assert len(screen.tries) == 4
        await look(table)
        assert len(screen.tries) == 4, "not at once again"
        clock.advance(seconds=2)
        await look(table)
        assert len(screen.tries) == 5, "one finds out whether it is open"
        table.reconciler.wake([HERE.channel_id])
        await look(table)
        assert len(screen.tries) == 9, "Discord says that something was changed there"


async def test_a_board_that_is_gone_twice_is_given_up(tmp_path: Path) -> None:
    screen, clock = Refusing(answer=Delivered.GONE), Clock()
    async with sitting(tmp_path / "discade.db", clock=clock, screen=screen) as table:
        match = await people(table)
        screen.tries.clear()
        await look(table)
        assert (await table.stores.shown.stale_boards(10)) != [], "Discord may be mistaken once"
        for _ in range(3):
            clock.advance(seconds=2)
            await look(table)
        assert screen.tries == [match.id] * 2
        assert (await table.stores.shown.stale_boards(10)) == []


@pytest.mark.slow
async def test_a_finished_match_is_given_up_after_a_day_in_a_channel_that_refuses(tmp_path: Path) -> None:
    screen, clock = Refusing(answer=Delivered.CHANNEL_REFUSED), Clock()
    async with sitting(tmp_path / "discade.db", clock=clock, screen=screen) as table:
        match = await people(table)
        await table.services.playing.resign(match.id, ADA)
        clock.advance(hours=23)
        await look(table)
        assert (await table.stores.shown.stale_boards(10)) != []
        clock.advance(hours=2)
        table.reconciler.wake([HERE.channel_id])
        await look(table)
        assert (await table.stores.shown.stale_boards(10)) == []


async def test_a_running_match_is_never_given_up_in_a_channel_that_refuses(tmp_path: Path) -> None:
    screen, clock = Refusing(answer=Delivered.CHANNEL_REFUSED), Clock()
    async with sitting(tmp_path / "discade.db", clock=clock, screen=screen) as table:
        match = await people(table)
        clock.advance(days=30)
        await look(table)
        assert [board.match_id for board in await table.stores.shown.stale_boards(10)] == [match.id]


async def test_deliveries_spend_from_the_pace_of_the_process(tmp_path: Path) -> None:
    screen = Refusing(answer=Delivered.DELIVERED)  # and the version is never stored: stale at every look
    async with sitting(tmp_path / "discade.db", screen=screen) as table:
        for channel in range(MAX_REQUESTS_PER_TICK + 2):
            await people(table, Channel(500 + channel, 5))
        screen.tries.clear()
        for _ in range(4):
            await look(table)
        assert len(screen.tries) == MAX_REQUESTS_PER_SECOND, "in one second"
        table.clock.advance(seconds=2)
        await look(table)
        assert len(screen.tries) == MAX_REQUESTS_PER_SECOND + MAX_REQUESTS_PER_TICK


async def test_an_invitation_that_became_a_board_needs_no_edit(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        asked = await table.services.challenges.send(ADA, BEN, terms_of("connect-four"), HERE)
        await table.changes.attach_challenge(asked.id, 70)
        _, match = await table.services.challenges.accept(asked.id, BEN)
        declined = await table.services.challenges.send(ADA, BEN, terms_of("othello"), HERE)
        await table.changes.attach_challenge(declined.id, 80)
        await table.services.challenges.decline(declined.id, BEN)
        await table.services.background.drain()
        await look(table)
        assert (await table.services.matches.match(match.id)).location.message_id == 70, (
            "the board is where it was sent"
        )
        assert [challenge.id for challenge in table.screen.challenges] == [declined.id]
        await look(table)
        assert len(table.screen.challenges) == 1


@dataclass
class Sending(Screen):
    """A display that sends a new board where a match has none, which takes a moment."""

    table: Sitting | None = None

    async def recover(self, match: Match) -> Delivered:
        if match.location.message_id is None and self.table is not None:
            await asyncio.sleep(0.05)
            match = await self.table.changes.attach(match.id, replace(match.channel, message_id=999))
        return await self.show(match)


async def test_an_accepted_invitation_becomes_the_board_and_no_other_is_sent(tmp_path: Path) -> None:
    file, screen = tmp_path / "discade.db", Sending()
    async with sitting(file) as before:
        asked = await before.services.challenges.send(ADA, BEN, terms_of("connect-four"), HERE)
        await before.changes.attach_challenge(asked.id, 70)
        _, match = await before.services.challenges.accept(asked.id, BEN)  # and the process dies here
    async with sitting(file, screen=screen) as after:
        screen.table = after
        await look(after)
        assert (await after.services.matches.match(match.id)).location.message_id == 70
        assert (await after.stores.challenges.stale(10)) == []


async def test_a_match_whose_thread_is_gone_does_not_take_its_invitation(tmp_path: Path) -> None:
    screen = Sending()
    async with sitting(tmp_path / "discade.db", screen=screen) as table:
        screen.table = table
        asked = await table.services.challenges.send(ADA, BEN, terms_of("connect-four"), HERE)
        await table.changes.attach_challenge(asked.id, 70)
        _, match = await table.services.challenges.accept(asked.id, BEN)
        in_thread = replace(HERE, channel_id=70, message_id=71, parent_id=HERE.channel_id)
        await table.changes.attach(match.id, in_thread)
        await table.changes.move_out(
            70, HERE.channel_id
        )  # and the code that moved it is about to send a new board
        await look(table)
        assert (await table.services.matches.match(match.id)).location.message_id != 70


async def test_invitations_that_were_never_sent_do_not_count_as_open(tmp_path: Path) -> None:
    clock = Clock()
    async with sitting(tmp_path / "discade.db", clock=clock) as table:
        for _ in range(3):
            await table.services.challenges.send(ADA, BEN, terms_of("connect-four"), HERE)
        with pytest.raises(SetupError):
            await table.services.challenges.send(ADA, BEN, terms_of("connect-four"), HERE)
        clock.advance(minutes=2)
        await table.services.challenges.send(ADA, BEN, terms_of("connect-four"), HERE)


async def test_the_version_that_was_displayed_last_is_stored(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        match = await people(table)
        assert table.screen.marks is not None
        table.screen.marks.board(match.id, match.version)
        await table.reconciler.drain()
        assert (await table.stores.shown.stale_boards(10)) == []
        table.screen.marks.board(match.id, 0)
        await table.reconciler.drain()
        assert (await table.stores.shown.stale_boards(10)) != [], "what was edited last is what people see"


@pytest.mark.sqlite
async def test_stale_boards_are_found_by_a_partial_index(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table, table.stores.database.reading() as connection:
        plan = await connection.execute(
            sa.text(
                "EXPLAIN QUERY PLAN SELECT id FROM matches WHERE shown_version < version "
                "AND channel_id IS NOT NULL "
                "AND (message_id IS NOT NULL OR first_level IS NULL OR second_level IS NULL) ORDER BY id DESC"
            )
        )
        assert "ix_matches_behind" in str(plan.all())


def test_pauses_double_up_to_the_longest_and_end_with_success() -> None:
    backoff, now, pauses = Backoff(), 0.0, []
    for _ in range(6):
        backoff.fail("x", now, longest=10.0)
        backoff.fail("x", now, longest=10.0)  # concurrent failures count once
        began = now
        while backoff.is_waiting("x", now):
            now += 0.5
        pauses.append(now - began)
    assert pauses == [1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    assert backoff.has_failed("x")
    backoff.succeed("x")
    assert not backoff.is_waiting("x", now)
    assert not backoff.has_failed("x")


async def test_the_backoff_forgets_a_board_that_was_displayed_otherwise(tmp_path: Path) -> None:
    screen = Refusing(answer=Delivered.MESSAGE_REFUSED)
    async with sitting(tmp_path / "discade.db", screen=screen) as table:
        match = await people(table)
        await look(table)
        assert table.reconciler._backoff.has_failed(("board of match", match.id))
        assert screen.marks is not None
        screen.marks.board(match.id, match.version)  # by a press
        table.clock.advance(seconds=20)
        await look(table)
        assert not table.reconciler._backoff.has_failed(("board of match", match.id))


@dataclass
class Poisoned(Screen):
    """A display for which Discord always fails at the second match's board."""

    async def show(self, match: Match) -> Delivered:
        return Delivered.DISCORD_DOWN if match.id == 2 else await super().show(match)


async def test_a_board_that_discord_always_fails_at_does_not_block_the_others(tmp_path: Path) -> None:
    clock, screen = Clock(), Poisoned()
    async with sitting(tmp_path / "discade.db", clock=clock, screen=screen) as table:
        other, poison = await people(table), await people(table)
        await look_for_a_while(table, 5)
        await moved(table, poison)
        await look_for_a_while(table, 5)
        after = await moved(table, other)
        await look_for_a_while(table, 12)
        assert screen.shown[other.id][-1].version == after.version
