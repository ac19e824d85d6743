"""The spec of Gomoku."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from engine.core import Agent, Limit, Move, Player, State
from engine.games.gomoku.rules import OLD_BOARDS, Gomoku, GomokuState, K, Phase, as_gomoku
from engine.games.k_in_a_row import FULL, windows
from engine.games.move_text import MoveText
from engine.games.reasons import Reason, Why
from engine.games.spec import (
    STONE_GLYPHS,
    STONES,
    Distinction,
    GameSpec,
    Ink,
    LookSpec,
    MakeAgent,
    MoveGroup,
    Note,
    Options,
    OwnAgent,
    OwnLevel,
    PlaySpec,
    SearchSpec,
    TeachSpec,
)
from engine.score import Evaluator

_OWN_WORTH = (0, 1, 8, 40, 200, FULL)
"""The value of a window of five, by the mover's discs in it if the other side has none there."""
_THEIR_WORTH = (0, 1, 12, 120, 4_000, FULL)
"""The cost of a window of the other side, which is to move, by its discs."""


@cache
def _windows(size: int, length: int = K) -> tuple[int, ...]:
    """Return every row of that length, in all directions, as bits."""
    return tuple(sum(1 << cell for cell in window) for window in windows(size, size, length))


def _heuristic(state: State, mover: Player) -> float:
    """The value of the windows of five for the player who has just moved."""
    position = as_gomoku(state)
    mine, theirs = position.discs[mover], position.discs[mover.other]
    value = 0
    for window in _windows(position.size):
        own, other = (mine & window).bit_count(), (theirs & window).bit_count()
        if own and not other:
            value += _OWN_WORTH[own]
        elif other and not own:
            value -= _THEIR_WORTH[other]
    return value


def _reasons(state: State, move: Move) -> list[Reason]:
    """Return the reasons about fives and fours: the move's own, and those that it stops."""
    position = as_gomoku(state)
    if position.phase is not Phase.PLAY:
        return []
    bit, found = 1 << move, []
    mine, theirs = position.discs[position.to_move], position.discs[position.to_move.other]
    after = mine | bit
    lines = [window for window in _windows(position.size) if window & bit]
    # A move that leaves a five to the other side has stopped nothing, and two threats come too late.
    loses_at_once = _can_make(K, position.size, theirs, after)
    if not loses_at_once and any((theirs & window).bit_count() == K - 1 for window in lines):
        found.append(Reason(Why.STOPS_LINE, K))
    gaps = 0
    for window in lines:
        if not theirs & window and (mine & window).bit_count() == K - 2:
            gaps |= window & ~after
    if gaps:
        is_double = gaps.bit_count() > 1 and not loses_at_once
        found.append(Reason(Why.TWO_THREATS) if is_double else Reason(Why.THREAT, K))
    # Threes are stopped only if no other three can become a four. One without room for a five was no danger.
    if not found and not _can_make(K - 1, position.size, theirs, after):
        fours = [
            four
            for four in _windows(position.size, K - 1)
            if four & bit and (theirs & four).bit_count() == K - 2
        ]
        if any(not mine & window and window & four == four for window in lines for four in fours):
            found.append(Reason(Why.STOPS_LINE, K - 1))
    return found


def _can_make(length: int, size: int, own: int, other: int) -> bool:
    """Whether the side with its own discs can complete a row of that length with one more."""
    return any(
        not other & window and (own & window).bit_count() == length - 1 for window in _windows(size, length)
    )


def _note(state: State) -> Note | None:
    """Return the owner of an opening's next disc: one side places discs of both colours."""
    position = as_gomoku(state)
    if position.given is None:
        return None
    if position.phase is Phase.TWO and not position.two_keeps:
        text = "Swap2 opening: all discs have changed sides; now one of this colour."
        return Note("two", text, position.given)
    return Note("put", "Swap2 opening: now a disc of this colour.", position.given)


