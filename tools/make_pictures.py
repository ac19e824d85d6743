"""Makes docs/pictures/*.png with the bot's own renderer: positions, a tournament, the top of a game tree.

Run again after changing bot/render: python -m tools.make_pictures
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from bot.domain.match import End, Location, Result, Seat
from bot.domain.tournament import Stage, System, Tournament, advance
from bot.presentation.examples import example
from bot.presentation.picture import draw_picture
from bot.presentation.table import draw_table
from bot.presentation.thought_pictures import draw_tree
from bot.ui.tournament.views import picture_rows
from engine.analysis.game_tree import tree_top
from engine.core import Player, replay
from engine.games import GAMES
from engine.games.notation import parse_moves

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for key in GAMES:
        shown = example(key)
        _write(f"{key}.png", draw_picture(key, shown.state, shown.marks))
    _write("tournament.png", draw_table(*picture_rows(_tournament())))
    _write("thoughts.png", _thoughts())


def _write(name: str, png: bytes) -> None:
    path = FOLDER / name
    path.write_bytes(png)
    print(f"{path.relative_to(FOLDER.parents[1])}: {len(png)} bytes")


def _thoughts() -> bytes:
    """What alpha-beta looks at after 4435, the replies that it cuts crossed out."""
    rules = GAMES["connect-four"]
    state = replay(rules.start(), parse_moves(rules, None, "4435"))
    top = []
    for branch in tree_top(state, 4, prunes=True):
        after = state.play(branch.move)
        names = [rules.move_name(after, reply.move) for reply in branch.replies]
        top.append((rules.move_name(state, branch.move), branch, names))
    return draw_tree(top, 0)


def _tournament() -> Tournament:
    """Nine in a Swiss tournament, with results by lot that favour the better seed."""
    now, rng = datetime(2026, 1, 1, tzinfo=UTC), Random(4)
    found = Tournament(
        1,
        "Example",
        1,
        "connect-four",
        "6x7x4",
        System.SWISS,
        Location(1, 1),
        now,
        now + timedelta(hours=1),
        3600,
    )
    people = ("Ada", "Ben", "Chloe", "Dan", "Eve")
    seats = [Seat(name, number) for number, name in enumerate(people, start=1)]
    for seat in (*seats, *(Seat(name, level=name.lower()) for name in ("Vera", "Luca", "Otto", "Bo"))):
        found = found.join(seat, now)
    found = advance(found.start({entrant.number: entrant.number for entrant in found.entrants}))
    while found.stage is Stage.RUNNING:
        played = []
        for pairing in found.pairings:
            if not pairing.is_settled:
                better = Player.FIRST if pairing.first < (pairing.second or 0) else Player.SECOND
                winner = rng.choice((better, better, None, better.other))
                pairing = replace(pairing, match_id=1, result=Result(winner, End.LINE), turn=9)
            played.append(pairing)
        found = advance(replace(found, pairings=tuple(played)))
    return found


if __name__ == "__main__":
    main()
