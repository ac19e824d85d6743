"""`pip install` installs every file of the packages, and two commands."""

from __future__ import annotations

import subprocess
import tomllib
from importlib import import_module
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def test_every_file_of_the_packages_is_installed() -> None:
    listed = subprocess.run(
        ("git", "ls-files", "bot", "engine"), cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()
    if not listed:
        pytest.skip("not a checkout")
    data = PROJECT["tool"]["setuptools"]["package-data"]
    missing = []
    for file in listed:
        package, _, path = file.partition("/")
        if not path.endswith(".py") and not any(PurePosixPath(path).match(one) for one in data[package]):
            missing.append(file)
    assert not missing, "add them to package-data in pyproject.toml"


def test_the_commands_lead_to_functions_that_exist() -> None:
    scripts = PROJECT["project"]["scripts"]
    assert set(scripts) == {"discade", "discade-engine"}
    for target in scripts.values():
        module, _, function = target.partition(":")
        assert callable(getattr(import_module(module), function))
