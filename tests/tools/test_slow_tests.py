"""`make slow-tests` names the tests whose mark disagrees with their time."""

from tools.slow_tests import wrongly_marked


def test_slow_tests_without_the_mark_and_quick_ones_with_it_are_named() -> None:
    measured = [
        "0.310 quick tests/test_b.py::test_b",
        "0.290 quick tests/test_c.py::test_c",
        "0.050 slow tests/test_a.py::test_a[a case]",
        "0.200 slow tests/test_d.py::test_d",
        "9.000 quick tests/test_dependencies.py::test_that_always_runs",
    ]
    assert list(wrongly_marked(measured)) == [
        "marked, not slow: 0.050 s tests/test_a.py::test_a[a case]",
        "slow, not marked: 0.310 s tests/test_b.py::test_b",
    ]
