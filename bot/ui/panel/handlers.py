"""Handlers of the start panel, help and rules."""

from __future__ import annotations

import io
import logging
from dataclasses import fields, replace
from functools import partial

import discord
from discord import ui

from bot.domain.errors import SetupError
from bot.domain.look import Size
from bot.domain.match import Match, Seat
from bot.domain.panel_choices import Against, Mode, Start
from bot.domain.rating import Stakes
from bot.presentation.examples import example
from bot.presentation.picture import draw_picture
from bot.services.checked_terms import CLOCKS, NO_CLOCK, checked_game
from bot.ui.answers import respond
from bot.ui.client import Interaction
from bot.ui.context import (
    check_channel,
    find_user,
    is_private,
    location_of,
    own_look,
    own_text,
    person_of,
)
from bot.ui.discord_errors import DISCORD_ERRORS
from bot.ui.inviting import invite
from bot.ui.last_choices import chosen_mode, default_start, is_newcomer, remember_start
from bot.ui.layout import box, custom_ids, lines
from bot.ui.panel.help_views import commands_view, help_view, rules_view
from bot.ui.panel.routes import Press
from bot.ui.panel.views import (
    PanelOffer,
    begun_view,
    more_choices_view,
    newcomer_view,
    offer_of,
    panel_view,
    with_game,
)
from bot.ui.play_here import COMMANDS
from bot.ui.rate_question import ask_at_start
from bot.ui.routing import choice
from engine.games import GAMES, USUAL

log = logging.getLogger(__name__)

_ON_SECOND_PAGE = (Press.MORE, Press.MODE, Press.FIRST, Press.FAIR, Press.PICK_CLOCK)
"""The controls that show the second page."""


async def open_panel(interaction: Interaction) -> None:
    """Answer with a private panel, with the person's last choices; raises SetupError."""
    check_channel(interaction)
    offer = await _offer(interaction, await default_start(interaction))
    await _answer(interaction, panel_view(own_text(interaction), offer, own_look(interaction)))


async def show_help(interaction: Interaction) -> None:
    """Answer with the help, and a panel below it in channels for matches."""
    t, latency = own_text(interaction), interaction.client.latency
    try:
        check_channel(interaction)
    except SetupError:
        await respond(interaction, help_view(t, None, latency))
        return
    offer = await _offer(interaction, await default_start(interaction))
    await _answer(interaction, help_view(t, panel_view(t, offer, own_look(interaction)), latency))


async def show_rules(interaction: Interaction, game: str) -> None:
    """Answer privately with the rules of a game and a picture."""
    t, look, shown = own_text(interaction), own_look(interaction), example(game)
    png = await interaction.client.ui.pictures.get(
        ("rules", game, look), partial(draw_picture, game, shown.state, shown.marks, look)
    )
    picture = discord.File(io.BytesIO(png), "rules.png")
    await respond(interaction, rules_view(t, game, picture), file=picture)


async def choose_rules(interaction: Interaction) -> None:
    """Show the rules of the chosen game; raises SetupError."""
    await show_rules(interaction, checked_game(choice(interaction)).key)


async def show_commands(interaction: Interaction) -> None:
    """Answer with the list of all commands."""
    links, has_emoji = await interaction.client.ui.command_links.all(), bool(interaction.client.emoji)
    await respond(interaction, commands_view(own_text(interaction), links, has_emoji=has_emoji))


async def press(interaction: Interaction, pressed: Press, start: Start) -> None:
    """Show the panel with the new choice, or start the match; raises Refusal."""
    if pressed is Press.BEGIN:
        await _begin(interaction, start)
        return
    offer = await _offer(interaction, _chosen(interaction, pressed, start))
    t, look = own_text(interaction), own_look(interaction)
    page = more_choices_view if pressed in _ON_SECOND_PAGE else panel_view
    view = page(t, offer, look)
    if interaction.message is not None and COMMANDS() in custom_ids(interaction.message):
        view = help_view(t, view, interaction.client.latency)
    if interaction.message is None or not is_private(interaction):
        await _answer(interaction, view)
        return
    await interaction.response.edit_message(view=view)


async def _answer(interaction: Interaction, view: ui.LayoutView) -> None:
    message_id = await respond(interaction, view)
    if message_id is not None:
        interaction.client.ui.presses.note(message_id, interaction)


async def make_rated(interaction: Interaction, match_id: int) -> None:
    """Make a newcomer's first match rated; raises Refusal."""
    await interaction.client.services.playing.make_rated(match_id, person_of(interaction))
    start = interaction.client.services.settings.person(interaction.user.id).start
    if start is not None:
        await remember_start(interaction, replace(start, mode=Mode.RATED))
    view = box(lines(own_text(interaction)("rated_now")))
    await interaction.response.edit_message(view=view)


async def enlarge_boards(interaction: Interaction) -> None:
    """Make the person's boards pictures from the next move on."""
    settings = interaction.client.services.settings
    wishes = settings.person(interaction.user.id)
    await settings.prefer(interaction.user.id, replace(wishes, size=Size.LARGE))
    await respond(interaction, box(lines(own_text(interaction)("large_now"))))


async def tell_newcomer(interaction: Interaction, match_id: int) -> None:
    """Say below the first board that it is casual and that boards can be larger, with buttons for both."""
    view = newcomer_view(own_text(interaction), match_id)
    try:
        await interaction.followup.send(view=view, ephemeral=True)
    except DISCORD_ERRORS as error:
        log.info("match %d: newcomer not told that it is casual: %s", match_id, error)


