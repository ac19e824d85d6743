"""What presses and commands about tournaments do: one action of the service, shown, then whatever follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord

from bot.domain.errors import NotFound, SetupError, Shown
from bot.domain.tournament.model import Stage, Tournament
from bot.i18n import plain
from bot.presentation import names
from bot.services.setup_checks import check_open, open_levels
from bot.services.tournaments import Organiser, Terms, check_organiser
from bot.ui.client import Interaction
from bot.ui.context import (
    check_channel,
    check_not_older,
    highest_level,
    is_private,
    is_reachable,
    location_of,
    own_text,
    person_of,
    reply,
    respond,
)
from bot.ui.layout import MOST_OPTIONS, box, lines, options_of
from bot.ui.permissions import missing_for_tournament
from bot.ui.routing import chosen
from bot.ui.tournament.routes import ACTION, AGENTS, TournamentAction
from bot.ui.tournament.views import picture_of, private_view, tournament_view
from engine.games import GAMES


def organiser_of(interaction: Interaction) -> Organiser:
    return Organiser(interaction.user.id, is_admin=interaction.permissions.manage_guild)


async def create(
    interaction: Interaction, terms: Terms, *, levels: Sequence[str] = (), at_once: bool = False
) -> None:
    """Answers with the new tournament's message. at_once: nobody needs to sign up; raises SetupError."""
    check_channel(interaction)
    if not is_reachable(interaction) or interaction.guild_id is None:
        raise SetupError("tournament_needs_server")
    is_thread = isinstance(interaction.channel, discord.Thread)
    if (missing := missing_for_tournament(interaction.app_permissions, is_thread=is_thread)) is not None:
        raise SetupError(missing, channel=Shown(f"<#{interaction.channel_id}>"))
    service, organiser = interaction.client.tournaments, organiser_of(interaction)
    made = await service.create(
        person_of(interaction), terms, location_of(interaction), organiser, levels=levels
    )
    if at_once:
        made = await service.start(made.id, organiser)
    t = interaction.client.texts.of(made.location.locale)
    sent = await respond(interaction, tournament_view(made, t), is_private=False)
    if sent is not None:
        made = await interaction.client.changes.attach_tournament(made.id, sent)
        interaction.client.tournament_display.is_shown(made)
    if at_once:
        await service.step(made.id)


async def act(interaction: Interaction, tournament_id: int, action: TournamentAction) -> None:
    """A button under a tournament; a custom_id is only a claim, so the server must be the tournament's."""
    service, tournament = interaction.client.tournaments, await known(interaction, tournament_id)
    if action is TournamentAction.STANDINGS:
        await show(interaction, tournament)
    elif action is TournamentAction.AGENTS:
        await ask_for_agents(interaction, tournament)
    elif action is TournamentAction.JOIN:
        await answer(interaction, await service.join(tournament.id, person_of(interaction)))
    elif action is TournamentAction.START:
        await answer(interaction, await service.start(tournament.id, organiser_of(interaction)))
        await service.step(tournament.id)
    elif action is TournamentAction.LEAVE_NOW and is_private(interaction):
        await service.leave(tournament.id, person_of(interaction))
        left = own_text(interaction)("tournament_you_left", name=plain(tournament.name, 80))
        await interaction.response.edit_message(view=box(lines(left)))
        await service.step(tournament.id)
    else:
        await leave(interaction, tournament)


async def join(interaction: Interaction, tournament: Tournament) -> None:
    """As a command."""
    after = await interaction.client.tournaments.join(tournament.id, person_of(interaction))
    is_back = after.stage is Stage.RUNNING
    line = own_text(interaction)("tournament_you_returned" if is_back else "tournament_you_joined")
    await tell(interaction, tournament, line)


async def leave(interaction: Interaction, tournament: Tournament) -> None:
    """At once while people sign up; later only after asking, since a match is given up with it.

    Raises SetupError.
    """
    t, name = own_text(interaction), plain(tournament.name, 80)
    if tournament.stage is Stage.RUNNING:
        entrant = tournament.entrant_of(interaction.user.id)
        if entrant is None or entrant.is_out:
            raise SetupError("tournament_not_joined", name=interaction.user.display_name)
        button: discord.ui.Button[Any] = discord.ui.Button(
            label=t("button_give_up"),
            style=discord.ButtonStyle.danger,
            custom_id=ACTION(tournament.id, TournamentAction.LEAVE_NOW),
        )
        view = box(lines(t("tournament_leave_sure", name=name)), discord.ui.ActionRow(button))
        await respond(interaction, view)
        return
    after = await interaction.client.tournaments.leave(tournament.id, person_of(interaction))
    if interaction.message is not None:
        await answer(interaction, after)
    else:
        await tell(interaction, tournament, t("tournament_you_left", name=name))


