"""A position in a message: as text where the look allows it and it fits, else as a picture."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import discord
from discord import ui

from bot.domain.look import Look, Size, Theme
from bot.i18n import Text
from bot.presentation import Marks, draw_text, icon, names
from bot.presentation.picture import draw_picture, is_picture
from bot.ui.layout import Item, Roomy, lines
from engine.core import Player, State
from engine.games import spec_of
from engine.games.spec import Layout

PICTURE = "board.png"
MAX_DESCRIPTION = 1024
"""Discord's limit for alternative texts."""


class BoardPicture(ui.MediaGallery[Any]):
    """A picture's place in a message. The picture is drawn when the message is sent (`pictures_of`)."""

    def __init__(self, draw: Callable[[], bytes], described: str) -> None:
        super().__init__(discord.MediaGalleryItem(f"attachment://{PICTURE}", description=described))
        self._draw = draw
        self._described = described
        self._png: bytes | None = None

    async def file(self) -> discord.File:
        """Return a file for one request; the drawing is kept for the next one."""
        if self._png is None:
            self._png = await asyncio.to_thread(self._draw)
        return discord.File(io.BytesIO(self._png), PICTURE, description=self._described)


def board_part(t: Text, game: str, state: State, marks: Marks, look: Look) -> Item:
    """Return the board in that look."""
    picture = partial(_picture, t, game, state, marks, look)
    if is_picture(game, state, look):
        return picture()
    text = t.left_to_right(draw_text(game, state, marks, look))
    return Roomy(text, picture) if look.theme is not Theme.LETTERS else lines(text)


def board_with_threats(t: Text, game: str, state: State, marks: Marks, look: Look) -> Iterable[Item]:
    """Return the board; on a picture the threats are marked, with a legend below."""
    found = tuple(spec_of(game).teach.threats(state)) if is_picture(game, state, look) else ()
    yield board_part(t, game, state, replace(marks, threats=found), look)
    if found:
        first, second = (icon(game, player, look) for player in Player)
        yield lines(f"-# {t('threats_legend', first=first, second=second)}")


def buttons_are_board(game: str, look: Look) -> bool:
    """Return whether the buttons of a running match are its board, so that no other one is needed."""
    return spec_of(game).look.layout is Layout.GRID and look.theme is not Theme.LETTERS


async def pictures_of(view: ui.LayoutView) -> list[discord.File]:
    """Return the files to send with the message, drawn in a thread; most messages have none."""
    return [await part.file() for part in view.walk_children() if isinstance(part, BoardPicture)]


def without_files(game: str, state: State, look: Look) -> Look:
    """Return the nearest look without pictures, for channels where the bot may not attach files."""
    if not is_picture(game, state, look):
        return look
    smaller = (Look(look.theme, Size.NORMAL, look.emoji), Look(look.theme, Size.NORMAL))
    return next((one for one in smaller if not is_picture(game, state, one)), Look(Theme.LETTERS))


def _picture(t: Text, game: str, state: State, marks: Marks, look: Look) -> BoardPicture:
    """Return the picture, with the board in letters and its threats as alternative text."""
    letters = draw_text(game, state, marks, Look(Theme.LETTERS)).strip("`\n")
    described = "\n".join((letters, *_threats_described(t, game, state, marks)))
    return BoardPicture(partial(draw_picture, game, state, marks, look), described[:MAX_DESCRIPTION])


def _threats_described(t: Text, game: str, state: State, marks: Marks) -> Iterable[str]:
    """Return each threat in words, with its side as the letter on the board."""
    for threat in marks.threats:
        side = icon(game, threat.side, Look(Theme.LETTERS))
        square = names.square_words(t, game, state, threat.cell)
        yield t("threat_comes" if threat.comes_to_it else "threat_told", side=side, square=square)
