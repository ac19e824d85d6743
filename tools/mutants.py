"""Mutation testing of the pure modules: `python -m tools.mutants [MODULE ...]`.

The mutations are mutmut's (https://github.com/boxed/mutmut), applied one at a time to every line of the
modules below. mutmut's own runner skips decorated functions, and therefore every property. Here each mutant
is imported in a process forked from one that has everything else loaded, and runs the module's tests.

A surviving mutant means a missing test, unless it changes no behaviour; tools/known_mutants.md lists those
with the reason. The exit code is 1 if a survivor is not listed, if a listed mutant no longer exists, or if
fewer than nine of ten mutants of a module are killed.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import importlib.abc
import importlib.machinery
import os
import re
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import spec_from_file_location
from pathlib import Path
from types import CodeType
from typing import cast

import libcst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators, operator_string

ROOT = Path(__file__).parents[1]
KNOWN = ROOT / "tools" / "known_mutants.md"
LEAST_KILLED = 0.9

CPU_SECONDS, WALL_SECONDS, TIMES = 30, 20.0, 10
"""Limits for the tests of one mutant; TIMES is relative to the unchanged module. A mutant that loops or waits
for ever counts as killed."""


OWN = "bot", "engine", "tests", "tools", "bench", "example_games"
"""Packages whose modules may import the changed one."""


@dataclass(frozen=True)
class Target:
    """A module and the tests that must notice when it changes, the quickest first. slow: with slow ones."""

    path: str
    tests: tuple[str, ...]
    slow: bool = False

    @property
    def module(self) -> str:
        return self.path.removesuffix(".py").replace("/", ".")


TARGETS = (
    Target("bot/domain/clock.py", ("tests/bot/domain/test_clock.py",)),
    Target("bot/domain/rating_share.py", ("tests/bot/domain/test_rating_share.py",)),
    Target(
        "bot/services/changes.py",
        ("tests/bot/services/test_stored_changes.py", "tests/bot/services/test_changes.py"),
    ),
    Target(
        "bot/domain/match.py",
        ("tests/bot/domain/test_match.py", "tests/bot/domain/test_match_of_agents.py"),
    ),
    Target("bot/domain/location.py", ("tests/bot/domain/test_match.py",)),
    Target("bot/domain/result.py", ("tests/bot/domain/test_match.py",)),
    Target("bot/domain/challenge.py", ("tests/bot/domain/test_challenge.py",)),
    Target("bot/domain/rating.py", ("tests/bot/domain/test_rating.py",)),
    Target("bot/domain/season.py", ("tests/bot/domain/test_season.py",), slow=True),
    Target("bot/domain/achievement.py", ("tests/bot/domain/test_achievement.py",)),
    Target(
        "bot/domain/tournament/model.py",
        ("tests/bot/domain/tournament/test_values.py", "tests/bot/domain/tournament/test_model.py"),
    ),
    Target("bot/domain/tournament/pairing.py", ("tests/bot/domain/tournament/test_pairing.py",), slow=True),
    Target(
        "bot/domain/tournament/rounds.py",
        ("tests/bot/domain/tournament/test_rounds.py", "tests/bot/domain/tournament/test_model.py"),
    ),
    Target(
        "bot/domain/tournament/standings.py", ("tests/bot/domain/tournament/test_standings.py",), slow=True
    ),
    Target("bot/store/endings.py", ("tests/bot/store/test_endings.py",), slow=True),
    Target("bot/search/pool.py", ("tests/bot/test_search_pool.py",)),
    Target(
        "engine/analysis/review.py",
        ("tests/engine/analysis/test_review_values.py", "tests/engine/analysis/test_review.py"),
    ),
    Target("engine/games/notation.py", ("tests/engine/games/test_notation.py",)),
)


@dataclass(frozen=True)
class Mutant:
    """One changed line. code: the whole module with it. before, after: the line itself."""

    line: int
    before: str
    after: str
    code: str

    @property
    def key(self) -> tuple[str, str]:
        return self.before, self.after


# Making the mutants


def _places(node: libcst.CSTNode) -> Iterator[libcst.CSTNode]:
    """Yield the nodes to change: no annotation, decorator or import, since tests cannot notice those."""
    if not isinstance(node, (libcst.Annotation, libcst.Decorator, libcst.Import, libcst.ImportFrom)):
        yield node
        for child in node.children:
            yield from _places(child)


def mutants(source: str) -> Iterator[Mutant]:
    """Yield every mutant of the module's source, from its first line to its last."""
    wrapper = MetadataWrapper(libcst.parse_module(source))
    lines = source.splitlines()
    positions = wrapper.resolve(PositionProvider)
    seen = {source}
    for node in _places(wrapper.module):
        for kind, operator in mutation_operators:
            if not isinstance(node, kind):
                continue
            # Three spellings of a changed text are no better than one.
            changes = list(operator(node))[: 1 if operator is operator_string else None]
            for changed in changes:
                code = cast(libcst.Module, wrapper.module.deep_replace(node, changed)).code
                if code in seen:
                    continue
                seen.add(code)
                yield _mutant(positions[node].start.line, lines, code)


