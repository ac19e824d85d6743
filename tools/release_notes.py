"""Print the changelog's section of a tag: `python -m tools.release_notes v0.3.0`.

On GitHub its links lead to the files of that tag. The exit code is 1 where the tag is not the version in
`pyproject.toml`, or the changelog has no section for it.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from pathlib import Path

from tools.wheel_page import address_on_github, with_absolute_links

ROOT = Path(__file__).parents[1]


def notes(tag: str, version: str, changelog: str) -> str:
    """Return the section without its heading; raises ValueError, which says what does not fit the tag."""
    if tag != f"v{version}":
        raise ValueError(f"The tag {tag} is not v{version}, the version in pyproject.toml.")
    section = re.search(
        rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## |\Z)",
        changelog,
        re.MULTILINE | re.DOTALL,
    )
    if section is None:
        raise ValueError(f"CHANGELOG.md has no section “## [{version}] - date”.")
    return section[1].strip() + "\n"


def main() -> int:
    """Print the notes, or why there are none."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    try:
        section = notes(sys.argv[1], version, (ROOT / "CHANGELOG.md").read_text("utf-8"))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(with_absolute_links(section, address_on_github(os.environ), sys.argv[1]), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
