"""The stones of a game in their order, without the choices of colours that only some programs write."""

from __future__ import annotations

from engine.records.record import Record


def stones_of(record: Record) -> tuple[list[int], tuple[str, str]]:
    """Return the cells of all stones in order, from the first side's first one, and the names of both sides.

    After a swap the side that took the first stone over is named first: a stone that lies on its mirror image
    by our rules stays in its place, and the later ones are mirrored instead.
    """
    rules, states = record.spec.rules, record.states
    stones, is_mirrored = list[int](), False
    for state, move in zip(states, record.moves, strict=False):
        cell = rules.cell_of(state, move)
        if cell is None:
            after = state.play(move).cells()
            is_mirrored = is_mirrored or any(after[stone] is None for stone in stones)
        else:
            row, column = divmod(cell, state.columns)
            stones.append(state.columns * column + row if is_mirrored else cell)
    names = record.about.players
    if not stones:
        return stones, names
    last = states[-1].cells()
    is_others = is_mirrored or last[stones[0]] is states[0].to_move.other
    return stones, names[::-1] if is_others else names
