"""What can be pressed in the panels of people and servers, as custom_ids say it."""

from __future__ import annotations

from bot.ui.routing import either, number, one_of, route

WISH = route("w", one_of(("theme", "size", "language", "calls", "listed")))
"""One wish of whoever presses it."""

DECISION = route("g", one_of(("language", "hour", "level", "closed", "threads")), family="settings")
"""One decision of a server among a few."""

CHANNELS = route("g", one_of(("play", "puzzle", "panel")), family="settings")
"""Channels where matches may be started, or the one of the daily puzzle, or of a message to play from."""

SWITCH = route("g", one_of(("share", "events")), either("on", "off"), family="settings")
"""What a server allows or wishes, or does not."""

ROLE = route("g", one_of(("role", "leader", "winner")), family="settings")
"""The role whose members may change the settings too, and those of champions."""

DELETION = route("x", number(20), either("yes", "no"))
"""Whose data, and whether they are deleted."""