def _is(name: str) -> MoveGroup:
    """Return the group of `swap` or of `two`, each a single button."""

    def holds(state: State, move: Move) -> bool:
        return isinstance(state, GomokuState) and move == (state.swap if name == "swap" else state.two)

    title, emoji = {
        "swap": ("Or take the other colour; the other side is to move then:", "🔄"),
        "two": ("Or put one more of each colour, and let the other side choose:", "➕"),
    }[name]
    return MoveGroup(name, title, emoji, holds)


def _threats(seed: int, options: Options, make: MakeAgent) -> Agent:  # noqa: ARG001 - needs no other agent
    from engine.games.gomoku.agent import ThreatAgent  # loads compiled code

    return ThreatAgent(seed, **options)


def _level(
    key: str, character: str, options: str, nodes: int | None = None, *, is_deep: bool = False
) -> OwnLevel:
    return OwnLevel(key, key.capitalize(), character, f"threats:{options}", Limit(nodes=nodes), is_deep)


def _evaluator() -> Evaluator:
    from engine.games.gomoku.evaluator import GomokuEvaluator  # loads compiled code

    return GomokuEvaluator()


SPEC = GameSpec(
    Gomoku(),
    play=PlaySpec(
        about=(
            "Put a disc on any free square. Whoever first has five or more in a row, across, down or "
            "diagonally, wins. Under swap2 the first player puts three discs, two of their own "
            "colour and one of the other's; then the second player plays on, takes the other colour "
            "(swap), or puts one more of each (two) and lets the first player choose. Whoever has fewer "
            "discs after the choice is to move. "
            "Example: h8 is the middle of the largest board."
        ),
        sides=("black", "white"),
        can_pass=False,
        line_length=lambda _board: K,
        groups=(_is("swap"), _is("two")),
        note=_note,
        move_text=MoveText(words=("swap", "two")),
        text_example="h8h9",
        formats={"psq": "gomoku", "sgf": "4"},
        boards_of_people=("15x15-swap2",),
        has_swap=lambda board: "swap2" in board,
        old_boards=OLD_BOARDS,
    ),
    look=LookSpec(
        icon="🟤",
        glyphs=STONE_GLYPHS,
        paint=replace(STONES, board="#B07C44", edge="#6E4A1E", on_points=True),
        ink=Ink(("●", "●"), ("black", "bright_white"), "on color(137)"),
        distinguished_by=Distinction.BRIGHTNESS,
        picture_moves="h8 i7 h11 h7 g7 i6 i9 j3 f6 h4 j10",
    ),
    search=SearchSpec(
        heuristic=_heuristic,
        agents=(
            OwnAgent(
                "threats",
                "Threats",
                "Gomoku by shapes: the likely moves some way ahead, threats to their end.",
                _threats,
                {"depth": (1, 40), "width": (2, 40), "overlooks": (0, 100), "spread": (0, 400)},
                kernels=tuple(
                    f"engine.games.gomoku.kernels.{name}" for name in ("board", "threats", "search")
                ),
            ),
        ),
        levels=(
            _level("momo", "puts stones where they look pretty", "overlooks=79"),
            _level("taro", "has a row in mind, and loses sight of yours", "overlooks=63"),
            _level("nini", "loves long rows, mostly her own", "overlooks=48"),
            _level("kumi", "sees one half and hopes for the other", "overlooks=33"),
            _level("yuki", "counts to four whenever she thinks of it", "overlooks=18"),
            _level("goro", "blocks what he sees, and sees a lot", "overlooks=9"),
            _level("hana", "hardly ever leaves a four unanswered", "overlooks=1"),
            _level("sora", "thinks two moves ahead in one breath", "depth=2,width=14,spread=200"),
            _level("ren", "builds two threats while you stop one", "depth=3,width=12,spread=400"),
            _level(
                "kaede",
                "counts fours to their bitter end",
                "depth=30,width=16,spread=250",
                nodes=2_400_000,
                is_deep=True,
            ),
        ),
        ladder=("momo", "taro", "nini", "kumi", "yuki", "goro", "hana", "sora", "ren", "kaede"),
        opening_plies=4,
        evaluator=_evaluator,
        evaluator_kind="threats",
    ),
    teach=TeachSpec(puzzle_depths=(1, 2, 3), reasons=_reasons),
)
