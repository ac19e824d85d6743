"""The notes of a release: the changelog's section of its tag."""

from __future__ import annotations

import tomllib

import pytest

from tools.release_notes import ROOT, notes

CHANGELOG = """# Changelog

## [Unreleased]

- Something new.

## [0.2.0] - 2026-11-01

### Added

- A game.

## [0.1.0] - 2026-10-01

- The first one.
"""


def test_the_notes_are_the_section_of_the_tag_alone() -> None:
    assert notes("v0.2.0", "0.2.0", CHANGELOG) == "### Added\n\n- A game.\n"
    assert notes("v0.1.0", "0.1.0", CHANGELOG) == "- The first one.\n"


@pytest.mark.parametrize(("tag", "version"), [("v0.3.0", "0.2.0"), ("0.2.0", "0.2.0"), ("v0.3.0", "0.3.0")])
def test_a_tag_without_its_version_or_section_is_refused(tag: str, version: str) -> None:
    with pytest.raises(ValueError, match=r"pyproject\.toml|no section"):
        notes(tag, version, CHANGELOG)


def test_the_version_of_the_project_has_a_section() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert notes(f"v{version}", version, (ROOT / "CHANGELOG.md").read_text("utf-8"))