def _mutant(first: int, lines: Sequence[str], code: str) -> Mutant:
    """first: line of the changed node; the first difference may be on a later line of it."""
    after = code.splitlines()
    number = next(
        (i for i in range(min(len(lines), len(after))) if lines[i] != after[i]),
        first - 1,
    )
    same_tail = 0
    while same_tail < min(len(lines), len(after)) - number and lines[-1 - same_tail] == after[-1 - same_tail]:
        same_tail += 1
    before_text = _one_line(lines[number : len(lines) - same_tail])
    return Mutant(number + 1, before_text, _one_line(after[number : len(after) - same_tail]), code)


def _one_line(lines: Sequence[str]) -> str:
    return " ".join(line.strip() for line in lines)


# Running the tests


class _Finder(importlib.abc.MetaPathFinder):
    """Loads one module from a changed source instead of its file. on_find: called before the load."""

    def __init__(self, target: Target, code: str, on_find: Callable[[], None] = lambda: None) -> None:
        self._target, self._code, self._on_find = target, code, on_find

    def find_spec(self, fullname: str, *_: object) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._target.module:
            return None
        self._on_find()
        file = str(ROOT / self._target.path)
        return spec_from_file_location(fullname, file, loader=_Loader(fullname, file, self._code))


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self._text = text

    def get_code(self, _name: str) -> CodeType:
        code: CodeType = compile(self._text, self.path, "exec", dont_inherit=True)
        return code


def _run_tests(target: Target) -> int:
    """Return pytest's exit code; 0 means that the mutant survived."""
    sink = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(sink, descriptor)
    options = (
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "--assert=plain",
        "-m",
        "" if target.slow else "not slow",
    )
    with contextlib.suppress(SystemExit):
        return int(pytest.main([*options, *target.tests]))
    return 1


def _in_child(work: Callable[[], int]) -> int:
    """Fork a process that exits with the work's result; return its id."""
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        code = work()
    except SystemExit as error:
        print(error, file=sys.stderr, flush=True)
    finally:
        os._exit(code)


def _loaded_before(target: Target) -> list[str]:
    """Return the modules that every mutant of the target shares, in their order: those independent of it."""
    reading, writing = os.pipe()

    def look() -> int:
        independent: list[str] = []

        def note() -> None:
            if not independent:
                independent.extend(name for name in list(sys.modules) if _is_whole(name))

        sys.meta_path.insert(0, _Finder(target, (ROOT / target.path).read_text("utf-8"), note))
        code = _run_tests(target)
        others = [name for name in sys.modules if name.partition(".")[0] not in OWN]
        names = [name for name in dict.fromkeys((*independent, *others)) if not name.startswith("tests")]
        os.write(writing, "\n".join(names).encode())
        return code

    child = _in_child(look)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        names = pipe.read().splitlines()
    if _exit_code(os.waitpid(child, 0)[1]):
        raise SystemExit(f"{target.path}: {' '.join(target.tests)} fail without any change")
    return names


def _is_whole(name: str) -> bool:
    """Whether the module and all packages around it have finished loading."""
    parts = name.split(".")
    packages = (sys.modules.get(".".join(parts[:count])) for count in range(1, len(parts) + 1))
    return not any(
        getattr(getattr(package, "__spec__", None), "_initializing", False) for package in packages
    )


def _exit_code(status: int) -> int:
    return os.waitstatus_to_exitcode(status)


