"""The controls for the moves of a position, of boards and puzzles alike.

The game's layout decides their form (`LookSpec.layout`). Moves of several parts take several presses, the
piece and then its target, and squares that are too many for buttons their column first: fifteen and fifteen
buttons reach all 225 squares of the largest board (`bot.ui.move_choices`). Moves of a group
(`PlaySpec.groups`) stand below the others, under a heading.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import discord
from discord import ui

from bot.domain.look import Theme
from bot.i18n import Text
from bot.presentation import CLASSIC, Look, icon, names
from bot.ui.layout import Item, chunks, lines, options_of, rows
from bot.ui.move_choices import Choice, MoveChoices, Picked
from bot.ui.routing import MoveRoutes
from engine.core import Move, Player, State
from engine.games.spec import GameSpec, Layout, MoveGroup

MAX_BUTTONS = 20


@dataclass(frozen=True, slots=True)
class MoveOffer:
    """A state whose moves are offered. subject, at: see MoveRoutes.

    picked: the choices made so far. is_waiting: nothing can be pressed now. fades_taken: taken cells of a
    board of buttons are disabled, which makes Discord show them pale.
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
    if offer.is_waiting:
        return ()
    return _choices(offer, t, moves)


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


def _choices(offer: MoveOffer, t: Text, moves: Sequence[Move]) -> Iterable[Item]:
    """Return the choices, in a select if they are many, and a button back to the ones before them."""
    found, last = MoveChoices(offer.spec, offer.board, offer.state, moves).after(offer.picked)
    steps = 0 if last is None or offer.picked is None else offer.picked.steps
    back = [] if last is None else [_back(offer, t, last, Picked(last.moves[0], steps - 1))]
    if len(found) > MAX_BUTTONS:
        return (_select(offer, t, found, steps), *rows(back))
    return rows([*(_choice(offer, t, at, one, steps) for at, one in enumerate(found)), *back])


def _choice(offer: MoveOffer, t: Text, at: int, choice: Choice, steps: int) -> Item:
    """Return the choice as a button. at: its place in the list, for the id of one that is disabled."""
    if choice.is_move:
        (move,) = choice.moves
        is_pass = offer.spec.is_pass(offer.state, move)
        style = discord.ButtonStyle.primary if steps or is_pass else discord.ButtonStyle.secondary
        return _move(offer, move, label=t("button_pass") if is_pass else choice.label, style=style)
    picked = Picked(choice.moves[0], steps + 1) if choice.moves else Picked(at, 0)
    custom_id = offer.routes.pick(offer.subject, offer.at, picked)
    return ui.Button(label=choice.label, custom_id=custom_id, disabled=not choice.moves)


def _back(offer: MoveOffer, t: Text, last: Choice, before: Picked) -> Item:
    label = t("button_other_column" if last.is_column else "button_other_piece")
    return ui.Button(label=label, emoji="↩️", custom_id=offer.routes.pick(offer.subject, offer.at, before))


def _select(offer: MoveOffer, t: Text, choices: Sequence[Choice], steps: int) -> Item:
    values = (str(one.moves[0] if one.is_move else Picked(one.moves[0], steps + 1)) for one in choices)
    labels = (one.label for one in choices)
    options = options_of(zip(values, labels, strict=True), None)
    custom_id = offer.routes.select(offer.subject, offer.at)
    return ui.ActionRow(ui.Select(custom_id=custom_id, options=options, placeholder=t("pick_square")))


def _heading(t: Text, spec: GameSpec, group: MoveGroup) -> str:
    has_text = f"group_{spec.key}_{group.key}" in t
    return f"{group.emoji} {t(f'group_{spec.key}_{group.key}') if has_text else group.title}".strip()


def _of_group(offer: MoveOffer, group: MoveGroup, move: Move) -> Item:
    label = names.move_label(offer.spec, offer.state, move)
    return _move(offer, move, label=label, emoji=group.emoji or None, style=discord.ButtonStyle.primary)


def _move(offer: MoveOffer, move: Move, **options: object) -> Item:
    return ui.Button(custom_id=offer.routes.move(offer.subject, offer.at, move), **options)  # type: ignore[arg-type]
