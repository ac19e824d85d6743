"""The spec of draughts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.core import Agent, Game, Limit, Move, Player, State, is_opening
from engine.games.draughts.notation import FEN_BEGINNINGS, numbered, read_fen, write_fen
from engine.games.draughts.rules import (
    BITS,
    RECORD_BOARDS,
    SQUARES,
    Draughts,
    DraughtsState,
    as_draughts,
    cell_of_square,
    square_of,
    taken_on,
)
from engine.games.move_text import MoveText, Word
from engine.games.reasons import Reason, Why
from engine.games.spec import (
    STONE_GLYPHS,
    STONES,
    BoardCell,
    Distinction,
    GameSpec,
    Ink,
    LookSpec,
    MakeAgent,
    Note,
    Options,
    OwnAgent,
    OwnLevel,
    Piece,
    PlaySpec,
    Press,
    SearchSpec,
    TeachSpec,
)
from engine.score import Evaluator

_MAN, _KING, _WON = 100, 140, 900_000
_FEW_REPLIES = 2
_WINDOW = 12
"""Around the last value, in hundredths of a man."""
_KEEN = "depth=40,spread=16,early=12,selective=1,fitted=1"


_TURN = re.compile(r"[0-9]{1,2}(?: *[-x:] *[0-9]{1,2})+|[a-h][1-8](?: *[-x:] *[a-h][1-8]|[a-h][1-8])+")


class _DraughtsText(MoveText):
    """Squares with two digits each, so that moves need no delimiter: `01-0522x15`."""

    def cut(self, text: str, column: int) -> str:
        turn = _TURN.match(text, column)
        return text[column] if turn is None else turn[0]

    def adapted(self, words: Sequence[Word], state: State) -> list[Word]:
        return numbered(words, state)

    def read(self, rules: Game, state: State, word: str) -> Move:
        return rules.parse_move(state, word.replace(":", "x"))

    def write(self, rules: Game, state: State, move: Move) -> str:
        return re.sub("[0-9]+", lambda number: number[0].zfill(2), rules.move_name(state, move))


def _heuristic(state: State, mover: Player) -> float:
    """Return the lead in pieces, less those that the other side can take at once."""
    position = as_draughts(state)
    if (outcome := state.outcome()) is not None:
        return 0 if outcome.winner is None else _WON if outcome.winner is mover else -_WON
    mine, theirs = (
        _MAN * pieces.bit_count() + (_KING - _MAN) * (pieces & position.kings).bit_count()
        for pieces in (position.pieces[mover], position.pieces[mover.other])
    )
    return mine - theirs + (-_MAN if position.to_move is not mover else _MAN) * _most_taken(position)


def _most_taken(state: DraughtsState) -> int:
    return max((len(taken_on(path)) for path in state.paths.values()), default=0)


def _places(_board: str) -> tuple[BoardCell, ...]:
    numbers = {cell_of_square(square): str(square + 1) for square in range(SQUARES)}
    return tuple(
        BoardCell(
            cell % 8 + 0.5,
            cell // 8 + 0.5,
            cell // 8,
            cell % 8,
            name=numbers.get(cell, ""),
            shape="dark" if cell in numbers else "light",
        )
        for cell in range(64)
    )


def _pieces(state: State) -> dict[int, Piece]:
    position = as_draughts(state)
    return {
        cell_of_square(square_of(bit)): Piece("king" if position.kings >> bit & 1 else "", owner)
        for owner in Player
        for bit in BITS
        if position.pieces[owner] >> bit & 1
    }


def _press(state: State, move: Move) -> Press:
    """The squares that the move's name has."""
    name = Draughts().move_name(state, move)
    return tuple(cell_of_square(int(number) - 1) for number in re.findall("[0-9]+", name))


def _reasons(state: State, move: Move) -> list[Reason]:
    """Return the pieces taken, now or by force after the answer; a new king; few replies."""
    position = as_draughts(state)
    found, after = [], position.play(move)
    if taken := taken_on(position.paths[move]):
        has_king = any(position.kings >> bit & 1 for bit in taken)
        found.append(Reason(Why.TAKES_KING if has_king else Why.TAKES_PIECES, len(taken)))
    elif gain := _shot(after):
        found.append(Reason(Why.SHOT, gain))
    mover = position.to_move
    if (after.kings & after.pieces[mover]).bit_count() > (
        position.kings & position.pieces[mover]
    ).bit_count():
        found.append(Reason(Why.CROWNS))
    replies = after.legal_moves()
    if 0 < len(replies) <= _FEW_REPLIES:
        found.append(Reason(Why.FEW_REPLIES, len(replies)))
    return found


def _shot(after: DraughtsState) -> int:
    """Return the least number of pieces taken in return for a piece offered, if it is always more; else 0."""
    least = 0
    for reply in after.legal_moves():
        lost, gain = len(taken_on(after.paths[reply])), _most_taken(after.play(reply))
        if not lost or gain <= lost:
            return 0
        least = gain if not least else min(least, gain)
    return least


def _differences(state: State, move: Move, other: Move) -> list[Reason]:
    """Return the pieces that the other move would lose at once."""
    kept, lost = (_most_taken(as_draughts(state.play(one))) for one in (move, other))
    return [Reason(Why.KEEPS_PIECES, lost)] if lost > kept else []


