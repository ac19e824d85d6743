"""Moderation: people who manage messages or the server end a match of their channel, or stop one to watch.

Their rights are those in the interaction, and hold for its channel. The stored match says whether it is
there.
"""

from __future__ import annotations

import logging

from bot.domain.errors import Markup, MatchError, SetupError
from bot.domain.match import Match
from bot.presentation import status
from bot.services.ports import NotDelivered
from bot.ui.answers import edit_pressed, reply, respond
from bot.ui.client import Interaction
from bot.ui.context import is_private, organiser_of, own_text, person_of
from bot.ui.layout import box, lines
from bot.ui.match.moderation_views import end_view
from bot.ui.match.routes import Action
from bot.ui.permissions import is_moderator

log = logging.getLogger(__name__)

ENDING = frozenset({Action.END, Action.END_NOW, Action.END_AND_REMOVE, Action.KEEP})


async def end_match_on(interaction: Interaction, message_id: int) -> None:
    """Ask whether to end the match of that board, or close it if it is a mirror; raises Refusal."""
    _check_moderator(interaction)
    display, t = interaction.client.display, own_text(interaction)
    mirror = display.mirrors.at(message_id)
    if mirror is not None and mirror.part == interaction.channel_id:
        match = await interaction.client.services.matches.latest(mirror.subject)
        await display.mirrors.close(mirror.subject, mirror.part)
        here = Markup(f"<#{mirror.part}>")
        await reply(interaction, t("mirror_closed", game=status.title(t, match), channel=here))
        return
    found = await interaction.client.services.changes.matches_on(interaction.channel_id or 0, message_id)
    if not found:
        raise MatchError("moderate_no_board")
    await press(interaction, found[0], Action.END)


async def press(interaction: Interaction, match_id: int, action: Action) -> None:
    """Ask whether to end the match, or follow the answer; raises Refusal."""
    if action is Action.END:
        view = end_view(await _checked(interaction, match_id), own_text(interaction))
        await (edit_pressed if is_private(interaction) else respond)(interaction, view)
    elif action is Action.KEEP:
        await edit_pressed(interaction, box(lines(own_text(interaction)("moderate_kept"))))
    else:
        await end(interaction, match_id, removes=action is Action.END_AND_REMOVE)


async def end(interaction: Interaction, match_id: int, *, removes: bool = False) -> None:
    """End the match without a result, show that, and tell its players; raises Refusal.

    removes: its board is deleted instead.
    """
    await _checked(interaction, match_id)
    client, t = interaction.client, own_text(interaction)
    person = person_of(interaction)
    match = await client.services.playing.moderate(match_id, person, interaction.channel_id)
    said = t("moderate_done", game=status.title(t, match))
    if not is_private(interaction):  # Stop, on the board of two bots
        await client.display.answer(interaction, match)
    elif not removes:
        await client.display.answer_privately(interaction, match, lambda _shown: said)
    else:
        try:
            await client.display.remove(match)
        except NotDelivered as refusal:
            log.warning("match %d: its board could not be removed: %s", match.id, refusal)
        await edit_pressed(interaction, box(lines(said)))


async def _checked(interaction: Interaction, match_id: int) -> Match:
    """Return the match, if the person may end it now; raises Refusal."""
    _check_moderator(interaction)
    services = interaction.client.services
    match = await services.matches.match(match_id)
    match.moderate(interaction.user.id, interaction.channel_id, services.clock())
    await services.tournaments.check_moderates(match_id, organiser_of(interaction))
    return match


def _check_moderator(interaction: Interaction) -> None:
    if not is_moderator(interaction):
        raise SetupError("moderate_not_yours")
