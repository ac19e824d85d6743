"""The coach's advice on a move, and the key moments of a coached match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from bot.domain.match import Match
from bot.i18n import Text
from bot.presentation import status
from bot.presentation.verdicts import move_words, opening_words, why_words
from bot.services.reviews import Advice
from bot.ui.layout import box, lines
from bot.ui.match.routes import TAKE_BACK
from bot.ui.puzzle.routes import MOMENT
from engine.analysis.review import Reviewed


def advice_lines(t: Text, match: Match, advice: Advice) -> tuple[str, ...]:
    """Return what the move has cost, the opponent's best reply, and the better move."""
    judged, before, after = advice.judged, advice.before, advice.after
    said = [t(_verdict(judged), move=opening_words(t, match.game, before, judged.move))]
    best = move_words(t, match.game, before, judged.best)
    why = why_words(t, match.game, before, judged.best, judged.move)
    if advice.reply is not None and (reply_why := why_words(t, match.game, after, advice.reply)):
        reply = move_words(t, match.game, after, advice.reply)
        said.append(t("coach_reply", name=status.name_of(match, after.to_move), move=reply, why=reply_why))
        if reply == best:
            return (*said, t("coach_yourself", move=best))
    said.append(t("coach_better_why", move=best, why=why) if why else t("coach_better", move=best))
    return tuple(said)


def advice_view(t: Text, match: Match, said: Sequence[str], ply: int) -> ui.LayoutView:
    """Return the advice about the move of that ply, with a button to take it back."""
    button: ui.Button[Any] = ui.Button(
        label=t("button_take_back"),
        style=discord.ButtonStyle.primary,
        custom_id=TAKE_BACK(match.id, ply),
    )
    return box(lines(*said), ui.ActionRow(button))


def _verdict(judged: Reviewed) -> str:
    was_won, now = judged.before.result == 1, judged.after.result
    if now == -1:
        return "coach_won_lost" if was_won else "coach_loses"
    return "coach_won_drawn" if was_won and now == 0 else "coach_worse"


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
