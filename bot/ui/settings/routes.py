"""Routes of the menus and buttons of preferences, server settings and deletion."""

from __future__ import annotations

from bot.ui.routing import either, number, one_of, route

PREFERENCES = route("wo")
"""Opens the preferences of the person that presses it."""

WISH = route("w", one_of(("theme", "size", "language", "calls", "listed")))
"""One preference of the person that presses it."""

DECISION = route("g", one_of(("language", "hour", "level", "closed", "threads")), family="settings")
"""One setting of a server with a few options."""

CHANNELS = route("g", one_of(("play", "puzzle", "panel")), family="settings")
"""The channels for matches, or the channel of the daily puzzle or of the Play message."""

SWITCH = route("g", one_of(("share", "events")), either("on", "off"), family="settings")
"""One setting of a server that is on or off."""

ROLE = route("g", one_of(("role", "leader", "winner")), family="settings")
"""The role that may change the settings, or one of the champions' roles."""

MY_DATA = route("xd", either("export", "delete"))
"""The data of the person that presses it: its file, or the question before it is deleted."""

DELETION = route("x", number(19), either("yes", "no"))
"""The person whose data to delete, and whether they agree."""
