"""Machine instructions that numba does not offer: bit counts, unsigned shifts, raw memory, an honest flag.

Boards are int64 throughout, since numba turns a mixture of int64 and uint64 into float64. Bit 63 is then
the sign: `>>` would smear it, `shift_right` does not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.core import cgutils
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


def _element(builder: Any, base: Any, index: Any) -> Any:
    """The address of the int64 `index` places behind the address `base`."""
    return builder.gep(builder.inttoptr(base, ir.IntType(64).as_pointer()), [index])


@intrinsic
def _load(_typing: Any, _base: Any, _index: Any) -> Any:
    """load(base, index): the int64 there. As an argument an array costs seven words, an address one."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.load(_element(builder, *arguments))

    return types.int64(types.int64, types.int64), generate


@intrinsic
def _load_shared(_typing: Any, _base: Any, _index: Any) -> Any:
    """load_shared(base, index): as load, for what another thread may write; see is_raised."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_element(builder, *arguments), "monotonic", _INT64_BYTES)

    return types.int64(types.int64, types.int64), generate


@intrinsic
def _store(_typing: Any, _base: Any, _index: Any, _value: Any) -> Any:
    """store(base, index, value): writes an int64 there."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        base, index, value = arguments
        builder.store(value, _element(builder, base, index))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic
def _prefetch(_typing: Any, _base: Any, _index: Any) -> Any:
    """prefetch(base, index): asks the processor to have that int64 at hand soon."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        flag = ir.IntType(32)
        place = builder.bitcast(_element(builder, *arguments), ir.IntType(8).as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [place.type, flag, flag, flag])
        call = cast(Any, cgutils).get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(call, [place, flag(0), flag(3), flag(1)])  # to read, to keep, data
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


# What the type checker should think of them.
popcount = cast(Callable[[int], int], _popcount)
lowest_index = cast(Callable[[int], int], _lowest_index)
shift_right = cast(Callable[[int, int], int], _shift_right)
is_raised = cast(Callable[[Words], bool], _is_raised)
load = cast(Callable[[int, int], int], _load)
load_shared = cast(Callable[[int, int], int], _load_shared)
store = cast(Callable[[int, int, int], None], _store)
prefetch = cast(Callable[[int, int], None], _prefetch)
