"""Pop Out a second time, as plainly as can be: columns are texts, from bottom to top."""

from __future__ import annotations

COLUMNS, ROWS = 7, 6
Columns = tuple[str, ...]

EMPTY: Columns = ("",) * COLUMNS


def moves(columns: Columns, mover: str) -> list[str]:
    """Return `drop 0`, `pop 3` …; nothing after four in a row. Repetition is ignored."""
    if has_four(columns, "X") or has_four(columns, "O"):
        return []
    drops = [f"drop {number}" for number, column in enumerate(columns) if len(column) < ROWS]
    pops = [f"pop {number}" for number, column in enumerate(columns) if column.startswith(mover)]
    return drops + pops


def made(columns: Columns, mover: str, move: str) -> Columns:
    kind, number = move.split()
    changed = list(columns)
    place = int(number)
    changed[place] = changed[place] + mover if kind == "drop" else changed[place][1:]
    return tuple(changed)


def has_four(columns: Columns, player: str) -> bool:
    def at(column: int, row: int) -> str:
        inside = 0 <= column < COLUMNS and 0 <= row < len(columns[column])
        return columns[column][row] if inside else ""

    return any(
        all(at(column + step * right, row + step * up) == player for step in range(4))
        for column in range(COLUMNS)
        for row in range(ROWS)
        for right, up in ((0, 1), (1, 0), (1, 1), (1, -1))
    )


def count_lines(columns: Columns, mover: str, depth: int) -> int:
    """Count the lines of `depth` moves, without those that end sooner."""
    if depth == 0:
        return 1
    other = "O" if mover == "X" else "X"
    return sum(count_lines(made(columns, mover, move), other, depth - 1) for move in moves(columns, mover))
