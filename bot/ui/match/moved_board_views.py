"""The text in place of a board that has moved to a newer message."""

from __future__ import annotations

from discord import ui

from bot.domain.match import Match
from bot.i18n import Text
from bot.presentation import status
from bot.ui.layout import box, lines, linked


def moved_view(match: Match, t: Text) -> ui.LayoutView:
    """Return what replaces a board once the match has a newer message."""
    line = t("board_moved", game=status.title(t, match))
    return box(lines(linked(t, line, match.location)))
