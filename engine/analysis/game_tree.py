"""Trees of moves for pictures: the top of a search tree, and the whole tree of a small game.

Values are those of the side that moves at the root.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.agents import make_agent
from engine.core import EngineError, Limit, Move, Player, State
from engine.games import spec_of_state
from engine.games.spec import Layout
from engine.kernels.heuristic_values import plies_to_end
from engine.score import Score


@dataclass(frozen=True, slots=True)
class Branch:
    """A move in the top of a tree and its replies.

    value: for the side that moves at the root; a bound if replies were cut, None if the branch itself was.
    replies: in search order; () at the bottom of the picture.
    """

    move: Move
    value: Score | None
    replies: tuple[Branch, ...] = ()

    @property
    def is_cut(self) -> bool:
        return self.value is None


def tree_top(state: State, depth: int, *, prunes: bool) -> tuple[Branch, ...]:
    """Return the moves of the state and the replies to each, valued by a search of `depth` plies (3 or more).

    prunes: leave out branches that cannot change the value, as in alpha-beta with central moves first; else
    every reply has its value. Raises EngineError if the game is over.
    """
    if depth < 3:
        raise EngineError(f"a tree of {depth} plies has no top of its own")
    moves = _middle_first(state)
    if not moves:
        raise EngineError("the game is over: there is no move to look at")
    found = []
    best: Score | None = None
    for move in moves:
        branch = _branch(state, move, depth, best if prunes else None)
        if best is None or (branch.value is not None and branch.value > best):
            best = branch.value
        found.append(branch)
    return tuple(found)


def _branch(state: State, move: Move, depth: int, best: Score | None) -> Branch:
    """Return the move with the replies up to the one that proves it no better than `best`."""
    mover, after = state.to_move, state.play(move)
    replies = _middle_first(after)
    if not replies:
        return Branch(move, _ended(after, mover, 1))
    # After a pass the mover moves again, so the replies raise the value.
    sign = 1 if after.to_move is mover else -1
    value: Score | None = None
    drawn = []
    for reply in replies:
        if best is not None and value is not None and sign < 0 and value <= best:
            drawn.append(Branch(reply, None))
            continue
        score = _searched(after.play(reply), mover, depth - 2)
        value = score if value is None else (max if sign > 0 else min)(value, score)
        drawn.append(Branch(reply, score))
    return Branch(move, value, tuple(drawn))


def _searched(state: State, mover: Player, depth: int) -> Score:
    """Return the score of a state two plies below the root by a search of `depth` plies."""
    if not state.legal_moves():
        return _ended(state, mover, 2)
    value = make_agent(f"alphabeta:depth={depth}").choose(state, Limit()).info.score
    if value is None:
        raise RuntimeError("a search without a limit found no value")
    score = search_score(state, value).earlier(2)
    return score if state.to_move is mover else -score


def search_score(state: State, value: float) -> Score:
    """Convert the value of a minimax search, for the state or a move in it, to a Score."""
    plies = plies_to_end(value, spec_of_state(state).search.ply_cost)
    if plies is None:
        return Score.guess(value)
    return Score.won(plies) if value > 0 else Score.lost(plies)


def _ended(state: State, mover: Player, plies: int) -> Score:
    outcome = state.outcome()
    if outcome is None or outcome.winner is None:
        return Score.guess(0)  # as in a search
    return Score.won(plies) if outcome.winner is mover else Score.lost(plies)


def _middle_first(state: State) -> list[Move]:
    """Return the legal moves, those nearest to the centre of the board first, like searches."""
    rows, columns = state.rows, state.columns
    if spec_of_state(state).look.layout is Layout.COLUMNS:
        return sorted(state.legal_moves(), key=lambda move: (abs(2 * move - columns + 1), move))
    return sorted(state.legal_moves(), key=lambda move: _from_middle(move, rows, columns))


def _from_middle(move: Move, rows: int, columns: int) -> tuple[int, int]:
    row, column = divmod(move, columns)
    return max(abs(2 * row - rows + 1), abs(2 * column - columns + 1)), move


@dataclass(frozen=True, slots=True)
class Node:
    """A position of a whole tree, which several orders of moves may reach.

    value: 1, 0 or -1 for the side that moves at the root, with best play. followers: indices in the next
    level; best: those that keep the value.
    """

    state: State
    value: int
    followers: tuple[int, ...]
    best: tuple[int, ...]


def fits_whole(state: State) -> bool:
    """Whether the whole tree is small enough for a picture, according to the game's spec."""
    most = spec_of_state(state).teach.tree_empties
    return most is not None and state.cells().count(None) <= most


def whole_tree(state: State) -> tuple[tuple[Node, ...], ...]:
    """Return every position that can follow this one, level by level, starting with the root.

    Raises EngineError if there are too many, see `fits_whole`.
    """
    if not fits_whole(state):
        raise EngineError("a whole tree from this position would be too large")
    levels: list[list[State]] = [[state]]
    followers: list[list[tuple[int, ...]]] = []
    while any(found.legal_moves() for found in levels[-1]):
        places: dict[State, int] = {}
        followers.append(
            [
                tuple(places.setdefault(found.play(move), len(places)) for move in found.legal_moves())
                for found in levels[-1]
            ]
        )
        levels.append(list(places))
    followers.append([() for _ in levels[-1]])
    return _with_values(levels, followers, state.to_move)


def _with_values(
    levels: Sequence[Sequence[State]], followers: Sequence[Sequence[tuple[int, ...]]], mover: Player
) -> tuple[tuple[Node, ...], ...]:
    """Return the levels with values, computed bottom-up."""
    done: list[tuple[Node, ...]] = []
    below: tuple[Node, ...] = ()
    for states, following in zip(reversed(levels), reversed(followers), strict=True):
        nodes = []
        for state, places in zip(states, following, strict=True):
            if not places:
                value = _ended(state, mover, 0).result or 0
                nodes.append(Node(state, value, (), ()))
                continue
            pick = max if state.to_move is mover else min
            value = pick(below[place].value for place in places)
            best = tuple(place for place in places if below[place].value == value)
            nodes.append(Node(state, value, places, best))
        below = tuple(nodes)
        done.append(below)
    return tuple(reversed(done))
