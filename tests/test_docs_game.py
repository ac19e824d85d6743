"""docs/adding-a-game.md, followed to the letter, gives a game that keeps the contract."""

from __future__ import annotations

import re
import sys
import types
from pathlib import Path
from random import Random

import pytest

from engine.core import Game, IllegalMove, replay

PAGE = Path(__file__).parents[1] / "docs" / "adding-a-game.md"


@pytest.fixture
def caro() -> Game:
    source = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[0]
    module = types.ModuleType("caro")
    sys.modules["caro"] = module  # dataclasses look their module up
    try:
        exec(compile(source, str(PAGE), "exec"), module.__dict__)
        rules: Game = module.Caro()
        return rules
    finally:
        del sys.modules["caro"]


def test_the_worked_example_plays_by_the_contract(caro: Game) -> None:
    rng = Random(9)
    for _ in range(3):
        state, moves = caro.start(), []
        while state.outcome() is None:
            legal = state.legal_moves()
            assert list(legal) == sorted(legal)
            moves.append(rng.choice(legal))
            assert caro.parse_move(state, caro.move_name(state, moves[-1])) == moves[-1]
            state = state.play(moves[-1])
            with pytest.raises(IllegalMove):
                state.play(moves[-1])
        assert replay(caro.start(), moves) == state
        outcome = state.outcome()
        assert outcome is not None
        assert {state.cells()[cell] for cell in outcome.line} <= {outcome.winner}
