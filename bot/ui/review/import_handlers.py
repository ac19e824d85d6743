"""Handlers of `/review game`: the form, the file that comes with it, and the choice of one of its games."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import discord

from bot.domain.errors import SetupError
from bot.services.command_costs import Cost
from bot.services.imports import ANY_GAME, Submission, WhichOne, check_size
from bot.ui.answers import promise, respond
from bot.ui.client import Interaction
from bot.ui.context import own_text, person_of, spend
from bot.ui.review.handlers import open_review
from bot.ui.review.import_views import (
    FIELD_FILE,
    FIELD_GAME,
    FIELD_NUMBER,
    FIELD_SIDE,
    FIELD_TEXT,
    which_one_view,
)
from bot.ui.routing import choice, filled_in

DOWNLOAD_SECONDS = 20.0


async def read_form(interaction: Interaction) -> None:
    """Answer with the review of the game that the form brings, or ask which one it is; raises Refusal."""
    filled = filled_in(interaction)
    asked = Submission.asked(
        game=filled.get(FIELD_GAME, ANY_GAME),
        side=filled.get(FIELD_SIDE, ""),
        number=filled.get(FIELD_NUMBER, ""),
    )
    spend(interaction, Cost.IMPORT)
    await promise(interaction, is_private=True)
    content, name = await _content_of(interaction, filled)
    await _review(interaction, replace(asked, content=content, name=name))


async def choose(interaction: Interaction, _first: int = 1) -> None:
    """Review the file that waits, with the chosen game or number; raises Refusal."""
    submitted = interaction.client.services.imports.chosen(person_of(interaction), choice(interaction))
    spend(interaction, Cost.IMPORT)
    await promise(interaction, is_private=True)
    await _review(interaction, submitted)


async def _review(interaction: Interaction, submitted: Submission) -> None:
    imports, t, person = interaction.client.services.imports, own_text(interaction), person_of(interaction)
    try:
        match = await imports.take(person, submitted, (t("web_first_player"), t("web_second_player")))
    except WhichOne as question:
        imports.wait_for_choice(person, submitted)
        await respond(interaction, which_one_view(t, question))
    else:
        await open_review(interaction, match)


async def _content_of(interaction: Interaction, filled: Mapping[str, str]) -> tuple[str | bytes, str | None]:
    """Return the file's bytes and name, or else the text; raises SetupError."""
    data: Mapping[str, Any] = interaction.data or {}
    attached = data.get("resolved", {}).get("attachments", {}).get(filled.get(FIELD_FILE, ""))
    if attached is None:
        if not filled.get(FIELD_TEXT, "").strip():
            raise SetupError("import_nothing")
        return filled[FIELD_TEXT], None
    file = discord.Attachment(data=attached, state=interaction._state)
    check_size(file.size, file.filename)
    try:
        return await asyncio.wait_for(file.read(), DOWNLOAD_SECONDS), file.filename
    except (discord.HTTPException, TimeoutError):
        raise SetupError("import_not_downloaded") from None
