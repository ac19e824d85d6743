"""Every way to help is closed in a game in which the person's rated match against a bot runs."""

from __future__ import annotations

import ast
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.domain.location import Web
from bot.domain.person import Person
from bot.domain.result import End
from bot.domain.terms import First
from bot.ui.match.routes import ACTION, Action
from tests.bot.sittings import ADA, terms_of
from tests.bot.table import Table, buttons_of, line_of, parts_of, text_of
from tests.bot.ui.test_coach import LOST, coached, held
from tests.bot.ui.test_import import TWO_OF_DRAUGHTS, brought
from tests.bot.ui.test_panel import opened
from tests.bot.ui.test_votes import begun as voted
from tests.bot.ui.test_watching import watched
from tests.bot.web.visitors import GUEST, Browser, WebSite, web_site

ROOT = Path(__file__).parents[3]
GAME = "tic-tac-toe"
BARRED = "is running: until it’s over, I give no help in this game and play no other match in it."


@pytest.fixture
def table(shared_table: Table) -> Table:
    return shared_table


async def barred(table: Table, **options: Any) -> Any:
    """The private refusal of a second match against a bot."""
    answer = await table.ada.slash(
        table.games, "play", game="tic-tac-toe", level="pip", rated=False, **options
    )
    assert answer.ephemeral
    assert BARRED in text_of(answer.response)
    return answer.response


async def test_the_refusal_leads_to_the_rated_match_and_asks_before_it_resigns(table: Table) -> None:
    board = await table.start(game="tic-tac-toe")
    refusal = await barred(table)
    assert f"Your rated match #{table.first_match} (Tic-tac-toe) {BARRED}" in text_of(refusal)
    assert list(buttons_of(refusal)) == ["Go to it", "Resign it"]
    (link,) = (part["url"] for part in parts_of(refusal) if part.get("url"))
    assert link == f"https://discord.com/channels/{table.guild.id}/{table.games.id}/{board.id}"

    await table.ada.click(refusal, label="Resign it")
    assert list(buttons_of(refusal)) == ["Yes, resign", "Keep playing"]
    match = await table.bot.services.matches.match(table.first_match)
    assert not match.is_over
    await table.ada.click(refusal, label="Yes, resign")
    match = await table.bot.services.matches.match(table.first_match)
    assert match.result is not None
    assert match.result.end is End.RESIGNATION
    assert "Casual" in text_of(await table.start(game="tic-tac-toe", rated=False))


async def test_the_panel_says_before_a_press_that_no_bot_plays_in_the_game_of_a_rated_match(
    table: Table,
) -> None:
    await table.start(game="tic-tac-toe")
    panel = (await table.ada.slash(table.games, "play")).response
    (game, *_) = (part for part in parts_of(panel) if part.get("options"))
    await table.ada.select(panel, ["tic-tac-toe"], custom_id=game["custom_id"])
    assert f"Your rated match #{table.first_match} (Tic-tac-toe) {BARRED}" in text_of(panel)
    (game, *_) = (part for part in parts_of(panel) if part.get("options"))
    await table.ada.select(panel, ["kalah"], custom_id=game["custom_id"])
    assert BARRED not in text_of(panel)


async def test_a_refusal_because_of_a_match_between_people_leads_to_it(table: Table) -> None:
    board = await table.pair(game=GAME)
    invited = await table.ada.slash(table.games, "challenge", opponent=table.ben, game=GAME, rated=True)
    refusal = (await table.ben.click(invited.response, label="Accept")).response
    assert f"Your rated match #{table.first_match} against this player has hardly begun." in text_of(refusal)
    assert list(buttons_of(refusal)) == ["Go to it"]
    (link,) = (part["url"] for part in parts_of(refusal) if part.get("url"))
    assert link == f"https://discord.com/channels/{table.guild.id}/{table.games.id}/{board.id}"


async def test_the_list_of_matches_has_the_number_that_a_refusal_names(table: Table) -> None:
    await table.start(game=GAME)
    listed = await table.ada.slash(table.games, "match list")
    assert f"**#{table.first_match}** · **Your turn**: **Tic-tac-toe** against" in text_of(listed.response)


