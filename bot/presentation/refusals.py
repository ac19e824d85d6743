"""Refusals in a person's language."""

from __future__ import annotations

from bot.domain.errors import Markup, Refusal
from bot.i18n import Text, UnknownText, plain_line
from bot.presentation import names
from engine.games import GAMES


def refusal_line(t: Text, refusal: Refusal) -> str | None:
    """Return the refusal's text; None where the catalogue lacks it, which is a bug of ours.

    An added game's reasons for an illegal move may be missing there: they get a general text.
    """
    params = {
        name: plain_line(value, 300) if isinstance(value, str) and not isinstance(value, Markup) else value
        for name, value in refusal.params.items()
    }
    if (game := str(refusal.params.get("game"))) in GAMES:
        params["game"] = names.game_title(t, game)
    if refusal.key.startswith("illegal_") and refusal.key not in t:
        return t("illegal_other", **params)
    try:
        return t(refusal.key, **params)
    except UnknownText:
        return None
