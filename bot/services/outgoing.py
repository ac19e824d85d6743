"""Sender: keeps the messages of one kind as they are wanted, through restarts, crashes and outages."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Protocol
from weakref import WeakValueDictionary

from bot.domain.outgoing import Fate, Key, Outgoing, Place, Wanted
from bot.services.ports import Delivered, NotDelivered
from bot.services.reconciler import Delivery
from bot.store.outgoing import OutgoingStore

log = logging.getLogger(__name__)

ASKED_FOR = timedelta(days=1)
"""How long a message waits for others to agree."""

SENT_AWAY = "sent away"
"""Stands in `Outgoing.shows` of a message that is given up since people sent it away, in any channel."""


class Messenger(Protocol):
    """Where messages are displayed; each method raises NotDelivered. Content: whatever a kind draws."""

    def check(self, place: Place) -> None: ...
    async def send(self, place: Place, content: Any, nonce: str) -> int: ...
    async def edit(self, place: Place, message_id: int, content: Any) -> None: ...
    async def delete(self, place: Place, message_id: int) -> None: ...
    async def find(self, place: Place, since: datetime, is_meant: Callable[[Any], bool]) -> int | None: ...


class MessageKind(ABC):
    """One kind of message. Asks services, never stores.

    name: stored with each message; unique. idle_seconds: pause before it is asked again. is_standing: the
    message is edited when it shows something else, and deleted when it is not wanted any more; any other is
    sent once. is_restored: whether a standing one is sent again when people delete it. gives_up_at: refusals
    after which nothing more is tried.
    """

    name: str
    idle_seconds = 1.0
    is_standing = False
    is_restored = True
    gives_up_at: Collection[Delivered] = ()

    @abstractmethod
    async def wanted(self, notes: Collection[Outgoing]) -> Iterable[Wanted]:
        """Return all messages that are to stand; those that do already do no harm. notes: of this kind."""

    @abstractmethod
    async def draw(self, wanted: Wanted) -> Any:
        """Return the content; None if there is nothing to say."""

    @abstractmethod
    def recognises(self, wanted: Wanted, message: Any) -> bool:
        """Return whether that message of the bot's is the wanted one, sent by a process that died."""

    async def done(self, wanted: Wanted) -> bool:  # noqa: ARG002
        """Note that it stands; return True if it is left as it is from now on."""
        return False

    async def give_up(self, wanted: Wanted, *, was_shown: bool) -> bool:  # noqa: ARG002
        """Note that Discord refuses it; return True if it is not wanted any more.

        was_shown: it stood, and was deleted; otherwise it is sent again, or never if it did not stand.
        """
        return False


class NotedKind(MessageKind):
    """One whose messages are wanted by their notes alone: each goes once it is sent, or refused."""

    gives_up_at = (Delivered.GONE, Delivered.MESSAGE_REFUSED, Delivered.CHANNEL_REFUSED)

    async def wanted(self, notes: Collection[Outgoing]) -> Iterable[Wanted]:
        return map(_wanted_by, notes)

    async def done(self, wanted: Wanted) -> bool:  # noqa: ARG002
        return True

    async def give_up(self, wanted: Wanted, *, was_shown: bool) -> bool:  # noqa: ARG002
        return True