async def test_only_its_person_resigns_the_rated_match(table: Table) -> None:
    await table.start(game="tic-tac-toe")
    refusal = await barred(table)
    custom_id = next(part["custom_id"] for part in parts_of(refusal) if part.get("custom_id"))
    answer = await table.forge(table.ben, table.board(), custom_id.replace("resign", "resign-now"))
    assert "match is between" in text_of(answer.response) or "match is between" in answer.response.content
    assert not (await table.bot.services.matches.match(table.first_match)).is_over


@pytest.mark.slow
async def test_the_refusal_works_after_a_restart(own_table: Table) -> None:
    await own_table.start(game="tic-tac-toe")
    refusal = await barred(own_table)
    await own_table.restart()
    await own_table.ada.click(refusal, label="Resign it")
    await own_table.ada.click(refusal, label="Yes, resign")
    assert (await own_table.bot.services.matches.match(1)).is_over


# Ways in Discord: each returns the refusal


async def begin_rated(table: Table, game: str = GAME) -> None:
    assert "Rated" in text_of(await table.start(game=game))


async def given_up(table: Table, board: Any) -> Any:
    """The board of Ada's match, which she resigns unless the bot's answer has won it."""
    match = await table.bot.services.matches.match(table.first_match)
    if not match.is_over:
        await table.bot.services.playing.resign(match.id, table.person(table.ada))
        await table.bot.display.show(await table.bot.services.matches.match(match.id))
    return board


async def lost(table: Table) -> Any:
    """The board of Ada's finished match against a bot, in which she gave a win away."""
    board = await coached(table, position="a1b1a2b2")
    await table.ada.click(board, label="c1")
    return await given_up(table, board)


async def hint(table: Table) -> str:
    board = await table.pair(game=GAME, rated=False)
    await begin_rated(table)
    return await table.refused(table.ada.click(board, label="Hint"))


async def hint_in_the_match_itself(table: Table) -> str:
    await begin_rated(table)
    return await table.refused(table.ada.slash(table.games, "review hint"))


async def worth_of_hint(table: Table) -> str:
    board = await table.pair(game=GAME, rated=False)
    await table.play(board, "a1 a2")
    told = (await table.ada.click(board, label="Hint")).response
    await begin_rated(table)
    return await table.refused(table.ada.click(told, label="How good is it?"))


async def explanation(table: Table) -> str:
    await lost(table)
    await begin_rated(table)
    number = str(table.first_match)
    return await table.refused(table.ada.slash(table.games, "review explanation", match=number))


async def review(table: Table) -> str:
    board = await lost(table)
    await begin_rated(table)
    return await table.refused(table.ada.click(board, label="Review"))


async def review_of_others(table: Table) -> str:
    board = await table.pair(game=GAME)
    await table.play(board, "a1 b1 a2 b2 a3")
    await table.start(table.eve, game=GAME)
    return await table.refused(table.eve.click(board, label="Review"))


async def pressed_later(table: Table, label: str) -> Any:
    """The answer to a button of a review that was opened before the rated match."""
    shown = (await table.ada.click(await lost(table), label="Review")).response
    await begin_rated(table)
    parts = [part for part in parts_of(shown) if part.get("custom_id")]
    ids = {part.get("label") or part["emoji"]["name"]: part["custom_id"] for part in parts}
    return await table.ada.click(shown, custom_id=ids[label])


async def step_of_review(table: Table) -> str:
    answer = await pressed_later(table, "◀️")
    assert answer.ephemeral
    return text_of(answer.response)


async def shared_review(table: Table) -> str:
    (told,) = (await pressed_later(table, "Share")).followups
    assert told.flags.ephemeral
    return text_of(told)


async def play_from_here(table: Table) -> str:
    return text_of((await pressed_later(table, "Play from here")).response)


async def training(table: Table) -> str:
    board = await lost(table)
    await begin_rated(table)
    return await table.refused(table.ada.click(board, label="Train my mistakes"))


async def mistakes_of_last_matches(table: Table) -> str:
    await lost(table)
    await begin_rated(table)
    return await table.refused(table.ada.slash(table.games, "puzzle mistakes"))


async def posed_mistake(table: Table) -> Any:
    """The position of Ada's mistake, which was opened before the rated match."""
    posed = (await table.ada.click(await lost(table), label="Train my mistakes")).response
    await begin_rated(table)
    return posed


async def answer_to_mistake(table: Table) -> str:
    (told,) = (await table.ada.click(await posed_mistake(table), label="a3")).followups
    return line_of(told)


