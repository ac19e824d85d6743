"""The match document: everything about a match that its page on the web shows (docs/web.md).

A pure function of the match and its reader. Texts are plain: without Markdown and emoji of discs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from bot.domain.guest import has_guest, is_unnamed
from bot.domain.location import Web
from bot.domain.match import CoachChoice, Held, Match, RatingChange
from bot.domain.names import clean, tidy
from bot.domain.rating import SETTLED_UNDER, Record
from bot.i18n import Text, shortened
from bot.i18n.names import NAME_LENGTH
from bot.i18n.texts import END_ISOLATE, OPENING_ISOLATES, OWN_DIRECTION
from bot.presentation import CLASSIC, cell_of_move, names, status
from bot.presentation.advice import better_words, held_words
from bot.presentation.verdicts import (
    accuracy_line,
    because,
    certainty,
    described,
    key_moments,
    losing_line,
    moment_line,
    move_title,
    move_words,
    set_up_line,
)
from bot.presentation.web_board import game_part, position_of
from engine.agents.roster import Roster
from engine.analysis.review import Review
from engine.core import Move, Player, State, UnknownName
from engine.games import spec_of

BETTER = "better"
"""The choice to be shown the better move, beside those of `CoachChoice`."""

FORMAT = 1
"""Counted up when a field changes its meaning; a page that knows less reloads itself."""

SENTENCE_GAP = re.compile(r"(?<=[.!?؟])\s+")
_COMMAND_CLAUSE = re.compile(r"\s*[;؛][^.!?;؛]*`/[^.!?;؛]*")
_MARKDOWN = re.compile(r"\\(?P<plain>.)|\*\*|@(?P<gap>\u200b)|(?m:^(?:-# |#{1,3} ))|<t:(?P<instant>\d+):R>")


@dataclass(frozen=True, slots=True)
class Reader:
    """For whom a document is made.

    seat: theirs, None for a watcher. hidden: sides whose person's name the reader may not see.
    """

    seat: Player | None
    hidden: tuple[Player, ...] = ()


def bare(text: str) -> str:
    """Return a text of the catalogues without its Markdown; times become hours and minutes."""
    return _MARKDOWN.sub(_bare, text).strip()


def without_commands(text: str) -> str:
    """Return the text without the sentences and clauses that name a command of Discord's.

    A page has no commands: its own buttons are the way on. A text that has nothing else stays as it is.
    """
    sentences = SENTENCE_GAP.split(_COMMAND_CLAUSE.sub("", text))
    kept = " ".join(one for one in sentences if "`/" not in one) or text
    # A right-to-left text is inside an isolate, whose end may have been in the last sentence.
    return kept + END_ISOLATE * (sum(map(kept.count, OPENING_ISOLATES)) - kept.count(END_ISOLATE))


def _bare(found: re.Match[str]) -> str:
    if found["instant"]:
        return datetime.fromtimestamp(int(found["instant"]), UTC).strftime("%H:%M UTC")
    return found["plain"] or ("@" if found["gap"] else "")


def match_document(
    t: Text,
    match: Match,
    key: str,
    reader: Reader,
    now: datetime,
    roster: Roster,
    records: Sequence[Record] = (),
    *,
    ready_in: int | None = None,
) -> dict[str, Any]:
    """Return the document. key: of the page. records: of both players before the match.

    ready_in: seconds until the agent to move can think at all.
    """
    match = with_names_for(t, match, reader)
    return {
        "format": FORMAT,
        "match": key,
        "version": match.version,
        "turn": match.turn,
        "now": now.isoformat(),
        "game": game_part(t, match.game, match.board),
        "title": bare(status.pairing(t, match)),
        "terms": {"rated": match.rated, "text": status.terms(t, match)},
        "seats": [_seat(t, match, player, roster, records) for player in Player],
        "viewer": {"seat": reader.seat, "may": may(match, reader.seat)},
        "status": _status(t, match, reader.seat, ready_in),
        "clock": _clock(match, now),
        "position": position_of(match, reader.seat, t),
        "moves": _moves(t, match),
        "last": _line(match, status.last_move(t, match)),
        "note": _line(
            match,
            status.note(t, match, in_words=True),
            status.pie(t, match),
            status.unrated(t, match),
            _must_pass(t, match, reader.seat),
        ),
        "offers": _offers(t, match),
        "coach": _coach(t, match, reader.seat),
        "result": _result(t, match),
    }


def with_names_for(t: Text, match: Match, reader: Reader) -> Match:
    """Return the match with names for that reader: a guest in their language, a hidden one by side."""
    first, second = (
        replace(seat, name=clean(t(name))) if (name := _name_key(match, player, reader)) else seat
        for player, seat in zip(Player, match.seats, strict=True)
    )
    return replace(match, seats=(first, second))


def _name_key(match: Match, player: Player, reader: Reader) -> str | None:
    """Return the key of the name for a player whose own is not shown; None where it is."""
    if player in reader.hidden:
        return "web_first_player" if player is Player.FIRST else "web_second_player"
    # Stored is the word of the language in which the match began.
    is_guest = isinstance(match.location, Web) and is_unnamed(match.seats[player].user_id)
    return "web_guest" if is_guest else None


def may(match: Match, seat: Player | None) -> list[str]:
    """Return the actions that the page offers; the services check them again."""
    if match.is_over:
        # Guests' matches have no judgement.
        found = ["replay" if has_guest(match) else "review"] if match.timed_moves else []
        other = None if seat is None else match.seats[seat.other]
        # Nobody can invite people who have deleted their data: their ids are below zero. A rematch between
        # two servers is asked for in the one that the reader played from, which a page does not know.
        if other is not None and not match.is_between and (other.is_agent or (other.user_id or 0) > 0):
            found.append("rematch")
        return found
    if seat is None:
        return []
    is_turn, has_agent = seat is match.to_move and match.waits_for is None, match.has_agent
    offered = {
        "play": is_turn,
        "swap": is_turn and match.can_swap,
        "hint": is_turn and not match.rated,
        "undo": not match.rated
        and not match.is_held
        and match.undo_request is not seat
        and match.last_choice(seat) is not None,
        "draw": not has_agent and match.draw_offer is None,
        "resign": True,
    }
    return [action for action, is_offered in offered.items() if is_offered]


def _must_pass(t: Text, match: Match, seat: Player | None) -> str | None:
    """Return why the reader has nothing but a pass, else None."""
    if match.is_over or seat is not match.to_move or match.waits_for is not None:
        return None
    spec, state = spec_of(match.game), match.state
    return t("illegal_must_pass") if any(spec.is_pass(state, move) for move in state.legal_moves()) else None


def _line(match: Match, *lines: str | None) -> str | None:
    """Join the lines without Markdown and without the emoji of discs, which the page draws itself."""
    text = " ".join(bare(line) for line in lines if line)
    for player in Player:
        disc = re.escape(status.disc_of(match, player))
        # Right-to-left texts isolate every parameter.
        text = re.sub(f"({OWN_DIRECTION}{disc}{END_ISOLATE}|{disc}) ?", "", text)
    return " ".join(text.split()) or None


def _seat(t: Text, match: Match, player: Player, roster: Roster, records: Sequence[Record]) -> dict[str, Any]:
    seat = match.seats[player]
    found: dict[str, Any] = {
        "seat": int(player),
        "side": spec_of(match.game).play.sides[player],
        "name": shortened(seat.name, NAME_LENGTH),
        "kind": "agent" if seat.is_agent else "person",
    }
    if seat.level is not None and seat.is_agent:
        found["level"] = seat.level
        try:
            found["character"] = shortened(tidy(names.character_of(t, roster.level(seat.level))), 100)
        except UnknownName:  # a plug-in that is no longer installed
            found["character"] = ""
    if records:
        record = records[player]
        shown = str(record.points) if record.is_fixed else names.rating(t, record.points, record.margin)
        found["rating"] = bare(shown)
    points = spec_of(match.game).points_of(match.state)
    if points is not None:
        found["score"] = points[player]
    return found


def _status(t: Text, match: Match, seat: Player | None, ready_in: int | None) -> dict[str, Any]:
    text = _line(match, status.status(t, match, ready_in=ready_in))
    if match.result is not None:
        return {"kind": "over", "seat": match.result.winner, "text": text}
    if match.is_held and seat is match.to_move.other:
        text = _line(match, t("waits_for_you", name=status.name_of(match, match.to_move)))
        return {"kind": "held", "seat": int(match.to_move), "text": text}
    kind = "thinking" if match.awaits_agent else "yours" if seat is match.to_move else "theirs"
    return {"kind": kind, "seat": int(match.to_move), "text": text}


def _clock(match: Match, now: datetime) -> dict[str, Any] | None:
    """Return the seconds left to both sides; an agent has none, since it has limits of its own."""
    if match.clock is None:
        return None
    left: list[float | None] = [
        None if match.seats[player].is_agent else round(match.time_left(player), 1) for player in Player
    ]
    deadline = match.deadline
    if deadline is not None:
        left[match.to_move] = round(max(0.0, (deadline - now).total_seconds()), 1)
    running = None if deadline is None else int(match.to_move)
    return {"left": left, "running": running, "increment": match.clock.increment}


def _moves(t: Text, match: Match) -> list[dict[str, Any]]:
    return [
        {
            "n": number,
            "seat": int(state.to_move),
            "disc": _disc(match.game, state, timed.move),
            "name": _listed(t, match.game, state, timed.move),
            "label": move_words(t, match.game, state, timed.move),
            "seconds": round(timed.seconds, 1),
        }
        for number, (state, timed) in enumerate(zip(match.states, match.timed_moves, strict=False), start=1)
    ]


def _disc(game: str, state: State, move: Move) -> int | None:
    """Return the side of the disc that the move places, as the board shows it; None for one like `swap`."""
    spec = spec_of(game)
    group, note = spec.group_of(state, move), spec.play.note(state)
    if group is not None and spec.rules.move_name(state, move) == group.key:
        return None
    # In an opening one side may place discs of both.
    return int(state.to_move if note is None else note.side)


def _listed(t: Text, game: str, state: State, move: Move) -> str:
    """Return the move's notation, or the catalogue's words where that is an English word such as `swap`."""
    spec = spec_of(game)
    name, group = spec.rules.move_name(state, move), spec.group_of(state, move)
    return move_words(t, game, state, move) if group is not None and name == group.key else name


def _offers(t: Text, match: Match) -> list[dict[str, Any]]:
    return [
        {"kind": kind, "from": int(player), "text": _line(match, text)}
        for kind, player, text in status.offers(t, match)
    ]


def _coach(t: Text, match: Match, seat: Player | None) -> dict[str, Any] | None:
    """Return the coach's words while it holds the answer to this seat, and the choices."""
    if match.held is None or not match.is_held or seat is not match.to_move.other:
        return None
    keys = {
        CoachChoice.BACK: "button_take_back",
        BETTER: "button_show_better",
        CoachChoice.ON: "button_play_on",
    }
    return {
        "text": _line(match, held_words(t, match, match.held)),
        "at": _cells(match.game, match.state, match.held.threat),
        "note": _line(match, t("coach_note", name=status.name_of(match, match.to_move))),
        "choices": [{"choice": choice, "text": t(key)} for choice, key in keys.items()],
    }


