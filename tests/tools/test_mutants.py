"""`python -m tools.mutants` refuses modules that it has no tests for."""

import pytest


def test_an_unknown_module_is_an_error_that_lists_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("mutmut")
    from tools.mutants import TARGETS, main

    with pytest.raises(SystemExit) as ended:
        main(["bot/domain/no_such.py"])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "no such modules: bot/domain/no_such.py" in said
    assert all(target.path in said for target in TARGETS)
