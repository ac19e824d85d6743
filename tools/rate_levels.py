"""`python -m tools.rate_levels [GAME …]`: measure every level against the one below.

Results are stored in engine/data/ (`engine/arena/ladder.py`), so the command can be stopped at any time and
resumed. At the end it writes docs/levels.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection
from pathlib import Path

from engine.agents.levels import LEVELS, levels_of
from engine.arena.elo_table import ADDED_LATER, Duel, RatedLevel, file_name, parse, rated_levels
from engine.arena.ladder import DATA, GAMES_A_DUEL, MEAN_ELO, measure, measure_mixtures
from engine.arena.mixture import measured_mixtures
from engine.games import GAMES

PAGE = Path(__file__).parents[1] / "docs" / "levels.md"


def main() -> int:
    """Measure the given games; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.rate_levels", description=__doc__)
    parser.add_argument("game", nargs="*", help=f"one of {', '.join(GAMES)} (default: all)")
    parser.add_argument("--jobs", type=int, default=1, help="games at once, in threads (default: 1)")
    parser.add_argument("--table", action="store_true", help="play no games, only rewrite docs/levels.md")
    parser.add_argument(
        "--games",
        type=int,
        default=GAMES_A_DUEL,
        help="of each duel, a multiple of 20 (default: %(default)s)",
    )
    parser.add_argument("--mixtures", metavar="LEVELS", help="instead, mixtures of these with the one above")
    asked = parser.parse_args()
    unknown = [name for name in asked.game if name not in GAMES]
    if unknown:
        parser.error(f"no game {unknown[0]!r}; there are {', '.join(GAMES)}")
    if not asked.table:
        for name in asked.game or GAMES:
            if asked.mixtures:
                measure_mixtures(name, asked.mixtures.split(","), asked.jobs, games=asked.games)
            else:
                measure(name, asked.jobs, games=asked.games)
    PAGE.write_text(page(), "utf-8")
    return 0


def page() -> str:
    """Return the text of docs/levels.md."""
    parts = [_INTRODUCTION]
    for game_key, game in GAMES.items():
        file = DATA / file_name(game_key)
        if file.is_file():
            parts.append(f"## {game.title}\n\n{_table(game_key, parse(file.read_text('utf-8')))}")
    return "\n".join([*parts, _echo(), _MISTAKES])


def _echo() -> str:
    """Return the section about Echo, with a table of the measured mixtures."""
    lines = [
        _ECHO,
        "| game | half and half | middle | measured (95 %) | against the weaker | against the stronger |",
        "|---|---|---|---|---|---|",
    ]
    for (game_key, weaker, stronger), row in measured_mixtures().items():
        rows = {one.key: one for one in rated_levels(game_key)}
        names = {level.key: level.name for level in levels_of(game_key)}
        middle = (rows[weaker].elo + rows[stronger].elo) // 2
        results = " | ".join(
            ", ".join(map(str, one)) for one in zip(row.won, row.drawn, row.lost, strict=True)
        )
        lines.append(
            f"| {GAMES[game_key].title} | {names[weaker]} and {names[stronger]} | {middle} "
            f"| {row.elo} ({row.low} to {row.high}) | {results} |"
        )
    return "\n".join(lines) + "\n"


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


_ECHO = f"""## Echo: an opponent at the person's strength

Echo (*My strength*) is two neighbouring levels of the ladder: each of its moves is one of the two's, drawn by
chance, so every strength on the ladder can be played, in steps of 25 Elo. It never looks at the score, so it
gives no won game away on purpose. Its strength stays the same for a match, is part of its name and of the
stored match (`echo:1525`), and is the Elo that the match is rated at. `bot/domain/even_match.py` chooses it
before each match from the person's rating, its margin, and their last twenty results against Echo.

Simulated newcomers of a fixed strength from 600 to 2300, whose results follow Elo's formula, score between
0.45 and 0.55 a game against it from the eleventh game on in Connect Four and Othello, whose ladders are that
long (`tests/bot/domain/test_even_match.py`). The first ten games are spent on finding the strength.

Half of each level's moves was measured with {GAMES_A_DUEL} games against each of the two (won, drawn, lost).
Other shares are in proportion between these points. For two levels that are not in this table, a half is
taken to be in the middle.
"""

