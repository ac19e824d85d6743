"""The training of one's own mistakes on the web, on the page of the puzzles."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager

from aiohttp import web

from bot.domain.errors import NotFound, Refusal
from bot.domain.person import Person
from bot.parts import Services
from bot.presentation.web_mistake import mistake_document
from bot.services.training import PosedMistake
from bot.web.answers import body_of, json_answer, whole_of
from bot.web.documents import Visitor
from bot.web.security import Limits
from bot.web.visitors import visitor_of

REVIEW_COST = 300.0
"""Milliseconds for a look through one match or the last ones, which are reviewed for it."""


class MistakePages:
    """One per process. person: a request's visitor. alone: refuses a second press of theirs meanwhile."""

    def __init__(
        self,
        services: Services,
        limits: Limits,
        person: Callable[[web.Request, Visitor], Awaitable[Person]],
        alone: Callable[[Person], AbstractContextManager[None]],
    ) -> None:
        self._services = services
        self._limits = limits
        self._person = person
        self._alone = alone

    def routes(self) -> list[web.RouteDef]:
        return [
            web.post("/api/mistakes", self._next),
            web.post("/api/mistakes/{number:[0-9]{1,18}}", self._press),
        ]

    async def of_match(self, visitor: Visitor, key: str) -> PosedMistake:
        """Keep the blunders of the visitor's match, and return the next position.

        Raises Refusal, also if there is none.
        """
        page = await self._services.web.page(key)
        match = await self._services.matches.match(page.match_id)
        if visitor.is_guest:
            raise self._services.web.page_gone()
        person = visitor.person_in(match)
        self._limits.take(visitor.who, REVIEW_COST)
        if not await self._services.training.keep_match(match, person):
            raise Refusal("mistakes_none")
        return await self._following(visitor, person)

    async def _next(self, request: web.Request) -> web.Response:
        """Pose the next position, after a look through the last matches if none waits; raises Refusal."""
        await body_of(request)
        visitor, person = await self._reader(request)
        with self._alone(person):
            if not (await self._services.training.day(person)).waiting:
                self._limits.take(visitor.who, REVIEW_COST)
                await self._services.training.look_through(person)
            return json_answer(mistake_document(visitor.t, await self._following(visitor, person)))

    async def _press(self, request: web.Request) -> web.Response:
        """Take an answer, tell the better move, or pose the position again; raises Refusal."""
        asked, (visitor, person) = await body_of(request), await self._reader(request)
        training, number = self._services.training, int(request.match_info["number"])
        with self._alone(person):
            if "move" in asked:
                turn, move = whole_of(asked, "turn"), whole_of(asked, "move")
                trained = await training.answer(number, person, turn, move)
                return json_answer(mistake_document(visitor.t, trained.posed, trained))
            is_told = asked.get("step") == "solution"
            if not is_told and asked.get("step") != "again":
                raise Refusal("web_bad_message")
            posed = await (training.give_up if is_told else training.posed)(number, person)
            return json_answer(mistake_document(visitor.t, posed, is_told=is_told))

    async def _following(self, visitor: Visitor, person: Person) -> PosedMistake:
        """Return the next position; raises Refusal if none waits."""
        training = self._services.training
        posed = await training.next(person)
        if posed is not None:
            return posed
        following = (await training.day(person)).following
        if following is None:
            raise Refusal("mistakes_empty")
        raise Refusal("mistakes_next", day=visitor.t.day(following))

    async def _reader(self, request: web.Request) -> tuple[Visitor, Person]:
        """Return the visitor as one who trains; raises Refusal for strangers and guests."""
        visitor = visitor_of(request)
        if visitor.user_id is None:
            raise NotFound("page_gone")
        if visitor.is_guest:
            raise Refusal("web_not_for_guests")
        return visitor, await self._person(request, visitor)
