"""All stores of a process, one a subject, made in one place."""

from __future__ import annotations

from typing import Self

from bot.store.achievements import AchievementStore
from bot.store.challenges import ChallengeStore
from bot.store.champions import ChampionStore
from bot.store.count_cache import CountCache
from bot.store.courses import CourseStore
from bot.store.database import Database
from bot.store.database_errors import usable
from bot.store.endings import count_ending
from bot.store.events import EventStore
from bot.store.facts import FactStore
from bot.store.hints import HintStore
from bot.store.history import HistoryStore
from bot.store.imported_games import ImportedGameStore
from bot.store.lobby import LobbyStore
from bot.store.matches import MatchStore
from bot.store.outages import OutageStore
from bot.store.outgoing import OutgoingStore
from bot.store.pings import PingStore
from bot.store.players import PlayerStore
from bot.store.predictions import PredictionStore
from bot.store.preferences import PreferenceStore
from bot.store.privacy import PrivacyStore
from bot.store.processes import ProcessStore
from bot.store.puzzles import PuzzleStore
from bot.store.ranking import Ranking
from bot.store.ratings import RatingStore
from bot.store.recount import Recounter
from bot.store.reminders import ReminderStore
from bot.store.seasons import SeasonStore
from bot.store.shown_versions import ShownVersionStore
from bot.store.tournaments import TournamentStore
from bot.store.training import MistakeStore
from bot.store.versions import BUSY_SECONDS
from bot.store.votes import VoteStore
from bot.store.web import WebStore


class Stores:
    """The stores of one database."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.matches = MatchStore(database, count_ending)
        self.hints = HintStore(database)
        self.imported_games = ImportedGameStore(database)
        self.votes = VoteStore(database)
        self.challenges = ChallengeStore(database)
        self.pings = PingStore(database)
        self.shown = ShownVersionStore(database)
        self.players = PlayerStore(database)
        self.counts = CountCache(database)
        ranking = Ranking(database, self.counts)
        self.ratings = RatingStore(database, ranking)
        self.seasons = SeasonStore(database)
        self.history = HistoryStore(database)
        self.achievements = AchievementStore(database, self.counts)
        self.puzzles = PuzzleStore(database, ranking)
        self.outgoing = OutgoingStore(database)
        self.reminders = ReminderStore(database)
        self.lobby = LobbyStore(database)
        self.predictions = PredictionStore(database)
        self.courses = CourseStore(database)
        self.mistakes = MistakeStore(database)
        self.tournaments = TournamentStore(database)
        self.preferences = PreferenceStore(database)
        self.champions = ChampionStore(database)
        self.events = EventStore(database)
        self.privacy = PrivacyStore(database)
        self.facts = FactStore(database)
        self.outages = OutageStore(database)
        self.processes = ProcessStore(database)
        self.web = WebStore(database)

    @classmethod
    async def open(cls, url: str, *, busy_seconds: float = BUSY_SECONDS) -> Self:
        """Open the database at `url`; create, migrate or recount it if necessary. Raises Unusable."""
        database = await Database.open(url, busy_seconds=busy_seconds)
        try:
            with usable(url):
                await Recounter(database).renew()
        except BaseException:
            await database.close()
            raise
        return cls(database)

    async def close(self) -> None:
        """Close the database after all transactions have ended."""
        await self.database.close()
