"""During a match: /move, and /match with the board, undo, draw, resignation and the list of matches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from types import MappingProxyType

import discord
from discord import app_commands, ui

from bot.commands.match_options import MATCH, MOVE, asked_match, move_of, running_match, watched_match
from bot.commands.options import Command, Option, check_known, choices, command
from bot.domain.errors import Markup, MatchError, NotFound
from bot.domain.location import Web
from bot.domain.match import Match
from bot.domain.reminder import ReminderKind
from bot.presentation import status
from bot.ui.answers import respond
from bot.ui.client import Interaction
from bot.ui.command_queue import IN_PUBLIC
from bot.ui.context import check_channel, own_look, own_text, person_of
from bot.ui.layout import as_many, box, lines, linked
from bot.ui.match import handlers as actions
from bot.ui.match.mirror_handlers import show_again, show_also
from bot.ui.match.moderation import end_match_on
from bot.ui.match.moderation_views import bring_back_rows
from bot.ui.match.routes import Action
from bot.ui.match.turn_reminders import lasts_days
from bot.ui.reminders import remind_button
from bot.ui.shown import Shown
from bot.ui.translator import say
from engine.core import Player
from engine.games import game as game_of

Answers = Mapping[str, tuple[Action, str]]

DRAW_ANSWERS: Answers = MappingProxyType(
    {
        "offer": (Action.DRAW, "you_draw_offer"),
        "accept": (Action.DRAW_YES, "you_draw_accept"),
        "decline": (Action.DRAW_NO, "you_draw_decline"),
    }
)
UNDO_ANSWERS: Answers = MappingProxyType(
    {
        "ask": (Action.UNDO, "you_undo_ask"),
        "accept": (Action.UNDO_YES, "you_undo_accept"),
        "decline": (Action.UNDO_NO, "you_undo_decline"),
    }
)

NOTHING_ASKED = frozenset({"no_draw_offer", "no_undo_request"})
"""Refusals of an answer that say that there is nothing to answer."""

matches = app_commands.Group(name="match", description=say("command_match"))


@command("move", MOVE, MATCH)
async def move(interaction: Interaction, to: str, match: str | None = None) -> None:
    meant = await running_match(interaction, match, is_to_move=True)
    wanted = move_of(meant, interaction.user.id, to)
    played = await interaction.client.services.playing.play(
        meant.id, person_of(interaction), wanted, turn=meant.turn
    )
    name = game_of(meant.game).move_name(meant.state, wanted)
    await interaction.client.display.answer_privately(
        interaction, played, lambda _shown: own_text(interaction)("you_played", move=name)
    )
    if played.is_coached:
        await interaction.client.coach.advise(interaction, played)


@command("board", MATCH, Option("watch", "option_watch"), group=matches, extras=IN_PUBLIC)
async def board(interaction: Interaction, match: str | None = None, watch: bool = False) -> None:
    if watch:
        await show_also(interaction, await watched_match(interaction, match), interaction.channel)
        return
    meant = await _shown_match(interaction, match)
    if isinstance(meant.location, Web):
        check_channel(interaction)
    elif meant.has_lost_channel:
        check_channel(interaction)
        if meant.location.guild_id != interaction.guild_id:
            raise MatchError("channel_gone")
    elif meant.location.channel_id != interaction.channel_id:
        await show_again(interaction, meant)
        return
    await interaction.client.display.post(interaction, meant)


async def _shown_match(interaction: Interaction, text: str | None) -> Match:
    """Return the person's match as `running_match`, or else the one in which this channel votes."""
    try:
        return await running_match(interaction, text)
    except NotFound:
        if text is None:
            for match in await interaction.client.services.matches.running_in(interaction.channel_id or 0):
                if match.is_voted:
                    return match
        raise


@command("resign", MATCH, group=matches)
async def resign(interaction: Interaction, match: str | None = None) -> None:
    await interaction.client.display.ask_to_resign(interaction, await running_match(interaction, match))


@command("draw", Option("answer", "option_draw", choices("choice_draw", DRAW_ANSWERS)), MATCH, group=matches)
async def draw(interaction: Interaction, answer: str = "offer", match: str | None = None) -> None:
    await _answer(interaction, DRAW_ANSWERS, answer, match, attrgetter("draw_offer"))


