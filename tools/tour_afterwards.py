"""The second half of the way of `tools.tour`: learning, puzzles, standings and tournaments."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from random import Random
from typing import Any

from bot.domain.challenge import First
from bot.domain.match import Location
from bot.services.setup_checks import Person
from engine.analysis.puzzles import puzzles
from engine.games import GAMES, SPECS
from tools.tour_page import Tour, pair, parts_of, said, shared

LOST = "f5f6e6d6g7e3c6c7c5b4d3d2c3e7f2f4b6b2f3g1a3a6c4g3f7b5d1"
"""A match of Othello that White resigns."""


async def learning(tour: Tour) -> None:
    """Hints, the coach, reviews, replays and what an engine thought."""
    await tour.slash("play", game="connect-four", level="bo", first="me", rated=False)
    number = await tour.newest_match()
    for column in "4", "3", "7", "1":  # wins against no answer, so that there is something to ask about
        await tour.move(number, [column])
        await tour.until_mine(number)
    await tour.screen("hint", tour.slash("hint", match=str(number)), 3)
    await tour.screen("hint-2", tour.slash("hint", match=str(number)), 3)
    await tour.screen("explain", tour.slash("explain", match=str(number)), 3)
    panel = await tour.slash("play")
    panel = await tour.press(panel, r"st:mode:[^.]*\.[mor]\.k")
    panel = await tour.press(panel, r"st:first:[^.]*\.m")
    panel = await tour.press(panel, "st:best:")
    await tour.press(panel, "st:go:")
    number = await tour.newest_match()
    for column in "1", "1", "7", "7", "6":
        await tour.until_mine(number)
        if not (await tour.bot.services.matches.match(number)).is_over:
            await tour.press(tour.board(number), rf"^d1:m:{number}:[0-9]+:{int(column) - 1}$")
    await asyncio.sleep(3)
    found = [one for one in tour.simulated.env.backend.messages[tour.games.id].values()
             if any(re.search("^d1:tb:", part.get("custom_id", "")) for part in parts_of(one))]  # fmt: skip
    for one in found[-2:]:
        await tour.screen("coach", said(one))
    await tour.screen("coached-board", said(tour.board(number)))
    if not (await tour.bot.services.matches.match(number)).is_over:
        await tour.resign(number)
    moments = await tour.screen("moments", tour.press(tour.board(number), "^d1:km:"), 3)
    if moments is not None:
        await tour.screen("moment", tour.press(moments, "^d1:kp:"), 3)
    number = await pair(tour, game="othello", rated=True)
    await tour.move(number, [LOST[at : at + 2] for at in range(0, len(LOST), 2)])
    await tour.resign(number, tour.ben)
    await tour.screen("othello-resigned", said(tour.board(number)))
    await look_back(tour, number)
    number = await pair(tour, rated=True)
    await tour.move(
        number,
        [
            "4",
            "4",
            "3",
            "5",
            "2",
            "1",
            "7",
            "6",
            "5",
            "5",
            "3",
            "3",
            "6",
            "2",
            "2",
            "7",
            "7",
            "4",
            "6",
            "4",
            "1",
            "1",
        ],
    )
    if not (await tour.bot.services.matches.match(number)).is_over:
        await tour.resign(number)
    await look_back(tour, number)
    await tour.screen("explain-late", tour.slash("explain", match=str(number)), 3)


async def look_back(tour: Tour, number: int) -> None:
    review = await tour.screen("review", tour.slash("analyze", match=str(number)), 8)
    for which in "one", "other":  # the reader's own and the other side's, as far as not shown
        worst = "v:[0-9]+:(worst|others)"
        await tour.screen(f"review-worst-{which}", tour.press(review, worst), 3)
    replay = await tour.screen("replay", tour.slash("replay", match=str(number)), 4)
    await tour.screen("replay-step", tour.press(replay, "q:[0-9]+:"), 2)
    await shared(tour, "review", review)
    await shared(tour, "replay", replay)


async def puzzling(tour: Tour) -> None:
    daily = await tour.screen("daily", tour.slash("puzzle daily"))
    await tour.screen("daily-wrong", tour.press(daily, "p[mc]:"), 2)
    await tour.screen("daily-again", tour.press(daily, "pa:[0-9]+:again"))
    await tour.press(daily, "p[mc]:")
    await tour.screen("daily-solution", tour.press(daily, "pa:[0-9]+:solution"), 2)
    for game in (key for key, spec in SPECS.items() if spec.teach.puzzle_depths):
        puzzle = await tour.screen(f"puzzle-{game}", tour.slash("puzzle play", game=game))
        if puzzle is not None and game in ("othello", "tic-tac-toe"):
            await solve(tour, puzzle)
            await tour.screen("puzzle-right", said(puzzle), 2)
        if puzzle is not None and game == "tic-tac-toe":
            await shared(tour, "puzzle", puzzle)
    await tour.screen("puzzle-theme", tour.slash("puzzle play", theme="double-threat"))
    puzzle = await tour.slash("puzzle play", game="connect-four", difficulty=2)
    await solve(tour, puzzle)
    await tour.screen("puzzle-solved", said(puzzle), 2)
    await tour.screen("puzzle-own", tour.slash("puzzle own"))
    storm = await tour.screen("storm", tour.slash("puzzle storm", game="connect-four"))
    storm = await tour.screen("storm-wrong", tour.press(storm, "qm:"), 2) or storm
    number = next(
        part["custom_id"].split(":")[2] for part in parts_of(tour.now(storm)) if "custom_id" in part
    )
    best = puzzles()[(await tour.bot.services.courses.course(int(number))).puzzle].best
    await tour.screen("storm-right", tour.press(storm, f"qm:[0-9]+:[0-9]+:{best}$"), 2)
    await tour.screen("storm-over", tour.press(storm, "qa:[0-9]+:stop"), 2)
    await shared(tour, "storm", tour.now(storm))
    streak = await tour.screen("streak", tour.slash("puzzle streak"))
    await tour.screen("streak-over", tour.press(streak, "q[mc]:"), 2)
    await tour.screen("puzzle-standing", tour.slash("puzzle standing"))
    for kind in "rating", "storm", "storm_today":
        await tour.screen(f"puzzle-leaderboard-{kind}", tour.slash("puzzle leaderboard", kind=kind))


async def solve(tour: Tour, puzzle: Any) -> None:
    """The first move by what is stored; a puzzle of depth one is over then."""
    button = next(part["custom_id"] for part in parts_of(tour.now(puzzle)) if "custom_id" in part)
    attempt = await tour.bot.parts.stores.puzzles.attempt(int(button.split(":")[2]))
    if attempt is not None:
        await tour.press(puzzle, rf"pm:{attempt.id}:[0-9]+:{puzzles()[attempt.task.key].best}$")


async def people(tour: Tour) -> None:
    await fill(tour)
    for game in "tic-tac-toe", "connect-four":
        await tour.screen(f"leaderboard-{game}", tour.slash("leaderboard", game=game))
    await tour.screen("leaderboard-agents", tour.slash("leaderboard", game="connect-four", players="agents"))
    await tour.screen("leaderboard-empty", tour.slash("leaderboard", game="pop-out"))
    await tour.screen(
        "leaderboard-everywhere", tour.slash("leaderboard", game="connect-four", scope="everywhere")
    )
    full = await tour.screen("leaderboard-1", tour.slash("leaderboard", game="tic-tac-toe"))
    await tour.screen("leaderboard-2", tour.press(full, "^d1:l:[^.]*:2(:|$)"))
    season = f"{datetime.now(UTC):%Y-%m}"
    full = await tour.screen("season", tour.slash("leaderboard", game="tic-tac-toe", season=season))
    await tour.screen("season-all", tour.press(full, "^d1:z:", value="all"))
    await tour.screen("profile", tour.slash("profile"), 3)
    await tour.screen("profile-ben", tour.slash("profile", person=tour.ben), 3)
    profile = await tour.screen("profile-private", tour.menu("Profile", tour.ben), 3)
    await shared(tour, "profile", profile)
    achievements = await tour.screen("achievements", tour.slash("achievements"), 2)
    await shared(tour, "achievements", achievements)


NAMES = ("Chloe", "Dan", "Eve", "Finn", "Gus", "Hanna", "Iman", "Jo", "Kim", "Lea", "Mo", "Nora")


async def fill(tour: Tour) -> None:
    """A few more rated games, so that tables and plots have something to show, and a few more people."""
    place = Location(tour.games.id, 0 if tour.games.guild is None else tour.games.guild.id)
    strangers = [Person(number, f"{name} Example") for number, name in enumerate(NAMES, start=1)]
    for one, other in zip(strangers[::2], strangers[1::2], strict=True):
        challenges = tour.bot.services.challenges
        asked = await challenges.send(one, other, "tic-tac-toe", place, first=First.ME, rated=True)
        number = (await challenges.accept(asked.id, other))[1].id
        for person, move in zip((one, other) * 3, (0, 1, 3, 4, 6), strict=False):
            await tour.bot.services.playing.play(number, person, move)
    rng = Random(5)
    for _ in range(14):
        number = await pair(tour, game="tic-tac-toe", rated=True)
        while not (match := await tour.bot.services.matches.match(number)).is_over:
            rules = GAMES["tic-tac-toe"]
            choice = rng.choice(match.state.legal_moves())
            await tour.move(number, [rules.move_name(match.state, choice)])


async def tournaments(tour: Tour) -> None:
    made = await tour.screen(
        "tournament-create", tour.slash("tournament create", game="tic-tac-toe", system="swiss")
    )
    for person in tour.ada, tour.ben:
        await tour.press(made, "t:[0-9]+:join", person)
    chosen = await tour.screen("tournament-agents", tour.press(made, "t:[0-9]+:agents"))
    if chosen is not None:
        await tour.press(chosen, "ts:", value=0)
    await tour.slash("tournament add", level="bo")
    await tour.screen("tournament-sign-up", said(made))
    await tour.screen("tournament-list", tour.slash("tournament list"))
    await tour.press(made, "t:[0-9]+:start")
    await asyncio.sleep(3)
    called = tour.last()
    await tour.screen("tournament-round", said(called))
    await tour.screen("tournament-running", said(made))
    await tour.screen("tournament-standings", tour.press(called, "t:[0-9]+:standings"), 2)
    await tour.screen("tournament-show", tour.slash("tournament show"), 2)
    for _ in range(12):
        if (await tour.bot.services.tournaments.tournament(1)).stage.value == "over":
            break
        for pairing in (await tour.bot.services.tournaments.tournament(1)).pairings:
            if pairing.match_id is None or pairing.is_settled:
                continue
            match = await tour.bot.services.matches.match(pairing.match_id)
            for person in (tour.ada, tour.ben):
                if person.id in [seat.user_id for seat in match.seats] and not match.is_over:
                    await tour.resign(match.id, person)
                    break
        await asyncio.sleep(3)
    await tour.screen("tournament-over", said(made), 2)
    await tour.screen("tournament-end", said(tour.last()), 2)
    champions = await tour.slash("tournament championship", game="tic-tac-toe")
    await tour.screen("championship", said(champions), 3)
