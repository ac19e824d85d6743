"""WebAccess: the pages of matches on the web, and the names that their readers may see."""

from __future__ import annotations

from collections.abc import Mapping

from bot.domain.errors import NotFound
from bot.domain.match import Match
from bot.domain.rating import Record
from bot.domain.web_page import WebPage
from bot.services.settings import SettingsCache
from bot.store.stores import Stores


class WebAccess:
    """One per process."""

    def __init__(self, stores: Stores, settings: SettingsCache) -> None:
        self._stores = stores
        self._settings = settings

    async def page(self, key: str) -> WebPage:
        """Raises NotFound."""
        found = await self._stores.web.page(key)
        if found is None:
            raise NotFound("page_gone")
        return found

    async def page_of_players(self, match_id: int) -> WebPage:
        """Return the page of the match's players, made if there is none."""
        return await self._stores.web.page_of(match_id)

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
