"""CallNotes: what this process knows of calls, and what of that the database is told a moment later.

That somebody is to be called is stored with the change that calls them. Which message it became, and that
this is gone, waits in memory until `flush`, many in one transaction: what a crash loses of it is looked for
on Discord.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from bot.domain.match import Match
from bot.store.calls import Call, CallStore, Replacing


@dataclass(frozen=True, slots=True)
class Begun:
    """What was stored of a match's calls along with its change to that version.

    call: the one to be sent, if any. done: those that are to go. unsent: those that never will be sent, since
    the match was changed again before.
    """

    version: int
    call: Call | None
    done: tuple[Call, ...]
    unsent: tuple[Call, ...] = ()


class CallNotes:
    """One for each process; lives on the event loop."""

    def __init__(self, store: CallStore) -> None:
        self._store = store
        self._begun: dict[int, Begun] = {}
        self._sending: dict[int, Call] = {}
        self._sent: dict[int, Call] = {}
        self._gone: set[int] = set()
        self._lost: set[int] = set()
        self._uncalled: set[int] = set()

    # Along with a change

    def begin(self, match: Match, stored: Replacing) -> None:
        """It was stored; `begun` hands it to whoever calls."""
        earlier = self._begun.get(match.id)
        unsent = () if earlier is None else earlier.unsent
        if earlier is not None and earlier.call is not None:
            unsent = (*unsent, earlier.call)
        never = {call.id for call in unsent}
        done = tuple(call for call in stored.before if call.id not in never)
        self._begun[match.id] = Begun(match.version, stored.call, done, unsent)

    def begun(self, match: Match) -> Begun | None:
        """What was stored along with the change to what the match is, or was a moment ago; handed out once.

        Of a later version it stays for whoever made that one. None where nothing was stored along.
        """
        found = self._begun.get(match.id)
        if found is not None and found.version <= match.version:
            del self._begun[match.id]
        return found

    def is_begun(self, match_id: int) -> bool:
        """Whether there is something that `begun` has not handed out yet."""
        return match_id in self._begun

    @contextmanager
    def sending(self, call: Call) -> Iterator[None]:
        """While it is being sent, however long Discord lets it wait."""
        self._sending[call.id] = call
        try:
            yield
        finally:
            del self._sending[call.id]

    def is_under_way(self, call: Call) -> bool:
        """Whether this process is about to send it, or is sending it: then it is not to be looked for."""
        begun = self._begun.get(call.match_id)
        waiting = () if begun is None else (begun.call, *begun.unsent)
        return call.id in self._sending or any(one is not None and one.id == call.id for one in waiting)

    def is_sending(self, match_id: int) -> bool:
        """Whether this process is just sending a call to that match."""
        return any(call.match_id == match_id for call in self._sending.values())

    # Who was not called

    def doubt(self, match_id: int) -> None:
        """Whether whoever is to act there was called, or will be, nobody knows: the reconciler sees to it."""
        self._uncalled.add(match_id)

    def take_doubted(self) -> set[int]:
        """The matches of which that was said since it was asked last."""
        found, self._uncalled = self._uncalled, set()
        return found

    # What became of it

    def sent(self, call: Call, message_id: int) -> None:
        """The call is that message."""
        self._sent[call.id] = replace(call, message_id=message_id)

    def forget(self, calls: Iterable[Call]) -> None:
        """Their messages are gone, or never were."""
        for call in calls:
            self._sent.pop(call.id, None)
            self._gone.add(call.id)

    def give_up(self, calls: Iterable[Call]) -> None:
        """No message of theirs was found. One whose message is known by then is not forgotten."""
        self._lost |= {call.id for call in calls if call.id not in self._sent}

    def still(self, calls: Iterable[Call]) -> list[Call]:
        """Those of stored calls whose messages may still stand, with the messages that are known by now."""
        return [self._sent.get(call.id, call) for call in calls if call.id not in self._gone]

    def is_called(self, match: Match, since: datetime | None = None) -> bool:
        """Whether a call to the match's turn as it is now was sent, since then, and is not stored yet."""
        return any(
            (call.match_id, call.turn) == (match.id, match.turn)
            and (since is None or call.called_at >= since)
            for call in self._sent.values()
        )

    def messages(self) -> set[int]:
        """The messages of calls that are not stored yet."""
        return {call.message_id for call in self._sent.values() if call.message_id is not None}

    async def strange(self, match_id: int, found: Collection[int], since: datetime) -> tuple[list[int], bool]:
        """Those of the found messages that belong to no call anybody knows of, and whether one is being sent.

        since: as `CallStore.known` has it.
        """
        # Those in memory first and last, since they may be stored meanwhile.
        noted = self.messages()
        known, is_sending = await self._store.known(match_id, found, since)
        known |= noted | self.messages()
        strange = [message_id for message_id in found if message_id not in known]
        return strange, is_sending or self.is_sending(match_id)

    @property
    def is_waiting(self) -> bool:
        """Whether there is anything that is not stored yet."""
        return bool(self._sent or self._gone or self._lost)

    async def flush(self) -> list[Call]:
        """Stores what waits; what the database refuses waits on, and the error is raised.

        Returns calls whose match was deleted meanwhile, and whose messages must therefore go.
        """
        sent, gone, lost = dict(self._sent), set(self._gone), set(self._lost)
        if not (sent or gone or lost):
            return []
        messages = {key: call.message_id for key, call in sent.items() if call.message_id is not None}
        unknown = await self._store.note(messages, gone, lost)
        self._gone -= gone
        self._lost -= lost
        for key, call in sent.items():
            if self._sent.get(key) is call:
                del self._sent[key]
        return [sent[key] for key in sorted(unknown) if key not in self._gone]
