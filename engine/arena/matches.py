"""Arenas: every agent against every other, with swapped colours, from openings that both sides get to play.

Deterministic agents would repeat one game for ever, so each pair of games starts from a random opening,
played twice with swapped colours. A forfeited move (`SearchInfo.forfeit`) is counted, and the game goes on
with the random move in its place, as in the bot. Lateness is one reason among others, judged where the agent
is asked: a plug-in by the clock of its worker process, while other agents end by their limit themselves.
"""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace

from engine.agents.agent_cache import close_agent, tell_history
from engine.arena.elo import Rating, ratings
from engine.core import (
    Agent,
    EndReason,
    EngineError,
    Game,
    History,
    Limit,
    Move,
    Outcome,
    Player,
    State,
    replay,
)
from engine.games import spec_of_state

_QUIET_PLIES = 3
_TRIES_PER_OPENING = 50


class ArenaError(EngineError):
    """An arena cannot be played with these arguments; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Contender:
    """name: unique in the arena; make: seed -> agent, called for each game; limit: of each move."""

    name: str
    make: Callable[[int], Agent]
    limit: Limit


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game. Pairs (x, y) belong to Player.FIRST and Player.SECOND.

    contenders: the players of the two sides, as indices into `Arena.names`. moves: the whole game, including
    the opening. winner: None for a draw. seconds and chosen: thinking time and number of each side's own
    moves. forfeits: why each side forfeited some of these.
    """

    contenders: tuple[int, int]
    opening: tuple[Move, ...]
    moves: tuple[Move, ...]
    winner: Player | None
    reason: EndReason
    seconds: tuple[float, float]
    chosen: tuple[int, int]
    forfeits: tuple[tuple[str, ...], tuple[str, ...]]

    def points(self, contender: int) -> float:
        """Return 1, 0.5 or 0 for one of the two contenders."""
        if self.winner is None:
            return 0.5
        return float(self.contenders[self.winner] == contender)


@dataclass(frozen=True, slots=True)
class Tally:
    """Results of games from one contender's point of view."""

    wins: int = 0
    draws: int = 0
    losses: int = 0


@dataclass(frozen=True, slots=True)
class Arena:
    """All results, in the order of the schedule: the two games of a pair are adjacent."""

    game: str
    board: str
    seed: int
    names: tuple[str, ...]
    results: tuple[GameResult, ...]

    def tally(self, contender: int, opponent: int | None = None) -> Tally:
        """Return wins, draws and losses against that opponent, or against all."""
        points = [
            result.points(contender)
            for result in self.results
            if contender in result.contenders and (opponent is None or opponent in result.contenders)
        ]
        return Tally(points.count(1.0), points.count(0.5), points.count(0.0))

    def forfeits(self, contender: int) -> tuple[str, ...]:
        """Return why the contender forfeited moves, a reason for each of them, in the order of the games."""
        return tuple(reason for result, side in self._sides(contender) for reason in result.forfeits[side])

    def chosen(self, contender: int) -> int:
        """Return the number of the contender's own moves, forfeited ones included."""
        return sum(result.chosen[side] for result, side in self._sides(contender))

    def mean_seconds(self, contender: int) -> float | None:
        """Return the mean seconds per move; None for a contender without a move."""
        seconds, chosen = (
            sum(result.seconds[side] for result, side in self._sides(contender)),
            self.chosen(contender),
        )
        return seconds / chosen if chosen else None

    def _sides(self, contender: int) -> list[tuple[GameResult, int]]:
        """Return the contender's games, and its side in each."""
        return [
            (result, result.contenders.index(contender))
            for result in self.results
            if contender in result.contenders
        ]

    def ratings(self) -> tuple[Rating, ...]:
        """Return one rating per name; see `engine.arena.elo`."""
        pairs: dict[tuple[int, int], list[float]] = {}
        for one, other in zip(self.results[::2], self.results[1::2], strict=True):
            a, b = one.contenders
            pairs.setdefault((a, b), []).append(one.points(a) + other.points(a))
        return ratings(len(self.names), pairs, self.seed)

    def as_json(self) -> dict[str, object]:
        """Return games and summary in plain types."""
        everybody = range(len(self.names))
        return {
            "game": self.game,
            "board": self.board,
            "seed": self.seed,
            "entrants": [
                {
                    "name": self.names[contender],
                    "elo": rating.elo,
                    "elo_low": rating.low,
                    "elo_high": rating.high,
                    **_as_dict(self.tally(contender)),
                    "forfeits": len(self.forfeits(contender)),
                    "first_forfeit": next(iter(self.forfeits(contender)), None),
                    "mean_seconds": self.mean_seconds(contender),
                    "against": {
                        self.names[other]: _as_dict(self.tally(contender, other))
                        for other in everybody
                        if other != contender
                    },
                }
                for contender, rating in enumerate(self.ratings())
            ],
            "games": [
                {
                    "first": self.names[result.contenders[0]],
                    "second": self.names[result.contenders[1]],
                    "opening": list(result.opening),
                    "moves": list(result.moves),
                    "winner": None if result.winner is None else self.names[result.contenders[result.winner]],
                    "reason": result.reason,
                    "seconds": list(result.seconds),
                    "forfeits": [len(reasons) for reasons in result.forfeits],
                }
                for result in self.results
            ],
        }


def _as_dict(tally: Tally) -> dict[str, int]:
    return {"wins": tally.wins, "draws": tally.draws, "losses": tally.losses}


