"""WebAccess: the pages of matches on the web, who plays there, and the names that readers may see."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime

from bot.domain.errors import NotFound, SetupError
from bot.domain.imported import is_imported
from bot.domain.location import Channel
from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.domain.names import CleanName
from bot.domain.person import Person
from bot.domain.rating import Record
from bot.domain.web_page import WebPage
from bot.domain.web_session import (
    ACTIVITY_LIFETIME,
    LINK_LIFETIME,
    SESSION_LIFETIME,
    WebSession,
    hash_of,
    new_secret,
)
from bot.services.changes import Changes
from bot.services.settings import SettingsCache
from bot.store.stores import Stores

MAX_ACTIVITY = 10_000
"""How many sessions of Activities are remembered."""


class WebAccess:
    """One per process.

    url: where the pages are reached; None where there are none beside Discord. has_activity: whether they
    open inside Discord, too. epoch: of the database, which a restore changes; a document of another epoch may
    be older than the page.
    """

    def __init__(
        self,
        stores: Stores,
        settings: SettingsCache,
        changes: Changes,
        url: str | None = None,
        *,
        epoch: str,
        clock: Callable[[], datetime],
    ) -> None:
        self.url = url
        self.epoch = epoch
        self.has_activity = False
        self._stores = stores
        self._settings = settings
        self._changes = changes
        self._clock = clock
        self._activity: LruDict[str, WebSession] = LruDict(MAX_ACTIVITY)
        self._subscribers: list[Callable[[str], object]] = []

    def subscribe(self, subscriber: Callable[[str], object]) -> None:
        """Call the subscriber with the key of every page that is withdrawn and every session that ends."""
        self._subscribers.append(subscriber)

    def is_shareable(self, match: Match) -> bool:
        """Return whether the server of the match lets people share."""
        return self._settings.server(match.location.guild_id).is_sharing

    def can_share(self, match: Match) -> bool:
        """Return whether `share` gives the match's players an address for everybody."""
        return self.url is not None and self.is_shareable(match) and not is_imported(match.id)

    async def share(self, match_id: int, person: Person) -> str:
        """Return the address at which everybody may watch a match of this person's; raises Refusal."""
        match = await self._changes.match(match_id)
        match.player_of(person.user_id)
        if not self.can_share(match):
            raise SetupError("share_not_here")
        page = await self._stores.web.page_of(match_id, person.user_id)
        return f"{self.url}/m/{page.key}"

    async def withdraw(self, match_id: int, person: Person) -> None:
        """End the sharing by this person; pages that are open close."""
        self._tell_ended(await self._stores.web.withdraw(match_id, person.user_id))

    async def play_link(self, match_id: int, person: Person) -> str:
        """Return an address at which one browser may play this person's match, once; raises Refusal.

        It ends the person's other sessions for the match's channel.
        """
        match = await self._changes.match(match_id)
        match.player_of(person.user_id)
        if self.url is None or not isinstance(match.location, Channel):
            raise SetupError("play_not_on_web")
        secret, now = new_secret(), self._clock()
        self._tell_ended(
            await self._stores.web.put_link(
                person.user_id, match.location.channel_id, match_id, hash_of(secret), now + LINK_LIFETIME, now
            )
        )
        # Browsers send no fragment, so that it is in no log.
        return f"{self.url}/play#{secret}"

    async def open_link(self, secret: str, current: str | None) -> tuple[WebPage, str]:
        """Return the page that the link leads to, and the secret of the browser's session; raises NotFound.

        current: the secret that the browser has. A session of the same person is kept.
        """
        now, new = self._clock(), new_secret()
        opened = await self._stores.web.open_link(
            hash_of(secret), hash_of(new), current and hash_of(current), now + SESSION_LIFETIME, now
        )
        if opened is None:
            raise NotFound("play_link_gone")
        match_id, kept = opened
        secret = current if current is not None and kept == hash_of(current) else new
        return await self.page_of_players(match_id), secret

    def admit(self, user_id: int, name: CleanName, room: Channel) -> str:
        """Return the secret of a new session in an Activity, which lives in memory alone."""
        secret, ends = new_secret(), self._clock() + ACTIVITY_LIFETIME
        session = WebSession(
            hash_of(secret), user_id, frozenset((room.channel_id,)), room=room, name=name, expires_at=ends
        )
        self._activity[session.key] = session
        return secret

    async def session(self, key: str) -> WebSession | None:
        """Return the session of that hash unless it ended."""
        known = self._activity.get(key)
        if known is not None and known.expires_at is not None:
            return known if self._clock() < known.expires_at else None
        return await self._stores.web.session(key, self._clock())

    async def end_sessions(self, match_id: int, person: Person) -> None:
        """End the person's link or session for the match's channel; pages that are open close."""
        match = await self._changes.latest(match_id)
        if isinstance(match.location, Channel):
            ended = await self._stores.web.end_sessions(person.user_id, match.location.channel_id)
            self._tell_ended(ended)

    async def sign_out(self, key: str) -> None:
        """End all sessions of a browser, or that of an Activity."""
        self._activity.pop(key, None)
        await self._stores.web.sign_out(key)
        self._tell_ended([key])

    def _tell_ended(self, keys: Iterable[str]) -> None:
        for key in keys:
            for subscriber in self._subscribers:
                subscriber(key)

    async def page(self, key: str) -> WebPage:
        """Raises NotFound."""
        page = WebPage.imported(key)
        if page is None and WebPage.is_key(key):
            page = await self._stores.web.page(key)
        if page is None:
            raise self.page_gone()
        return page

    def page_gone(self) -> NotFound:
        """The refusal of a match's page that is not there, or not for the reader.

        Most who meet it beside Discord are players: their session has ended, or a backup from before the page
        was restored. They are told the way to a new link.
        """
        return NotFound("page_gone" if self.url is None else "match_page_gone")

    async def page_of_players(self, match_id: int) -> WebPage:
        """Return the page of the match's players, made if there is none."""
        if is_imported(match_id):
            return WebPage.of_imported(match_id)
        return await self._stores.web.page_of(match_id)

    @property
    def has_other_processes(self) -> bool:
        """Return whether other processes may store changes of the same matches and pages."""
        return not self._stores.database.is_sqlite

    async def versions(self, match_ids: Iterable[int]) -> list[tuple[int, int, int | None]]:
        """Return the number, the version and the match before, of these matches and their rematches."""
        return await self._stores.matches.versions(match_ids)

    async def existing(self, keys: Collection[str]) -> set[str]:
        """Return the keys of those pages that were not withdrawn."""
        imported = {key for key in keys if WebPage.imported(key) is not None}
        return imported | await self._stores.web.existing(keys)

    async def records(self, match: Match) -> tuple[Record, Record]:
        return await self._stores.ratings.of_match(match)

    async def names(self, match: Match) -> Mapping[int, CleanName]:
        """Return the names of the people of the match that hold outside of its server, by user id."""
        return await self._stores.players.names_of(
            seat.user_id for seat in match.seats if seat.user_id is not None
        )

    async def name_of(self, user_id: int) -> CleanName | None:
        """Return the name of the person's account, if it is known."""
        return await self._stores.players.name_of(user_id)

    def may_be_named(self, page: WebPage, user_id: int | None) -> bool:
        """Return whether readers who are strangers may see the person's name."""
        return user_id is None or user_id == page.shared_by or self._settings.person(user_id).is_listed
