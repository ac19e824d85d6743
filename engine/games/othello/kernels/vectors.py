"""Othello moves and flips on vectors of four 64-bit lanes, one lane per direction of lines.

Boards are as in `board`: a1 is bit 0, h8 the sign. A line runs both ways: upwards, to
higher bits, and downwards. The four lanes and their steps up:

    lane 0: east  +1      lane 1: south-west  +7      lane 2: south  +8      lane 3: south-east  +9

The functions below generate LLVM's intermediate code, which becomes AVX, NEON or plain instructions,
depending on the machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

STEPS = (1, 7, 8, 9)
_UPWARDS = ((1, 0), (-1, 1), (0, 1), (1, 1))  # (columns, rows) of one step of each lane

_WORD = ir.IntType(64)
_INDEX = ir.IntType(32)
_LANES = ir.VectorType(_WORD, 4)
_MIDDLE_FILES = 0x7E7E7E7E7E7E7E7E
_GRID = (1 << 64) - 1

_FEATURES = llvm.get_host_cpu_features()
COUNTS_LEADING_ZEROS = bool(_FEATURES.get("avx512cd") and _FEATURES.get("avx512vl"))
"""Whether this machine counts the leading zeros of a whole vector with one instruction."""


def signed(word: int) -> int:
    """Return a board of 64 bits as the int64 that kernels take."""
    word &= _GRID
    return word - (1 << 64) if word >> 63 else word


def _ray(square: int, columns: int, rows: int) -> int:
    """Return the squares from `square`, exclusive, to the border."""
    x, y = square % 8 + columns, square // 8 + rows
    bits = 0
    while 0 <= x < 8 and 0 <= y < 8:
        bits |= 1 << 8 * y + x
        x, y = x + columns, y + rows
    return bits


RAYS_UP = tuple(tuple(_ray(square, dx, dy) for dx, dy in _UPWARDS) for square in range(64))
RAYS_DOWN = tuple(tuple(_ray(square, -dx, -dy) for dx, dy in _UPWARDS) for square in range(64))


def _beyond(sign: int, count: int) -> tuple[int, ...]:
    """Return, for each lane, the squares from which `count` steps cross the border."""
    found = []
    for dx, dy in _UPWARDS:
        bits = 0
        for square in range(64):
            x, y = square % 8 + sign * count * dx, square // 8 + sign * count * dy
            if not (0 <= x < 8 and 0 <= y < 8):
                bits |= 1 << square
        found.append(bits)
    return tuple(found)


def _lanes(values: Sequence[int]) -> Any:
    return ir.Constant(_LANES, [ir.Constant(_WORD, signed(value)) for value in values])


def _same(value: int) -> Any:
    return _lanes([value] * 4)


def _spread(builder: Any, word: Any) -> Any:
    """Copy the word to every lane."""
    first = builder.insert_element(ir.Constant(_LANES, ir.Undefined), word, ir.Constant(_INDEX, 0))
    everywhere = ir.Constant(ir.VectorType(_INDEX, 4), [ir.Constant(_INDEX, 0)] * 4)
    return builder.shuffle_vector(first, ir.Constant(_LANES, ir.Undefined), everywhere)


def _folded(builder: Any, lanes: Any, join: Callable[[Any, Any], Any]) -> Any:
    """Join all four lanes into one word, pairwise."""
    pair = ir.VectorType(_INDEX, 2)
    nothing = ir.Constant(_LANES, ir.Undefined)
    halves = [
        builder.shuffle_vector(
            lanes, nothing, ir.Constant(pair, [ir.Constant(_INDEX, k), ir.Constant(_INDEX, k + 1)])
        )
        for k in (0, 2)
    ]
    joined = join(*halves)
    return join(*(builder.extract_element(joined, ir.Constant(_INDEX, k)) for k in (0, 1)))


def _rays(builder: Any, name: str, rays: Sequence[Sequence[int]], square: Any) -> Any:
    """Return the four rays from a square, from a table in the compiled code."""
    table = builder.module.globals.get(name)
    if table is None:
        kind = ir.ArrayType(_LANES, 64)
        table = ir.GlobalVariable(builder.module, kind, name)
        table.linkage, table.global_constant, table.align = "internal", True, 32
        table.initializer = ir.Constant(kind, [_lanes(row) for row in rays])
    return builder.load(builder.gep(table, [ir.Constant(_WORD, 0), square], inbounds=True), align=32)


def _flips_up(builder: Any, square: Any, own: Any, opposing: Any) -> Any:
    """Adding 1 below a run of opposing discs carries to the square beyond it; is that an own disc?"""
    ray = _rays(builder, "othello_rays_up", RAYS_UP, square)
    carried = builder.add(builder.or_(opposing, builder.xor(ray, _same(-1))), _same(1))
    end = builder.and_(builder.and_(carried, own), ray)
    found = builder.icmp_signed("!=", end, _same(0))
    return builder.and_(builder.add(end, builder.sext(found, _LANES)), ray)


def _flips_down_by_counting(builder: Any, square: Any, own: Any, opposing: Any) -> Any:
    """The highest square of the ray that is not opposing ends the run; if it is own, all above it turn."""
    ray = _rays(builder, "othello_rays_down", RAYS_DOWN, square)
    # Bit 0 ends runs that reach the border; it is on a ray only as that ray's last square.
    stops = builder.or_(builder.and_(ray, builder.xor(opposing, _same(-1))), _same(1))
    kind = ir.FunctionType(_LANES, [_LANES, ir.IntType(1)])
    name = "llvm.ctlz.v4i64"
    count = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
    zeros = builder.call(count, [stops, ir.Constant(ir.IntType(1), 1)])
    end = builder.and_(builder.and_(builder.lshr(_same(1 << 63), zeros), own), ray)
    return builder.and_(builder.sub(_same(0), builder.add(end, end)), ray)


def _flips_down_by_smearing(builder: Any, square: Any, own: Any, opposing: Any) -> Any:
    """As by counting, for machines without that instruction: every stop is smeared to the end of its ray."""
    ray = _rays(builder, "othello_rays_down", RAYS_DOWN, square)
    steps = _lanes(STEPS)
    smear = builder.and_(ray, builder.xor(opposing, _same(-1)))
    for times in (1, 2, 4):
        smear = builder.or_(smear, builder.lshr(smear, _lanes([times * step for step in STEPS])))
    smear = builder.and_(smear, ray)
    highest = builder.xor(smear, builder.and_(builder.lshr(smear, steps), ray))
    found = builder.icmp_signed("!=", builder.and_(highest, own), _same(0))
    return builder.and_(builder.and_(ray, builder.xor(smear, _same(-1))), builder.sext(found, _LANES))


def _flips(builder: Any, square: Any, own: Any, opposing: Any, counts_zeros: bool) -> Any:
    own, opposing = _spread(builder, own), _spread(builder, opposing)
    down = _flips_down_by_counting if counts_zeros else _flips_down_by_smearing
    both = builder.or_(_flips_up(builder, square, own, opposing), down(builder, square, own, opposing))
    return _folded(builder, both, builder.or_)


@intrinsic
def _flips_of(_typing: Any, _square: Any, _own: Any, _opposing: Any) -> Any:
    """flips_of(square, own, opposing): the discs turned by a disc of `own` on an empty square, by index."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        square, own, opposing = arguments
        return _flips(builder, square, own, opposing, COUNTS_LEADING_ZEROS)

    return types.int64(types.int64, types.int64, types.int64), generate


