"""Handlers of the start panel, help and rules."""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence
from dataclasses import fields, replace
from enum import StrEnum
from functools import partial
from typing import TypeVar

import discord
from discord import ui

from bot.domain.errors import HelpBarred, MatchError, Refusal, SetupError
from bot.domain.look import Size
from bot.domain.match import Match
from bot.domain.panel_choices import BY_CHANNEL, Against, Mode, Start
from bot.domain.rating import Stakes
from bot.domain.seat import Seat
from bot.domain.terms import Fair, First
from bot.domain.vote import Voters
from bot.presentation.examples import example
from bot.presentation.picture import draw_picture
from bot.presentation.refusals import refusal_line
from bot.services.checked_terms import checked_game
from bot.ui.answers import respond
from bot.ui.client import Interaction
from bot.ui.context import (
    check_channel,
    check_may_start,
    find_user,
    is_private,
    is_reachable,
    location_of,
    location_text,
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
    ALL_LEVELS,
    PanelOffer,
    begun_view,
    clocks_of,
    levels_view,
    more_choices_view,
    newcomer_told_view,
    newcomer_view,
    offer_of,
    panel_view,
    with_game,
)
from bot.ui.play_here import COMMANDS
from bot.ui.rate_question import ask_at_start
from bot.ui.routing import choice, chosen
from engine.games import GAMES, USUAL

log = logging.getLogger(__name__)

E = TypeVar("E", bound=StrEnum)

_ON_SECOND_PAGE = (
    Press.MORE,
    Press.RATED,
    Press.PICK_FIRST,
    Press.PICK_FAIR,
    Press.PICK_CLOCK,
    Press.PICK_RIVAL,
)
"""The controls that show the second page."""


async def open_panel(interaction: Interaction) -> None:
    """Answer with a private panel, with the person's last choices; raises SetupError."""
    check_channel(interaction)
    offer = await _offer(interaction, default_start(interaction))
    await _answer(interaction, panel_view(own_text(interaction), offer, own_look(interaction)))


async def show_help(interaction: Interaction) -> None:
    """Answer with the help, and a panel below it in channels for matches."""
    t, latency = own_text(interaction), interaction.client.latency
    try:
        check_channel(interaction)
    except SetupError:
        await respond(interaction, help_view(t, None, latency))
        return
    offer = await _offer(interaction, default_start(interaction))
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
    if pressed is Press.PICK_OPPONENT and choice(interaction) == ALL_LEVELS:
        page = levels_view
    view = page(t, offer, look)
    # The panel stands within the help as well, which an edit must not replace.
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
    """Make a newcomer's first match rated, or say why it stays casual for good; raises Refusal."""
    services, t = interaction.client.services, own_text(interaction)
    try:
        await services.playing.make_rated(match_id, person_of(interaction))
    except MatchError as refusal:
        # A later press may succeed once another match is over, or now; and of two presses at once, one did.
        if isinstance(refusal, HelpBarred) or refusal.key in ("busy", "rated_already"):
            raise
        said = refusal_line(t, refusal)
    else:
        said = t("rated_now")
        start = services.settings.person(interaction.user.id).start
        if start is not None:
            await remember_start(interaction, replace(start, mode=Mode.RATED))
    await interaction.response.edit_message(view=newcomer_told_view(t, said))


async def enlarge_boards(interaction: Interaction) -> None:
    """Make the person's boards pictures from the next move on."""
    settings = interaction.client.services.settings
    wishes = settings.person(interaction.user.id)
    await settings.prefer(interaction.user.id, replace(wishes, size=Size.LARGE))
    await respond(interaction, box(lines(own_text(interaction)("large_now"))))


async def tell_newcomer(interaction: Interaction, match: Match) -> None:
    """Say below the first board that boards can be larger, and that a casual match may be rated."""
    view = newcomer_view(own_text(interaction), match)
    try:
        await interaction.followup.send(view=view, ephemeral=True)
    except DISCORD_ERRORS as error:
        log.info("match %d: newcomer not told of larger boards: %s", match.id, error)


def _chosen(interaction: Interaction, pressed: Press, start: Start) -> Start:
    """Return the choices with the value of a menu; those of a button are in its custom_id."""
    if pressed is Press.PICK_GAME:
        return with_game(start, choice(interaction))
    # Three menus of opponents: no two of them are shown at once.
    if pressed in (Press.PICK_OPPONENT, Press.PICK_LEVEL, Press.PICK_ALGORITHM):
        return _with_opponent(start, choice(interaction))
    if pressed is Press.PICK_FRIEND:
        return _with_friend(start, chosen(interaction))
    if pressed is Press.PICK_FIRST:
        return replace(start, first=_one_of(First, choice(interaction)))
    if pressed is Press.PICK_FAIR:
        return replace(start, fair=_one_of(Fair, choice(interaction)))
    if pressed is Press.PICK_CLOCK:
        return replace(start, clock=_clock_of(choice(interaction), start.against))
    if pressed is Press.PICK_RIVAL:
        value = choice(interaction)
        if value == Against.HALVES:
            return replace(start, against=Against.HALVES)
        return replace(start, against=Against.CHANNEL, level=value)
    return start


