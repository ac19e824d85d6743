"""The coach of a casual match: tells the person alone what a bad move gave away, and takes it back."""

from __future__ import annotations

import logging
from typing import Any

import discord
from discord import ui

from bot.domain.errors import MatchError, Refusal
from bot.domain.match import Match
from bot.i18n import Text
from bot.presentation.verdicts import move_words, opening_words, score_words, why_words
from bot.services.reviews import Advice
from bot.ui.answers import promise
from bot.ui.client import Interaction
from bot.ui.context import own_text, person_of, seen_match
from bot.ui.discord_errors import DISCORD_ERRORS
from bot.ui.layout import Item, box, lines
from bot.ui.match.routes import MOMENT, MOMENTS, TAKE_BACK
from engine.analysis.review import Mark, Reviewed

log = logging.getLogger(__name__)


async def advise(interaction: Interaction, match: Match) -> None:
    """After the person's move in a coached match: a private line if it gave something away, else nothing.

    When the match is over, its key moments. Raises nothing: the move is made and shown.
    """
    try:
        advice = None if match.is_over else await _advice(interaction, match)
        latest = await interaction.client.services.matches.match(match.id)
        if latest.is_over:
            await _send(interaction, await _moments(interaction, latest))
        elif advice is not None:
            await _send(interaction, advice_view(own_text(interaction), match, advice))
    except (Refusal, *DISCORD_ERRORS) as error:
        log.info("match %d: the coach is silent: %s", match.id, error)
    except Exception:
        log.exception("match %d: the coach is silent", match.id)


async def take_back(interaction: Interaction, match_id: int, ply: int) -> None:
    """The move that the line is about, while it is still the person's last; raises Refusal."""
    client, person = interaction.client, person_of(interaction)
    match = await client.services.matches.match(match_id)
    if match.last_choice(match.player_of(person.user_id)) != ply:
        raise MatchError("coach_too_late")
    match = await client.services.matches.ask_undo(match_id, person, turn=match.turn)
    await interaction.response.edit_message(view=box(lines(own_text(interaction)("you_took_back"))))
    await client.display.show(match)
    client.services.matches.proceed(match)


async def show_moments(interaction: Interaction, match_id: int) -> None:
    """The button under a coached match that is over; raises Refusal."""
    match = await seen_match(interaction, match_id)
    match.player_of(interaction.user.id)
    await promise(interaction, is_private=True)
    await interaction.edit_original_response(view=await _moments(interaction, match))


def advice_view(t: Text, match: Match, advice: Advice) -> ui.LayoutView:
    """What was given away, what the other side can do now, what was better; and the way back."""
    judged, before, after = advice.judged, advice.before, advice.after
    said = [
        t(
            "coach_gave",
            move=opening_words(t, match.game, before, judged.move),
            before=score_words(t, judged.before),
            after=score_words(t, judged.after),
        )
    ]
    best = move_words(t, match.game, before, judged.best)
    why = why_words(t, match.game, before, judged.best, judged.move)
    if advice.reply is not None and (reply_why := why_words(t, match.game, after, advice.reply)):
        reply = move_words(t, match.game, after, advice.reply)
        if (reply, reply_why) != (best, why):  # the same square for the same reason is said once
            said.append(t("coach_reply", move=reply, why=reply_why))
    said.append(t("coach_better_why", move=best, why=why) if why else t("coach_better", move=best))
    button: ui.Button[Any] = ui.Button(
        label=t("button_take_back"),
        style=discord.ButtonStyle.primary,
        custom_id=TAKE_BACK(match.id, advice.ply),
    )
    return box(lines(*said), ui.ActionRow(button))


def moments_view(t: Text, match: Match, moments: tuple[Reviewed, ...]) -> ui.LayoutView:
    """Up to three moves to find again."""
    if not moments:
        return box(lines(t("moments_none")))
    buttons = [
        ui.Button[Any](
            label=t("button_moment", number=moment.ply + 1),
            emoji="🧩",
            custom_id=MOMENT(match.id, moment.ply),
        )
        for moment in moments
    ]
    return box(lines(t("moments_title", n=len(moments))), ui.ActionRow(*buttons))


def moments_button(t: Text, match: Match) -> Item:
    """Stands under a coached match that is over."""
    return ui.Button(label=t("button_moments"), emoji="🧩", custom_id=MOMENTS(match.id))


async def _advice(interaction: Interaction, match: Match) -> Advice | None:
    """What to say of the match's last move, the person's; None where it gave too little away."""
    advice = await interaction.client.services.reviews.advice(match)
    if advice is None or advice.judged.mark not in (Mark.MISTAKE, Mark.BLUNDER):
        return None
    asked = (advice.before, advice.after)
    await interaction.client.services.matches.check_fair(
        person_of(interaction), match.game, match.board, asked
    )
    return advice


async def _moments(interaction: Interaction, match: Match) -> ui.LayoutView:
    person = person_of(interaction)
    await interaction.client.services.matches.check_reviewed(match, person)
    moments = await interaction.client.services.puzzles.moments(match, person)
    return moments_view(own_text(interaction), match, moments)


async def _send(interaction: Interaction, view: ui.LayoutView) -> None:
    await interaction.followup.send(view=view, ephemeral=True)