def _chosen(interaction: Interaction, pressed: Press, start: Start) -> Start:
    """Return the choices with the value of a menu; those of a button are in its custom_id."""
    if pressed is Press.PICK_GAME:
        return with_game(start, choice(interaction))
    if pressed is Press.PICK_LEVEL:
        return replace(start, level=choice(interaction))
    if pressed is Press.PICK_FRIEND:
        value = choice(interaction)
        return replace(start, friend=int(value) if value.isdecimal() and len(value) <= 20 else None)
    if pressed is Press.PICK_CLOCK:
        return replace(start, clock=_clock_of(choice(interaction)))
    return start


def _clock_of(value: str) -> int:
    """Return the clock; raises SetupError for one that is not offered."""
    clock = next((number for number in (NO_CLOCK, *CLOCKS) if str(number) == value), None)
    if clock is None:
        raise SetupError("bad_clock")
    return clock


async def _offer(interaction: Interaction, start: Start) -> PanelOffer:
    services, game = interaction.client.services, start.game if start.game in GAMES else USUAL
    offer = offer_of(
        replace(start, game=game, mode=start.mode or chosen_mode(interaction)),
        services.roster,
        services.levels.of(interaction.guild_id, game, GAMES[game].boards[0]),
        is_newcomer=await is_newcomer(interaction),
        has_others=not interaction.context.dm_channel,
    )
    return replace(offer, rated=await _rated(interaction, offer))


async def _rated(interaction: Interaction, offer: PanelOffer) -> tuple[Match, Stakes] | None:
    """Return the rated match against a bot that Start would begin, and what is at stake; else None."""
    services, start = interaction.client.services, offer.start
    if start.against is not Against.BOT or start.mode is not Mode.RATED or start.level is None:
        return None
    if not services.roster.level(start.level).is_rated or interaction.channel_id is None:
        return None
    person, rules, place = person_of(interaction), GAMES[start.game], location_of(interaction)
    board = rules.boards[0]
    level = await services.starting.opponent(person, rules, board, start.level, place)
    seats = person.seat, Seat(level.name, level=level.key)
    match = Match.begin(start.game, board, seats, place, services.clock())
    return match, await services.changes.stakes(match)


async def _begin(interaction: Interaction, start: Start) -> None:
    """Post the board or the invitation; a second press at the same time does nothing."""
    check_channel(interaction)
    offer = await _offer(interaction, start)
    if offer.start.against is Against.BOT:
        # The level as pressed: in the offer another one may have replaced it, which nobody chose.
        levels = interaction.client.services.levels
        levels.check(interaction.guild_id, offer.start.game, (start.level,))
    if offer.start.against is Against.FRIEND and offer.start.friend is None:
        raise SetupError("start_no_friend")
    panel = interaction.message
    attempt = ("start", interaction.user.id, None if panel is None else panel.id)
    # Of one panel only: a person may start two matches at the same time from two panels.
    with interaction.client.ui.starts.attempt(attempt) as is_first:
        if not is_first:
            raise SetupError("start_already")
        has_begun, rate = await _post(interaction, offer)
    # Next level, under a public board, goes on in the mode of that match, which is no choice.
    chosen = offer.start if is_private(interaction) else replace(offer.start, mode=None)
    await _remember(interaction, chosen)
    await ask_at_start(interaction)
    if panel is None or not is_private(interaction):  # a public message stays as it is
        return
    t = own_text(interaction)
    said = t("start_begun" if has_begun else "start_invited")
    try:
        view = begun_view(t, offer.start, said, rate=rate)
        if not await interaction.client.ui.presses.edit(panel.id, view=view):
            await interaction.followup.edit_message(panel.id, view=view)
    except DISCORD_ERRORS as error:
        log.info("panel not updated: %s", error)


async def _remember(interaction: Interaction, begun: Start) -> None:
    """Remember the choices of a match, without the replacements of those that are not available here."""
    known = interaction.client.services.settings.person(interaction.user.id).start
    if known is not None and known.game == begun.game:
        offered = (await _offer(interaction, known)).start
        names = (field.name for field in fields(Start))
        kept = {
            name: getattr(known, name) for name in names if getattr(offered, name) == getattr(begun, name)
        }
        begun = replace(begun, **kept)
    await remember_start(interaction, begun)


async def _post(interaction: Interaction, offer: PanelOffer) -> tuple[bool, int | None]:
    """Start the match or send the invitation; return whether it began, and a newcomer's casual match.

    Raises Refusal.
    """
    start = offer.start
    if start.against is not Against.BOT:
        friend = None if start.friend is None or start.against is Against.ANYONE else start.friend
        opponent = None if friend is None else await find_user(interaction, friend)
        invitation = await invite(interaction, opponent, start.terms)
        return invitation.match_id is not None, None
    if start.level is None:
        raise SetupError("start_no_levels", game=GAMES[start.game].title)
    match = await interaction.client.services.starting.start(
        person_of(interaction), start.terms, start.level, location_of(interaction),
        is_coached=start.mode is Mode.COACH,
    )  # fmt: skip
    await interaction.client.display.post(interaction, match)
    return True, match.id if offer.is_newcomer and start.played_mode is Mode.CASUAL else None
