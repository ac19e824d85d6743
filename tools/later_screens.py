"""Messages of later stages for `tools.make_screens`: a match's end, its review, standings."""

from __future__ import annotations

import io
import time
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import discord
from discord import ui

from bot.domain.look import Look
from bot.domain.match import Channel, Match, RatingChange, Seat
from bot.domain.season import Season
from bot.domain.tournament.model import Stage, Tournament
from bot.i18n import Text
from bot.presentation.plot import draw_plot
from bot.presentation.verdicts import described
from bot.services.leaderboards import Leaderboard, Row
from bot.ui.match.views import board_view
from bot.ui.people.leaderboard_views import leaderboard_view
from bot.ui.review.views import PLOT, review_view
from bot.ui.tournament.views import round_view
from engine.agents.roster import Roster
from engine.analysis.review import Mark, review
from engine.core import Player
from engine.games import GAMES, spec_of

NOW = datetime(2026, 1, 1, tzinfo=UTC)
HERE = Channel(1, 2, 3)
Message = tuple[ui.LayoutView, Mapping[str, bytes]]
"""A message's view, and its files by name."""


def end(t: Text, look: Look) -> Message:
    """Return the board of a finished rated match with both rating changes."""
    return board_view(_won(), t, Roster(), look), {}


def reviewed(t: Text, look: Look) -> Message:
    """Return the match's review, at the losing move."""
    match = _won()
    found = review(GAMES[match.game], match.board, match.moves, time.perf_counter)
    losing = found.losing_move(Player.SECOND)
    ply = len(match.moves) if losing is None else losing.ply + 1
    values = [found.expectation(number) for number in range(len(found.states))]
    faults = [one.ply for one in found.reviewed if one and one.mark in (Mark.MISTAKE, Mark.BLUNDER)]
    plot = draw_plot(match.game, values, ply, faults, found.exact_from, look.theme)
    picture = discord.File(io.BytesIO(plot), PLOT, description=described(t, match, found))
    return review_view(match, found, t, ply, picture, 2, look), {PLOT: plot}


def leaderboard(t: Text, _look: Look) -> Message:
    """Return a server's monthly leaderboard, as Ben sees it."""
    season = Season.of(NOW)
    ranked = (("Chloe", 1534, 71, 31, 2, 9), ("Ben", 1223, 88, 12, 3, 11), ("Ada", 1204, 96, 14, 1, 12))
    rows = [
        Row(place, str(place), name, points, margin, wins, draws, losses, 1, 4, place)
        for place, (name, points, margin, wins, draws, losses) in enumerate(ranked, start=1)
    ]
    rows += [Row(None, "4", "Dan", 1310, 143, 3, 0, 1, 2, 2), Row(None, "5", "Eve", 990, 205, 1, 0, 2, -1, 1)]
    found = Leaderboard(
        "connect-four", 1, False, tuple(rows), 1, 1, rows[1], True, season, True, (season,)
    )  # fmt: skip
    return leaderboard_view(found, t, 3), {}


def tournament_round(tournament: Tournament, t: Text) -> Message:
    """Return the last round of a tournament in its channel, two matches still open."""
    last = tournament.round
    pairings = tuple(
        replace(one, result=None) if one.round == last and number % 2 else one
        for number, one in enumerate(tournament.pairings)
    )
    running = replace(tournament, name="Friday cup", pairings=pairings, stage=Stage.RUNNING)
    return round_view(running, t, last), {}


def _won() -> Match:
    """Play Ada against Ben to the end of the game's example."""
    key = "connect-four"
    spec, seats = spec_of(key), (Seat("Ada", user_id=1), Seat("Ben", user_id=2))
    match = Match.begin(key, spec.rules.boards[0], seats, HERE, NOW, rated=True, clock_seconds=259_200)
    for number, name in enumerate(spec.look.picture_moves.split()):
        moved_at = NOW + timedelta(seconds=4 * number)
        move = spec.rules.parse_move(match.state, name)
        match = match.play(match.seat_to_move.user_id or 0, move, moved_at)
    return replace(match, id=1, rating_changes=(RatingChange(1180, 1204, 96), RatingChange(1247, 1223, 88)))
