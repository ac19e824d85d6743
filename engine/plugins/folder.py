"""The folder of plug-ins: which files may be agents, which are used by others, and the host's settings."""

from __future__ import annotations

import ast
import logging
import re
import tomllib
import unicodedata
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.core import UnknownName
from engine.plugins.championship import SUFFIX
from engine.plugins.wire import Source

SETTINGS_FILE, ENGINES_FILE = "agents.toml", "engines.toml"

MAX_NAME_LENGTH = 32
_LONGEST_PARSED = 1 << 20
_NO_AGENT = {
    ".ipynb": "is a notebook: save it as a Python file",
    **dict.fromkeys((".zip", ".gz", ".tar", ".7z", ".rar"), "is an archive: unpack it"),
}


@dataclass(frozen=True, slots=True)
class Remark:
    """What there is to say of a file or an installed plug-in. severity: of `logging`. title: its kind."""

    severity: int
    about: str
    text: str
    trace: str = ""
    title: str = "plug-in"


def sources_in(folder: Path, engines: Collection[Path] = ()) -> tuple[list[Source], list[Remark]]:
    """Return a source for each Python file, and the names of all other files with the reason.

    engines: files of engines, of which nothing is said; they may be Python files, too.

    A file is offered under its own name, or under each name that a table of `agents.toml` gives it. Files
    that begin with _ are helper modules. No code is run.
    """
    sources: list[Source] = []
    remarks: list[Remark] = []
    entries = sorted(entry for entry in folder.resolve().iterdir() if not entry.name.startswith((".", "__")))
    apart = {path for engine in engines for path in (engine, *engine.parents)}
    entries = [entry for entry in entries if entry not in apart]
    files = [entry for entry in entries if entry.is_file() and entry.suffix.lower() == ".py"]
    imported = {file: set(_imported(file)) for file in files}
    tables, faults = _tables(folder)
    remarks += faults
    by_name = {file.name: file for file in files} | {name_of(file): file for file in files}
    for name, table in tables.items():
        file = by_name.get(str(table.get("file", name)))
        if file is None:
            remarks.append(Remark(logging.ERROR, name, f"is left out: {_no_file(name, table, by_name)}"))
        else:
            settings = {key: value for key, value in table.items() if key != "file"}
            sources.append(Source(name, file, settings=settings))
    # A file that a table names is offered under that name alone; a module that others import is no fault.
    named = {source.file for source in sources}
    for entry in entries:
        is_imported = any(entry.stem in names for file, names in imported.items() if file != entry)
        if entry in imported:
            if entry.name.startswith("_"):
                remarks.append(Remark(logging.INFO, entry.name, "is a helper module by its name"))
            elif entry not in named:
                sources.append(Source(name_of(entry), entry, is_imported=is_imported))
        elif entry.suffix.lower() in _NO_AGENT:
            remarks.append(Remark(logging.WARNING, entry.name, _NO_AGENT[entry.suffix.lower()]))
        elif entry.is_dir() and not is_imported and any(entry.glob("*.py")):
            text = "is a folder: agents lie beside it, not in it"
            remarks.append(Remark(logging.WARNING, entry.name, text))
        elif entry.name not in (SETTINGS_FILE, ENGINES_FILE):
            remarks.append(Remark(logging.INFO, entry.name, "is no Python file"))
    return sources, remarks


def name_of(file: Path) -> str:
    """Return the plug-in's name of a file with any name: lower-case letters, digits, - and _."""
    stem = unicodedata.normalize("NFKD", file.stem.lower().removesuffix(SUFFIX))
    name = re.sub(r"[^a-z0-9_]+", "-", stem.encode("ascii", "ignore").decode()).strip("-_")
    return name[:MAX_NAME_LENGTH] or f"agent-{zlib.crc32(stem.encode()):08x}"


def _imported(file: Path) -> Iterator[str]:
    """Yield every name in the file's imports: `a`, `b` and `c` of `from a.b import c`."""
    try:
        if file.stat().st_size > _LONGEST_PARSED:
            return
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError, RecursionError, MemoryError, OSError):
        return  # loading it will say why
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (node.module or "").split(".")
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                yield from alias.name.split(".")


def _tables(folder: Path) -> tuple[Mapping[str, Mapping[str, object]], list[Remark]]:
    try:
        told = tomllib.loads((folder / SETTINGS_FILE).read_text("utf-8"))
    except FileNotFoundError:
        return {}, []
    except (ValueError, OSError, RecursionError) as error:
        return {}, [Remark(logging.ERROR, SETTINGS_FILE, f"is ignored: {error}")]
    tables = {name: value for name, value in told.items() if isinstance(value, dict)}
    lines = [name for name in told if name not in tables]
    text = f"has {', '.join(lines)} outside a table: begin one with the agent's name, as in [minimax]"
    return tables, [Remark(logging.ERROR, SETTINGS_FILE, text)] if lines else []


def _no_file(name: str, table: Mapping[str, object], known: Iterable[str]) -> str:
    wanted = str(table.get("file", name))
    return str(UnknownName(f"{SETTINGS_FILE} names {wanted}, but there is no such file", wanted, known))
