"""What each press does: one action of the service, shown, and then whatever follows from it."""

from __future__ import annotations

import enum
from dataclasses import replace

from bot.domain.challenge import Challenge
from bot.domain.errors import MatchError, Refusal
from bot.domain.match import Match
from bot.ui.client import Interaction
from bot.ui.context import check_channel, check_levels, location_of, person_of
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


async def play(interaction: Interaction, match_id: int, turn: int, move: Move) -> None:
    """A move on the board that was pressed."""
    try:
        match = await interaction.client.service.play(match_id, person_of(interaction), move, turn=turn)
    except Refusal as refusal:
        await _refresh_stale(interaction, match_id, refusal)
        raise
    await show(interaction, match)


async def act(interaction: Interaction, match_id: int, turn: int, action: Action) -> None:
    """Any other button of a board."""
    match = await interaction.client.service.match(match_id)
    if action in _NEEDS_FRESH_BOARD and match.turn != turn and not match.is_over:
        stale = MatchError("stale")
        await _refresh_stale(interaction, match_id, stale)
        raise stale
    if action is Action.RESIGN:
        await ask_to_resign(interaction, match)
    elif action is Action.RESIGN_NOW:
        await _resign(interaction, match)
    elif action is Action.STAY:
        await interaction.client.display.answer_resignation(interaction, match, has_resigned=False)
    elif action is Action.REMATCH:
        await rematch(interaction, match)
    else:
        await show(interaction, await change(interaction, match, action))


async def change(interaction: Interaction, match: Match, action: Action) -> Match:
    """A draw or an undo, asked for or answered: stored, not yet shown."""
    service, person = interaction.client.service, person_of(interaction)
    if action is Action.DRAW:
        return await service.offer_draw(match.id, person)
    if action in (Action.DRAW_YES, Action.DRAW_NO):
        return await service.answer_draw(match.id, person, action is Action.DRAW_YES)
    if action is Action.UNDO:
        return await service.ask_undo(match.id, person)
    return await service.answer_undo(match.id, person, action is Action.UNDO_YES)


async def ask_to_resign(interaction: Interaction, match: Match) -> None:
    """Asks back, privately; refuses strangers and matches that are over at once."""
    match.player_of(interaction.user.id)
    if match.is_over:
        raise MatchError("match_over")
    await interaction.client.display.ask_to_resign(interaction, match)


async def _resign(interaction: Interaction, match: Match) -> None:
    match = await interaction.client.service.resign(match.id, person_of(interaction))
    try:
        await interaction.client.display.answer_resignation(interaction, match, has_resigned=True)
        await interaction.client.display.show(match)
    finally:
        interaction.client.service.proceed(match)


async def rematch(interaction: Interaction, match: Match) -> None:
    """The next match at once against an agent; between people an invitation, or the answer to one."""
    check_channel(interaction)
    check_levels(interaction, match)
    following = await interaction.client.service.rematch(
        match.id, person_of(interaction), location_of(interaction)
    )
    if isinstance(following, Challenge):
        await interaction.client.display.post_challenge(interaction, following)
    else:
        await post(interaction, following)


async def answer_challenge(interaction: Interaction, challenge_id: int, accept: bool) -> None:
    """Accept turns the invitation's message into the board."""
    service, display = interaction.client.service, interaction.client.display
    if not accept:
        await display.answer_challenge(
            interaction, await service.challenges.decline(challenge_id, person_of(interaction))
        )
        return
    challenge, match = await _accepted(interaction, challenge_id)
    try:
        match = await display.answer_with_board(interaction, challenge, match)
    finally:
        service.proceed(match)


async def _accepted(interaction: Interaction, challenge_id: int) -> tuple[Challenge, Match]:
    """The match that comes of the invitation, also when it was accepted before and never shown."""
    service = interaction.client.service
    try:
        return await service.challenges.accept(challenge_id, person_of(interaction))
    except MatchError:
        challenge = await service.challenges.find(challenge_id)
        match = None if challenge.match_id is None else await service.match(challenge.match_id)
        if (
            match is None
            or match.location.message_id is not None
            or not match.players_of(interaction.user.id)
        ):
            raise
        return challenge, match


async def turn_page(interaction: Interaction, match_id: int, turn: int, page: int) -> None:
    """Another page of the legal moves, for the person whose turn it is."""
    match = await interaction.client.service.match(match_id)
    match.player_of(interaction.user.id)
    if match.is_over:
        raise MatchError("match_over")
    if match.turn != turn:
        raise MatchError("stale")
    if match.seat_to_move.user_id != interaction.user.id:
        raise MatchError("not_your_turn", name=match.seat_to_move.name)
    await interaction.client.display.turn_page(interaction, match, page)


async def post(interaction: Interaction, match: Match) -> None:
    """Answers with a new board, which from now on is the match's, and lets the match go on."""
    try:
        match = await interaction.client.display.post(interaction, match)
    finally:
        interaction.client.service.proceed(match)


async def show(interaction: Interaction, match: Match) -> None:
    """Answers a press on a board by showing it as it is now, and lets the match go on."""
    if match.awaits_agent:
        # Asked at once, so that its move may be part of this very answer.
        interaction.client.service.proceed(match)
        await interaction.client.display.answer(interaction, match)
        return
    try:
        match = await interaction.client.display.answer(interaction, match)
    finally:
        interaction.client.service.proceed(match)


async def show_quietly(interaction: Interaction, match: Match, line: str) -> None:
    """Answers a command with a private line and shows the change on the board, wherever that is."""
    try:
        match = await interaction.client.display.answer_privately(interaction, match, line)
    finally:
        interaction.client.service.proceed(match)


async def _refresh_stale(interaction: Interaction, match_id: int, refusal: Refusal) -> None:
    """Somebody who presses an old board sees an old board: bring it up to date as well."""
    if refusal.key in ("stale", "time_is_up", "match_over"):
        match = await interaction.client.service.match(match_id)
        shown_elsewhere = (
            interaction.message is not None and interaction.message.id != match.location.message_id
        )
        await interaction.client.display.refresh(
            match,
            replace(match.location, message_id=interaction.message.id)
            if shown_elsewhere and interaction.message
            else None,
        )
