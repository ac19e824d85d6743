"""What each press does: one action of the service, shown, and then whatever follows from it."""

from __future__ import annotations

from collections.abc import Awaitable

from bot.domain.challenge import Challenge
from bot.domain.errors import MatchError
from bot.domain.match import Match, Pace
from bot.ui.answers import respond
from bot.ui.client import Interaction
from bot.ui.context import (
    check_channel,
    check_not_older,
    highest_level,
    is_private,
    location_of,
    own_text,
    person_of,
)
from bot.ui.error_replies import report_error
from bot.ui.layout import box, lines
from bot.ui.match.coach import advise
from bot.ui.match.hint import give_hint
from bot.ui.match.routes import Action
from bot.ui.match.views import more_view
from engine.core import Move
from engine.games import spec_of
from engine.games.spec import Layout

OUTDATED = frozenset({"stale", "time_is_up", "match_over"})
"""Refusals of people who see an old board."""


async def play(interaction: Interaction, match_id: int, turn: int, move: Move) -> None:
    """A move on the board that was pressed."""
    service = interaction.client.services.matches
    if _is_taken(await _pressed(interaction, match_id), turn, move):
        await interaction.response.defer()
        return
    try:
        match = await service.play(
            match_id, person_of(interaction), move, turn=turn, pressed_at=interaction.created_at
        )
    except MatchError as refusal:
        await _refuse(interaction, match_id, refusal)
    else:
        await show(interaction, match)
        if match.is_coached:
            await advise(interaction, match)


async def _pressed(interaction: Interaction, match_id: int) -> Match:
    """The match of that number, as this process last saw it; raises Refusal where the message is older."""
    match = await interaction.client.services.matches.latest(match_id)
    check_not_older(interaction, match.created_at, match.location.message_id)
    return match


def _is_taken(match: Match, turn: int, move: Move) -> bool:
    """Whether the buttons are the board, and what was pressed is a piece on it."""
    if match.turn != turn or spec_of(match.game).look.layout is not Layout.GRID:
        return False
    cells = match.state.cells()
    return move < len(cells) and cells[move] is not None


async def show_page(interaction: Interaction, match_id: int, turn: int, column: int) -> None:
    """Other moves of the same position, or a column's, for the person whose turn it is."""
    await _pressed(interaction, match_id)
    try:
        match = await interaction.client.services.matches.to_move(match_id, person_of(interaction), turn=turn)
    except MatchError as refusal:
        await _refuse(interaction, match_id, refusal)
    else:
        await interaction.client.display.turn_page(interaction, match, column)


async def act(interaction: Interaction, match_id: int, turn: int, action: Action) -> None:
    """Any other button of a board."""
    service, display = interaction.client.services.matches, interaction.client.display
    await _pressed(interaction, match_id)
    try:
        if action is Action.RESIGN:
            await display.ask_to_resign(interaction, await service.mine(match_id, interaction.user.id))
        elif action is Action.HINT:
            await give_hint(interaction, await service.mine(match_id, interaction.user.id))
        elif action is Action.MORE:
            match = await service.mine(match_id, interaction.user.id)
            await respond(interaction, more_view(match, own_text(interaction)))
        elif action is Action.RESIGN_NOW:
            await _resign(interaction, match_id)
        elif action is Action.STAY:
            await display.answer_resignation(interaction, await service.match(match_id), has_resigned=False)
        elif action is Action.REMATCH:
            await rematch(interaction, match_id)
        elif action is Action.STOP:
            await show(interaction, await service.stop(match_id, person_of(interaction)))
        elif action is Action.WATCH_AGAIN:
            await watch_again(interaction, match_id)
        elif action is Action.DRAW and is_private(interaction):
            await _offer_draw(interaction, match_id)
        else:
            await show(interaction, await change(interaction, match_id, action, turn=turn))
    except MatchError as refusal:
        await _refuse(interaction, match_id, refusal)


async def change(
    interaction: Interaction, match_id: int, action: Action, *, turn: int | None = None
) -> Match:
    """A draw or an undo, asked for or answered, or sides changed: stored, not yet shown.

    turn: of the board that the person sees; it is about that position.
    """
    service, person = interaction.client.services.matches, person_of(interaction)
    if action is Action.DRAW:
        return await service.offer_draw(match_id, person, turn=turn)
    if action in (Action.DRAW_YES, Action.DRAW_NO):
        return await service.answer_draw(match_id, person, action is Action.DRAW_YES, turn=turn)
    if action is Action.SWAP:
        return await service.swap(match_id, person, turn=turn)
    if action is Action.UNDO:
        return await service.ask_undo(match_id, person, turn=turn)
    return await service.answer_undo(match_id, person, action is Action.UNDO_YES, turn=turn)