def _with_opponent(start: Start, value: str) -> Start:
    """Return the choices with that bot, or with a seat for anyone; the way to all levels changes nothing."""
    if value == ALL_LEVELS:
        return start
    if value == Against.ANYONE:
        return replace(start, against=Against.ANYONE, friend=None)
    if value == Against.CHANNEL:
        return replace(start, against=Against.CHANNEL, friend=None, clock=None)
    return replace(start, against=Against.BOT, friend=None, level=value)


def _with_friend(start: Start, values: Sequence[str]) -> Start:
    """Return the choices with that person, or with the bot if nobody is chosen any more."""
    (value,) = values[:1] or ("",)
    if value.isdecimal() and len(value) <= 20:
        return replace(start, against=Against.FRIEND, friend=int(value))
    return replace(start, against=Against.BOT, friend=None)


def _one_of(kind: type[E], value: str) -> E:
    """Return the value that a menu offered; raises SetupError for another one."""
    try:
        return kind(value)
    except ValueError:
        raise SetupError("unknown_choice", choice=value) from None


def _clock_of(value: str, against: Against) -> int:
    """Return the clock; raises SetupError for one that is not offered."""
    clock = next((number for number in clocks_of(against) if str(number) == value), None)
    if clock is None:
        raise SetupError("bad_clock")
    return clock


async def _offer(interaction: Interaction, start: Start) -> PanelOffer:
    services, game = interaction.client.services, start.game if start.game in GAMES else USUAL
    offer = offer_of(
        replace(start, game=game, mode=start.mode or chosen_mode(interaction)),
        services.roster,
        services.levels.of(interaction.guild_id, game, GAMES[game].boards[0]),
        has_algorithms=not services.levels.are_limited(interaction.guild_id),
        is_newcomer=await is_newcomer(interaction),
        has_others=not interaction.context.dm_channel,
        has_votes=_has_votes(interaction),
    )
    return replace(offer, rated=await _rated(interaction, offer), barred=await _barred(interaction, offer))


def _has_votes(interaction: Interaction) -> bool:
    """Return whether the channel may play by votes: its board must be edited when a vote ends."""
    if interaction.guild_id is None or not is_reachable(interaction):
        return False
    return interaction.client.services.settings.server(interaction.guild_id).voters is not Voters.NOBODY


async def _barred(interaction: Interaction, offer: PanelOffer) -> Refusal | None:
    """Return why Start would be refused while a rated match against a bot runs; None where it would not."""
    if offer.start.against in (Against.FRIEND, Against.ANYONE):
        return None
    try:
        await interaction.client.services.allowed_help.check_game(person_of(interaction), offer.start.game)
    except HelpBarred as refusal:
        return refusal
    return None


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
    if start.against in BY_CHANNEL and offer.start.against not in BY_CHANNEL:
        raise SetupError("votes_off")
    if offer.start.against in (Against.BOT, Against.CHANNEL):
        # The level as pressed: in the offer another one may have replaced it, which nobody chose.
        levels = interaction.client.services.levels
        levels.check(interaction.guild_id, offer.start.game, (start.level,))
    panel = interaction.message
    # Everybody in a channel may press Again under its match.
    person = 0 if start.against in BY_CHANNEL else interaction.user.id
    attempt = ("start", person, None if panel is None else panel.id)
    # Of one panel only: a person may start two matches at the same time from two panels.
    with interaction.client.ui.starts.attempt(attempt) as is_first:
        if not is_first:
            raise SetupError("start_already")
        has_begun, first = await _post(interaction, offer)
    # The next strength, under a public board, goes on in the mode of that match, which is no choice.
    chosen = offer.start if is_private(interaction) else replace(offer.start, mode=None)
    await _remember(interaction, chosen)
    if first is not None:
        await tell_newcomer(interaction, first)
    await ask_at_start(interaction)
    if panel is None or not is_private(interaction):  # a public message stays as it is
        return
    t = own_text(interaction)
    said = t("start_begun" if has_begun else "start_invited")
    try:
        view = begun_view(t, offer.start, said)
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


async def _post(interaction: Interaction, offer: PanelOffer) -> tuple[bool, Match | None]:
    """Start the match or send the invitation; return whether it began, and a newcomer's first match.

    Raises Refusal.
    """
    start = offer.start
    if start.against in BY_CHANNEL:
        return await _begin_votes(interaction, start)
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
    return True, match if offer.is_newcomer else None


async def _begin_votes(interaction: Interaction, start: Start) -> tuple[bool, None]:
    """Start a match in which the channel votes; raises Refusal."""
    check_may_start(interaction)
    if start.against is Against.HALVES:
        t, level = location_text(interaction), None
        seats = [t("vote_first_half"), t("vote_second_half")]
    else:
        level = start.level or ""
        seats = [f"#{getattr(interaction.channel, 'name', interaction.channel_id)}"]
    match = await interaction.client.services.starting.vote(
        person_of(interaction), start.terms, level, location_of(interaction), seats
    )
    await interaction.client.display.post(interaction, match)
    return True, None
