"""Time management of the Othello agent: less time for clear moves, more for difficult ones."""

from __future__ import annotations

from engine.games.othello.thinking_time import SOLVED_EMPTIES, Pace

MIDDLE = Pace.of(4.0, 25, 40)


def deepened(pace: Pace, *found: tuple[int, int]) -> Pace:
    for square, value in found:
        pace = pace.after(square, value)
    return pace


def test_a_move_of_the_middle_game_takes_its_share_at_most() -> None:
    assert MIDDLE.most == 1.0
    assert Pace.of(4.0, 0, 40).most == 4.0
    assert Pace.of(None, 25, 40).most is None


def test_a_move_on_which_all_searches_agree_is_made_early() -> None:
    clear = deepened(MIDDLE, *[(19, 3)] * 5)
    assert clear.is_over(0.15)
    assert not clear.is_over(0.05)


def test_a_new_best_move_gets_more_time() -> None:
    stirred = deepened(MIDDLE, *[(19, 3)] * 5, (20, 3))
    assert not stirred.is_over(0.5)
    assert stirred.is_over(0.8)


def test_a_drop_of_the_value_gets_more_time() -> None:
    assert not deepened(MIDDLE, *[(19, 3)] * 5, (19, 0)).is_over(0.5)


def test_the_endgame_may_take_the_whole_time() -> None:
    end = deepened(Pace.of(4.0, 25, SOLVED_EMPTIES), *[(19, 3)] * 5)
    assert end.most == 4.0
    assert not end.is_over(2.0)
    assert deepened(Pace.of(4.0, 25, SOLVED_EMPTIES + 1), *[(19, 3)] * 5).is_over(2.0)


def test_a_varied_player_keeps_time_for_other_moves() -> None:
    assert deepened(Pace.of(4.0, 25, 55, is_varied=True), (19, 3), (20, 3)).is_over(0.4)


def test_without_a_clock_time_never_runs_out() -> None:
    assert not deepened(Pace.of(None, 25, 40), *[(19, 3)] * 9).is_over(1000.0)