async def tell(interaction: Interaction, tournament: Tournament, line: str) -> None:
    """Answers with a private line, and lets the tournament go on."""
    await reply(interaction, line)
    await interaction.client.tournaments.step(tournament.id)


async def show(interaction: Interaction, tournament: Tournament) -> None:
    """How it stands, for this person alone."""
    t = own_text(interaction)
    picture = await picture_of(tournament, t)
    await respond(interaction, private_view(tournament, t, picture), file=picture)


async def ask_for_agents(interaction: Interaction, tournament: Tournament) -> None:
    """A private menu of the levels, for the organiser; raises SetupError."""
    t = own_text(interaction)
    check_organiser(tournament, organiser_of(interaction))
    if tournament.stage is not Stage.OPEN:
        raise SetupError("tournament_started_already")
    levels = open_levels(
        interaction.client.roster, tournament.game, tournament.board, highest_level(interaction)
    )
    taken = {entrant.seat.level for entrant in tournament.entrants if entrant.seat.level is not None}
    is_usual = tournament.board == GAMES[tournament.game].boards[0]
    labels = (
        (level.key, names.level_offer(t, level, tournament.game, is_usual_board=is_usual))
        for level in levels[-MOST_OPTIONS:]
    )
    options = options_of(labels, taken)
    question = t("tournament_add_agents", name=plain(tournament.name, 80))
    select: discord.ui.Select[Any] = discord.ui.Select(
        custom_id=AGENTS(tournament.id),
        options=options,
        placeholder=t("tournament_choose_agents"),
        min_values=0,
        max_values=len(options),
    )
    view = box(lines(question), discord.ui.ActionRow(select))
    await respond(interaction, view)


async def choose_agents(interaction: Interaction, tournament_id: int) -> None:
    """What was chosen in the menu: these agents take part, and no others."""
    tournament, keys = await known(interaction, tournament_id), chosen(interaction)
    check_levels(interaction, tournament, keys)
    after = await interaction.client.tournaments.set_agents(tournament.id, keys, organiser_of(interaction))
    t, name = own_text(interaction), plain(after.name, 80)
    agents = [plain(entrant.seat.name) for entrant in after.entrants if entrant.seat.is_agent]
    said = (
        t("tournament_agents_are", name=name, names=", ".join(agents))
        if agents
        else t("tournament_agents_none", name=name)
    )
    await interaction.response.edit_message(view=box(lines(said)))
    await interaction.client.tournaments.step(tournament.id)


def check_levels(interaction: Interaction, tournament: Tournament, keys: Sequence[str]) -> None:
    """Refuses levels that the server has closed; what is no level at all the service refuses."""
    check_open(interaction.client.roster, tournament.game, tournament.board, highest_level(interaction), keys)


async def answer(interaction: Interaction, tournament: Tournament) -> None:
    """Acknowledges a press on the tournament's message by editing it."""
    if interaction.message is None or interaction.message.id != tournament.location.message_id:
        await interaction.response.defer()
        await interaction.client.tournaments.step(tournament.id)
    else:
        await interaction.client.tournament_display.answer(interaction, tournament)


async def known(interaction: Interaction, tournament_id: int) -> Tournament:
    """The tournament of that number, if it is this server's and the message is its own; raises Refusal."""
    found = await interaction.client.tournaments.tournament(tournament_id)
    if found.location.guild_id != interaction.guild_id:
        raise NotFound("unknown_tournament", number=tournament_id)
    check_not_older(interaction, found.created_at, found.location.message_id)
    return found


async def resolve(interaction: Interaction, text: str | None, *, is_over_too: bool = False) -> Tournament:
    """The tournament that a command means: named, or the latest in the channel; raises NotFound.

    is_over_too: also one that is over.
    """
    if text is not None:
        number = text.strip().removeprefix("#").partition(" ")[0]
        if not (number.isascii() and number.isdecimal() and 0 < len(number) <= 18):
            raise NotFound("unknown_tournament", number=text)
        return await known(interaction, int(number))
    found = await interaction.client.tournaments.of_guild(interaction.guild_id or 0)
    here = [one for one in found if one.location.channel_id == interaction.channel_id]
    for tournament in (*here, *(found if is_over_too else ())):
        if tournament.is_active or is_over_too:
            return tournament
    raise NotFound("tournament_none_here")
