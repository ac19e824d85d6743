"""Compilation of kernels: the cache, its invalidation, and operation without it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numba.core.types.functions import BaseFunction

import engine.kernels
from engine.agents.levels import kind_of, levels_of
from engine.agents.warm import KERNELS, STAGES, needed
from engine.games import SPECS
from engine.kernels import jit
from engine.kernels.intrinsics import is_raised
from tests.engine.kernels.calling import called

KERNEL_FOLDER = Path(engine.kernels.__file__).parent
ROOT = KERNEL_FOLDER.parents[1]

EVERY_KERNEL_AT_WORK = """
from engine.agents import make_agent
from engine.core import Limit
from engine.games import SPECS
for game in (spec.rules for spec in SPECS.values() if spec.search.board):
    for name in ("minimax:depth=5", "alphabeta:depth=7", "mcts:simulations=3000"):
        choice = make_agent(name, 3).choose(game.start(), Limit())
        print(game.key, name, choice.move, choice.info.score, choice.info.nodes)
"""


def run(folder: Path, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with a copy of the kernels' own machinery in it."""
    kernels = tmp_path / "engine" / "kernels"
    kernels.mkdir(parents=True)
    (tmp_path / "engine" / "__init__.py").touch()
    for name in ("__init__.py", "jit.py"):
        shutil.copy(KERNEL_FOLDER / name, kernels / name)
    return tmp_path


@pytest.mark.slow
def test_kernels_from_the_cache_agree_with_freshly_compiled_ones(tmp_path: Path) -> None:
    """A kernel that called itself with a literal would crash only when loaded (numba issue 6061)."""
    root = KERNEL_FOLDER.parents[1]
    compiled = run(root, "-c", EVERY_KERNEL_AT_WORK, NUMBA_CACHE_DIR=str(tmp_path))
    written = sorted(tmp_path.rglob("*.nbi"))
    loaded = run(root, "-c", EVERY_KERNEL_AT_WORK, NUMBA_CACHE_DIR=str(tmp_path))
    assert written, "the cache lies where NUMBA_CACHE_DIR says"
    assert sorted(tmp_path.rglob("*.nbi")) == written
    assert loaded == compiled


def test_calling_a_part_of_kernels_from_python_raises() -> None:
    """numba would jump to an entry that was never compiled, and take the process with it."""
    inner: Callable[[int], int] = jit.inlined(lambda x: x + 1)
    assert called(inner)(41) == 42
    with pytest.raises(TypeError, match="Python cannot call it"):
        inner(41)


def test_cached_operator_types_are_not_confused() -> None:
    before = BaseFunction.get_call_type
    whole: Callable[..., object] = jit.kernel("int64(int64, int64)")(lambda x, y: x * 3 + y)
    broken: Callable[..., object] = jit.kernel("float64(int64, float64)")(lambda x, y: x * 3 + y)
    asked: Callable[..., object] = jit.kernel("boolean(int64, boolean)")(lambda x, y: (x * 3 > 2) == y)
    assert (whole(2, 1), broken(2, 0.5), asked(2, False)) == (7, 6.5, False)
    assert BaseFunction.get_call_type is before


@pytest.mark.slow
def test_an_edit_of_an_inlined_part_recompiles_its_callers(copy: Path) -> None:
    kernels = copy / "engine" / "kernels"
    part = "from engine.kernels.jit import inlined\n@inlined\ndef part(x):\n    return x + {}\n"
    (kernels / "whole.py").write_text(
        "from engine.kernels.jit import kernel\nfrom engine.kernels.part import part\n"
        "@kernel('int64(int64)')\ndef whole(x):\n    return part(x)\n"
    )
    ask = ("-c", "from engine.kernels.whole import whole; print(whole(0))")
    answers = []
    for addend in (1, 1, 2):
        (kernels / "part.py").write_text(part.format(addend))
        # Python takes a file of the same second and size for the one that it has compiled.
        answers.append(run(copy, *ask, PYTHONDONTWRITEBYTECODE="1").strip())
    assert answers == ["1", "1", "2"]


@pytest.mark.slow
def test_kernels_work_without_a_writable_cache_folder(copy: Path) -> None:
    blocked = copy / "engine" / "kernels" / "__pycache__"
    blocked.touch()  # a file at the path of the folder
    code = (
        "from engine.kernels import jit\n"
        "assert jit.FOLDER is None, jit.FOLDER\n"
        "print(jit.kernel('int64(int64)')(lambda x: x + 1)(41))"
    )
    nowhere = str(blocked / "home")
    environment = {"HOME": nowhere, "USERPROFILE": nowhere, "NUMBA_CACHE_DIR": nowhere}
    assert run(copy, "-B", "-c", code, **environment).strip() == "42"


