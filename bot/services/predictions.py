"""Predictions: people guess the end of matches in servers that want it, and the guesses count."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from bot.domain.errors import MatchError, NotFound
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.prediction import (
    HEAD_START,
    Foresight,
    Guesser,
    Odds,
    Pick,
    Predicted,
    check_guess,
    is_for_fun,
    odds_between,
    pick_of,
)
from bot.domain.season import Season
from bot.services.changes import Changes
from bot.services.settings import SettingsCache
from bot.store.stores import Stores

PAGE_ROWS = 10


@dataclass(frozen=True, slots=True)
class GuessedMatch:
    """A match that is guessed, as it is to be shown. foresight: once it is over."""

    match: Match
    odds: Odds
    guesses: int
    foresight: Foresight | None = None


@dataclass(frozen=True, slots=True)
class GuesserPage:
    """A page of a server's guessers of a month.

    own: the reader's row, on whichever page it is. others: the months before and after it that may have rows.
    """

    guild_id: int
    season: Season
    rows: tuple[Guesser, ...]
    own: Guesser | None
    page: int
    pages: int
    others: tuple[Season, ...] = ()


class Predictions:
    """One per process. clock: the current UTC time."""

    def __init__(
        self, stores: Stores, changes: Changes, settings: SettingsCache, *, clock: Callable[[], datetime]
    ) -> None:
        self._stores = stores
        self._store = stores.predictions
        self._changes = changes
        self._settings = settings
        self._clock = clock

    async def open(self, match: Match) -> None:
        """Let people guess the end of a match, at odds that stay as they are from now on."""
        if match.location.guild_id is not None:
            odds = odds_between(match.game, *await self._stores.ratings.of_match(match))
            await self._store.open(match.id, match.location.guild_id, odds)

    async def look(self, *, is_needed: bool) -> list[GuessedMatch]:
        """Open new matches, count those that are over, and return all that are to be shown.

        is_needed: whether a message stands already; else, where no server wants any, there is no query.
        """
        servers = self._settings.servers()
        wanting = [guild_id for guild_id, chosen in servers.items() if chosen.is_predicting]
        if not wanting and not is_needed:
            return []
        for match_id in await self._store.unopened(wanting) if wanting else ():
            with suppress(MatchError, NotFound):  # a damaged one is told to its players elsewhere
                await self.open(await self._changes.latest(match_id))
        return [
            guessed
            for predicted in await self._store.all()
            if (guessed := await self._guessed(predicted)) is not None
        ]

    async def _guessed(self, predicted: Predicted) -> GuessedMatch | None:
        match_id, match = predicted.match_id, None
        with suppress(MatchError, NotFound):  # of a damaged one
            match = await self._changes.latest(match_id)
            if not match.is_over and not self._stores.database.is_sqlite:
                match = await self._changes.match(match_id)  # it may be played in another process
        if match is None or not self._settings.server(predicted.guild_id).is_predicting:
            await self._store.close(match_id, is_void=True)
            return None
        if predicted.is_dropped:
            if match.is_over:  # before that it would be opened again
                await self._store.close(match_id, is_void=True)
            return None
        foresight = None
        if match.result is not None:
            came, has_points = pick_of(match.result, predicted.odds), not is_for_fun(match)
            foresight = await self._store.settle(
                match_id, came, self._clock(), but=match.begun_by, has_points=has_points
            )
        return GuessedMatch(match, predicted.odds, predicted.guesses, foresight)

    async def guess(
        self, match_id: int, person: Person, pick: Pick, guild_id: int | None
    ) -> tuple[Match, int]:
        """Store the person's guess; return the match and the chance of the guess. Raises Refusal.

        guild_id: where the button was pressed. The match and its odds are read from the database: a button
        may be forged, or older than a move.
        """
        match = await self._changes.match(match_id)
        check_guess(match, person.user_id)
        chance = None
        if self._settings.server(guild_id).is_predicting:
            chance = await self._store.guess(match_id, guild_id, person, pick, self._clock())
        if chance is None:
            check_guess(await self._changes.match(match_id), person.user_id)
            raise NotFound("predict_gone")
        return match, chance

    async def drop(self, match_id: int) -> None:
        """Take no more guesses of the match: its message was deleted, or Discord refuses it."""
        await self._store.drop(match_id)

    async def close(self, match_id: int) -> None:
        """Note that the outcome of the guesses is shown."""
        await self._store.close(match_id)

    async def guessers(
        self, guild_id: int, user_id: int, *, season: Season | None = None, page: int = 1
    ) -> GuesserPage:
        """Return a page of the server's guessers, by default of this month; beyond the last page the last."""
        now = Season.of(self._clock())
        month, first = season or now, await self._store.first_season(guild_id) or now
        others = tuple(one for one in (month.preceding, month.following) if first <= one <= now)
        found = await self._store.guessers(guild_id, month)
        pages = max(1, -(-len(found) // PAGE_ROWS))
        page = min(max(page, 1), pages)
        rows = found[(page - 1) * PAGE_ROWS : page * PAGE_ROWS]
        own = next((row for row in found if row.user_id == user_id), None)
        return GuesserPage(guild_id, month, tuple(rows), own, page, pages, others)


def head_start(settings: SettingsCache, match: Match, now: datetime) -> float:
    """Return for how many seconds the first move of a match between agents still waits for guesses."""
    if match.turn or not settings.server(match.location.guild_id).is_predicting:
        return 0.0
    return (match.created_at + HEAD_START - now).total_seconds()
