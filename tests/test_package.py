"""`pip install` installs every file of the packages, and two commands."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from importlib import import_module
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def git(*arguments: str) -> list[str]:
    return subprocess.run(
        ("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.splitlines()


def test_the_wheel_has_every_file_of_the_packages_and_no_other() -> None:
    """hatchling packs the files of these folders that .gitignore does not name."""
    assert PROJECT["build-system"]["build-backend"] == "hatchling.build"
    assert PROJECT["tool"]["hatch"] == {"build": {"targets": {"wheel": {"packages": ["bot", "engine"]}}}}
    if not git("ls-files", "bot", "engine"):
        pytest.skip("not a checkout")
    assert git("ls-files", "--cached", "--ignored", "--exclude-standard", "bot", "engine") == []


def test_every_package_that_is_imported_is_declared() -> None:
    project = PROJECT["project"]
    groups = (project["dependencies"], *project["optional-dependencies"].values())
    declared = {canonicalize_name(Requirement(one).name) for group in groups for one in group}
    imported = {
        (name.partition(".")[0], file.relative_to(ROOT).as_posix())
        for folder in ("bot", "engine")
        for file in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        for name in imported_by(node)
    }
    known = packages_distributions()
    missing = [
        f"{file} imports {name}"
        for name, file in sorted(imported)
        if name not in sys.stdlib_module_names | {"bot", "engine"}
        and declared.isdisjoint(canonicalize_name(one) for one in known.get(name, ()))
    ]
    assert not missing, missing


EXACT = re.compile(r"\d+\.\d+\.\d+")


def test_tools_images_and_actions_around_the_lock_files_have_exact_versions() -> None:
    built_with = [Requirement(one) for one in PROJECT["build-system"]["requires"]]
    assert [str(one) for one in built_with if not str(one.specifier).startswith("==")] == []
    makefile = (ROOT / "Makefile").read_text("utf-8")
    tools = re.findall(r"pip install(?: --\S+)* ([a-z]\S*)", makefile)
    images = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    actions = [
        action
        for file in (ROOT / ".github" / "workflows").iterdir()
        for action in re.findall(r"uses: (\S+)", file.read_text("utf-8"))
    ]
    assert {one.partition("==")[0] for one in tools} == {"mutmut", "pip-audit", "uv"}
    assert images
    assert actions
    assert [one for one in (*tools, *images, *actions) if not EXACT.search(one)] == []


def test_the_font_has_its_licence_beside_it_and_the_package_names_both() -> None:
    font = ROOT / "bot" / "presentation" / "font"
    assert {file.name for file in font.iterdir()} == {"Cairo.ttf", "LICENSE"}
    assert "SIL OPEN FONT LICENSE Version 1.1" in (font / "LICENSE").read_text("utf-8")
    assert PROJECT["project"]["license"] == "MIT AND OFL-1.1"
    assert PROJECT["project"]["license-files"] == ["LICENSE", "bot/presentation/font/LICENSE"]


def imported_by(node: ast.AST) -> tuple[str, ...]:
    if isinstance(node, ast.Import):
        return tuple(one.name for one in node.names)
    return (node.module,) if isinstance(node, ast.ImportFrom) and node.module and not node.level else ()


def test_the_commands_lead_to_functions_that_exist() -> None:
    scripts = PROJECT["project"]["scripts"]
    assert set(scripts) == {"discade", "discade-engine"}
    for target in scripts.values():
        module, _, function = target.partition(":")
        assert callable(getattr(import_module(module), function))
