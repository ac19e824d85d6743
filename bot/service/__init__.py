"""Every action of a user, an agent or a clock, from the press to the stored change."""

from bot.service.achievements import Achievements, Progress
from bot.service.care import Care
from bot.service.challenges import Challenges
from bot.service.display import Display
from bot.service.privacy import Privacy
from bot.service.puzzle_posts import CannotPost, PostLater, PuzzlePosts
from bot.service.puzzles import Answered, PuzzleBoard, Puzzles, PuzzleStanding
from bot.service.reviews import Reviews
from bot.service.service import MAX_HINTS, MAX_WATCHED, MatchService
from bot.service.setup import CLOCKS, MAX_RUNNING, Person
from bot.service.standings import Leaderboard, Profile, ProfileRow, Row, Standings
from bot.service.tournaments import Organiser, Terms, TournamentDisplay, Tournaments, check_organiser

__all__ = [
    "CLOCKS",
    "MAX_HINTS",
    "MAX_RUNNING",
    "MAX_WATCHED",
    "Achievements",
    "Answered",
    "CannotPost",
    "Care",
    "Challenges",
    "Display",
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
    "Standings",
    "Terms",
    "TournamentDisplay",
    "Tournaments",
    "check_organiser",
]