async def better_move_of_mistake(table: Table) -> str:
    return await table.refused(table.ada.click(await posed_mistake(table), label="Show me"))


async def next_mistake(table: Table) -> str:
    posed = await posed_mistake(table)
    stopped = (await table.ada.click(posed, label="Stop")).response
    (told,) = (await table.ada.click(stopped, label="Start")).followups
    return line_of(told)


async def vote(table: Table) -> str:
    board = await voted(table, GAME)
    await begin_rated(table)
    return await table.refused(table.ada.click(board, label="b2"))


async def start_of_votes(table: Table) -> str:
    await begin_rated(table)
    return line_of(await voted(table, GAME))


async def how_i_voted(table: Table) -> str:
    board, services = await voted(table, GAME), table.bot.services
    match, ada = await services.matches.match(table.first_match), table.person(table.ada)
    await services.votes.cast(match.id, ada, 4, turn=match.turn)
    await services.votes.end(match.id, ada)
    over = await services.playing.stop(match.id, ada)
    await begin_rated(table)
    return await table.refused(table.forge(table.ada, board, ACTION(over.id, over.turn, Action.MY_VOTES)))


async def game_from_elsewhere(table: Table) -> str:
    await begin_rated(table)
    answer = await brought(table, table.ada, text="a1 b1 a2 b2 a3", game=f"{GAME} 3x3")
    assert answer.ephemeral
    return line_of(answer)


async def one_of_several_games(table: Table) -> str:
    """It was asked which one it is before the rated match began."""
    menu = await brought(table, table.ada, file=("two.pdn", TWO_OF_DRAUGHTS))
    await begin_rated(table, "draughts")
    return await table.refused(table.ada.select(menu, ["2"]))


async def play_command(table: Table) -> str:
    await begin_rated(table)
    return text_of(await barred(table))


async def panel(table: Table) -> str:
    shown = await opened(table)
    await begin_rated(table, "connect-four")
    return await table.refused(table.ada.click(shown, label="Start"))


async def rematch(table: Table) -> str:
    board = await lost(table)
    await begin_rated(table)
    return await table.refused(table.ada.click(board, label="Rematch"))


async def made_rated(table: Table) -> str:
    answer = await table.eve.slash(table.games, "play", game=GAME, level="pip", first="me")
    await table.start(table.eve, game=GAME)
    return await table.refused(table.eve.click(answer.followups[0], label="Make it rated"))


async def watch_command(table: Table) -> str:
    await begin_rated(table)
    levels = {"first_level": "pip", "second_level": "pip"}
    return await table.refused(table.ada.slash(table.games, "watch", game=GAME, **levels))


async def watch_another(table: Table) -> str:
    board = await watched(table, GAME)
    await table.ada.click(board, label="Stop")
    await begin_rated(table)
    return await table.refused(table.ada.click(board, label="Another"))


async def coach(table: Table) -> str:
    """It says nothing, as after a good move; its bot waits."""
    board = await coached(table, position="a1b1a2b2")
    await begin_rated(table)
    answer = await table.ada.click(board, label="c1")
    assert answer.followups == []
    match = await table.bot.services.matches.match(table.first_match)
    assert (match.waits_for, len(match.moves)) == (table.first_match + 1, 5), "nor does the bot answer"
    return BARRED


async def better_move(table: Table) -> str:
    _, told = await held(table)
    await begin_rated(table)
    return await table.refused(table.ada.click(told, label="Show me"))


async def better_move_instead(table: Table) -> str:
    _, told = await held(table)
    await table.ada.click(told, label="Show me")
    await begin_rated(table)
    return await table.refused(table.ada.click(told, label="Play a3"))


# Ways on the web, whose reader is one person


async def rated_on_the_web(site: WebSite, game: str = GAME) -> None:
    match = await site.process.services.starting.start(GUEST, terms_of(game, first=First.ME), "pip", Web())
    assert match.bars_help


async def over_on_the_web(site: WebSite) -> str:
    """The key of the page of a match that the guest has given up after a move."""
    match, key = await site.begin(GAME)
    await site.process.services.playing.play(match.id, GUEST, 0)
    await site.process.services.playing.resign(match.id, GUEST)
    return key


async def hint_on_the_web(site: WebSite, browser: Browser) -> str:
    _, key = await site.begin(GAME)
    await rated_on_the_web(site)
    page = await browser.watch(key)
    await page.send(type="hint", id=1, turn=0)
    return str((await page.next("refused"))["text"])


