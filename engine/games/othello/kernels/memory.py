"""Raw memory and built-in tables for the Othello kernels: addresses and indexes in, integers out.

A kernel that takes ten arrays passes eighty numbers at every call. These take one address instead, of a
block whose layout `othello_context` describes; whoever makes the block keeps it alive and gives it room.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_WORD = ir.IntType(64)
_HALF = ir.IntType(16)
_WORD_BYTES = 8


def built_in(name: str, table: npt.NDArray[Any]) -> Callable[[int], int]:
    """A function of an index, for kernels, that reads a one-dimensional table built into their code."""
    table = np.ascontiguousarray(table)
    element = ir.IntType(8 * table.dtype.itemsize)
    is_signed = table.dtype.kind == "i"
    kind = ir.ArrayType(element, len(table))
    values = ir.Constant(kind, [ir.Constant(element, int(value)) for value in table])

    @intrinsic
    def read(_typing: Any, _index: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            constant = builder.module.globals.get(f"othello_{name}")
            if constant is None:
                constant = ir.GlobalVariable(builder.module, kind, f"othello_{name}")
                constant.linkage, constant.global_constant, constant.align = "internal", True, 64
                constant.initializer = values
            value = builder.load(builder.gep(constant, [ir.Constant(_WORD, 0), arguments[0]], inbounds=True))
            if element.width == _WORD.width:
                return value
            return builder.sext(value, _WORD) if is_signed else builder.zext(value, _WORD)

        return types.int64(types.int64), generate

    return cast(Callable[[int], int], read)


def _at(builder: Any, address: Any, index: Any, element: Any) -> Any:
    return builder.gep(builder.inttoptr(address, element.as_pointer()), [index])


@intrinsic
def _load(_typing: Any, _address: Any, _index: Any) -> Any:
    """load(address, index): the int64 at that index of the block."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.load(_at(builder, arguments[0], arguments[1], _WORD))

    return types.int64(types.int64, types.int64), generate


@intrinsic
def _store(_typing: Any, _address: Any, _index: Any, _value: Any) -> Any:
    """store(address, index, value): sets the int64 at that index of the block."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _at(builder, arguments[0], arguments[1], _WORD))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic
def _load_half(_typing: Any, _address: Any, _index: Any) -> Any:
    """load_half(address, index): the int16 at that index of the block."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.sext(builder.load(_at(builder, arguments[0], arguments[1], _HALF)), _WORD)

    return types.int64(types.int64, types.int64), generate


@intrinsic
def _store_half(_typing: Any, _address: Any, _index: Any, _value: Any) -> Any:
    """store_half(address, index, value): sets the int16 at that index of the block."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        builder.store(builder.trunc(arguments[2], _HALF), _at(builder, arguments[0], arguments[1], _HALF))
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), generate


@intrinsic
def _is_flag_up(_typing: Any, _address: Any) -> Any:
    """is_flag_up(address): whether the int64 there is not 0, read anew each time (see `bits.is_raised`)."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        flag = builder.inttoptr(arguments[0], _WORD.as_pointer())
        value = builder.load_atomic(flag, "monotonic", _WORD_BYTES)
        return builder.icmp_signed("!=", value, ir.Constant(_WORD, 0))

    return types.boolean(types.int64), generate


@intrinsic
def _fetch(_typing: Any, _address: Any) -> Any:
    """fetch(address): asks for the memory there, so that it is at hand when it is read a moment later."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        flag = ir.IntType(32)
        byte = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [byte, flag, flag, flag])
        name = "llvm.prefetch.p0i8"
        prefetch = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        to_read, keep_everywhere, data = (ir.Constant(flag, value) for value in (0, 3, 1))
        builder.call(prefetch, [builder.inttoptr(arguments[0], byte), to_read, keep_everywhere, data])
        return context.get_dummy_value()

    return types.void(types.int64), generate


# What the type checker should think of them.
load = cast(Callable[[int, int], int], _load)
store = cast(Callable[[int, int, int], None], _store)
load_half = cast(Callable[[int, int], int], _load_half)
store_half = cast(Callable[[int, int, int], None], _store_half)
fetch = cast(Callable[[int], None], _fetch)
is_flag_up = cast(Callable[[int], bool], _is_flag_up)
