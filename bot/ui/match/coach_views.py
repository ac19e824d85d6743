"""The coach's advice on a move, and the key moments of a coached match."""

from __future__ import annotations

from typing import Any

import discord
from discord import ui

from bot.domain.match import Match
from bot.i18n import Text
from bot.presentation.verdicts import move_words, opening_words, score_words, why_words
from bot.services.reviews import Advice
from bot.ui.layout import box, lines
from bot.ui.match.routes import TAKE_BACK
from bot.ui.puzzle.routes import MOMENT
from engine.analysis.review import Reviewed


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
