"""The pictures of docs/pictures can be made again: each one's page is put together, a browser or not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.games import SPECS
from tests.bot.made_once import all_texts
from tools.make_screens import DRAWN, FOLDER, Screens, pages
from tools.picture_list import MADE_WITH, listed, note, shown_now

README = FOLDER.parents[1] / "README.md"


@pytest.mark.slow
def test_every_screen_picture_has_a_maker_and_no_picture_is_unused() -> None:
    t = all_texts().of("en")
    made = {name: page() for name, page in pages(Screens(), t).items()}
    files = {f"{name}.png" if isinstance(page, str) else f"{name}.gif" for name, page in made.items()}
    drawn = [
        (name, part) for name, page in made.items() for part in ([page] if isinstance(page, str) else page)
    ]
    for name, page in drawn:
        assert 'class="box"' in page, name
        assert not re.search(r"&lt;[:@]|attachment://", page), f"{name} shows what Discord would replace"
    for key in SPECS:
        assert t(f"game_{key}") in str(made["boards"]), "each game has its board in the docs"
    pictures = {path.name for path in FOLDER.iterdir()} - {MADE_WITH.name}
    assert files <= pictures
    pages_of_docs = "".join(page.read_text("utf-8") for page in (README, *FOLDER.parent.glob("*.md")))
    assert pictures == set(re.findall(r"pictures/([\w-]+\.(?:png|gif))", pages_of_docs))


def test_no_picture_is_older_than_the_games_and_looks_that_it_shows() -> None:
    made = listed()
    assert set(made) == {path.name for path in FOLDER.iterdir()} - {MADE_WITH.name}
    for name, facts in made.items():
        assert facts == shown_now(name.rsplit(".", 1)[0]), f"{name} is too old: make it again"
    assert made["boards.png"]["games"] == list(SPECS)
    in_readme = re.findall(r"pictures/([\w-]+\.(?:png|gif))", README.read_text("utf-8"))
    assert {game for name in in_readme for game in made[name]["games"]} == set(SPECS)
    assert made["looks.png"]["looks"] == [theme.value for theme in DRAWN]


def test_a_picture_is_noted_as_it_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.picture_list.MADE_WITH", tmp_path / "made_with.json")
    note(tmp_path / "storm.png")
    note(tmp_path / "boards.png")
    assert list(listed()) == ["boards.png", "storm.png"]
    assert listed()["storm.png"]["games"] == ["connect-four"]