def _jumping(seed: int, options: Options, make: MakeAgent) -> Agent:  # noqa: ARG001 - needs no other agent
    from engine.games.deepening import DeepeningAgent
    from engine.games.draughts.searcher import DraughtsSearch, FittedSearch  # loads compiled code

    own = dict(options)
    search = FittedSearch if own.pop("fitted", 0) else DraughtsSearch
    return DeepeningAgent(search, is_opening, seed, window=_WINDOW, **own)


def _evaluator() -> Evaluator:
    from engine.games.draughts.evaluator import DraughtsEvaluator  # loads compiled code

    return DraughtsEvaluator()


def _count_lines(state: State, depth: int) -> int:
    from engine.games.draughts.kernels.moves import count_lines
    from engine.games.draughts.searcher import words_of
    from engine.kernels.transposition import new_memory

    memory = new_memory(1)
    return int(count_lines(*words_of(as_draughts(state)), depth, 0, memory.ctypes.data)) if depth else 1


def _level(
    key: str, character: str, options: str, nodes: int | None = None, *, is_deep: bool = False
) -> OwnLevel:
    return OwnLevel(
        key, key.capitalize(), character, f"jumping:{options}", Limit(nodes=nodes), is_deep=is_deep
    )


_KERNELS = "engine.games.draughts.kernels."


def _note(state: State) -> Note | None:
    if not isinstance(state, DraughtsState) or not any(map(taken_on, state.paths.values())):
        return None
    return Note("take", "The side to move has to take.", state.to_move)


SPEC = GameSpec(
    Draughts(),
    play=PlaySpec(
        about=(
            "Black begins. Men step diagonally forwards, and jump over a piece of the other side to take it."
            " If you can take, you must, and go on jumping while you can. A man that reaches the far row"
            " becomes a king, which moves backwards as well. A side that cannot move has lost. A position"
            " that occurs three times, or 40 moves each without a capture or a man's move, is a draw."
            " Example: 11-15, or 22x15 for a jump."
        ),
        sides=("black", "white"),
        can_pass=False,
        move_text=_DraughtsText(),
        text_example="11-1523-1908-11",
        formats={"pdn": "21"},
        read_board=read_fen,
        write_board=write_fen,
        board_marks=FEN_BEGINNINGS,
        record_boards=RECORD_BOARDS,
        note=_note,
    ),
    look=LookSpec(
        icon="🏁",
        glyphs=replace(STONE_GLYPHS, kinds={"king": ("🤎", "💛")}, shapes={"dark": "🟩", "light": "⬜"}),
        paint=replace(STONES, board="#3F7A4F", edge="#2A5537", squares=("#E9DFC2", "#3F7A4F")),
        ink=Ink(("●", "●"), ("black", "bright_white"), "on color(65)"),
        distinguished_by=Distinction.BRIGHTNESS,
        picture_moves="11-15 22-18",
        places=_places,
        pieces=_pieces,
        press=_press,
    ),
    search=SearchSpec(
        heuristic=_heuristic,
        opening_margin=10,
        count_lines=_count_lines,
        agents=(
            OwnAgent(
                "jumping",
                "Jumping",
                "Draughts some turns deep, every jump to its end, exact endings.",
                _jumping,
                {
                    "depth": (1, 40),
                    "overlooks": (0, 95),
                    "spread": (0, 100),
                    "selective": (0, 1),
                    "early": (0, 80),
                    "fitted": (0, 1),
                },
                kernels=tuple(f"{_KERNELS}{name}" for name in ("moves", "endings", "search")),
            ),
        ),
        levels=(
            _level("alfie", "moves the men that stand nearest", "depth=2,overlooks=58,spread=10"),
            _level("nell", "takes one, and never counts to two", "depth=2,overlooks=26,spread=10"),
            _level("wilf", "hops first and looks later", "depth=3,overlooks=11,spread=8"),
            _level("percy", "sees the jump, misses the double", "depth=3,overlooks=7,spread=8"),
            _level("edna", "swaps men over a cup of tea", "depth=3,overlooks=4,spread=8"),
            _level("rita", "guards her back row, mostly", "depth=4,overlooks=2,spread=6"),
            _level("stan", "misses a jump now and then, and sighs", "depth=5,overlooks=1,spread=6"),
            _level("mabel", "reads four moves ahead and hums", "depth=4,spread=6"),
            _level("winnie", "reads five moves ahead, every jump to its end", "depth=5,spread=6"),
            _level("agnes", "gives one man, and takes two", "depth=7,spread=6"),
            _level(
                "marion", "has lost seven games in forty years", "depth=40,spread=4", 150_000, is_deep=True
            ),
            _level("hilda", "has already counted your free moves", _KEEN, 60_000),
            _level("beryl", "knows which man you will miss", _KEEN, 800_000, is_deep=True),
            _level("ethel", "has seen the ending, and lets you look for it", _KEEN, 6_000_000, is_deep=True),
        ),
        ladder=(
            "pip",
            "alfie",
            "nell",
            "wilf",
            "percy",
            "edna",
            "rita",
            "stan",
            "mabel",
            "winnie",
            "agnes",
            "marion",
            "hilda",
            "beryl",
            "ethel",
        ),
        evaluator=_evaluator,
        evaluator_kind="jumping",
    ),
    teach=TeachSpec(puzzle_depths=(2, 4, 6, 9), reasons=_reasons, differences=_differences),
)
