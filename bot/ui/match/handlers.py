"""What each press does: one action of the service, shown, and then whatever follows from it."""

from __future__ import annotations

import enum
from dataclasses import replace

from bot.domain.challenge import Challenge
from bot.domain.errors import MatchError, Refusal
from bot.domain.match import Match
from bot.ui.context import Press, check_channel, check_levels, person_of, place_of
from engine.core import Move


class Action(enum.StrEnum):
    """What can be pressed under a board besides a move."""

    RESIGN = "resign"
    RESIGN_NOW = "resign-now"
    STAY = "stay"
    DRAW = "draw"
    DRAW_YES = "draw-yes"
    DRAW_NO = "draw-no"
    UNDO = "undo"
    UNDO_YES = "undo-yes"
    UNDO_NO = "undo-no"
    REMATCH = "rematch"


_NEEDS_FRESH_BOARD = frozenset(
    {Action.DRAW, Action.DRAW_YES, Action.DRAW_NO, Action.UNDO, Action.UNDO_YES, Action.UNDO_NO}
)
"""Said about the position that the person sees, so not on an older board."""


async def play(press: Press, match_id: int, turn: int, move: Move) -> None:
    """A move on the board that was pressed."""
    try:
        match = await press.client.service.play(match_id, person_of(press), move, turn=turn)
    except Refusal as refusal:
        await _refresh_stale(press, match_id, refusal)
        raise
    await show(press, match)


async def act(press: Press, match_id: int, turn: int, action: Action) -> None:
    """Any other button of a board."""
    match = await press.client.service.match(match_id)
    if action in _NEEDS_FRESH_BOARD and match.turn != turn and not match.is_over:
        stale = MatchError("stale")
        await _refresh_stale(press, match_id, stale)
        raise stale
    if action is Action.RESIGN:
        await ask_to_resign(press, match)
    elif action is Action.RESIGN_NOW:
        await _resign(press, match)
    elif action is Action.STAY:
        await press.client.display.answer_resignation(press, match, has_resigned=False)
    elif action is Action.REMATCH:
        await rematch(press, match)
    else:
        await show(press, await change(press, match, action))


async def change(press: Press, match: Match, action: Action) -> Match:
    """A draw or an undo, asked for or answered: stored, not yet shown."""
    service, person = press.client.service, person_of(press)
    if action is Action.DRAW:
        return await service.offer_draw(match.id, person)
    if action in (Action.DRAW_YES, Action.DRAW_NO):
        return await service.answer_draw(match.id, person, action is Action.DRAW_YES)
    if action is Action.UNDO:
        return await service.ask_undo(match.id, person)
    return await service.answer_undo(match.id, person, action is Action.UNDO_YES)


async def ask_to_resign(press: Press, match: Match) -> None:
    """Asks back, privately; refuses strangers and matches that are over at once."""
    match.player_of(press.user.id)
    if match.is_over:
        raise MatchError("match_over")
    await press.client.display.ask_to_resign(press, match)


async def _resign(press: Press, match: Match) -> None:
    match = await press.client.service.resign(match.id, person_of(press))
    try:
        await press.client.display.answer_resignation(press, match, has_resigned=True)
        await press.client.display.show(match)
    finally:
        press.client.service.proceed(match)


async def rematch(press: Press, match: Match) -> None:
    """The next match at once against an agent; between people an invitation, or the answer to one."""
    check_channel(press)
    check_levels(press, match)
    following = await press.client.service.rematch(match.id, person_of(press), place_of(press))
    if isinstance(following, Challenge):
        await press.client.display.post_challenge(press, following)
    else:
        await post(press, following)


async def answer_challenge(press: Press, challenge_id: int, accept: bool) -> None:
    """Accept turns the invitation's message into the board."""
    service, display = press.client.service, press.client.display
    if not accept:
        await display.answer_challenge(
            press, await service.challenges.decline(challenge_id, person_of(press))
        )
        return
    _, match = await service.challenges.accept(challenge_id, person_of(press))
    try:
        match = await display.answer_with_board(press, match)
    finally:
        service.proceed(match)


async def turn_page(press: Press, match_id: int, turn: int, page: int) -> None:
    """Another page of the legal moves, for the person whose turn it is."""
    match = await press.client.service.match(match_id)
    match.player_of(press.user.id)
    if match.is_over:
        raise MatchError("match_over")
    if match.turn != turn:
        raise MatchError("stale")
    if match.seat_to_move.user_id != press.user.id:
        raise MatchError("not_your_turn", name=match.seat_to_move.name)
    await press.client.display.turn_page(press, match, page)


async def post(press: Press, match: Match) -> None:
    """Answers with a new board, which from now on is the match's, and lets the match go on."""
    try:
        match = await press.client.display.post(press, match)
    finally:
        press.client.service.proceed(match)


async def show(press: Press, match: Match) -> None:
    """Answers a press on a board by showing it as it is now, and lets the match go on."""
    try:
        match = await press.client.display.answer(press, match)
    finally:
        press.client.service.proceed(match)


async def show_quietly(press: Press, match: Match, line: str) -> None:
    """Answers a command with a private line and shows the change on the board, wherever that is."""
    try:
        match = await press.client.display.answer_privately(press, match, line)
    finally:
        press.client.service.proceed(match)


async def _refresh_stale(press: Press, match_id: int, refusal: Refusal) -> None:
    """Somebody who presses an old board sees an old board: bring it up to date as well."""
    if refusal.key in ("stale", "time_is_up", "match_over"):
        match = await press.client.service.match(match_id)
        shown_elsewhere = press.message is not None and press.message.id != match.place.message_id
        await press.client.display.refresh(
            match,
            replace(match.place, message_id=press.message.id) if shown_elsewhere and press.message else None,
        )
