"""Turn pings: the player to act is pinged once despite faults, and earlier pings are deleted."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.domain.errors import Unavailable
from bot.domain.match import Match
from bot.domain.terms import First
from bot.domain.turn_ping import CLOCK, DRAW, ask_of
from bot.services.ports import Delivered
from bot.store.match_rows import ASK, IS_PING_STALE, matches
from tests.bot.made_once import locked
from tests.bot.services.test_agent_runner import hasty
from tests.bot.services.test_reconciler import look, moved, people
from tests.bot.sittings import ADA, BEN, HERE, Clock, Screen, Sitting, sitting, terms_of


async def pair(table: Sitting, **choices: Any) -> Match:
    """A match of Ada, who begins, and Ben, without any ping so far."""
    challenge = await table.services.challenges.send(
        ADA, BEN, terms_of("connect-four", first=First.ME, **choices), HERE
    )
    return (await table.services.challenges.accept(challenge.id, BEN))[1]


async def pinged(table: Sitting, match: Match) -> Match:
    """The match after a move that is stored and followed by a ping."""
    match = await moved(table, match)
    table.services.pings.ping(match)
    await table.services.background.drain()
    return match


async def look_for_a_while(table: Sitting, times: int = 12) -> None:
    for _ in range(times):
        await look(table)
        table.clock.advance(seconds=20)


def turns(screen: Screen) -> list[int]:
    """The turns of the pings that stand."""
    return [match.turn for match in screen.pings.values()]


async def test_a_ping_missing_after_a_crash_is_sent_once(tmp_path: Path) -> None:
    file, clock, screen = tmp_path / "discade.db", Clock(), Screen()
    async with sitting(file, clock=clock, screen=screen) as before:
        match = await people(before)
        await look(before)
        assert turns(screen) == [0]
        match = await moved(before, match)  # and the process dies here
    async with sitting(file, clock=clock, screen=screen) as after:
        await look(after)
        assert [match.seat_to_move.name for match in screen.pings.values()] == [BEN.name]
        await moved(after, match)
    async with sitting(file, clock=clock, screen=screen) as again:
        await look(again)
        assert [match.seat_to_move.name for match in screen.pings.values()] == [ADA.name]


@pytest.mark.parametrize("moves", [1, 2, 3])
async def test_a_ping_sent_just_before_a_crash_is_found_and_not_repeated(tmp_path: Path, moves: int) -> None:
    file, clock, screen = tmp_path / "discade.db", Clock(), Screen()
    async with sitting(file, clock=clock, screen=screen) as before:
        match = await people(before)
        await look(before)
        for _ in range(moves):
            match = await pinged(before, match)  # and the process dies before it has stored the messages
        standing = list(screen.pings)
    clock.advance(seconds=90)
    async with sitting(file, clock=clock, screen=screen) as after:
        await look_for_a_while(after, 4)
        assert list(screen.pings) == standing, "the message was found"
        match = await pinged(after, match)
        assert turns(screen) == [match.turn]


async def test_an_unknown_ping_is_deleted_once_the_match_is_over(tmp_path: Path) -> None:
    file, clock, screen = tmp_path / "discade.db", Clock(), Screen()
    async with sitting(file, clock=clock, screen=screen) as before:
        match = await people(before)
        await look(before)
        match = await pinged(before, match)  # and the process dies before it has stored the message
        await before.services.playing.resign(match.id, ADA)
    async with sitting(file, clock=clock, screen=screen) as after:
        await look_for_a_while(after, 4)
        assert not screen.pings
        assert not await after.stores.pings.stale(10)


async def test_one_of_two_unknown_pings_stays(tmp_path: Path) -> None:
    file, clock, screen = tmp_path / "discade.db", Clock(), Screen()
    async with sitting(file, clock=clock, screen=screen) as before:
        match = await people(before)
        await look(before)
        match = await moved(before, await moved(before, await moved(before, match)))
        for turn in (1, 3):
            await screen.ping(replace(match, turn=turn))  # and the process dies before it has stored them
    async with sitting(file, clock=clock, screen=screen) as after:
        await look_for_a_while(after, 4)
        assert turns(screen) == [3]
        await after.services.playing.resign(match.id, ADA)
        await look_for_a_while(after, 2)
        assert not screen.pings


@dataclass
class Mute(Screen):
    """A Discord that refuses pings, deletions or searches."""

    says: Delivered | None = None
    deletes: Delivered | None = None
    finds: Delivered | None = None
    tries: int = 0

    async def ping(self, match: Match) -> int | Delivered:
        self.tries += 1
        return await super().ping(match) if self.says is None else self.says

    async def delete_ping(self, channel_id: int, message_id: int) -> Delivered:
        return await super().delete_ping(channel_id, message_id) if self.deletes is None else self.deletes

    async def find_pings(self, match: Match, since: int | None) -> Mapping[int, bool] | Delivered:
        return await super().find_pings(match, since) if self.finds is None else self.finds


async def test_a_ping_that_was_deleted_before_a_crash_is_not_deleted_again(tmp_path: Path) -> None:
    file, clock, screen = tmp_path / "discade.db", Clock(), Screen()
    async with sitting(file, clock=clock, screen=screen) as before:
        match = await people(before)
        await look(before)
        match = await pinged(before, match)  # and the process dies before it has stored the message
        (deleted,) = screen.deleted
    async with sitting(file, clock=clock, screen=screen) as after:
        await look_for_a_while(after, 4)
        assert turns(screen) == [match.turn]
    assert screen.deleted == [deleted]


async def test_a_first_ping_is_deleted_although_the_match_ends_between_two_crashes(tmp_path: Path) -> None:
    file, clock, screen = tmp_path / "discade.db", Clock(), Mute()
    async with sitting(file, clock=clock, screen=screen) as before:
        match = await pair(before)
        await before.changes.attach(match.id, replace(HERE, message_id=60))
        match = await pinged(before, match)  # and the process dies before it has stored the message
        assert screen.pings
    screen.finds = Delivered.DISCORD_DOWN
    async with sitting(file, clock=clock, screen=screen) as between:
        await look_for_a_while(between, 2)
        await between.services.playing.resign(match.id, ADA)
        await between.services.background.drain()
        await look(between)
    screen.finds = None
    async with sitting(file, clock=clock, screen=screen) as after:
        await look_for_a_while(after, 4)
        assert not screen.pings


@pytest.mark.parametrize("says", [Delivered.DISCORD_DOWN, Delivered.CHANNEL_REFUSED])
async def test_a_person_who_could_not_be_pinged_is_pinged_after_the_fault(
    tmp_path: Path, says: Delivered
) -> None:
    screen, clock = Mute(), Clock()
    async with sitting(tmp_path / "discade.db", clock=clock, screen=screen) as table:
        match = await people(table)
        await look(table)
        screen.says = says
        await pinged(table, match)
        tries = screen.tries
        for _ in range(60):
            clock.advance(seconds=1)
            await look(table)
        assert tries + 3 <= screen.tries <= tries + 7, "less and less often"
        screen.says = None
        for _ in range(2):
            clock.advance(seconds=70)
            await look(table)
        assert turns(screen) == [1]
        tries = screen.tries
        clock.advance(seconds=10)
        await look(table)
        assert screen.tries == tries


@pytest.mark.parametrize(("times", "is_pinged"), [(1, True), (99, False)])
async def test_a_missing_channel_is_believed_the_second_time(
    tmp_path: Path, times: int, is_pinged: bool
) -> None:
    screen, clock = Mute(), Clock()
    async with sitting(tmp_path / "discade.db", clock=clock, screen=screen) as table:
        match = await people(table)
        await look(table)
        screen.says = Delivered.GONE
        await pinged(table, match)
        screen.says, screen.tries = None if times == 1 else Delivered.GONE, 0
        await look_for_a_while(table)
        assert (1 in turns(screen)) is is_pinged
        assert screen.tries == (1 if times == 1 else 2)


async def test_a_ping_missing_after_a_long_outage_is_sent_after_the_start(
    tmp_path: Path,
) -> None:
    file, clock, screen = tmp_path / "discade.db", Clock(), Mute()
    async with sitting(file, clock=clock, screen=screen) as before:
        match = await people(before)
        await look(before)
        screen.says = Delivered.DISCORD_DOWN
        await pinged(before, match)
        clock.advance(minutes=20)
    screen.says = None
    async with sitting(file, clock=clock, screen=screen) as after:
        await look_for_a_while(after, 3)
        assert turns(screen) == [1]


async def test_a_ping_is_sent_again_in_a_channel_without_history(tmp_path: Path) -> None:
    file, clock, screen = tmp_path / "discade.db", Clock(), Mute()
    async with sitting(file, clock=clock, screen=screen) as before:
        match = await people(before)
        await look(before)
        await moved(before, match)
    screen.finds = Delivered.CHANNEL_REFUSED
    async with sitting(file, clock=clock, screen=screen) as after:
        await look_for_a_while(after, 3)
        assert turns(screen) == [1]


@pytest.mark.parametrize("says", [Delivered.CHANNEL_REFUSED, Delivered.MESSAGE_REFUSED])
async def test_deleting_a_ping_is_tried_for_a_day_and_does_not_block_others(
    tmp_path: Path, says: Delivered
) -> None:
    screen = Mute()
    async with sitting(tmp_path / "discade.db", screen=screen) as table:
        matches = [await people(table) for _ in range(2)]
        await look_for_a_while(table, 2)
        screen.deletes = says
        matches = [await pinged(table, match) for match in matches]
        assert sorted(turns(screen)) == [0, 0, 1, 1]
        await look_for_a_while(table)
        screen.deletes = None
        table.clock.advance(minutes=20)
        await look_for_a_while(table, 4)
        assert turns(screen) == [1, 1]
        screen.deletes = says
        await pinged(table, matches[0])
        table.clock.advance(days=2)
        await look_for_a_while(table, 4)
        assert not table.services.pings._old


@dataclass
class Deduplicating(Screen):
    """A Discord that takes its time, and gives the same message for the same nonce."""

    sent: dict[tuple[int, int], int] = field(default_factory=dict)

    async def ping(self, match: Match) -> int | Delivered:
        key = match.id, match.turn
        if key not in self.sent:
            sent = await super().ping(match)
            assert isinstance(sent, int)
            self.sent[key] = sent
        await asyncio.sleep(0.02)
        return self.sent[key]


async def test_two_concurrent_pings_of_the_same_turn_leave_one(tmp_path: Path) -> None:
    screen, clock = Deduplicating(), Clock()
    async with sitting(tmp_path / "discade.db", clock=clock, screen=screen) as table:
        match = await moved(table, await people(table))
        for _ in range(2):
            table.services.pings.ping(match)
            await asyncio.sleep(0.01)
        await table.services.background.drain()
        await look_for_a_while(table, 8)
        assert list(screen.pings) == [screen.sent[match.id, match.turn]]


async def test_a_ping_that_two_processes_sent_together_stays(tmp_path: Path) -> None:
    """To Discord it is one message."""
    file, clock, screen = tmp_path / "discade.db", Clock(), Deduplicating()
    async with (
        sitting(file, clock=clock, screen=screen) as one,
        sitting(file, clock=clock, screen=screen) as other,
    ):
        match = await moved(one, await people(one))
        for table in (one, other):
            table.services.pings.ping(match)
        for table in (one, other):
            await table.services.background.drain()
            await look_for_a_while(table, 3)
        assert list(screen.pings) == [screen.sent[match.id, match.turn]]


@dataclass
class Waiting(Screen):
    """A Discord that lets a ping wait until it may go."""

    may: asyncio.Event = field(default_factory=asyncio.Event)
    tries: int = 0

    async def ping(self, match: Match) -> int | Delivered:
        self.tries += 1
        await self.may.wait()
        return await super().ping(match)


async def test_a_ping_that_waits_for_discord_is_not_sent_a_second_time(tmp_path: Path) -> None:
    clock, screen = Clock(), Waiting()
    async with sitting(tmp_path / "discade.db", clock=clock, screen=screen) as table:
        screen.may.set()
        begun = await people(table)
        screen.may.clear()
        screen.tries = 0
        match = await moved(table, begun)
        for _ in range(4):
            await asyncio.sleep(0.05)
            clock.advance(seconds=10)
            await table.reconciler.run_once()
        assert screen.tries == 1
        screen.may.set()
        await table.services.background.drain()
        await look_for_a_while(table, 3)
        assert screen.tries == 1
        assert turns(screen) == [match.turn]


@dataclass
class Unwarned(Screen):
    """A Discord that refuses clock warnings."""

    says: Delivered | None = None

    async def ping(self, match: Match) -> int | Delivered:
        is_warning = match.warned_turn == match.turn
        return self.says if is_warning and self.says is not None else await super().ping(match)


@pytest.mark.parametrize("is_killed", [False, True])
async def test_a_warning_against_an_agent_that_was_never_sent_is_sent_later(
    tmp_path: Path, is_killed: bool
) -> None:
    file, clock = tmp_path / "discade.db", Clock()
    screen = Unwarned(says=Delivered.CHANNEL_REFUSED)
    async with sitting(file, clock=clock, screen=screen) as before:
        match = await before.services.starting.start(
            ADA, terms_of("connect-four", first=First.ME, rated=False, clock_seconds=3600), "pip", HERE
        )
        await before.changes.attach(match.id, replace(HERE, message_id=60))
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
        await look_for_a_while(after, 2)
        assert [match.warned_turn for match in screen.pings.values()] == [match.turn]
        await after.services.playing.play(match.id, ADA, 3, turn=match.turn)
        await after.services.background.drain()
        assert not screen.pings, "the warning has done its work"


@pytest.mark.parametrize("is_killed", [False, True])
async def test_the_warning_of_the_clock_takes_the_pings_place(tmp_path: Path, is_killed: bool) -> None:
    file, clock = tmp_path / "discade.db", Clock()
    screen = Unwarned(says=Delivered.DISCORD_DOWN)
    async with sitting(file, clock=clock, screen=screen) as table:
        challenge = await table.services.challenges.send(
            ADA, BEN, terms_of("connect-four", first=First.ME, clock_seconds=3600), HERE
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
        assert [match.warned_turn for match in screen.pings.values()] == [None]
        if not is_killed:
            screen.says = None
            await look_for_a_while(table, 30)
    screen.says = None
    async with sitting(file, clock=clock, screen=screen) as table:
        await look_for_a_while(table, 3)
    assert [match.warned_turn for match in screen.pings.values()] == [0]


async def test_a_ping_follows_a_board_that_has_moved(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        match = await pinged(table, await people(table))
        match = await table.changes.attach(match.id, replace(HERE, channel_id=77, message_id=78))
        table.services.pings.ping(match)
        await table.services.background.drain()
        assert [match.location.channel_id for match in table.screen.pings.values()] == [77]
        assert table.screen.deleted[-1][0] == HERE.channel_id


async def test_an_offer_pings_the_other_and_its_answer_pings_back(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        begun = await people(table)
        playing = table.services.playing
        for change in (playing.offer_draw(begun.id, ADA), playing.answer_draw(begun.id, BEN, False)):
            match = await change
            table.services.pings.ping(match)
            await table.services.background.drain()
            (standing,) = table.screen.pings.values()
            assert standing.draw_offer == match.draw_offer


async def test_a_side_that_offers_and_moves_several_times_pings_the_other_once(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        asked = await table.services.challenges.send(ADA, BEN, terms_of("kalah", first=First.ME), HERE)
        match = (await table.services.challenges.accept(asked.id, BEN))[1]
        pings = []
        for act in (
            table.services.playing.offer_draw(match.id, ADA),
            table.services.playing.play(match.id, ADA, 2),  # the last seed falls into her store: again
            table.services.playing.play(match.id, ADA, 0),
        ):
            table.services.pings.ping(await act)
            await table.services.background.drain()
            pings += [list(table.screen.pings)]
        offered, again, moved = pings
        assert offered == again, "Ben is asked for nothing new"
        assert len(moved) == 1
        assert moved != offered, "it is his turn now"


async def test_the_ask_of_a_match_is_the_same_in_sql(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        playing = table.services.playing
        match = await people(table)
        offered = await playing.offer_draw((await people(table)).id, ADA)
        over = await playing.resign((await people(table)).id, ADA)
        asked = await table.services.challenges.send(
            ADA, BEN, terms_of("connect-four", first=First.ME, rated=False), HERE
        )
        casual = (await table.services.challenges.accept(asked.id, BEN))[1]
        undone = await playing.ask_undo((await moved(table, casual)).id, ADA)
        alone = await table.services.starting.start(
            ADA, terms_of("connect-four", first=First.ME), "pip", HERE
        )
        warned = await table.changes.of_match(alone.id, lambda match, _now: match.warn())
        async with table.stores.database.reading() as connection:
            rows = await connection.execute(sa.select(matches.c.id, sa.literal_column(ASK)))
        found = {row[0]: row[1] for row in rows}
        for one in (match, offered, over, undone, warned):
            assert found[one.id] == ask_of(one)


@pytest.mark.sqlite
async def test_stale_pings_are_found_by_a_partial_index(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table, table.stores.database.reading() as connection:
        plan = await connection.execute(
            sa.text(f"EXPLAIN QUERY PLAN SELECT id FROM matches WHERE {IS_PING_STALE} ORDER BY id DESC")
        )
        assert "ix_matches_pings" in str(plan.all())


# With the database


@pytest.mark.sqlite
async def test_pings_are_sent_once_although_the_database_is_locked(tmp_path: Path) -> None:
    file = tmp_path / "discade.db"
    async with hasty(file) as table:
        match = await pair(table)
        for turn, person in enumerate((ADA, BEN, ADA)):
            match = await table.services.playing.play(match.id, person, 3, turn=turn)
            with locked(file):
                table.services.pings.ping(match)
                await table.services.background.drain()
            assert turns(table.screen) == [match.turn], "the one before went"
        await look_for_a_while(table, 3)
        assert turns(table.screen) == [3]
        assert not await table.stores.pings.stale(10)


@dataclass
class Editing(Screen):
    """A Discord that takes its time for a board."""

    may: asyncio.Event = field(default_factory=asyncio.Event)

    async def show(self, match: Match) -> Delivered:
        await self.may.wait()
        return await super().show(match)


async def test_a_player_who_has_moved_before_the_board_was_shown_gets_no_ping(tmp_path: Path) -> None:
    screen = Editing()
    async with hasty(tmp_path / "discade.db", screen=screen) as table:
        match = await pair(table)
        await table.services.playing.play(match.id, ADA, 3, turn=0)
        await table.services.playing.play(match.id, BEN, 3, turn=1)
        assert turns(screen) == []
        screen.may.set()
        await table.services.background.drain()
        assert turns(table.screen) == [2]
        assert table.screen.messages == 1001
        await table.reconciler.drain()
        assert not await table.stores.pings.stale(10)


async def test_a_ping_that_the_reconciler_sends_first_is_not_sent_again(tmp_path: Path) -> None:
    async with hasty(tmp_path / "discade.db") as table:
        match = await table.services.playing.play((await pair(table)).id, ADA, 3, turn=0)
        await look(table)
        table.services.pings.ping(match)
        await table.services.background.drain()
        assert turns(table.screen) == [1]
        assert table.screen.messages == 1001


async def test_who_is_to_move_is_warned_of_the_clock_though_an_offer_stands(tmp_path: Path) -> None:
    async with hasty(tmp_path / "discade.db") as table:
        match = await pair(table, clock_seconds=3600)
        await table.services.playing.offer_draw(match.id, ADA)
        match = await table.services.playing.play(match.id, ADA, 3, turn=0)
        offered = ask_of(match)
        match = await table.changes.of_match(match.id, lambda match, _now: match.warn())
        assert match.draw_offer is not None
        assert (offered, ask_of(match)) == (4 * match.turn + DRAW, 4 * match.turn + CLOCK)
        async with table.stores.database.reading() as connection:
            assert await connection.scalar(sa.select(sa.literal_column(ASK)).select_from(matches)) == ask_of(
                match
            )


async def test_a_player_who_has_moved_is_not_warned_of_the_clock(tmp_path: Path) -> None:
    """The warnings of others went first."""
    screen = Editing()
    async with hasty(tmp_path / "discade.db", screen=screen) as table:
        match = await pair(table, clock_seconds=60)
        await table.changes.of_match(match.id, lambda match, _now: match.warn())
        await table.services.playing.play(match.id, ADA, 3, turn=0)
        screen.may.set()
        await table.services.background.drain()
        assert not table.screen.warnings


async def test_a_move_that_was_stored_despite_an_error_is_followed_by_a_ping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hasty(tmp_path / "discade.db") as table:
        match = await pair(table)
        await table.changes.attach(match.id, replace(HERE, message_id=60))
        await look(table)
        writer = table.stores.database.writer
        assert writer is not None
        change = writer.change

        async def torn(*work: Any, **options: Any) -> None:
            await change(*work, **options)
            raise ConnectionResetError

        with monkeypatch.context() as broken:
            broken.setattr(writer, "change", torn)
            with pytest.raises(Unavailable):
                await table.services.playing.play(match.id, ADA, 3, turn=0)
        await look_for_a_while(table, 3)
        assert turns(table.screen) == [1]


class Looking(Screen):
    """A display that is asked where the event loop is."""

    def wants_ping(self, match: Match) -> bool:
        asyncio.get_running_loop()
        return super().wants_ping(match)


async def test_the_display_is_called_on_the_event_loop(tmp_path: Path) -> None:
    async with hasty(tmp_path / "discade.db", screen=Looking()) as table:
        match = await table.services.playing.play((await pair(table)).id, ADA, 3, turn=0)
        table.services.pings.ping(match)
        await table.services.background.drain()
        assert turns(table.screen) == [1]
