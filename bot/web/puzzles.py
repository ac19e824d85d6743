"""Puzzles on the web: the day's, and those of a game or a theme; the reader's mistakes are on the same page.

The day's puzzle is shown before anything is stored: the first answer begins the attempt.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from aiohttp import web

from bot.domain.errors import MatchError, NotFound, Refusal
from bot.domain.guest import GUEST_LIFETIME, guest_id
from bot.domain.person import Person
from bot.domain.puzzle import Attempt, PuzzleKind, Task, daily
from bot.domain.web_session import new_secret
from bot.parts import Services
from bot.presentation import names
from bot.presentation.puzzle_texts import Solution, answer_lines
from bot.presentation.web_board import description_of
from bot.presentation.web_match import bare
from bot.presentation.web_mistake import mistake_document
from bot.presentation.web_puzzle import PIECES, puzzle_document
from bot.web.answers import body_of, html_answer, json_answer, text_of, whole_of
from bot.web.assets import Assets
from bot.web.documents import Visitor
from bot.web.mistakes import MistakePages
from bot.web.security import Limits, guest_cookie_name, is_secure
from bot.web.visitors import arrival_of, visitor_of
from engine.analysis.puzzles import GRADES, puzzles
from engine.games import GAMES
from engine.games.puzzle_themes import PuzzleTheme

MOVED_ON = "puzzle_moved_on"
"""The refusal of a late answer: the page gets the stored attempt instead."""


@dataclass(frozen=True, slots=True)
class Posed:
    """A puzzle that is shown before it is stored. by: the fields of the first answer that name it."""

    attempt: Attempt
    by: Mapping[str, Any]


class PuzzlePages:
    """One per process. has_guests: whether people without Discord may answer."""

    def __init__(
        self, services: Services, assets: Assets, limits: Limits, *, has_guests: bool = False
    ) -> None:
        self._services = services
        self._assets = assets
        self._limits = limits
        self._has_guests = has_guests
        self._busy: set[int] = set()
        self._mistakes = MistakePages(services, limits, self._person, self._alone)

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/puzzle", self._page),
            web.post("/api/puzzles", self._begin),
            web.post("/api/puzzles/{number:[0-9]{1,18}}", self._go_on),
            *self._mistakes.routes(),
        ]

    # The page

    async def _page(self, request: web.Request) -> web.Response:
        visitor = visitor_of(request)
        key = request.query.get("match")
        if key is not None:
            mistake = await self._mistakes.of_match(visitor, key)
            first = mistake_document(visitor.t, mistake)
            game, board = mistake.mistake.game, mistake.mistake.board
        else:
            posed = await self._posed_day(request, visitor)
            first = await self._document(visitor, posed.attempt, by=posed.by)
            game, board = posed.attempt.task.game, posed.attempt.task.board
        data = {
            "first": first,
            "description": description_of(game, board),
            "choices": await self._choices(visitor),
        }
        title = f"{first['title']} · Discade"
        return html_answer(self._assets.page(visitor.t, "puzzle", title, data, game=game))

    async def _posed_day(self, request: web.Request, visitor: Visitor) -> Posed:
        """Return the day's puzzle, as far as the visitor has come with it."""
        arrived = arrival_of(request)
        day = arrived.date()
        puzzle = await asyncio.to_thread(daily, day)
        known = None
        if visitor.user_id is not None:
            known = await self._services.puzzles.days_attempt(visitor.user_id, day)
        # Once stored it may count no more, after an older try at the same puzzle.
        is_guests = self._has_guests and self._is_of_guest(visitor)
        new = Attempt(0, 0, None, PuzzleKind.DAILY, Task.of(puzzle), not is_guests, arrived, day)
        return Posed(known or new, {} if known else {"day": day.isoformat()})

    async def _choices(self, visitor: Visitor) -> dict[str, Any]:
        """Return the words of buttons, and what one may choose for the next puzzle, if one may answer."""
        t = visitor.t
        labels = {
            "any": t("puzzle_any"),
            "again": t("button_puzzle_again"),
            "solution": t("button_puzzle_solution"),
            "next": t("button_puzzle_next"),
            "copy": t("button_puzzle_copy"),
            "more": t("puzzle_more"),
            "own": t("button_train"),
            "position": t("button_next_position"),
            "game": t("label_game"),
            "theme": t("puzzle_theme"),
            "grade": t("puzzle_difficulty"),
        }
        if not self._may_answer(visitor):
            return {"labels": labels}
        known = (await asyncio.to_thread(puzzles)).values()
        games = {puzzle.game for puzzle in known}
        themes = {theme for puzzle in known for theme in puzzle.themes}
        return {
            "labels": labels,
            "games": [[key, names.game_title(t, key)] for key in GAMES if key in games],
            "themes": [[theme.value, t(f"theme_{theme}")] for theme in PuzzleTheme if theme in themes],
            "grades": [[str(grade), t(f"puzzle_grade_{grade}")] for grade in GRADES],
            "own": not self._is_of_guest(visitor),
        }

    # Presses

    async def _begin(self, request: web.Request) -> web.Response:
        """Take the first answer to a puzzle, or pose another one; raises Refusal."""
        asked, visitor, secret = await body_of(request), visitor_of(request), None
        if not self._may_answer(visitor):
            raise NotFound("page_gone")
        if visitor.user_id is None:
            secret = new_secret()
            visitor = replace(visitor, user_id=guest_id(secret))
        person = await self._person(request, visitor)
        with self._alone(person):
            if visitor.is_guest:
                self._limits.start(visitor.who, is_guest=True)
            if "move" in asked:
                move = whole_of(asked, "move")
                attempt = await self._services.puzzles.daily(person, None, _day(asked))
                document = await self._answered(visitor, person, attempt, 0, move)
            else:
                document = await self._document(visitor, await self._next(person, asked))
        answer = json_answer(document)
        if secret is not None:
            answer.set_cookie(
                guest_cookie_name(request), secret, max_age=int(GUEST_LIFETIME.total_seconds()), path="/",
                httponly=True, secure=is_secure(request), samesite="Lax",
            )  # fmt: skip
        return answer

    async def _next(self, person: Person, asked: Mapping[str, Any]) -> Attempt:
        """Return the person's open puzzle of that kind or a new one; raises Refusal."""
        game, theme, grade = (asked.get(name) or None for name in ("game", "theme", "grade"))
        if game not in (None, *GAMES) or theme not in (None, *PuzzleTheme):
            raise Refusal("web_bad_message")
        if grade is not None and grade not in map(str, GRADES):
            raise Refusal("web_bad_message")
        return await self._services.puzzles.play(
            person,
            None,
            game,
            None if grade is None else int(grade),
            None if theme is None else PuzzleTheme(theme),
        )

    async def _go_on(self, request: web.Request) -> web.Response:
        """Take an answer, or go on from a puzzle that is over; raises Refusal."""
        asked, visitor = await body_of(request), visitor_of(request)
        if not self._may_answer(visitor) or visitor.user_id is None:
            raise NotFound("page_gone")
        person, service = await self._person(request, visitor), self._services.puzzles
        with self._alone(person):
            attempt = await self._own_attempt(person, int(request.match_info["number"]))
            if "move" in asked:
                turn, move = whole_of(asked, "turn"), whole_of(asked, "move")
                return json_answer(await self._answered(visitor, person, attempt, turn, move))
            if asked.get("step") == "again":
                if visitor.is_guest:
                    self._limits.start(visitor.who, is_guest=True)
                return json_answer(await self._document(visitor, await service.again(attempt.id, person)))
            if asked.get("step") == "solution":
                return json_answer(await self._solution(visitor, person, attempt))
        raise Refusal("web_bad_message")

    async def _own_attempt(self, person: Person, number: int) -> Attempt:
        """Return the person's attempt; raises NotFound for all others alike."""
        try:
            attempt = await self._services.puzzles.attempt(number)
            attempt.check_owner(person.user_id)
        except Refusal as refusal:
            if refusal.key not in ("puzzle_gone", "puzzle_of_another"):
                raise
            raise NotFound("page_gone") from None
        return attempt

    async def _answered(
        self, visitor: Visitor, person: Person, attempt: Attempt, turn: int, move: int
    ) -> dict[str, Any]:
        """Judge the answer. A refusal is a line of the document, since the attempt is stored."""
        t, service = visitor.t, self._services.puzzles
        try:
            attempt.check(person.user_id, turn, move)
            await self._services.allowed_help.check_attempt(person, attempt)
            answered = await service.answer(attempt.id, person, turn, move)
        except Refusal as refusal:
            stored = await service.attempt(attempt.id)
            text = "" if refusal.key == MOVED_ON else text_of(t, refusal)
            return await self._document(visitor, stored) | {"text": text}
        tries = await service.first_tries(attempt.task.key)
        told = answer_lines(t, answered, tries, PIECES)
        return await self._document(visitor, answered.attempt, told=told, since=answered.before.turn)

    async def _solution(self, visitor: Visitor, person: Person, attempt: Attempt) -> dict[str, Any]:
        """Return the document with the right move; raises Refusal unless the attempt has failed."""
        service = self._services.puzzles
        await self._services.allowed_help.check_attempt(person, attempt)
        _, state, evaluation = await service.solution(attempt.id, person)
        if evaluation.best is None:
            raise ValueError(f"attempt {attempt.id} failed where there was no move")
        solution = Solution(state, evaluation.best, evaluation.score, await service.themes(attempt.task.key))
        return await self._document(visitor, attempt, solution=solution)

    async def _document(
        self,
        visitor: Visitor,
        attempt: Attempt,
        *,
        by: Mapping[str, Any] | None = None,
        told: Sequence[str] = (),
        solution: Solution | None = None,
        since: int | None = None,
    ) -> dict[str, Any]:
        t, may_answer = visitor.t, self._may_answer(visitor)
        days = await self._services.puzzles.days_with(attempt)
        document = puzzle_document(
            t, attempt, may_answer=may_answer, told=told, solution=solution, since=since, days=days
        )
        return document | {"by": by or {}, "note": await self._note(visitor), "text": ""}

    async def _note(self, visitor: Visitor) -> str:
        """Return the line below: the days solved in a row, or why the visitor's answers count for nothing."""
        t = visitor.t
        if not self._may_answer(visitor):
            return t("page_puzzle_in_discord")
        if self._is_of_guest(visitor):
            return t("page_puzzle_guests")
        standing = await self._services.puzzles.standing(visitor.user_id or 0)
        return bare(t("puzzle_standing_days", n=standing.days)) if standing.days else ""

    # Readers

    def _may_answer(self, visitor: Visitor) -> bool:
        return visitor.user_id is not None or self._has_guests

    def _is_of_guest(self, visitor: Visitor) -> bool:
        return visitor.is_guest or visitor.user_id is None

    async def _person(self, request: web.Request, visitor: Visitor) -> Person:
        """Return the visitor as one who acts. A session has no name, but its person's is known."""
        user_id = visitor.user_id or 0
        known = None if visitor.session is None else await self._services.web.name_of(user_id)
        return Person(user_id, known or visitor.t("web_guest"), known, pressed_at=arrival_of(request))

    @contextmanager
    def _alone(self, person: Person) -> Iterator[None]:
        """Refuse a second press of the person while one is judged: each may cost seconds of search."""
        if person.user_id in self._busy:
            raise MatchError("busy")
        self._busy.add(person.user_id)
        try:
            yield
        finally:
            self._busy.discard(person.user_id)


def _day(asked: Mapping[str, Any]) -> date:
    """Return the day that the page has shown; raises Refusal."""
    try:
        return date.fromisoformat(str(asked.get("day")))
    except ValueError:
        raise Refusal("web_bad_message") from None
