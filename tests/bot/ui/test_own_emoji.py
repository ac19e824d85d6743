"""Boards in our own emoji once Discord has them, never mixed with others."""

from __future__ import annotations

import re

import pytest

from bot.app import drawings
from bot.domain.preferences import ServerSettings, Threads
from bot.presentation.discs import discs
from bot.process.emoji_sync import names_for
from engine.games import GAMES
from tests.bot.table import Table, buttons_of, parts_of, text_of

UNICODE = {glyph for key in GAMES for pair in (discs(key).plain, discs(key).last) for glyph in pair}


async def give_emoji(table: Table) -> None:
    """As if all had been uploaded before the start."""
    for name in names_for(drawings(), {}):
        table.env.backend.create_application_emoji(name)
    assert await table.bot.own_emoji.run_once() == 0


def pictures_on(message: object) -> list[object]:
    return [part for part in parts_of(message) if part["type"] == 12]


def glyphs_on(message: object) -> set[str]:
    """The Unicode discs in the texts and on the buttons of the message."""
    buttons = {part["emoji"]["name"] for part in parts_of(message) if "emoji" in part}
    return {glyph for glyph in UNICODE if glyph in text_of(message)} | (buttons & UNICODE)


@pytest.mark.slow
async def test_every_screen_of_a_match_is_in_our_own_emoji(table: Table) -> None:
    await give_emoji(table)
    board = await table.pair(rated=False)
    assert not glyphs_on(board)
    lines = [line for line in text_of(board).splitlines() if line.count("<:") > 6]
    assert [line.count("<:") for line in lines] == [7] * 7
    assert not glyphs_on((await table.ada.click(board, label="Hint")).response)
    await table.play(board, "4 1 4 1 4 1 4")
    assert "wins" in text_of(board)
    assert not glyphs_on(board)
    for label in ("Review", "Replay"):
        assert not glyphs_on((await table.ada.click(board, label=label)).response)
    for command in ("profile", "preferences", "puzzle play"):
        assert not glyphs_on((await table.ada.slash(table.games, command)).response), command


async def test_the_line_above_a_thread_is_in_our_own_emoji(table: Table) -> None:
    await give_emoji(table)
    await table.bot.services.settings.save(table.guild.id, ServerSettings(threads=Threads.ALWAYS))
    line = await table.start()
    asked = await table.ada.slash(table.games, "match resign", match=str(table.first_match))
    await table.ada.click(asked.response, label="Yes, resign")
    assert "Pip wins" in text_of(line)
    assert re.search(r"<:\w+:\d+>", text_of(line))
    assert not glyphs_on(line)


@pytest.mark.parametrize("key", GAMES)
async def test_every_game_is_played_in_our_own_emoji(table: Table, key: str) -> None:
    await give_emoji(table)
    board = await table.pair(game=key)
    label = next(name for name, is_live in buttons_of(board).items() if is_live)
    await table.ada.click(board, label=label)
    assert not glyphs_on(board)
    assert re.search(r"<:\w+:\d+>", text_of(board))


async def test_a_board_is_a_picture_while_its_emoji_are_uploaded(own_table: Table) -> None:
    own_table.bot.own_emoji.known.is_coming = True
    board = await own_table.pair(game="othello")
    assert pictures_on(board)
    await give_emoji(own_table)
    await own_table.ada.click(board, label="d3")
    assert not pictures_on(board)
    assert text_of(board).count("<:") > 64


async def test_a_running_board_uses_our_emoji_once_all_are_uploaded(own_table: Table) -> None:
    board = await own_table.pair()
    assert glyphs_on(board)
    await give_emoji(own_table)
    await own_table.ada.click(board, label="4")
    assert not glyphs_on(board)
