"""What opens a look back at a finished match and steps through it, as custom_ids say it."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any

from discord import ui

from bot.domain.match import Match
from bot.ui.routing import ID, MOVE, Route, one_of, route

ARROWS = MappingProxyType({"first": "⏮️", "back": "◀️", "forward": "▶️", "last": "⏭️"})
WORST, OTHERS_WORST = "worst", "others"

_SLOT = one_of((*ARROWS, WORST, OTHERS_WORST))
"""Two buttons of a message may lead to the same ply, but no two may have one custom_id."""

REVIEW = route("r", ID)
REPLAY = route("p", ID)
REVIEW_STEP = route("v", ID, _SLOT, MOVE)
"""Match, slot, ply to show."""

REPLAY_STEP = route("q", ID, _SLOT, MOVE)
PLAY_FROM = route("f", ID, MOVE)
"""Match, ply to play on from."""


def arrows(step: Route[[int, str, int]], match: Match, ply: int) -> Iterable[ui.Button[Any]]:
    """To the beginning, a move back, a move on, to the end; what is shown already is disabled."""
    last = len(match.turns)
    plies = (0, max(0, ply - 1), min(last, ply + 1), last)
    for (slot, emoji), there in zip(ARROWS.items(), plies, strict=True):
        yield ui.Button(emoji=emoji, disabled=there == ply, custom_id=step(match.id, slot, there))
