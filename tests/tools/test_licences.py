"""The licences of what Discade installs: all looked at, and codecs for the demo alone."""

from __future__ import annotations

import pytest

from tools.licences import LOCKS, ROOT, Package, packages


def test_every_lock_file_is_read() -> None:
    assert set(LOCKS.values()) == {file.name for file in ROOT.glob("requirements*.lock")}


def test_every_locked_package_has_an_allowed_licence() -> None:
    assert [f"{one.name} {one.complaint}" for one in packages() if one.complaint] == []


def test_running_the_bot_installs_no_simulator_codecs_or_scipy() -> None:
    at_run_time = {one.name for one in packages() if one.whom == "run"}
    assert {"discord-py", "numba"} <= at_run_time
    assert not at_run_time & {"simcord", "av", "scipy", "choix", "playwright", "pytest"}


@pytest.mark.parametrize(
    ("name", "licence", "whom"),
    [
        ("x", "GPL-3.0-or-later", "dev"),
        ("x", "MIT AND AGPL-3.0", "run"),
        ("x", "", "run"),
        ("av", "MIT", "run"),
        ("av", "MIT", "large"),
    ],
)
def test_a_forbidden_licence_is_named(name: str, licence: str, whom: str) -> None:
    assert Package(name, "1", licence, whom).complaint
