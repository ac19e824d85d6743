"""The sender: each message that is wanted stands once, through restarts, crashes and refusals."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.domain.outgoing import Fate, Outgoing, Place, Wanted
from bot.services.outgoing import MessageKind, Sender
from bot.services.ports import Delivered
from bot.services.reconciler import Reconciler
from bot.store.stores import Stores
from tests.bot.made_once import database_url
from tests.bot.services.noticeboard import Noticeboard
from tests.bot.sittings import Clock

pytestmark = pytest.mark.postgres


class Weather(MessageKind):
    """A kind for tests: one message a town, which says the weather there. towns: channel and weather."""

    name = "weather"
    gives_up_at: Collection[Delivered] = (Delivered.CHANNEL_REFUSED,)

    def __init__(self, *, is_standing: bool = False) -> None:
        self.is_standing = is_standing
        self.towns: dict[int, tuple[int, str]] = {}
        self.ended: set[int] = set()
        self.told: list[int] = []
        self.given_up: list[tuple[int, bool]] = []

    async def wanted(self, notes: Collection[Outgoing]) -> list[Wanted]:
        return [Wanted(town, 0, Place(channel, 5), said) for town, (channel, said) in self.towns.items()]

    async def draw(self, wanted: Wanted) -> str | None:
        said = self.towns[wanted.subject][1]
        return f"{wanted.subject}: {said}" if said else None

    def recognises(self, wanted: Wanted, message: str) -> bool:
        return message.startswith(f"{wanted.subject}:")

    async def done(self, wanted: Wanted) -> bool:
        self.told.append(wanted.subject)
        return wanted.subject in self.ended

    async def give_up(self, wanted: Wanted, *, was_shown: bool) -> bool:
        self.given_up.append((wanted.subject, was_shown))
        return False


class Process:
    """A process of the bot with that kind alone."""

    def __init__(self, stores: Stores, board: Noticeboard, kind: Weather, clock: Clock) -> None:
        self.clock = clock
        self.sender = Sender(kind, stores.outgoing, board, clock=clock)
        self.reconciler = Reconciler([self.sender], _nothing, time=lambda: clock().timestamp())

    async def look(self, times: int = 1) -> None:
        """Reconcile; a refused delivery is due again by the next time."""
        for _ in range(times):
            await self.reconciler.run_once()
            await self.reconciler.drain()
            self.clock.advance(minutes=20)


async def _nothing() -> None:
    """Nothing has to be saved."""


class Town:
    """Everything that a test needs, with one town that has a message."""

    def __init__(self, stores: Stores, *, is_standing: bool) -> None:
        self.stores, self.clock = stores, Clock()
        self.kind, self.board = Weather(is_standing=is_standing), Noticeboard()
        self.kind.towns[1] = 7, "sunny"

    def process(self) -> Process:
        return Process(self.stores, self.board, self.kind, self.clock)

    async def notes(self) -> list[Outgoing]:
        return await self.stores.outgoing.of("weather")

    @property
    def texts(self) -> list[tuple[int, Any]]:
        return list(self.board.messages.values())


@asynccontextmanager
async def town(path: Path, *, is_standing: bool = False) -> AsyncIterator[Town]:
    stores = await Stores.open(database_url(path))
    yield Town(stores, is_standing=is_standing)
    await stores.close()


@pytest.fixture
def statements() -> Iterator[list[str]]:
    asked: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        asked.append(statement)

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    yield asked
    sa.event.remove(sa.Engine, "before_cursor_execute", note)


@pytest.mark.parametrize("is_standing", [False, True])
async def test_a_message_is_sent_once_also_after_a_restart(tmp_path: Path, is_standing: bool) -> None:
    async with town(tmp_path / "discade.db", is_standing=is_standing) as here:
        await here.process().look(3)
        await here.process().look(3)
        assert (here.texts, here.board.sent) == ([(7, "1: sunny")], 1)
        assert here.board.edits == [901] * is_standing, "a restart looks once if it still stands"


async def test_a_note_that_comes_while_all_are_read_is_known(tmp_path: Path) -> None:
    async with town(tmp_path / "discade.db") as here:
        sender = here.process().sender
        reading = asyncio.create_task(sender.load())
        await asyncio.sleep(0)  # the reading has begun
        note = Outgoing("weather", 1, 0, Place(7, 5), 555, "sunny", Fate.SHOWN, here.clock())
        sender.remember(note)
        await reading
        assert sender.of_subject(1) == [note]


async def test_a_doubt_that_comes_while_all_are_read_is_kept(tmp_path: Path) -> None:
    async with town(tmp_path / "discade.db") as here:
        sender = here.process().sender
        reading = asyncio.create_task(sender.load())
        await asyncio.sleep(0)  # the reading has begun
        sender.doubt()
        await reading
        claimed = Outgoing("weather", 1, 0, Place(7, 5), None, "", Fate.SENDING, here.clock())
        assert await here.stores.outgoing.claim(claimed)
        await sender.load()
        assert [note.key for note in sender.of_subject(1)] == [claimed.key]


async def test_a_process_that_died_while_sending_does_not_send_twice(tmp_path: Path) -> None:
    async with town(tmp_path / "discade.db") as here:
        claimed = Outgoing("weather", 1, 0, Place(7, 5), None, "", Fate.SENDING, here.clock())
        assert await here.stores.outgoing.claim(claimed)
        here.board.messages[555] = 7, "1: sunny"
        await here.process().look()
        assert here.board.sent == 0
        assert [(note.message_id, note.fate) for note in await here.notes()] == [(555, Fate.SHOWN)]


async def test_a_standing_message_of_a_process_that_died_is_brought_up_to_date(tmp_path: Path) -> None:
    async with town(tmp_path / "discade.db", is_standing=True) as here:
        claimed = Outgoing("weather", 1, 0, Place(7, 5), None, "", Fate.SENDING, here.clock())
        assert await here.stores.outgoing.claim(claimed)
        here.board.messages[555] = 7, "1: sunny"
        here.kind.towns[1] = 7, "rainy"
        await here.process().look()
        assert here.texts == [(7, "1: rainy")]
        assert here.board.sent == 0


async def test_a_message_that_its_nonce_brings_back_is_brought_up_to_date(tmp_path: Path) -> None:
    async with town(tmp_path / "discade.db", is_standing=True) as here:
        await here.process().look()
        (note,) = await here.notes()
        await here.stores.outgoing.save(replace(note, message_id=None, fate=Fate.SENDING))
        here.board.is_readable = False
        here.kind.towns[1] = 7, "rainy"
        await here.process().look()
        assert here.texts == [(7, "1: rainy")]


async def test_a_claimed_message_that_was_never_sent_is_sent(tmp_path: Path) -> None:
    async with town(tmp_path / "discade.db") as here:
        claimed = Outgoing("weather", 1, 0, Place(7, 5), None, "", Fate.SENDING, here.clock())
        assert await here.stores.outgoing.claim(claimed)
        await here.process().look()
        assert here.texts == [(7, "1: sunny")]


async def test_of_two_processes_one_sends(tmp_path: Path) -> None:
    async with town(tmp_path / "discade.db") as here:
        processes = here.process(), here.process()
        here.board.seconds = 0.01
        for process in processes:
            await process.reconciler.run_once()
        for process in processes:
            await process.look(2)
        assert here.board.sent == 1


async def test_a_message_on_its_way_is_not_mistaken_for_one_of_a_dead_process(tmp_path: Path) -> None:
    async with town(tmp_path / "discade.db") as here:
        process, here.board.seconds = here.process(), 0.05
        await process.reconciler.run_once()
        here.clock.advance(minutes=5)
        await process.look(2)
        assert here.board.sent == 1


async def test_a_refusal_that_its_kind_names_is_final_and_any_other_is_tried_again(tmp_path: Path) -> None:
    async with town(tmp_path / "discade.db") as here:
        process = here.process()
        for refusal in (Delivered.MESSAGE_REFUSED, Delivered.DISCORD_DOWN):
            here.board.says = refusal
            await process.look()
            assert here.kind.given_up == []
        here.board.says = Delivered.CHANNEL_REFUSED
        await process.look()
        here.board.says = None
        await process.look(2)
        await here.process().look()
        assert (here.kind.given_up, here.board.sent) == ([(1, False)], 0)
        here.kind.towns = {2: (7, "rainy")}
        await process.look()
        assert here.texts == [(7, "2: rainy")]
        assert [note.subject for note in await here.notes()] == [2], "a note that nothing needs is deleted"


async def test_a_message_without_content_is_never_sent(tmp_path: Path) -> None:
    async with town(tmp_path / "discade.db") as here:
        here.kind.towns[1] = 7, ""
        await here.process().look(2)
        assert (here.board.sent, here.kind.told) == (0, [1])


async def test_what_is_left_alone_keeps_its_message_and_no_note(tmp_path: Path) -> None:
    async with town(tmp_path / "discade.db", is_standing=True) as here:
        process = here.process()
        await process.look()
        here.kind.ended.add(1)
        here.kind.towns[1] = 7, "dark"
        await process.look()
        here.kind.towns.clear()
        await process.look()
        assert here.texts == [(7, "1: dark")]
        assert await here.notes() == []


async def test_a_crash_before_the_note_finds_the_message_and_says_again_that_it_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with town(tmp_path / "discade.db") as here:
        process = here.process()

        async def die(_note: Outgoing) -> None:
            raise RuntimeError("killed")

        monkeypatch.setattr(here.stores.outgoing, "save", die)
        await process.look()
        monkeypatch.undo()
        assert (here.board.sent, here.kind.told) == (1, [1])
        await here.process().look()
        assert (here.board.sent, here.kind.told) == (1, [1, 1])


# Standing messages


async def test_a_standing_message_is_edited_when_it_shows_something_else(tmp_path: Path) -> None:
    async with town(tmp_path / "discade.db", is_standing=True) as here:
        process = here.process()
        await process.look(2)
        here.kind.towns[1] = 7, "rainy"
        await process.look(3)
        assert (here.texts, here.board.sent, here.board.edits) == ([(7, "1: rainy")], 1, [901])


async def test_a_standing_message_follows_its_channel(tmp_path: Path) -> None:
    async with town(tmp_path / "discade.db", is_standing=True) as here:
        process = here.process()
        await process.look()
        for channel in (8, 7):
            here.kind.towns[1] = channel, "sunny"
            await process.look(2)
            assert here.texts == [(channel, "1: sunny")]


@pytest.mark.parametrize("restarts", [False, True])
async def test_one_that_is_sent_away_stays_away_in_whichever_channel(tmp_path: Path, restarts: bool) -> None:
    async with town(tmp_path / "discade.db", is_standing=True) as here:
        here.kind.is_restored = False
        process = here.process()
        await process.look()
        await process.sender.remove((1, 0), Fate.GIVEN_UP)
        here.kind.towns[1] = 8, "rainy"
        await (here.process() if restarts else process).look(2)
        assert (here.texts, here.board.sent) == ([], 1)


@pytest.mark.parametrize("is_refused", [False, True])
async def test_one_given_up_for_its_channel_is_sent_in_another(tmp_path: Path, is_refused: bool) -> None:
    async with town(tmp_path / "discade.db", is_standing=True) as here:
        here.kind.is_restored = False
        process = here.process()
        here.board.says = Delivered.CHANNEL_REFUSED if is_refused else None
        await process.look()
        here.board.says = None
        if not is_refused:  # people delete it, since it is in the wrong channel
            del here.board.messages[901]
            await process.sender.on_deleted([901])
        here.kind.towns[1] = 8, "sunny"
        await process.look(2)
        assert here.texts == [(8, "1: sunny")]


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_standing_message_that_nobody_wants_is_deleted(tmp_path: Path, restarts: bool) -> None:
    async with town(tmp_path / "discade.db", is_standing=True) as here:
        process = here.process()
        await process.look()
        here.kind.towns.clear()
        await (here.process() if restarts else process).look()
        assert (here.board.sent, here.texts, await here.notes()) == (1, [], [])


async def test_a_message_that_is_unwanted_while_it_is_sent_is_deleted_too(tmp_path: Path) -> None:
    async with town(tmp_path / "discade.db", is_standing=True) as here:
        process, here.board.seconds = here.process(), 0.05
        await process.reconciler.run_once()
        await here.board.begun.wait()
        here.kind.towns.clear()
        here.clock.advance(minutes=5)
        await process.look(2)
        assert (here.board.sent, here.texts, await here.notes()) == (1, [], [])


async def test_one_that_a_dead_process_may_have_sent_is_searched_for_before_it_is_forgotten(
    tmp_path: Path,
) -> None:
    async with town(tmp_path / "discade.db", is_standing=True) as here:
        claimed = Outgoing("weather", 1, 0, Place(7, 5), None, "", Fate.SENDING, here.clock())
        assert await here.stores.outgoing.claim(claimed)
        here.board.messages[555] = 7, "1: sunny"
        here.kind.towns.clear()
        await here.process().look()
        assert (here.texts, await here.notes()) == ([], [])


@pytest.mark.parametrize("is_told", [False, True])
async def test_a_standing_message_that_people_delete_comes_back(tmp_path: Path, is_told: bool) -> None:
    async with town(tmp_path / "discade.db", is_standing=True) as here:
        process = here.process()
        await process.look()
        del here.board.messages[901]
        if is_told:
            await process.sender.on_deleted([901, 17])
        else:
            process = here.process()  # it was deleted while no process ran
        await process.look(3)
        assert (here.texts, here.board.sent) == ([(7, "1: sunny")], 2)
        assert here.kind.given_up == [(1, True)]


@pytest.mark.parametrize("is_told", [False, True])
async def test_one_that_is_not_restored_stays_away_where_people_delete_it(
    tmp_path: Path, is_told: bool
) -> None:
    async with town(tmp_path / "discade.db", is_standing=True) as here:
        here.kind.is_restored = False
        process = here.process()
        await process.look()
        del here.board.messages[901]
        if is_told:
            await process.sender.on_deleted([901])
        else:
            process = here.process()
        here.kind.towns[1] = 7, "rainy"
        await process.look(3)
        assert (here.texts, here.board.sent) == ([], 1)
        here.kind.towns = {2: (7, "rainy")}
        await process.look()
        assert here.texts == [(7, "2: rainy")]
        assert [note.subject for note in await here.notes()] == [2]


async def test_a_standing_message_whose_edit_is_refused_is_edited_later_and_stops_no_other(
    tmp_path: Path,
) -> None:
    async with town(tmp_path / "discade.db", is_standing=True) as here:
        process = here.process()
        await process.look()
        here.kind.towns[1] = 7, "rainy"
        here.board.says = Delivered.CHANNEL_REFUSED
        await process.reconciler.run_once()
        await process.reconciler.drain()
        here.board.says = None
        here.kind.towns[2] = 7, "windy"
        await process.reconciler.run_once()
        await process.reconciler.drain()
        assert here.texts == [(7, "1: sunny"), (7, "2: windy")]
        await process.look(2)
        assert here.texts == [(7, "1: rainy"), (7, "2: windy")]
        assert here.kind.given_up == []


async def test_a_message_that_the_sender_deletes_is_not_taken_for_a_loss(tmp_path: Path) -> None:
    async with town(tmp_path / "discade.db", is_standing=True) as here:
        process = here.process()
        await process.look()
        here.kind.towns.clear()
        here.board.seconds = 0.02
        here.board.begun.clear()
        await process.reconciler.run_once()
        await here.board.begun.wait()
        await process.sender.on_deleted([901])
        await process.look()
        assert here.kind.given_up == []


async def test_a_channel_that_is_gone_twice_is_given_up(tmp_path: Path) -> None:
    async with town(tmp_path / "discade.db", is_standing=True) as here:
        process, here.board.says = here.process(), Delivered.GONE
        await process.look()
        assert here.kind.given_up == []
        await process.look(3)
        assert here.kind.given_up == [(1, False)]


@pytest.mark.sqlite
async def test_a_kind_without_messages_costs_no_query(tmp_path: Path, statements: list[str]) -> None:
    async with town(tmp_path / "discade.db", is_standing=True) as here:
        process = here.process()
        here.kind.towns.clear()
        await process.look()
        statements.clear()
        await process.look(5)
        assert statements == []


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("localedef") is None, reason="needs localedef")
def test_a_message_is_claimed_in_a_turkish_locale(tmp_path: Path) -> None:
    """Its small I is no i, and Python's sqlite3 compares words as the locale has it."""
    subprocess.run(["localedef", "-i", "tr_TR", "-f", "UTF-8", tmp_path / "tr_TR.UTF-8"], check=True)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", __file__, "-k", "died_while_sending"],
        env=os.environ | {"LC_ALL": "tr_TR.UTF-8", "LOCPATH": str(tmp_path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]
