"""Routes of the menus and buttons of preferences, server settings and deletion."""

from __future__ import annotations

from bot.ui.routing import either, number, one_of, route

PREFERENCES = route("wo")
"""Opens the preferences of the person that presses it."""

WISH = route("w", one_of(("theme", "size", "language", "calls", "listed")))
"""One preference of the person that presses it."""

OVERVIEW, PLAY, DAILY, ORDER = "all", "play", "daily", "order"

GROUP = route("gg", one_of((OVERVIEW, PLAY, DAILY, ORDER)), family="settings")
"""Opens a group of a server's settings, or the list of the groups."""

DECISION = route(
    "g",
    one_of(("language", "hour", "zone", "level", "closed", "threads", "starters", "boards", "voters")),
    family="settings",
)
"""One setting of a server with a few options."""

CHANNELS = route("g", one_of(("play", "puzzle", "panel", "lobby")), family="settings")
"""The channels for matches, or the channel of the daily puzzle, of the Play message or of open tables."""

SWITCH = route("g", one_of(("share", "events", "predict")), either("on", "off"), family="settings")
"""One setting of a server that is on or off."""

ROLE = route("g", one_of(("role", "leader", "winner")), family="settings")
"""The role that may change the settings, or one of the champions' roles."""

MY_DATA = route("xd", either("export", "delete"))
"""The data of the person that presses it: its file, or the question before it is deleted."""

DELETION = route("x", number(19), either("yes", "no"))
"""The person whose data to delete, and whether they agree."""
