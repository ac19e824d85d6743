"""Repeating the same line leads to a different game each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from bench.variety import PLIES, favourites_of, line_against, matches_of, measure, reply
from engine.agents import make_agent
from engine.agents.levels import LEVELS, levels_of
from engine.core import Move, Player, State, replay
from engine.games import GAMES
from engine.games.connect_four.exact_solver import ConnectFourSolver

MOST_EQUAL = 2
"""Of fifty games, at ply 12."""
ALIKE = {("connect-four", "mia"): 5}
"""Higher limits for levels with too few good moves, over three people and both colours."""
LINES_THAT_WIN = 23
"""Winning lines up to ply 12 of a perfect first player against a player who always takes the middle."""
BEAT_THEO = [int(column) - 1 for column in "44434344733663375755556"]
CONNECT_FOUR = ("pip", "bo", "mia", "otto", "tess", "theo", "luca", "vera", "ivo", "nils")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "key"),
    [
        *(("connect-four", key) for key in CONNECT_FOUR),
        *(("othello", key) for key in ("cora", "otto", "finn", "theo", "hugo")),
    ],
)
def test_of_fifty_games_against_a_fixed_line_hardly_two_are_alike(game: str, key: str) -> None:
    level = next(level for level in levels_of(game) if level.key == key)
    most = max(max(match.values()) for match in matches_of(level, GAMES[game].start(), 50))
    assert most <= ALIKE.get((game, key), MOST_EQUAL + 1)


def test_una_has_too_few_winning_lines_as_first_player_to_be_as_varied() -> None:
    start = GAMES["connect-four"].start()
    found = winning_lines(start, favourites_of(0, start), ConnectFourSolver())
    assert found == LINES_THAT_WIN


def winning_lines(state: State, favourites: Sequence[Move], solver: ConnectFourSolver) -> int:
    """How many lines up to ply 12 keep the first player's win against that persona."""
    if state.ply == PLIES or state.outcome() is not None:
        return 1
    if state.to_move is Player.SECOND:
        return winning_lines(state.play(reply(state, favourites)), favourites, solver)
    scores = solver.analyze(state) or {}
    return sum(winning_lines(state.play(move), favourites, solver) for move, own in scores.items() if own > 0)


def test_a_line_that_beat_theo_once_does_not_beat_him_every_time() -> None:
    theo = next(level for level in LEVELS if level.key == "theo")
    start = GAMES["connect-four"].start()
    assert replay(start, BEAT_THEO).outcome() is not None
    lines = Counter(_following(theo.agent, start, seed) for seed in range(50))
    assert max(lines.values()) <= MOST_EQUAL


def _following(agent_name: str, start: State, seed: int) -> tuple[int, ...]:
    """How far a game goes in which the first player makes that line's moves as long as they are legal."""
    state, agent, moves = start, make_agent(agent_name, seed), []
    while state.outcome() is None and state.ply < len(BEAT_THEO):
        move = agent.choose(state, LEVELS[0].limit).move if state.ply % 2 else BEAT_THEO[state.ply]
        if move not in state.legal_moves():
            break
        moves.append(move)
        state = state.play(move)
    return tuple(moves)


def test_the_same_seed_plays_the_same_game() -> None:
    start = GAMES["othello"].start()
    level = next(level for level in LEVELS if level.key == "hugo")
    one, other = (line_against(level, start, Player.FIRST, favourites_of(1, start), 7) for _ in range(2))
    assert one == other


@pytest.mark.parametrize("key", ["vera", "nils"])
def test_the_same_seed_opens_alike(key: str) -> None:
    start = GAMES["connect-four"].start()
    level = next(level for level in LEVELS if level.key == key)
    one, other = (line_against(level, start, Player.SECOND, favourites_of(1, start), 7) for _ in range(2))
    assert one == other


def test_a_table_can_be_asked_for_one_level_alone(capsys: pytest.CaptureFixture[str]) -> None:
    measure(["othello"], games=2, plies=3, level_name="Otto")
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")]
    assert [row.split(" | ")[0] for row in rows] == ["| level", "| Otto"]
