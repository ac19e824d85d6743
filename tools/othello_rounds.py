"""Make Othello's pattern weights from nothing but the rules: python -m tools.othello_rounds FOLDER

It repeats `tools.othello_positions` and `tools.othello_train`. Labels near the end are exact; earlier labels
are search values with the weights of the previous round, so each round adds some plies. The rounds take some
35 minutes of processor time. The script can be stopped at any time and resumed: the files in FOLDER are the
record. The rounds have time limits, so weights differ a little between machines; `bench.othello_matches`
shows any loss of strength.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Round:
    """Positions to label, and the rounds whose positions the weights are then fitted to.

    random_moves: at the beginning of a game, (least, most). below: the most empty squares of kept positions.
    """

    name: str
    seconds: int
    depth: int
    random_moves: tuple[int, int]
    fitted_to: str
    below: int = 64


ROUNDS = (
    Round("a", 120, 1, (20, 46), "a", below=15),
    Round("b", 200, 8, (16, 44), "ab", below=30),
    Round("c", 200, 8, (8, 44), "bc", below=46),
    Round("d", 300, 8, (4, 40), "bcd"),
    Round("e", 200, 6, (4, 40), "bcde"),
    Round("f", 150, 7, (4, 30), "def"),
    Round("g", 150, 7, (4, 30), "defg"),
    Round("h", 150, 7, (4, 30), "defgh"),
    Round("i", 240, 8, (4, 36), "defghi"),
)


def run_tool(name: str, out: Path, *arguments: str | Path) -> None:
    """Run the tool and write `out` in one step, so that an existing file is always whole."""
    draft = out.with_suffix(".draft.npz")
    subprocess.run([sys.executable, "-m", f"tools.{name}", draft, *arguments], check=True)
    draft.rename(out)


def make(folder: Path, rounds: Sequence[Round] = ROUNDS) -> Path:
    """Return the last round's weights; existing files are not made again."""
    folder.mkdir(parents=True, exist_ok=True)
    before: str | Path = "none"
    for number, wanted in enumerate(rounds):
        positions, weights = folder / f"{wanted.name}.npz", folder / f"weights_{wanted.name}.npz"
        if not positions.exists():
            least, most = wanted.random_moves
            run_tool("othello_positions", positions, "--weights", before, f"--seed={number}",
                     f"--seconds={wanted.seconds}", f"--depth={wanted.depth}", f"--below={wanted.below}",
                     f"--least={least}", f"--most={most}")  # fmt: skip
        if not weights.exists():
            run_tool("othello_train", weights, *(folder / f"{name}.npz" for name in wanted.fitted_to))
        before = weights
    return Path(before)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    print(make(parser.parse_args().folder))
