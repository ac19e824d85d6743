"""What every agent promises, on every game it names."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator

import pytest

from engine.agents import AGENTS, make_agent
from engine.core import Agent, EngineError, Limit, Player, State, Stop, replay
from engine.games import GAMES, spec_of_state
from tests.slow_cases import mark_slow
from tests.working import MAX_TEST_WAIT_SECONDS, measured, told_to_stop

# Small enough for whole games, large enough to search: agents that need a depth or simulations get few.
NAMES = {"minimax": "minimax:depth=2", "alphabeta": "alphabeta:depth=3", "mcts": "mcts:simulations=60"}
SEARCHERS = ("minimax", "alphabeta", "mcts")

# Solving a state of the opening takes seconds; with a limit the agent falls back on a faster search.
LIMITS = {"perfect": Limit(nodes=4_000)}

ONE_PLY = Limit(depth=1)
"""For searches without kernels, to which a whole game at random on 225 squares would be minutes."""

PAIRS = [(key, game) for key, spec in AGENTS.items() for game in spec.games]
BOARDS = [(key, game, board) for key, game in PAIRS for board in GAMES[game].boards]
SEARCHES = [(key, game) for key, game in PAIRS if key in SEARCHERS]
SLOW_MCTS = (("mcts", "gomoku"), ("mcts", "draughts"), ("mcts", "hex"))
SLOW_GAMES = [pair for pair in PAIRS if pair[0] != "random" and pair[1] in ("draughts", "gomoku", "hex")]
LARGE = {"perfect": ("8x8x", "9x9x", "10x10x5")}
SLOW_BOARDS = [
    case
    for case in BOARDS
    if case[2].startswith(LARGE.get(case[0], ("11x11", "13x13", "15x15")))
    or case[:2] in (("threats", "gomoku"), ("mcts", "draughts"), ("jumping", "draughts"))
]

ASKED_SECONDS, ALLOWED_SECONDS = 0.05, 0.8
"""The second is processor time; an agent that ignores its clock takes far more."""


def is_plain(state: State) -> bool:
    """Whether searches of this game do without kernels."""
    return spec_of_state(state).search.board is None


def start_of(game: str) -> State:
    """The usual board; of a game without kernels the smallest, since searching takes longer."""
    start = GAMES[game].start()
    if not is_plain(start):
        return start
    boards = [GAMES[game].start(board) for board in GAMES[game].boards]
    return min(boards, key=lambda state: state.rows * state.columns)


def whole_game_limit(key: str, state: State) -> Limit:
    """What keeps a whole game of this agent short on whatever board."""
    if is_plain(state) and key in SEARCHERS:
        return Limit(nodes=15) if key == "mcts" else ONE_PLY
    return LIMITS.get(key, Limit())


def agent(key: str, seed: int = 1) -> Agent:
    return make_agent(NAMES.get(key, key), seed)


def deep_agent(key: str, seed: int = 1) -> Agent:
    """One that would think for hours unless stopped."""
    return make_agent(key if key == "mcts" else f"{key}:depth=40", seed)


def a_game(start: State, player: Agent, limit: Limit) -> Iterator[tuple[State, int]]:
    state = start
    while state.outcome() is None:
        choice = player.choose(state, limit)
        yield state, choice.move
        state = state.play(choice.move)


@pytest.mark.parametrize(("key", "game", "board"), mark_slow(BOARDS, lambda case: case in SLOW_BOARDS))
def test_every_move_of_a_whole_game_is_legal(key: str, game: str, board: str) -> None:
    start = GAMES[game].start(board)
    for state, move in a_game(start, agent(key), whole_game_limit(key, start)):
        assert move in state.legal_moves()


@pytest.mark.parametrize(("key", "game"), mark_slow(PAIRS, lambda pair: pair in SLOW_GAMES))
def test_equal_seeds_make_equal_games(key: str, game: str) -> None:
    # Without a time limit, Monte Carlo in plain Python ends after three seconds: too early on a busy machine.
    start = start_of(game)
    nodes = 20 if is_plain(start) else 50
    limit = LIMITS.get(key, Limit(nodes=nodes, depth=2, seconds=MAX_TEST_WAIT_SECONDS))
    games = [[move for _, move in a_game(start, agent(key, 7), limit)] for _ in range(2)]
    assert games[0] == games[1]


@pytest.mark.parametrize(("key", "game"), PAIRS)
def test_a_finished_game_is_refused_with_a_message(key: str, game: str) -> None:
    state = start_of(game)
    rng = random.Random(1)
    while state.outcome() is None:
        state = state.play(rng.choice(state.legal_moves()))
    with pytest.raises(EngineError, match="the game is over"):
        agent(key).choose(state, Limit())


@pytest.mark.parametrize(("key", "game"), PAIRS)
def test_a_choice_respects_its_time_limit(key: str, game: str) -> None:
    deep = deep_agent(key) if key in SEARCHERS else agent(key)
    state = start_of(game)
    deep.choose(state, Limit(nodes=1))  # loads what it needs
    with measured() as work:
        choice = deep.choose(state, Limit(seconds=ASKED_SECONDS))
    assert work.seconds < ALLOWED_SECONDS
    assert choice.move in state.legal_moves()


@pytest.mark.parametrize(("key", "game"), mark_slow(SEARCHES, lambda pair: pair in SLOW_MCTS))
@pytest.mark.parametrize("nodes", [1, 2, 30, 1000])
def test_a_search_respects_its_node_limit(key: str, game: str, nodes: int) -> None:
    state = start_of(game)
    choice = deep_agent(key).choose(state, Limit(nodes=nodes))
    assert 0 < choice.info.nodes <= nodes
    assert choice.move in state.legal_moves()


@pytest.mark.parametrize(("key", "game"), mark_slow(SEARCHES, lambda pair: pair in SLOW_GAMES))
def test_a_search_respects_its_depth_limit(key: str, game: str) -> None:
    state = start_of(game)
    # So many that the search would look deeper, and few enough for one in plain Python.
    nodes = 1000 if is_plain(state) else 20_000
    info = deep_agent(key).choose(state, Limit(depth=2, nodes=nodes)).info
    assert info.depth <= 2
    assert len(info.pv) <= 2


@pytest.mark.parametrize(("key", "game"), [pair for pair in SEARCHES if pair[1] != "tic-tac-toe"])
def test_a_search_stops_when_told_from_another_thread(key: str, game: str) -> None:
    state = start_of(game)
    with told_to_stop(0.03) as telling:
        choice = deep_agent(key).choose(state, Limit(stop=telling.stop, nodes=10**12))
    assert telling.was_told, "it must have been searching when it was told"
    assert telling.late_seconds < ALLOWED_SECONDS
    assert choice.move in state.legal_moves()


@pytest.mark.parametrize(("key", "game"), PAIRS)
def test_a_search_stopped_before_it_starts_still_returns_a_legal_move(key: str, game: str) -> None:
    stop = Stop()
    stop.set()
    state = start_of(game)
    choice = agent(key).choose(state, Limit(stop=stop))
    assert choice.move in state.legal_moves()
    assert choice.info.pv[0] == choice.move


@pytest.mark.parametrize(("key", "game"), SEARCHES)
def test_the_callers_stop_flag_is_never_raised_by_the_clock(key: str, game: str) -> None:
    stop = Stop()
    deep_agent(key).choose(start_of(game), Limit(seconds=0.02, stop=stop))
    assert not stop.is_set()


@pytest.mark.parametrize(("key", "game"), mark_slow(PAIRS, lambda pair: pair in SLOW_GAMES))
def test_the_search_info_of_a_choice_is_consistent(key: str, game: str) -> None:
    state = start_of(game)
    limit = whole_game_limit(key, state)
    rng = random.Random(5)
    while state.outcome() is None:
        choice = agent(key).choose(state, limit)
        info = choice.info
        assert info.pv[0] == choice.move
        replay(state, info.pv)  # a legal line
        assert info.seconds >= 0
        assert {move for move, _ in info.move_scores} <= set(state.legal_moves())
        assert list(info.move_scores) == sorted(info.move_scores)
        if key in (*SEARCHERS, "one-step"):
            # Without kernels Monte Carlo takes a win at once or the only move, and has nothing to try.
            is_clear = state.play(choice.move).outcome() is not None or len(state.legal_moves()) == 1
            has_tried = not (is_plain(state) and key == "mcts" and is_clear)
            assert info.nodes > 0 if has_tried else info.nodes == 0
            assert info.score is not None
            assert (choice.move, info.score) in info.move_scores
        if key == "mcts":
            assert tuple(move for move, _ in info.visits) == state.legal_moves()
            assert sum(visits for _, visits in info.visits) == info.nodes
        state = state.play(rng.choice(state.legal_moves()))


WON_IN_ONE = [
    ("connect-four", "6x7x4", [0, 6, 0, 6, 0, 5], 0),
    ("connect-four", "6x7x4", [6, 0, 6, 1, 6, 2, 0], 3),
    ("connect-four", "5x5x3", [0, 4, 0, 3], 0),
    ("tic-tac-toe", "3x3", [0, 3, 1, 4], 2),
    ("tic-tac-toe", "3x3", [8, 0, 4, 3, 2], 6),
]


@pytest.mark.parametrize(("game", "board", "moves", "winning"), WON_IN_ONE)
@pytest.mark.parametrize("key", [*SEARCHERS, "one-step"])
def test_a_win_in_one_is_taken_and_scored_for_the_side_to_move(
    key: str, game: str, board: str, moves: list[int], winning: int
) -> None:
    state = replay(GAMES[game].start(board), moves)
    choice = agent(key).choose(state, Limit())
    assert choice.move == winning
    assert choice.info.score is not None
    assert choice.info.score > 0
    if key in SEARCHERS:
        assert choice.info.proven
        assert choice.info.pv == (winning,)


@pytest.mark.parametrize("key", SEARCHERS)
def test_a_threat_is_blocked(key: str) -> None:
    state = replay(GAMES["connect-four"].start(), [0, 3, 0, 3, 6, 3])
    assert agent(key).choose(state, Limit()).move == 3


@pytest.mark.parametrize("key", ["minimax", "alphabeta"])
def test_a_lost_state_has_a_negative_score(key: str) -> None:
    # Three in the middle of an empty row: both ends win, one stone cannot stop both.
    state = replay(GAMES["connect-four"].start(), [2, 2, 3, 3, 4])
    info = make_agent(f"{key}:depth=2").choose(state, Limit()).info
    assert info.proven
    assert info.score is not None
    assert info.score < -900_000
    assert state.to_move is Player.SECOND


@pytest.mark.parametrize(("key", "game"), [pair for pair in SEARCHES if pair[1] != "tic-tac-toe"])
def test_a_searching_thread_lets_other_threads_run(key: str, game: str) -> None:
    """Were the GIL held, this thread would get no turn until the search is over."""
    stop = Stop()
    state = start_of(game)
    player = deep_agent(key)
    player.choose(state, Limit(nodes=1))  # whatever loads at first use is loaded
    limit = Limit(stop=stop, nodes=200_000_000)  # the nodes, so that this test ends in any case
    thread = threading.Thread(target=player.choose, args=(state, limit))
    thread.start()
    for _ in range(10):
        time.sleep(0.005)
        assert thread.is_alive()
    stop.set()
    thread.join()
