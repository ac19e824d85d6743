"""What presses and commands about tournaments do: one action of the service, shown, then whatever follows."""

from __future__ import annotations

from collections.abc import Sequence

import discord

from bot.domain.errors import NotFound, SetupError
from bot.domain.tournament import Stage, Tournament
from bot.i18n import plain, shortened
from bot.services import Organiser, Terms, check_organiser
from bot.services.validation import open_levels
from bot.ui import formatting as wording
from bot.ui.context import Press, check_channel, is_reachable, own_text, person_of, place_of, reply
from bot.ui.layout import box, lines
from bot.ui.tournament.ids import TournamentAction, action_button, agent_select
from bot.ui.tournament.views import picture_of, private_view, tournament_view
from engine.games import GAMES

MOST_OPTIONS = 25
"""Discord's limit for a select."""


def organiser_of(press: Press) -> Organiser:
    return Organiser(press.user.id, is_admin=press.permissions.manage_guild)


async def create(press: Press, terms: Terms, *, levels: Sequence[str] = (), at_once: bool = False) -> None:
    """Answers with the new tournament's message. at_once: nobody needs to sign up."""
    check_channel(press)
    if not is_reachable(press) or press.guild_id is None:
        raise SetupError("tournament_needs_server")
    allowed = press.app_permissions
    if not (allowed.send_messages or allowed.send_messages_in_threads):
        raise SetupError("tournament_cannot_write")
    service, organiser = press.client.tournaments, organiser_of(press)
    made = await service.create(person_of(press), terms, place_of(press), organiser, levels=levels)
    if at_once:
        made = await service.start(made.id, organiser)
    t = press.client.texts.of(made.place.locale)
    sent = await press.response.send_message(view=tournament_view(made, t))
    if sent.message_id is not None:
        await service.shown_by(made.id, sent.message_id)
    if at_once:
        await service.step(made.id)


async def act(press: Press, tournament_id: int, action: TournamentAction) -> None:
    """A button under a tournament; a custom_id is only a claim, so the server must be the tournament's."""
    tournament = await known(press, tournament_id)
    if action is TournamentAction.STANDINGS:
        await show(press, tournament)
    elif action is TournamentAction.AGENTS:
        await ask_for_agents(press, tournament)
    elif action is TournamentAction.JOIN:
        await answer(press, await press.client.tournaments.join(tournament.id, person_of(press)))
    elif action is TournamentAction.START:
        await answer(press, await press.client.tournaments.start(tournament.id, organiser_of(press)))
        await press.client.tournaments.step(tournament.id)
    elif action is TournamentAction.LEAVE_NOW:
        await press.client.tournaments.leave(tournament.id, person_of(press))
        left = own_text(press)("tournament_you_left", name=plain(tournament.name, 80))
        await press.response.edit_message(view=box(lines(left)))
        await press.client.tournaments.step(tournament.id)
    else:
        await leave(press, tournament)


async def join(press: Press, tournament: Tournament) -> None:
    """As a command."""
    after = await press.client.tournaments.join(tournament.id, person_of(press))
    is_back = after.stage is Stage.RUNNING
    await reply(press, own_text(press)("tournament_you_returned" if is_back else "tournament_you_joined"))
    await press.client.tournaments.step(tournament.id)


async def leave(press: Press, tournament: Tournament) -> None:
    """At once while people sign up; later only after asking, since a match is given up with it."""
    t, name = own_text(press), plain(tournament.name, 80)
    if tournament.stage is Stage.RUNNING:
        entrant = tournament.entrant_of(press.user.id)
        if entrant is None or entrant.is_out:
            raise SetupError("tournament_not_joined", name=press.user.display_name)
        button = action_button(
            tournament.id,
            TournamentAction.LEAVE_NOW,
            t("button_give_up"),
            style=discord.ButtonStyle.danger,
        )
        view = box(lines(t("tournament_leave_sure", name=name)), discord.ui.ActionRow(button))
        await press.response.send_message(view=view, ephemeral=True)
        return
    after = await press.client.tournaments.leave(tournament.id, person_of(press))
    if press.message is not None:
        await answer(press, after)
    else:
        await reply(press, t("tournament_you_left", name=name))
        await press.client.tournaments.step(tournament.id)


