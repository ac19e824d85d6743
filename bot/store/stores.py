"""Stores: everything that is remembered, by subject; made once, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from bot.store.achievements import AchievementStore
from bot.store.calls import CallStore
from bot.store.challenges import ChallengeStore
from bot.store.champions import ChampionStore
from bot.store.courses import CourseStore
from bot.store.database import Database
from bot.store.endings import count_ending
from bot.store.events import EventStore
from bot.store.facts import FactStore
from bot.store.history import HistoryStore
from bot.store.matches import MatchStore
from bot.store.outages import OutageStore
from bot.store.packing import PackingStore
from bot.store.players import PlayerStore
from bot.store.preferences import PreferenceStore
from bot.store.privacy import PrivacyStore
from bot.store.processes import ProcessStore
from bot.store.puzzle_posts import PuzzlePostStore
from bot.store.puzzles import PuzzleStore
from bot.store.ratings import RatingStore
from bot.store.recount import Recounter
from bot.store.seasons import SeasonStore
from bot.store.shown import ShownStore
from bot.store.tournaments import TournamentStore
from bot.store.versions import BUSY_SECONDS, usable


@dataclass(frozen=True, slots=True)
class Stores:
    """What one process remembers, in one database."""

    database: Database
    matches: MatchStore
    challenges: ChallengeStore
    calls: CallStore
    shown: ShownStore
    players: PlayerStore
    ratings: RatingStore
    seasons: SeasonStore
    history: HistoryStore
    achievements: AchievementStore
    puzzles: PuzzleStore
    puzzle_posts: PuzzlePostStore
    courses: CourseStore
    tournaments: TournamentStore
    preferences: PreferenceStore
    champions: ChampionStore
    events: EventStore
    privacy: PrivacyStore
    facts: FactStore
    outages: OutageStore
    processes: ProcessStore
    packing: PackingStore

    @classmethod
    def over(cls, database: Database) -> Self:
        """All of them on that database."""
        return cls(
            database=database,
            matches=MatchStore(database, count_ending),
            challenges=ChallengeStore(database),
            calls=CallStore(database),
            shown=ShownStore(database),
            players=PlayerStore(database),
            ratings=RatingStore(database),
            seasons=SeasonStore(database),
            history=HistoryStore(database),
            achievements=AchievementStore(database),
            puzzles=PuzzleStore(database),
            puzzle_posts=PuzzlePostStore(database),
            courses=CourseStore(database),
            tournaments=TournamentStore(database),
            preferences=PreferenceStore(database),
            champions=ChampionStore(database),
            events=EventStore(database),
            privacy=PrivacyStore(database),
            facts=FactStore(database),
            outages=OutageStore(database),
            processes=ProcessStore(database),
            packing=PackingStore(database),
        )

    @classmethod
    async def open(cls, url: str, *, busy_seconds: float = BUSY_SECONDS) -> Self:
        """Opens the database at `url`, made, migrated or counted anew where needed; raises Unusable."""
        database = await Database.open(url, busy_seconds=busy_seconds)
        try:
            with usable(url):
                await Recounter(database).renew()
        except BaseException:
            await database.close()
            raise
        return cls.over(database)

    async def close(self) -> None:
        """Lets every transaction that was begun come to its end first."""
        await self.database.close()
