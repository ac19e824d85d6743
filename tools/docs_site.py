"""Build the documentation site in build/docs/site: `python -m tools.docs_site`, or `make docs`.

The pages are those of `docs/` as they stand, with two additions: the rules of all games in every language,
from the catalogues, and links to the project's other files, where its address is known
(`tools/wheel_page.py`). A link that leads nowhere is an error.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from bot.i18n import Text, Texts
from bot.presentation import names
from bot.presentation.examples import example
from bot.presentation.picture import draw_picture
from bot.web.home import rules_of
from engine.games import GAMES
from tools.wheel_page import address_on_github

ROOT = Path(__file__).parents[1]
BUILT = ROOT / "build" / "docs"

_OUTSIDE = re.compile(r"\[(?P<text>[^]]*)\]\(\.\./(?P<file>[^)]+)\)")
"""A link from a page to a file that is not in `docs/`."""


def lay_out(folder: Path, address: str) -> None:
    """Write the pages and the configuration into the folder.

    address: of the project, for links to its other files; without one these are words alone.
    """
    shutil.copytree(ROOT / "docs", folder / "docs")
    shutil.copy(ROOT / "zensical.toml", folder)
    for page in (folder / "docs").glob("*.md"):
        page.write_text(_indented(_with_links(page.read_text("utf-8"), address)), "utf-8")
    games = folder / "docs" / "games"
    games.mkdir()
    for game in GAMES:
        typical = example(game)
        (games / f"{game}.png").write_bytes(draw_picture(game, typical.state, typical.marks))
    texts = Texts.load()
    for language in texts.languages:
        (games / page_of(language)).write_text(page_of_games(texts, texts.of(language)), "utf-8")


def build(folder: Path) -> int:
    """Make the site of the pages in the folder; return 0, or another code where a link leads nowhere."""
    command = (sys.executable, "-m", "zensical", "build", "--strict", "--clean", "--config-file")
    return subprocess.run((*command, str(folder / "zensical.toml")), check=False).returncode


def page_of(language: str) -> str:
    """Return the file of the games in that language; English has the folder's own address."""
    return "index.md" if language == "en" else f"{language}.md"


def page_of_games(texts: Texts, t: Text) -> str:
    """Return the rules, picture and boards of all games in one language, with links to the others."""
    ways = " · ".join(
        f"[{texts.of(language)('language_name')}]({page_of(language)})" for language in texts.languages
    )
    direction = "rtl" if t.is_rtl else "ltr"
    parts = [f"# {t('page_rules')}", ways, f'<div dir="{direction}" lang="{t.language}" markdown="1">']
    for game in GAMES:
        boards = " · ".join(names.board_title(t, board) for board in GAMES[game].boards)
        parts += [
            f"## {names.game_title(t, game)} {{ #{game} }}",
            f"![{t(f'picture_{game}')}]({game}.png){{ width=320 }}",
            rules_of(t, game),
            f"**{t('page_board')}:** {boards}",
        ]
    return "\n\n".join([*parts, "</div>", ""])


def main() -> int:
    """Lay out the pages and build the site; return the exit code."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    own = project["tool"]["hatch"]["metadata"]["hooks"]["custom"]["repository"]
    shutil.rmtree(BUILT, ignore_errors=True)
    BUILT.mkdir(parents=True)
    lay_out(BUILT, own or address_on_github(os.environ))
    return build(BUILT)


def _indented(text: str) -> str:
    """Return the text with four spaces where GitHub takes fewer: before parts of lists and blocks in them."""
    lines, is_code, more = [], False, 0
    for line in text.split("\n"):
        own = len(line) - len(line.lstrip(" "))
        if not is_code:
            more = 4 - own if 0 < own < 4 else 0
        lines.append(" " * more + line if line else line)
        is_code ^= line.lstrip(" ").startswith("```")
    return "\n".join(lines)


def _with_links(text: str, address: str) -> str:
    def linked(found: re.Match[str]) -> str:
        return f"[{found['text']}]({address}/blob/main/{found['file']})" if address else found["text"]

    return _OUTSIDE.sub(linked, text)


if __name__ == "__main__":
    sys.exit(main())
