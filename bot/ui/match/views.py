"""The board message: a match as texts and the buttons that fit its state.

Discord allows 40 components and 4,000 characters in a message (Components V2, "Component Reference").
The fullest board, Othello with 20 legal moves and an offer to answer, takes 36. Buttons that end a match are
behind *More*, so that a slip does not resign.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import discord
from discord import ui

from bot.domain.match import Match, Pace
from bot.domain.panel_choices import Mode, Start
from bot.domain.rating import Stakes
from bot.i18n import Text
from bot.presentation import CLASSIC, Look, Marks, Theme, cell_of_move, names, status
from bot.presentation.links import board_link
from bot.ui.board import board_part, buttons_are_board
from bot.ui.layout import ROW_BUTTONS, Item, box, chunks, lines, linked
from bot.ui.match.routes import ACTION, MIRROR, MOMENTS, PACE, PLAY, Action, web_button
from bot.ui.move_choices import MoveChoices, Picked
from bot.ui.move_views import MoveOffer, offered_moves
from bot.ui.panel.routes import PANEL, Press
from bot.ui.review.routes import REPLAY, REVIEW
from bot.ui.settings.routes import PREFERENCES
from engine.agents.levels import levels_of
from engine.agents.roster import Roster
from engine.core import Player
from engine.games import game as game_of
from engine.games import spec_of
from engine.games.spec import Layout

Row = ui.ActionRow[Any]


def board_view(
    match: Match,
    t: Text,
    roster: Roster,
    look: Look = CLASSIC,
    *,
    picked: Picked | None = None,
    note: str | None = None,
    stakes: Stakes | None = None,
) -> ui.LayoutView:
    """Return the board of the match.

    look: its players' common one. picked: on the way to a move (`bot.ui.move_choices`). note: a last line,
    which stays until the board changes. stakes: of a rated match.
    """
    parts: list[Item] = [
        lines(
            f"### {status.title(t, match)}",
            status.players(t, match, roster, look),
            f"-# {status.terms(t, match)}",
            None if stakes is None else status.stakes(t, match, stakes),
        )
    ]
    controls: list[Item] = [*(_after(match, t) if match.is_over else _controls(match, t, picked, look))]
    if match.is_over or match.is_watched or not buttons_are_board(match.game, look):
        parts.append(board_part(t, match.game, match.state, _marks(match, picked), look))
    else:
        parts.extend(controls[: match.state.rows])
        del controls[: match.state.rows]
    parts.append(
        lines(
            status.score_line(t, match, look),
            status.last_move(t, match),
            status.status(t, match, look),
            status.note(t, match, look),
            status.unrated(t, match),
            status.ratings(t, match),
            status.unsettled(t, *match.rating_changes),
            status.deadline(t, match),
            status.pie(t, match),
            *(line for _, _, line in status.offers(t, match)),
            None if note is None else f"-# {note}",
        )
    )
    return box(*parts, *controls, colour=_colour(match, look.theme))


def watch_view(match: Match, t: Text) -> ui.LayoutView:
    """Return the private menu of somebody who does not play the match."""
    return box(lines(f"### {status.title(t, match)}", t("more_about")), _mirror_select(match, t))


def more_view(
    match: Match,
    t: Text,
    *,
    can_share: bool = False,
    has_web: bool = False,
    has_activity: bool = False,
    can_mirror: bool = False,
) -> ui.LayoutView:
    """Return a player's private menu of actions besides moves.

    can_share: the match can be watched on the web. has_web: it can be played there. has_activity: its page
    opens inside Discord. can_mirror: it may be shown in another channel.
    """
    buttons = [_preferences_button(t)]
    if not match.has_agent and match.draw_offer is None:
        buttons.append(_action(match, Action.DRAW, t("button_draw")))
    if has_activity:
        buttons.append(_action(match, Action.OPEN, t("button_open_board")))
    if has_web:
        buttons.append(_action(match, Action.WEB_PLAY, t("button_web_play")))
    if can_share:
        buttons.append(web_button(t, match))
    buttons.append(_action(match, Action.RESIGN, t("button_resign"), discord.ButtonStyle.danger))
    rows = [Row(*some) for some in chunks(buttons, ROW_BUTTONS)]
    if can_mirror:
        rows.append(_mirror_select(match, t))
    return box(lines(f"### {status.title(t, match)}", t("more_about")), *rows)


def _mirror_select(match: Match, t: Text) -> Row:
    """Return the select of a further channel for the match."""
    types = [discord.ChannelType.text, discord.ChannelType.news, discord.ChannelType.public_thread]
    select: ui.ChannelSelect[Any] = ui.ChannelSelect(
        custom_id=MIRROR(match.id), channel_types=types, placeholder=t("mirror_choose")
    )
    return Row(select)


def shared_view(match: Match, t: Text, address: str) -> ui.LayoutView:
    """Return the address of a match on the web, with a button that ends the sharing."""
    stop = _action(match, Action.WEB_STOP, t("button_web_stop"), discord.ButtonStyle.danger)
    return box(lines(t("web_shared", address=address)), ui.ActionRow(stop))


def play_link_view(match: Match, t: Text, address: str) -> ui.LayoutView:
    """Return a person's link to play the match on the web, with a button that ends it and its session."""
    link = ui.Button[Any](label=t("button_web_open"), url=address)
    end = _action(match, Action.WEB_END, t("button_web_end"), discord.ButtonStyle.danger)
    return box(lines(t("web_play_link")), ui.ActionRow(link, end))


