"""Every action of a user, an agent or a clock, from the press to the stored change."""

from bot.service.achievements import Achievements, Progress
from bot.service.care import Care
from bot.service.display import Display
from bot.service.privacy import Privacy
from bot.service.reviews import Reviews
from bot.service.service import MAX_HINTS, MAX_RUNNING, MAX_WATCHED, MatchService
from bot.service.setup import CLOCKS, Person
from bot.service.standings import Leaderboard, Profile, ProfileRow, Row, Standings

__all__ = [
    "CLOCKS",
    "MAX_HINTS",
    "MAX_RUNNING",
    "MAX_WATCHED",
    "Achievements",
    "Care",
    "Display",
    "Leaderboard",
    "MatchService",
    "Person",
    "Privacy",
    "Profile",
    "ProfileRow",
    "Progress",
    "Reviews",
    "Row",
    "Standings",
]
