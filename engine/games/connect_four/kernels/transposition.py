"""The transposition table of the Connect Four solver, one int64 per entry.

     63 ........... 15 14 ... 9 8 ... 3 2 .. 0
     key (49 bits)     lower     upper    work       bounds are stored + 21, so that none is negative

The key, own + mask + BOTTOM, is unique and never 0: in each column it has a bit right above the highest
stone, and below that bit the own stones. `work` grows with the nodes that a bound took.

The table is reached through the solver's context, see `engine.games.connect_four.kernels.context`.
"""

from __future__ import annotations

from engine.games.connect_four.kernels.board import BOTTOM, mirrored
from engine.games.connect_four.kernels.context import SCATTER, SHIFT, work_of
from engine.kernels.intrinsics import load, shift_right, store
from engine.kernels.jit import inlined

_MIRRORED_UNTIL = 20
"""Up to this number of stones mirror images are likely to occur; beyond, looking for them costs more."""


@inlined
def key_of(own: int, mask: int, n: int) -> int:
    """Return the position's key in the table; early in the game its mirror image shares it."""
    key = own + mask + BOTTOM
    if n <= _MIRRORED_UNTIL:
        key = min(key, mirrored(key))
    return key


@inlined
def slot_of(key: int, context: int) -> int:
    """Return the first of a key's two slots: the top bits of a product; the lower ones scatter badly."""
    return shift_right(key * SCATTER, load(context, SHIFT)) & ~1


@inlined
def find(table: int, slot: int, key: int) -> int:
    """Return the entry of the key, or 0."""
    entry = load(table, slot)
    if shift_right(entry, 15) == key:
        return entry
    entry = load(table, slot | 1)
    return entry if shift_right(entry, 15) == key else 0


@inlined
def lower_of(entry: int) -> int:
    return ((entry >> 9) & 63) - 21


@inlined
def upper_of(entry: int) -> int:
    return ((entry >> 3) & 63) - 21


@inlined
def keep(table: int, slot: int, key: int, lower: int, upper: int, nodes: int) -> None:
    """Store the bounds: in the first slot if it has the same key or took less work, else in the second."""
    work = work_of(nodes)
    entry = key << 15 | (lower + 21) << 9 | (upper + 21) << 3 | work
    old = load(table, slot)
    is_ours = shift_right(old, 15) == key
    if is_ours or work >= old & 7:
        if not is_ours and shift_right(load(table, slot | 1), 15) == key:
            store(table, slot | 1, 0)  # a key never has two entries
        store(table, slot, entry)
    else:
        store(table, slot | 1, entry)
