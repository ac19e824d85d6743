"""`pip install` installs every file of the packages, and two commands."""

from __future__ import annotations

import subprocess
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

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


def test_the_commands_lead_to_functions_that_exist() -> None:
    scripts = PROJECT["project"]["scripts"]
    assert set(scripts) == {"discade", "discade-engine"}
    for target in scripts.values():
        module, _, function = target.partition(":")
        assert callable(getattr(import_module(module), function))