async def _offer_draw(interaction: Interaction, match_id: int) -> None:
    """From a menu, which shows no position that the offer could be about."""
    match = await change(interaction, match_id, Action.DRAW)
    try:
        said = own_text(interaction)("you_draw_offer")
        await interaction.response.edit_message(view=box(lines(said)))
        await interaction.client.display.show(match)
    finally:
        interaction.client.services.matches.proceed(match)


async def _resign(interaction: Interaction, match_id: int) -> None:
    match = await interaction.client.services.matches.resign(match_id, person_of(interaction))
    try:
        await interaction.client.display.answer_resignation(interaction, match, has_resigned=True)
        await interaction.client.display.show(match)
    finally:
        interaction.client.services.matches.proceed(match)


async def rematch(interaction: Interaction, match_id: int) -> None:
    """The next match at once against an agent; between people an invitation, or the answer to one."""
    check_channel(interaction)
    following = await interaction.client.services.matches.rematch(
        match_id, person_of(interaction), location_of(interaction), highest=highest_level(interaction)
    )
    if isinstance(following, Challenge):
        await interaction.client.display.post_challenge(interaction, following)
    else:
        await post(interaction, following)


async def watch_again(interaction: Interaction, match_id: int) -> None:
    """Another match between the same two agents, sides swapped."""
    check_channel(interaction)
    following = await interaction.client.services.matches.watch_again(
        match_id, person_of(interaction), location_of(interaction), highest=highest_level(interaction)
    )
    await post(interaction, following)


async def set_pace(interaction: Interaction, match_id: int, pace: Pace) -> None:
    """A match between agents goes on at another speed."""
    await _pressed(interaction, match_id)
    try:
        match = await interaction.client.services.matches.set_pace(match_id, pace)
    except MatchError as refusal:
        await _refuse(interaction, match_id, refusal)
    else:
        await show(interaction, match)


async def answer_challenge(interaction: Interaction, challenge_id: int, accept: bool) -> None:
    """Accept turns the invitation's message into the board."""
    service, display = interaction.client.services.matches, interaction.client.display
    challenge = await service.challenges.find(challenge_id)
    check_not_older(interaction, challenge.created_at, challenge.location.message_id)
    if not accept:
        await display.answer_challenge(
            interaction, await service.challenges.decline(challenge_id, person_of(interaction))
        )
        return
    match = await _accepted(interaction, challenge_id)
    await _go_on(interaction, match, display.answer_with_board(interaction, match))


async def _accepted(interaction: Interaction, challenge_id: int) -> Match:
    """The match that comes of the invitation, also when it was accepted before and never shown."""
    service = interaction.client.services.matches
    try:
        return (await service.challenges.accept(challenge_id, person_of(interaction)))[1]
    except MatchError:
        challenge = await service.challenges.find(challenge_id)
        match = None if challenge.match_id is None else await service.match(challenge.match_id)
        if (
            match is None
            or match.location.message_id is not None
            or not match.players_of(interaction.user.id)
        ):
            raise
        return match


async def post(interaction: Interaction, match: Match) -> None:
    """Answers with a new board, which from now on is the match's, and lets the match go on."""
    await _go_on(interaction, match, interaction.client.display.post(interaction, match))


async def show(interaction: Interaction, match: Match) -> None:
    """Answers a press on a board by showing it as it is now, and lets the match go on."""
    if match.awaits_agent:
        # Asked at once, so that its move may be part of this very answer.
        interaction.client.services.matches.proceed(match)
        await interaction.client.display.answer(interaction, match)
        return
    await _go_on(interaction, match, interaction.client.display.answer(interaction, match))


async def show_quietly(interaction: Interaction, match: Match, line: str) -> None:
    """Answers a command with a private line and shows the change on the board, wherever that is."""
    await _go_on(interaction, match, interaction.client.display.answer_privately(interaction, match, line))


async def _go_on(interaction: Interaction, match: Match, showing: Awaitable[Match]) -> None:
    """Lets the match go on once it is shown, as what showing it made of it, or as it is where that failed."""
    try:
        match = await showing
    finally:
        interaction.client.services.matches.proceed(match)


async def _refuse(interaction: Interaction, match_id: int, refusal: MatchError) -> None:
    """Whoever presses an old board sees an old board: it is brought up to date, after they have been told."""
    if refusal.key not in OUTDATED:
        raise refusal
    await report_error(interaction, refusal, f"match {match_id}")
    await interaction.client.display.refresh(
        interaction, await interaction.client.services.matches.latest(match_id)
    )
