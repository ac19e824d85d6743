"""The controls for the moves of a position, of boards and puzzles alike.

The game's layout decides their form (`LookSpec.layout`). Moves of several parts take several presses, the
piece and then its target, and squares that are too many for buttons their column first: fifteen and fifteen
buttons reach all 225 squares of the largest board (`bot.ui.move_choices`). Moves of a group
(`PlaySpec.groups`) stand below the others, under a heading.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import discord
from discord import ui

from bot.domain.look import Theme
from bot.domain.vote import NO_VOTES, Poll
from bot.i18n import Text
from bot.presentation import CLASSIC, Look, empty_icon, icon, names
from bot.ui.layout import Item, chunks, lines, options_of, rows
from bot.ui.move_choices import Choice, MoveChoices, Picked
from bot.ui.routing import MoveRoutes
from engine.core import Move, Player, State
from engine.games.spec import GameSpec, Layout, MoveGroup

MAX_BUTTONS = 20

_NOWHERE = 9
"""Steps in the id of a disabled choice, more than any way has: no button that leads back has the same id."""


@dataclass(frozen=True, slots=True)
class MoveOffer:
    """A state whose moves are offered. subject, at: see MoveRoutes.

    picked: the choices made so far. is_waiting: nothing can be pressed now. fades_taken: taken cells of a
    board of buttons are disabled, which makes Discord show them pale. votes: for these moves, which stand on
    the buttons; those that lead are blue.
    """

    spec: GameSpec
    board: str
    state: State
    routes: MoveRoutes
    subject: int
    at: int
    look: Look = CLASSIC
    picked: Picked | None = None
    is_waiting: bool = False
    fades_taken: bool = False
    votes: Poll = NO_VOTES


def offered_moves(offer: MoveOffer, t: Text) -> Iterable[Item]:
    """Return rows of buttons or a select, and headings; while waiting only the fixed buttons, disabled."""
    legal = offer.state.legal_moves()
    grouped = {move: group for move in legal if (group := offer.spec.group_of(offer.state, move))}
    usual = [move for move in legal if move not in grouped]
    yield from _usual(offer, t, usual)
    if offer.is_waiting or (offer.picked and offer.picked.steps):
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
    if offer.spec.look.layout is Layout.ROWS:
        return rows(_row(offer, moves))
    if offer.is_waiting:
        return ()
    return _choices(offer, t, moves)


def _columns(offer: MoveOffer, moves: Sequence[Move]) -> list[Item]:
    legal = frozenset(() if offer.is_waiting else moves)
    return [
        _move(offer, column, label=str(column + 1), disabled=column not in legal)
        for column in range(offer.state.columns)
    ]


def _row(offer: MoveOffer, moves: Sequence[Move]) -> list[Item]:
    """Return the cells of the mover's row as they lie; while waiting those of the other side, disabled."""
    places, legal = offer.spec.places_of(offer.board), frozenset(moves)
    if not legal:
        return []
    shape, own = places[moves[0]].shape, places[moves[0]].row
    cells = [
        cell
        for cell, place in enumerate(places)
        if place.shape == shape and (place.row != own) is offer.is_waiting
    ]
    cells.sort(key=lambda cell: places[cell].column)
    return [
        _move(offer, cell, label=places[cell].name, disabled=offer.is_waiting or cell not in legal)
        for cell in cells
    ]


def _grid(offer: MoveOffer) -> Iterable[Item]:
    """Return a button for each cell; taken ones are enabled unless they may fade.

    Each has a picture and the cell's name, so that all are equally wide and the columns line up.
    """
    buttons = [
        _move(offer, cell, disabled=offer.is_waiting, **_empty(offer, cell))
        if player is None
        else _move(offer, cell, disabled=offer.fades_taken, **_taken_by(offer, cell, player))
        for cell, player in enumerate(offer.state.cells())
    ]
    return (ui.ActionRow(*row) for row in chunks(buttons, offer.state.columns))


def _empty(offer: MoveOffer, cell: Move) -> dict[str, str]:
    """Return the label of an empty cell, and its emoji."""
    name = offer.spec.rules.move_name(offer.state, cell)
    if offer.look.theme is Theme.LETTERS:
        return {"label": name}
    return {"label": name, "emoji": empty_icon(offer.spec.key, offer.look)}