async def rematch_on_the_web(site: WebSite, browser: Browser) -> str:
    page = await browser.watch(await over_on_the_web(site))
    await rated_on_the_web(site)
    await page.send(type="rematch", id=1)
    return str((await page.next("refused"))["text"])


async def easier_on_the_web(site: WebSite, browser: Browser) -> str:
    services, terms = site.process.services, terms_of(GAME, first=First.ME, rated=False)
    lost = await services.starting.start(GUEST, terms, "tia", Web())
    await services.playing.resign(lost.id, GUEST)
    page = await browser.watch((await services.web.page_of_players(lost.id)).key)
    await rated_on_the_web(site)
    await page.send(type="next", id=1)
    return str((await page.next("refused"))["text"])


async def review_on_the_web(site: WebSite, browser: Browser) -> str:
    key = await over_on_the_web(site)
    await rated_on_the_web(site)
    return str((await (await browser.watch(key)).next("review"))["text"])


async def start_on_the_web(site: WebSite, browser: Browser) -> str:
    await rated_on_the_web(site)
    status, answer = await browser.post("/api/matches", {"game": GAME, "level": "pip", "first": "me"})
    assert status == 409
    (rated,) = await site.process.services.matches.running(GUEST.user_id)
    page = await site.process.services.web.page_of_players(rated.id)
    assert (answer["go"], answer["to"]) == ("Go to it", f"/m/{page.key}")
    return str(answer["text"])


async def game_from_elsewhere_on_the_web(site: WebSite, browser: Browser) -> str:
    await rated_on_the_web(site)
    address, headers = f"{site.url}/api/games?game={GAME}", {"Origin": browser.origin}
    async with browser.http.post(address, data=b"a1 b1 a2 b2 a3", headers=headers) as answer:
        return str((await answer.json())["text"])


async def better_move_on_the_web(site: WebSite, browser: Browser) -> str:
    lost = {"game": GAME, "level": "pip", "first": "me", "coach": True, "position": LOST}
    _, answer = await browser.post("/api/matches", lost)
    page = await browser.watch(answer["match"])
    document, c1 = await page.match(), 2
    await page.send(type="play", id=1, turn=document["turn"], move=c1)
    while document["coach"] is None:
        document = await page.match()
    await rated_on_the_web(site)
    await page.send(type="coach", id=2, turn=document["turn"], choice="instead")
    await page.next("refused")
    await page.send(type="coach", id=3, turn=document["turn"], choice="better")
    return str((await page.next("refused"))["text"])


async def coach_on_the_web(site: WebSite, browser: Browser) -> str:
    """It says nothing of a move that leaves the known openings."""
    asked = {"game": "othello", "level": "pip", "first": "me", "position": "Tiger"}
    _, answer = await browser.post("/api/matches", asked)
    await rated_on_the_web(site, "othello")
    page = await browser.watch(answer["match"])
    turn, f3 = (await page.match())["turn"], 21
    await page.send(type="play", id=1, turn=turn, move=f3)
    await page.next("done")
    await site.process.services.background.drain()
    await page.send(type="draw", id=2, turn=99)
    while (message := await page.ws.receive_json(timeout=60))["type"] != "refused":
        assert message["type"] != "coach"
    return BARRED


# All of them

