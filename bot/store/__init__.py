"""What Discade remembers, in SQLite: tables, queries and migrations; knows no Discord."""

from bot.store.achievements import Accuracy, AchievementStore, Award, Found
from bot.store.calls import Call, CallStore, Replacing
from bot.store.challenges import ChallengeStore
from bot.store.courses import Best, BestBoard, CourseStore
from bot.store.history import PLOTTED, BestWin, HistoryStore, RatedMatch, Score
from bot.store.matches import MatchStore
from bot.store.preferences import PreferenceStore
from bot.store.privacy import PrivacyStore
from bot.store.puzzle_posts import Post, PostStatus, PuzzlePostStore
from bot.store.puzzles import PuzzleStore
from bot.store.rank_tallies import EVERYWHERE
from bot.store.ratings import LeaderboardPage, RankedRecord, RatingStore
from bot.store.recount import Recount, Recounter
from bot.store.seasons import SeasonMark, SeasonStore
from bot.store.shared import Conflict, metadata
from bot.store.shown import Behind, ShownStore
from bot.store.stores import Stores
from bot.store.tournaments import TournamentStore

__all__ = [
    "EVERYWHERE",
    "PLOTTED",
    "Accuracy",
    "AchievementStore",
    "Award",
    "Behind",
    "Best",
    "BestBoard",
    "BestWin",
    "Call",
    "CallStore",
    "ChallengeStore",
    "Conflict",
    "CourseStore",
    "Found",
    "HistoryStore",
    "LeaderboardPage",
    "MatchStore",
    "Post",
    "PostStatus",
    "PreferenceStore",
    "PrivacyStore",
    "PuzzlePostStore",
    "PuzzleStore",
    "RankedRecord",
    "RatedMatch",
    "RatingStore",
    "Recount",
    "Recounter",
    "Replacing",
    "Score",
    "SeasonMark",
    "SeasonStore",
    "ShownStore",
    "Stores",
    "TournamentStore",
    "metadata",
]
