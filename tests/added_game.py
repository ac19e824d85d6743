"""A pytest plug-in: its process has the game of docs/adding-a-game.md, added as the page says.

`python -m pytest -p tests.added_game FILE`: the page's file and its line are put in place of the sources
while they are imported, so that nothing in the tree changes and no kernel is compiled again.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder, SourceLoader
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "adding-a-game.md"


def page_sources() -> dict[str, str]:
    """By module name: the source of the game, and of the registry with the page's line in it."""
    game, line, *_ = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    registry = (ROOT / "engine" / "games" / "__init__.py").read_text("utf-8")
    registry, found = re.subn(
        r"^FOLDERS = \(.*?\)\n", lambda _: line, registry, flags=re.DOTALL | re.MULTILINE
    )
    assert found == 1
    return {"engine.games": registry, "engine.games.caro": game}


class PageFinder(MetaPathFinder, SourceLoader):  # type: ignore[misc]  # typeshed's bases disagree
    """Loads those modules, and leaves all others to the next finder."""

    def __init__(self) -> None:
        self._sources = page_sources()

    def find_spec(
        self, fullname: str, _path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._sources:
            return None
        spec = spec_from_loader(fullname, self, is_package=fullname == "engine.games")
        if spec is not None and spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(str(ROOT / "engine" / "games"))
        return spec

    def get_filename(self, fullname: str) -> str:
        return f"{PAGE}:{fullname}"

    def get_data(self, path: bytes | str) -> bytes:
        return self._sources[str(path).rpartition(":")[2]].encode()


sys.meta_path.insert(0, PageFinder())
