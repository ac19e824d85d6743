"""A finished match played again: an animation, the moves, their code, a text file, and buttons to step."""

from __future__ import annotations

import io
from functools import partial

import discord
from discord import ui

from bot.domain.match import Match
from bot.i18n import Text, shortened
from bot.presentation import CLASSIC, Look, marks_of, status
from bot.presentation.replay import draw_replay
from bot.services.command_costs import Cost
from bot.ui.answers import edit_pressed, respond
from bot.ui.board import board_part
from bot.ui.client import Interaction
from bot.ui.context import own_look, own_text, seen_match, spend
from bot.ui.layout import box, gallery, lines
from bot.ui.review.play_from import button_from
from bot.ui.review.routes import REPLAY_STEP, arrows
from bot.ui.share_button import What, with_sharing
from engine.core import State, replay, states_of
from engine.games import game as game_of
from engine.games.notation import format_moves

ANIMATION = "match.gif"
MOST_CODE = 300


async def press_replay(interaction: Interaction, match_id: int) -> None:
    """The button under a finished match."""
    await open_replay(interaction, await seen_match(interaction, match_id))


async def press_step(interaction: Interaction, match_id: int, _slot: str, ply: int) -> None:
    """Shows the match after so many moves, in place of the animation."""
    match = await seen_match(interaction, match_id)
    match.check_reviewable()
    view = step_view(match, own_text(interaction), min(ply, len(match.turns)), own_look(interaction))
    view = with_sharing(interaction, view, What.REPLAY, match.id)
    await edit_pressed(interaction, view)


async def open_replay(interaction: Interaction, match: Match) -> None:
    """Answers privately, with the animation as soon as it is drawn."""
    match.check_reviewable()
    spend(interaction, Cost.REPLAY)
    t = own_text(interaction)
    await respond(interaction, box(lines(t("replay_begins"))))
    view, files = await replay_message(interaction, match, t)
    view = with_sharing(interaction, view, What.REPLAY, match.id)
    await interaction.edit_original_response(view=view, attachments=list(files))


async def replay_message(
    interaction: Interaction, match: Match, t: Text
) -> tuple[ui.LayoutView, tuple[discord.File, ...]]:
    """The animation in this person's look, with its files."""
    look = own_look(interaction)
    rules = game_of(match.game)
    gif = await interaction.client.ui.animations.get(
        (match.game, match.board, match.moves, look.theme),
        partial(draw_replay, rules, rules.start(match.board), match.moves, look.theme),
    )
    animation = discord.File(io.BytesIO(gif), ANIMATION, description=_described(t, match))
    record = discord.File(io.BytesIO(exported(match).encode()), f"match-{match.id}.txt")
    return animation_view(match, t, animation, record, look), (animation, record)


def animation_view(
    match: Match, t: Text, animation: discord.File, record: discord.File, look: Look = CLASSIC
) -> ui.LayoutView:
    code = format_moves(game_of(match.game), match.board, match.moves)
    return box(
        lines(f"### {t('replay_title', game=status.title(t, match))}", status.result(t, match, look)),
        gallery(animation),
        lines(t("replay_moves", n=len(match.turns)), f"`{shortened(code, MOST_CODE)}`"),
        ui.File(record),
        ui.ActionRow(*arrows(REPLAY_STEP, match, len(match.turns))),
    )


def step_view(match: Match, t: Text, ply: int, look: Look = CLASSIC) -> ui.LayoutView:
    """The board after so many moves, as text; from there one may play on."""
    rules = game_of(match.game)
    start, moves = rules.start(match.board), match.moves[:ply]
    state = replay(start, moves)
    return box(
        lines(f"### {t('replay_title', game=status.title(t, match))}"),
        board_part(t, match.game, state, marks_of(rules, start, moves), look),
        lines(_step_line(t, match, ply, look)),
        ui.ActionRow(*arrows(REPLAY_STEP, match, ply)),
        ui.ActionRow(button_from(t, match, ply, state)),
    )


def _step_line(t: Text, match: Match, ply: int, look: Look) -> str:
    if ply == 0:
        return t("replay_start")
    rules = game_of(match.game)
    before: State = replay(rules.start(match.board), match.moves[: ply - 1])
    return t(
        "replay_move",
        number=ply,
        n=len(match.turns),
        disc=status.disc_of(match, before.to_move, look),
        name=status.name_of(match, before.to_move),
        move=rules.move_name(before, match.moves[ply - 1]),
    )


def exported(match: Match) -> str:
    """The match as a text file: who, when, how it ended, the code, and every move on a line."""
    rules = game_of(match.game)
    result = match.result
    ended = "running" if result is None else result.end.value.replace("_", " ")
    winner = None if result is None else result.winner
    head = (
        f"{rules.title} {match.board}",
        f"Date: {match.created_at:%Y-%m-%d}",
        *(f"{side}: {seat.name}" for side, seat in zip(("First", "Second"), match.seats, strict=True)),
        f"Result: {'nobody' if winner is None else match.seats[winner].name} won ({ended})",
        f"Moves: {format_moves(rules, match.board, match.moves)}",
        "",
    )
    states = states_of(rules.start(match.board), match.moves)
    body = (
        f"{number}. {match.seats[state.to_move].name}: {rules.move_name(state, turn.move)}"
        for number, (state, turn) in enumerate(zip(states, match.turns, strict=False), start=1)
    )
    return "\n".join((*head, *body)) + "\n"


def _described(t: Text, match: Match) -> str:
    """The animation for those who do not see it."""
    return t(
        "replay_described",
        first=match.seats[0].name,
        second=match.seats[1].name,
        code=shortened(format_moves(game_of(match.game), match.board, match.moves), MOST_CODE),
    )
