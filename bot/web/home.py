"""The home: a board whose first touch begins a match, the games in pictures, and their rules."""

from __future__ import annotations

import asyncio
import hashlib
import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from aiohttp import web
from PIL import Image

from bot.domain.errors import NotFound, Refusal
from bot.domain.guest import GUEST_IDS, GUEST_LIFETIME, guest_id
from bot.domain.location import Web
from bot.domain.lru_dict import LruDict
from bot.domain.person import Person
from bot.domain.puzzle import Task, daily
from bot.domain.strengths import strengths
from bot.domain.terms import First
from bot.domain.web_session import new_secret
from bot.i18n import Text
from bot.parts import Services
from bot.presentation import marks_of, names, status
from bot.presentation.examples import example
from bot.presentation.picture import draw_picture
from bot.presentation.web_board import description_of
from bot.presentation.web_match import SENTENCE_GAP, bare, without_commands
from bot.web.answers import FOR_EVER, body_of, html_answer, json_answer, text_of
from bot.web.assets import CLOSED, Assets
from bot.web.documents import SeatFacts, Visitor, document_of
from bot.web.game_reviews import may_review
from bot.web.security import Limits, guest_cookie_name, is_secure
from bot.web.start_page import Draft, asked_match
from bot.web.visitors import arrival_of, visitor_of
from engine.agents.levels import levels_of
from engine.games import GAMES, spec_of

MAX_RUNNING_SHOWN, MAX_OWN_SHOWN = 3, 20
"""How many of a visitor's matches the home shows, above the games, and where nothing begins."""

MAX_DAYS = 2
"""Pictures of days' puzzles that are kept."""

PUZZLE = "puzzle"
"""Stands for the day's puzzle among the games."""


@dataclass(frozen=True, slots=True)
class GamePicture:
    """A typical position as a PNG. path: its address, which names the content. ground: colour of its edge."""

    path: str
    body: bytes
    ground: str

    @classmethod
    def of(cls, game: str) -> GamePicture:
        typical = example(game)
        return cls.drawn(game, draw_picture(game, typical.state, typical.marks))

    @classmethod
    def of_puzzle(cls, day: date) -> GamePicture:
        """Draw the position of the day's puzzle."""
        task = Task.of(daily(day))
        rules = GAMES[task.game]
        marks = marks_of(rules, rules.start(task.board), task.line)
        return cls.drawn(PUZZLE, draw_picture(task.game, task.state, marks))

    @classmethod
    def drawn(cls, name: str, body: bytes) -> GamePicture:
        digest = hashlib.sha256(body).hexdigest()[:16]
        corner = Image.open(io.BytesIO(body)).convert("RGB").crop((0, 0, 1, 1)).tobytes()
        return cls(f"/pictures/{name}.{digest}.png", body, f"#{corner.hex()}")


class GamePages:
    """The rules and pictures of all games, and the day's puzzle's, for everybody. One per process."""

    def __init__(self, assets: Assets, today: Callable[[], date]) -> None:
        self._assets = assets
        self._today = today
        self._pictures: dict[str, GamePicture] = {}
        self._puzzles: LruDict[date, GamePicture] = LruDict(MAX_DAYS)

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/rules", self._rules),
            web.get("/rules/{game}", self._rules),
            web.get("/pictures/{name}", self._picture),
        ]

    async def tiles(self, t: Text) -> list[dict[str, Any]]:
        """Return each game's key, name and deed, the address of its picture, and the colour around it."""
        found = []
        for game in GAMES:
            drawn = await self._drawn(game)
            title = names.game_title(t, game)
            deed = t(f"tile_{game}") if f"tile_{game}" in t else ""  # of an added game there is none
            found.append(
                {"key": game, "title": title, "deed": deed, "picture": drawn.path, "ground": drawn.ground}
            )
        return found

    async def all_tiles(self, t: Text) -> list[dict[str, Any]]:
        """Return the same with the day's puzzle as the last one."""
        drawn = await self._drawn(PUZZLE)
        tile = {"key": PUZZLE, "title": t("page_puzzle"), "picture": drawn.path, "ground": drawn.ground}
        return [*await self.tiles(t), tile | {"deed": t("tile_puzzle"), "href": "/puzzle"}]

    async def _rules(self, request: web.Request) -> web.Response:
        game, t = request.match_info.get("game", next(iter(GAMES))), visitor_of(request).t
        if game not in GAMES:
            raise NotFound("page_gone")
        title = names.game_title(t, game)
        first = {
            "key": game,
            "title": title,
            "rules": rules_of(t, game),
            "picture": (await self._drawn(game)).path,
            "described": t(f"picture_{game}") if f"picture_{game}" in t else title,
            "tiles": await self.tiles(t),
            "can_play": self._assets.can_play,
        }
        page = self._assets.plain_page(t, "rules", first, f"{title} · Discade", game)
        return page.answer(request)

    async def _picture(self, request: web.Request) -> web.Response:
        game = request.match_info["name"].partition(".")[0]
        if game not in (PUZZLE, *GAMES):
            raise NotFound("page_gone")
        drawn = await self._drawn(game)
        if drawn.path != request.path:
            raise NotFound("page_gone")
        return web.Response(body=drawn.body, content_type="image/png", headers=FOR_EVER)

    async def _drawn(self, game: str) -> GamePicture:
        if game == PUZZLE:
            day = self._today()
            if day not in self._puzzles:
                self._puzzles[day] = await asyncio.to_thread(GamePicture.of_puzzle, day)
            return self._puzzles[day]
        if game not in self._pictures:
            self._pictures[game] = await asyncio.to_thread(GamePicture.of, game)
        return self._pictures[game]