def play_arena(
    game: Game,
    board: str | None,
    contenders: Sequence[Contender],
    *,
    games: int,
    seed: int = 0,
    jobs: int = 1,
    on_game: Callable[[int, int], None] | None = None,
) -> Arena:
    """Play `games` games, an even number, between each two contenders.

    jobs: games at once, in threads; kernels release the GIL, but more games than cores slow every clock
    down. on_game: called with (done, total). Equal seeds give equal games if no agent's choice depends on its
    time. Raises ArenaError for invalid numbers, BoardError for the board, and any exception of an agent.
    """
    if games < 2 or games % 2:
        raise ArenaError(
            f"the games of a pairing are an even number, so that colours are swapped, not {games}"
        )
    names = tuple(contender.name for contender in contenders)
    if len(names) < 2 or len(set(names)) < len(names):
        raise ArenaError(f"an arena needs two or more different agents, not {', '.join(names) or 'none'}")
    start = game.start(board)
    starts = openings(start, games // 2, seed)
    # Loads and perhaps compiles kernels before any clock runs; a plug-in's process stays for all games.
    waiting = [contender.make(seed) for contender in contenders]
    for agent, contender in zip(waiting, contenders, strict=True):
        tell_history(agent, History(game.key, board or game.boards[0], start))
        agent.choose(start, replace(contender.limit, nodes=1, seconds=1.0))
    schedule = [
        (sides, opening, seed + 2 * number + sides[0] * 1_000_003 + sides[1] * 7_368_787)
        for a, b in itertools.combinations(range(len(contenders)), 2)
        for number, opening in enumerate(starts)
        for sides in ((a, b), (b, a))
    ]
    with ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="arena") as threads:
        played = [
            threads.submit(play_game, start, opening, sides, contenders, game_seed, board)
            for sides, opening, game_seed in schedule
        ]
        try:
            for done, future in enumerate(as_completed(played), 1):
                future.result()
                if on_game is not None:
                    on_game(done, len(played))
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            raise
    for agent in waiting:
        close_agent(agent)
    results = tuple(future.result() for future in played)
    return Arena(game.key, board or game.boards[0], seed, names, results)


def play_game(
    start: State,
    opening: tuple[Move, ...],
    sides: tuple[int, int],
    contenders: Sequence[Contender],
    seed: int,
    board: str | None = None,
) -> GameResult:
    """Play one game from the opening on; `sides` are the numbers of the first and second player.

    board: the name of the start's, None for the game's usual one.
    """
    agents = [contenders[side].make(seed + number) for number, side in enumerate(sides)]
    rules = spec_of_state(start).rules
    history = History(rules.key, board or rules.boards[0], start)
    state = replay(start, opening)
    moves, seconds, chosen = list(opening), [0.0, 0.0], [0, 0]
    forfeits: tuple[list[str], list[str]] = [], []
    while (outcome := state.outcome()) is None:
        player = state.to_move
        tell_history(agents[player], replace(history, moves=tuple(moves)))
        began = time.perf_counter()
        choice = agents[player].choose(state, contenders[sides[player]].limit)
        seconds[player] += time.perf_counter() - began
        chosen[player] += 1
        if choice.info.forfeit:
            forfeits[player].append(choice.info.forfeit)
        if choice.info.resigns:
            outcome = Outcome(player.other, EndReason.OTHER)
            break
        state = state.play(choice.move)
        moves.append(choice.move)
    for agent in agents:
        close_agent(agent)
    return GameResult(
        sides,
        opening,
        tuple(moves),
        outcome.winner,
        outcome.reason,
        (seconds[0], seconds[1]),
        (chosen[0], chosen[1]),
        (tuple(forfeits[0]), tuple(forfeits[1])),
    )


def openings(start: State, count: int, seed: int, plies: int | None = None) -> list[tuple[Move, ...]]:
    """Return `count` random openings from which neither side can force a win within three plies.

    They lead to distinct positions, and repeat if there are not enough. plies: by default one per ten cells,
    so 4 for Connect Four, 6 for Othello and 1 for Tic-tac-toe. Raises ArenaError if no such position was
    found.
    """
    if plies is None:
        plies = max(1, start.rows * start.columns // 10)
    rng = random.Random(seed)
    found: dict[State, tuple[Move, ...]] = {}
    for _ in range(count * _TRIES_PER_OPENING):
        moves = _random_moves(start, plies, rng)
        state = replay(start, moves)
        if state not in found and len(moves) == plies and _is_quiet(state):
            found[state] = moves
        if len(found) == count:
            break
    if not found:
        raise ArenaError(f"no opening of {plies} plies leaves the game open")
    return list(itertools.islice(itertools.cycle(found.values()), count))


def _random_moves(start: State, plies: int, rng: random.Random) -> tuple[Move, ...]:
    """Return `plies` random moves, fewer if the game ends before."""
    state = start
    moves: list[Move] = []
    while len(moves) < plies and (legal := state.legal_moves()):
        moves.append(rng.choice(legal))
        state = state.play(moves[-1])
    return tuple(moves)


def _is_quiet(state: State) -> bool:
    return state.outcome() is None and all(not _forced(state, player, _QUIET_PLIES) for player in Player)


def _forced(state: State, player: Player, plies: int) -> bool:
    """Whether that player can force a win within `plies`."""
    outcome = state.outcome()
    if outcome is not None or plies == 0:
        return outcome is not None and outcome.winner is player
    replies = (_forced(state.play(move), player, plies - 1) for move in state.legal_moves())
    return any(replies) if state.to_move is player else all(replies)
