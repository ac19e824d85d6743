"""Reviews from given values: marks, losing moves, accuracies, and the order of questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import exp

import pytest

from engine.analysis.evaluators import ESTIMATE
from engine.analysis.review import (
    FIRST_EACH,
    FIRST_SECONDS,
    LATER_EACH,
    LATER_SECONDS,
    SHOWN_EVERY_SECONDS,
    Mark,
    Question,
    Review,
    Reviewed,
    plan,
    review,
    side_of,
)
from engine.core import Player, states_of
from engine.games import game
from engine.score import Evaluation, Score, final_score

RULES = game("connect-four")
WON, DRAWN, LOST = Score.won(), Score.drawn(), Score.lost()
likely = Score.likely


def proved(result: int, moves: int | None = None) -> Score:
    """Won or lost in that number of the winner's moves."""
    if moves is None:
        return Score(result)
    return Score.won(2 * moves - 1) if result > 0 else Score.lost(2 * moves)


def _known(score: Score, best: int | None = None) -> Evaluation:
    return Evaluation(score, () if best is None else (best,))


def one_move(before: Score, after: Score, *, best: int | None = 5) -> Reviewed:
    """Column 4 on the empty board. before, after: for the side that makes the move."""
    states = states_of(RULES.start(), [3])
    found = Review.of(states, [3], [_known(before, best), _known(-after, 2)]).reviewed[0]
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("before", "after", "given", "mark"),
    [
        (likely(0.5), likely(0.5), 0.0, Mark.BEST),
        (likely(0.5), likely(0.3), 0.1, Mark.GOOD),
        (likely(0.5), likely(0.28), 0.11, Mark.MISTAKE),
        (likely(0.5), likely(-0.3), 0.4, Mark.MISTAKE),
        (likely(0.5), likely(-0.4), 0.45, Mark.BLUNDER),
        (WON, DRAWN, 0.5, Mark.BLUNDER),
        (DRAWN, LOST, 0.5, Mark.BLUNDER),
        (WON, LOST, 1.0, Mark.BLUNDER),
        (DRAWN, DRAWN, 0.0, Mark.BEST),
        (WON, likely(0.9), 0.05, Mark.GOOD),
        (proved(1, 3), proved(1, 2), 0.0, Mark.BEST),
        (proved(1, 3), proved(1, 3), 0.02, Mark.GOOD),
        (proved(1, 3), proved(1, 6), 0.08, Mark.GOOD),
        (proved(1, 3), proved(1, 7), 0.1, Mark.MISTAKE),
        (proved(1, 3), proved(1, 20), 0.25, Mark.MISTAKE),
        (proved(1, 3), proved(1, 1), 0.0, Mark.BEST),
        (proved(-1, 6), proved(-1, 6), 0.0, Mark.BEST),
        (proved(-1, 6), proved(-1, 5), 0.02, Mark.GOOD),
        (proved(-1, 6), proved(-1, 2), 0.08, Mark.GOOD),
        (proved(-1, 6), proved(-1, 1), 0.1, Mark.MISTAKE),
        (proved(-1, 6), proved(-1, 7), 0.0, Mark.BEST),
        (WON, proved(1, 9), 0.0, Mark.BEST),
        (proved(1, 3), WON, 0.0, Mark.BEST),
        (Score.by_discs(10), Score.by_discs(10), 0.0, Mark.BEST),
        (Score.by_discs(10), Score.by_discs(9), 0.01, Mark.GOOD),
        (Score.by_discs(10), Score.by_discs(4), 0.06, Mark.GOOD),
        (Score.by_discs(10), Score.by_discs(3), 0.07, Mark.MISTAKE),
        (Score.by_discs(64), Score.by_discs(2), 0.25, Mark.MISTAKE),
        (WON, Score.by_discs(2), 0.0, Mark.BEST),
        (Score.by_discs(10), WON, 0.0, Mark.BEST),
    ],
)
def test_a_moves_loss_determines_its_mark(before: Score, after: Score, given: float, mark: Mark) -> None:
    found = one_move(before, after)
    assert found.given == pytest.approx(given)
    assert found.mark is mark
    assert (found.ply, found.player, found.move, found.is_forced) == (0, Player.FIRST, 3, False)
    assert (found.before, found.after) == (before, after)
    assert found.best == (3 if given == 0 else 5)


