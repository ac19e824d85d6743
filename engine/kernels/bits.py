"""Machine instructions that numba does not offer: bit counting, unsigned shifts and an honest flag read.

Boards are int64 throughout, since numba turns a mixture of int64 and uint64 into float64. Bit 63 is then
the sign: `>>` would smear it, `shift_right` does not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from engine.kernels.jit import Words

_INT64_BYTES = 8


@intrinsic
def _popcount(_typing: Any, _x: Any) -> Any:
    """popcount(x): how many bits of an int64 are set."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def _lowest_index(_typing: Any, _x: Any) -> Any:
    """lowest_index(x): the index, 0 to 63, of the lowest set bit; undefined for 0."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@intrinsic
def _shift_right(_typing: Any, _x: Any, _count: Any) -> Any:
    """shift_right(x, count): x shifted by 0 to 63 places, zeros coming in from the left."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.lshr(arguments[0], arguments[1])

    return types.int64(types.int64, types.int64), generate


@intrinsic
def _is_raised(_typing: Any, flag: Any) -> Any:
    """is_raised(flag): whether an int64 array's first element is not 0, read from memory every time.

    An ordinary read may be hoisted out of the loop that polls it, since nothing in the loop writes it;
    an atomic one may not.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        value = builder.load_atomic(array.data, "monotonic", _INT64_BYTES)
        return builder.icmp_signed("!=", value, ir.Constant(ir.IntType(64), 0))

    return types.boolean(flag), generate


# What the type checker should think of them.
popcount = cast(Callable[[int], int], _popcount)
lowest_index = cast(Callable[[int], int], _lowest_index)
shift_right = cast(Callable[[int, int], int], _shift_right)
is_raised = cast(Callable[[Words], bool], _is_raised)