_MISTAKES = """## Typical mistakes

Weak levels do not play at random: they miss moves, their own and the other side's, more of them the further
ahead (`engine/agents/blundering.py`), and especially the moves that people miss.

- **Bo**, **Mia**, **Tess**, and **Finn** in Othello: in games of k in a row they miss a diagonal six to eight
  times as often as a column and two to four times as often as a row, and on each the far end of a line
  more often than the gap in it; a threat more often than a win, and the answer to a reply more often than the
  reply. In Othello, while more than twenty squares are empty, they miss a move the more often the fewer discs
  it turns. In Pop Out, where **Zoe**, **Lou** and **Finn** work in the same way, all moves are equally likely
  to be missed.
- **Cora** knows only corners. **Otto** sees the board after one move, but in Othello never that a move
  gives a corner away; he is the greediest there.
- **Theo**, **Ida**, **Nora**, **Greta** and **Rex** see everything within four to eight moves and nothing
  beyond; **Gus** looks twice as far, with a memory of positions, and less deep where a move looks late. In
  Othello their evaluation is corners, mobility and discs. **Hugo** to **Freya** evaluate edges and shapes,
  trained on millions of positions.
- **Luca**, **Vera** and **Ivo** miss lines that are rare in random games, such as a single narrow path.
  **Nils** plays perfectly except for one move in seventeen, more in the opening, and four in five at first:
  those are alpha-beta's at depth six, which look sound and are sometimes wrong. **Una** and **Tia** miss
  nothing.
- **Bela** and **Tino** in Kalah overlook half and a third of their moves; the others see everything within
  two to twelve moves, and in the first twelve play moves that cost a seed or two, so that games differ.
  **Imani** and **Baraka** give at most one seed away, in the first six moves alone.
- **Dora** to **Bruno** in Dots and Boxes overlook lines, fewer from one to the next; **Ina** sees no further
  than her own line, and **Sven** to **Ragna** as far as 200 to 60,000 positions reach.
- **Momo**, **Taro**, **Nini**, **Kumi**, **Yuki**, **Goro** and **Hana** in Gomoku play near the discs on the
  board and overlook lines, each of them fewer than the one before: a diagonal 1.6 times as often as a row, a
  line with a gap 1.4 times, the other side's line 1.25 times as often as an own one, and four in a row 0.6
  times as often (`engine/games/gomoku/sight.py`). They do not see where fours lead. **Sora** and **Ren** see
  two and three moves ahead, and where fours lead. **Kaede** also proves wins by open threes, and misses quiet
  moves.
- **Alfie** to **Stan** in draughts miss moves in the same way: turns that take several pieces twice as
  often as a step, single jumps half as often. **Mabel**, **Winnie** and **Agnes** see four, five and seven
  moves ahead; like **Marion**, they know all endings of up to four pieces. **Hilda**, **Beryl** and
  **Ethel** also remember positions for the whole match; their estimates are fitted to results of thousands
  of games.
- **Wim** to **Lieke** in Hex put a share of their stones beside others without a thought, from six in seven
  to one in twelve. From **Klaas** on, the levels differ in the number of simulated games; **Sanne** simulates
  few in the first four plies, so that her games differ.

`python -m bench.mistakes` measures it, and `python -m bench.levels` prints every level's strength, variety,
time and errors in one table (`bench/results.md`).

No collection of games between learners was at hand to compare with, so the mistakes of people are
assumed: that they miss a diagonal before a row and a row before a column, the far end of a line before a gap,
the other side's threat before their own, and a move the more often the further ahead it is; that in Othello
they like to turn many discs; and that they seldom choose at random. The bench measures how well the levels
follow these assumptions, not whether people do.

## Variety

Among equally good moves, and in the first third of the board (in Gomoku up to ply 8) also among nearly
equal ones, the levels choose at random; equal seeds play equal games. Monte Carlo levels accept more moves as
nearly equal the earlier it is. `python -m bench.variety` plays fifty games against people who always answer
alike, and counts how many were equal at ply 12 (`bench/results.md`).
"""

_INTRODUCTION = f"""# The ladder, measured

Written by `python -m tools.rate_levels`; do not edit. Each level played {GAMES_A_DUEL} games against the next
weaker one, those that think long fewer (won, drawn and lost add up to them), in pairs with swapped colours,
from openings of random moves after which neither side can force a win within three plies: one move per ten
cells of the board, except in games with a number of their own (Gomoku: 4, Kalah and Hex: 3, Dots and
Boxes: 8). Draws count half. Elo is relative to the mean of the game's own ladder, {MEAN_ELO},
before {_names(ADDED_LATER)} were added; the
interval comes from resampling the pairs of games (`engine/arena/elo.py`). Limits are plies, positions and
simulations instead of seconds if possible, so that a level is equally strong on every machine.
Elo means both seats alike, so in rated matches two players begin in turn
([when a match is rated](competing.md#when-a-match-is-rated-and-how-much)).
"""


if __name__ == "__main__":
    sys.exit(main())
