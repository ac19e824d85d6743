"""The pictures of docs/pictures can be made again: each one's page is put together, a browser or not."""

from __future__ import annotations

import re

import pytest

from engine.games import SPECS
from tests.bot.made_once import all_texts
from tools.make_screens import FOLDER, LOOKED_AT, Screens, pages


@pytest.mark.slow
def test_every_screen_picture_has_a_maker_and_no_picture_is_unused() -> None:
    t = all_texts().of("en")
    made = {name: page() for name, page in pages(Screens(), t).items()}
    for name, page in made.items():
        assert 'class="box"' in page, name
        assert not re.search(r"&lt;[:@]|attachment://", page), f"{name} shows what Discord would replace"
    for key in SPECS:
        assert t(f"game_{key}") in made["boards"], "each game has its board on the README's first picture"
    assert all((FOLDER / f"{name}.png").exists() for name in made if name not in LOOKED_AT)