WAYS: dict[str, tuple[Callable[[Table], Awaitable[str]], ...]] = {
    "bot/commands/play.py play": (play_command,),
    "bot/commands/play.py watch": (watch_command,),
    "bot/ui/match/coach.py choose": (better_move_instead,),
    "bot/ui/match/coach.py show": (coach, better_move),
    "bot/ui/match/explanation.py explain": (explanation,),
    "bot/ui/match/handlers.py _rematch": (rematch,),
    "bot/ui/match/handlers.py act": (how_i_voted,),
    "bot/ui/match/handlers.py _watch_again": (watch_another,),
    "bot/ui/match/hint.py _show": (hint, hint_in_the_match_itself, worth_of_hint),
    "bot/ui/match/voting.py vote": (vote,),
    "bot/ui/panel/handlers.py _begin_votes": (start_of_votes,),
    "bot/ui/panel/handlers.py _post": (panel,),
    "bot/ui/panel/handlers.py make_rated": (made_rated,),
    "bot/ui/puzzle/mistakes.py _show_next": (next_mistake,),
    "bot/ui/puzzle/mistakes.py answer": (answer_to_mistake,),
    "bot/ui/puzzle/mistakes.py open_mistakes": (mistakes_of_last_matches,),
    "bot/ui/puzzle/mistakes.py step": (better_move_of_mistake,),
    "bot/ui/puzzle/mistakes.py train_match": (training,),
    "bot/ui/review/handlers.py open_review": (review, review_of_others),
    "bot/ui/review/handlers.py press_play_from": (play_from_here,),
    "bot/ui/review/handlers.py press_review_step": (step_of_review,),
    "bot/ui/review/handlers.py share_review": (shared_review,),
    "bot/ui/review/import_handlers.py _review": (game_from_elsewhere,),
    "bot/ui/review/import_handlers.py choose": (one_of_several_games,),
}
WEB_WAYS: dict[str, Callable[[WebSite, Browser], Awaitable[str]]] = {
    "bot/web/commands.py _coach": better_move_on_the_web,
    "bot/web/commands.py _hint": hint_on_the_web,
    "bot/web/commands.py _next": easier_on_the_web,
    "bot/web/commands.py _rematch": rematch_on_the_web,
    "bot/web/game_reviews.py _answered": game_from_elsewhere_on_the_web,
    "bot/web/live.py _follow_review": review_on_the_web,
    "bot/web/start_page.py asked_match": start_on_the_web,
}
WEB_PUZZLES = {
    *(f"bot/web/puzzles.py {name}" for name in ("_answered", "_begin", "_go_on", "_next", "_solution")),
    *(f"bot/web/mistakes.py {name}" for name in ("_following", "_next", "_press", "of_match")),
}
"""Ways to puzzles and mistakes on the web, which `tests/bot/web/test_puzzles.py` finds closed."""

NO_HELP = {
    "bot/ui/match/coach.py advise": "tells how long the coach takes to get ready",
    "bot/web/documents.py document_of": "tells the same",
    "bot/web/puzzles.py _document": "tells the same",
    "bot/web/puzzles.py _note": "tells the days solved in a row",
    "bot/web/puzzles.py _own_attempt": "reads a puzzle and whose it is",
    "bot/web/puzzles.py _posed_day": "shows a puzzle without its solution",
    "bot/web/server.py __init__": "hands on the day's puzzle for its picture",
    "bot/ui/panel/handlers.py _rated": "tells the points at stake",
    "bot/ui/match/coach.py _moments": "counts the better moves, where a review is allowed",
    "bot/ui/nudge.py nudge": "counts the positions that wait",
    **dict.fromkeys(
        (
            "bot/commands/match_options.py complete_finished",
            "bot/commands/match_options.py finished_match",
        ),
        "finds the games that the person brought",
    ),
    "bot/ui/match/predictions.py guess": "tells a chance that follows from both ratings alone",
    "bot/ui/match/table_handlers.py rematch": "invites the other person of a match between two servers",
    "bot/ui/people/handlers.py _guessers": "shows who foresaw how many ends",
    **dict.fromkeys(
        ("bot/ui/puzzle/mistakes.py _show", "bot/ui/puzzle/mistakes.py _show_day"),
        "shows a position without its better move, or how many there are",
    ),
    **dict.fromkeys(
        ("bot/ui/puzzle/handlers.py _show_solution", "bot/ui/puzzle/handlers.py answer"),
        "judges a puzzle that comes with the bot, unless its position is in a running rated match",
    ),
    "bot/ui/puzzle/handlers.py _show_next": "poses a puzzle",
    "bot/ui/puzzle/handlers.py _ended_view": "shows a finished puzzle",
    **dict.fromkeys(
        (
            *("bot/ui/puzzle/handlers.py open_daily", "bot/ui/puzzle/handlers.py open_puzzle"),
            *("bot/ui/puzzle/handlers.py pick", "bot/ui/puzzle/handlers.py share_puzzle"),
            "bot/ui/puzzle/handlers.py step",
        ),
        "shows a puzzle without its solution",
    ),
    **dict.fromkeys(
        (
            *("bot/ui/puzzle/handlers.py show_leaderboard", "bot/ui/puzzle/handlers.py turn_leaderboard"),
            *("bot/ui/puzzle/handlers.py show_standing", "bot/ui/puzzle/handlers.py show_storms"),
            "bot/ui/puzzle/handlers.py turn_storms",
        ),
        "shows who solved how many",
    ),
    **{
        f"bot/ui/puzzle/course_handlers.py {name}": "a storm or streak of puzzles that come with the bot"
        for name in (
            *("_running_view", "_show", "answer", "open_course", "pick", "run_once", "share_course"),
            *("show_missed", "step"),
        )
    },
}
"""Functions that reach these services and give no help at a position of a person's choice, and why."""

