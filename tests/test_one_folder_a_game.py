"""Nothing outside a game's own folder asks which game it has before it: it asks the game's spec."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from engine.games import FOLDERS, GAMES

ROOT = Path(__file__).parents[1]
GAMES_FOLDER = ROOT / "engine" / "games"
NAMES = {name.replace("_", "").replace("-", "") for name in (*FOLDERS, *GAMES) if len(name) > 3}
"""Hex is left out, which is in hexagons and hexadecimal digits; its folder must not be imported either."""

SHORT = {f"engine.games.{folder}." for folder in FOLDERS if len(folder) <= 3}

MAY = {
    "engine/games/__init__.py": "the registry",
    "bot/store/shared.py": "letters that stand for usual words; a game that is not among them is kept whole",
    "bot/store/migrations/versions/0302_old_swap2.py": "renames the boards of one game",
    "engine/plugins/championship.py": "the board of one game's championship, for players written for it",
    "engine/plugins/kaggle.py": "the arguments of one game's competition, for agents written for it",
    **{
        f"engine/plugins/protocols/{name}.py": "a protocol of programs for one game"
        for name in ("gomocup", "gtp", "htp", "nboard")
    },
}
"""Files that may name a game, and why."""


def _files() -> Iterator[Path]:
    own = [GAMES_FOLDER / folder for folder in FOLDERS]
    for path in sorted([*(ROOT / "engine").rglob("*.py"), *(ROOT / "bot").rglob("*.py")]):
        if not any(folder in path.parents for folder in own) and ROOT / "bot" / "demo" not in path.parents:
            yield path


def _docstrings(tree: ast.AST) -> set[int]:
    """The nodes of texts that stand alone: they explain, and ask nothing."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def _words(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, word) of every name in the code and of every text in it that is one word, as keys are."""
    alone = _docstrings(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.arg(arg=word):
                yield node.lineno, word
            case ast.FunctionDef(name=word) | ast.ClassDef(name=word) | ast.AsyncFunctionDef(name=word):
                yield node.lineno, word
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=module, names=names):
                yield from ((node.lineno, f"{module}.{alias.name}") for alias in names)
            case ast.Constant(value=str(word)) if id(node) not in alone and len(word.split()) == 1:
                yield node.lineno, word


def _questions(path: Path) -> list[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return [
        f"line {line}: {word}"
        for line, word in _words(tree)
        if any(name in word.lower().replace("_", "").replace("-", "") for name in NAMES)
        or any(f"{word}.".startswith(folder) for folder in SHORT)
    ]


def test_no_file_names_a_game_but_its_own_folder() -> None:
    named = [
        f"{name}, {question}"
        for path in _files()
        if (name := path.relative_to(ROOT).as_posix()) not in MAY
        for question in _questions(path)
    ]
    assert named == []


def test_a_question_is_noticed_however_it_is_asked(tmp_path: Path) -> None:
    asked = tmp_path / "asked.py"
    asked.write_text(
        '"""Says Othello and may."""\n'
        "from engine.games.othello import OthelloState\n"
        "if game == 'tic-tac-toe' or isinstance(state, ConnectFourState):\n"
        "    print('Othello and others', f'othello_{size}')\n",
        "utf-8",
    )
    assert _questions(asked) == [
        "line 2: engine.games.othello.OthelloState",
        "line 3: tic-tac-toe",
        "line 3: ConnectFourState",
        "line 4: othello_",
    ]
