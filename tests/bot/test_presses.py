"""The moment of a press is handed on by every front end."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import bot

ROOT = Path(bot.__file__).parent


def calls(*rooms: str, name: str) -> Iterator[tuple[str, ast.Call]]:
    """The calls of that name in these folders, with the function around each."""
    for path in sorted(file for room in rooms for file in (ROOT / room).rglob("*.py")):
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == name:
                    yield f"{path.relative_to(ROOT).as_posix()} {function.name}", call


def without_moment(*rooms: str, name: str) -> set[str]:
    """The functions that call it without the moment of a press."""
    return {
        where for where, call in calls(*rooms, name=name)
        if all(keyword.arg != "pressed_at" for keyword in call.keywords)
    }  # fmt: skip


def test_every_person_who_acts_comes_with_the_moment_of_the_press() -> None:
    assert without_moment("ui", "commands", name="Person") == {"ui/context.py named"}
    actors = {
        where for where, call in calls("ui", "commands", name="named")
        if ast.unparse(call.args[0]) == "interaction.user"
    }  # fmt: skip
    assert actors == {"ui/context.py person_of"}, "which adds the moment; others are named"
    assert without_moment("ui", "commands", name="Organiser") == set()
    assert without_moment("web", name="Person") == {
        "web/documents.py person_in",  # the commands of pages add it
        "web/game_reviews.py _answered",  # no time decides about a file
        "web/home.py _guest",  # its first move adds it
        "web/live.py _follow_review",  # nobody acts
        "web/live.py _review",  # a reader only reads
    }
