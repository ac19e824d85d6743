"""The way that `tools.tour` takes through every screen of the demo, in the order in which they are met."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from random import Random
from typing import Any

from bot.domain.challenge import First
from bot.domain.look import Size, Theme
from bot.domain.match import Location
from bot.domain.preferences import ServerSettings, Threads
from bot.services import Person
from bot.ui.start.help import play_here_view, welcome_view
from engine.analysis.puzzles import puzzles
from engine.games import GAMES, SPECS
from tools.tour_page import Tour, decide, parts_of, wish

LOST = "f5f6e6d6g7e3c6c7c5b4d3d2c3e7f2f4b6b2f3g1a3a6c4g3f7b5d1"
"""A match of Othello that White resigns."""


async def post(tour: Tour, view: Any) -> Any:
    return await tour.bot.get_partial_messageable(tour.games.id).send(view=view)


async def starting(tour: Tour) -> None:
    t = tour.t
    note = t("demo_people", own="Ada", other="Ben")
    welcome = await tour.screen("welcome", post(tour, welcome_view(t, note=note)))
    await tour.screen("welcome-server", post(tour, welcome_view(t)))
    await tour.screen("play-here", post(tour, play_here_view(t)))
    panel = await tour.screen("start-newcomer", tour.press(welcome, "^d1:so"))
    await tour.press(panel, "st:go:")
    await tour.screen("newcomer-begun", said(panel), 3)
    await tour.screen("newcomer-board", said(tour.board(await tour.newest_match())))
    await tour.screen("made-rated", tour.press(panel, "sr:"))
    await tour.screen("rated-board", said(tour.board(await tour.newest_match())))
    help_ = await tour.screen("help", tour.slash("help"))
    await tour.screen("commands", tour.press(help_, "^d1:sh"))
    panel = await tour.slash("play")
    for name, pattern in (
        ("levels", "st:more:"), ("othello", r"st:game:othello\.[mor]"), ("terms", "st:terms:"),
        ("pie", r"st:fair:.*\.p"), ("back", "st:back:"), ("rated", r"st:mode:[^.]*\.[mor]\.r"),
        ("coach", r"st:mode:[^.]*\.[mor]\.k"), ("anyone", r"st:against:[^.]*\.[mor]\.[crk]\.a"),
        ("friend", r"st:against:[^.]*\.[mor]\.[crk]\.f"), ("bot", r"st:against:[^.]*\.[mor]\.[crk]\.b"),
        ("first", r"st:first:[^.]*\.m"),
    ):  # fmt: skip
        panel = await tour.screen(f"start-{name}", tour.press(panel, pattern)) or panel
    await tour.press(panel, "st:go:")
    await tour.screen("begun", said(panel), 3)
    await tour.screen("coached-start", said(tour.board(await tour.newest_match())))
    for game in SPECS:
        await tour.screen(f"rules-{game}", tour.slash("rules", game=game))
    await tour.screen("ping", tour.slash("ping"))
    await tour.screen("watch", tour.slash("watch", game="tic-tac-toe", speed="quick"), 5)
    watched = tour.last()
    await tour.screen("watched", said(watched), 6)
    await tour.screen("watch-connect-four", tour.slash("watch", game="connect-four", speed="slow"), 5)


async def said(message: Any) -> Any:
    return message


async def pair(tour: Tour, **options: Any) -> int:
    chosen = {"game": "connect-four", "opponent": tour.ben, "first": "me", "rated": False, **options}
    invitation = await tour.slash("challenge", **chosen)
    await tour.press(invitation, "c:[0-9]+:accept", tour.ben)
    return await tour.newest_match()


LOOKS = ((Theme.DARK, Size.NORMAL), (Theme.COLOUR_BLIND, Size.NORMAL), (Theme.SHAPES, Size.NORMAL),
         (Theme.LETTERS, Size.NORMAL), (Theme.CLASSIC, Size.SMALL), (Theme.CLASSIC, Size.LARGE))  # fmt: skip


async def boards(tour: Tour) -> None:
    """Each game at its start, in its middle and at its end, in each look at its middle."""
    for game, spec in SPECS.items():
        number = await pair(tour, game=game)
        await tour.screen(f"{game}-start", said(tour.board(number)))
        moves = spec.picture.split()
        await tour.move(number, moves[: len(moves) // 2])
        await tour.screen(f"{game}-middle", said(tour.board(number)))
        if tour.language == "en":
            for theme, size in LOOKS:
                await wish(tour, theme, size)
                await tour.slash("board", match=str(number))
                await tour.screen(f"{game}-{theme}-{size}", said(tour.board(number)))
            await wish(tour, Theme.CLASSIC, Size.NORMAL)
        await tour.move(number, moves[len(moves) // 2 :])
        match = await tour.bot.service.match(number)
        if not match.is_over:
            await tour.resign(number, tour.ben)
        await tour.screen(f"{game}-end", said(tour.board(number)))


async def matches(tour: Tour) -> None:
    """What happens around the moves of a match."""
    menu = tour.ada.context_menu(tour.games, "Challenge", tour.ben)
    await tour.form("challenge-form", menu)
    asked = await tour.screen(
        "challenge", tour.slash("challenge", game="othello", opponent=tour.ben, clock=-180002, rated=True)
    )
    await tour.screen("challenge-declined", tour.press(asked, "c:[0-9]+:decline", tour.ben))
    await tour.screen("challenge-anyone", tour.slash("challenge", game="gomoku", start="pie"))
    await tour.press(tour.last(), "c:[0-9]+:accept", tour.ben)
    number = await tour.newest_match()
    await tour.move(number, ["h8"])
    await tour.screen("pie", said(tour.board(number)))
    number = await pair(tour, rated=True, clock=-180002)
    await tour.move(number, ["4", "4", "3"])
    await tour.screen("rated-clock", said(tour.board(number)))
    await tour.screen("more", tour.press(tour.board(number), ":more", tour.ada))
    await tour.press(tour.last(), ":draw$", tour.ada)
    await tour.screen("draw-offered", said(tour.board(number)))
    await tour.press(tour.board(number), ":draw-no", tour.ben)
    await tour.screen("draw-declined", said(tour.board(number)))
    asked = await tour.screen("resign", tour.slash("resign", match=str(number)))
    await tour.press(asked, ":resign-now")
    await tour.screen("resigned", said(tour.board(number)))
    number = await pair(tour)
    await tour.move(number, ["4", "4", "3", "3", "5"])
    await tour.press(tour.board(number), ":undo$", tour.ada)
    await tour.screen("undo-asked", said(tour.board(number)))
    await tour.press(tour.board(number), ":undo-yes", tour.ben)
    await tour.screen("undone", said(tour.board(number)))
    number = await pair(tour, rated=True)
    await tour.move(number, ["4", "4", "3", "3", "5", "1", "6"])
    await tour.screen("rated-end", said(tour.board(number)))
    await tour.screen("rematch", tour.press(tour.board(number), ":rematch", tour.ben))
    number = await pair(tour)
    await tour.slash("draw", match=str(number))
    await tour.slash("draw", tour.ben, match=str(number), answer="accept")
    await tour.screen("drawn", said(tour.board(number)))
    await tour.screen("games", tour.slash("games"))


async def learning(tour: Tour) -> None:
    """Hints, the coach, reviews, replays and what an engine thought."""
    await tour.slash("play", game="connect-four", level="bo", first="me", rated=False)
    number = await tour.newest_match()
    for column in "4", "3", "5", "2":
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
        if not (await tour.bot.service.match(number)).is_over:
            await tour.press(tour.board(number), rf"^d1:m:{number}:[0-9]+:{int(column) - 1}$")
    await asyncio.sleep(3)
    found = [one for one in tour.simulated.env.backend.messages[tour.games.id].values()
             if any(re.search("^d1:tb:", part.get("custom_id", "")) for part in parts_of(one))]  # fmt: skip
    for one in found[-2:]:
        await tour.screen("coach", said(one))
    await tour.screen("coached-board", said(tour.board(number)))
    if not (await tour.bot.service.match(number)).is_over:
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
    if not (await tour.bot.service.match(number)).is_over:
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


async def shared(tour: Tour, name: str, message: Any) -> None:
    """What everybody sees once it is shared, and what asking twice is answered."""
    await tour.press(message, "^d1:sx:")
    await asyncio.sleep(2)
    await tour.screen(f"shared-{name}", said(tour.last()))
    if name == "review":
        await tour.screen("shared-twice", tour.press(message, "^d1:sx:"), 2)


async def puzzling(tour: Tour) -> None:
    daily = await tour.screen("daily", tour.slash("puzzle daily"))
    await tour.screen("daily-wrong", tour.press(daily, "p[mc]:"), 2)
    await tour.screen("daily-again", tour.press(daily, "pa:[0-9]+:again"))
    await tour.press(daily, "p[mc]:")
    await tour.screen("daily-solution", tour.press(daily, "pa:[0-9]+:solution"), 2)
    for game in (key for key, spec in SPECS.items() if spec.puzzle_depths):
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
    attempt = await tour.bot.stores.puzzles.attempt(int(button.split(":")[2]))
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
        challenges = tour.bot.service.challenges
        asked = await challenges.send(one, other, "tic-tac-toe", place, first=First.ME, rated=True)
        number = (await challenges.accept(asked.id, other))[1].id
        for person, move in zip((one, other) * 3, (0, 1, 3, 4, 6), strict=False):
            await tour.bot.service.play(number, person, move)
    rng = Random(5)
    for _ in range(14):
        number = await pair(tour, game="tic-tac-toe", rated=True)
        while not (match := await tour.bot.service.match(number)).is_over:
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
        if (await tour.bot.tournaments.tournament(1)).stage.value == "over":
            break
        for pairing in (await tour.bot.tournaments.tournament(1)).pairings:
            if pairing.match_id is None or pairing.is_settled:
                continue
            match = await tour.bot.service.match(pairing.match_id)
            for person in (tour.ada, tour.ben):
                if person.id in [seat.user_id for seat in match.seats] and not match.is_over:
                    await tour.resign(match.id, person)
                    break
        await asyncio.sleep(3)
    await tour.screen("tournament-over", said(made), 2)
    await tour.screen("tournament-end", said(tour.last()), 2)
    champions = await tour.slash("tournament championship", game="tic-tac-toe")
    await tour.screen("championship", said(champions), 3)


async def caring(tour: Tour) -> None:
    preferences = await tour.screen("preferences", tour.slash("preferences"))
    if preferences is not None:
        await tour.screen("preferences-large", tour.press(preferences, "w:size", value=2), 2)
        await tour.press(preferences, "w:size", value=1)
    await tour.screen("settings", tour.slash("settings"))
    await tour.screen("settings-threads", tour.press(tour.last(), "g:threads", value=2))
    await decide(tour)
    await tour.screen("privacy", tour.slash("privacy"))
    await tour.screen("export", tour.slash("my-data export"), 2)
    asked = await tour.screen("delete", tour.slash("my-data delete"))
    await tour.screen("delete-no", tour.press(asked, "x:[0-9]+:no"))


async def threads(tour: Tour) -> None:
    """What the channel shows of a match and of a tournament whose boards stand in threads."""
    if tour.games.guild is not None:
        wanted = ServerSettings(language=tour.language, threads=Threads.ALWAYS)
        await tour.bot.settings_cache.save(tour.games.guild.id, wanted)
    line = await tour.slash("play", game="tic-tac-toe", level="pip", first="me", rated=False)
    await tour.screen("thread-line", said(line), 2)
    await tour.resign(await tour.newest_match())
    await tour.screen("thread-over", said(line), 2)
    made = await tour.slash("tournament create", game="connect-four", system="round-robin")
    for person in tour.ada, tour.ben:
        await tour.press(made, "t:[0-9]+:join", person)
    await tour.slash("tournament add", level="mia")
    await tour.press(made, "t:[0-9]+:start")
    await tour.screen("thread-tournament", said(made), 3)
    await decide(tour)


async def refused(tour: Tour) -> None:
    """What somebody reads who asks for what cannot be."""
    number = await pair(tour)
    for name, command, options in (
        ("move-9", "move", {"to": "9", "match": str(number)}),
        ("move-9-alone", "move", {"to": "9"}),
        ("no-match", "move", {"to": "4", "match": "9999"}),
        ("level", "play", {"game": "connect-four", "level": "zzz"}),
        ("board", "play", {"game": "connect-four", "board": "99x2"}),
        ("position", "play", {"game": "othello", "position": "xyz"}),
        ("review-running", "analyze", {"match": str(number)}),
        ("undo", "undo", {"match": str(number)}),
        ("draw", "draw", {"match": str(number), "answer": "accept"}),
        ("theme", "puzzle play", {"theme": "zzz"}),
        ("self", "challenge", {"game": "othello", "opponent": tour.ada}),
        ("tournament", "tournament show", {"tournament": "77"}),
    ):
        await tour.screen(f"refused-{name}", tour.slash(command, **options))
    await tour.view_as("Ben")
    await tour.screen("refused-turn", tour.slash("move", tour.ben, to="4", match=str(number)))


PARTS = (starting, boards, matches, learning, puzzling, people, tournaments, caring, threads, refused)
