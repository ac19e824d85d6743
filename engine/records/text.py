"""Lists of moves as people write them, and PDN: with tags, comments, variations, marks and results.

Everything but the moves is blanked out in place, so that `engine.games.notation` reads the rest and columns
stay true. Sources: "PDN 3.0" (wiegerw.github.io/pdn); the grammar of PGN, which PDN follows.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from textwrap import fill

from engine.core import Player, State
from engine.games.move_text import PASS, Word
from engine.games.notation import cut
from engine.games.spec import GameSpec
from engine.records.record import DRAWN, FIRST_WON, SECOND_WON, About, Format, RawGame, Record, RecordError

# The space before a bracket is of its line: all the empty lines before would be searched from each.
_PDN = re.compile(r'^[^\S\n]*\[\s*(?:GameType|FEN)\s+"', re.MULTILINE)
_RESULT_OF: Mapping[object, str] = {Player.FIRST: FIRST_WON, Player.SECOND: SECOND_WON, None: DRAWN}
_RESULTS = {
    **dict.fromkeys(("1-0", "2-0"), FIRST_WON),
    **dict.fromkeys(("0-1", "0-2"), SECOND_WON),
    **dict.fromkeys(("1/2-1/2", "1-1", "½-½"), DRAWN),
    **dict.fromkeys(("*", "0-0"), ""),
}
_PARTS = r"""
    (?P<tag>\[\s*(?P<name>[A-Za-z]\w*)\s+"(?P<value>(?:[^"\\\n]|\\.)*)"\s*\])
    | (?P<header>^[ \t]*(?P<key>[A-Za-z]{2,20}):[ \t]+(?P<text>\S.*)$)
    | (?P<comment>\{[^}]*\}?)
    | (?P<line>^[ \t]*(?:%|\#|//).*$)
    | (?P<open>\()
    | (?P<close>\))
    | (?P<mark>\$[0-9]+|(?<=\w)(?:[!?]+|\*))
    | (?P<result>(?<!\S)(?:1-0|0-1|2-0|0-2|1-1|0-0|1/2-1/2|½-½|\*)(?![^\s\[{]))
"""
_PART = re.compile(_PARTS, re.VERBOSE | re.MULTILINE)
_TAGGED_PART = re.compile(f"{_PARTS} | (?P<rest>;.*$)", re.VERBOSE | re.MULTILINE)
"""Only beside tags does a semicolon begin a comment; else it stands between moves."""

_TAG = re.compile(r'^[^\S\n]*\[\s*[A-Za-z]\w*\s+"', re.MULTILINE)
_COUNTED = re.compile(r"(?<!\S)[0-9]{1,3}(?:\.+|\))")
_BETWEEN = " \t\r\n,;."
_TYPES = {"20": "international draughts", "25": "Russian draughts", "23": "Brazilian draughts"}


@dataclass(slots=True)
class _Part:
    """A game in the text. first: the index of its first character. blanks: the parts without moves."""

    first: int
    tags: dict[str, str] = field(default_factory=dict)
    blanks: list[tuple[int, int]] = field(default_factory=list)
    result: str = ""
    has_moves: bool = False
    is_over: bool = False
    end: int = 0


def read(text: str) -> Iterator[RawGame]:
    """Yield the games; raises RecordError for a comment or a variation without an end."""
    places = _Places(text)
    for part in _parts(text):
        yield _raw_game(text, part, places)


class _Places:
    """Names the places in a text: `Line 2, character 5`, or `Character 5` if it has one line."""

    def __init__(self, text: str) -> None:
        self._ends = [match.start() for match in re.finditer("\n", text.rstrip())]

    def __call__(self, at: int) -> str:
        if not self._ends:
            return f"Character {at + 1}"
        line = bisect_left(self._ends, at)
        return f"Line {line + 1}, character {at - (self._ends[line - 1] if line else -1)}"


def _parts(text: str) -> list[_Part]:
    """Cut the text into its games, with the places in each that are no moves; raises RecordError.

    A result ends a game. A tag after moves begins the next one, and so do moves after a result. Variations
    are left out by counting their brackets, since a stranger's text may nest thousands of them.
    """
    parts = [_Part(0)]
    depth = opened = done = 0

    def begin(at: int) -> _Part:
        """Return the game that goes on or begins at that place."""
        here = parts[-1]
        here.end = at
        parts.append(_Part(at))
        return parts[-1]

    for match in (_TAGGED_PART if _TAG.search(text) else _PART).finditer(text):
        here = parts[-1]
        gap = text[done : match.start()]
        if depth == 0 and gap.strip(_BETWEEN):
            if here.is_over:
                here = begin(done)
            here.has_moves = True
        done = match.end()
        # Inside a variation only its end counts, and a comment, which may hold a bracket of its own.
        if match["open"]:
            opened = match.start() if depth == 0 else opened
            depth += 1
        elif match["close"]:
            if depth:
                depth -= 1
                if depth == 0:
                    here.blanks.append((opened, match.end()))
            continue
        elif match["comment"]:
            if not match[0].endswith("}"):
                raise RecordError.of_bracket(text, match.start(), "the comment is not closed")
            if depth == 0:
                here.blanks.append(match.span())
        elif depth:
            continue
        elif match["tag"] or match["header"]:
            if here.is_over or here.has_moves:
                here = begin(match.start())
            name = match["name"] or match["key"]
            here.tags.setdefault(name.lower(), re.sub(r"\\(.)", r"\1", match["value"] or match["text"] or ""))
            here.blanks.append(match.span())
        elif match["result"]:
            here.result, here.is_over = match[0], True
            here.blanks.append(match.span())
        else:
            here.blanks.append(match.span())
    if depth:
        raise RecordError.of_bracket(text, opened, "the variation is not closed")
    if parts[-1].is_over and text[done:].strip(_BETWEEN):
        begin(done)
    parts[-1].end = len(text)
    return parts


def _raw_game(text: str, part: _Part, places: _Places) -> RawGame:
    tags = part.tags
    pieces, at = list[str](), part.first
    for begin, end in part.blanks:
        pieces += [text[at:begin], "," * (end - begin)]  # a separator, so that no move goes on behind it
        at = end
    body = "".join([*pieces, text[at : part.end]])
    start = tags.get("fen", "")
    if start:  # the moves may be counted on from any number
        body = _COUNTED.sub(lambda match: "," * len(match[0]), body)
    kind = tags.get("gametype", "").partition(",")[0].strip()
    said = part.result or tags.get("result", "")
    return RawGame(
        words=partial(_words, body, part.first, places),
        game=tags.get("game") or kind or None,
        title=_TYPES.get(kind, f"game type {kind}" if kind else tags.get("game", "")),
        board=tags.get("board", ""),
        start=start,
        drawing="" if start else body.strip(_BETWEEN),
        names=tags,
        about=About(
            event=tags.get("event", ""),
            date=tags.get("date", ""),
            result=_RESULTS.get(said, ""),
            said=said,
            rules=tags.get("rules", ""),
        ),
    )


def _words(body: str, first: int, places: _Places, spec: GameSpec, state: State) -> Iterator[Word]:
    words, problem = cut(spec, state, body, lambda column: places(first + column))
    yield from words
    if problem is not None:
        raise problem


def write(record: Record) -> str:
    """Return tags, numbered moves and the result, as PDN has them."""
    spec, about, states = record.spec, record.about, record.states
    result = about.result or _RESULT_OF.get(outcome.winner if (outcome := states[-1].outcome()) else "", "*")
    kind = spec.play.formats.get("pdn")
    tags = {
        "Event": about.event,
        "Date": about.date,
        **dict(zip((side.capitalize() for side in spec.play.sides), about.players, strict=True)),
        "Result": result,
        **({"GameType": kind} if kind else {"Game": spec.key, "Board": record.board}),
        "Rules": about.rules,
    }
    if record.start is not None:
        if not kind or spec.play.write_board is None:  # only PDN has a tag for it
            raise RecordError("A game from a position of its own cannot be written as a list of moves.")
        tags |= {"SetUp": "1", "FEN": spec.play.write_board(record.start)}
    lines = [f'[{name} "{_escaped(value)}"]' for name, value in tags.items() if value]
    words = list[str]()
    # PDN has names of its own for the moves of its games; other games use the names that we read.
    for number, (state, move) in enumerate(zip(states, record.moves, strict=False)):
        words += [] if number % 2 else [f"{number // 2 + 1}."]
        name = (
            spec.rules.move_name(state, move) if kind else spec.play.move_text.write(spec.rules, state, move)
        )
        words.append(PASS if spec.is_pass(state, move) else name)
    return "\n".join([*lines, "", fill(" ".join([*words, result]), 80, break_on_hyphens=False), "", ""])


def _escaped(value: str) -> str:
    return re.sub(r'(["\\])', r"\\\1", " ".join(value.split()))


FORMAT = Format("text", "list of moves", ".txt", lambda _text: True, read, write)
PDN = Format("pdn", "PDN", ".pdn", lambda text: _PDN.search(text) is not None, read, write)