@intrinsic
def _flips_anywhere(_typing: Any, _square: Any, _own: Any, _opposing: Any) -> Any:
    """flips_anywhere: as `flips_of`, without counting the zeros of a vector; runs on any machine."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        square, own, opposing = arguments
        return _flips(builder, square, own, opposing, False)

    return types.int64(types.int64, types.int64, types.int64), generate


@intrinsic
def _moves_of(_typing: Any, _own: Any, _opposing: Any) -> Any:
    """moves_of(own, opposing): every square, taken or not, that a line of `own` over `opposing` reaches."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        own, opposing = (_spread(builder, board) for board in arguments)
        once, twice = _lanes(STEPS), _lanes([2 * step for step in STEPS])
        passable = builder.and_(
            opposing, _lanes([_MIDDLE_FILES, _MIDDLE_FILES, _GRID, _MIDDLE_FILES])
        )  # a horizontal line continues only on the six middle files
        up = builder.and_(passable, builder.shl(own, once))
        down = builder.and_(passable, builder.lshr(own, once))
        up = builder.or_(up, builder.and_(passable, builder.shl(up, once)))
        down = builder.or_(down, builder.and_(passable, builder.lshr(down, once)))
        pairs_up = builder.and_(passable, builder.shl(passable, once))
        pairs_down = builder.lshr(pairs_up, once)
        for _ in range(2):  # from one and two discs to up to four, then up to six
            up = builder.or_(up, builder.and_(pairs_up, builder.shl(up, twice)))
            down = builder.or_(down, builder.and_(pairs_down, builder.lshr(down, twice)))
        reached = builder.or_(builder.shl(up, once), builder.lshr(down, once))
        return _folded(builder, reached, builder.or_)

    return types.int64(types.int64, types.int64), generate


