"""What matches give, counted one after the other: ratings, those of seasons, and each match's step."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import fields
from datetime import datetime
from operator import attrgetter
from types import TracebackType
from typing import Any, Self

import sqlalchemy as sa

from bot.domain.match import Match, Seat
from bot.domain.rating import Record, first_record
from bot.domain.rating_share import Weights
from bot.domain.season import Season
from bot.store.players import player_key
from bot.store.rank_tallies import EVER
from bot.store.rating_shares import Meetings
from bot.store.rating_steps import step_values
from bot.store.ratings import fairly_rated, record_values, records, scopes_of
from bot.store.shared import Values
from bot.store.spill import Spill

_plain = attrgetter(*(field.name for field in fields(Record)))

_KEY = ("season", "scope", "game", "is_agent", "player")


class Counting:
    """Told matches in the order in which they are counted; what it knows does not grow in memory.

    since: see `Meetings.weigh`.
    """

    def __init__(self, since: datetime | None = None) -> None:
        self._since = since
        self._first: dict[tuple[str, str | None], Record] = {}
        self._open = ExitStack()
        self._standing: Spill[tuple[Any, ...]] = self._open.enter_context(Spill())
        times: Spill[list[float]] = self._open.enter_context(Spill())
        played: Spill[int] = self._open.enter_context(Spill())
        self._meetings = Meetings(times, played)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def add(self, match: Match) -> Values:
        """Its row of `rating_steps`."""
        scopes = scopes_of(match)
        first, second = self._before(EVER, scopes[0], match)
        share = self._meetings.weigh(match, (first.points, second.points), self._since)
        rated = [self._rate(EVER, scope, match, share.weights) for scope in scopes]
        if match.location.guild_id is not None:
            self._rate(Season.of(match.touched_at).key, match.location.guild_id, match, share.weights)
        return step_values(match, rated, is_easy=share.is_easy)

    def take(self, row: Values) -> Values | None:
        """What a row of either table should say beside its key, which is left out of `rows` from then on.

        None where there should be none.
        """
        key = {"season": EVER, **row}
        plain = self._standing.pop(_text(*(key[name] for name in _KEY)))
        return None if plain is None else record_values(Record(*plain))

    def rows(self, table: sa.Table) -> Iterator[Values]:
        """What was not taken yet of `records` or `season_records`."""
        names = [column.name for column in table.primary_key]
        for text, plain in self._standing.items():
            season, scope, game, is_agent, player = text.split("\t")
            if (season == EVER) == (table is records):
                key = dict(zip(_KEY, (season, int(scope), game, is_agent == "1", player), strict=True))
                yield {**{name: key[name] for name in names}, **record_values(Record(*plain))}

    def _before(self, season: str, scope: int, match: Match) -> tuple[Record, Record]:
        first, second = (self._record(season, scope, match.game, seat) for seat in match.seats)
        return first, second

    def _record(self, season: str, scope: int, game: str, seat: Seat) -> Record:
        plain = self._standing.get(_text(season, scope, game, *player_key(seat)))
        if plain is not None:
            return Record(*plain)
        if (game, seat.level) not in self._first:
            self._first[game, seat.level] = first_record(game, seat.level)
        return self._first[game, seat.level]

    def _rate(
        self, season: str, scope: int, match: Match, weights: Weights
    ) -> tuple[tuple[Record, ...], tuple[Record, ...]]:
        before = self._before(season, scope, match)
        after = fairly_rated(before, None if match.result is None else match.result.winner, weights)
        for seat, record in zip(match.seats, after, strict=True):
            self._standing.set(_text(season, scope, match.game, *player_key(seat)), _plain(record))
        return before, after


def _text(season: str, scope: int, game: str, is_agent: Any, player: str) -> str:
    return f"{season}\t{scope}\t{game}\t{is_agent:d}\t{player}"
