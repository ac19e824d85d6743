"""Matches: look-ups of matches, with access checks."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bot.domain.errors import Markup, MatchError, NotFound
from bot.domain.match import Match
from bot.domain.person import Person
from bot.services.changes import Changes
from bot.store.stores import Stores

_LEFT = "left:"
"""Begins the key of the fact about a server."""


class Matches:
    """One per process."""

    def __init__(self, stores: Stores, changes: Changes) -> None:
        self._stores = stores
        self._changes = changes

    async def match(self, match_id: int) -> Match:
        return await self._changes.match(match_id)

    async def latest(self, match_id: int) -> Match:
        """Return the match as this process last saw it, loaded if it did not."""
        return await self._changes.latest(match_id)

    async def mine(self, match_id: int, user_id: int) -> Match:
        """Return the match, if the user plays it and it is not over; raises Refusal."""
        match = await self._changes.match(match_id)
        match.check_running(user_id)
        return match

    async def to_move(self, match_id: int, person: Person, *, turn: int) -> Match:
        """Return the match, if this is its turn and the person's; raises Refusal."""
        match = await self._changes.match(match_id)
        match.check_to_move(person.user_id, turn=turn)
        return match

    async def called_in(self, guild_id: int | None, *found: Match) -> tuple[Match, ...]:
        """Return the matches as displayed in that server: without nicknames from other servers."""
        return await self._stores.players.called_in(guild_id, found)

    async def note_server(self, guild_id: int, *, is_left: bool) -> None:
        """Note that the bot was removed from a server, or is in it again."""
        await self._stores.facts.remember(f"{_LEFT}{guild_id}", "yes" if is_left else "no")

    async def left_servers(self, found: Iterable[Match]) -> frozenset[int]:
        """Return those of the matches' servers from which the bot was removed."""
        guild_ids = {match.location.guild_id for match in found} - {None}
        values = {one: await self._stores.facts.value(f"{_LEFT}{one}") for one in guild_ids}
        return frozenset(one for one, value in values.items() if one is not None and value == "yes")

    async def running(self, user_id: int, *, channel_id: int | None = None) -> tuple[Match, ...]:
        """Return the user's running matches, last changed first.

        channel_id: only those in that channel, in its threads or on the web alone.
        """
        return tuple(await self._stores.matches.running(user_id, channel_id))

    async def running_in(self, channel_id: int) -> list[Match]:
        """Return the running matches of everybody in that channel."""
        return await self._stores.matches.running(channel_id=channel_id)

    async def finished(self, user_id: int, limit: int, *, channel_id: int | None = None) -> tuple[Match, ...]:
        """Return the user's last finished matches, latest first.

        channel_id: only those in that channel and its threads.
        """
        return tuple(await self._stores.matches.finished(user_id, limit, channel_id))

    async def current(
        self, user_id: int, channel_id: int, *, is_to_move: bool = False, also: Collection[int] = ()
    ) -> Match:
        """Return the match that a command in this channel means: with the user to move, else the latest.

        Where the channel has none, the only one in its threads is meant, else those on the web alone. Raises
        NotFound, and MatchError where it is one of several threads. is_to_move: the command needs their turn,
        so that a thread's match goes before one in the channel where another one is to move. also: numbers of
        matches that are shown in the channel, too.
        """
        running = await self.running(user_id, channel_id=channel_id)
        if also:
            known = {match.id for match in running}
            mirrored = [match for match in await self.running(user_id) if match.id in also]
            running = (*running, *(match for match in mirrored if match.id not in known))
        if not running:
            raise NotFound("no_current_match")
        here = [match for match in running if match.location.channel_id == channel_id or match.id in also]
        below = [match for match in running if match.location.parent_id == channel_id]

        def of_user(matches: Iterable[Match]) -> list[Match]:
            return [match for match in matches if match.seat_to_move.user_id == user_id]

        # Both lists, as a thread's match may be the only one with the user to move; if there is none, the
        # match that is meant says whose turn it is.
        if is_to_move and of_user((*here, *below)):
            here, below = of_user(here), of_user(below)
        # Of several threads none is meant more than another; the channel's own match needs no name.
        if not here and len(below) > 1:
            threads = ", ".join(f"<#{match.location.channel_id}>" for match in below)
            raise MatchError("matches_in_threads", places=Markup(threads))
        meant = here or below or running
        return next(iter(of_user(meant)), meant[0])

    async def is_newcomer(self, person: Person) -> bool:
        """Return whether the person has never had a match."""
        return not await self._stores.matches.has_played(person.user_id)
