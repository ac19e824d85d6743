"""Every action of a user, an agent or a clock, from the press to the stored change."""

from bot.services.achievements import Achievements, Progress
from bot.services.challenges import Challenges
from bot.services.changes import Changes
from bot.services.command_costs import Budget, Cost
from bot.services.courses import BestPage, Bests, CourseAnswer, Courses
from bot.services.daily_puzzle import CannotPost, PostLater, PuzzlePosts
from bot.services.later import Later
from bot.services.leaderboards import Leaderboard, Profile, ProfileRow, Row, Standings
from bot.services.matches import MAX_HINTS, MAX_WATCHED, MatchService
from bot.services.message_upkeep import LOOK_SECONDS, Upkeep
from bot.services.ports import Display, Shown
from bot.services.privacy import Privacy
from bot.services.puzzles import Answered, PuzzleBoard, Puzzles, PuzzleStanding
from bot.services.reviews import Advice, Reviews
from bot.services.settings import SettingsCache
from bot.services.setup_checks import CLOCKS, MAX_RUNNING, Person
from bot.services.shown import ShownMarks
from bot.services.tournaments import Organiser, Terms, TournamentDisplay, Tournaments, check_organiser

__all__ = [
    "CLOCKS",
    "LOOK_SECONDS",
    "MAX_HINTS",
    "MAX_RUNNING",
    "MAX_WATCHED",
    "Achievements",
    "Advice",
    "Answered",
    "BestPage",
    "Bests",
    "Budget",
    "CannotPost",
    "Challenges",
    "Changes",
    "Cost",
    "CourseAnswer",
    "Courses",
    "Display",
    "Later",
    "Leaderboard",
    "MatchService",
    "Organiser",
    "Person",
    "PostLater",
    "Privacy",
    "Profile",
    "ProfileRow",
    "Progress",
    "PuzzleBoard",
    "PuzzlePosts",
    "PuzzleStanding",
    "Puzzles",
    "Reviews",
    "Row",
    "SettingsCache",
    "Shown",
    "ShownMarks",
    "Standings",
    "Terms",
    "TournamentDisplay",
    "Tournaments",
    "Upkeep",
    "check_organiser",
]
