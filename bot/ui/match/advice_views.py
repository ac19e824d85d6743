"""Hints, the coach's advice, and the key moments of a coached match."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import discord
from discord import ui

from bot.domain.match import Match
from bot.i18n import Text
from bot.presentation import CLASSIC, Look, status
from bot.presentation.verdicts import move_words, opening_words, score_words, why_words
from bot.services.fairness import MAX_HINTS
from bot.services.reviews import Advice
from bot.ui.board import board_with_threats
from bot.ui.layout import box, lines
from bot.ui.match.routes import TAKE_BACK
from bot.ui.puzzle.routes import MOMENT
from engine.analysis.review import Reviewed
from engine.games import game as game_of
from engine.score import Evaluation


def hint_view(t: Text, match: Match, found: Evaluation, number: int, look: Look = CLASSIC) -> ui.LayoutView:
    """Return the proposed move, marked on the board and in words."""
    cell = None if found.best is None else game_of(match.game).cell_of(match.state, found.best)
    marks = replace(status.marks(match), hints=(), best=cell)
    title, *said = hint_lines(t, match, found, number)
    board = board_with_threats(t, match.game, match.state, marks, look)
    return box(lines(title), *board, lines(*said))


def hint_lines(t: Text, match: Match, found: Evaluation, number: int) -> tuple[str, ...]:
    if found.best is None:
        raise ValueError(f"match {match.id} has no move to hint at")
    move = opening_words(t, match.game, match.state, found.best)
    why = why_words(t, match.game, match.state, found.best)
    said = (
        f"### 💡 {t('hint_title', game=status.title(t, match), number=number, limit=MAX_HINTS)}",
        t("hint_move", move=move, why=why or t("why_quiet")),
    )
    if match.state.play(found.best).outcome() is not None:
        return said  # the move ends the match, so its score is plain
    return (*said, f"-# {t('hint_worth', worth=score_words(t, found.score))}")


def advice_view(t: Text, match: Match, advice: Advice) -> ui.LayoutView:
    """Return the loss by the move, the opponent's best reply, the better move, and a button to undo."""
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
        if (reply, reply_why) != (best, why):  # the same square for the same reason is named once
            said.append(t("coach_reply", move=reply, why=reply_why))
    said.append(t("coach_better_why", move=best, why=why) if why else t("coach_better", move=best))
    button: ui.Button[Any] = ui.Button(
        label=t("button_take_back"),
        style=discord.ButtonStyle.primary,
        custom_id=TAKE_BACK(match.id, advice.ply),
    )
    return box(lines(*said), ui.ActionRow(button))


def moments_view(t: Text, match: Match, moments: tuple[Reviewed, ...]) -> ui.LayoutView:
    """Return buttons to the key moments, at most three."""
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
