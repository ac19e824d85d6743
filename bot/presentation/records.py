"""A match as a file in the usual format of its game, for other programs."""

from __future__ import annotations

from dataclasses import dataclass

from bot.domain.imported import is_imported
from bot.domain.match import Match
from bot.domain.names import clean
from bot.i18n import Text
from bot.presentation import names
from bot.services.imports import WhichOne
from engine.core import Player
from engine.games import spec_of
from engine.records.record import DRAWN, FIRST_WON, SECOND_WON, About, Record
from engine.records.writing import format_named, write

_RESULTS = {Player.FIRST: FIRST_WON, Player.SECOND: SECOND_WON, None: DRAWN}


@dataclass(frozen=True, slots=True)
class RecordFile:
    """A file to download. name: with its suffix."""

    name: str
    text: str


def record_of(match: Match) -> Record:
    """Return the match as a record, with the names of its seats and the rule of its board, such as swap2."""
    result, was_here = match.result, not is_imported(match.id)
    about = About(
        players=(match.seats[0].name, match.seats[1].name),
        event="Discade" if was_here else "",
        date=f"{match.created_at:%Y.%m.%d}" if was_here else "",  # when it was played is not kept
        result=_RESULTS[result.winner] if result is not None and result.counts else "",
        rules=match.board.partition("-")[2],
    )
    return Record(
        spec_of(match.game), match.board, match.moves, match.states[0] if match.is_set_up else None, about
    )


def file_of(match: Match) -> RecordFile:
    """Return the match in the usual format of its game."""
    record = record_of(match)
    suffix = format_named(record.spec, None).suffix
    return RecordFile(f"{match.game}-{match.created_at:%Y-%m-%d}{suffix}", write(record))


def choices_of(t: Text, question: WhichOne) -> list[tuple[str, str]]:
    """Return the possible answers, and each in words."""
    if question.games:
        return [(key, names.game_title(t, key)) for key in question.games]
    return [(str(place), f"{place}. {_line(t, record)}") for place, record in enumerate(question.records, 1)]


def _line(t: Text, record: Record) -> str:
    """Return a game that was read in one line, with the names in its file: they are shown and not stored."""
    about = record.about
    players = " – ".join(clean(name, "?") for name in about.players) if any(about.players) else ""
    day = about.date.partition("_")[0]  # some programs write the time behind it
    facts = (players, names.game_title(t, record.spec.key), t("import_moves", n=len(record.moves)))
    return ", ".join(
        one for one in (*facts, *(clean(one, "?") for one in (day, about.said) if one.strip())) if one
    )
