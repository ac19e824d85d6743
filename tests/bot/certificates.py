"""An authority and a member's certificate, made by the commands of docs/hosting.md."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

GUIDE = (Path(__file__).parents[2] / "docs" / "hosting.md").read_text("utf-8")
COMMANDS = re.findall(r"^openssl .*$", GUIDE, re.MULTILINE)
SETTINGS = re.findall(r"^(DASK_DISTRIBUTED__\w+)=(\w+\.\w+)$", GUIDE, re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Certificates:
    """The files in the folder, as the guide calls them."""

    folder: Path

    @property
    def environ(self) -> Mapping[str, str]:
        """The guide's settings, for schedulers, workers and bots alike."""
        return {name: str(self.folder / file) for name, file in SETTINGS}

    @property
    def config(self) -> Mapping[str, str]:
        """The same as Dask's settings of this process."""
        return {
            name.removeprefix("DASK_").lower().replace("__", ".").replace("_", "-"): value
            for name, value in self.environ.items()
        }


def make_certificates(folder: Path) -> Certificates:
    """Skips the test where there is no OpenSSL 3."""
    openssl = shutil.which("openssl")
    said = (
        "" if openssl is None else subprocess.run((openssl, "version"), capture_output=True, text=True).stdout
    )
    if not re.match(r"OpenSSL ([3-9]|\d\d)", said):
        pytest.skip("needs OpenSSL 3")
    folder.mkdir(parents=True)
    for command in COMMANDS:
        subprocess.run(command, cwd=folder, shell=True, check=True, capture_output=True)
    return Certificates(folder)
