"""The board message: a match as texts and the buttons that fit its state.

Discord allows 40 components and 4,000 characters in a message (Components V2, "Component Reference").
The fullest board, Othello with 20 legal moves and an offer to answer, takes 36. Buttons that end a match are
behind *More*, so that a slip does not resign.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import discord
from discord import ui

from bot.domain.match import Match, Pace
from bot.domain.panel_choices import Against, Mode, Start, is_writable
from bot.domain.rating import Stakes
from bot.domain.result import WITHOUT_RESULT
from bot.domain.strengths import PlainStrength, following
from bot.domain.vote import NO_POLLS, NO_VOTES, Poll, Polls
from bot.i18n import Text
from bot.presentation import CLASSIC, Look, Marks, Theme, cell_of_move, names, status, vote_texts
from bot.presentation.links import board_link
from bot.ui.board import board_part, buttons_are_board
from bot.ui.layout import ROW_BUTTONS, Item, box, chunks, lines, linked
from bot.ui.match.routes import ACTION, MIRROR, PACE, PLAY, VOTE, Action, web_button
from bot.ui.move_choices import MoveChoices, Picked
from bot.ui.move_views import MoveOffer, offered_moves
from bot.ui.panel.routes import PANEL, Press
from bot.ui.play_here import OPEN
from bot.ui.puzzle.routes import train_button
from bot.ui.review.routes import REPLAY, REVIEW
from bot.ui.settings.routes import PREFERENCES
from engine.agents.levels import levels_of
from engine.agents.roster import Roster
from engine.core import Move, Player
from engine.games import game as game_of
from engine.games import spec_of

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
    ready_in: int | None = None,
    polls: Polls = NO_POLLS,
) -> ui.LayoutView:
    """Return the board of the match.

    look: its players' common one. picked: on the way to a move (`bot.ui.move_choices`). note: a last line,
    which stays until the board changes. stakes: of a rated match.
    ready_in: seconds until the agent to move can think at all. polls: of a match by votes.
    """
    title = status.title(t, match)
    parts: list[Item] = [
        lines(
            f"### {t('vote_title', game=title) if match.is_voted else title}",
            status.players(t, match, roster, look),
            f"-# {status.terms(t, match)}",
            None if stakes is None else status.stakes(t, match, stakes),
        )
    ]
    controls: list[Item] = [
        *(_after(match, t) if match.is_over else _controls(match, t, picked, look, polls))
    ]
    # Where the buttons are the board, it stands where the board would, above the lines about the match.
    if match.is_over or match.is_watched or not buttons_are_board(match.game, look):
        parts.append(board_part(t, match.game, match.state, _marks(match, picked), look))
    else:
        parts.extend(controls[: match.state.rows])
        del controls[: match.state.rows]
    parts.append(
        lines(
            status.score_line(t, match, look),
            *(vote_texts.moved(t, match, polls) if match.is_voted else (status.last_move(t, match),)),
            *(
                vote_texts.open_vote(t, match, polls.now, look)
                if match.awaits_votes
                else (status.status(t, match, look, ready_in=ready_in),)
            ),
            status.note(t, match, look),
            status.unrated(t, match),
            status.ratings(t, match),
            status.unsettled(t, *match.rating_changes),
            None if match.is_voted else status.deadline(t, match),
            status.pie(t, match),
            *(line for _, _, line in status.offers(t, match)),
            None if note is None else f"-# {note}",
        )
    )
    return box(*parts, *controls, colour=_colour(match, look.theme))


def watch_view(
    match: Match, t: Text, *, can_mirror: bool, may_end: bool, is_starter: bool = False
) -> ui.LayoutView:
    """Return the private menu of somebody who does not play the match.

    can_mirror: they may show it in another channel. may_end: they moderate its channel. is_starter: they
    began it, and people vote.
    """
    rows = [_mirror_select(match, t)] if can_mirror else []
    if is_starter:
        end = _action(match, Action.END_VOTE, t("button_end_vote"), is_open=match.awaits_votes)
        rows.append(Row(end, _action(match, Action.STOP, t("button_stop"), discord.ButtonStyle.danger)))
    if may_end:
        rows.append(Row(_action(match, Action.END, t("button_end_match"), discord.ButtonStyle.danger)))
    about = t("vote_more" if match.is_voted else "more_about")
    return box(lines(f"### {status.title(t, match)}", about), *rows)


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
    if match.is_between:
        buttons.append(_report_button(match, t))
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


def in_the_way_view(match: Match, t: Text, line: str, *, may_resign: bool) -> ui.LayoutView:
    """Return the line that the match is in the way, with a link to it.

    may_resign: another button asks whether to resign it.
    """
    buttons: list[Item] = []
    if (address := board_link(match.location)) is not None:
        buttons.append(ui.Button(label=t("button_go_to_it"), url=address))
    if may_resign:
        buttons.append(_action(match, Action.RESIGN, t("button_resign_it"), discord.ButtonStyle.danger))
    return box(lines(line), *([Row(*buttons)] if buttons else []))


def _colour(match: Match, theme: Theme) -> int | None:
    side: Player | None = match.to_move if match.result is None else match.result.winner
    return None if side is None else names.accent(match.game, side, theme)


def _controls(match: Match, t: Text, picked: Picked | None, look: Look, polls: Polls) -> Iterable[Item]:
    """Return the moves, the answers to an offer, and the other actions in a row of their own."""
    if match.is_watched:
        yield from _watching(match, t)
        return
    yield from _moves(match, t, picked, look, polls.now)
    if match.is_voted:
        yield Row(_action(match, Action.MORE, t("button_more")))
        return
    yield from _answers(match, t)
    yield ui.ActionRow(*_actions(match, t))


def _moves(
    match: Match, t: Text, picked: Picked | None, look: Look, votes: Poll = NO_VOTES
) -> Iterable[Item]:
    """Return the controls of the moves; while an agent thinks, only fixed buttons stay, disabled."""
    spec, routes = spec_of(match.game), VOTE if match.is_voted else PLAY
    offer = MoveOffer(
        spec, match.board, match.state, routes, match.id, match.turn, look, picked, match.awaits_agent,
        votes=votes,
    )  # fmt: skip
    return offered_moves(offer, t)


def vote_picked_view(match: Match, t: Text, poll: Poll, look: Look, picked: Picked) -> ui.LayoutView:
    """Return the private choices on the way to a vote."""
    parts = [board_part(t, match.game, match.state, _marks(match, picked), look)]
    return box(lines(t("vote_choose")), *parts, *_moves(match, t, picked, look, poll))


def voted_view(match: Match, t: Text, move: Move) -> ui.LayoutView:
    """Return the private line that the vote counts."""
    name = names.move_label(spec_of(match.game), match.state, move)
    return box(lines(t("vote_counted", move=name)))


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
    """Return the actions besides moves; one that cannot be used now keeps its place."""
    if match.is_held:
        says = _action(match, Action.COACH, t("button_coach"), discord.ButtonStyle.primary)
        return [says, _action(match, Action.MORE, t("button_more"))]
    buttons = []
    if not match.rated:
        can_undo = match.has_persons_move and match.undo_request is None
        buttons = [
            _action(match, Action.HINT, t("button_hint"), is_open=not match.awaits_agent),
            _action(match, Action.UNDO, t("button_undo"), is_open=can_undo),
        ]
    buttons.append(_action(match, Action.MORE, t("button_more")))
    if match.can_swap and not match.awaits_agent:
        buttons.append(_action(match, Action.SWAP, t("button_swap"), discord.ButtonStyle.primary))
    return buttons


def _after(match: Match, t: Text) -> Iterable[Row]:
    buttons = _after_votes(match, t) if match.is_voted else _after_play(match, t)
    if match.timed_moves:
        buttons.append(ui.Button(label=t("button_review"), emoji="🔍", custom_id=REVIEW(match.id)))
        buttons.append(ui.Button(label=t("button_replay"), emoji="🎞️", custom_id=REPLAY(match.id)))
        if match.is_coached:
            buttons.append(train_button(t, match.id))
    if not (match.is_voted or match.is_watched):
        buttons.append(ui.Button(label=t("button_another_game"), custom_id=OPEN()))
    for row in chunks(buttons, ROW_BUTTONS):
        yield ui.ActionRow(*row)


def _after_play(match: Match, t: Text) -> list[Item]:
    """Return the ways to the next match, the main one first: after a win the next strength."""
    again, label = Action.REMATCH, t("button_rematch")
    if match.is_watched:
        again, label = Action.WATCH_AGAIN, t("button_watch_again")
    way, main, usual = next_strength(match), discord.ButtonStyle.primary, discord.ButtonStyle.secondary
    winner = None if match.result is None else match.result.winner
    # Of the ways, only one is primary: after a win a harder opponent is worth more than the same one again.
    is_won = way is not None and way.is_stronger and winner is not None
    buttons = [_action(match, again, label, usual if is_won else main)]
    if match.is_between:
        buttons.append(_action(match, Action.NEVER_MEET, t("button_never_meet")))
        buttons.append(_report_button(match, t))
    if way is not None:
        key = "button_next_strength" if way.is_stronger else "button_easier_strength"
        step: ui.Button[Any] = ui.Button(
            label=t(key, word=names.strength(t, way.word)),
            style=main if is_won else usual,
            custom_id=PANEL(Press.BEGIN, way.start),
        )
        buttons.insert(0 if is_won else 1, step)
    return buttons


def how_i_voted(match: Match, t: Text) -> Item:
    """Return the button that tells a person how good their votes were."""
    return _action(match, Action.MY_VOTES, t("button_my_votes"), discord.ButtonStyle.primary)


def _after_votes(match: Match, t: Text) -> list[Item]:
    buttons = [how_i_voted(match, t)] if match.timed_moves else []
    if (stronger := next_strength(match)) is not None and stronger.is_stronger:
        label = t("button_again_against", word=names.strength(t, stronger.word))
        buttons.append(ui.Button(label=label, custom_id=PANEL(Press.BEGIN, stronger.start)))
    level = next((seat.level for seat in match.seats if seat.is_agent), None)
    against = Against.HALVES if level is None else Against.CHANNEL
    start = Start(match.game, level, against=against, clock=match.clock_seconds)
    if level is None or is_writable(level):
        buttons.append(ui.Button(label=t("button_watch_again"), custom_id=PANEL(Press.BEGIN, start)))
    return buttons


@dataclass(frozen=True, slots=True)
class NextStrength:
    """The next of the five strengths, whether it is stronger, and the choices of a match against it."""

    word: PlainStrength
    is_stronger: bool
    start: Start


def next_strength(match: Match) -> NextStrength | None:
    """Return the strength that a person goes on to: a stronger one, after a loss an easier one.

    None without one, and after a match without a result or without a person.
    """
    level = next((seat.level for seat in match.seats if seat.is_agent), None)
    if match.result is None or match.result.end in WITHOUT_RESULT or match.is_watched or level is None:
        return None
    board = game_of(match.game).boards[0]
    # The strengths are those of the usual board, so that a step up on another one would be a leap.
    if match.board != board:
        return None
    winner = match.result.winner
    is_stronger = winner is None or not match.seats[winner].is_agent
    found = following(match.game, board, level, levels_of(match.game, board), is_stronger=is_stronger)
    if found is None:
        return None
    word, other = found
    mode = Mode.COACH if match.is_coached else Mode.RATED if match.rated else Mode.CASUAL
    against = Against.CHANNEL if match.is_voted else Against.BOT
    start = Start(match.game, other.key, mode=mode, against=against, clock=match.clock_seconds)
    return NextStrength(word, is_stronger, start)


def _action(
    match: Match,
    action: Action,
    label: str,
    style: discord.ButtonStyle = discord.ButtonStyle.secondary,
    *,
    is_open: bool = True,
) -> Item:
    return ui.Button(
        label=label, style=style, disabled=not is_open, custom_id=ACTION(match.id, match.turn, action)
    )


def _report_button(match: Match, t: Text) -> Item:
    """Return the button that tells the host of the name of the other server's player."""
    return _action(match, Action.REPORT_NAME, t("button_report_name"))


def _preferences_button(t: Text) -> Item:
    return ui.Button[ui.LayoutView](label=t("button_looks"), custom_id=PREFERENCES())
