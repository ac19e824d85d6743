"""Handlers of presses and commands about tournaments."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from bot.domain.errors import Markup, NotFound, SetupError
from bot.domain.tournament.model import Stage, Tournament
from bot.i18n import plain
from bot.presentation import names
from bot.services.tournaments import TournamentOptions, check_organiser
from bot.ui.answers import reply, respond
from bot.ui.client import Interaction
from bot.ui.context import (
    check_channel,
    check_may_start,
    check_not_older,
    is_private,
    is_reachable,
    location_of,
    organiser_of,
    own_text,
    person_of,
)
from bot.ui.layout import box, lines
from bot.ui.permissions import missing_for_tournament
from bot.ui.routing import choice, chosen
from bot.ui.tournament.routes import TournamentAction
from bot.ui.tournament.views import (
    agents_view,
    cancel_view,
    leave_view,
    picture_of,
    private_view,
    remove_view,
    tournament_view,
)
from engine.games import GAMES


async def create(
    interaction: Interaction, options: TournamentOptions, *, levels: Sequence[str] = (), at_once: bool = False
) -> None:
    """Answer with the new tournament's message; raises SetupError. at_once: start without sign-up."""
    _check_place(interaction)
    check_may_start(interaction)
    service, organiser = interaction.client.services.tournaments, organiser_of(interaction)
    made = await service.create(
        person_of(interaction),
        options,
        location_of(interaction),
        organiser,
        levels=levels,
        at_once=at_once,
    )
    if at_once:
        made = await service.start(made.id, organiser)
    t = interaction.client.services.texts.of(made.location.locale)
    sent = await respond(interaction, tournament_view(made, t), is_private=False)
    if sent is not None:
        made = await interaction.client.services.changes.attach_tournament(made.id, sent)
        interaction.client.tournament_display.is_shown(made)
    if at_once:
        await service.step(made.id)


def _check_place(interaction: Interaction) -> None:
    """Raise SetupError unless a tournament may be here and the bot can show it."""
    check_channel(interaction)
    if not is_reachable(interaction) or interaction.guild_id is None:
        raise SetupError("tournament_needs_server")
    is_thread = isinstance(interaction.channel, discord.Thread)
    if (missing := missing_for_tournament(interaction.app_permissions, is_thread=is_thread)) is not None:
        raise SetupError(missing, channel=Markup(f"<#{interaction.channel_id}>"))


async def act(interaction: Interaction, tournament_id: int, action: TournamentAction) -> None:
    """Handle a button under a tournament; raises Refusal."""
    service, tournament = interaction.client.services.tournaments, await known(interaction, tournament_id)
    t, name = own_text(interaction), plain(tournament.name, 80)
    if action is TournamentAction.STANDINGS:
        await show(interaction, tournament)
    elif action is TournamentAction.AGENTS:
        await ask_for_agents(interaction, tournament)
    elif action is TournamentAction.JOIN:
        after = await service.join(tournament.id, person_of(interaction))
        is_back = after.stage is Stage.RUNNING
        await _answer(
            interaction, after, t("tournament_you_returned" if is_back else "tournament_you_joined")
        )
    elif action is TournamentAction.START:
        after = await service.start(tournament.id, organiser_of(interaction))
        await _answer(interaction, after, t("tournament_you_started", name=name))
        await service.step(tournament.id)
    # What cannot be taken back is confirmed in private. A confirmation that is forged elsewhere asks again.
    elif action is TournamentAction.LEAVE_NOW and is_private(interaction):
        await service.leave(tournament.id, person_of(interaction))
        await _settle(interaction, tournament, t("tournament_you_left", name=name))
    elif action is TournamentAction.CANCEL_NOW and is_private(interaction):
        await service.cancel(tournament.id, organiser_of(interaction))
        await _settle(interaction, tournament, t("tournament_you_cancelled", name=name))
    elif action in (TournamentAction.LEAVE, TournamentAction.LEAVE_NOW):
        await _leave(interaction, tournament)
    else:
        check_organiser(tournament, organiser_of(interaction))
        is_removal = action is TournamentAction.REMOVE
        await respond(interaction, remove_view(tournament, t) if is_removal else cancel_view(tournament, t))


