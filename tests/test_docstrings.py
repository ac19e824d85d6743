"""Docstrings: each module has one, and each public function names the refusals that it raises."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = sorted(path for room in ("bot", "engine") for path in (ROOT / room).rglob("*.py"))

REFUSALS = {
    "MatchError", "SetupError", "NotFound", "Unavailable", "Conflict", "Unusable",
    "EngineError", "BoardError", "NotationError", "ArenaError", "IllegalMove",
}  # fmt: skip
"""Errors that callers should expect; errors caused by bugs need no mention."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def public_functions(tree: ast.AST, told: str = "") -> Iterator[tuple[Function, str]]:
    """Yield each public function that is not nested, with its own and its class's docstring."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from public_functions(node, ast.get_docstring(node) or "")
        elif isinstance(node, Function) and not node.name.startswith("_"):
            yield node, told + (ast.get_docstring(node) or "")


def refusals_in(function: Function) -> set[str]:
    """Return the names of the errors that the function itself raises."""
    found, left = set(), list[ast.AST](function.body)
    while left:
        node = left.pop()
        if isinstance(node, Function | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Raise) and node.exc is not None:
            error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            found.add(ast.unparse(error))
        left += ast.iter_child_nodes(node)
    return found & REFUSALS


def silent_functions(path: Path, tree: ast.AST) -> Iterator[str]:
    # Only discord.py calls a command's function, and a refusal becomes a line for the person.
    if path.parent.name == "commands" and not path.name.endswith("options.py"):
        return
    for function, told in public_functions(tree):
        if refusals_in(function) and "aise" not in told:
            yield f"{path.relative_to(ROOT)}:{function.lineno} {function.name}"


def trees() -> Iterator[tuple[Path, ast.Module]]:
    for path in FILES:
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def test_a_public_function_names_the_errors_it_raises() -> None:
    assert [name for path, tree in trees() for name in silent_functions(path, tree)] == []


def test_a_module_opens_with_a_docstring() -> None:
    bare = [
        str(path.relative_to(ROOT)) for path, tree in trees() if tree.body and not ast.get_docstring(tree)
    ]
    assert bare == []
