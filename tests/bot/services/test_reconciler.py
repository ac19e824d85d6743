"""What is behind is put right: found in the database, begun at once after a start, tried again, bounded."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.domain.challenge import Challenge, First
from bot.domain.errors import SetupError
from bot.domain.match import Location, Match
from bot.services.backoff import Backoff
from bot.services.ports import Delivered
from bot.services.reconciler import MAX_DELIVERIES_PER_CHANNEL, MAX_REQUESTS_PER_TICK
from bot.store.calls import Call, calls
from tests.bot.sittings import ADA, BEN, HERE, Clock, Screen, Sitting, sitting


@dataclass
class Refusing(Screen):
    """A display of which Discord says the same of every message."""

    answer: Delivered = Delivered.CHANNEL_REFUSED
    tries: list[int] = field(default_factory=list)

    async def show(self, match: Match) -> Delivered:
        self.tries.append(match.id)
        return self.answer

    async def show_challenge(self, _challenge: Challenge) -> Delivered:
        return self.answer

    async def remove(self, call: Call) -> Delivered:
        return self.answer if call.message_id not in self.calls else await super().remove(call)


async def people(table: Sitting, location: Location = HERE) -> Match:
    challenge = await table.services.challenges.send(ADA, BEN, "connect-four", location, first=First.ME)
    _, match = await table.services.challenges.accept(challenge.id, BEN)
    return await table.changes.attach(match.id, replace(location, message_id=1000 + match.id))


async def moved(table: Sitting, match: Match) -> Match:
    """The match after a move that is stored, and neither shown nor followed by anything."""
    person = ADA if match.seat_to_move.user_id == ADA.user_id else BEN
    return await table.services.playing.play(match.id, person, 3, turn=match.turn)


async def look(table: Sitting) -> None:
    await table.reconciler.run_once()
    await table.reconciler.drain()


async def test_a_restart_shows_what_was_not_shown_and_nothing_else(tmp_path: Path) -> None:
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


async def test_who_was_not_called_before_the_end_is_called_after_the_start_and_once(tmp_path: Path) -> None:
    file, clock, screen = tmp_path / "discade.db", Clock(), Screen()
    async with sitting(file, clock=clock, screen=screen) as before:
        match = await people(before)
        await look(before)
        screen.calls.clear()
        match = await moved(before, match)
    async with sitting(file, clock=clock, screen=screen) as after:
        await look(after)
        await after.services.background.drain()
        assert [called.seat_to_move.name for called in screen.calls.values()] == [BEN.name]
        await moved(after, match)
    async with sitting(file, clock=clock, screen=screen) as again:
        await look(again)
        assert [called.seat_to_move.name for called in screen.calls.values()] == [ADA.name], (
            "the one that had done its work went"
        )


async def test_a_call_is_known_before_it_is_sent_and_until_it_is_gone(tmp_path: Path) -> None:
    file, clock, screen = tmp_path / "discade.db", Clock(), Screen()
    async with sitting(file, clock=clock, screen=screen) as before:
        match = await people(before)
        call, _ = await before.stores.calls.replace(match, clock(), is_called=True)
        assert call is not None
        sent = await screen.call(match)  # and the process dies here
        assert isinstance(sent, int)
        await moved(before, match)
        (left,) = await before.stores.calls.left_behind(10)
        assert (left.id, left.message_id) == (call.id, None)
        await before.stores.calls.note({call.id: sent}, ())
    async with sitting(file, clock=clock, screen=screen) as after:
        await look(after)
        assert sent not in screen.calls
        assert (await after.stores.calls.left_behind(10)) == []


async def test_a_look_begins_little_at_once_and_less_in_one_channel(tmp_path: Path) -> None:
    screen = Refusing(answer=Delivered.DELIVERED)
    async with sitting(tmp_path / "discade.db", screen=screen) as table:
        for channel in range(MAX_REQUESTS_PER_TICK + 3):
            await people(table, Location(500 + channel, 5))
        await look(table)
        assert len(screen.tries) == MAX_REQUESTS_PER_TICK
    screen = Refusing(answer=Delivered.DELIVERED)
    async with sitting(tmp_path / "other.db", screen=screen) as table:
        for _ in range(MAX_DELIVERIES_PER_CHANNEL + 2):
            await people(table)
        await look(table)
        assert len(screen.tries) == MAX_DELIVERIES_PER_CHANNEL


async def test_while_nothing_can_be_put_right_it_asks_the_database_once_a_second_unless_somebody_hurries(
    tmp_path: Path,
) -> None:
    asked: list[datetime] = []

    def note(_c: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        if statement.startswith("SELECT matches.id, matches.channel_id"):
            asked.append(clock())

    screen = Refusing(answer=Delivered.DELIVERED)
    async with sitting(tmp_path / "discade.db", screen=screen) as table:
        clock = table.clock
        await look(table)
        await people(table)  # whose board is left to whoever began the match for a while
        table.reconciler.wake()
        sa.event.listen(sa.Engine, "before_cursor_execute", note)
        for _ in range(5):
            await look(table)
            clock.advance(seconds=0.5)
        table.reconciler.wake()
        await look(table)
        sa.event.remove(sa.Engine, "before_cursor_execute", note)
    assert [(at - asked[0]).total_seconds() for at in asked] == [0.0, 1.0, 2.0, 2.5]


async def test_a_channel_that_refuses_is_tried_by_one_board_and_later(tmp_path: Path) -> None:
    screen, clock = Refusing(answer=Delivered.CHANNEL_REFUSED), Clock()
    async with sitting(tmp_path / "discade.db", screen=screen, clock=clock) as table:
        for _ in range(4):
            await people(table)
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


async def test_what_is_gone_for_good_is_given_up(tmp_path: Path) -> None:
    screen, clock = Refusing(answer=Delivered.GONE), Clock()
    async with sitting(tmp_path / "discade.db", clock=clock, screen=screen) as table:
        match = await people(table)
        await look(table)
        assert (await table.stores.shown.stale_boards(10)) != [], "Discord may be mistaken once"
        for _ in range(3):
            clock.advance(seconds=2)
            await look(table)
        assert screen.tries == [match.id] * 2
        assert (await table.stores.shown.stale_boards(10)) == []


async def test_a_finished_match_is_given_up_after_a_day_where_nothing_may_be_written(tmp_path: Path) -> None:
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


async def test_an_invitation_that_became_a_board_is_right_and_another_is_shown(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        asked = await table.services.challenges.send(ADA, BEN, "connect-four", HERE)
        await table.changes.attach_challenge(asked.id, 70)
        _, match = await table.services.challenges.accept(asked.id, BEN)
        declined = await table.services.challenges.send(ADA, BEN, "othello", HERE)
        await table.changes.attach_challenge(declined.id, 80)
        await table.services.challenges.decline(declined.id, BEN)
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
            match = await self.table.changes.attach(match.id, replace(match.location, message_id=999))
        return await self.show(match)


async def test_an_accepted_invitation_becomes_the_board_and_no_other_is_sent(tmp_path: Path) -> None:
    file, screen = tmp_path / "discade.db", Sending()
    async with sitting(file) as before:
        asked = await before.services.challenges.send(ADA, BEN, "connect-four", HERE)
        await before.changes.attach_challenge(asked.id, 70)
        _, match = await before.services.challenges.accept(asked.id, BEN)  # and the process dies here
    async with sitting(file, screen=screen) as after:
        screen.table = after
        await look(after)
        assert (await after.services.matches.match(match.id)).location.message_id == 70
        assert (await after.stores.challenges.stale(10)) == []


async def test_a_match_whose_thread_is_gone_leaves_its_invitation_alone(tmp_path: Path) -> None:
    screen = Sending()
    async with sitting(tmp_path / "discade.db", screen=screen) as table:
        screen.table = table
        asked = await table.services.challenges.send(ADA, BEN, "connect-four", HERE)
        await table.changes.attach_challenge(asked.id, 70)
        _, match = await table.services.challenges.accept(asked.id, BEN)
        in_thread = replace(HERE, channel_id=70, message_id=71, parent_id=HERE.channel_id)
        await table.changes.attach(match.id, in_thread)
        await table.changes.move_out(70, HERE.channel_id)  # and who did that is about to send a new board
        await look(table)
        assert (await table.services.matches.match(match.id)).location.message_id != 70


async def test_invitations_that_nobody_ever_saw_keep_nobody_from_inviting(tmp_path: Path) -> None:
    clock = Clock()
    async with sitting(tmp_path / "discade.db", clock=clock) as table:
        for _ in range(3):
            await table.services.challenges.send(ADA, BEN, "connect-four", HERE)
        with pytest.raises(SetupError):
            await table.services.challenges.send(ADA, BEN, "connect-four", HERE)
        clock.advance(minutes=2)
        await table.services.challenges.send(ADA, BEN, "connect-four", HERE)


async def test_what_the_database_refuses_to_note_is_noted_later(tmp_path: Path) -> None:
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
async def test_the_boards_that_are_behind_are_found_by_an_index_of_nothing_else(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table, table.stores.database.reading() as connection:
        plan = await connection.execute(
            sa.text(
                "EXPLAIN QUERY PLAN SELECT id FROM matches WHERE shown_version < version "
                "AND (message_id IS NOT NULL OR first_level IS NULL OR second_level IS NULL) ORDER BY id DESC"
            )
        )
        assert "ix_matches_behind" in str(plan.all())


def test_pauses_grow_up_to_the_longest_and_end_with_success() -> None:
    backoff, now, pauses = Backoff(), 0.0, []
    for _ in range(6):
        backoff.fail("x", now, longest=10.0)
        backoff.fail("x", now, longest=10.0)  # what was under way at the same time counts once
        began = now
        while backoff.is_waiting("x", now):
            now += 0.5
        pauses.append(now - began)
    assert pauses == [1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    assert backoff.has_failed("x")
    backoff.succeed("x")
    assert not backoff.is_waiting("x", now)
    assert not backoff.has_failed("x")


@dataclass
class Mute(Screen):
    """A display that Discord does not let call anybody."""

    says: Delivered | None = None
    tries: int = 0

    async def call(self, match: Match) -> int | Delivered:
        self.tries += 1
        return await super().call(match) if self.says is None else self.says


@pytest.mark.parametrize("says", [Delivered.DISCORD_DOWN, Delivered.CHANNEL_REFUSED])
async def test_who_could_not_be_called_is_called_as_soon_as_discord_lets_the_bot(
    tmp_path: Path, says: Delivered
) -> None:
    screen, clock = Mute(), Clock()
    async with sitting(tmp_path / "discade.db", clock=clock, screen=screen) as table:
        match = await people(table)
        await look(table)
        screen.says = says
        table.services.pings.ping(await moved(table, match))
        await table.services.background.drain()
        tries = screen.tries
        for _ in range(60):
            clock.advance(seconds=1)
            await look(table)
        assert tries + 3 <= screen.tries <= tries + 7, "less and less often"
        assert not screen.calls
        screen.says = None
        clock.advance(seconds=70)
        await look(table)
        clock.advance(seconds=70)
        await look(table)
        assert len(screen.calls) == 1
        tries = screen.tries
        clock.advance(seconds=10)
        await look(table)
        assert screen.tries == tries


@dataclass
class Deduplicating(Screen):
    """A Discord that takes its time, and gives the same message for the same nonce."""

    sent: dict[tuple[int, int], int] = field(default_factory=dict)

    async def call(self, match: Match) -> int | Delivered:
        key = match.id, match.version
        if key not in self.sent:
            sent = await super().call(match)
            assert isinstance(sent, int)
            self.sent[key] = sent
        await asyncio.sleep(0.02)
        return self.sent[key]


async def test_two_who_call_to_the_same_turn_at_once_leave_one_call_standing(tmp_path: Path) -> None:
    screen, clock = Deduplicating(), Clock()
    async with sitting(tmp_path / "discade.db", clock=clock, screen=screen) as table:
        match = await moved(table, await people(table))
        table.services.pings.ping(match)
        await asyncio.sleep(0.01)
        await table.services.pings.ping_again(match.id)
        table.services.pings.ping(match)
        await table.services.background.drain()
        for _ in range(8):
            clock.advance(seconds=20)
            await look(table)
        assert list(screen.calls) == [screen.sent[match.id, match.version]]
        assert await table.stores.calls.stand(match)


class Slow(Screen):
    """Both searches have come back before either message is deleted."""

    async def find_calls(
        self, lost: Sequence[Call], match: Match | None = None
    ) -> tuple[int, ...] | Delivered:
        found = await super().find_calls(lost, match)
        await asyncio.sleep(0.05)
        return found

    async def remove(self, call: Call) -> Delivered:
        return Delivered.GONE if call.message_id not in self.calls else await super().remove(call)


async def test_a_lost_call_to_the_turn_that_ended_the_match_goes_too(tmp_path: Path) -> None:
    file, clock, screen = tmp_path / "discade.db", Clock(), Slow()
    async with sitting(file, clock=clock, screen=screen) as before:
        match = await people(before)
        await look(before)
        screen.calls.clear()
        await before.stores.calls.replace(match, clock(), is_called=True)
        await screen.call(match)  # and the process dies before it knows the message,
        match = await moved(before, await moved(before, match))
        match = await before.services.playing.resign(
            match.id, ADA
        )  # the next one before it says that it has no use
    clock.advance(seconds=90)  # whoever was sending it has ended
    async with sitting(file, clock=clock, screen=screen) as after:
        for _ in range(4):
            await look(after)
            clock.advance(seconds=10)
        assert not screen.calls
        assert (await after.stores.calls.left_behind(10)) == []


@pytest.mark.parametrize("away", [0, 90])
async def test_who_was_called_just_before_the_end_is_not_called_again(tmp_path: Path, away: int) -> None:
    file, clock, screen = tmp_path / "discade.db", Clock(), Slow()
    async with sitting(file, clock=clock, screen=screen) as before:
        match = await moved(before, await moved(before, await people(before)))
        await look(before)
        for _ in range(2):
            match = await moved(before, match)
            before.services.pings.ping(match)
            await before.services.background.drain()  # and the process dies before it has noted the messages
    clock.advance(seconds=away)
    async with sitting(file, clock=clock, screen=screen) as after:
        await look(after)
        await after.services.background.drain()
        for _ in range(4):
            clock.advance(seconds=10)
            await look(after)
        assert [(called.turn, called.to_move) for called in screen.calls.values()] == [(4, match.to_move)]
        assert await after.stores.calls.stand(match), "the message was found"
        match = await moved(after, match)
        after.services.pings.ping(match)
        await after.services.background.drain()
        assert [called.turn for called in screen.calls.values()] == [5]


async def test_a_call_that_was_deleted_while_it_was_sent_goes(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        match = await moved(table, await people(table))
        table.services.pings.ping(match)
        await table.services.background.drain()
        assert len(table.screen.calls) == 1
        async with table.stores.database.writing() as connection:
            await connection.execute(sa.delete(calls))
        first = set(table.screen.calls)
        await look(table)
        assert first.isdisjoint(table.screen.calls)


async def test_a_call_that_two_processes_made_together_stays(tmp_path: Path) -> None:
    """To Discord it is one message; the other process has noted it as its own."""
    async with sitting(tmp_path / "discade.db") as table:
        match = await moved(table, await people(table))
        table.services.pings.ping(match)
        await table.services.background.drain()
        (message,) = table.screen.calls
        async with table.stores.database.writing() as connection:
            await connection.execute(sa.delete(calls))
        other = await table.stores.calls.begin(match, table.clock())
        await table.stores.calls.begin(match, table.clock())
        async with table.stores.database.writing() as connection:
            await connection.execute(sa.delete(calls).where(calls.c.id == other.id))
        theirs = await table.stores.calls.unknown(match)
        assert theirs is not None
        await table.stores.calls.note({theirs.id: message}, ())
        await look(table)
        await look(table)
        assert list(table.screen.calls) == [message]


@dataclass
class Waiting(Screen):
    """A Discord that lets a call wait until it may go, and notes what is searched."""

    may: asyncio.Event = field(default_factory=asyncio.Event)
    searches: int = 0

    async def call(self, match: Match) -> int | Delivered:
        await self.may.wait()
        return await super().call(match)

    async def find_calls(
        self, lost: Sequence[Call], match: Match | None = None
    ) -> tuple[int, ...] | Delivered:
        self.searches += 1
        return await super().find_calls(lost, match)


async def test_a_call_that_waits_for_discord_is_not_given_up_before_it_is_sent(tmp_path: Path) -> None:
    file, clock, screen = tmp_path / "discade.db", Clock(), Waiting()
    async with sitting(file, clock=clock, screen=screen) as before:
        match = await people(before)
        for _ in range(2):
            match = await moved(before, match)
            before.services.pings.ping(match)
            await asyncio.sleep(0)
        for _ in range(4):
            clock.advance(seconds=10)
            await before.reconciler.run_once()
            await asyncio.sleep(0.05)
        assert not screen.searches, "it is known where they are"
        screen.may.set()
        await before.services.background.drain()
        assert screen.calls, "and the process dies before it has noted the message"
    clock.advance(seconds=90)
    async with sitting(file, clock=clock, screen=screen) as after:
        for _ in range(4):
            await look(after)
            clock.advance(seconds=10)
        assert [called.turn for called in screen.calls.values()] == [match.turn]


@dataclass
class LateToTell(Screen):
    """A search that says what it found once the message is noted."""

    asked: asyncio.Event = field(default_factory=asyncio.Event)
    told: asyncio.Event = field(default_factory=asyncio.Event)

    async def find_calls(
        self, lost: Sequence[Call], match: Match | None = None
    ) -> tuple[int, ...] | Delivered:
        found = await super().find_calls(lost, match)
        if match is None:
            self.asked.set()
            await self.told.wait()
        return found


async def test_a_call_whose_message_is_noted_while_it_is_looked_for_is_not_forgotten(tmp_path: Path) -> None:
    file, clock, screen = tmp_path / "discade.db", Clock(), LateToTell()
    async with sitting(file, clock=clock, screen=screen) as before:
        match = await moved(before, await people(before))
        call, _ = await before.stores.calls.replace(match, clock(), is_called=True)
        assert call is not None
        message = await screen.call(match)  # and the process dies before it has noted it
        assert isinstance(message, int)
        await before.services.playing.resign(match.id, ADA)
    async with sitting(file, clock=clock, screen=screen) as after:
        await after.reconciler.run_once()
        await screen.asked.wait()
        await after.stores.calls.note({call.id: message}, ())
        screen.told.set()
        await after.reconciler.drain()
        assert message in screen.calls
        for _ in range(4):
            clock.advance(seconds=10)
            await look(after)
        assert message not in screen.calls, "it has done its work"


async def test_two_lost_calls_of_one_match_both_go(tmp_path: Path) -> None:
    screen, clock = Slow(), Clock()
    async with sitting(tmp_path / "discade.db", clock=clock, screen=screen) as table:
        match = await people(table)
        for _ in range(2):
            await table.stores.calls.replace(match, clock(), is_called=True)
            await screen.call(match)
        lost = set(screen.calls)
        await table.stores.calls.replace(match, clock(), is_called=False)
        for _ in range(4):
            await table.reconciler.run_once()
            await table.reconciler.drain()
            clock.advance(seconds=10)
        assert len(lost) == 2
        assert lost.isdisjoint(screen.calls)
        assert (await table.stores.calls.left_behind(10)) == []


@dataclass
class Blind(Screen):
    """A Discord that says the same whenever a call is looked for, or taken back."""

    found: Delivered | None = None
    removed: Delivered | None = None
    searches: list[timedelta] = field(default_factory=list)

    async def find_calls(
        self, lost: Sequence[Call], match: Match | None = None
    ) -> tuple[int, ...] | Delivered:
        self.searches.append(lost[-1].called_at - lost[0].called_at)
        return await super().find_calls(lost, match) if self.found is None else self.found

    async def remove(self, call: Call) -> Delivered:
        return await super().remove(call) if self.removed is None else self.removed


async def lost_call(table: Sitting, match: Match) -> None:
    """A call that has done its work, and of whose message nobody knows."""
    await table.stores.calls.replace(match, table.clock(), is_called=True)
    await table.screen.call(match)
    await table.stores.calls.replace(match, table.clock(), is_called=False)


async def look_for_a_while(table: Sitting, times: int = 12) -> None:
    for _ in range(times):
        await look(table)
        table.clock.advance(seconds=20)


async def test_a_lost_call_in_a_channel_that_is_gone_is_given_up(tmp_path: Path) -> None:
    screen = Blind(found=Delivered.GONE)
    async with sitting(tmp_path / "discade.db", screen=screen) as table:
        await lost_call(table, await people(table))
        await look_for_a_while(table)
        assert (await table.stores.calls.left_behind(10)) == []
        assert len(screen.searches) == 2, "Discord is believed the second time"


async def test_where_no_call_may_be_looked_for_boards_are_shown_and_in_the_end_it_is_given_up(
    tmp_path: Path,
) -> None:
    screen = Blind(found=Delivered.CHANNEL_REFUSED)
    async with sitting(tmp_path / "discade.db", screen=screen) as table:
        match = await people(table)
        await look(table)
        await lost_call(table, match)
        await look_for_a_while(table, 4)
        match = await moved(table, match)
        await look(table)
        table.clock.advance(seconds=2)
        await look(table)
        assert screen.shown[match.id][-1].version == match.version
        assert await table.stores.calls.left_behind(10)
        table.clock.advance(days=2)
        await look(table)
        assert (await table.stores.calls.left_behind(10)) == []


async def test_a_call_that_may_not_be_taken_back_is_given_up_after_a_day_and_keeps_no_other_from_it(
    tmp_path: Path,
) -> None:
    screen = Blind(removed=Delivered.CHANNEL_REFUSED)
    async with sitting(tmp_path / "discade.db", screen=screen) as table:
        for _ in range(2):
            match = await people(table)
            table.services.pings.ping(match)
            await table.services.background.drain()
            await look(table)
            table.services.pings.ping(await table.services.playing.resign(match.id, ADA))
            await table.services.background.drain()
        await look(table)
        assert [call.match_id for call in (await table.stores.calls.left_behind(1))] == [match.id]
        await look_for_a_while(table)
        assert len(await table.stores.calls.left_behind(10)) == 2
        table.clock.advance(days=2)
        await look_for_a_while(table, 60)
        assert (await table.stores.calls.left_behind(10)) == []


async def test_calls_that_were_lost_on_different_days_are_looked_for_one_by_one(tmp_path: Path) -> None:
    """One search sees no more than a thousand messages."""
    screen = Blind()
    async with sitting(tmp_path / "discade.db", screen=screen) as table:
        match = await people(table)
        await look(table)
        for _ in range(2):
            await lost_call(table, match)
            table.clock.advance(hours=9)
        await look_for_a_while(table, 4)
        assert (await table.stores.calls.left_behind(10)) == []
        assert max(screen.searches) < timedelta(minutes=5)


async def test_what_failed_and_was_shown_by_somebody_else_is_not_remembered_for_ever(tmp_path: Path) -> None:
    screen = Refusing(answer=Delivered.MESSAGE_REFUSED)
    async with sitting(tmp_path / "discade.db", screen=screen) as table:
        match = await people(table)
        await look(table)
        assert table.reconciler._backoff.has_failed(("board of match", match.id))
        screen.marks.board(match.id, match.version)  # by a press
        table.clock.advance(seconds=20)
        await look(table)
        assert not table.reconciler._backoff.has_failed(("board of match", match.id))


@pytest.mark.parametrize(("times", "called"), [(1, True), (99, False)])
async def test_that_there_is_nowhere_to_call_anybody_is_believed_the_second_time(
    tmp_path: Path, times: int, called: bool
) -> None:
    screen, clock = Mute(), Clock()
    async with sitting(tmp_path / "discade.db", clock=clock, screen=screen) as table:
        match = await people(table)
        await look(table)
        screen.says, screen.tries = Delivered.GONE, 0
        table.services.pings.ping(await moved(table, match))
        await table.services.background.drain()
        screen.says = None if times == 1 else Delivered.GONE
        await look_for_a_while(table)
        assert (1 in [match.turn for match in screen.calls.values()]) is called
        assert screen.tries == (2 if times == 1 else 3)


async def test_who_was_not_called_since_discord_was_away_for_long_is_called_after_a_start(
    tmp_path: Path,
) -> None:
    file, clock, screen = tmp_path / "discade.db", Clock(), Mute()
    async with sitting(file, clock=clock, screen=screen) as before:
        match = await people(before)
        await look(before)
        screen.says = Delivered.DISCORD_DOWN
        before.services.pings.ping(await moved(before, match))
        await before.services.background.drain()
        clock.advance(minutes=20)
        await before.services.starting.start(ADA, "connect-four", "pip", First.ME, HERE, rated=False)
    screen.says = None
    async with sitting(file, clock=clock, screen=screen) as after:
        await look(after)
        await look(after)
        assert [called.turn for called in screen.calls.values()] == [1]


@dataclass
class Unwarned(Screen):
    """A display that Discord does not let warn anybody."""

    says: Delivered | None = None

    async def warn(self, match: Match) -> int | Delivered:
        return await super().warn(match) if self.says is None else self.says


@pytest.mark.parametrize("is_killed", [False, True])
async def test_a_warning_that_was_never_sent_is_sent_later(tmp_path: Path, is_killed: bool) -> None:
    """Against an agent, where nobody is ever called to their turn."""
    file, clock, screen = tmp_path / "discade.db", Clock(), Unwarned(says=Delivered.CHANNEL_REFUSED)
    async with sitting(file, clock=clock, screen=screen) as before:
        match = await before.services.starting.start(
            ADA, "connect-four", "pip", First.ME, HERE, rated=False, clock_seconds=3600
        )
        await look(before)
        clock.advance(minutes=50)
        if is_killed:
            await before.changes.of_match(match.id, lambda match, _now: match.warn())
        else:
            await before.services.clocks.tick()
            await before.services.background.drain()
            screen.says = None
            await look_for_a_while(before, 3)
    screen.says = None
    async with sitting(file, clock=clock, screen=screen) as after:
        await look(after)
        assert [warned.turn for warned in screen.warnings] == [match.turn]
        assert len(screen.calls) == 1, "and is called to nothing else"


@pytest.mark.parametrize(
    ("says", "is_killed"),
    [(Delivered.DISCORD_DOWN, False), (Delivered.DISCORD_DOWN, True), (Delivered.CHANNEL_REFUSED, False)],
)
async def test_who_was_called_to_their_turn_is_warned_later_where_discord_did_not_take_it(
    tmp_path: Path, says: Delivered, is_killed: bool
) -> None:
    file, clock, screen = tmp_path / "discade.db", Clock(), Unwarned(says=says)
    async with sitting(file, clock=clock, screen=screen) as table:
        challenge = await table.services.challenges.send(
            ADA, BEN, "connect-four", HERE, first=First.ME, clock_seconds=3600
        )
        _, match = await table.services.challenges.accept(challenge.id, BEN)
        match = await table.changes.attach(match.id, replace(HERE, message_id=1000))
        table.services.pings.ping(match)
        await table.services.background.drain()
        await look(table)
        clock.advance(minutes=50)
        await table.services.clocks.tick()
        await table.services.background.drain()
        await look_for_a_while(table, 3)
        if not is_killed:
            screen.says = None
            await look_for_a_while(table, 30)
    screen.says = None
    async with sitting(file, clock=clock, screen=screen) as table:
        await look_for_a_while(table, 3)
    assert [warned.turn for warned in screen.warnings] == [match.turn]
    assert len(screen.calls) == 1, "the warning took the call's place"


@dataclass
class Poisoned(Screen):
    """A display of which Discord can never answer for the second match's board."""

    async def show(self, match: Match) -> Delivered:
        return Delivered.DISCORD_DOWN if match.id == 2 else await super().show(match)


async def test_a_board_that_discord_always_fails_at_keeps_no_other_from_being_shown(tmp_path: Path) -> None:
    clock, screen = Clock(), Poisoned()
    async with sitting(tmp_path / "discade.db", clock=clock, screen=screen) as table:
        other, poison = await people(table), await people(table)
        await look_for_a_while(table, 5)
        await moved(table, poison)
        await look_for_a_while(table, 5)
        after = await moved(table, other)
        await look_for_a_while(table, 12)
        assert screen.shown[other.id][-1].version == after.version