@pytest.mark.parametrize(
    ("values", "missed"),
    [
        ((DRAWN, WON, DRAWN), None),
        ((WON, DRAWN, DRAWN), 0),
        ((likely(0.6), likely(0.2), DRAWN), 0),
        ((likely(0.6), likely(0.4), likely(0.4)), None),
    ],
)
def test_the_last_chance_is_the_last_won_state_given_away(
    values: tuple[Score, ...], missed: int | None
) -> None:
    """values: for the first player, before each of the moves 4 and 4 and at the end."""
    moves = [3, 3]
    states = states_of(RULES.start(), moves)
    found = [_known(value if ply % 2 == 0 else -value, 5) for ply, value in enumerate(values)]
    chance = Review.of(states, moves, found).last_chance(Player.FIRST)
    assert (None if chance is None else chance.ply) == missed


def test_a_move_without_a_known_better_one_is_the_best() -> None:
    assert one_move(WON, LOST, best=None).best == 3


def test_a_move_worth_more_than_its_state_raises_the_states_score() -> None:
    states = states_of(RULES.start(), [3])

    def first(here: Score, after: Score) -> Evaluation | None:
        return Review.of(states, [3], [_known(here, 5), _known(-after, 2)]).evaluations[0]

    assert first(likely(0.2), proved(1, 4)) == _known(WON, 3)
    assert first(likely(0.2), Score.about(8, 5)) == _known(Score.about(8, 5), 3)
    assert first(likely(0.2), DRAWN) == _known(likely(0.2), 5)
    assert first(likely(-0.2), DRAWN) == _known(likely(0.0), 3), "it is the least, not proved"
    assert first(likely(0.2), likely(0.2)) == _known(likely(0.2), 5)
    assert first(DRAWN, likely(0.6)) == _known(DRAWN, 5), "what is proved stays"
    nothing = Review.of(states, [3], [None, _known(LOST)])
    assert nothing.evaluations[0] is None
    assert nothing.reviewed == (None,)
    assert Review.of(states, [3], [_known(DRAWN), None]).reviewed == (None,)


def test_a_raised_score_propagates_back_over_many_moves() -> None:
    states = states_of(RULES.start(), [3, 3, 3])
    found = Review.of(
        states, [3, 3, 3], [_known(likely(0.1)), _known(likely(0.9)), _known(likely(0.1)), _known(LOST)]
    )
    assert found.evaluations[2] == _known(WON, 3)
    assert found.evaluations[1] == _known(likely(0.9))
    assert found.evaluations[0] == _known(likely(0.1))
    assert found.moves == (3, 3, 3)
    found = Review.of(states[:3], [3, 3], [_known(likely(0.1)), _known(likely(-0.5)), _known(likely(0.5))])
    assert found.evaluations[0] == _known(likely(0.5), 3)


def test_a_forced_move_gave_nothing_away_whatever_was_expected() -> None:
    rules = game("tic-tac-toe")
    moves = [0, 1, 2, 4, 3, 5, 7, 6, 8]
    found = Review.of(
        states_of(rules.start(), moves), moves, [*[None] * 8, _known(likely(0.5), 8), _known(DRAWN)]
    ).reviewed[8]
    assert found is not None
    assert (found.is_forced, found.given, found.mark) == (True, 0.0, Mark.BEST)


def test_a_review_uses_the_board_of_the_match() -> None:
    states = states_of(RULES.start("3x3x3"), [0])
    assert review(RULES, "3x3x3", [0], Hands()).states == tuple(states)


