"""The page's modules under node, with documents of the server: no browser and no packages."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from bot.web.assets import FOLDER
from tests.bot.web.documents import documents_for_modules

HERE = Path(__file__).parent / "page"
node_path = shutil.which("node")
pytestmark = pytest.mark.skipif(node_path is None, reason="needs node on the PATH")


@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("*.test.mjs")))
def test_the_modules_of_the_page_do_their_work(tmp_path: Path, name: str) -> None:
    # Node takes a file as a module where a package beside it says so.
    modules = tmp_path / "modules"
    shutil.copytree(FOLDER, modules)
    (modules / "package.json").write_text('{"type": "module"}', encoding="utf-8")
    documents = tmp_path / "documents.json"
    documents.write_text(json.dumps(documents_for_modules()), encoding="utf-8")
    assert node_path is not None
    ran = subprocess.run(
        [node_path, str(HERE / name)],
        env={**os.environ, "PAGE_MODULES": modules.as_posix(), "PAGE_DOCUMENTS": str(documents)},
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, f"{ran.stdout}\n{ran.stderr}"