SERVICES = (
    *("reviews", "puzzles", "courses", "training", "starting"),
    *("votes", "vote_scores", "predictions", "imports"),
)
"""Services that tell how good a move is, or let a bot play."""


PLAYING = ("make_rated", "held", "answer_coach")
"""The same among the actions of a match."""


def reaching_help() -> Iterator[str]:
    """Yield the functions of the interfaces that reach a service which can help."""
    for path in (path for room in ("ui", "web", "commands") for path in (ROOT / "bot" / room).rglob("*.py")):
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            used = [ast.unparse(node) for node in ast.walk(function) if isinstance(node, ast.Attribute)]
            ends = (*(f"services.{name}" for name in SERVICES), *(f"playing.{name}" for name in PLAYING))
            if any(text.endswith(ends) for text in used):
                yield f"{path.relative_to(ROOT).as_posix()} {function.name}"


def test_every_function_that_reaches_help_is_a_way_here_or_gives_none() -> None:
    assert sorted(set(reaching_help())) == sorted({*WAYS, *WEB_WAYS, *WEB_PUZZLES, *NO_HELP})


@pytest.mark.slow
@pytest.mark.parametrize("way", [way for ways in WAYS.values() for way in ways], ids=lambda way: way.__name__)
async def test_a_way_to_help_is_closed_while_a_rated_match_against_a_bot_runs(
    table: Table, way: Callable[[Table], Awaitable[str]]
) -> None:
    assert BARRED in await way(table)


@pytest.mark.slow
@pytest.mark.parametrize("way", [*WEB_WAYS.values(), coach_on_the_web], ids=lambda way: way.__name__)
async def test_a_way_to_help_on_the_web_is_closed_too(
    tmp_path: Path, way: Callable[[WebSite, Browser], Awaitable[str]]
) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        assert BARRED in await way(site, browser)


@pytest.mark.slow
async def test_puzzles_that_come_with_the_bot_go_on(table: Table) -> None:
    await begin_rated(table)
    posed = await table.ada.slash(table.games, "puzzle play", game=GAME)
    name = next(label for label, is_free in buttons_of(posed.response).items() if is_free)
    await table.ada.click(posed.response, label=name)
    assert BARRED not in text_of(posed.response)
    assert "is right" in text_of(posed.response) or "is wrong" in text_of(posed.response)


@pytest.mark.parametrize("player", [GUEST, ADA], ids=["their own match", "a match of others"])
async def test_a_withheld_review_is_shown_once_the_rated_match_is_over(
    tmp_path: Path, player: Person
) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        services = site.process.services
        over = await services.starting.start(
            player, terms_of(GAME, first=First.ME, rated=False), "pip", Web()
        )
        await services.playing.play(over.id, player, 0)
        await services.playing.resign(over.id, player)
        await rated_on_the_web(site)
        (rated,) = await services.matches.running(GUEST.user_id)
        page = await site.process.parts.stores.web.page_of(over.id, player.user_id)
        reader = await browser.watch(page.key)
        assert BARRED in (await reader.next("review"))["text"]

        await services.playing.resign(rated.id, GUEST)
        await site.server.live.offer_withheld()
        assert (await reader.next("review"))["review"] is not None


async def test_a_reader_of_a_shared_page_learns_nothing_of_a_players_rated_match(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        match, _ = await site.begin(GAME)
        await site.process.services.playing.play(match.id, GUEST, 0)
        await site.process.services.playing.resign(match.id, GUEST)
        await rated_on_the_web(site)
        shared = await site.process.parts.stores.web.page_of(match.id, GUEST.user_id)
        told = await (await browser.watch(shared.key)).next("review")
        assert (told["reason"], told.get("to")) == ("review_waits", None)
        assert "it could help a player in a rated match that is still running" in told["text"]