class Sender:
    """The messages of one kind, as a source of the reconciler. One per process, on the event loop.

    Their notes are in memory: a kind without messages costs no query.
    """

    def __init__(
        self, kind: MessageKind, store: OutgoingStore, messages: Messenger, *, clock: Callable[[], datetime]
    ) -> None:
        self.name = kind.name
        self.idle_seconds = kind.idle_seconds
        self._kind = kind
        self._store = store
        self._messages = messages
        self._clock = clock
        self._notes: dict[Key, Outgoing] = {}
        self._doubts, self._settled = 1, 0
        self._by_message: dict[int, Key] = {}
        self.by_subject: dict[int, set[Key]] = {}
        self._seen: set[Key] = set()
        self._unsaved: set[Key] = set()
        self._locks: WeakValueDictionary[Key, asyncio.Lock] = WeakValueDictionary()

    def doubt(self) -> None:
        """Read and look at every message again: another process or people may have changed them."""
        self._doubts += 1
        self._seen.clear()

    def of_message(self, message_id: int) -> Outgoing | None:
        """Return the note of that message."""
        key = self._by_message.get(message_id)
        return None if key is None else self._notes[key]

    def of_subject(self, subject: int) -> list[Outgoing]:
        """Return the notes of that subject."""
        return [self._notes[key] for key in sorted(self.by_subject.get(subject, ()))]

    def notes(self) -> Collection[Outgoing]:
        """Return all notes."""
        return self._notes.values()

    async def want(self, wanted: Wanted, fate: Fate = Fate.SENDING, *, seats: int = 0) -> bool:
        """Note a message that is wanted by its note alone; return False if there is one already."""
        note = replace(self._new(wanted), fate=fate, seats=seats)
        await self.load()
        async with self.lock(wanted.key):
            is_new = await self._store.claim(note)
            if is_new:
                self.remember(note)
        return is_new

    async def change(self, key: Key, **changes: Any) -> None:
        """Store a changed note, if there is one of that key."""
        if key in self._notes:
            await self._save(replace(self._notes[key], **changes))

    async def leave(self, key: Key) -> None:
        """Forget a message, which stays as it is."""
        async with self.lock(key):
            await self._forget([key])

    def hand_over(self, key: Key, other: Sender, note: Outgoing) -> None:
        """Leave a message to another kind, as it is stored already. The message's lock is held."""
        self._drop(key)
        other.remember(note)

    async def take_away(self, key: Key) -> None:
        """Delete the message of that key and its note at once; raises NotDelivered."""
        async with self.lock(key):
            await self._take_away(key)

    async def remove(self, key: Key, fate: Fate) -> None:
        """Delete the message of that key at once; raises NotDelivered.

        fate: SENDING to send it anew, below later messages; GIVEN_UP to keep it away while it is wanted,
        in whichever channel.
        """
        async with self.lock(key):
            note = self._notes.get(key)
            if note is not None and note.message_id is not None:
                await self._delete(note, note.message_id)
                await self._save_as_gone(note, fate, SENT_AWAY if fate is Fate.GIVEN_UP else "")

    def remember(self, note: Outgoing) -> None:
        """Take a note that is stored already, or is about to be."""
        before = self._notes.get(note.key)
        if before is not None and before.message_id is not None:
            self._by_message.pop(before.message_id, None)
        self._notes[note.key] = note
        self.by_subject.setdefault(note.subject, set()).add(note.key)
        if note.message_id is not None:
            self._by_message[note.message_id] = note.key

    def is_shown(self, key: Key, shows: str) -> None:
        """Note that a press has displayed that; stored within a second. The message's lock is held."""
        if key in self._notes:
            self.remember(replace(self._notes[key], shows=shows))
            self._unsaved.add(key)
            self._seen.add(key)

    def lock(self, key: Key) -> asyncio.Lock:
        """Return the lock of a message, which everybody holds who edits it."""
        return self._locks.setdefault(key, asyncio.Lock())

    async def on_deleted(self, message_ids: Collection[int]) -> None:
        """Send a message again that people have deleted, or drop it, as its kind wants."""
        if self._kind.is_standing:
            for key in [self._by_message[one] for one in message_ids if one in self._by_message]:
                async with self.lock(key):
                    note = self._notes.get(key)
                    if note is not None and note.message_id in message_ids:
                        await self._give_up(_wanted_by(note))

    async def load(self) -> None:
        """Read the notes, unless that was done and nothing is in doubt."""
        if self._settled != self._doubts:
            doubts = self._doubts  # one that comes while this reads is not settled by it
            known = set(self._notes)  # not those that are remembered while this reads
            await self._save_shown()
            stored = {note.key: note for note in await self._store.of(self.name)}
            self._settled = doubts
            for key in known - stored.keys():
                self._drop(key)
            for note in stored.values():
                self.remember(note)

    # As a source of the reconciler

    async def stale(self, limit: int) -> Sequence[Delivery[Wanted | Outgoing]]:
        await self.load()
        await self._save_shown()
        notes = self._notes
        wanted = {one.key: one for one in await self._kind.wanted(notes.values())}
        # A message that may have been sent is searched for first, and a standing one may be edited after it.
        # Direct messages also open their channel, and Discord stops bots that open many at once.
        deliveries: list[Delivery[Wanted | Outgoing]] = [
            Delivery(key, one, one.place.channel_id, requests=2 if one.place.user_id is None else 4)
            for key, one in wanted.items()
            if not self._is_right(notes.get(key), one)
        ]
        asked_since = self._clock() - ASKED_FOR
        old = [
            note
            for key, note in notes.items()
            if key not in wanted and (note.fate is not Fate.ASKED or note.claimed_at < asked_since)
        ]
        if self._kind.is_standing:
            deliveries += [Delivery(("old", note.key), note, note.place.channel_id) for note in old]
        elif old:
            await self._forget([note.key for note in old])
        return deliveries[:limit]

    async def deliver(self, delivery: Delivery[Wanted | Outgoing]) -> Delivered:
        item = delivery.item
        async with self.lock(item.key):
            try:
                if isinstance(item, Outgoing):
                    await self._take_away(item.key)
                else:
                    await self._bring(item)
            except NotDelivered as refusal:
                log.info("%s %s: %s", self.name, item.key, refusal)
                if refusal.outcome not in self._kind.gives_up_at or isinstance(item, Outgoing):
                    return refusal.outcome
                note = self._notes.get(item.key)
                if note is not None and note.message_id is not None and refusal.outcome is not Delivered.GONE:
                    # What stands is edited later: Discord limits edits of old messages alone.
                    return Delivered.MESSAGE_REFUSED
                await self._give_up(item)
        return Delivered.DELIVERED

    async def give_up(self, delivery: Delivery[Wanted | Outgoing]) -> None:
        async with self.lock(delivery.item.key):
            if isinstance(delivery.item, Outgoing):
                await self._forget([delivery.item.key])
            else:
                await self._give_up(delivery.item)

    def _is_right(self, note: Outgoing | None, wanted: Wanted) -> bool:
        if note is None or note.fate is Fate.SENDING:
            return False
        if not self._kind.is_standing or (note.fate is Fate.GIVEN_UP and note.shows == SENT_AWAY):
            return True
        # One that Discord refused, or that people deleted where it was, is sent in another channel.
        if note.place.channel_id != wanted.place.channel_id:
            return False
        # Each is edited once after a start, which finds those that were deleted meanwhile.
        return note.fate is Fate.GIVEN_UP or (note.key in self._seen and note.shows == wanted.shows)

    # The lock of the message is held from here on

    async def _bring(self, wanted: Wanted) -> None:
        """Send the message, or edit the one that stands."""
        self._messages.check(wanted.place)
        note = self._notes.get(wanted.key)
        if self._is_right(note, wanted):
            return  # a press has done it meanwhile
        if note is not None and note.place.channel_id != wanted.place.channel_id:
            await self._take_away(wanted.key)
            note = None
        is_new = note is None
        if note is None:
            # Claimed before it is sent: an older claim may be of a process that died while sending.
            note = self._new(wanted)
            if not await self._store.claim(note):
                self.doubt()
                raise NotDelivered(Delivered.MESSAGE_REFUSED, "another process sends it")
            self.remember(note)
        message_id = note.message_id
        content = await self._kind.draw(wanted)
        if content is not None and message_id is not None:
            await self._messages.edit(wanted.place, message_id, content)
        elif content is not None:
            if not is_new:
                message_id = await self._find(note, wanted)
            if message_id is None:
                message_id = await self._messages.send(wanted.place, content, _nonce(note))
            if self._kind.is_standing and not is_new:
                # A process that died may have sent it with older content, also where Discord knows the nonce.
                await self._messages.edit(wanted.place, message_id, content)
        # Before the note: a crash between the two repeats `done`, and finds the message again.
        if await self._kind.done(wanted):
            await self._forget([wanted.key])
            return
        newest = self._notes.get(wanted.key, note)  # its seats may have changed meanwhile
        await self._save(
            replace(newest, message_id=message_id, shows=wanted.shows, fate=Fate.SHOWN, place=wanted.place)
        )
        self._seen.add(wanted.key)

    async def _take_away(self, key: Key) -> None:
        """Delete a message that is not wanted any more."""
        note = self._notes.get(key)
        if note is None:
            return
        message_id = note.message_id
        if message_id is None and note.fate is Fate.SENDING:
            message_id = await self._find(note, _wanted_by(note))
        if message_id is not None:
            await self._delete(note, message_id)
        await self._forget([key])

    async def _delete(self, note: Outgoing, message_id: int) -> None:
        # First: Discord may tell of the deletion before it answers, and people have not deleted it.
        self._by_message.pop(message_id, None)
        await self._messages.delete(note.place, message_id)

    async def _find(self, note: Outgoing, wanted: Wanted) -> int | None:
        """Return the message that a process may have sent before it died."""
        return await self._messages.find(
            wanted.place, note.claimed_at, lambda message: self._kind.recognises(wanted, message)
        )

    async def _give_up(self, wanted: Wanted) -> None:
        note = self._notes.get(wanted.key)
        was_shown = note is not None and note.message_id is not None
        if await self._kind.give_up(wanted, was_shown=was_shown):
            await self._forget([wanted.key])
        elif note is not None:
            is_sent_again = was_shown and self._kind.is_restored
            await self._save_as_gone(note, Fate.SENDING if is_sent_again else Fate.GIVEN_UP)

    async def _save_as_gone(self, note: Outgoing, fate: Fate, shows: str = "") -> None:
        await self._save(replace(note, message_id=None, shows=shows, fate=fate, claimed_at=self._clock()))

    def _new(self, wanted: Wanted) -> Outgoing:
        return Outgoing(self.name, *wanted.key, wanted.place, None, "", Fate.SENDING, self._clock())

    async def _save(self, note: Outgoing) -> None:
        # Remembered first, so that a change made meanwhile is made from this one; what fails is stored later.
        self.remember(note)
        self._unsaved.add(note.key)
        await self._store.save(note)
        if self._notes.get(note.key) is note:
            self._unsaved.discard(note.key)

    async def _forget(self, keys: Collection[Key]) -> None:
        await self._store.forget(self.name, keys)
        for key in keys:
            self._drop(key)

    async def _save_shown(self) -> None:
        if self._unsaved:
            unsaved, self._unsaved = self._unsaved, set()
            await self._store.save(*(self._notes[key] for key in unsaved if key in self._notes))

    def _drop(self, key: Key) -> None:
        self._seen.discard(key)
        note = self._notes.pop(key, None)
        if note is not None:
            self._by_message.pop(note.message_id or 0, None)
            same = self.by_subject[note.subject]
            same.discard(key)
            if not same:
                del self.by_subject[note.subject]


def _wanted_by(note: Outgoing) -> Wanted:
    """Return the wish for which the note was made."""
    return Wanted(note.subject, note.part, note.place, note.shows)


def _nonce(note: Outgoing) -> str:
    """Return the same nonce for the same claim, and another one once the message is sent again."""
    claimed = int(note.claimed_at.timestamp())
    return f"{note.kind[0]}{note.subject % 10**9}-{note.part % 10**6}-{claimed % 10**6}"
