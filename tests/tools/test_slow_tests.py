"""The list of slow tests names tests that exist, and none that must always run."""

import re

from tests.conftest import SLOW
from tools.slow_tests import ALWAYS, ROOT


def test_every_name_in_the_list_is_that_of_a_test() -> None:
    gone = []
    for name in SLOW:
        path, *parts = re.sub(r"\[.*", "", name, flags=re.DOTALL).split("::")
        text = (ROOT / path).read_text("utf-8") if (ROOT / path).exists() else ""
        if not any(re.search(rf"\b{part}\b", text) for part in parts):
            gone.append(name)
    assert not gone, "no such tests; `make slow-tests` writes the list anew"


def test_widely_affected_tests_are_not_in_the_list() -> None:
    assert not [name for name in SLOW if name.startswith(ALWAYS)]