# The whole game


def known(worths: Sequence[Score | None]) -> Review:
    """Columns 1 to 7 in turn; worths: for the side to move."""
    moves = [ply % 7 for ply in range(len(worths) - 1)]
    states = states_of(RULES.start(), moves)
    return Review.of(
        states,
        moves,
        [None if worth is None else _known(worth, (ply + 3) % 7) for ply, worth in enumerate(worths)],
    )


def test_the_share_and_the_first_proved_ply_are_known() -> None:
    found = known([likely(0.1), None, DRAWN, DRAWN])
    assert found.share == 0.75
    assert found.exact_from == 2
    assert known([DRAWN, likely(0.0)]).exact_from is None
    assert known([DRAWN, DRAWN]).exact_from == 0
    assert known([DRAWN, None]).exact_from is None


def test_expectations_are_the_first_players() -> None:
    found = known([likely(0.25), likely(0.5), None])
    assert [found.expectation(ply) for ply in range(3)] == [0.25, -0.5, None]
    assert side_of(found.states, 0) is Player.FIRST
    assert side_of(found.states, 1) is Player.SECOND
    assert side_of(found.states, 2) is Player.FIRST


def test_accuracy_falls_with_the_share_given_away_of_what_was_at_stake() -> None:
    # First: 0.5 to 0.3 and 0.3 to -0.1; second: nothing given.
    found = known([likely(0.5), likely(-0.3), likely(0.3), likely(0.1), likely(-0.1)])
    assert [move.given for move in found.reviewed if move] == pytest.approx([0.1, 0.0, 0.2, 0.0])
    # 0.3 of the stakes 0.75 and 0.65.
    assert found.accuracy(Player.FIRST) == pytest.approx(exp(-5.5 * 0.3 / 1.4))
    assert found.accuracy(Player.SECOND) == 1.0
    assert known([likely(0.5), likely(-0.3)]).accuracy(Player.SECOND) is None
    first = found.reviewed[0]
    assert first is not None
    forced = replace(found, reviewed=(replace(first, is_forced=True), *found.reviewed[1:]))
    assert forced.accuracy(Player.FIRST) == pytest.approx(exp(-5.5 * 0.2 / 0.65))


def test_a_lost_position_hardly_counts_for_accuracy() -> None:
    """One move of two gives a won game away; a long lost game afterwards does not make up for it."""
    short = known([Score.won(9), Score.won(8), Score.lost(9), Score.won(8)])
    long = known(
        [Score.won(9), *(Score.won(20 - ply) if ply % 2 else Score.lost(20 - ply) for ply in range(1, 14))]
    )
    for found in (short, long):
        accuracy = found.accuracy(Player.FIRST)
        assert accuracy is not None
        assert accuracy < 0.1


def test_the_worst_move_gave_away_most_and_there_may_be_none() -> None:
    found = known([likely(0.5), likely(-0.3), likely(0.3), likely(0.1), likely(-0.1)])
    worst = found.worst_move()
    assert worst is not None
    assert worst.ply == 2
    assert known([likely(0.5), likely(-0.5)]).worst_move() is None
    assert known([None, None]).worst_move() is None