async def show(press: Press, tournament: Tournament) -> None:
    """How it stands, for this person alone."""
    t = own_text(press)
    picture = await picture_of(tournament)
    view = private_view(tournament, t, picture)
    if picture is None:
        await press.response.send_message(view=view, ephemeral=True)
    else:
        await press.response.send_message(view=view, file=picture, ephemeral=True)


async def ask_for_agents(press: Press, tournament: Tournament) -> None:
    """A private menu of the levels, for the organiser."""
    t = own_text(press)
    check_organiser(tournament, organiser_of(press))
    if tournament.stage is not Stage.OPEN:
        raise SetupError("tournament_started_already")
    highest = press.client.care.server(press.guild_id).highest_level
    levels = open_levels(press.client.roster, tournament.game, tournament.board, highest)
    taken = {entrant.seat.level for entrant in tournament.entrants}
    is_usual = tournament.board == GAMES[tournament.game].boards[0]
    options = [
        discord.SelectOption(
            label=shortened(wording.level_offer(t, level, tournament.game if is_usual else None), 100),
            value=level.key,
            default=level.key in taken,
        )
        for level in levels[-MOST_OPTIONS:]
    ]
    question = t("tournament_add_agents", name=plain(tournament.name, 80))
    select = agent_select(tournament.id, options, t("tournament_choose_agents"))
    view = box(lines(question), discord.ui.ActionRow(select))
    await press.response.send_message(view=view, ephemeral=True)


async def choose_agents(press: Press, tournament_id: int, keys: Sequence[str]) -> None:
    """What was chosen in the menu: these agents take part, and no others."""
    tournament = await known(press, tournament_id)
    check_levels(press, tournament, keys)
    after = await press.client.tournaments.set_agents(tournament.id, keys, organiser_of(press))
    t, name = own_text(press), plain(after.name, 80)
    agents = [plain(entrant.seat.name) for entrant in after.entrants if entrant.seat.is_agent]
    said = (
        t("tournament_agents_are", name=name, names=", ".join(agents))
        if agents
        else t("tournament_agents_none", name=name)
    )
    await press.response.edit_message(view=box(lines(said)))
    await press.client.tournaments.step(tournament.id)


def check_levels(press: Press, tournament: Tournament, keys: Sequence[str]) -> None:
    """Refuses levels that the server has closed; what is no level at all the service refuses."""
    highest = press.client.care.server(press.guild_id).highest_level
    allowed = open_levels(press.client.roster, tournament.game, tournament.board, highest)
    closed = {level.key: level for level in press.client.roster.levels_of(tournament.game)}
    for level in allowed:
        closed.pop(level.key, None)
    for key in keys:
        if highest is not None and key in closed:
            names = ", ".join(level.name for level in allowed)
            raise SetupError("level_closed", level=closed[key].name, allowed=names)


async def answer(press: Press, tournament: Tournament) -> None:
    """Acknowledges a press on the tournament's message by editing it."""
    if press.message is None or press.message.id != tournament.place.message_id:
        await press.response.defer()
        await press.client.tournaments.step(tournament.id)
    else:
        await press.client.tournament_display.answer(press, tournament)


async def known(press: Press, tournament_id: int) -> Tournament:
    """The tournament of that number, if it is one of this server; raises NotFound."""
    found = await press.client.tournaments.tournament(tournament_id)
    if found.place.guild_id != press.guild_id:
        raise NotFound("unknown_tournament", number=tournament_id)
    return found


async def meant(press: Press, text: str | None, *, is_over_too: bool = False) -> Tournament:
    """The tournament that a command means: named, or the latest in the channel; raises NotFound.

    is_over_too: also one that is over.
    """
    if text is not None:
        number = text.strip().removeprefix("#").partition(" ")[0]
        if not (number.isascii() and number.isdecimal() and 0 < len(number) <= 18):
            raise NotFound("unknown_tournament", number=text)
        return await known(press, int(number))
    found = await press.client.tournaments.of_guild(press.guild_id or 0)
    here = [one for one in found if one.place.channel_id == press.channel_id]
    for tournament in (*here, *(found if is_over_too else ())):
        if tournament.is_active or is_over_too:
            return tournament
    raise NotFound("tournament_none_here")
