"""Print the licence of every package in the lock files as a table: `python -m tools.licences`.

It reads installed packages, so run it with all of them installed (`make licences`). The exit code is 1 if a
licence is not known to suit, or if an installation that only runs the bot would include video codecs.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import cast

ROOT = Path(__file__).parents[1]

LOCKS = {
    "run": "requirements.lock",
    "large": "requirements-large.lock",
    "demo": "requirements-demo.lock",
    "dev": "requirements-dev.lock",
}
"""Lock files of a host with a token, of PostgreSQL and a cluster, of the demo and of developers.

The first one that has a package counts.
"""

PERMISSIVE = re.compile(
    r"MIT|BSD|0BSD|Apache|PSF|Python Software Foundation|ISC|Zlib|CC0|CNRI-Python|HPND|DFSG approved",
    re.IGNORECASE,
)
LIBRARY_ONLY = re.compile(r"LGPL|Lesser General Public|MPL|Mozilla Public", re.IGNORECASE)
"""Licences that bind changes to the package itself; Discade installs these packages unchanged and apart."""

CODECS = {"av": "its wheels carry FFmpeg's codecs, under the LGPL and the GPL"}
"""Packages with more in their wheels than their own licence says; only the demo may need them."""

ELSEWHERE = {
    **dict.fromkeys(("importlib-metadata", "lazy-importer", "tzdata"), "Apache-2.0"),
    "audioop-lts": "PSF-2.0",
    "colorama": "BSD-3-Clause",
    "zipp": "MIT",
}
"""Packages of other platforms or versions of Python, which may be missing here. Of any other missing package
the licence is unknown, which is an error."""


@dataclass(frozen=True, slots=True)
class Package:
    """One package of the lock files. whom: the smallest installation that has it."""

    name: str
    version: str
    licence: str
    whom: str

    @property
    def complaint(self) -> str | None:
        """Return why the licence does not suit, or None."""
        if self.name in CODECS and self.whom in ("run", "large"):
            return CODECS[self.name]
        parts = re.split(r"\s+(?:AND|OR)\s+|;\s*", self.licence) if self.licence else []
        if not parts:
            return "names no licence"
        unknown = [part for part in parts if not (PERMISSIVE.search(part) or LIBRARY_ONLY.search(part))]
        return f"has an unreviewed licence: {', '.join(unknown)}" if unknown else None

    @property
    def note(self) -> str:
        if self.name in CODECS:
            return CODECS[self.name]
        return "as a library, unchanged" if LIBRARY_ONLY.search(self.licence) else ""


def packages() -> tuple[Package, ...]:
    """Return the packages of the lock files, by name."""
    found: dict[str, Package] = {}
    for whom, lock in LOCKS.items():
        for name, version in _locked(ROOT / lock):
            found.setdefault(name, Package(name, version, _licence(name), whom))
    return tuple(found[name] for name in sorted(found))


def _locked(lock: Path) -> Iterator[tuple[str, str]]:
    for line in lock.read_text("utf-8").splitlines():
        if match := re.match(r"([A-Za-z0-9._-]+)==([^\s;\\]+)", line):
            yield match[1].lower(), match[2]


def _licence(name: str) -> str:
    """Return the installed package's licence: an expression, the classifiers, or a short text."""
    try:
        about = cast(Message, distribution(name).metadata)
    except PackageNotFoundError:
        return ELSEWHERE.get(name, "")
    if expression := about.get("License-Expression"):
        return str(expression)
    classified = [
        str(line).rpartition(" :: ")[2]
        for line in about.get_all("Classifier", [])
        if str(line).startswith("License :: ")
    ]
    return "; ".join(classified) or str(about.get("License", "")).partition("\n")[0]


def main() -> int:
    """Print the table; return the exit code."""
    rows = [("package", "version", "for", "licence", "")]
    listed = packages()
    rows += [(one.name, one.version, one.whom, one.licence, one.note) for one in listed]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, (*widths, 0), strict=True)).rstrip())
    wrong = [f"{one.name} {complaint}" for one in listed if (complaint := one.complaint)]
    print("", *(wrong or [f"All {len(listed)} suit a project under the MIT licence."]), sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
