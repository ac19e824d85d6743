"""How kernels are compiled: ahead of use, without the GIL, into a cache that notices every change.

numba's own cache watches only the file that a function stands in, not the modules it inlines from. Here
the cached code lies in a folder named by a fingerprint of every kernel's source, here and in the games'
folders, so that an edit anywhere compiles everything again and nothing stale is ever run.

The folder is, in this order, the first that can be written: below NUMBA_CACHE_DIR where that is set, in
this package's `__pycache__`, in the user's `~/.cache/discade`. Where none can, kernels are compiled anew
in each process.
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
    """Sixteen hexadecimal digits that change when any kernel's source does, the toolkit's or a game's."""
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
    """Where compiled kernels are kept; None where no folder can be written."""
    for base in _candidates():
        folder = base / f"kernels-{fingerprint()}"
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            return folder
    return None


FOLDER = cache_folder()


def remove_stale_folders() -> None:
    """Deletes code compiled from older sources, once it is a day old: another version may still run."""
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
"""Passes for closures, other people's overloads, array expressions and reports: an eighth of all the time."""


@contextmanager
def _remembering_types() -> Iterator[None]:
    """Meanwhile numba works out once, and not at each place, what an operator makes of two integers.

    It tries dozens of overloads for each, twice: a sixth of all the time.
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
def _rarely_collecting() -> Iterator[None]:
    """Meanwhile Python looks for garbage in circles less often: a tenth of all the time, for 6 MiB."""
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*before)


class _Cache(FunctionCache):
    """numba's cache, but that it takes no account of what a function closes over.

    That would have another hash in every process; here the folder's name stands for every source.
    """

    def _index_key(self, signature: Any, codegen: Any) -> Any:
        return signature, codegen.magic_tuple()


def kernel(signature: str, game: str | None = None) -> Callable[[F], F]:
    """Compiles a function for exactly this signature now, so that no call ever has to.

    game: for a function inside a factory, what tells its kernels from each other in the cache. A kernel that
    calls itself must pass no integer literal: loaded from the cache, it would crash the process (numba issue
    6061).
    """

    def decorate(function: F) -> F:
        if game is not None:
            function.__qualname__ = f"{game}.{function.__name__}"
        made: Any = _njit(pipeline_class=_KernelCompiler)(function)
        if FOLDER is not None:
            with _caching_in(FOLDER):
                made._cache = cast(Any, _Cache)(function)
        with register_dispatcher(made), _remembering_types(), _rarely_collecting():  # it may call itself
            made.compile(signature)
        made.disable_compile()
        return cast(F, made)

    return decorate


class _PartLibrary(JITCodeLibrary):
    """What a part comes to: code to be linked into kernels, which are then optimised as a whole.

    numba would also optimise each part by itself and make machine code of it, which nobody ever runs.
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
        """Asked for only to say where the part's environment is, which it has none of."""
        return self

    def set_env(self, *_: object) -> None:
        pass


class _KernelCompiler(CompilerBase):
    """Compiles as numba does, without the passes that find nothing to do in kernels."""

    def define_pipelines(self) -> list[Any]:
        passes = cast(Any, DefaultPassBuilder).define_nopython_pipeline(self.state)
        passes.passes = [(each, why) for each, why in passes.passes if each.__name__ not in _NEEDLESS]
        passes._finalized = False
        passes.finalize()
        return [passes]


class _PartCompiler(_KernelCompiler):
    """Leaves a part's code in a `_PartLibrary`."""

    def define_pipelines(self) -> list[Any]:
        state: Any = self.state
        state.library = cast(Any, _PartLibrary)(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().define_pipelines()


def inlined(function: F) -> F:
    """A part of kernels: compiled into each that uses it, and the call itself away.

    Python cannot call it: what such a call takes would be compiled for every part, a fifth of all the time.
    """

    def refuse(*_arguments: Any) -> NoReturn:
        raise TypeError(f"{function.__name__} is a part of kernels, and nothing that Python can call")

    part: Any = _njit(forceinline=True, no_cpython_wrapper=True, pipeline_class=_PartCompiler)(function)
    part._insert = lambda *_entry: None  # else numba would jump to the entry for Python, which is not there
    part._compile_for_args = refuse
    of_types = part.get_call_template

    def of_plain_types(arguments: Any, keywords: Any) -> Any:
        # Once for all integers, not once more for every constant: inlining brings those in anyway.
        return of_types(tuple(map(cast(Any, unliteral), arguments)), keywords)

    part.get_call_template = of_plain_types
    return cast(F, part)
