"""Check names and wording, as a part of `make check`: python -m tools.lint_words

Three rules, explained in CONTRIBUTING.md:

- A class name is used once in bot/ and once in engine/.
- A commit subject has at most 72 characters.
- Docstrings and comments avoid five habits of wording that make English hard to read.

It prints each broken rule. The exit code is 1 if a rule is broken, else 0.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("bot", "engine")

LONGEST_SUBJECT = 72
FIRST_CHECKED_COMMIT = "166791a7a46fd8806e3c42b6bd6ce2920e8e633c"
"""Subjects are checked from the commit after this one."""

_VERBS = "is|are|was|were|has|have|had|comes|came|follows|stands|waits|differs|makes|says|could|may|can|must"
_SUBJECTS = "it|they|he|she|people|each|a|an|the|nobody|somebody|anybody|to"
_QUESTIONS = "is|was|has|had|does|may|can|must|plays|makes|reads|asks|wants|leaves|presses|shows"

HABITS = {
    "'what' clause used as a noun": (re.compile(rf"\bwhat (?:{_VERBS}|{_SUBJECTS})\b", re.IGNORECASE), 0.6),
    "'who' clause as a subject": (re.compile(rf"\bwhoever\b|\bwho (?:{_QUESTIONS})\b", re.IGNORECASE), 0.3),
    "'nobody', 'somebody', 'anybody'": (re.compile(r"\b(?:no|some|any)body\b", re.IGNORECASE), 0.3),
    "'so many', 'so long', …": (
        re.compile(r"\bso (?:many|long|often|much|little|soon|close|few)\b(?! (?:as|that)\b)", re.IGNORECASE),
        0.2,
    ),
    "'of which', 'of those', …": (re.compile(r"\bof (?:which|whom|those)\b", re.IGNORECASE), 0.6),
}
"""Each habit's pattern, and how often it may occur per 1,000 words."""


def repeated_class_names(package: Path) -> dict[str, list[str]]:
    """Return the class names that the package's files define more than once, each with its places."""
    places = defaultdict(list)
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(f"{path.relative_to(package.parent).as_posix()}:{node.lineno}")
    return {name: found for name, found in sorted(places.items()) if len(found) > 1}


def long_subjects(repository: Path, first: str = FIRST_CHECKED_COMMIT) -> list[str]:
    """Return the commit subjects after `first` that are too long.

    Empty where the history does not reach back to that commit: outside of git, and in a shallow clone.
    """
    command = ("git", "-C", str(repository), "log", "--no-merges", "--format=%h %s", f"{first}..HEAD")
    try:
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    except FileNotFoundError:
        return []
    lines = done.stdout.splitlines() if done.returncode == 0 else []
    return [line for line in lines if len(line.partition(" ")[2]) > LONGEST_SUBJECT]


def prose_of(source: str) -> Iterator[tuple[int, str]]:
    """Yield each docstring and comment of a Python file with its first line's number."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield node.lineno, text
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")


def frequent_habits(paths: Iterable[Path]) -> list[str]:
    """Return one line for each habit above its limit, with its rate and the places that show it."""
    words = 0
    places: dict[str, list[str]] = {habit: [] for habit in HABITS}
    for path in paths:
        for line, text in prose_of(path.read_text("utf-8")):
            words += len(text.split())
            for habit, (pattern, _) in HABITS.items():
                for match in pattern.finditer(text):
                    number = line + text.count("\n", 0, match.start())
                    places[habit].append(f"  {path}:{number}: {match[0]}")
    found = []
    for habit, (_, limit) in HABITS.items():
        rate = 1000 * len(places[habit]) / max(words, 1)
        if rate > limit:
            head = f"{habit}: {rate:.2f} per 1,000 words, at most {limit}"
            found.append("\n".join((head, *places[habit])))
    return found


def findings(root: Path) -> Iterator[str]:
    for name in PACKAGES:
        package = root / name
        for class_name, places in repeated_class_names(package).items():
            yield f"class {class_name} is defined {len(places)} times: {', '.join(places)}"
        for habit in frequent_habits(sorted(package.rglob("*.py"))):
            yield f"{name}/: {habit}"
    for subject in long_subjects(root):
        yield f"commit subject above {LONGEST_SUBJECT} characters: {subject}"


if __name__ == "__main__":
    found = list(findings(ROOT))
    print("\n".join(found) if found else "Names and wording keep their rules.")
    sys.exit(bool(found))