def _taken_by(offer: MoveOffer, cell: Move, player: Player) -> dict[str, str]:
    """Return the label of a taken cell, and its emoji; a letter is no emoji to Discord."""
    piece, name = icon(offer.spec.key, player, offer.look), offer.spec.rules.move_name(offer.state, cell)
    return (
        {"label": f"{name} {piece}"} if offer.look.theme is Theme.LETTERS else {"label": name, "emoji": piece}
    )


def _choices(offer: MoveOffer, t: Text, moves: Sequence[Move]) -> Iterable[Item]:
    """Return the choices, in a select if they are many, and a button back to the ones before them."""
    found, last = MoveChoices(offer.spec, offer.board, offer.state, moves).after(offer.picked)
    steps = 0 if last is None or offer.picked is None else offer.picked.steps
    back = [] if last is None else [_back(offer, t, last, Picked(last.moves[0], steps - 1))]
    if len(found) > MAX_BUTTONS:
        with_moves = [one for one in found if one.moves]
        return (_select(offer, t, with_moves, steps), *rows(back))
    return rows([*(_choice(offer, t, at, one, steps) for at, one in enumerate(found)), *back])


def _choice(offer: MoveOffer, t: Text, at: int, choice: Choice, steps: int) -> Item:
    """Return the choice as a button. at: its place in the list, for the id of one that is disabled."""
    if choice.is_move:
        (move,) = choice.moves
        is_pass = offer.spec.is_pass(offer.state, move)
        style = discord.ButtonStyle.primary if steps or is_pass else discord.ButtonStyle.secondary
        return _move(offer, move, label=t("button_pass") if is_pass else choice.label, style=style)
    picked = Picked(choice.moves[0], steps + 1) if choice.moves else Picked(at, _NOWHERE)
    custom_id = offer.routes.pick(offer.subject, offer.at, picked)
    return ui.Button(
        label=_counted(offer, choice.label, choice.moves), custom_id=custom_id, disabled=not choice.moves
    )


def _back(offer: MoveOffer, t: Text, last: Choice, before: Picked) -> Item:
    label = t("button_other_column" if last.is_column else "button_other_piece")
    return ui.Button(label=label, emoji="↩️", custom_id=offer.routes.pick(offer.subject, offer.at, before))


def _select(offer: MoveOffer, t: Text, choices: Sequence[Choice], steps: int) -> Item:
    values = (str(one.moves[0] if one.is_move else Picked(one.moves[0], steps + 1)) for one in choices)
    labels = (_counted(offer, one.label, one.moves) for one in choices)
    options = options_of(zip(values, labels, strict=True), None)
    custom_id = offer.routes.select(offer.subject, offer.at)
    key = offer.spec.key
    placeholder = t(f"pick_{key}" if f"pick_{key}" in t else "pick_square")
    return ui.ActionRow(ui.Select(custom_id=custom_id, options=options, placeholder=placeholder))


def _heading(t: Text, spec: GameSpec, group: MoveGroup) -> str:
    has_text = f"group_{spec.key}_{group.key}" in t
    return f"{group.emoji} {t(f'group_{spec.key}_{group.key}') if has_text else group.title}".strip()


def _of_group(offer: MoveOffer, group: MoveGroup, move: Move) -> Item:
    label = names.move_label(offer.spec, offer.state, move)
    return _move(offer, move, label=label, emoji=group.emoji or None, style=discord.ButtonStyle.primary)


def _move(offer: MoveOffer, move: Move, **options: Any) -> Item:
    if offer.votes.total:
        options["label"] = _counted(offer, options["label"], (move,))
        is_ahead = move in offer.votes.leaders
        options["style"] = discord.ButtonStyle.primary if is_ahead else discord.ButtonStyle.secondary
    return ui.Button(custom_id=offer.routes.move(offer.subject, offer.at, move), **options)


def _counted(offer: MoveOffer, label: str, moves: Sequence[Move]) -> str:
    """Return the label with the votes for these moves."""
    count = sum(offer.votes.counts.get(move, 0) for move in moves)
    return f"{label} · {count}" if count else label