@intrinsic
def _grow_stable(_typing: Any, _own: Any, _empties: Any, _known: Any, _outside: Any) -> Any:
    """grow_stable(own, empties, known, outside): discs of `own` that can never be turned; a subset of them.

    A disc is stable if on each of its four lines either the whole line is full, or one neighbour is the
    border, outside the board, or a stable own disc. known: own discs that are stable already.
    """

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        own, empties, known, outside = arguments
        full_up = full_down = _spread(builder, builder.not_(empties))
        for times in (1, 2, 4):
            shift = _lanes([times * step for step in STEPS])
            full_up = builder.and_(
                full_up, builder.or_(builder.lshr(full_up, shift), _lanes(_beyond(1, times)))
            )
            full_down = builder.and_(
                full_down, builder.or_(builder.shl(full_down, shift), _lanes(_beyond(-1, times)))
            )
        full = builder.and_(full_up, full_down)
        border = _lanes([up | down for up, down in zip(_beyond(1, 1), _beyond(-1, 1), strict=True)])
        safe_lines = builder.or_(full, border)
        steps = _lanes(STEPS)
        start = builder.or_(known, builder.and_(own, _folded(builder, full, builder.and_)))
        entry = builder.block
        loop, done = builder.append_basic_block("grow"), builder.append_basic_block("grown")
        builder.branch(loop)
        builder.position_at_end(loop)
        stable = builder.phi(_WORD)
        stable.add_incoming(start, entry)
        safe = _spread(builder, builder.or_(stable, outside))
        # A shift may cross the border; it then arrives on a square whose line is `border` anyway.
        lines = builder.or_(safe_lines, builder.or_(builder.shl(safe, steps), builder.lshr(safe, steps)))
        grown = builder.or_(stable, builder.and_(_folded(builder, lines, builder.and_), own))
        stable.add_incoming(grown, builder.block)
        builder.cbranch(builder.icmp_signed("!=", grown, stable), loop, done)
        builder.position_at_end(done)
        return grown

    return types.int64(types.int64, types.int64, types.int64, types.int64), generate


# The same functions with types for the type checker.
flips_of = cast(Callable[[int, int, int], int], _flips_of)
flips_anywhere = cast(Callable[[int, int, int], int], _flips_anywhere)
moves_of = cast(Callable[[int, int], int], _moves_of)
grow_stable = cast(Callable[[int, int, int, int], int], _grow_stable)