def test_every_kernel_module_is_warmed_up() -> None:
    engine = KERNEL_FOLDER.parent
    users = {
        ".".join(("engine", *path.relative_to(engine).with_suffix("").parts))
        for path in [*engine.glob("kernels/*.py"), *engine.glob("games/*/kernels/*.py")]
        if re.search(r"^(@kernel\(|\w+ = \w+_kernel\()", path.read_text("utf-8"), re.MULTILINE)
    }
    assert users == set(KERNELS)


def test_every_search_knows_the_stage_that_it_needs() -> None:
    for stage in STAGES:
        assert {needed(*search) for search in stage.searches} == {stage.key}
    for game, spec in SPECS.items():
        kinds = {kind_of(level.agent) for level in levels_of(game)} | {spec.search.evaluator_kind}
        assert {needed(kind, game) for kind in kinds} <= {None, *(stage.key for stage in STAGES)}
    assert len(KERNELS) == len(set(KERNELS))


@pytest.mark.slow
def test_what_needs_no_kernel_loads_none() -> None:
    code = (
        "import sys\n"
        "from engine.agents import AGENTS, make_agent\n"
        "from engine.agents.warm import needed\n"
        "from engine.core import Limit\n"
        "from engine.games import SPECS\n"
        "free = [(key, game) for key, spec in AGENTS.items() for game in spec.games"
        " if key not in ('mcts', 'minimax', 'alphabeta') and needed(key, game) is None]\n"
        "for key, game in free:\n"
        "    make_agent(key).choose(SPECS[game].rules.start(), Limit())\n"
        "assert {key for key, _ in free} == {'random', 'one-step', 'corner'}\n"
        "assert 'numba' not in sys.modules\n"
    )
    run(ROOT, "-c", code)


@pytest.mark.slow
def test_the_agents_of_a_stage_need_no_kernel_of_a_later_one() -> None:
    code = (
        "import sys\n"
        "from engine.agents.warm import KERNELS, STAGES, prepare\n"
        "known = set()\n"
        "for stage in STAGES:\n"
        "    prepare(stage)\n"
        "    known |= set(stage.modules)\n"
        "    loaded = {name for name in KERNELS if name in sys.modules}\n"
        "    assert loaded == known, loaded ^ known\n"
    )
    run(ROOT, "-c", code)


@pytest.mark.slow
def test_compiling_reports_each_finished_stage() -> None:
    lines = run(ROOT, "-m", "engine.agents").splitlines()
    assert [line.partition(":")[0] for line in lines] == [stage.key for stage in STAGES]


@pytest.mark.slow
def test_a_stage_that_is_wanted_is_compiled_next() -> None:
    told = subprocess.run(
        (sys.executable, "-m", "engine.agents"),
        cwd=ROOT, input=f"{STAGES[-1].key}\nno stage\n", capture_output=True, text=True, check=True,
    )  # fmt: skip
    keys = [line.partition(":")[0] for line in told.stdout.splitlines()]
    assert sorted(keys) == sorted(stage.key for stage in STAGES)
    assert keys.index(STAGES[-1].key) <= 1


def test_a_flag_raised_from_outside_ends_the_loop_that_polls_it() -> None:
    """An ordinary read could be hoisted out of this loop, which would then never end."""

    @jit.kernel("int64(int64[::1])")
    def spin(flag: jit.Words) -> int:
        turns = 0
        while not is_raised(flag):
            turns += 1
        return turns

    flag = np.ones(1, np.int64)
    assert spin(flag) == 0  # compiled
    flag[0] = 0
    threading.Timer(0.05, flag.fill, (1,)).start()
    assert spin(flag) > 0
    assert flag[0] == 1, "it ended because of the flag"


@pytest.mark.slow
def test_kernels_work_after_their_sources_are_freed() -> None:
    said = run(
        ROOT,
        "-c",
        "from engine.agents import warm\n"
        "from engine.games.othello.kernels.endgame import solve\n"
        "warm.load()\n"
        "warm.forget_sources()\n"
        "print(*(each.library._shared_module for each in solve.overloads.values()))\n" + EVERY_KERNEL_AT_WORK,
    )
    assert said == "None\n" + run(ROOT, "-c", EVERY_KERNEL_AT_WORK)
