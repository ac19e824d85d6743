"""Puzzles on the web: what is stored, who may answer, and what an answer of the server tells."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.domain.guest import GUEST_LIFETIME, LOCAL_USER, is_guest
from bot.domain.puzzle import FIRST_DAY, Attempt, Status, Task, daily
from bot.domain.terms import First
from bot.store.shared import metadata
from bot.web.security import GUEST_STARTS
from engine.analysis.puzzles import Puzzle, puzzles, select
from engine.games.puzzle_themes import PuzzleTheme
from tests.bot.cold import cold
from tests.bot.sittings import ADA, BEN, HERE, Clock, terms_of
from tests.bot.web.test_guests import open_site, sign_in
from tests.bot.web.test_home import inside
from tests.bot.web.visitors import GUEST, Browser, WebSite, web_site


async def attempts_in(site: WebSite) -> list[Attempt]:
    table = metadata.tables["puzzle_attempts"]
    async with site.process.parts.stores.database.reading() as connection:
        numbers = (await connection.execute(sa.select(table.c.id).order_by(table.c.id))).scalars().all()
    return [await site.process.services.puzzles.attempt(number) for number in numbers]


async def shown(browser: Browser, path: str = "/puzzle") -> dict[str, Any]:
    """The document inside the page."""
    status, _, text = await browser.get(path)
    assert status == 200, text
    document: dict[str, Any] = inside(text, "first")
    return document


def of_day(site: WebSite) -> Puzzle:
    return daily(site.process.services.puzzles.today)


def wrong_move(puzzle: Puzzle) -> int:
    return next(move for move in puzzle.state.legal_moves() if move != puzzle.best)


async def posed(browser: Browser, **asked: str) -> tuple[dict[str, Any], Puzzle]:
    """A new puzzle of that kind, and the stored one that it is."""
    status, document = await browser.post("/api/puzzles", asked)
    assert status == 200, document
    return document, puzzles()[(await known(document)).key]


async def known(document: dict[str, Any]) -> Puzzle:
    """The puzzle of the document, found by its board."""
    at = {piece["at"]: piece.get("side") for piece in document["position"]["pieces"]}
    for puzzle in select(document["game"]["key"]).values():
        cells = Task.of(puzzle).state.cells()
        if {cell: side for cell, side in enumerate(cells) if side is not None} == at:
            return puzzle
    raise AssertionError(document)


async def test_the_days_puzzle_is_a_board_and_nothing_is_stored_before_the_first_answer(
    tmp_path: Path,
) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        puzzle, document = of_day(site), await shown(browser)
        assert (document["attempt"], document["status"], document["game"]["key"]) == (
            None, "open", puzzle.game,
        )  # fmt: skip
        assert [one["move"] for one in document["position"]["moves"]] == list(puzzle.state.legal_moves())
        assert await attempts_in(site) == []
        move = wrong_move(puzzle)
        status, failed = await browser.post("/api/puzzles", document["by"] | {"move": move})
        (attempt,) = await attempts_in(site)
        assert (status, failed["status"], failed["steps"]) == (200, "failed", ["solution", "again"])
        assert (attempt.user_id, attempt.day, attempt.counts) == (
            LOCAL_USER,
            site.process.services.puzzles.today,
            True,
        )
        assert attempt.moves[0] == move
        assert len(failed["frames"]) == len(attempt.moves) - 1
        again = await shown(browser)
        assert (again["attempt"], again["status"]) == (attempt.id, "failed")


async def test_a_day_that_is_solved_is_said_with_the_days_in_a_row(tmp_path: Path) -> None:
    clock = Clock()
    clock.now = datetime(2026, 1, 5, 12, tzinfo=UTC)  # a Monday, whose puzzle is very easy
    async with web_site(tmp_path / "discade.db", clock=clock) as site, site.browser() as browser:
        while puzzles()[of_day(site).key].depth != 1:
            clock.now += timedelta(days=1)
        document = await shown(browser)
        assert document["share"] == ""
        _, solved = await browser.post("/api/puzzles", document["by"] | {"move": of_day(site).best})
        assert (solved["status"], solved["note"]) == ("solved", "📅 Daily puzzle solved 1 day in a row.")
        assert "🎉 Solved!" in solved["lines"]
        number = (clock.now.date() - FIRST_DAY).days + 1
        assert solved["title"].startswith(f"📅 Daily puzzle {number}: ")
        assert re.fullmatch(rf"Daily {number} · .+ · 1 move · 🟩 · first day", solved["share"])
        assert solved["share"] in solved["lines"]
        assert solved["position"]["marks"]["line"]
        assert (await shown(browser))["status"] == "solved"


async def test_a_right_answer_is_followed_by_the_reply_and_the_next_move(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        document, puzzle = await posed(browser, game="connect-four", grade="3")
        where = f"/api/puzzles/{document['attempt']}"
        _, after = await browser.post(where, {"turn": 0, "move": puzzle.best})
        assert (after["status"], after["turn"], len(after["frames"])) == ("open", 2, 1)
        assert after["lines"][0].startswith("✅ Column ")
        assert after["position"]["moves"]
        assert "⟦" in after["lines"][1]  # the piece that replies


async def test_nothing_tells_the_solution_before_the_puzzle_is_over(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        document, puzzle = await posed(browser, game="connect-four", theme="double-threat")
        assert document["terms"].endswith("theme: Double threat")  # which was asked for
        where = f"/api/puzzles/{document['attempt']}"
        status, refused = await browser.post(where, {"step": "solution"})
        assert (status, refused["reason"]) == (409, "puzzle_moved_on")
        status, refused = await browser.post(where, {"step": "again"})
        assert (status, refused["reason"]) == (409, "puzzle_moved_on")
        _, after = await browser.post(where, {"turn": 0, "move": puzzle.best})
        told = json.dumps([document, after])
        assert not [theme for theme in PuzzleTheme if f"told_{theme}" in told or "🏷️" in told]
        assert (await browser.post(where, {"step": "solution"}))[0] == 409
        failed, other = await posed_and_failed(browser)
        _, solution = await browser.post(f"/api/puzzles/{failed['attempt']}", {"step": "solution"})
        assert solution["lines"][0].startswith("💡 ")
        assert solution["position"]["marks"]["last"] == [other.rules.cell_of(other.state, other.best)]
        assert solution["steps"] == ["again"]
        _, again = await browser.post(f"/api/puzzles/{failed['attempt']}", {"step": "again"})
        assert (again["status"], again["turn"]) == ("open", 0)
        assert "doesn’t count" in again["terms"]


async def posed_and_failed(browser: Browser) -> tuple[dict[str, Any], Puzzle]:
    document, puzzle = await posed(browser, game="tic-tac-toe")
    _, failed = await browser.post(
        f"/api/puzzles/{document['attempt']}", {"turn": 0, "move": wrong_move(puzzle)}
    )
    assert failed["status"] == "failed"
    return failed, puzzle


async def test_an_answer_to_an_older_turn_shows_what_is_stored(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        failed, puzzle = await posed_and_failed(browser)
        where = f"/api/puzzles/{failed['attempt']}"
        status, stored = await browser.post(where, {"turn": 0, "move": puzzle.best})
        assert (status, stored["status"], stored["text"]) == (200, "failed", "")
        (attempt,) = await attempts_in(site)
        assert attempt.status is Status.FAILED


async def test_a_square_that_is_taken_is_refused_in_words(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        document, _ = await posed(browser, game="tic-tac-toe")
        taken = document["position"]["pieces"][0]["at"]
        status, answer = await browser.post(f"/api/puzzles/{document['attempt']}", {"turn": 0, "move": taken})
        assert (status, answer["status"]) == (200, "open")
        assert "is taken" in answer["text"]


async def test_two_answers_at_once_begin_one_attempt_and_one_is_judged(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        body = (await shown(browser))["by"] | {"move": wrong_move(of_day(site))}
        answers = await asyncio.gather(*(browser.post("/api/puzzles", body) for _ in range(5)))
        assert {status for status, _ in answers} <= {200, 409}
        (attempt,) = await attempts_in(site)
        assert (attempt.version, attempt.status) == (1, Status.FAILED)


async def test_an_answer_that_cannot_be_judged_yet_says_how_long_and_counts_later(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        with cold(site.process.services.search):
            document, puzzle = await posed(browser, game="othello", grade="1")
            where, answer = f"/api/puzzles/{document['attempt']}", {"turn": 0, "move": puzzle.best}
            _, stored = await browser.post(where, answer)
            assert (stored["turn"], stored["status"]) == (0, "open")
            assert re.fullmatch(
                r"I’m still getting ready for this game, about \d+ s more. Ask again then.", stored["text"]
            )
        assert (await browser.post(where, answer))[1]["turn"] > 0


async def test_only_the_attempts_own_person_answers_it(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site, site.browser() as browser, site.browser() as other:
        document, puzzle = await posed(browser, game="tic-tac-toe")
        await posed(other)
        for body in ({"turn": 0, "move": puzzle.best}, {"step": "solution"}, {"step": "again"}):
            for number in (document["attempt"], 999, 10**17):
                status, refused = await other.post(f"/api/puzzles/{number}", body)
                assert (status, refused["reason"]) == (404, "page_gone"), (number, body)
        assert (await site.process.services.puzzles.attempt(document["attempt"])).moves == ()


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"move": 1},
        {"day": "tomorrow", "move": 1},
        {"game": "chess"},
        {"theme": "x"},
        {"grade": "9"},
        {"grade": [1]},
        {"day": "2020-01-01", "move": True},
        {"match": "x", "move": 1},
    ],
)
async def test_rubbish_is_refused(tmp_path: Path, body: dict[str, object]) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        if body:
            status, answer = await browser.post("/api/puzzles", body)
            assert status in (400, 404), answer
            assert await attempts_in(site) == []
        document, _ = await posed(browser, game="tic-tac-toe")
        status, answer = await browser.post(f"/api/puzzles/{document['attempt']}", body | {"turn": "x"})
        assert (status, answer["reason"]) == (400, "web_bad_message")


async def test_a_stranger_sees_the_puzzle_and_may_not_answer_where_guests_are_off(tmp_path: Path) -> None:
    async with (
        web_site(tmp_path / "discade.db", is_local=False, invite="https://discord.com/add") as site,
        site.browser() as browser,
    ):
        document = await shown(browser)
        assert document["position"]["pieces"]
        assert "moves" not in document["position"]
        assert document["note"] == "You solve it in Discord: /puzzle daily."
        assert "doesn’t count" not in document["terms"]
        puzzle = of_day(site)
        for body in (document["by"] | {"move": puzzle.best}, {"game": "othello"}):
            assert (await browser.post("/api/puzzles", body))[0] == 404
        assert await attempts_in(site) == []
        tile = inside((await browser.get("/"))[2], "first")["tiles"][-1]
        assert (tile["title"], tile["href"]) == ("Today’s puzzle", "/puzzle")
        async with browser.http.get(site.url + tile["picture"]) as picture:
            assert (picture.status, picture.content_type) == (200, "image/png")


async def test_a_guest_solves_unrated_and_is_known_by_their_cookie_for_a_day(tmp_path: Path) -> None:
    clock = Clock()
    async with open_site(tmp_path, clock) as site, site.browser() as browser, site.browser() as other:
        document, puzzle = await shown(browser), of_day(site)
        assert "doesn’t count" in document["terms"]
        body = document["by"] | {"move": wrong_move(puzzle)}
        async with browser.http.post(
            f"{site.url}/api/puzzles", json=body, headers={"Origin": site.url}
        ) as made:
            assert made.status == 200, await made.text()
            assert "HttpOnly" in made.headers["Set-Cookie"]
        (attempt,) = await attempts_in(site)
        assert is_guest(attempt.user_id)
        assert not attempt.counts
        assert (await shown(browser))["status"] == "failed"
        assert (await shown(other))["status"] == "open"
        stores, privacy = site.process.parts.stores, site.process.services.privacy
        assert await stores.puzzles.puzzle_record(puzzle.key) is None
        await privacy.forget_guests()
        assert len(await attempts_in(site)) == 1
        clock.now += GUEST_LIFETIME + timedelta(seconds=1)
        await privacy.forget_guests()
        assert await attempts_in(site) == []
        assert attempt.user_id not in await stores.privacy.people()


async def test_a_guest_who_plays_on_keeps_their_name_until_both_are_a_day_old(tmp_path: Path) -> None:
    clock = Clock()
    async with open_site(tmp_path, clock) as site, site.browser() as browser:
        document = await shown(browser)
        await browser.post("/api/puzzles", document["by"] | {"move": wrong_move(of_day(site))})
        clock.now += timedelta(hours=23)
        touch = {"game": "connect-four", "level": "mia", "first": "me", "move": 3}
        assert (await browser.post("/api/matches", touch))[0] == 200
        clock.now += timedelta(hours=2)
        await site.process.services.privacy.forget_guests()
        assert await attempts_in(site) == []
        assert [one for one in await site.process.parts.stores.privacy.people() if is_guest(one)]


async def test_a_guests_puzzle_stays_when_their_older_match_goes(tmp_path: Path) -> None:
    clock = Clock()
    async with open_site(tmp_path, clock) as site, site.browser() as browser:
        touch = {"game": "connect-four", "level": "mia", "first": "me", "move": 3}
        assert (await browser.post("/api/matches", touch))[0] == 200
        clock.now += timedelta(hours=23)
        await posed(browser, game="tic-tac-toe")
        clock.now += timedelta(hours=2)
        await site.process.services.privacy.forget_guests()
        assert len(await attempts_in(site)) == 1


async def test_the_guests_of_one_address_begin_so_many_puzzles(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site:
        answers = []
        for _ in range(GUEST_STARTS + 1):
            site.server._limits._work.clear()
            async with site.browser() as browser:  # without the cookie of the last
                answers.append((await browser.post("/api/puzzles", {"game": "tic-tac-toe"}))[0])
        assert answers == [200] * GUEST_STARTS + [429]


async def test_guests_get_no_puzzle_from_their_matches(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site, site.browser() as browser:
        assert '"own":false' in (await browser.get("/puzzle"))[2]
        assert (await browser.post("/api/mistakes", {}))[0] == 404, "not known as a guest yet"
        await browser.post("/api/puzzles", {"game": "tic-tac-toe"})
        status, refused = await browser.post("/api/mistakes", {})
        assert (status, refused["reason"]) == (409, "web_not_for_guests")
        assert (await browser.get(f"/puzzle?match={'x' * 22}"))[0] == 404
        touch = {"game": "tic-tac-toe", "level": "bo", "first": "me", "move": 0}
        _, answer = await browser.post("/api/matches", touch)
        page = await browser.watch(answer["match"])
        await page.send(type="resign", id=1, turn=0)
        await page.next("done")
        assert (await browser.get(f"/puzzle?match={answer['match']}"))[0] == 404


async def test_who_is_signed_in_answers_as_in_discord(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site, site.browser() as browser:
        await sign_in(site, browser)
        document = await shown(browser)
        assert "doesn’t count" not in document["terms"]
        puzzle = of_day(site)
        await browser.post("/api/puzzles", document["by"] | {"move": wrong_move(puzzle)})
        attempt = await site.process.services.puzzles.daily(ADA, None)
        assert (attempt.user_id, attempt.status, attempt.counts) == (ADA.user_id, Status.FAILED, True)
        stores = site.process.parts.stores
        assert await stores.puzzles.puzzle_record(puzzle.key) is not None
        assert await stores.players.name_of(ADA.user_id) == "Ada"


MANY_WINS = (0, 1, 7, 4)
"""Ada could have won in several ways at her second move."""

ONE_DRAW = (0, 4, 8, 1, 2, 7)
"""Ada's third move had to be the one that Ben wins with."""


