"""Trees for pictures: their values agree with the search, cuts are sound, whole trees are complete."""

from __future__ import annotations

import pytest

from engine.agents import make_agent
from engine.analysis.game_tree import fits_whole, search_score, tree_top, whole_tree
from engine.core import EngineError, Limit, State, replay
from engine.games import GAMES, game
from engine.games.notation import parse_moves
from engine.score import Score

POSITIONS = [
    ("connect-four", "4435"),
    ("connect-four", "444444"),
    ("othello", "f5d6c3"),
    ("tic-tac-toe", "b2a1"),
]


def state_after(key: str, moves: str) -> State:
    rules = game(key)
    return replay(rules.start(), parse_moves(rules, None, moves))


@pytest.mark.parametrize(("key", "moves"), POSITIONS)
@pytest.mark.parametrize("prunes", [True, False])
def test_the_best_value_of_the_top_is_the_value_of_the_whole_search(
    key: str, moves: str, prunes: bool
) -> None:
    state = state_after(key, moves)
    found = make_agent("minimax:depth=4").choose(state, Limit())
    top = tree_top(state, 4, prunes=prunes)
    assert max(branch.value for branch in top if branch.value is not None) == search_score(
        state, found.info.score or 0.0
    )
    assert sorted(branch.move for branch in top) == list(state.legal_moves())


@pytest.mark.parametrize(("key", "moves"), POSITIONS)
def test_cut_branches_could_not_have_changed_the_choice(key: str, moves: str) -> None:
    state = state_after(key, moves)
    full = {branch.move: branch for branch in tree_top(state, 4, prunes=False)}
    cut = 0
    best = None
    for branch in tree_top(state, 4, prunes=True):
        assert branch.value is not None
        true_value = full[branch.move].value
        assert true_value is not None
        if any(reply.is_cut for reply in branch.replies):
            cut += sum(reply.is_cut for reply in branch.replies)
            assert best is not None
            assert true_value <= branch.value <= best
        else:
            assert branch.value == true_value
        best = branch.value if best is None else max(best, branch.value)
    assert cut > 0 or key == "othello"


@pytest.mark.parametrize("left", [3, 4, 5])
def test_a_win_of_othello_is_counted_in_plies_too(left: int) -> None:
    """Its searches count a won game's discs besides the plies; they are neither moves nor thousands."""
    moves = (
        "f5f6e6f4g6d7c3c5d3e3f3g3g5g4h5h3e7d6h4f8f2f7h2e2c4d2d1b5c1c2b1h7b3f1b4a4c6b6c7e1g1a3c8e8a5a6d8b8b7g7"
    )
    state = state_after("othello", moves)
    while state.cells().count(None) > left:
        state = state.play(state.legal_moves()[0])
    found = make_agent("minimax:depth=8").choose(state, Limit())
    score = search_score(state, found.info.score or 0.0)
    assert found.info.proven
    assert score.plies is not None
    assert left <= score.plies <= left + 2, "passes are counted"
    best = max(branch.value for branch in tree_top(state, 8, prunes=False) if branch.value is not None)
    assert best == score


def test_without_pruning_nothing_is_cut() -> None:
    for branch in tree_top(state_after("connect-four", "4435"), 4, prunes=False):
        assert len(branch.replies) == 7
        assert not any(reply.is_cut for reply in branch.replies)


def test_an_immediate_win_has_no_replies_and_the_highest_value() -> None:
    top = {branch.move: branch for branch in tree_top(state_after("connect-four", "414141"), 4, prunes=True)}
    assert top[3].replies == ()
    assert top[3].value == Score.won(1)


def test_a_tree_needs_a_running_game_and_some_depth() -> None:
    with pytest.raises(EngineError):
        tree_top(state_after("connect-four", "4141414"), 4, prunes=True)
    with pytest.raises(EngineError):
        tree_top(state_after("connect-four", "4"), 2, prunes=True)


def test_a_whole_tree_has_every_position_once_and_is_valued_by_perfect_play() -> None:
    levels = whole_tree(state_after("tic-tac-toe", "b2a1c3c1"))
    assert [len(level) for level in levels] == [1, 5, 20, 24, 21, 5]
    for level in levels:
        assert len({node.state for node in level}) == len(level)
    assert levels[0][0].value == 0
    assert len(levels[0][0].best) == 1, "only b1 holds the draw"
    for row, level in enumerate(levels[:-1]):
        for node in level:
            assert len(node.followers) == len(node.state.legal_moves())
            assert {levels[row + 1][place].state for place in node.followers} == {
                node.state.play(move) for move in node.state.legal_moves()
            }


def test_whole_trees_are_limited_to_tic_tac_toe_with_few_empty_cells() -> None:
    with pytest.raises(EngineError):
        whole_tree(state_after("tic-tac-toe", "b2a1"))
    with pytest.raises(EngineError):
        whole_tree(state_after("connect-four", "4"))


@pytest.mark.parametrize("key", sorted(GAMES.keys() - {"tic-tac-toe"}))
def test_no_other_game_draws_a_whole_tree(key: str) -> None:
    """Kalah has no empty cells, so a limit of 0 would let it through."""
    assert not fits_whole(game(key).start())