def better_document(t: Text, match: Match, held: Held) -> dict[str, Any]:
    """Return the better move while an answer is held, with the choice that plays it."""
    spec, before = spec_of(match.game), match.states[held.ply]
    label = t("button_hint_play", move=names.move_label(spec, before, held.better))
    return {
        "turn": match.turn,
        "text": _line(match, better_words(t, match, held)),
        "at": _cells(match.game, before, held.better),
        "choices": [{"choice": CoachChoice.INSTEAD, "text": label}],
    }


def _cells(game: str, state: State, move: Move | None) -> list[int]:
    """Return the cell to mark for the move, if it has one."""
    cell = None if move is None else cell_of_move(spec_of(game), state, move)
    return [] if cell is None else [cell]


def _result(t: Text, match: Match) -> dict[str, Any] | None:
    if match.result is None:
        return None
    changes = [_rating_after(t, one) for one in match.rating_changes]
    text = _line(match, status.result(t, match))
    return {"winner": match.result.winner, "text": text, "ratings": changes or None}


def _rating_after(t: Text, change: RatingChange) -> str:
    after = bare(names.rating(t, change.after, change.margin))
    is_settled = change.margin < SETTLED_UNDER
    return f"{after} ({status.signed(change.after - change.before)})" if is_settled else after


