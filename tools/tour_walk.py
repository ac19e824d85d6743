"""The way that `tools.tour` takes through every screen of the demo, in the order in which they are met."""

from __future__ import annotations

from typing import Any

from bot.domain.look import Size, Theme
from bot.domain.preferences import ServerSettings, Threads
from bot.ui.play_here import play_here_view
from bot.ui.start.help_views import welcome_view
from engine.games import SPECS
from tools.tour_afterwards import learning, people, puzzling, tournaments
from tools.tour_page import Tour, decide, pair, said, wish


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


LOOKS = ((Theme.DARK, Size.NORMAL), (Theme.COLOUR_BLIND, Size.NORMAL), (Theme.SHAPES, Size.NORMAL),
         (Theme.LETTERS, Size.NORMAL), (Theme.CLASSIC, Size.SMALL), (Theme.CLASSIC, Size.LARGE))  # fmt: skip


async def boards(tour: Tour) -> None:
    """Each game at its start, in its middle and at its end, in each look at its middle."""
    for game, spec in SPECS.items():
        number = await pair(tour, game=game)
        await tour.screen(f"{game}-start", said(tour.board(number)))
        moves = spec.look.picture_moves.split()
        await tour.move(number, moves[: len(moves) // 2])
        await tour.screen(f"{game}-middle", said(tour.board(number)))
        if tour.language == "en":
            for theme, size in LOOKS:
                await wish(tour, theme, size)
                await tour.slash("board", match=str(number))
                await tour.screen(f"{game}-{theme}-{size}", said(tour.board(number)))
            await wish(tour, Theme.CLASSIC, Size.NORMAL)
        await tour.move(number, moves[len(moves) // 2 :])
        match = await tour.bot.services.matches.match(number)
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
        await tour.bot.services.settings.save(tour.games.guild.id, wanted)
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