@command("undo", Option("answer", "option_undo", choices("choice_undo", UNDO_ANSWERS)), MATCH, group=matches)
async def undo(interaction: Interaction, answer: str = "ask", match: str | None = None) -> None:
    await _answer(interaction, UNDO_ANSWERS, answer, match, attrgetter("undo_request"))


async def _answer(
    interaction: Interaction,
    answers: Answers,
    answer: str,
    match: str | None,
    asker_of: Callable[[Match], Player | None],
) -> None:
    check_known(answer, answers)
    t, (action, key) = own_text(interaction), answers[answer]
    if answer in ("offer", "ask"):
        meant = await running_match(interaction, match)
    else:
        meant = await asked_match(interaction, match, asker_of)
    try:
        changed = await actions.change(interaction, meant.id, action)
    except MatchError as refusal:
        # The person may have meant another match than the one that was looked at.
        if refusal.key not in NOTHING_ASKED:
            raise
        name = status.summary(t, meant, interaction.user.id)
        raise MatchError(f"{refusal.key}_of_match", match=Markup(name)) from None

    def line(shown: Shown) -> str:
        if changed.is_over:
            return status.result(t, changed, own_look(interaction))
        if changed.turn != meant.turn:
            return status.taken_back(t, meant, changed)
        return shown.line(t, key) if answer in ("offer", "ask") else t(key)

    await interaction.client.display.answer_privately(interaction, changed, line)


@command("list", group=matches)
async def list_all(interaction: Interaction) -> None:
    t = own_text(interaction)
    services = interaction.client.services
    found = await services.matches.called_in(
        interaction.guild_id, *await services.matches.running(interaction.user.id)
    )
    if not found:
        await respond(interaction, box(lines(t("games_none"))))
        return
    user_id, left = interaction.user.id, await services.matches.left_servers(found)
    # A page asks its readers to be signed in, so that its address may be told.
    pages = {
        match.id: f"{services.web.url}/m/{(await services.web.page_of_players(match.id)).key}"
        for match in found
        if isinstance(match.location, Web) and services.web.url is not None
    }

    def summary_of(match: Match) -> str:
        line = status.summary(t, match, user_id)
        if match.has_lost_board:
            return f"{line} · {t('games_board_gone')}"
        if match.location.guild_id in left:
            return f"{line} · {t('games_server_gone')}"
        if match.id in pages:
            return t("linked", text=line, address=pages[match.id])
        line = linked(t, line, interaction.client.display.mirrors.board_of(match, user_id))
        if not match.has_lost_channel:
            return line
        return f"{line} · {t('games_channel_gone' if match.clock_stands else 'games_channel_gone_clock')}"

    # Matches that wait for the person come first: a message may have no room for all.
    waiting = [match for match in found if match.awaits(user_id)]
    others = [match for match in found if match not in waiting]
    entries = [
        *(t("games_your_turn", number=match.id, summary=summary_of(match)) for match in waiting),
        *(t("games_their_turn", number=match.id, summary=summary_of(match)) for match in others),
    ]
    title = t("games_title", n=len(found))
    text = as_many([title, *entries], lambda n: t("and_more", n=n))
    parts = [text, *bring_back_rows(t, found, user_id)]
    if any(map(lasts_days, found)):
        is_reminded = await services.reminders.of(user_id, ReminderKind.TURNS) is not None
        parts.append(ui.ActionRow(remind_button(t, ReminderKind.TURNS, is_on=not is_reminded)))
    await respond(interaction, box(*parts))


# Discord offers it to people who manage messages; those who manage the server alone find it under More….
@app_commands.allowed_contexts(guilds=True, dms=False, private_channels=False)
@app_commands.allowed_installs(guilds=True, users=False)
@app_commands.default_permissions(manage_messages=True)
@app_commands.context_menu(name=say("menu_end_match"))
async def end_match(interaction: Interaction, message: discord.Message) -> None:
    await end_match_on(interaction, message.id)


COMMANDS: tuple[Command, ...] = (move, matches, end_match)