@pytest.mark.parametrize(
    ("worths", "loser", "ply"),
    [
        ([DRAWN, WON, LOST], Player.FIRST, 0),
        ([DRAWN, WON, LOST], Player.SECOND, None),
        ([DRAWN, DRAWN, DRAWN], Player.FIRST, None),
        ([DRAWN, WON, DRAWN], Player.FIRST, None),  # lost and given back
        (
            [likely(0.0), likely(0.4), likely(-0.4), likely(0.9), LOST],
            Player.FIRST,
            2,
        ),  # the larger of two steps
        ([likely(0.0), likely(0.45), likely(-0.45), likely(0.6), likely(-0.6)], Player.FIRST, 0),
        ([likely(0.0), likely(0.5), likely(-0.5)], Player.FIRST, None),  # at the boundary it is not lost
        ([likely(0.0), likely(0.51), likely(-0.51)], Player.FIRST, 0),
        # Back to a held state: earlier moves had not lost the game.
        (
            [likely(0.0), likely(0.6), likely(0.2), likely(0.4), likely(-0.4), likely(0.6), likely(-0.6)],
            Player.FIRST,
            2,
        ),
        ([LOST, WON, LOST], Player.FIRST, None),  # lost from the beginning
        ([likely(0.0), likely(0.0), WON, LOST], Player.SECOND, 1),
        ([None, None, WON, LOST], Player.FIRST, None),
        ([DRAWN, WON, None, None], Player.FIRST, 0),
        # Known values start in the middle, or have a gap.
        ([None, DRAWN, WON, LOST], Player.SECOND, 1),
        ([DRAWN, DRAWN, None, likely(0.4), likely(-0.4), likely(0.6)], Player.FIRST, 4),
        # It begins nearly lost, or lost without proof.
        ([likely(-0.4), likely(0.6), likely(-0.6)], Player.FIRST, 0),
        ([likely(-0.6), likely(0.7), likely(-0.7)], Player.FIRST, None),
        # The other side gives back more than any move lost, and not enough.
        (
            [likely(-0.4), likely(0.49), likely(-0.31), likely(0.39), likely(-0.39), likely(0.55)],
            Player.FIRST,
            4,
        ),
        ([likely(0.0), likely(0.3), likely(-0.3), likely(0.55)], Player.FIRST, 0),  # at the boundary not held
    ],
)
def test_the_losing_move_is_the_one_that_lost_the_game_for_good(
    worths: list[Score | None], loser: Player, ply: int | None
) -> None:
    losing = known(worths).losing_move(loser)
    assert (None if losing is None else losing.ply) == ply


# In which order it is asked


