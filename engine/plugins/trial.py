"""The trial of a plug-in: two moves of each game that it says it plays, before anybody plays against it."""

from __future__ import annotations

import random
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass

from engine.agents.levels import ENGINE, Level
from engine.core import History, Limit
from engine.games import game
from engine.plugins.running import Forfeit, Plugin, Resignation, judged

TRIAL_SECONDS = 5.0
"""After this time no further game or board begins; what has not been tried is taken on trust."""

_ENGINE_PLY = 5

_TOLD = Limit(seconds=0.2)
"""What an agent hears; one that uses more time has its usual limit."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a trial. games, boards: those that are offered; `games` is () if it failed everywhere.

    reason: of the first failure, "" without one. remark: what is not offered, and why.
    """

    games: tuple[str, ...]
    boards: tuple[str, ...]
    reason: str = ""
    remark: str = ""


def trial(plugin: Plugin, seconds: float) -> Verdict:
    """Ask the plug-in for a move as the first side, and for the other side's answer, in each game.

    A plug-in of one game is tried on all boards that it plays, others on the usual ones. An agent that names
    no boards and fails on one was probably written for one size: its moves on others would be legal by luck.
    So it is offered on the first board alone.
    """
    level = plugin.level
    passed: list[tuple[str, str]] = []
    failed: dict[tuple[str, str], str] = {}
    untried = _places(level)
    is_for_one_board = len(level.games) == 1 and not level.boards
    end = time.monotonic() + seconds
    with ExitStack() as agents:
        while untried and time.monotonic() < end and not (is_for_one_board and passed and failed):
            place = untried.pop(0)
            try:
                _play_two_moves(plugin, *place, agents)
            except Forfeit as fault:
                failed[place] = str(fault)
            else:
                passed.append(place)
    if not failed:
        return Verdict(level.games, level.boards)
    (key, board), reason = next(iter(failed.items()))
    if not passed:
        return Verdict((), (), reason)
    # Of several games those are left that it plays; of one game, the boards.
    if len(level.games) > 1:
        games = tuple(key for key in level.games if key not in {key for key, _ in failed})
        refused = ", ".join(key for key, _ in failed)
        return Verdict(games, level.boards, reason, f"does not play {refused}, where {reason}")
    boards = tuple(board for _, board in (passed[:1] if is_for_one_board else [*passed, *untried]))
    return Verdict(
        (key,), boards, reason, f"is offered on {', '.join(boards)} only, since on {board} {reason}"
    )


def _places(level: Level) -> list[tuple[str, str]]:
    """Return (game, board) of all games, the usual boards first."""
    boards = {key: [board for board in game(key).boards if level.plays(key, board)] for key in level.games}
    if len(boards) == 1:
        return [(key, board) for key, names in boards.items() for board in names]
    return [(key, names[0]) for key, names in boards.items() if names]


def _play_two_moves(plugin: Plugin, key: str, board: str, agents: ExitStack) -> None:
    """Raises Forfeit for a side that gives no legal move. The agents stay until the end of the trial.

    The second side of an engine moves with five moves on the board: some have other rows or colours than
    ours, or begin to need their weights then.
    """
    start = state = game(key).start(board)
    moves: tuple[int, ...] = ()
    rng = random.Random(board)
    for seed in (0, 1):
        while seed and plugin.level.kind == ENGINE and len(moves) < _ENGINE_PLY:
            moves = (*moves, rng.choice(state.legal_moves()))
            state = state.play(moves[-1])
        agent = agents.enter_context(closing(plugin.make(seed)))
        agent.follow(History(key, board, start, moves))
        reply, took = agent.ask(state, _TOLD, plugin.level.limit.seconds or TRIAL_SECONDS)
        try:
            move = judged(state, reply, took).move
        except Resignation:
            raise Forfeit("it resigned at its first move") from None
        moves, state = (*moves, move), state.play(move)