def survivors_of(target: Target, found: Sequence[Mutant], jobs: int) -> list[Mutant]:
    """Return the mutants that pass the tests. It loads modules for good: call it in its own process."""
    for name in _loaded_before(target):
        with contextlib.suppress(Exception):  # some modules need another machine or a running test
            importlib.import_module(name)
    gc.collect()
    gc.freeze()  # otherwise each mutant's process would scan all shared objects
    if target.module in sys.modules:
        raise SystemExit(f"{target.path}: loaded too early")
    unchanged = (ROOT / target.path).read_text("utf-8")
    began = time.monotonic()
    if _exit_code(os.waitpid(_in_child(lambda: _tested(target, unchanged)), 0)[1]):
        raise SystemExit(f"{target.path}: {' '.join(target.tests)} fail after a fork without any change")
    most_seconds = WALL_SECONDS + TIMES * (time.monotonic() - began)
    waiting, running, survived = list(reversed(found)), dict[int, tuple[Mutant, float]](), []
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant = waiting.pop()
            running[_in_child(partial(_tested, target, mutant.code))] = mutant, time.monotonic()
        child, status = os.waitpid(-1, os.WNOHANG)
        if child:
            mutant, _ = running.pop(child)
            if _exit_code(status) == 0:
                survived.append(mutant)
            continue
        for child, (_, began) in running.items():
            if time.monotonic() - began > most_seconds:
                os.kill(child, signal.SIGKILL)
        time.sleep(0.01)
    return sorted(survived, key=lambda mutant: mutant.line)


def _tested(target: Target, code: str) -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    sys.meta_path.insert(0, _Finder(target, code))
    return _run_tests(target)


# Reporting


def known(document: str) -> dict[str, set[tuple[str, str]]]:
    """Return the survivors in the document by module, from lines such as "- `a < b` → `a <= b`: why"."""
    found: dict[str, set[tuple[str, str]]] = {}
    path = ""
    for line in document.splitlines():
        if heading := re.fullmatch(r"## `(.+)`", line):
            path = heading[1]
        elif entry := re.match(r"- `` ?(.+?) ?`` → `` ?(.*?) ?``: ", line):
            found.setdefault(path, set()).add((entry[1], entry[2]))
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("modules", nargs="*", help="such as bot/domain/match.py (default: all of them)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--among", type=Path, metavar="FILE", help="only the mutants in an earlier run's output"
    )
    options = parser.parse_args(arguments)
    known_paths = [target.path for target in TARGETS]
    if unknown := sorted(set(options.modules) - set(known_paths)):
        parser.error(f"no such modules: {', '.join(unknown)}; there are {', '.join(known_paths)}")
    among = options.among and known(options.among.read_text("utf-8"))
    listed = known(KNOWN.read_text("utf-8")) if KNOWN.exists() else {}
    is_good = True
    for target in TARGETS:
        if target.path not in (options.modules or known_paths):
            continue
        found = list(mutants((ROOT / target.path).read_text("utf-8")))
        if among is not None:
            found = [mutant for mutant in found if mutant.key in among.get(target.path, ())]
        listed_here = listed.get(target.path, set())
        gone = set() if among is not None else listed_here - {mutant.key for mutant in found}
        for before, after in sorted(gone):
            print(f"listed for {target.path}, but no mutant of it: {before} → {after}", flush=True)
        is_good &= not gone
        child = _in_child(partial(_report, target, found, listed_here, options.jobs))
        is_good &= _exit_code(os.waitpid(child, 0)[1]) == 0
    return 0 if is_good else 1


def _report(target: Target, found: Sequence[Mutant], listed: set[tuple[str, str]], jobs: int) -> int:
    began = time.monotonic()
    survived = survivors_of(target, found, jobs)
    killed = len(found) - len(survived)
    unknown = [mutant for mutant in survived if mutant.key not in listed]
    share = killed / len(found) if found else 1.0
    seconds = time.monotonic() - began
    print(f"## `{target.path}`\n\n{killed} of {len(found)} killed, {share:.1%}, in {seconds:.0f} s\n")
    for mutant in unknown:
        print(f"- `` {mutant.before} `` → `` {mutant.after} ``: line {mutant.line}")
    print(flush=True)
    return 1 if unknown or share < LEAST_KILLED else 0


if __name__ == "__main__":
    sys.exit(main())
