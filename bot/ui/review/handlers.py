"""Handlers of reviews and replays of finished matches, and of "Play from here".

Answers are private. Buttons work after any restart: a review that is no longer in memory is searched again.
"""

from __future__ import annotations

import io
from functools import partial
from typing import Any

import discord
from discord import ui

from bot.domain.imported import is_imported
from bot.domain.match import Match
from bot.domain.training import blunders
from bot.i18n import Text
from bot.presentation.records import file_of
from bot.presentation.replay import draw_replay
from bot.services.command_costs import Cost
from bot.ui.answers import acknowledge, edit_pressed, respond
from bot.ui.board import pictures_of
from bot.ui.client import Interaction
from bot.ui.context import (
    check_channel,
    has_web,
    location_of,
    own_look,
    own_text,
    person_of,
    seen_match,
    spend,
)
from bot.ui.layout import box, lines
from bot.ui.match.routes import web_button
from bot.ui.puzzle.routes import train_button
from bot.ui.review.replay_views import (
    ANIMATION,
    animation_view,
    described_replay,
    shared_replay_view,
    step_view,
)
from bot.ui.review.routes import REPLAY, REVIEW, play_level_button
from bot.ui.review.views import ReviewMessage, opening_ply, review_message, shared_review_view
from bot.ui.sharing import Shared, What, share_buttons
from engine.analysis.review import Review
from engine.games import game as game_of


async def press_review(interaction: Interaction, match_id: int) -> None:
    await open_review(interaction, await seen_match(interaction, match_id))


async def open_review(interaction: Interaction, match: Match) -> None:
    """Answer with the match at its losing move; better values follow until the review is turned."""
    await interaction.client.services.allowed_help.check_reviewed(match, person_of(interaction))
    interaction.client.services.reviews.check_ready(match.game)
    spend(interaction, Cost.REVIEW)
    t = own_text(interaction)
    sent = await respond(interaction, box(lines(t("review_begins", n=len(match.timed_moves)))))
    ply = len(match.timed_moves)
    async for review in interaction.client.services.reviews.steps(match):
        if sent is not None and sent in interaction.client.ui.turned_reviews:
            continue
        if review.share == 1:
            ply = opening_ply(match, review)  # again after each proof, since proofs refute estimates
        message = await _review_message(interaction, match, review, t, ply)
        view = _with_sharing(interaction, message.view, What.REVIEW, match, review)
        await interaction.edit_original_response(view=view, attachments=message.files)


async def press_review_step(interaction: Interaction, match_id: int, _slot: str, ply: int) -> None:
    """Show the review at another ply on the pressed message."""
    match = await seen_match(interaction, match_id)
    await interaction.client.services.allowed_help.check_reviewed(match, person_of(interaction))
    spend(interaction, Cost.REVIEW_STEP)
    if interaction.message is not None:
        interaction.client.ui.turned_reviews[interaction.message.id] = True
    review = interaction.client.services.reviews.known(match.id)
    if review is None:
        await acknowledge(interaction)
        review = await interaction.client.services.reviews.whole(match)
    ply = min(ply, len(match.timed_moves))
    message = await _review_message(interaction, match, review, own_text(interaction), ply)
    view = _with_sharing(interaction, message.view, What.REVIEW, match, review)
    if interaction.response.is_done():
        await interaction.edit_original_response(view=view, attachments=message.files)
    else:
        await interaction.response.edit_message(view=view, attachments=message.files)


def _other_way_button(t: Text, what: What, match: Match) -> ui.Button[Any]:
    """Return the button from a review to the replay, and back."""
    if what is What.REVIEW:
        return ui.Button(label=t("button_replay"), emoji="🎞️", custom_id=REPLAY(match.id))
    return ui.Button(label=t("button_review"), emoji="🔍", custom_id=REVIEW(match.id))


