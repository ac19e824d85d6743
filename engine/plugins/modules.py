"""Modules made up for the files of plug-ins, in place of those of the courses they come from."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from types import ModuleType


def install_module(name: str, content: Mapping[str, object], path: list[str] | None = None) -> None:
    """Make a module importable, and an attribute of its parent; path: of a package, where its files lie."""
    module = ModuleType(name)
    if path is not None:
        module.__path__ = path
    vars(module).update(content)
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)