def rules_of(t: Text, game: str) -> str:
    """Return the rules without the sentences that explain how a move is written in Discord."""
    text = t(f"rules_{game}") if f"rules_{game}" in t else spec_of(game).play.about
    return bare(without_commands(text)).replace("`", "")


class ClosedHome:
    """The home of a public address where strangers play nothing: what there is, and the way to Discord.

    Readers who are signed in find the matches here that they may play in this browser.
    """

    def __init__(self, services: Services, assets: Assets, games: GamePages) -> None:
        self._services = services
        self._assets = assets
        self._games = games

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/", self.page)]

    async def page(self, request: web.Request) -> web.Response:
        visitor = visitor_of(request)
        first = {"tiles": await self._games.all_tiles(visitor.t), "invite": self._assets.invite}
        if visitor.session is None:
            return self._assets.plain_page(visitor.t, CLOSED, first).answer(request)
        own = await _running(self._services, visitor, MAX_OWN_SHOWN)
        page = self._assets.page(
            visitor.t, CLOSED, "Discade", {"first": first | {"running": own, "review": True}}
        )
        return html_answer(page)

    async def draft(self, _request: web.Request) -> web.Response:
        """Refuse it; raises NotFound."""
        raise NotFound("page_gone")

    async def start(self, _request: web.Request) -> web.Response:
        """Refuse it; raises NotFound."""
        raise NotFound("page_gone")