async def _leave(interaction: Interaction, tournament: Tournament) -> None:
    """Leave at once during sign-up; later ask first, because leaving resigns a match. Raises SetupError."""
    t = own_text(interaction)
    if tournament.stage is Stage.RUNNING:
        entrant = tournament.entrant_of(interaction.user.id)
        if entrant is None or entrant.is_out:
            raise SetupError("tournament_not_joined", name=person_of(interaction).name)
        await respond(interaction, leave_view(tournament, t))
        return
    after = await interaction.client.services.tournaments.leave(tournament.id, person_of(interaction))
    await _answer(interaction, after, t("tournament_you_left", name=plain(tournament.name, 80)))


async def remove_entrant(interaction: Interaction, tournament_id: int, _page: int) -> None:
    """Remove the chosen entrant; raises Refusal."""
    tournament, value = await known(interaction, tournament_id), choice(interaction)
    found = next((one for one in tournament.entrants if str(one.number) == value), None)
    if found is None:
        raise SetupError("tournament_no_entrant")
    await interaction.client.services.tournaments.remove(
        tournament.id, found.number, organiser_of(interaction)
    )
    t, name = own_text(interaction), plain(tournament.name, 80)
    await _settle(interaction, tournament, t("tournament_removed", who=plain(found.seat.name), name=name))


async def _settle(interaction: Interaction, tournament: Tournament, line: str) -> None:
    """Replace the private question by a line, then continue the tournament."""
    await interaction.response.edit_message(view=box(lines(line)))
    await interaction.client.services.tournaments.step(tournament.id)


async def show(interaction: Interaction, tournament: Tournament) -> None:
    """Answer privately with the sign-up list or the standings.

    If its channel was deleted, the organiser brings it here; raises SetupError.
    """
    t, organiser = own_text(interaction), organiser_of(interaction)
    service = interaction.client.services.tournaments
    is_moved = service.is_homeless(tournament) and organiser.may_change(tournament)
    if is_moved:
        _check_place(interaction)
        tournament = await service.move(tournament.id, location_of(interaction), organiser)
    picture = await picture_of(tournament, t)
    view = private_view(
        tournament, t, picture, organiser.user_id, is_organiser=organiser.may_change(tournament)
    )
    await respond(interaction, view, file=picture)
    if is_moved:
        await service.step(tournament.id)


async def ask_for_agents(interaction: Interaction, tournament: Tournament) -> None:
    """Answer the organiser with a private menu of levels; raises SetupError."""
    t = own_text(interaction)
    check_organiser(tournament, organiser_of(interaction))
    if tournament.stage is not Stage.OPEN:
        raise SetupError("tournament_started_already")
    game, board = tournament.game, tournament.board
    is_usual = board == GAMES[game].boards[0]
    levels = interaction.client.services.levels.of(interaction.guild_id, game, board)
    offers = [(level.key, names.level_offer(t, level, game, is_usual_board=is_usual)) for level in levels]
    await respond(interaction, agents_view(tournament, t, offers))


async def choose_agents(interaction: Interaction, tournament_id: int) -> None:
    """Replace the tournament's agents with the chosen ones; raises Refusal."""
    tournament, keys = await known(interaction, tournament_id), chosen(interaction)
    after = await interaction.client.services.tournaments.set_agents(
        tournament.id, keys, organiser_of(interaction)
    )
    t, name = own_text(interaction), plain(after.name, 80)
    agents = ", ".join(plain(entrant.seat.name) for entrant in after.entrants if entrant.seat.is_agent)
    said = (
        t("tournament_agents_are", name=name, names=agents)
        if agents
        else t("tournament_agents_none", name=name)
    )
    await _settle(interaction, tournament, said)


async def _answer(interaction: Interaction, tournament: Tournament, line: str) -> None:
    """Acknowledge a press by editing the tournament's message, or elsewhere with a private line."""
    if interaction.message is None or interaction.message.id != tournament.location.message_id:
        await reply(interaction, line)
        await interaction.client.services.tournaments.step(tournament.id)
    else:
        await interaction.client.tournament_display.answer(interaction, tournament)


async def known(interaction: Interaction, tournament_id: int) -> Tournament:
    """Return the tournament if it belongs to this server and this message; raises Refusal."""
    found = await interaction.client.services.tournaments.tournament(tournament_id)
    if found.location.guild_id != interaction.guild_id:
        raise NotFound("unknown_tournament", number=tournament_id)
    check_not_older(interaction, found.created_at, found.location.message_id)
    return found
