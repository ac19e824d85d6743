"""A position in a message: as text where that is wished and fits, else as a picture."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable
from functools import partial
from typing import Any

import discord
from discord import ui

from bot.domain.look import Look, Size, Theme
from bot.i18n import Text
from bot.presentation import Marks, draw_text
from bot.presentation.picture import draw_picture, is_picture
from bot.ui.layout import Item, Roomy, lines
from engine.core import State
from engine.games import spec_of
from engine.games.spec import Layout

PICTURE = "board.png"
MOST_DESCRIBED = 1024
"""Discord's limit for alternative texts."""


class BoardPicture(ui.MediaGallery[Any]):
    """The place of a picture in a message. It is drawn when the message is sent (`pictures_of`)."""

    def __init__(self, draw: Callable[[], bytes], described: str) -> None:
        super().__init__(discord.MediaGalleryItem(f"attachment://{PICTURE}", description=described))
        self._draw = draw
        self._described = described
        self._png: bytes | None = None

    async def file(self) -> discord.File:
        """To be sent once; the drawing is kept for the next time."""
        if self._png is None:
            self._png = await asyncio.to_thread(self._draw)
        return discord.File(io.BytesIO(self._png), PICTURE, description=self._described)


def board_part(t: Text, game: str, state: State, marks: Marks, look: Look) -> Item:
    """The board as it looks to whoever has that wish."""
    picture = partial(_picture, game, state, marks, look)
    if is_picture(state, look):
        return picture()
    text = t.board(draw_text(game, state, marks, look))
    return Roomy(text, picture) if look.theme is not Theme.LETTERS else lines(text)


def buttons_are_board(game: str, look: Look) -> bool:
    """Whether the buttons under a running game show all there is, so that a board above would be a second."""
    return spec_of(game).layout is Layout.GRID and look.theme is not Theme.LETTERS


async def pictures_of(view: ui.LayoutView) -> list[discord.File]:
    """The files that must be sent along with the message: drawn in a thread, none for most."""
    return [await part.file() for part in view.walk_children() if isinstance(part, BoardPicture)]


def without_files(state: State, look: Look) -> Look:
    """The nearest look that needs no picture, for places where the bot may not attach any."""
    if not is_picture(state, look):
        return look
    smaller = Look(look.theme, Size.NORMAL, look.emoji)
    return Look(Theme.LETTERS) if is_picture(state, smaller) else smaller


def _picture(game: str, state: State, marks: Marks, look: Look) -> BoardPicture:
    """In letters it is described to those who do not see it."""
    letters = draw_text(game, state, marks, Look(Theme.LETTERS)).strip("`\n")
    return BoardPicture(partial(draw_picture, game, state, marks, look), letters[:MOST_DESCRIBED])