def replay_document(match: Match) -> dict[str, Any]:
    """Return the positions of all plies of a finished match."""
    earlier = [
        replace(match, states=match.states[: ply + 1], timed_moves=match.timed_moves[:ply], result=None)
        for ply in range(len(match.timed_moves))
    ]
    positions = [position_of(one, None) for one in (*earlier, match)]
    return {"version": match.version, "positions": positions}


def review_document(t: Text, match: Match, reader: Reader, review: Review) -> dict[str, Any]:
    """Return the evaluations for the first side, each move's verdict, and the key moments with the reason."""
    match = with_names_for(t, match, reader)
    verdicts: list[dict[str, str] | None] = []
    for judged in review.reviewed:
        if judged is None:
            verdicts.append(None)
            continue
        better = move_title(t, match, review, judged.ply, judged.best)
        mark = "forced" if judged.is_forced else judged.mark.value
        verdicts.append({"mark": mark, "better": better})
    moments = [
        {
            "ply": judged.ply + 1,
            "text": _line(match, moment_line(t, match, review, judged, CLASSIC)),
            "why": " ".join(bare(line) for line in because(t, match, review, judged)),
        }
        for judged in key_moments(match, review)
    ]
    said = (
        losing_line(t, match, review),
        *(accuracy_line(t, match, review, player, CLASSIC) for player in Player),
        certainty(t, review),
        set_up_line(t, match),
    )
    expected = [review.expectation(ply) for ply in range(len(review.states))]
    return {
        "share": review.share,
        "ahead": [None if one is None else round(one, 3) for one in expected],
        "described": described(t, match, review),
        "verdicts": verdicts,
        "moments": moments,
        "lines": [line for line in (_line(match, one) for one in said) if line],
    }