class HomePage:
    """Where strangers may play: those at this machine, all as one person, or each a guest of their own.

    closed: for readers who are signed in with Discord, where they play; None on one's own machine.
    """

    def __init__(
        self,
        services: Services,
        assets: Assets,
        limits: Limits,
        games: GamePages,
        closed: ClosedHome | None = None,
    ) -> None:
        self._services = services
        self._limits = limits
        self._assets = assets
        self._games = games
        self._closed = closed

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/", self.page),
            web.get("/api/start", self.draft),
            web.post("/api/matches", self.start),
        ]

    async def page(self, request: web.Request) -> web.Response:
        visitor = visitor_of(request)
        if self._closed is not None and visitor.session is not None:
            return await self._closed.page(request)
        asked = request.query if request.query.get("game") in (None, *GAMES) else {}
        draft = self._drafted(visitor, {"game": asked.get("game")})
        data = {
            "first": self._document(visitor, draft, asked),
            "description": description_of(draft.match.game, draft.match.board),
            "home": {
                "tiles": [
                    tile | words_of(visitor.t, tile["key"]) for tile in await self._games.all_tiles(visitor.t)
                ],
                "running": await _running(self._services, visitor, MAX_RUNNING_SHOWN),
                "review": may_review(visitor),
            },
        }
        return html_answer(self._assets.page(visitor.t, "home", "Discade", data, game=draft.match.game))

    async def draft(self, request: web.Request) -> web.Response:
        """Return the document of another game, board or opening; raises Refusal for one that is not known."""
        visitor = visitor_of(request)
        draft = self._drafted(visitor, request.query)
        return json_answer(self._document(visitor, draft, request.query))

    def _drafted(self, visitor: Visitor, asked: Mapping[str, Any]) -> Draft:
        if self._closed is None:
            return Draft.of(self._services, _guest(visitor), asked)
        # An opening could be a position in a rated match of the guest's.
        asked = {key: asked.get(key) for key in ("game", "board")}
        return Draft.of(self._services, _guest(visitor), asked, is_for_guests=True)

    def _document(self, visitor: Visitor, draft: Draft, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return the draft's document. For a level that may not be chosen it says why another one plays."""
        level, refusal = None, None
        try:
            if asked.get("level"):
                level = draft.asked_level(self._services, str(asked["level"]))
        except Refusal as error:
            refusal = text_of(visitor.t, error)
        found = draft.document(self._services, visitor.t, level)
        found["start"]["refusal"] = refusal
        # The first sentence may only say who begins.
        found["start"]["rules"] = " ".join(SENTENCE_GAP.split(rules_of(visitor.t, draft.match.game))[:2])
        return found

    async def start(self, request: web.Request) -> web.Response:
        """Begin the match that is asked for; a guest gets a number with it. Raises Refusal."""
        visitor, asked, secret = visitor_of(request), await body_of(request), None
        if self._closed is not None:
            if visitor.session is not None:
                raise NotFound("page_gone")
            asked = self._of_guest(visitor, asked)
            if visitor.user_id is None:
                secret = new_secret()
                visitor = replace(visitor, user_id=guest_id(secret))
        person = replace(_guest(visitor), pressed_at=arrival_of(request))
        here = Web(visitor.t.language.replace("_", "-"))
        match = await asked_match(self._services, self._limits, visitor, person, asked, here)
        page = await self._services.web.page_of_players(match.id)
        facts = await SeatFacts.load(self._services, match)
        document = document_of(self._services, page, match, visitor, facts)
        answer = json_answer({"match": page.key, "to": f"/m/{page.key}", "first": document})
        if secret is not None:
            answer.set_cookie(
                guest_cookie_name(request), secret, max_age=int(GUEST_LIFETIME.total_seconds()), path="/",
                httponly=True, secure=is_secure(request), samesite="Lax",
            )  # fmt: skip
        return answer

    def _of_guest(self, visitor: Visitor, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return what a guest may ask for: a casual match that begins with a move; raises Refusal."""
        draft = self._drafted(visitor, asked)
        move, level = draft.check_move(asked.get("move")), str(asked.get("level") or draft.usual.key)
        if level not in [one.key for one in draft.levels]:
            raise Refusal("web_bad_message")
        board = draft.match.board
        return {"game": draft.match.game, "board": board, "level": level, "first": First.ME, "move": move}


async def _running(services: Services, visitor: Visitor, most: int) -> list[dict[str, Any]]:
    """Return the matches that the visitor may go on with here: first those that wait for a move of theirs."""
    t, user_id = visitor.t, visitor.user_id
    if user_id is None:
        return []
    own = [one for one in await services.matches.running(user_id) if visitor.seat_in(one) is not None]
    waiting = {one.id for one in own if one.awaits(user_id)}
    shown = []
    for match in sorted(own, key=lambda one: one.id not in waiting)[:most]:
        page = await services.web.page_of_players(match.id)
        title, is_own_turn = bare(status.summary(t, match, user_id)), match.id in waiting
        shown.append({"href": f"/m/{page.key}", "title": title, "game": match.game, "yours": is_own_turn})
    return shown


def words_of(t: Text, game: str) -> dict[str, Any]:
    """Return the word of each level that is one of the five strengths on the game's usual board."""
    if game not in GAMES:  # the day's puzzle
        return {}
    board = GAMES[game].boards[0]
    words = strengths(game, board, levels_of(game, board))
    return {"strengths": {level.key: names.strength(t, word) for word, level in words.items()}}


def _guest(visitor: Visitor) -> Person:
    """Return the person at this machine, or the guest, who has a number from the first move on."""
    return Person(visitor.user_id or GUEST_IDS.start, visitor.t("web_guest"))
