"""Routes of reviews and replays, and the buttons that both share."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType
from typing import Any

from discord import ui

from bot.domain.match import Match
from bot.domain.panel_choices import Start, is_writable
from bot.i18n import Text
from bot.ui.panel.routes import PANEL, Press
from bot.ui.routing import FORM, ID, MOVE, Route, number, one_of, route
from engine.core import State

ARROWS = MappingProxyType({"first": "⏮️", "back": "◀️", "forward": "▶️", "last": "⏭️"})
KEY_MOMENTS = ("key1", "key2", "key3")

_SLOT = one_of((*ARROWS, *KEY_MOMENTS))
"""IdPart of the custom_id, since two buttons of a message may lead to the same ply."""

REVIEW = route("r", ID)
REPLAY = route("p", ID)
REVIEW_STEP = route("v", ID, _SLOT, MOVE)
"""Match, slot, ply to show."""

REPLAY_STEP = route("q", ID, _SLOT, MOVE)
PLAY_FROM = route("f", ID, MOVE)
"""Match, ply to play on from."""

IMPORT_FORM = route("if", family=FORM)
IMPORT_GAME = route("ig")
"""A menu of games that the person's file may be of."""

IMPORT_NUMBER = route("in", number(2, least=1))
"""A menu of the games in the person's file, its first one."""


def arrows(step: Route[[int, str, int]], match: Match, ply: int) -> Iterable[ui.Button[Any]]:
    """Return buttons to the first, previous, next and last ply; those to the shown ply are disabled."""
    last = len(match.timed_moves)
    plies = (0, max(0, ply - 1), min(last, ply + 1), last)
    for (slot, emoji), there in zip(ARROWS.items(), plies, strict=True):
        yield ui.Button(emoji=emoji, disabled=there == ply, custom_id=step(match.id, slot, there))


def play_level_button(t: Text, match: Match) -> Iterable[ui.Button[Any]]:
    """Return a button that opens the start panel with the level of the match, if a level played."""
    level = next((seat.level for seat in match.seats if seat.is_agent), None)
    if level is not None and is_writable(level) and not match.is_watched:
        custom_id = PANEL(Press.AGAIN, Start(match.game, level))
        yield ui.Button(label=t("button_play_level"), emoji="🎲", custom_id=custom_id)


def play_from_button(t: Text, match: Match, ply: int, state: State) -> ui.Button[Any]:
    """Return the button that starts a match from the state, which the match had at that ply.

    It is disabled at the end, and in a match from a position of its own.
    """
    is_disabled = not state.legal_moves() or match.is_set_up
    custom_id = PLAY_FROM(match.id, ply)
    return ui.Button(label=t("button_play_from"), emoji="♟️", disabled=is_disabled, custom_id=custom_id)
