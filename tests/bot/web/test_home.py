"""The home: a board that begins a match with its first move, the games, and their rules."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.domain.guest import LOCAL_USER
from bot.domain.location import Web
from bot.domain.result import End, Result
from bot.domain.strengths import PlainStrength
from bot.domain.terms import First
from bot.presentation.web_board import description_of
from bot.services.match_limits import MAX_RUNNING_MATCHES
from bot.web.documents import SeatFacts, Visitor, document_of, following_of
from bot.web.home import rules_of
from engine.agents.algorithms import algorithms_of
from engine.core import Player
from engine.games import GAMES
from tests.bot.cold import cold
from tests.bot.made_once import all_texts
from tests.bot.sittings import terms_of
from tests.bot.web.visitors import GUEST, Browser, WebSite, web_site


def inside(text: str, name: str) -> Any:
    """The document of that name inside the page."""
    found = re.search(rf'id="{name}">(.*?)</script>', text)
    assert found is not None
    return json.loads(found[1])


async def running(site: WebSite) -> int:
    return len(await site.process.services.matches.running(LOCAL_USER))


async def touch(browser: Browser, move: int = 3, **asked: object) -> tuple[int, dict[str, Any]]:
    wished = {"game": "connect-four", "level": "mia", "first": "me", "move": move}
    return await browser.post("/api/matches", wished | asked)


async def test_the_home_is_a_board_of_connect_four_that_waits_for_a_move_against_easy(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        _, _, text = await browser.get("/")
        first = inside(text, "first")
        assert (first["match"], first["game"]["key"], first["viewer"]) == (
            "", "connect-four", {"seat": 0, "may": ["play"]},
        )  # fmt: skip
        assert [move["lands"] for move in first["position"]["moves"]] == [35, 36, 37, 38, 39, 40, 41]
        words = [(one["word"], one["level"]) for one in first["start"]["strengths"]]
        assert words[:2] == [("Beginner", "bo"), ("Easy", "mia")]
        assert first["start"]["usual"] == "mia"
        assert inside(text, "description") == description_of("connect-four", "6x7x4")
        assert [one["key"] for one in inside(text, "home")["tiles"]] == [*GAMES, "puzzle"]


async def test_while_easy_is_compiled_an_opponent_without_compiled_code_plays_at_once(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        search = site.process.services.search
        with cold(search) as readiness:
            for game in GAMES:
                _, _, text = await browser.get(f"/?game={game}")
                first = inside(text, "first")
                usual, levels = first["start"]["usual"], first["start"]["levels"]
                assert usual in [one["key"] for one in levels]
                assert first["start"]["waits"], game
                move = first["position"]["moves"][0]["move"]
                status, answer = await touch(browser, move, game=game, level=usual)
                assert status == 200, answer
                page = await browser.watch(answer["match"])
                document = await page.match()
                while document["status"]["kind"] == "thinking":
                    document = await page.match(document["turn"] + 1)
                assert len(document["moves"]) >= 2
                await page.ws.close()
            assert len(readiness.missing) > 1
            _, _, text = await browser.get("/")
            start = inside(text, "first")["start"]
            assert start["usual"] == "otto"
            assert re.fullmatch(r"Mia is getting ready, about \d+ s. Otto plays at once.", start["waits"])
        _, _, text = await browser.get("/")
        assert (inside(text, "first")["start"]["usual"], inside(text, "first")["start"]["waits"]) == (
            "mia",
            None,
        )


async def test_nothing_is_stored_before_the_first_move_which_begins_the_match_and_is_made(
    tmp_path: Path,
) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        await browser.get("/")
        await browser.get("/api/start?game=othello&position=Tiger")
        assert await running(site) == 0
        status, answer = await touch(browser)
        assert status == 200
        match = (await site.process.services.matches.running(LOCAL_USER))[0]
        assert match.moves[0] == 3
        assert not match.rated
        assert answer["first"]["match"] == answer["match"]
        assert answer["first"]["moves"][0]["name"] == "4"
        assert [seat["name"] for seat in answer["first"]["seats"]] == ["Guest", "Mia"]
        assert not any("rating" in seat for seat in answer["first"]["seats"])


@pytest.mark.parametrize("asked", [{"move": 99}, {"move": "3"}, {"move": True}, {"first": "opponent"}])
async def test_a_first_move_that_cannot_be_made_begins_no_match(
    tmp_path: Path, asked: dict[str, object]
) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        status, answer = await touch(browser, **asked)  # type: ignore[arg-type]
        assert (status, answer["reason"]) == (400, "web_bad_message")
        assert await running(site) == 0


async def test_a_match_that_names_no_level_is_against_the_usual_one(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        for asked in ({"level": None}, {"level": ""}):
            status, answer = await touch(browser, **asked)
            assert (status, answer["first"]["seats"][1]["name"]) == (200, "Mia")
        status, answer = await touch(browser, level=5)
        assert (status, answer["reason"]) == (409, "unknown_level")
        assert "5” here. You can choose" in answer["text"]


async def test_ones_own_machine_begins_as_many_matches_as_one_likes(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        for _ in range(MAX_RUNNING_MATCHES + 1):
            site.server._limits._work.clear()
            assert (await touch(browser))[0] == 200
        assert await running(site) == MAX_RUNNING_MATCHES + 1


async def test_the_board_and_the_opening_of_the_next_match_are_shown_before_it_begins(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        tiger = json.loads((await browser.get("/api/start?game=othello&position=tiger"))[2])
        assert (len(tiger["moves"]), tiger["viewer"]["seat"]) == (5, 1)
        assert [seat["kind"] for seat in tiger["seats"]] == ["agent", "person"]
        assert "Tiger: f5d6c3d3c4" in [one["title"] for one in tiger["start"]["openings"]]
        assert "echo" in [one["key"] for one in tiger["start"]["levels"]]
        small = json.loads((await browser.get("/api/start?game=othello&board=6x6"))[2])
        assert (small["game"]["board"], small["start"]["openings"]) == ("6x6", [])
        status, _, text = await browser.get("/api/start?game=othello&position=nowhere")
        assert (status, json.loads(text)["reason"]) == (409, "bad_position")


async def test_a_level_in_the_address_that_does_not_play_there_is_refused_in_words(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        for path, words in (
            ("/?level=nonsense", "There’s no level “nonsense” here. You can choose Pip, "),
            ("/?game=hex&level=mia", "There’s no level “mia” here. You can choose Wim, "),
            ("/?game=hex&level=otis", None),
            ("/?level=echo", None),
            ("/?level=minimax:depth=9", "“minimax:depth=9” is no algorithm that plays this game. "),
            ("/?level=", None),
            ("/", None),
        ):
            refusal = inside((await browser.get(path))[2], "first")["start"].get("refusal")
            assert refusal == words or refusal.startswith(words), path
        large = json.loads((await browser.get("/api/start?board=7x8x4&level=una"))[2])
        assert large["start"]["refusal"].startswith("Una doesn’t play on 7x8x4. There you can choose ")


async def test_algorithms_are_offered_apart_from_the_levels_and_any_depth_by_the_address(
    tmp_path: Path,
) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        offered = [level.key for level in algorithms_of("connect-four")]
        for path, asked, keys in (
            ("/", None, offered),
            ("/?level=mcts:simulations=100", "mcts:simulations=100", offered),
            ("/?level=Alpha-beta%207", "alphabeta:depth=7", [*offered, "alphabeta:depth=7"]),
        ):
            start = inside((await browser.get(path))[2], "first")["start"]
            assert (start["asked"], start["refusal"]) == (asked, None), path
            assert [one["key"] for one in start["algorithms"]["levels"]] == keys, path
            assert not {*offered, asked} & {one["key"] for one in start["levels"]}, path
        status, answer = await touch(browser, level="alphabeta:depth=7")
        assert (status, answer["first"]["seats"][1]["name"]) == (200, "Alpha-beta 7")


@pytest.mark.parametrize("game", GAMES)
async def test_each_game_has_a_board_to_touch_and_a_page_of_rules_with_a_picture(
    tmp_path: Path, game: str
) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        first = inside((await browser.get(f"/?game={game}"))[2], "first")
        assert first["game"]["key"] == game
        assert first["position"]["moves"]
        assert len(first["start"]["strengths"]) == 5
        assert len(re.findall(r"[.!](?= |$)", first["start"]["rules"])) == 2  # more than who begins
        status, _, text = await browser.get(f"/rules/{game}")
        rules = inside(text, "first")
        assert (status, rules["title"] in text) == (200, True)
        async with browser.http.get(site.url + rules["picture"]) as picture:
            assert (picture.status, picture.content_type) == (200, "image/png")
            assert "immutable" in picture.headers["Cache-Control"]


async def test_the_name_leads_home_from_every_page_and_rules_and_a_new_game_are_on_each(
    tmp_path: Path,
) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        _, key = await site.begin("kalah")
        for path, rules, new in (
            ("/", "/rules/connect-four", "/?game=connect-four"),
            (f"/m/{key}", "/rules/kalah", "/?game=kalah"),
            ("/rules/hex", "/rules/hex", "/?game=hex"),
            ("/nothing", "/rules", "/"),
        ):
            _, _, text = await browser.get(path)
            ways = re.findall(r'<a [^>]*href="([^"]*)"', text.partition("<main")[0])
            assert ways == ["/", rules, new], path


def test_rules_on_the_web_do_not_explain_how_to_write_a_move_in_discord() -> None:
    for language in all_texts().languages:
        for game in GAMES:
            told = rules_of(all_texts().of(language), game)
            assert len(told) > 80, (language, game)
            assert "/" not in told, (language, game)


async def test_at_a_public_address_the_home_shows_the_games_and_the_way_to_discord(tmp_path: Path) -> None:
    async with (
        web_site(tmp_path / "discade.db", is_local=False, invite="https://discord.example/x?y=1&z") as site,
        site.browser() as browser,
    ):
        status, _, text = await browser.get("/")
        head = text.partition("<main")[0]
        assert (status, 'href="https://discord.example/x?y=1&amp;z">Play in Discord</a>' in head) == (
            200,
            True,
        )
        assert "New game" not in head
        closed = inside(text, "first")
        assert closed["invite"] == "https://discord.example/x?y=1&z"
        assert [one["key"] for one in closed["tiles"]] == [*GAMES, "puzzle"]
        assert (await browser.get("/rules/hex"))[0] == 200
        assert (await browser.get("/api/start?game=hex"))[0] == 404
        assert (await touch(browser))[0] == 404


async def test_after_a_loss_one_goes_on_against_an_easier_strength_with_one_press(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db") as site, site.browser() as browser:
        _, answer = await touch(browser)
        page = await browser.watch(answer["match"])
        await page.send(type="next", id=1)
        assert (await page.next("refused"))["reason"] == "not_over"
        await page.send(type="resign", id=2, turn=0)
        while (over := await page.match())["result"] is None:
            pass
        assert over["next"] == "Easier: Beginner"
        await page.send(type="next", id=3)
        begun = await browser.first((await page.next("moved"))["to"].removeprefix("/m/"))
        assert [seat["name"] for seat in begun["seats"]] == ["Guest", "Bo"]


async def test_after_a_win_the_next_strength_is_stronger_and_readers_are_offered_none(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site:
        services = site.process.services
        terms = terms_of("connect-four", first=First.ME, rated=False)
        match = await services.starting.start(GUEST, terms, "otto", Web())
        won = replace(match, result=Result(Player.FIRST, End.LINE))
        word = following_of(services, won, Player.FIRST)
        assert word is not None
        assert (word[0], word[1].name) == (PlainStrength.MEDIUM, "Tess")
        page = await services.web.page_of_players(match.id)
        facts = await SeatFacts.load(services, won)
        stranger = Visitor(services.texts.of("en"), "address")
        assert "next" not in document_of(services, page, won, stranger, facts)


async def test_a_stranger_begins_no_match_of_a_players_page(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        match, _ = await site.begin()
        await site.process.services.playing.resign(match.id, GUEST)
        shared = await site.process.parts.stores.web.page_of(match.id, GUEST.user_id)
        page = await browser.watch(shared.key)
        await page.match()
        await page.send(type="next", id=1)
        assert (await page.next("refused"))["reason"] == "web_only_watching"
        assert await running(site) == 0
