"""Compilation of kernels: ahead of use, without the GIL, into a cache that notices every change.

numba's own cache watches only the file that defines a function, not the modules it inlines from. Here the
cached code is in a folder named by a fingerprint of all kernel sources, the toolkit's and the games', so an
edit anywhere compiles everything again and stale code never runs.

The folder is the first of these that is writable: below NUMBA_CACHE_DIR if that is set, in this package's
`__pycache__`, in the user's `~/.cache/discade`. If none is, each process compiles the kernels anew.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from typing import Any, NoReturn, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.typeinfer import register_dispatcher
from numba.core.types import Boolean, Integer, unliteral
from numba.core.types.functions import BaseFunction

_HERE = Path(__file__).parent
_ENGINE = _HERE.parent
_njit = functools.partial(
    numba.njit, nogil=True, error_model="numpy", boundscheck=False, no_cfunc_wrapper=True
)
_STALE_AFTER_SECONDS = 24 * 3600

F = TypeVar("F", bound=Callable[..., Any])

Words = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.int8]


def fingerprint(engine: Path = _ENGINE) -> str:
    """Return 16 hexadecimal digits that change with any kernel's source, the toolkit's or a game's."""
    digest = hashlib.sha256()
    for path in sorted([*engine.glob("kernels/*.py"), *engine.glob("games/*/kernels/*.py")]):
        name = path.relative_to(engine).as_posix()
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _candidates() -> Iterator[Path]:
    chosen: str = getattr(numba.config, "CACHE_DIR", "")
    if chosen:
        yield Path(chosen)
    yield _HERE / "__pycache__"
    with suppress(RuntimeError):  # a user without a home
        yield Path.home() / ".cache" / "discade"


def cache_folder() -> Path | None:
    """Return the folder of compiled kernels; None if no folder is writable."""
    for base in _candidates():
        folder = base / f"kernels-{fingerprint()}"
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            return folder
    return None


FOLDER = cache_folder()


def remove_stale_folders() -> None:
    """Delete code compiled from other sources if it is over a day old: another version may still run."""
    if FOLDER is None:
        return
    for folder in FOLDER.parent.glob("kernels-*"):
        with suppress(OSError):
            if folder != FOLDER and time.time() - folder.stat().st_mtime > _STALE_AFTER_SECONDS:
                rmtree(folder)


@contextmanager
def _caching_in(folder: Path) -> Iterator[None]:
    setting: Any = numba.config
    before = setting.CACHE_DIR
    setting.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        setting.CACHE_DIR = before


_NEEDLESS = frozenset({
    "WithLifting", "InlineClosureLikes", "MakeFunctionToJitFunction", "InlineInlinables", "InlineOverloads",
    "FindLiterallyCalls", "LiteralUnroll", "LiteralPropagationSubPipelinePass", "NopythonRewrites",
    "AnnotateTypes",
})  # fmt: skip
"""Passes for closures, overloads, array expressions and reports; without them, an eighth of the time less."""


@contextmanager
def _caching_types() -> Iterator[None]:
    """Cache the result types of operators on integers.

    numba tries dozens of overloads at each place, twice; the cache saves a sixth of the time.
    """
    functions: Any = BaseFunction
    before = functions.get_call_type

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws or not all(isinstance(each, Integer | Boolean) for each in args):
            return before(self, context, args, kws)
        key = self, args
        if key not in _KNOWN_TYPES:
            _KNOWN_TYPES[key] = before(self, context, args, kws)
        return _KNOWN_TYPES[key]

    functions.get_call_type = get_call_type
    try:
        yield
    finally:
        functions.get_call_type = before


_KNOWN_TYPES: dict[Any, Any] = {}


@contextmanager
def _collecting_rarely() -> Iterator[None]:
    """Run Python's cyclic garbage collection less often: saves a tenth of the time for 6 MiB."""
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


class _Cache(FunctionCache):
    """numba's cache, without a function's closure in the key.

    The closure's hash differs in every process; here the folder's name covers all sources.
    """

    def _index_key(self, signature: Any, codegen: Any) -> Any:
        return signature, codegen.magic_tuple()


def kernel(signature: str, game: str | None = None) -> Callable[[F], F]:
    """Compile a function now, for exactly this signature.

    game: for a function inside a factory, the name that distinguishes its kernels in the cache. A recursive
    kernel must not pass integer literals to itself: loaded from the cache, it would crash the process (numba
    issue 6061).
    """

    def decorate(function: F) -> F:
        if game is not None:
            function.__qualname__ = f"{game}.{function.__name__}"
        made: Any = _njit(pipeline_class=_KernelCompiler)(function)
        if FOLDER is not None:
            with _caching_in(FOLDER):
                made._cache = cast(Any, _Cache)(function)
        with register_dispatcher(made), _caching_types(), _collecting_rarely():  # it may be recursive
            made.compile(signature)
        made.disable_compile()
        return cast(F, made)

    return decorate


class _PartLibrary(JITCodeLibrary):
    """The code of a part, to be linked into kernels, which are then optimised as a whole.

    numba would also optimise each part by itself and generate its machine code, which is never run.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        cast(Any, self)._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002
        return 0

    @property
    def codegen(self) -> Any:
        """Only used to look up the part's environment, and it has none."""
        return self

    def set_env(self, *_: object) -> None:
        pass


class _KernelCompiler(CompilerBase):
    """Compiles as numba does, without the passes that have no effect on kernels."""

    def define_pipelines(self) -> list[Any]:
        passes = cast(Any, DefaultPassBuilder).define_nopython_pipeline(self.state)
        passes.passes = [(each, why) for each, why in passes.passes if each.__name__ not in _NEEDLESS]
        passes._finalized = False
        passes.finalize()
        return [passes]


class _PartCompiler(_KernelCompiler):
    """Leaves the code of a part in a `_PartLibrary`."""

    def define_pipelines(self) -> list[Any]:
        state: Any = self.state
        state.library = cast(Any, _PartLibrary)(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().define_pipelines()


def inlined(function: F) -> F:
    """Mark a function as a part of kernels: compiled into each of its callers, never called by Python.

    The entry point for Python would take a fifth of the compile time of every part.
    """

    def refuse(*_arguments: Any) -> NoReturn:
        raise TypeError(f"{function.__name__} is a part of kernels; Python cannot call it")

    part: Any = _njit(forceinline=True, no_cpython_wrapper=True, pipeline_class=_PartCompiler)(function)
    part._insert = lambda *_entry: None  # numba would jump to the entry point for Python, which is missing
    part._compile_for_args = refuse
    of_types = part.get_call_template

    def of_plain_types(arguments: Any, keywords: Any) -> Any:
        # One version for all integers instead of one per constant: inlining propagates constants anyway.

        return of_types(tuple(map(cast(Any, unliteral), arguments)), keywords)

    part.get_call_template = of_plain_types
    return cast(F, part)
