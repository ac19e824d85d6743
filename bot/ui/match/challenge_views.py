"""The form of the menu entry "Challenge", with the options of /challenge.

Its custom_id names the opponent, so that it works after a restart and for several people at once.
"""

from __future__ import annotations

from typing import Any

import discord
from discord import ui

from bot.domain.terms import Fair, First
from bot.i18n import Text, shortened
from bot.presentation import names
from bot.presentation.board_choices import board_choices
from bot.services.checked_terms import CLOCKS, RATED_CLOCK
from bot.ui.context import named
from bot.ui.layout import MOST_OPTIONS, options_of, worded_options
from bot.ui.match.routes import CHALLENGE_FORM, FORM_BOARD, FORM_CLOCK, FORM_FIRST, FORM_START

MAX_TITLE = 45
"""Discord's limit for the title of a form."""


def challenge_form(opponent: discord.User | discord.Member, t: Text) -> ui.Modal:
    """Return the form. It is stopped, so that discord.py keeps no copy and only its custom_id counts."""
    title = shortened(t("modal_challenge", name=named(opponent).name), MAX_TITLE)
    form = ui.Modal(title=title, custom_id=CHALLENGE_FORM(opponent.id))
    boards = board_choices(t, MOST_OPTIONS)
    firsts = list(reversed(First))
    clocks = (("0", t("clock_off")), *((str(clock), names.clock_choice(t, clock)) for clock in CLOCKS))
    for key, custom_id, options in (
        ("label_game", FORM_BOARD, options_of(boards, boards[0][0])),
        ("label_first", FORM_FIRST, worded_options("first", t, firsts, firsts[0])),
        ("label_clock", FORM_CLOCK, options_of(clocks, str(RATED_CLOCK))),
        ("label_start", FORM_START, worded_options("fair", t, Fair, Fair.USUAL)),
    ):
        menu: ui.Select[Any] = ui.Select(custom_id=custom_id, options=options)
        told = t("first_in_turn") if custom_id == FORM_FIRST else None
        form.add_item(ui.Label(text=t(key), description=told, component=menu))
    form.stop()
    return form
