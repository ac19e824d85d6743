"""Handlers of `/review game`: the form, the file that comes with it, and the choice of one of its games."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import discord

from bot.domain.errors import SetupError
from bot.services.checked_terms import checked_board, checked_game
from bot.services.command_costs import Cost
from bot.services.imports import Submission, WhichGame, check_size
from bot.ui.answers import promise, respond
from bot.ui.client import Interaction
from bot.ui.context import own_text, person_of, spend
from bot.ui.review.handlers import open_review
from bot.ui.review.import_views import (
    ANY_GAME,
    FIELD_FILE,
    FIELD_GAME,
    FIELD_NUMBER,
    FIELD_SIDE,
    FIELD_TEXT,
    SIDES,
    which_game_view,
    which_number_view,
)
from bot.ui.routing import choice, filled_in
from engine.core import Player
from engine.games.typed import fold

DOWNLOAD_SECONDS = 20.0


async def read_form(interaction: Interaction) -> None:
    """Answer with the review of the game that the form brings, or ask which one it is; raises Refusal."""
    filled = filled_in(interaction)
    number = fold(filled.get(FIELD_NUMBER, "")).strip().removeprefix("#")
    if number and not (number.isascii() and number.isdecimal() and int(number)):
        raise SetupError("import_bad_number", number=number)
    side = filled.get(FIELD_SIDE, "")
    if side not in SIDES:
        raise SetupError("unknown_choice", choice=side)
    game, board = _game_of(filled.get(FIELD_GAME, ANY_GAME))
    spend(interaction, Cost.IMPORT)
    await promise(interaction, is_private=True)
    content, name = await _content_of(interaction, filled)
    player = Player(SIDES.index(side) - 1) if side != SIDES[0] else None
    await _review(
        interaction, Submission(content, name, game, board, player, int(number) if number else None)
    )


async def choose_game(interaction: Interaction) -> None:
    """Read the file that waits as one of that game; raises Refusal."""
    game = checked_game(choice(interaction)).key
    await _review_chosen(interaction, game=game)


async def choose_number(interaction: Interaction, _first: int) -> None:
    """Review that game of the file that waits; raises Refusal."""
    number = choice(interaction)
    if not (number.isascii() and number.isdecimal() and int(number)):
        raise SetupError("unknown_choice", choice=number)
    await _review_chosen(interaction, number=int(number))


async def _review_chosen(
    interaction: Interaction, *, game: str | None = None, number: int | None = None
) -> None:
    submitted = interaction.client.services.imports.chosen(person_of(interaction), game=game, number=number)
    spend(interaction, Cost.IMPORT)
    await promise(interaction, is_private=True)
    await _review(interaction, submitted)


async def _review(interaction: Interaction, submitted: Submission) -> None:
    imports, t, person = interaction.client.services.imports, own_text(interaction), person_of(interaction)
    try:
        records = await imports.read(submitted)
    except WhichGame as refusal:
        imports.wait_for_choice(person, submitted)
        await respond(interaction, which_game_view(t, refusal.games))
        return
    if len(records) > 1:
        imports.wait_for_choice(person, submitted)
        await respond(interaction, which_number_view(t, records))
        return
    words = t("web_first_player"), t("web_second_player")
    await open_review(interaction, await imports.add(person, records[0], submitted.side, words))


def _game_of(chosen: str) -> tuple[str | None, str | None]:
    """Return the game and the board that the form names; raises SetupError."""
    if chosen == ANY_GAME:
        return None, None
    key, _, board = chosen.partition(" ")
    rules = checked_game(key)
    return rules.key, checked_board(rules, board)


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
