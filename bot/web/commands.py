"""Commands of a page: the services of Discord's presses, with the turn that the person saw."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from bot.domain.challenge import Challenge
from bot.domain.errors import MatchError, Refusal
from bot.domain.location import Web
from bot.domain.match import CoachChoice, Match
from bot.domain.person import Person
from bot.domain.terms import First, Terms
from bot.parts import Services
from bot.presentation import cell_of_move
from bot.presentation.advice import line_words
from bot.presentation.verdicts import hint_lines
from bot.presentation.web_match import BETTER, bare, better_document
from bot.web.documents import following_of
from bot.web.live import Socket
from bot.web.security import Limits
from engine.games import spec_of

log = logging.getLogger(__name__)

_REPEATED = frozenset({"stale", "not_your_turn", "match_over"})
"""Refusals of a move that may be stored already: a page sends it again if the answer was lost."""


_OF_GUESTS = frozenset({"play", "swap", "undo", "resign", "rematch", "next"})
"""What guests may do: no help, since their rated matches cannot be known."""


class PageCommands:
    """One per process."""

    def __init__(self, services: Services, limits: Limits) -> None:
        self._services = services
        self._limits = limits
        self._known: Mapping[str, Callable[[Socket, Person, Mapping[str, Any]], Awaitable[None]]] = {
            "play": self._play,
            "swap": self._swap,
            "undo": self._undo,
            "draw": self._draw,
            "resign": self._resign,
            "answer": self._answer,
            "hint": self._hint,
            "coach": self._coach,
            "rematch": self._rematch,
            "next": self._next,
            "rate": self._rate,
            "share": self._share,
        }

    async def run(self, socket: Socket, message: Mapping[str, Any], arrived_at: datetime) -> None:
        """Run the command, which counts from its arrival, and tell the socket; raises Refusal."""
        command = self._known.get(str(message.get("type")))
        if command is None:
            raise Refusal("web_bad_message")
        if socket.visitor.is_guest and message.get("type") not in _OF_GUESTS:
            raise Refusal("web_not_for_guests")
        match = await self._services.matches.latest(socket.page.match_id)
        await command(socket, replace(socket.visitor.person_in(match), pressed_at=arrived_at), message)

    async def _play(self, socket: Socket, person: Person, message: Mapping[str, Any]) -> None:
        match_id, turn, move = socket.page.match_id, _whole(message, "turn"), _whole(message, "move")
        try:
            match = await self._services.playing.play(match_id, person, move, turn=turn)
        except MatchError as refusal:
            match = await self._services.matches.match(match_id)
            if refusal.key not in _REPEATED or not _is_stored(match, person, turn, move):
                raise
            await _done(socket, message, match)
            return
        await _done(socket, message, match)
        line = line_words(socket.visitor.t, match) if match.is_coached and not match.is_over else None
        if line is None:
            return
        try:
            states = match.states[-3:]
            await self._services.allowed_help.check_fair(person, match.game, match.board, states)
        except Refusal as refusal:
            log.info("match %d: no advice: %s", match.id, refusal)
        else:
            await socket.tell(type="coach", text=bare(line))

    async def _coach(self, socket: Socket, person: Person, message: Mapping[str, Any]) -> None:
        """Show the better move while an answer is held, or make the person's choice."""
        playing, match_id, choice = self._services.playing, socket.page.match_id, message.get("choice")
        if choice == BETTER:
            match = await playing.held(match_id, person)
            told = better_document(socket.visitor.t, match, match.check_held(person.user_id))
            await socket.tell(type="better", id=id_of(message), **told)
        elif choice in set(CoachChoice):
            turn = _whole(message, "turn")
            match = await playing.answer_coach(match_id, person, CoachChoice(choice), turn=turn)
        else:
            raise Refusal("web_bad_message")
        await _done(socket, message, match)

    async def _swap(self, socket: Socket, person: Person, message: Mapping[str, Any]) -> None:
        playing, turn = self._services.playing, _whole(message, "turn")
        await _done(socket, message, await playing.swap(socket.page.match_id, person, turn=turn))

    async def _undo(self, socket: Socket, person: Person, message: Mapping[str, Any]) -> None:
        playing, turn = self._services.playing, _whole(message, "turn")
        await _done(socket, message, await playing.ask_undo(socket.page.match_id, person, turn=turn))

    async def _draw(self, socket: Socket, person: Person, message: Mapping[str, Any]) -> None:
        playing, turn = self._services.playing, _whole(message, "turn")
        await _done(socket, message, await playing.offer_draw(socket.page.match_id, person, turn=turn))

    async def _resign(self, socket: Socket, person: Person, message: Mapping[str, Any]) -> None:
        await _done(socket, message, await self._services.playing.resign(socket.page.match_id, person))

    async def _answer(self, socket: Socket, person: Person, message: Mapping[str, Any]) -> None:
        answers = {"draw": self._services.playing.answer_draw, "undo": self._services.playing.answer_undo}
        answer, accept = answers.get(str(message.get("offer"))), message.get("accept")
        if answer is None or not isinstance(accept, bool):
            raise Refusal("web_bad_message")
        match = await answer(socket.page.match_id, person, accept, turn=_whole(message, "turn"))
        await _done(socket, message, match)

    async def _hint(self, socket: Socket, person: Person, message: Mapping[str, Any]) -> None:
        services, turn = self._services, _whole(message, "turn")
        match = await services.matches.to_move(socket.page.match_id, person, turn=turn)
        number = await services.allowed_help.take_hint(match, person)
        try:
            found = await services.reviews.hint(match)
        except Refusal:
            # The bot is starting or ending: a hint that was not given does not count.
            await services.allowed_help.give_hint_back(match, person)
            raise
        cell = None if found.best is None else cell_of_move(spec_of(match.game), match.state, found.best)
        text = " · ".join(bare(line) for line in hint_lines(socket.visitor.t, match, found, number))
        at = [] if cell is None else [cell]
        await socket.tell(type="hint", id=id_of(message), turn=match.turn, at=at, move=found.best, text=text)

    async def _rematch(self, socket: Socket, person: Person, message: Mapping[str, Any]) -> None:
        match = await self._services.matches.match(socket.page.match_id)
        person = await self._beginner(match, person)
        if socket.visitor.is_guest:
            self._limits.start(socket.visitor.who, is_guest=True)
        following = await self._services.starting.rematch(match.id, person, match.location_of_rematch())
        if isinstance(following, Challenge):
            self._services.background.spawn(self._services.invitations.post(following))
        else:
            self._services.background.spawn(self._services.boards.post(following))
        await _done(socket, message, match)

    async def _next(self, socket: Socket, person: Person, message: Mapping[str, Any]) -> None:
        """Begin a match against the next strength, or after a loss an easier one, on the same terms."""
        match = await self._services.matches.match(socket.page.match_id)
        word = following_of(self._services, match, match.player_of(person.user_id))
        if word is None:
            raise MatchError("not_over")
        person = await self._beginner(match, person)
        self._limits.start(socket.visitor.who, is_guest=socket.visitor.is_guest)
        begun = await self._services.starting.start(
            person,
            Terms(match.game, match.board, First.ME, match.rated, match.clock_seconds),
            word[1].key,
            match.location_of_rematch(),
            is_coached=match.is_coached,
        )
        self._services.background.spawn(self._services.boards.post(begun))
        page = await self._services.web.page_of_players(begun.id)
        await socket.tell(type="moved", to=f"/m/{page.key}")
        await _done(socket, message, match)

    async def _beginner(self, match: Match, person: Person) -> Person:
        """Return the person as one who begins a match where this one was; raises MatchError."""
        settings = self._services.settings.server(match.location.guild_id)
        if not isinstance(match.location, Web) and not settings.allows(
            match.location.channel_id, match.location.parent_id
        ):
            raise MatchError("web_not_in_this_channel")
        # Matches remember no account names, and nicknames stay in their server.
        return replace(person, account=(await self._services.web.names(match)).get(person.user_id))

    async def _rate(self, socket: Socket, person: Person, message: Mapping[str, Any]) -> None:
        """Take the answer to the question whether to rate the next match."""
        is_yes = message.get("yes") is True
        if is_yes:
            await self._services.settings.rate_next(person.user_id)
        text = bare(socket.visitor.t("rate_next_yes" if is_yes else "rate_next_no"))
        await socket.tell(type="rate", text=text)
        await _done(socket, message, await self._services.matches.latest(socket.page.match_id))

    async def _share(self, socket: Socket, person: Person, message: Mapping[str, Any]) -> None:
        """Give a player the address at which everybody may watch the match."""
        address = await self._services.web.share(socket.page.match_id, person)
        text = bare(socket.visitor.t("web_shared", address=address))
        await socket.tell(type="shared", text=text, address=address)
        await _done(socket, message, await self._services.matches.latest(socket.page.match_id))


def id_of(message: Mapping[str, Any]) -> int | None:
    """Return the number that the page gave the message, to recognise the answer."""
    number = message.get("id")
    return number if isinstance(number, int) else None


def _whole(message: Mapping[str, Any], name: str) -> int:
    """Return a number of the message, as databases store them; raises Refusal for anything else."""
    number = message.get(name)
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**31:
        raise Refusal("web_bad_message")
    return number


async def _done(socket: Socket, message: Mapping[str, Any], match: Match) -> None:
    await socket.tell(type="done", id=id_of(message), version=match.version)


def _is_stored(match: Match, person: Person, turn: int, move: int) -> bool:
    """Whether the person's move of that turn is in the match, and none was taken back since."""
    ply = len(match.timed_moves) - (match.turn - turn)
    if not match.opening <= ply < len(match.timed_moves) or match.moves[ply] != move:
        return False
    return match.movers[ply] in match.players_of(person.user_id)
