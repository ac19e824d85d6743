"""The form for a game from elsewhere, and the menus that ask which game it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import discord
from discord import ui

from bot.i18n import Text
from bot.presentation.board_choices import board_choices
from bot.presentation.records import choices_of
from bot.services.imports import ANY_GAME, SIDES, WhichOne
from bot.ui.layout import MOST_OPTIONS, box, chunks, lines, options_of, worded_options
from bot.ui.review.routes import IMPORT_FORM, IMPORT_GAME, IMPORT_NUMBER

FIELD_TEXT, FIELD_FILE, FIELD_GAME, FIELD_SIDE, FIELD_NUMBER = "text", "file", "game", "side", "number"
MOST_TEXT = 4000
"""Discord's limit for the text in a form."""


def import_form(t: Text) -> ui.Modal:
    """Return the form; it is stopped, as that of a challenge."""
    form = ui.Modal(title=t("import_title"), custom_id=IMPORT_FORM())
    games = options_of([(ANY_GAME, t("import_any_game")), *board_choices(t, MOST_OPTIONS - 1)], ANY_GAME)
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


def which_one_view(t: Text, question: WhichOne) -> ui.LayoutView:
    """Ask which one it is. At most two menus, since a file has 50 games at most."""
    return box(lines(t(question.key, **question.params)), *map(ui.ActionRow, _menus(t, question)))


def _menus(t: Text, question: WhichOne) -> Iterator[ui.Select[Any]]:
    for part in chunks(choices_of(t, question), MOST_OPTIONS):
        first, last = part[0][0], part[-1][0]
        if question.games:
            custom_id, placeholder = IMPORT_GAME(), t("import_field_game")
        else:
            custom_id = IMPORT_NUMBER(int(first))
            placeholder = t("import_numbers", first=first, last=last)
        yield ui.Select(custom_id=custom_id, options=options_of(part, None), placeholder=placeholder)