def _with_sharing(
    interaction: Interaction, view: ui.LayoutView, what: What, match: Match, review: Review | None = None
) -> ui.LayoutView:
    """Add buttons that share the view, and the match on the web, where these are allowed.

    review: adds a button to train the person's blunders in it. All are in one row, so that a review fits on a
    screen.
    """
    container, own, t = view.children[0], match.players_of(interaction.user.id), own_text(interaction)
    is_shown_to_others = not is_imported(match.id)
    if is_shown_to_others:
        buttons = share_buttons(interaction, what, match.id)
    else:  # it has no board with these buttons
        buttons = [_other_way_button(t, what, match)]
    if own and review is not None and review.share == 1 and blunders(review, own) and not match.is_set_up:
        buttons.append(train_button(t, match.id))
    if own and is_shown_to_others and has_web(interaction, match):
        buttons.append(web_button(t, match))
    if buttons and isinstance(container, ui.Container):
        container.add_item(ui.ActionRow(*buttons))
    return view


async def share_review(interaction: Interaction, t: Text, match_id: int) -> Shared:
    match = await seen_match(interaction, match_id)
    await interaction.client.services.allowed_help.check_reviewed(match, person_of(interaction))
    spend(interaction, Cost.REVIEW)
    review = await interaction.client.services.reviews.whole(match)
    view = shared_review_view(match, review, t, opening_ply(match, review), own_look(interaction))
    button = _other_way_button(t, What.REPLAY, match)
    return Shared(view, tuple(await pictures_of(view)), (button, *play_level_button(t, match)))


async def _review_message(
    interaction: Interaction, match: Match, review: Review, t: Text, ply: int
) -> ReviewMessage:
    return await review_message(match, review, t, ply, own_look(interaction))


async def press_replay(interaction: Interaction, match_id: int) -> None:
    await open_replay(interaction, await seen_match(interaction, match_id))


async def open_replay(interaction: Interaction, match: Match) -> None:
    """Answer at once, and with the animation when it is drawn."""
    match.check_reviewable()
    spend(interaction, Cost.REPLAY)
    t = own_text(interaction)
    await respond(interaction, box(lines(t("replay_begins"))))
    view, files = await _replay_message(interaction, match, t)
    view = _with_sharing(interaction, view, What.REPLAY, match)
    await interaction.edit_original_response(view=view, attachments=files)


async def press_replay_step(interaction: Interaction, match_id: int, _slot: str, ply: int) -> None:
    """Show the board at that ply in place of the animation."""
    match = await seen_match(interaction, match_id)
    match.check_reviewable()
    view = step_view(match, own_text(interaction), min(ply, len(match.timed_moves)), own_look(interaction))
    await edit_pressed(interaction, _with_sharing(interaction, view, What.REPLAY, match))


async def share_replay(interaction: Interaction, t: Text, match_id: int) -> Shared:
    match = await seen_match(interaction, match_id)
    match.check_reviewable()
    spend(interaction, Cost.REPLAY)
    animation = await _animation(interaction, match, t)
    button = _other_way_button(t, What.REVIEW, match)
    view = shared_replay_view(match, t, animation, own_look(interaction))
    return Shared(view, (animation,), (button, *play_level_button(t, match)))


async def _animation(interaction: Interaction, match: Match, t: Text) -> discord.File:
    look, rules = own_look(interaction), game_of(match.game)
    gif = await interaction.client.ui.animations.get(
        (match.game, match.states[0], match.moves, look.theme),
        partial(draw_replay, rules, match.states[0], match.moves, look.theme),
    )
    return discord.File(io.BytesIO(gif), ANIMATION, description=described_replay(t, match))


async def _replay_message(
    interaction: Interaction, match: Match, t: Text
) -> tuple[ui.LayoutView, tuple[discord.File, ...]]:
    animation = await _animation(interaction, match, t)
    written = file_of(match)
    record = discord.File(io.BytesIO(written.text.encode()), written.name)
    return animation_view(match, t, animation, record, own_look(interaction)), (animation, record)


async def press_play_from(interaction: Interaction, match_id: int, ply: int) -> None:
    """Answer with the board of a casual match against an agent that starts from the position at that ply."""
    check_channel(interaction)
    match = await interaction.client.services.starting.play_from(
        await seen_match(interaction, match_id), ply, person_of(interaction), location_of(interaction)
    )
    await interaction.client.display.post(interaction, match)