def thread_view(match: Match, t: Text, look: Look = CLASSIC) -> ui.LayoutView:
    """Return the line in the channel above the thread of the match."""
    line = status.pairing(t, match)
    if match.is_over:
        line = f"{line} · {status.result(t, match, look)}"
    return box(lines(linked(t, line, match.location)))


def moved_view(match: Match, t: Text) -> ui.LayoutView:
    """Return what replaces a board once the match has a newer message."""
    line = t("board_moved", game=status.title(t, match))
    return box(lines(linked(t, line, match.location)))


def resign_view(match: Match, t: Text, user_id: int) -> ui.LayoutView:
    """Return the question whether the person really resigns."""
    other = status.name_of(match, match.player_of(user_id).other)
    return box(
        lines(t("resign_sure", game=status.title(t, match), other=other)),
        ui.ActionRow(
            _action(match, Action.RESIGN_NOW, t("button_resign_now"), discord.ButtonStyle.danger),
            _action(match, Action.STAY, t("button_stay")),
        ),
    )


def barred_view(match: Match, t: Text, line: str) -> ui.LayoutView:
    """Return the line that the match bars help, with the way to it and the question whether to resign it."""
    buttons = [_action(match, Action.RESIGN, t("button_resign_it"), discord.ButtonStyle.danger)]
    if (address := board_link(match.location)) is not None:
        buttons.insert(0, ui.Button(label=t("button_go_to_it"), url=address))
    return box(lines(line), Row(*buttons))


def _colour(match: Match, theme: Theme) -> int | None:
    side: Player | None = match.to_move if match.result is None else match.result.winner
    return None if side is None else names.accent(match.game, side, theme)


def _controls(match: Match, t: Text, picked: Picked | None, look: Look) -> Iterable[Item]:
    """Return the moves, the answers to an offer, and the other actions.

    The actions join the last row of moves where it has room, except under a heading of a group.
    """
    if match.is_watched:
        yield from _watching(match, t)
        return
    moves, answers, actions = [*_moves(match, t, picked, look)], [*_answers(match, t)], _actions(match, t)
    last = moves[-1] if moves and all(isinstance(part, ui.ActionRow) for part in moves) else None
    has_columns = spec_of(match.game).look.layout is Layout.COLUMNS
    if isinstance(last, ui.ActionRow) and not answers and has_columns:
        buttons = last.children
        if len(buttons) + len(actions) <= ROW_BUTTONS:
            moves[-1], actions = ui.ActionRow(*buttons, *actions), []
    yield from (*moves, *answers)
    if actions:
        yield ui.ActionRow(*actions)


def _moves(match: Match, t: Text, picked: Picked | None, look: Look) -> Iterable[Item]:
    """Return the controls of the moves; while an agent thinks, only fixed buttons stay, disabled."""
    spec, is_waiting = spec_of(match.game), match.awaits_agent
    offer = MoveOffer(spec, match.board, match.state, PLAY, match.id, match.turn, look, picked, is_waiting)
    return offered_moves(offer, t)


