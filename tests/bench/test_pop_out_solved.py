"""The values of Pop Out on small boards agree with a plain search of columns written as texts."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest

from bench.pop_out_solved import score_of, solved
from engine.score import Score

Columns = tuple[str, ...]
ROWS, COLUMNS, K = 3, 3, 3


def has_line(columns: Columns, player: str, k: int) -> bool:
    places = {(x, y) for x, column in enumerate(columns) for y, disc in enumerate(column) if disc == player}
    return any(
        all((x + right * step, y + up * step) in places for step in range(k))
        for x, y in places
        for right, up in ((0, 1), (1, 0), (1, 1), (1, -1))
    )


def following(columns: Columns, rows: int) -> list[Columns]:
    """Return the positions after each move of X, from the view of the other side, who is X then."""
    found = []
    for x, column in enumerate(columns):
        changed = [f"{column}X"] * (len(column) < rows) + [column[1:]] * column.startswith("X")
        found += [(*columns[:x], one, *columns[x + 1 :]) for one in changed]
    swap = str.maketrans("XO", "OX")
    return [tuple(column.translate(swap) for column in after) for after in found]


def code_of(columns: Columns, rows: int) -> int:
    codes = (int("1" + "".join("1" if disc == "X" else "0" for disc in reversed(one)), 2) for one in columns)
    return sum(code << (rows + 1) * x for x, code in enumerate(codes))


def forced(columns: Columns, plies: int) -> Score:
    """Return the result that is forced within so many plies, with its length; a draw if there is none."""
    if has_line(columns, "O", K):
        return Score.lost(0)
    if has_line(columns, "X", K):
        return Score.won(0)
    if plies == 0:
        return Score.drawn()
    return max((-remembered(after, plies - 1)).earlier() for after in following(columns, ROWS))


remembered = cache(forced)


def positions(rows: int, columns: int) -> list[Columns]:
    heights = range(rows + 1)
    stacks = ["".join(discs) for height in heights for discs in product("XO", repeat=height)]
    return list(product(stacks, repeat=columns))


@pytest.mark.slow
def test_every_position_of_three_in_a_row_on_3x3_agrees_with_a_plain_search() -> None:
    values, count = solved(ROWS, COLUMNS, K)
    every = positions(ROWS, COLUMNS)
    assert count == len(every) == 15**3
    longest = int(abs(values).max())
    for position in every:
        assert score_of(int(values[code_of(position, ROWS)])) == remembered(position, longest)
