"""`python -m tools.rate_levels [GAME …]`: measures every level against the one below and writes the tables.

What is measured is kept in engine/data/ (`engine/arena/ladder.py`), so the command can be stopped at any
moment and started again. At the end it writes docs/levels.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection
from pathlib import Path

from engine.agents.levels import LEVELS, levels_of
from engine.arena.elo_table import ADDED_LATER, Duel, RatedLevel, file_name, parse
from engine.arena.ladder import DATA, GAMES_A_DUEL, MEAN_ELO, measure
from engine.games import GAMES

PAGE = Path(__file__).parents[1] / "docs" / "levels.md"


def main() -> int:
    """Measures what is asked for; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.rate_levels", description=__doc__)
    parser.add_argument("game", nargs="*", help=f"one of {', '.join(GAMES)} (default: all)")
    parser.add_argument("--jobs", type=int, default=1, help="games at once, in threads (default: 1)")
    parser.add_argument("--table", action="store_true", help="play nothing, only write docs/levels.md again")
    parser.add_argument(
        "--games",
        type=int,
        default=GAMES_A_DUEL,
        help="of each duel, a multiple of 20 (default: %(default)s)",
    )
    asked = parser.parse_args()
    unknown = [name for name in asked.game if name not in GAMES]
    if unknown:
        parser.error(f"no game {unknown[0]!r}; there are {', '.join(GAMES)}")
    if not asked.table:
        for name in asked.game or GAMES:
            measure(name, asked.jobs, games=asked.games)
    PAGE.write_text(page(), "utf-8")
    return 0


def page() -> str:
    """docs/levels.md."""
    parts = [_INTRODUCTION]
    for game_key, game in GAMES.items():
        file = DATA / file_name(game_key)
        if file.is_file():
            parts.append(f"## {game.title}\n\n{_table(game_key, parse(file.read_text('utf-8')))}")
    return "\n".join([*parts, _MISTAKES])


def _table(game_key: str, rows: tuple[RatedLevel, ...]) -> str:
    named = {level.key: level for level in levels_of(game_key)}
    lines = [
        "| level | plays | agent and limit | won, drawn, lost against the row above | score | Elo (95 %) |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        level = named.get(row.key)
        if level is None:
            continue
        duel, score = ("", "") if row.below is None else _cells(row.below)
        lines.append(
            f"| {level.name} | {level.character} | `{row.description}` | {duel} | {score} "
            f"| {row.elo} ({row.low} to {row.high}) |"
        )
    return "\n".join(lines) + "\n"


def _cells(duel: Duel) -> tuple[str, str]:
    return f"{duel.wins}, {duel.draws}, {duel.losses}", f"{100 * duel.score:.1f} %"


def _names(keys: Collection[str]) -> str:
    first, *others = (level.name for level in reversed(LEVELS) if level.key in keys)
    return f"{', '.join(reversed(others))} and {first}"


_MISTAKES = """## What they miss

Weak levels do not throw dice: they overlook moves, their own and the other side's, more so the further
ahead they lie (`engine/agents/blundering.py`), and above all those that people overlook.

- **Bo**, **Mia**, **Tess**, and **Finn** in Othello: in games of k in a row a diagonal is missed six to
  eight times as often as a pile and two to four times as often as a row, and on each of them the far end of
  a line sooner than the gap in it; a threat more often than a win, and the answer to the reply more often
  than the reply. In Othello, while more than twenty squares are empty, the fewer discs a move turns, the
  more often it is missed. In Pop Out, where **Zoe**, **Lou** and **Finn** work the same way, every move is
  as likely to be missed.
- **Cora** sees nothing but corners. **Otto** sees what the board looks like after one move, but in Othello
  never that the move hands over a corner; there he is the greediest.
- **Theo**, **Ida**, **Nora**, **Greta** and **Rex** see everything within four to eight moves and nothing
  beyond; in Othello they weigh only corners, mobility and discs. **Hugo** to **Runa** weigh edges and
  shapes as learnt from millions of positions.
- **Luca**, **Vera** and **Ivo** miss what random games seldom show, such as one narrow way through.
  **Nils** plays perfectly except for one move in seventeen, more in the opening, and four in five at first:
  those are alpha-beta's at depth six, which look sound and are now and then wrong. **Una** and **Tia** miss
  nothing.
- **Momo**, **Taro**, **Nini**, **Kumi**, **Yuki** and **Goro** in Gomoku miss, from one to the next, fewer
  and fewer of the moves that matter, and what fours lead to. **Hana** to **Kaede** miss what lies beyond
  two to eight moves.

`python -m bench.mistakes` measures it (`bench/results.md`).

## No two games alike

Among equally good moves, and in the first third of the board among nearly equal ones, too, chance decides:
by the seed, so that equal seeds play equal games. The earlier it is, the more moves the Monte Carlo levels
take for nearly as good. `python -m bench.variety` plays fifty games against people who always answer alike,
and counts how many were equal at ply 12 (`bench/results.md`).
"""

_INTRODUCTION = f"""# The ladder, measured

Written by `python -m tools.rate_levels`; do not edit. Each level played {GAMES_A_DUEL} games against the next
weaker one, in pairs with swapped colours, from openings of random moves after which neither side can force a
win within three plies: one move for every ten cells of the board unless a game says otherwise (Gomoku: 4).
Draws count half. Elo is
relative to the mean of the game's own ladder, {MEAN_ELO}, as it was before
{_names(ADDED_LATER)} came; the interval comes from drawing the pairs of games again at
random (`engine/arena/elo.py`). The limits are plies and simulations, not seconds, wherever that is possible,
so that a level is as strong on every machine.
"""


if __name__ == "__main__":
    sys.exit(main())
