"""The pattern evaluation of Othello: features updated incrementally with each move, and the sum of their
weights.

A row of features is 64 unsigned int16, and LANES of them are used; there is one row per number of empty
squares. Weights are int16 in units of 1/UNIT disc; a table of them holds the weight of every content of every
shape and then the constant of the phase. White's view has tables of its own, so a feature always means black
and white and never has to be translated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from engine.games.othello.kernels.context import WEIGHTS_AT, feature_row
from engine.games.othello.kernels.shapes import (
    CONTENTS,
    FEATURE_OFFSETS,
    FEATURES,
    INCREMENTS,
    LANES,
    PACKED,
    PHASES,
    SWAPPED,
    WEIGHTS,
    phase_of,
)
from engine.kernels.intrinsics import built_in, load, load_half, store_half
from engine.kernels.jit import inlined, kernel

UNIT = 128
"""Weight units per disc."""
TABLE_WEIGHTS = CONTENTS + 1

_WORD, _HALF, _SUM = ir.IntType(64), ir.IntType(16), ir.IntType(32)
_PART_LANES = 16
_PARTS = LANES // _PART_LANES
_PART = ir.VectorType(_HALF, _PART_LANES)
_PART_BYTES = 2 * _PART_LANES

Halves = npt.NDArray[np.int16]


def _increments(builder: Any, square: Any, part: int) -> Any:
    """Return one part of the increments that a disc on the square adds to the features."""
    table = builder.module.globals.get("othello_increments")
    if table is None:
        rows = INCREMENTS.reshape(-1, _PART_LANES)
        kind = ir.ArrayType(_PART, len(rows))
        table = ir.GlobalVariable(builder.module, kind, "othello_increments")
        table.linkage, table.global_constant, table.align = "internal", True, 64
        table.initializer = ir.Constant(
            kind, [ir.Constant(_PART, [ir.Constant(_HALF, int(value)) for value in row]) for row in rows]
        )
    row = builder.add(builder.mul(square, ir.Constant(_WORD, _PARTS)), ir.Constant(_WORD, part))
    return builder.load(builder.gep(table, [ir.Constant(_WORD, 0), row], inbounds=True), align=_PART_BYTES)


def _spread(builder: Any, half: Any) -> Any:
    first = builder.insert_element(ir.Constant(_PART, ir.Undefined), half, ir.Constant(_SUM, 0))
    everywhere = ir.Constant(ir.VectorType(_SUM, _PART_LANES), [ir.Constant(_SUM, 0)] * _PART_LANES)
    return builder.shuffle_vector(first, ir.Constant(_PART, ir.Undefined), everywhere)


@intrinsic
def _update_features(
    _typing: Any, _target: Any, _source: Any, _square: Any, _turned: Any, _colour: Any
) -> Any:
    """update_features(target, source, square, turned, colour): write to `target` the row at `source` after
    black (colour 0) or white (1) has played on the square and turned those discs."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        target, source, square, turned, colour = arguments
        half = builder.trunc(colour, _HALF)
        digit = _spread(builder, builder.add(half, ir.Constant(_HALF, 1)))
        # A disc turned to white adds one increment, a disc turned to black subtracts one: 2 * colour - 1.
        sign = _spread(builder, builder.sub(builder.add(half, half), ir.Constant(_HALF, 1)))
        sources = builder.inttoptr(source, _PART.as_pointer())
        targets = builder.inttoptr(target, _PART.as_pointer())
        placed = []
        for part in range(_PARTS):
            before = builder.load(builder.gep(sources, [ir.Constant(_WORD, part)]), align=_PART_BYTES)
            placed.append(builder.add(before, builder.mul(_increments(builder, square, part), digit)))
        entry = builder.block
        loop, done = builder.append_basic_block("turn"), builder.append_basic_block("turned")
        nothing = ir.Constant(_PART, [ir.Constant(_HALF, 0)] * _PART_LANES)
        builder.cbranch(builder.icmp_signed("!=", turned, ir.Constant(_WORD, 0)), loop, done)
        builder.position_at_end(loop)
        left = builder.phi(_WORD)
        left.add_incoming(turned, entry)
        sums = [builder.phi(_PART) for _ in range(_PARTS)]
        disc = builder.cttz(left, ir.Constant(ir.IntType(1), 1))
        grown = [builder.add(total, _increments(builder, disc, part)) for part, total in enumerate(sums)]
        rest = builder.and_(left, builder.sub(left, ir.Constant(_WORD, 1)))
        left.add_incoming(rest, loop)
        for total, more in zip(sums, grown, strict=True):
            total.add_incoming(nothing, entry)
            total.add_incoming(more, loop)
        builder.cbranch(builder.icmp_signed("!=", rest, ir.Constant(_WORD, 0)), loop, done)
        builder.position_at_end(done)
        changes = [builder.phi(_PART) for _ in range(_PARTS)]
        for change, more in zip(changes, grown, strict=True):
            change.add_incoming(nothing, entry)
            change.add_incoming(more, loop)
        for part, change in enumerate(changes):
            after = builder.add(placed[part], builder.mul(change, sign))
            builder.store(after, builder.gep(targets, [ir.Constant(_WORD, part)]), align=_PART_BYTES)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64, types.int64, types.int64), generate