def _marks(match: Match, picked: Picked | None) -> Marks:
    """Return the marks of the board; for a picked piece those of its targets instead of all legal moves."""
    spec, marks = spec_of(match.game), status.marks(match)
    _, last = MoveChoices(spec, match.board, match.state, match.state.legal_moves()).after(picked)
    if last is None or last.is_column:
        return marks
    cells = (cell_of_move(spec, match.state, move) for move in last.moves)
    return replace(marks, hints=tuple(cell for cell in cells if cell is not None))


def _answers(match: Match, t: Text) -> Iterable[Row]:
    """Return a row for each offer that waits for an answer; `/match` can add one to another."""
    is_only = match.draw_offer is None or match.undo_request is None
    for player, yes, no, kind in (
        (match.draw_offer, Action.DRAW_YES, Action.DRAW_NO, "draw"),
        (match.undo_request, Action.UNDO_YES, Action.UNDO_NO, "undo"),
    ):
        if player is not None:
            decline = t("button_decline") if is_only else t(f"button_decline_{kind}")
            yield ui.ActionRow(
                _action(match, yes, t(f"button_accept_{kind}"), discord.ButtonStyle.success),
                _action(match, no, decline),
            )


def _watching(match: Match, t: Text) -> Iterable[Row]:
    """Return the speeds, the current one highlighted, and the actions of the person who started the match."""
    yield ui.ActionRow(
        *(
            ui.Button(
                label=t(f"pace_{pace}"),
                style=discord.ButtonStyle.primary if pace is match.pace else discord.ButtonStyle.secondary,
                custom_id=PACE(match.id, pace),
            )
            for pace in Pace
        )
    )
    if match.begun_by is not None:
        yield ui.ActionRow(_preferences_button(t), _action(match, Action.STOP, t("button_stop")))


def _actions(match: Match, t: Text) -> list[Item]:
    buttons = []
    if match.can_swap and not match.awaits_agent:
        buttons.append(_action(match, Action.SWAP, t("button_swap"), discord.ButtonStyle.primary))
    if not match.rated and not match.awaits_agent:
        buttons.append(_action(match, Action.HINT, t("button_hint")))
    if not match.rated and match.has_persons_move and match.undo_request is None:
        buttons.append(_action(match, Action.UNDO, t("button_undo")))
    return [*buttons, _action(match, Action.MORE, t("button_more"))]


def _after(match: Match, t: Text) -> Iterable[Row]:
    again, label = Action.REMATCH, t("button_rematch")
    if match.is_watched:
        again, label = Action.WATCH_AGAIN, t("button_watch_again")
    following = next_start(match)
    style = discord.ButtonStyle.primary if following is None else discord.ButtonStyle.secondary
    buttons = [_action(match, again, label, style)]
    if following is not None:
        custom_id = PANEL(Press.BEGIN, following)
        label = t("button_next_level")
        buttons.insert(0, ui.Button(label=label, style=discord.ButtonStyle.primary, custom_id=custom_id))
    if match.timed_moves:
        buttons.append(ui.Button(label=t("button_review"), emoji="🔍", custom_id=REVIEW(match.id)))
        buttons.append(ui.Button(label=t("button_replay"), emoji="🎞️", custom_id=REPLAY(match.id)))
    if match.is_coached and match.timed_moves:
        buttons.append(ui.Button(label=t("button_moments"), emoji="🧩", custom_id=MOMENTS(match.id)))
    for row in chunks(buttons, ROW_BUTTONS):
        yield ui.ActionRow(*row)


def next_start(match: Match) -> Start | None:
    """Return the choices of a match against the next level; None unless a person has beaten a lower one."""
    if match.result is None or match.result.winner is None or match.seats[match.result.winner].is_agent:
        return None
    ladder = [level.key for level in levels_of(match.game, match.board)]
    beaten = match.seats[match.result.winner.other].level
    if beaten not in ladder[:-1] or match.board != game_of(match.game).boards[0]:
        return None
    mode = Mode.COACH if match.is_coached else Mode.RATED if match.rated else Mode.CASUAL
    return Start(match.game, ladder[ladder.index(beaten) + 1], mode=mode, clock=match.clock_seconds)


def _action(
    match: Match, action: Action, label: str, style: discord.ButtonStyle = discord.ButtonStyle.secondary
) -> Item:
    return ui.Button(label=label, style=style, custom_id=ACTION(match.id, match.turn, action))


def _preferences_button(t: Text) -> Item:
    return ui.Button[ui.LayoutView](label=t("button_looks"), custom_id=PREFERENCES())
