"""Makes Othello's pattern weights from nothing but the rules: python -m tools.othello_rounds FOLDER

Round after round of `tools.othello_positions` and `tools.othello_train`: labels near the end are exact, those
before it what a search says with the weights of the round before, so that each round knows the game some
plies further from its end. Some 35 minutes of processor time. It can be ended at any moment and goes on where
it was: the files in FOLDER are the record. Seconds decide how many positions a round has, so weights differ
a little from machine to machine; `tools.othello_match` tells whether they are any worse.
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

    random_moves: at the beginning of a game, (least, most). below: the most empty squares of what is kept.
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
    """Writes `out` in one step, so that a file that is there is whole; says what the tool says."""
    draft = out.with_suffix(".draft.npz")
    subprocess.run([sys.executable, "-m", f"tools.{name}", draft, *arguments], check=True)
    draft.rename(out)


def make(folder: Path, rounds: Sequence[Round] = ROUNDS) -> Path:
    """The last round's weights; what is there already is not made again."""
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
