"""Shares what a person sees alone: once in each channel, with the buttons that others may press."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import discord
from discord import ui

from bot.domain.errors import NotFound, Refusal, SetupError
from bot.domain.puzzle import Status
from bot.i18n import Text, plain
from bot.services.command_costs import Cost
from bot.ui.board import pictures_of
from bot.ui.client import Interaction
from bot.ui.context import location_text, own_look, person_of, seen_match, spend
from bot.ui.followups import follow_up
from bot.ui.layout import Item, lines
from bot.ui.match.challenge_form import somebody
from bot.ui.people.achievement_views import earned_view
from bot.ui.people.handlers import profile_message
from bot.ui.play_here import OPEN
from bot.ui.puzzle.course_views import result_view
from bot.ui.puzzle.routes import DAY
from bot.ui.puzzle.views import posed_view
from bot.ui.review.replay import replay_message
from bot.ui.review.routes import REPLAY, REVIEW
from bot.ui.review.views import drawn, opening_ply
from bot.ui.share_button import What, may_share


@dataclass(frozen=True, slots=True)
class Shared:
    """What is posted: a view of one container, its files, and what others may press below it."""

    view: ui.LayoutView
    files: tuple[discord.File, ...] = ()
    buttons: tuple[Item, ...] = ()


async def share(interaction: Interaction, what: What, subject: int) -> None:
    """Posts it in the channel; raises Refusal where that is not allowed or was done before."""
    if not may_share(interaction):
        raise SetupError("share_not_here")
    deed = (interaction.user.id, interaction.channel_id, what, subject)
    with interaction.client.ui.shares.attempt(deed) as is_first:
        if not is_first:
            raise SetupError("share_already")
        await interaction.response.defer()
        t = location_text(interaction)
        made = await _MAKERS[what](interaction, t, subject)
        name = plain(interaction.user.display_name)
        view = _for_all(made, t("shared_by", name=name))
        await follow_up(interaction, view=view, files=made.files)


def _for_all(made: Shared, said: str) -> ui.LayoutView:
    """The view without the buttons that serve its first reader alone."""
    container = made.view.children[0]
    if isinstance(container, ui.Container):
        for part in tuple(container.children):
            if isinstance(part, ui.ActionRow):
                container.remove_item(part)
        container.add_item(lines(f"-# {said}"))
        if made.buttons:
            container.add_item(ui.ActionRow(*made.buttons))
    return made.view


async def _review(interaction: Interaction, t: Text, match_id: int) -> Shared:
    match = await seen_match(interaction, match_id)
    await interaction.client.services.matches.check_reviewed(match, person_of(interaction))
    spend(interaction, Cost.REVIEW)
    review = await interaction.client.services.reviews.whole(match)
    ply = opening_ply(match, review)
    shown = await drawn(match, review, t, ply, interaction.user.id, own_look(interaction))
    return Shared(shown.view, tuple(shown.pictures), (_button(t("button_review"), "🔍", REVIEW(match.id)),))


async def _replay(interaction: Interaction, t: Text, match_id: int) -> Shared:
    match = await seen_match(interaction, match_id)
    match.check_reviewable()
    spend(interaction, Cost.REPLAY)
    view, files = await replay_message(interaction, match, t)
    return Shared(view, files, (_button(t("button_replay"), "🎞️", REPLAY(match.id)),))


async def _profile(interaction: Interaction, t: Text, user_id: int) -> Shared:
    spend(interaction, Cost.PROFILE)
    person = await somebody(interaction, user_id)
    view, picture = await profile_message(interaction, t, person, interaction.guild_id)
    return Shared(view, () if picture is None else (picture,))


async def _puzzle(interaction: Interaction, t: Text, attempt_id: int) -> Shared:
    attempt = await interaction.client.services.puzzles.attempt(attempt_id)
    attempt.check_owner(interaction.user.id)
    if attempt.status is not Status.SOLVED:
        raise Refusal("puzzle_moved_on")
    view = posed_view(attempt, t, own_look(interaction))
    files = tuple(await pictures_of(view))
    day = attempt.day
    buttons = () if day is None else (_button(t("button_puzzle_solve"), "🧩", DAY(day)),)
    return Shared(view, files, buttons)


async def _course(interaction: Interaction, t: Text, course_id: int) -> Shared:
    found = await interaction.client.services.courses.course(course_id)
    found.check_owner(interaction.user.id)
    if not found.is_over:
        raise Refusal("puzzle_moved_on")
    return Shared(result_view(found, t))


async def _awards(interaction: Interaction, t: Text, user_id: int) -> Shared:
    if user_id != interaction.user.id:
        raise NotFound("share_not_yours")
    spend(interaction, Cost.ACHIEVEMENTS)
    found = await interaction.client.services.achievements.of(user_id)
    view = earned_view(found, t, interaction.user.display_name)
    return Shared(view, (), (_button(t("button_play"), None, OPEN()),))


def _button(label: str, emoji: str | None, custom_id: str) -> ui.Button[Any]:
    return ui.Button(label=label, emoji=emoji, custom_id=custom_id)


_MAKERS: dict[What, Callable[[Interaction, Text, int], Awaitable[Shared]]] = {
    What.REVIEW: _review,
    What.REPLAY: _replay,
    What.PROFILE: _profile,
    What.PUZZLE: _puzzle,
    What.COURSE: _course,
    What.AWARDS: _awards,
}