async def lost_chance(site: WebSite, moves: tuple[int, ...] = MANY_WINS) -> str:
    """A finished match in which Ada, who is at this machine, gave a result away; the key of its page."""
    services = site.process.services
    terms = terms_of("tic-tac-toe", rated=False)
    challenge = await services.challenges.send(ADA, BEN, terms, HERE)
    _, match = await services.challenges.accept(challenge.id, BEN)
    for move in moves:
        match = await services.playing.play(match.id, match_person(match), move)
    if not match.is_over:
        await services.playing.resign(match.id, ADA)
    return (await services.web.page_of_players(match.id)).key


def match_person(match: Any) -> Any:
    return ADA if match.seat_to_move.user_id == ADA.user_id else BEN


async def mistakes_in(site: WebSite) -> list[Any]:
    return await site.process.parts.stores.mistakes.of_person(GUEST.user_id)


async def test_the_mistakes_of_a_match_are_trained_until_none_waits(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        key = await lost_chance(site)
        page = await browser.watch(key)
        while "train" not in (review := (await page.next("review")).get("review") or {}):
            assert review.get("share") != 1, review
        assert review["train"] == f"/puzzle?match={key}"
        document = await shown(browser, review["train"])
        assert document["title"].startswith("🪞 Position 1 of ")
        assert document["terms"].startswith("Tic-tac-toe, your match against Ben, move ")
        assert document["lines"][0].startswith("You are ⟦0⟧. You played ")
        assert document["position"]["moves"]
        assert document["steps"] == ["solution"]
        for one in await mistakes_in(site):
            where = f"/api/mistakes/{one.id}"
            status, wrong = await browser.post(where, {"turn": 0, "move": one.played})
            assert (status, wrong["status"], wrong["steps"]) == (200, "failed", ["solution", "again"])
            assert wrong["lines"][-1] == "It comes again tomorrow."
            _, again = await browser.post(where, {"step": "again"})
            assert (again["status"], again["turn"]) == ("open", 1)
            _, right = await browser.post(where, {"turn": 1, "move": one.best})
            assert (right["status"], right["steps"]) == ("solved", [])
            status, refused = await browser.post(where, {"turn": 0, "move": one.best})
            assert (status, refused["reason"]) == (409, "mistake_moved_on")
        status, refused = await browser.post("/api/mistakes", {})
        assert (status, refused["reason"]) == (409, "mistakes_next")
        assert "/" not in refused["text"]
        assert await attempts_in(site) == []


async def test_the_better_move_of_a_mistake_is_told(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        await lost_chance(site, ONE_DRAW)
        status, document = await browser.post("/api/mistakes", {})
        assert (status, document["status"]) == (200, "open")
        _, told = await browser.post(document["where"], {"step": "solution"})
        assert (told["status"], told["steps"]) == ("failed", [])
        assert told["lines"][-1] == "It comes again tomorrow."
        assert (await browser.post(document["where"], {"step": "dance"}))[0] == 400


async def test_a_puzzle_at_a_position_of_a_running_rated_match_is_neither_judged_nor_solved(
    tmp_path: Path,
) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        services = site.process.services
        document, puzzle = await posed(browser, game="tic-tac-toe")
        where = f"/api/puzzles/{document['attempt']}"
        _, failed = await browser.post(where, {"turn": 0, "move": wrong_move(puzzle)})
        assert failed["status"] == "failed"
        asked = await services.challenges.send(GUEST, BEN, terms_of("tic-tac-toe", first=First.ME), HERE)
        _, match = await services.challenges.accept(asked.id, BEN)
        for move in puzzle.moves:
            mover = BEN if match.seat_to_move.user_id == BEN.user_id else GUEST
            match = await services.playing.play(match.id, mover, move)
        assert not match.is_short
        status, refused = await browser.post(where, {"step": "solution"})
        assert (status, refused["reason"]) == (409, "position_in_play")
        _, again = await browser.post(where, {"step": "again"})
        _, told = await browser.post(f"/api/puzzles/{again['attempt']}", {"turn": 0, "move": puzzle.best})
        assert (told["status"], told["turn"]) == ("open", 0)
        assert f"within a move of your rated match #{match.id}" in told["text"]


async def test_no_mistake_is_trained_while_a_rated_match_of_the_game_runs(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        key = await lost_chance(site, ONE_DRAW)
        document = await shown(browser, f"/puzzle?match={key}")
        services = site.process.services
        await services.starting.start(GUEST, terms_of("tic-tac-toe", rated=True), "pip", HERE)
        assert (await browser.get(f"/puzzle?match={key}"))[0] == 409
        answer = {"turn": 0, "move": document["position"]["moves"][0]["move"]}
        where = document["where"]
        for path, body in ((where, answer), (where, {"step": "solution"}), ("/api/mistakes", {})):
            status, refused = await browser.post(path, body)
            assert (status, refused["reason"]) == (409, "help_barred")
        assert {one.version for one in await mistakes_in(site)} == {0}


async def test_a_person_without_a_mistake_is_told_so_without_a_command(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        status, refused = await browser.post("/api/mistakes", {})
        assert (status, refused["reason"]) == (409, "mistakes_empty")
        assert "`" not in refused["text"]


async def test_strangers_train_no_mistakes_of_a_shared_match(tmp_path: Path) -> None:
    async with open_site(tmp_path) as site, site.browser() as browser:
        key = await lost_chance(site)
        assert (await browser.get(f"/puzzle?match={key}"))[0] == 404
        match = await site.process.services.web.page(key)
        await site.process.services.training.keep_match(
            await site.process.services.matches.match(match.match_id), ADA
        )
        (one, *_) = await mistakes_in(site)
        for path in ("/api/mistakes", f"/api/mistakes/{one.id}"):
            assert (await browser.post(path, {"step": "solution"}))[0] == 404
        assert (await mistakes_in(site))[0].version == 0


async def test_the_pictures_of_the_days_puzzle_differ_by_day(tmp_path: Path) -> None:
    clock = Clock()
    async with web_site(tmp_path / "discade.db", clock=clock) as site, site.browser() as browser:
        paths = set()
        for _ in range(2):
            paths.add(inside((await browser.get("/"))[2], "home")["tiles"][-1]["picture"])
            clock.now += timedelta(days=1)
        assert len(paths) == 2
