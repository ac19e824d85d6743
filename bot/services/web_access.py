"""WebAccess: the pages of matches on the web, and the names that their readers may see."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from bot.domain.errors import NotFound, SetupError
from bot.domain.match import Match
from bot.domain.rating import Record
from bot.domain.web_page import WebPage
from bot.services.changes import Changes
from bot.services.settings import SettingsCache
from bot.services.start_options import Person
from bot.store.stores import Stores


class WebAccess:
    """One per process. url: where the pages are reached; None where there are none beside Discord."""

    def __init__(
        self, stores: Stores, settings: SettingsCache, changes: Changes, url: str | None = None
    ) -> None:
        self.url = url
        self._stores = stores
        self._settings = settings
        self._changes = changes
        self._subscribers: list[Callable[[str], object]] = []

    def subscribe(self, subscriber: Callable[[str], object]) -> None:
        """Call the subscriber with the key of every page that is withdrawn."""
        self._subscribers.append(subscriber)

    def is_shareable(self, match: Match) -> bool:
        """Return whether the server of the match lets people share."""
        return self._settings.server(match.location.guild_id).is_sharing

    async def share(self, match_id: int, person: Person) -> str:
        """Return the address at which everybody may watch a match of this person's; raises Refusal."""
        match = await self._changes.match(match_id)
        match.player_of(person.user_id)
        if self.url is None or not self.is_shareable(match):
            raise SetupError("share_not_here")
        page = await self._stores.web.page_of(match_id, person.user_id)
        return f"{self.url}/m/{page.key}"

    async def withdraw(self, match_id: int, person: Person) -> None:
        """End the sharing by this person; pages that are open close."""
        for key in await self._stores.web.withdraw(match_id, person.user_id):
            for subscriber in self._subscribers:
                subscriber(key)

    async def page(self, key: str) -> WebPage:
        """Raises NotFound."""
        found = await self._stores.web.page(key)
        if found is None:
            raise NotFound("page_gone")
        return found

    async def page_of_players(self, match_id: int) -> WebPage:
        """Return the page of the match's players, made if there is none."""
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
        return await self._stores.web.existing(keys)

    async def records(self, match: Match) -> tuple[Record, Record]:
        return await self._stores.ratings.of_match(match)

    async def names(self, match: Match) -> Mapping[int, str]:
        """Return the names of the people of the match that hold outside of its server, by user id."""
        return await self._stores.players.names_of(
            seat.user_id for seat in match.seats if seat.user_id is not None
        )

    def may_be_named(self, page: WebPage, user_id: int | None) -> bool:
        """Return whether readers who are strangers may see the person's name."""
        return user_id is None or user_id == page.shared_by or self._settings.person(user_id).is_listed
