"""The front end of a process without Discord: pages follow the changes themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.domain.challenge import Challenge
from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.tournament.model import Tournament
from bot.parts import FrontEnd
from bot.services.ports import Delivered


class NoDisplay:
    """Shows nothing, and says that everything is shown."""

    async def show(self, _match: Match) -> Delivered:
        return Delivered.DELIVERED

    async def recover(self, _match: Match) -> Delivered:
        return Delivered.DELIVERED

    def wants_ping(self, _match: Match) -> bool:
        return False

    def ping_places(self, match: Match) -> Sequence[Channel]:
        return (match.channel,)

    async def ping(self, _match: Match) -> int | Delivered:
        return Delivered.GONE

    async def find_pings(self, _match: Match, _since: int | None) -> Mapping[int, bool] | Delivered:
        return {}

    async def delete_ping(self, _channel_id: int, _message_id: int) -> Delivered:
        return Delivered.GONE

    async def show_challenge(self, _challenge: Challenge) -> Delivered:
        return Delivered.DELIVERED


class NoTournaments:
    """The same for tournaments, which are played in Discord alone."""

    async def open_board(self, match: Match) -> Match:
        return match

    async def open_thread(self, _tournament: Tournament) -> int | None:
        return None

    async def post_round(self, _tournament: Tournament) -> int | Delivered:
        return Delivered.GONE

    async def post_end(self, _tournament: Tournament) -> int | Delivered:
        return Delivered.GONE

    async def refresh(self, _tournament: Tournament) -> Delivered:
        return Delivered.DELIVERED

    def missing(self, _tournament: Tournament) -> str | None:
        return None

    async def tell_organiser(self, _tournament: Tournament, _missing: str) -> None: ...


def front_without_discord() -> FrontEnd:
    return FrontEnd(NoDisplay(), NoTournaments())
