"""The form for a game from elsewhere, and the menus that ask which game it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from bot.i18n import Text
from bot.presentation import names
from bot.presentation.records import line_of
from bot.ui.board_choices import board_choices
from bot.ui.layout import MOST_OPTIONS, box, chunks, lines, options_of, worded_options
from bot.ui.review.routes import IMPORT_FORM, IMPORT_GAME, IMPORT_NUMBER
from engine.records.record import Record

FIELD_TEXT, FIELD_FILE, FIELD_GAME, FIELD_SIDE, FIELD_NUMBER = "text", "file", "game", "side", "number"
SIDES = ("none", "first", "second")
ANY_GAME = "any"
MOST_TEXT = 4000
"""Discord's limit for the text in a form."""


def import_form(t: Text) -> ui.Modal:
    """Return the form; it is stopped, as that of a challenge."""
    form = ui.Modal(title=t("import_title"), custom_id=IMPORT_FORM())
    games = options_of([(ANY_GAME, t("import_any_game")), *board_choices(t)[: MOST_OPTIONS - 1]], ANY_GAME)
    fields: Sequence[tuple[str, ui.Item[Any]]] = (
        (
            FIELD_TEXT,
            ui.TextInput(
                custom_id=FIELD_TEXT, style=discord.TextStyle.long, required=False, max_length=MOST_TEXT
            ),
        ),
        (FIELD_FILE, ui.FileUpload(custom_id=FIELD_FILE, required=False, min_values=0)),
        (
            FIELD_SIDE,
            ui.Select(custom_id=FIELD_SIDE, options=worded_options("import_side", t, SIDES, "none")),
        ),
        (FIELD_GAME, ui.Select(custom_id=FIELD_GAME, options=games)),
        (FIELD_NUMBER, ui.TextInput(custom_id=FIELD_NUMBER, required=False, max_length=6)),
    )
    for key, field in fields:
        told = t(f"import_told_{key}") if f"import_told_{key}" in t else None
        form.add_item(ui.Label(text=t(f"import_field_{key}"), description=told, component=field))
    form.stop()
    return form


def which_game_view(t: Text, games: Sequence[str]) -> ui.LayoutView:
    """Ask which of these games the moves are of."""
    options = options_of(((key, names.game_title(t, key)) for key in games), None)
    return box(
        lines(t("import_which_game")),
        ui.ActionRow(ui.Select(custom_id=IMPORT_GAME(), options=options, placeholder=t("import_field_game"))),
    )


def which_number_view(t: Text, records: Sequence[Record]) -> ui.LayoutView:
    """Ask which game of the file is to be reviewed. At most two menus, since a file has 50 games at most."""
    choices = [(str(number), f"{number}. {line_of(t, record)}") for number, record in enumerate(records, 1)]
    menus = (
        ui.ActionRow(
            ui.Select[Any](
                custom_id=IMPORT_NUMBER(int(part[0][0])),
                options=options_of(part, None),
                placeholder=t("import_numbers", first=part[0][0], last=part[-1][0]),
            )
        )
        for part in chunks(choices, MOST_OPTIONS)
    )
    return box(lines(t("import_which_number", n=len(records))), *menus)