@intrinsic
def _sum_of_weights(_typing: Any, _features: Any, _weights: Any) -> Any:
    """sum_of_weights(features, weights): the sum of the weights of a row's contents."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        features = builder.inttoptr(arguments[0], _HALF.as_pointer())
        weights = builder.inttoptr(arguments[1], _HALF.as_pointer())
        sums = [ir.Constant(_SUM, 0)] * 4  # four chains of additions instead of one long chain
        for feature in range(FEATURES):
            content = builder.zext(builder.load(builder.gep(features, [ir.Constant(_WORD, feature)])), _WORD)
            place = builder.add(content, ir.Constant(_WORD, int(FEATURE_OFFSETS[feature])))
            weight = builder.sext(builder.load(builder.gep(weights, [place])), _SUM)
            sums[feature % 4] = builder.add(sums[feature % 4], weight)
        total = builder.add(builder.add(sums[0], sums[1]), builder.add(sums[2], sums[3]))
        return builder.sext(total, _WORD)

    return types.int64(types.int64, types.int64), generate


# The same functions with types for the type checker.
update_features = cast(Callable[[int, int, int, int, int], None], _update_features)
_sum = cast(Callable[[int, int], int], _sum_of_weights)
_increment = built_in("othello_increment_of", INCREMENTS.reshape(-1))


@inlined
def fine_value(c: int, count: int, colour: int) -> int:
    """Return the evaluation for that colour, to move with `count` squares empty, in 1/UNIT disc."""
    weights = load(c, WEIGHTS_AT + 2 * count + colour)
    return _sum(feature_row(c, count), weights) + load_half(weights, CONTENTS)


@inlined
def estimate(c: int, count: int, colour: int) -> int:
    """Return the evaluation in discs, -63 to 63; 64 would claim a won full board."""
    value = (fine_value(c, count, colour) + UNIT // 2) // UNIT
    return min(63, max(-63, value))


@kernel("void(int64, int64, int64, int64)")
def set_features(c: int, black: int, white: int, count: int) -> None:
    """Write the row of features for a position with `count` empty squares."""
    row = feature_row(c, count)
    for feature in range(LANES):
        content = 0
        for square in range(64):
            if black >> square & 1:
                content += _increment(square * LANES + feature)
            elif white >> square & 1:
                content += 2 * _increment(square * LANES + feature)
        store_half(row, feature, content)


@kernel("int64(int64, int64, int64)")
def fine_value_of(c: int, count: int, colour: int) -> int:
    """As `fine_value`, for Python."""
    return fine_value(c, count, colour)


@kernel("void(int16[::1], int32[::1], int32[::1], int16[::1], int16[::1])")
def unpack(packed: Halves, numbering: Any, swapped: Any, black: Halves, white: Halves) -> None:
    """Write the tables of one phase for both views from the packed weights, which end with the constant."""
    contents = len(numbering)
    for content in range(contents):
        black[content] = packed[numbering[content]]
        white[content] = packed[numbering[swapped[content]]]
    black[contents] = packed[-1]
    white[contents] = packed[-1]


class PatternWeights:
    """The evaluation's weights, converted for kernels.

    packed: int16 of shape (PHASES, WEIGHTS + 1), with the constant of a phase last, in 1/UNIT disc.
    """

    def __init__(self, packed: Halves) -> None:
        if packed.shape != (PHASES, WEIGHTS + 1):
            raise ValueError(f"weights have the shape {(PHASES, WEIGHTS + 1)}, not {packed.shape}")
        rows = np.ascontiguousarray(packed, np.int16)  # not kept: 6 MB that are not needed again
        self._tables = np.empty((PHASES, 2, TABLE_WEIGHTS), np.int16)
        for phase in range(PHASES):
            black, white = self._tables[phase]
            unpack(rows[phase], PACKED, SWAPPED, black, white)

    def for_black(self, phase: int) -> Halves:
        """Return the weights of that phase for black to move, by content; the constant comes last."""
        table: Halves = self._tables[phase, 0]
        return table

    def address(self, empties: int, colour: int) -> int:
        """Return the address of the weights for that number of empty squares and that colour.

        It is valid while this object lives.
        """
        return int(self._tables[phase_of(empties), colour].ctypes.data)