class Hands:
    """A clock that only advances when the test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def asked(
    moves: Sequence[int],
    answers: dict[int, Score],
    *,
    seconds: float = 0.0,
    later_seconds: float = LATER_SECONDS,
    later_each: float = LATER_EACH,
) -> list[Question | float]:
    """Every question, and the share that is known whenever something is shown. seconds: for each answer."""
    clock, states = Hands(), states_of(RULES.start(), moves)
    steps, found = plan(states, moves, clock, later_seconds, later_each), list[Question | float]()
    answer: Evaluation | None = None
    while True:
        try:
            step = steps.send(answer)
        except StopIteration:
            return found
        answer = None
        if isinstance(step, Question):
            found.append(step)
            clock.now += seconds
            is_estimate = step.limit == ESTIMATE
            answer = _known(likely(0.1) if is_estimate else answers.get(step.ply, likely(0.1)), 0)
        else:
            found.append(step.share)


def test_proofs_run_backwards_then_the_rest_is_estimated_then_proofs_continue() -> None:
    found = asked([3, 3, 2], {3: DRAWN, 2: DRAWN, 0: DRAWN})
    plies = [step.ply if isinstance(step, Question) else step for step in found]
    assert plies == [3, 2, 1, 0, 1.0, 1, 1.0]
    limits = [step.limit for step in found if isinstance(step, Question)]
    assert [limit.seconds for limit in limits[:3]] == [FIRST_EACH] * 3
    assert limits[3] == ESTIMATE
    assert limits[4].seconds == LATER_EACH
    assert (FIRST_EACH, LATER_EACH) == (0.4, 4.0)


def test_the_start_is_proved_again_like_every_other_state() -> None:
    found = asked([3], {1: DRAWN})
    assert [step.ply if isinstance(step, Question) else step for step in found] == [1, 0, 1.0, 0, 1.0]


def test_no_question_follows_once_everything_is_proved() -> None:
    found = asked([3], {1: DRAWN, 0: DRAWN})
    assert [step.ply if isinstance(step, Question) else step for step in found] == [1, 0, 1.0]


def test_the_first_proofs_share_a_decreasing_time_budget() -> None:
    found = asked([3, 3, 2, 2, 1], dict.fromkeys(range(6), DRAWN), seconds=0.5)
    questions = [step for step in found if isinstance(step, Question)]
    seconds = [step.limit.seconds for step in questions[:3]]
    assert seconds == pytest.approx([0.4, 0.4, 0.2])
    assert [step.ply for step in questions[:6]] == [5, 4, 3, 2, 1, 0]
    assert [step.limit for step in questions[3:6]] == [ESTIMATE] * 3
    assert FIRST_SECONDS == 1.2


def test_reviews_are_yielded_repeatedly_during_the_evaluation() -> None:
    found = asked([3, 3, 2, 2, 1], {}, seconds=0.3)
    shares = [step for step in found if not isinstance(step, Question)]
    assert shares == pytest.approx([2 / 6, 4 / 6, 1.0, 1.0])
    assert SHOWN_EVERY_SECONDS == 0.6


def test_later_proofs_have_a_time_of_their_own() -> None:
    found = asked([3, 3, 2, 2], dict.fromkeys(range(5), DRAWN), seconds=3.0, later_seconds=7.0)
    end = found.index(1.0)
    later = [step for step in found[end:] if isinstance(step, Question)]
    assert [step.limit.seconds for step in later] == pytest.approx([4.0, 4.0, 1.0])
    assert [step.ply for step in later] == [3, 2, 1]
    assert [step for step in found[end:] if not isinstance(step, Question)] == [1.0] * 4, (
        "nothing is forgotten"
    )
    found = asked([3, 3, 2, 2], dict.fromkeys(range(5), DRAWN), seconds=3.0, later_seconds=6.0)
    assert len([step for step in found[found.index(1.0) :] if isinstance(step, Question)]) == 2
    assert LATER_SECONDS == 15.0


def test_later_proofs_may_take_longer_in_the_background() -> None:
    found = asked([3, 3], {2: DRAWN, 1: DRAWN, 0: DRAWN}, seconds=3.0, later_seconds=20.0, later_each=10.0)
    later = [step.limit.seconds for step in found[found.index(1.0) :] if isinstance(step, Question)]
    assert later == pytest.approx([10.0, 10.0])


def test_a_finished_game_is_known_at_its_end() -> None:
    moves = [0, 6, 1, 6, 2, 6, 3]
    found = asked(moves, {ply: WON if ply % 2 == 0 else LOST for ply in range(7)})
    assert [step.ply for step in found if isinstance(step, Question)] == [6, 5, 4, 3, 2, 1, 0]
    states = states_of(RULES.start(), moves)
    assert final_score(states[-1]).result == -1


def test_stored_keys_never_change() -> None:
    assert [mark.value for mark in Mark] == ["best", "good", "mistake", "blunder"]


@pytest.mark.parametrize(
    ("key", "move", "best", "given"),
    [
        ("othello", "f5", "d3", 0.0),
        ("connect-four", "3", "5", 0.0),
        ("connect-four", "3", "3", 0.0),
        ("tic-tac-toe", "a1", "c3", 0.0),
        ("tic-tac-toe", "a1", "b2", 0.2),
    ],
)
def test_a_move_symmetric_to_the_best_gave_nothing_away(key: str, move: str, best: str, given: float) -> None:
    rules = game(key)
    start = rules.start()
    made, better = (rules.parse_move(start, name) for name in (move, best))
    values = [_known(likely(0.4), better), _known(likely(0.0))]
    found = Review.of(states_of(start, [made]), [made], values).reviewed[0]
    assert found is not None
    assert found.given == pytest.approx(given)
    assert found.mark is (Mark.MISTAKE if given else Mark.BEST)
    assert found.best == (better if given else made)
