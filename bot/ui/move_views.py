"""The controls for the moves of a position, of boards and puzzles alike.

The game's layout decides their form (`LookSpec.layout`). Many squares take two presses, the column and then
the square in it: fifteen and fifteen buttons reach all 225 squares of the largest board. Moves of a group
(`PlaySpec.groups`) stand below the others, under a heading.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import ascii_lowercase

import discord
from discord import ui

from bot.domain.look import Theme
from bot.i18n import Text
from bot.presentation import CLASSIC, Look, icon, names
from bot.ui.layout import Item, chunks, lines, rows
from bot.ui.routing import NEXT_PAGE, MoveRoutes
from engine.core import Move, Player, State
from engine.games.spec import GameSpec, Layout, MoveGroup

MAX_BUTTONS = 20
PAGE_OPTIONS = 24
"""Moves on a page of a select; its 25th option leads to the next page."""


@dataclass(frozen=True, slots=True)
class MoveOffer:
    """A state whose moves are offered. subject, at: see MoveRoutes.

    page: of the select, or the column whose squares are offered, from 1; 0 for the list of columns.
    is_waiting: nothing can be pressed now. fades_taken: taken cells of a board of buttons are disabled, which
    makes Discord show them pale.
    """

    spec: GameSpec
    state: State
    routes: MoveRoutes
    subject: int
    at: int
    look: Look = CLASSIC
    page: int = 0
    is_waiting: bool = False
    fades_taken: bool = False


def offered_moves(offer: MoveOffer, t: Text) -> Iterable[Item]:
    """Return rows of buttons or a select, and headings; while waiting only the fixed buttons, disabled."""
    legal = offer.state.legal_moves()
    grouped = {move: group for move in legal if (group := offer.spec.group_of(offer.state, move))}
    usual = [move for move in legal if move not in grouped]
    yield from _usual(offer, t, usual)
    if offer.is_waiting or offer.page:
        return
    for group in offer.spec.play.groups:
        moves = [move for move in legal if grouped.get(move) is group]
        if moves:
            yield lines(_heading(t, offer.spec, group))
            yield from rows([_of_group(offer, group, move) for move in moves])


def _usual(offer: MoveOffer, t: Text, moves: Sequence[Move]) -> Iterable[Item]:
    if offer.spec.look.layout is Layout.GRID:
        return _grid(offer)
    if offer.spec.look.layout is Layout.COLUMNS:
        return rows(_columns(offer, moves))
    if offer.is_waiting:
        return ()
    if len(moves) <= MAX_BUTTONS:
        return rows([_square(offer, t, move) for move in moves])
    if len(moves) > PAGE_OPTIONS and (cells := _cells(offer, moves)) is not None:
        return rows(_squares_of(offer, t, cells) if offer.page else _all_columns(offer, cells))
    return (_select(offer, t, moves),)


def _columns(offer: MoveOffer, moves: Sequence[Move]) -> list[Item]:
    legal = frozenset(() if offer.is_waiting else moves)
    return [
        _move(offer, column, label=str(column + 1), disabled=column not in legal)
        for column in range(offer.state.columns)
    ]


def _grid(offer: MoveOffer) -> Iterable[Item]:
    """Return a button for each cell; taken ones are enabled unless they may fade."""
    spec = offer.spec
    buttons = [
        _move(offer, cell, label=spec.rules.move_name(offer.state, cell), disabled=offer.is_waiting)
        if player is None
        else _move(offer, cell, disabled=offer.fades_taken, **_taken_by(offer, cell, player))
        for cell, player in enumerate(offer.state.cells())
    ]
    return (ui.ActionRow(*row) for row in chunks(buttons, offer.state.columns))


def _taken_by(offer: MoveOffer, cell: Move, player: Player) -> dict[str, str]:
    """Return the label of a taken cell, and its emoji; a letter is no emoji to Discord."""
    piece, name = icon(offer.spec.key, player, offer.look), offer.spec.rules.move_name(offer.state, cell)
    return (
        {"label": f"{name} {piece}"} if offer.look.theme is Theme.LETTERS else {"label": name, "emoji": piece}
    )


def _square(offer: MoveOffer, t: Text, move: Move) -> Item:
    if offer.spec.is_pass(offer.state, move):
        return _move(offer, move, label=t("button_pass"), style=discord.ButtonStyle.primary)
    return _move(offer, move, label=offer.spec.rules.move_name(offer.state, move))


def _cells(offer: MoveOffer, moves: Sequence[Move]) -> dict[int, Move] | None:
    """Return the moves by their cell; None where a move has no cell, or two have the same."""
    cells = {offer.spec.rules.cell_of(offer.state, move): move for move in moves}
    found = {cell: move for cell, move in cells.items() if cell is not None}
    return found if len(found) == len(moves) else None


def _all_columns(offer: MoveOffer, cells: dict[int, Move]) -> list[Item]:
    """Return a button for each column; full ones are disabled, so that no button changes its place."""
    open_columns = {cell % offer.state.columns for cell in cells}
    return [
        ui.Button(
            label=ascii_lowercase[column],
            custom_id=offer.routes.column(offer.subject, offer.at, column + 1),
            disabled=column not in open_columns,
        )
        for column in range(offer.state.columns)
    ]


def _squares_of(offer: MoveOffer, t: Text, cells: dict[int, Move]) -> list[Item]:
    """Return the free squares of the column, and a button back to the columns."""
    columns, column = offer.state.columns, (offer.page - 1) % offer.state.columns
    squares = [cells[cell] for cell in range(column, offer.state.rows * columns, columns) if cell in cells]
    all_columns = offer.routes.column(offer.subject, offer.at, 0)
    back = ui.Button[ui.LayoutView](label=t("button_other_column"), emoji="↩️", custom_id=all_columns)
    blue = discord.ButtonStyle.primary
    return [
        *(
            _move(offer, move, label=offer.spec.rules.move_name(offer.state, move), style=blue)
            for move in squares
        ),
        back,
    ]


def _heading(t: Text, spec: GameSpec, group: MoveGroup) -> str:
    has_text = f"group_{spec.key}_{group.key}" in t
    return f"{group.emoji} {t(f'group_{spec.key}_{group.key}') if has_text else group.title}".strip()


def _of_group(offer: MoveOffer, group: MoveGroup, move: Move) -> Item:
    label = names.move_label(offer.spec, offer.state, move)
    return _move(offer, move, label=label, emoji=group.emoji or None, style=discord.ButtonStyle.primary)


def _move(offer: MoveOffer, move: Move, **options: object) -> Item:
    return ui.Button(custom_id=offer.routes.move(offer.subject, offer.at, move), **options)  # type: ignore[arg-type]


def _select(offer: MoveOffer, t: Text, moves: Sequence[Move]) -> Item:
    spec, state = offer.spec, offer.state
    pages = list(chunks(moves, PAGE_OPTIONS))
    page = offer.page % len(pages)
    options = [
        discord.SelectOption(label=spec.rules.move_name(state, move), value=str(move)) for move in pages[page]
    ]
    if len(pages) > 1:
        options.append(discord.SelectOption(label=t("option_more"), value=NEXT_PAGE))
    placeholder = t("pick_square", page=page + 1, pages=len(pages))
    custom_id = offer.routes.page(offer.subject, offer.at, page)
    return ui.ActionRow(ui.Select(custom_id=custom_id, options=options, placeholder=placeholder))
