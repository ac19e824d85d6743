"""Why a move is good, as keys that a catalogue puts into words: read off the board, not out of a search."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace

from engine.core import Move, Outcome, State
from engine.games.connect_four import ConnectFourState
from engine.games.othello import OthelloState
from engine.games.tic_tac_toe import TicTacToeState


class Why(enum.StrEnum):
    """What a move does, the most telling first; `number` of a Reason is what the text counts."""

    WINS = "wins"
    STOPS_ROW = "stops_row"
    STOPS_COLUMN = "stops_column"
    STOPS_DIAGONAL = "stops_diagonal"
    TWO_THREATS = "two_threats"
    CORNER = "corner"
    ONLY_MOVE = "only_move"
    KEEPS_TURN = "keeps_turn"
    FEW_REPLIES = "few_replies"
    THREAT = "threat"
    CENTRE = "centre"


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that a move does. number: the line's length, or the replies that are left."""

    why: Why
    number: int = 0


_FEW = 4


def reasons(state: State, move: Move) -> tuple[Reason, ...]:
    """What the move does in this state, the most telling first; () when nothing strikes the eye."""
    found: list[Reason] = []
    after = state.play(move)
    outcome = after.outcome()
    if outcome is not None and outcome.winner is state.to_move:
        found.append(Reason(Why.WINS))
    elif len(state.legal_moves()) == 1:
        found.append(Reason(Why.ONLY_MOVE))
    elif isinstance(state, OthelloState) and isinstance(after, OthelloState):
        found.extend(_in_othello(state, move, after))
    else:
        found.extend(_in_a_line_game(state, move, after))
    order = list(Why)
    return tuple(sorted(found, key=lambda reason: order.index(reason.why)))


def _in_a_line_game(state: State, move: Move, after: State) -> list[Reason]:
    found = []
    length = state.k if isinstance(state, ConnectFourState) else 3
    threatened = _line_by(_other_side(state), move)
    if threatened is not None:
        found.append(Reason(_direction(threatened.line, state.columns), length))
    if after.outcome() is None:
        # The same board with the mover to move again: where would they win at once?
        again = _other_side(after)
        threats = sum(_line_by(again, square) is not None for square in again.legal_moves())
        if threats >= 2:
            found.append(Reason(Why.TWO_THREATS))
        elif threats == 1:
            found.append(Reason(Why.THREAT, length))
    if _is_central(state, move):
        found.append(Reason(Why.CENTRE))
    return found


def _in_othello(state: OthelloState, move: Move, after: OthelloState) -> list[Reason]:
    size, found = state.size, []
    if move in (0, size - 1, size * (size - 1), size * size - 1):
        found.append(Reason(Why.CORNER))
    replies = after.legal_moves()
    if replies == (after.pass_move,):
        found.append(Reason(Why.KEEPS_TURN))
    elif 0 < len(replies) <= _FEW:
        found.append(Reason(Why.FEW_REPLIES, len(replies)))
    return found


def _other_side(state: State) -> State:
    """The same board with the other side to move."""
    if isinstance(state, (ConnectFourState, TicTacToeState)):
        return replace(state, own=state.own ^ state.mask, ply=state.ply + 1)
    return state


def _line_by(state: State, move: Move) -> Outcome | None:
    """How the game ends if the side to move moves there, where that makes a line."""
    if move not in state.legal_moves():
        return None
    outcome = state.play(move).outcome()
    return outcome if outcome is not None and outcome.line else None


def _direction(line: tuple[int, ...], columns: int) -> Why:
    rows = {cell // columns for cell in line}
    if len(rows) == 1:
        return Why.STOPS_ROW
    return Why.STOPS_COLUMN if len({cell % columns for cell in line}) == 1 else Why.STOPS_DIAGONAL


def _is_central(state: State, move: Move) -> bool:
    column = move if isinstance(state, ConnectFourState) else move % state.columns
    if isinstance(state, TicTacToeState):
        return move == 4
    return 2 * column == state.columns - 1
