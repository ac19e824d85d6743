"""Machine instructions that numba does not offer: bit counts, unsigned shifts, raw memory, flags, tables.

Boards are int64 throughout, because numba turns a mixture of int64 and uint64 into float64. Bit 63 is then
the sign: `>>` would extend it, `shift_right` does not.

Kernels that work on many arrays take one address instead, of a block of memory that the caller keeps alive:
an array as an argument costs seven words per call, an address one. Addresses are not checked here.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from engine.kernels.jit import Words

_BIT, _HALF, _FLAG, _WORD = ir.IntType(1), ir.IntType(16), ir.IntType(32), ir.IntType(64)
_BYTE_POINTER = ir.IntType(8).as_pointer()
_WORD_BYTES = 8


@intrinsic
def _popcount(_typing: Any, _x: Any) -> Any:
    """popcount(x): the number of set bits of an int64."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


@intrinsic
def _lowest_index(_typing: Any, _x: Any) -> Any:
    """lowest_index(x): the index, 0 to 63, of the lowest set bit; undefined for 0."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(_BIT, 1))

    return types.int64(types.int64), generate


@intrinsic
def _shift_right(_typing: Any, _x: Any, _count: Any) -> Any:
    """shift_right(x, count): x shifted by 0 to 63 places, with zeros shifted in from the left."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.lshr(arguments[0], arguments[1])

    return types.int64(types.int64, types.int64), generate


@intrinsic
def _is_raised(_typing: Any, flag: Any) -> Any:
    """is_raised(flag): whether an int64 array's first element is not 0, read from memory every time.

    The compiler may hoist an ordinary read out of the loop that polls the flag, because nothing in the loop
    writes it; it may not hoist an atomic read.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        value = builder.load_atomic(array.data, "monotonic", _WORD_BYTES)
        return builder.icmp_signed("!=", value, ir.Constant(_WORD, 0))

    return types.boolean(flag), generate


def _element(builder: Any, base: Any, index: Any, element: Any = _WORD) -> Any:
    """Return a pointer to the element at `index` from the address `base`."""
    return builder.gep(builder.inttoptr(base, element.as_pointer()), [index])


@intrinsic
def _load(_typing: Any, _base: Any, _index: Any) -> Any:
    """load(base, index): the int64 there."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.load(_element(builder, *arguments))

    return types.int64(types.int64, types.int64), generate


@intrinsic
def _load_shared(_typing: Any, _base: Any, _index: Any) -> Any:
    """load_shared(base, index): as load, for memory that another thread may write; see is_raised."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_element(builder, *arguments), "monotonic", _WORD_BYTES)

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
def _load_half(_typing: Any, _base: Any, _index: Any) -> Any:
    """load_half(base, index): the int16 there, `index` counted in int16."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        base, index = arguments
        return builder.sext(builder.load(_element(builder, base, index, _HALF)), _WORD)

    return types.int64(types.int64, types.int64), generate


@intrinsic
def _store_half(_typing: Any, _base: Any, _index: Any, _value: Any) -> Any:
    """store_half(base, index, value): writes an int16 there, `index` counted in int16."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        base, index, value = arguments
        builder.store(builder.trunc(value, _HALF), _element(builder, base, index, _HALF))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic
def _prefetch(_typing: Any, _base: Any, _index: Any) -> Any:
    """prefetch(base, index): ask the processor to load that int64 into its cache."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        place = builder.bitcast(_element(builder, *arguments), _BYTE_POINTER)
        kind = ir.FunctionType(ir.VoidType(), [_BYTE_POINTER, _FLAG, _FLAG, _FLAG])
        call = cast(Any, cgutils).get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        to_read, everywhere, data = (ir.Constant(_FLAG, value) for value in (0, 3, 1))
        builder.call(call, [place, to_read, everywhere, data])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


def built_in(name: str, table: npt.NDArray[Any]) -> Callable[[int], int]:
    """Return a function for kernels that reads a one-dimensional table built into their code.

    name: of the table in the code, used once. table: integers of any width.
    """
    table = np.ascontiguousarray(table)
    element = ir.IntType(8 * table.dtype.itemsize)
    is_signed = table.dtype.kind == "i"
    kind = ir.ArrayType(element, len(table))

    @functools.cache
    def values() -> Any:
        # Not called for code from the cache: all tables together would be 10 MB for nothing.
        return ir.Constant(kind, [ir.Constant(element, int(value)) for value in table])

    @intrinsic
    def read(_typing: Any, _index: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            constant = builder.module.globals.get(name)
            if constant is None:
                constant = ir.GlobalVariable(builder.module, kind, name)
                constant.linkage, constant.global_constant, constant.align = "internal", True, 64
                constant.initializer = values()
            value = builder.load(builder.gep(constant, [ir.Constant(_WORD, 0), arguments[0]], inbounds=True))
            if element.width == _WORD.width:
                return value
            return builder.sext(value, _WORD) if is_signed else builder.zext(value, _WORD)

        return types.int64(types.int64), generate

    return cast(Callable[[int], int], read)


# The same functions with types for the type checker.
popcount = cast(Callable[[int], int], _popcount)
lowest_index = cast(Callable[[int], int], _lowest_index)
shift_right = cast(Callable[[int, int], int], _shift_right)
is_raised = cast(Callable[[Words], bool], _is_raised)
load = cast(Callable[[int, int], int], _load)
load_shared = cast(Callable[[int, int], int], _load_shared)
store = cast(Callable[[int, int, int], None], _store)
load_half = cast(Callable[[int, int], int], _load_half)
store_half = cast(Callable[[int, int, int], None], _store_half)
prefetch = cast(Callable[[int, int], None], _prefetch)
