"""The messages of a replay: the animation with the moves as text and file, and the board at any ply."""

from __future__ import annotations

import discord
from discord import ui

from bot.domain.match import Match
from bot.i18n import Text, shortened
from bot.presentation import CLASSIC, Look, marks_of, status
from bot.presentation.verdicts import move_words
from bot.ui.board import board_part
from bot.ui.layout import box, gallery, lines
from bot.ui.review.routes import REPLAY_STEP, arrows, play_from_button
from engine.games import game as game_of
from engine.games import spec_of
from engine.games.notation import format_of

ANIMATION = "match.gif"
MOST_CODE = 300


def animation_view(
    match: Match, t: Text, animation: discord.File, record: discord.File, look: Look = CLASSIC
) -> ui.LayoutView:
    code = format_of(spec_of(match.game), match.states[0], match.moves)
    return box(
        lines(f"### {t('replay_title', game=status.title(t, match))}", status.result(t, match, look)),
        gallery(animation),
        lines(t("replay_moves", n=len(match.timed_moves)), f"`{shortened(code, MOST_CODE)}`"),
        ui.File(record),
        ui.ActionRow(*arrows(REPLAY_STEP, match, len(match.timed_moves))),
    )


def shared_replay_view(match: Match, t: Text, animation: discord.File, look: Look = CLASSIC) -> ui.LayoutView:
    """Return the match for other people: its players, its result and its moves as an animation."""
    return box(
        lines(f"### {status.pairing(t, match)}", status.result(t, match, look)),
        gallery(animation),
    )


def step_view(match: Match, t: Text, ply: int, look: Look = CLASSIC) -> ui.LayoutView:
    """Return the board at that ply, with a button to play on from there."""
    rules, state = game_of(match.game), match.states[ply]
    return box(
        lines(f"### {t('replay_title', game=status.title(t, match))}"),
        board_part(t, match.game, state, marks_of(rules, match.states[0], match.moves[:ply]), look),
        lines(_step_line(t, match, ply, look)),
        ui.ActionRow(*arrows(REPLAY_STEP, match, ply)),
        ui.ActionRow(play_from_button(t, match, ply, state)),
    )


def _step_line(t: Text, match: Match, ply: int, look: Look) -> str:
    if ply == 0:
        return t("replay_start")
    before = match.states[ply - 1]
    return t(
        "replay_move",
        number=ply,
        n=len(match.timed_moves),
        disc=status.disc_of(match, before.to_move, look),
        name=status.name_of(match, before.to_move),
        move=move_words(t, match.game, before, match.moves[ply - 1]),
    )


def described_replay(t: Text, match: Match) -> str:
    """Return the alternative text of the animation."""
    return t(
        "replay_described",
        first=match.seats[0].name,
        second=match.seats[1].name,
        code=shortened(format_of(spec_of(match.game), match.states[0], match.moves), MOST_CODE),
    )
