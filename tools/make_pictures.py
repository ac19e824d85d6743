"""Makes docs/pictures/*.png, one example position of each game, with the bot's own renderer.

Run again after changing bot/render: python -m tools.make_pictures
"""

from __future__ import annotations

from pathlib import Path

from bot.render.examples import example
from bot.render.picture import draw_picture
from engine.games import GAMES

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for key in GAMES:
        shown = example(key)
        path = FOLDER / f"{key}.png"
        path.write_bytes(draw_picture(key, shown.state, shown.marks))
        print(f"{path.relative_to(FOLDER.parents[1])}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
