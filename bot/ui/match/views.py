"""The board message: a match as a container of texts and the buttons that fit its state.

Discord allows 40 components and 4,000 characters in a message (Components V2, "Component Reference").
The fullest case, Othello with 20 squares to choose from and an offer to answer, takes 36. What ends
a match stands behind *More*, so that nobody resigns by a slip.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import discord
from discord import ui

from bot.domain.match import Match
from bot.i18n import Text
from bot.presentation import CLASSIC, Look, Theme, icon
from bot.ui import formatting
from bot.ui.board import board_part, buttons_are_board
from bot.ui.layout import ROW_BUTTONS, Item, box, chunks, lines, rows
from bot.ui.match.coach import moments_button
from bot.ui.match.routes import ACTION, MORE, MOVE_BUTTON, MOVE_SELECT, Action
from bot.ui.review.routes import REPLAY, REVIEW
from engine.agents.roster import Roster
from engine.core import Move, Player
from engine.games import game as game_of
from engine.games import spec_of
from engine.games.spec import Layout

MOST_BUTTONS = 20
PAGE_OPTIONS = 24
"""Moves on a page of a select; its 25th option leads to the next page."""

Row = ui.ActionRow[Any]


def board_view(
    match: Match, t: Text, roster: Roster, look: Look = CLASSIC, *, page: int = 0
) -> ui.LayoutView:
    """The match as everybody in its channel sees it.

    look: what its players wish. page: which page of legal moves to offer, where a select is needed.
    """
    parts: list[Item] = [
        lines(
            f"### {formatting.title(t, match)}",
            formatting.players(t, match, roster, look),
            f"-# {formatting.terms(t, match)}",
        )
    ]
    controls: list[Row] = [*(_after(match, t) if match.is_over else _controls(match, t, page, look))]
    if match.is_over or not buttons_are_board(match.game, look):
        parts.append(board_part(t, match.game, match.state, formatting.marks(match), look))
    else:
        parts.extend(controls[: match.state.rows])
        del controls[: match.state.rows]
    parts.append(
        lines(
            formatting.score_line(t, match, look),
            formatting.last_move(t, match),
            formatting.status(t, match, look),
            formatting.unrated(t, match),
            formatting.ratings(t, match),
            formatting.deadline(t, match),
            formatting.pie(t, match),
            formatting.offers(t, match),
        )
    )
    return box(*parts, *controls, colour=_colour(match, look.theme))


def more_view(match: Match, t: Text) -> ui.LayoutView:
    """What one of the players can do besides moving, for that person alone."""
    buttons = [_action(match, Action.LOOKS, t("button_looks"))]
    if not match.has_agent and match.draw_offer is None:
        buttons.append(_action(match, Action.DRAW, t("button_draw")))
    buttons.append(_action(match, Action.RESIGN, t("button_resign"), discord.ButtonStyle.danger))
    return box(lines(f"### {formatting.title(t, match)}", t("more_about")), ui.ActionRow(*buttons))


def moved_view(match: Match, t: Text) -> ui.LayoutView:
    """What stays of a board when the match goes on in a newer message."""
    line = t("board_moved", game=formatting.title(t, match))
    address = formatting.board_link(match.location)
    return box(lines(line if address is None else t("linked", text=line, address=address)))


def resign_view(match: Match, t: Text, user_id: int) -> ui.LayoutView:
    """Asks whether the person really wants to give the match up."""
    other = formatting.name_of(match, match.player_of(user_id).other)
    return box(
        lines(t("resign_sure", game=formatting.title(t, match), other=other)),
        ui.ActionRow(
            _action(match, Action.RESIGN_NOW, t("button_resign_now"), discord.ButtonStyle.danger),
            _action(match, Action.STAY, t("button_stay")),
        ),
    )


def resignation_view(match: Match, t: Text, *, has_resigned: bool) -> ui.LayoutView:
    """What that question becomes once it is answered."""
    return box(lines(t("you_resigned" if has_resigned else "you_stay", game=formatting.title(t, match))))


def _colour(match: Match, theme: Theme) -> int | None:
    side: Player | None = match.to_move if match.result is None else match.result.winner
    return None if side is None else formatting.accent(match.game, side, theme)


def _controls(match: Match, t: Text, page: int, look: Look) -> Iterable[Row]:
    """The moves, answers to an offer, and the rest: beside the last moves where there is room."""
    moves, answers, actions = [*_moves(match, t, page, look)], [*_answers(match, t)], _actions(match, t)
    if moves and not answers and spec_of(match.game).layout is Layout.COLUMNS:
        last = moves[-1].children
        if len(last) + len(actions) <= ROW_BUTTONS:
            moves[-1], actions = ui.ActionRow(*last, *actions), []
    yield from (*moves, *answers)
    if actions:
        yield ui.ActionRow(*actions)


def _moves(match: Match, t: Text, page: int, look: Look) -> Iterable[Row]:
    """The ways to move; while an agent thinks, only boards whose buttons stay put keep them, disabled."""
    layout = spec_of(match.game).layout
    if layout is Layout.GRID:
        return _grid(match, look)
    if layout is Layout.COLUMNS:
        return rows(_columns(match))
    moves = match.state.legal_moves()
    if match.awaits_agent:
        return ()
    if len(moves) > MOST_BUTTONS:
        return (_select(match, t, moves, page),)
    return rows([_square(match, t, move) for move in moves])


def _columns(match: Match) -> list[Item]:
    legal = frozenset(() if match.awaits_agent else match.state.legal_moves())
    return [
        _move(match, column, label=str(column + 1), disabled=column not in legal)
        for column in range(match.state.columns)
    ]


def _grid(match: Match, look: Look) -> Iterable[Row]:
    """Cells that are taken can be pressed, to no effect: Discord fades what cannot."""
    rules = game_of(match.game)
    buttons = [
        _move(match, cell, label=rules.move_name(match.state, cell), disabled=match.awaits_agent)
        if player is None
        else _move(match, cell, emoji=icon(match.game, player, look))
        for cell, player in enumerate(match.state.cells())
    ]
    return (ui.ActionRow(*row) for row in chunks(buttons, match.state.columns))


def _square(match: Match, t: Text, move: Move) -> Item:
    spec = spec_of(match.game)
    if spec.is_pass(match.state, move):
        return _move(match, move, label=t("button_pass"), style=discord.ButtonStyle.primary)
    return _move(match, move, label=spec.rules.move_name(match.state, move))


def _move(match: Match, move: Move, **options: Any) -> Item:
    return ui.Button(custom_id=MOVE_BUTTON(match.id, match.turn, move), **options)


def _select(match: Match, t: Text, moves: Sequence[Move], page: int) -> Row:
    rules = game_of(match.game)
    pages = list(chunks(moves, PAGE_OPTIONS))
    page %= len(pages)
    options = [
        discord.SelectOption(label=rules.move_name(match.state, move), value=str(move))
        for move in pages[page]
    ]
    options.append(discord.SelectOption(label=t("option_more"), value=MORE))
    placeholder = t("pick_square", page=page + 1, pages=len(pages))
    if len(pages) == 1:
        options.pop()
    custom_id = MOVE_SELECT(match.id, match.turn, page)
    return ui.ActionRow(ui.Select(custom_id=custom_id, options=options, placeholder=placeholder))


def _answers(match: Match, t: Text) -> Iterable[Row]:
    if match.draw_offer is not None:
        yes, no, accept = Action.DRAW_YES, Action.DRAW_NO, t("button_accept_draw")
    elif match.undo_request is not None:
        yes, no, accept = Action.UNDO_YES, Action.UNDO_NO, t("button_accept_undo")
    else:
        return
    yield ui.ActionRow(
        _action(match, yes, accept, discord.ButtonStyle.success), _action(match, no, t("button_decline"))
    )


def _actions(match: Match, t: Text) -> list[Item]:
    if all(seat.is_agent for seat in match.seats):
        return []
    buttons = []
    if match.can_swap and not match.awaits_agent:
        buttons.append(_action(match, Action.SWAP, t("button_swap"), discord.ButtonStyle.primary))
    if not match.rated and not match.awaits_agent:
        buttons.append(_action(match, Action.HINT, t("button_hint")))
    if not match.rated and match.turns and match.undo_request is None:
        buttons.append(_action(match, Action.UNDO, t("button_undo")))
    return [*buttons, _action(match, Action.MORE, t("button_more"))]


def _after(match: Match, t: Text) -> Iterable[Row]:
    buttons: list[Item] = []
    if not all(seat.is_agent for seat in match.seats):
        buttons.append(_action(match, Action.REMATCH, t("button_rematch"), discord.ButtonStyle.primary))
    if match.turns:
        buttons.append(ui.Button(label=t("button_review"), emoji="🔍", custom_id=REVIEW(match.id)))
        buttons.append(ui.Button(label=t("button_replay"), emoji="🎞️", custom_id=REPLAY(match.id)))
    if match.is_coached and match.turns:
        buttons.append(moments_button(t, match))
    if buttons:
        yield ui.ActionRow(*buttons)


def _action(
    match: Match, action: Action, label: str, style: discord.ButtonStyle = discord.ButtonStyle.secondary
) -> Item:
    return ui.Button(label=label, style=style, custom_id=ACTION(match.id, match.turn, action))
