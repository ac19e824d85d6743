"""The page of the wheel in a package index: the README with links that work there, and addresses.

hatchling asks for the hook at each build. The project's address is `repository` in `pyproject.toml`. Where
that is empty, a build on GitHub knows its own, and any other has none: its page has no links to files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_LINK = re.compile(r"!?\[(?P<text>[^]]*)\]\((?!\w+:|#)(?P<file>[^)]+)\)")
_PICTURE = re.compile(r'<img src="(?!\w+:)(?P<file>[^"]+)"[^>]*>')


def get_metadata_hook() -> type:
    """Return the hook; hatchling calls this, and without it the module is only for reading links."""
    from hatchling.metadata.plugin.interface import MetadataHookInterface

    class WheelPage(MetadataHookInterface):
        """Adds `readme` and `urls` to the metadata."""

        PLUGIN_NAME = "custom"

        def update(self, metadata: dict[str, Any]) -> None:
            address = self.config["repository"] or address_on_github(os.environ)
            text = (Path(self.root) / "README.md").read_text("utf-8")
            page = with_absolute_links(text, address, f"v{metadata['version']}")
            metadata["readme"] = {"content-type": "text/markdown", "text": page}
            metadata["urls"] = urls(address)

    return WheelPage


def address_on_github(environment: Mapping[str, str]) -> str:
    """Return the address of the repository whose workflow this is, or nothing."""
    server, name = environment.get("GITHUB_SERVER_URL"), environment.get("GITHUB_REPOSITORY")
    return f"{server}/{name}" if server and name else ""


def urls(address: str) -> dict[str, str]:
    """Return what stands beside the page."""
    if not address:
        return {}
    return {
        "Repository": address,
        "Documentation": f"{address}/tree/main/docs",
        "Changelog": f"{address}/blob/main/CHANGELOG.md",
        "Issues": f"{address}/issues",
    }


def with_absolute_links(text: str, address: str, tag: str) -> str:
    """Return the text with links to the files of that tag; without an address, with their words alone."""

    def linked(found: re.Match[str]) -> str:
        kind = "raw" if found[0].startswith("!") else "blob"
        if not address:
            return "" if kind == "raw" else found["text"]
        return found[0].replace(f"({found['file']}", f"({address}/{kind}/{tag}/{found['file']}")

    def pictured(found: re.Match[str]) -> str:
        return found[0].replace('src="', f'src="{address}/raw/{tag}/') if address else ""

    return _PICTURE.sub(pictured, _LINK.sub(linked, text))
