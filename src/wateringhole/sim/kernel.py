"""How functions of the simulator are compiled: for the CPU here, for CUDA from the same source.

A compiled game is made of plain functions over arrays of integers.  `force_inline` marks those on the
main path, which disappear into their callers; `jit` those that are better called; `entry`
those that Python calls.  A CUDA kernel may call rules and rare functions as they are, so they
allocate nothing, raise nothing and know no Python objects.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import importlib.util
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import njit, types
from numba.core import cgutils, config, event
from numba.core.caching import FunctionCache
from numba.core.cpu import CPUContext
from numba.extending import intrinsic

from wateringhole.errors import UsageError
from wateringhole.registry import game_names, kinds

__all__ = [
    "CHECKED",
    "DEBUG",
    "DEVICES",
    "REGISTERS",
    "compact",
    "entry",
    "force_inline",
    "get",
    "get_byte",
    "ir_inline",
    "jit",
    "kernel",
    "numba_cuda",
    "on_compile",
    "popcount",
    "put",
    "put_byte",
    "require_cuda",
    "require_device",
    "trailing_zeros",
]

F = TypeVar("F", bound=Callable[..., Any])

DEBUG: Final = os.environ.get("WATERINGHOLE_SIM_DEBUG") == "1"
"""Whether functions for the CPU check every index, and raise IndexError for one that is out of bounds."""

CHECKED: Final[Any] = {"boundscheck": True} if DEBUG else {}
"""Options of every function that is compiled for the CPU."""
# An exception that names index and length lives in memory that numba's runtime allocates.
_LEAN: Final[Any] = CHECKED if DEBUG else {"_nrt": False}

# Numba's types cover neither all of these options nor what they make of a function.
_njit: Any = njit
_events: Any = event
_config: Any = config
_cgutils: Any = cgutils
_intrinsic: Callable[[F], Any] = intrinsic


def force_inline(function: F) -> F:
    """Compile a function of the main path; it is inlined wherever it is called."""
    compiled: F = _njit(forceinline=True, error_model="numpy", **_LEAN)(function)
    return compiled


def jit(function: F) -> F:
    """Compile a function that is called seldom or from many places, and stays a call."""
    compiled: F = _njit(error_model="numpy", **_LEAN)(function)
    return compiled


def ir_inline(function: F) -> F:
    """Compile a function that only puts others together, as a part of each of its callers.

    What it calls is not optimized once more on its account, which at the top of a game takes seconds.
    """
    compiled: F = _njit(inline="always", **CHECKED)(function)
    return compiled


def entry(function: F, *, name: str = "") -> F:
    """Compile a function that Python calls: without the interpreter's lock, and kept on disk.

    `name` tells apart functions that one piece of source makes for several games.
    """
    compiled: Any = _njit(nogil=True, error_model="numpy", **CHECKED)(function)
    _keep(compiled, FunctionCache, name, function.__qualname__)
    entered: F = compiled
    return entered


REGISTERS: Final = 64
"""The most that a thread of a kernel may have.  Up to here, more threads at a time are worth more than registers:
what holds a game back is waiting for instructions and for memory."""


def kernel(function: F, *, name: str, players: Iterable[str] = ()) -> Any:
    """Compile a CUDA kernel, kept on disk as well.

    `players` tell apart kernels that are made for some of a game's compiled players.
    Raises UsageError where there is no device.
    """
    cuda = require_cuda()
    if _config.ENABLE_CUDASIM:
        _let_kernels_call_compiled_functions()
        return cuda.jit(function)
    from numba.cuda.dispatcher import CUDACache

    compiled = cuda.jit(max_registers=REGISTERS)(function)
    _keep(compiled, CUDACache, name, function.__qualname__, *players)
    return compiled


def _let_kernels_call_compiled_functions() -> None:
    """Where numba only simulates a device, kernels run as Python and get arrays of the simulator's own;
    ours hand them on to compiled functions, which take NumPy's."""
    simulator: Any = importlib.import_module("numba.cuda.simulator.kernel")
    simulator.FakeWithinKernelCUDAArray = lambda array: array._ary


def _keep(compiled: Any, cache: Any, name: str, *key: str) -> None:
    """Give a compiled function a cache that notices a change in any source or table it is made from.

    Numba's own looks at the file of the function alone, and would go on running rules of
    yesterday that were inlined from another one.  And it gives up where a file cannot be read or
    written, e.g. since a disk was full; here, such a function is compiled once more.
    """

    class Noticing(cache):  # type: ignore[misc]  # ships no types
        def _index_key(self, sig: Any, codegen: Any) -> Any:
            # The sources are in the stamp, so names are enough here; numba would hash what a
            # function closes over, which differs from process to process for compiled functions.
            return sig, codegen.magic_tuple(), name, *key

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            found = None
            try:
                found = super().load_overload(sig, target_context)
            except Exception:  # whatever reading a damaged pickle comes to
                with contextlib.suppress(OSError):
                    self.flush()  # so that the function can be saved again
            if found is None:
                # Numba's CUDA side tells nobody that it compiles.
                _events.start_event("numba:compile")
            return found

        def save_overload(self, sig: Any, data: Any) -> None:
            with contextlib.suppress(OSError):
                super().save_overload(sig, data)

    made_from = _games(name)
    sources = [_sources(folder) for folder in (Path(__file__).parent, *(game.sources for game in made_from))]
    tables = hashlib.sha256(repr([game.table for game in made_from]).encode()).hexdigest()
    # Where no folder can be written to, or there is no file of the source, every process compiles anew.
    with contextlib.suppress(RuntimeError, OSError):
        kept: Any = Noticing(compiled.py_func)
        kept._cache_file = type(kept._cache_file)(
            cache_path=kept._cache_path,
            # A file holds what was made from one state of the sources, so each game, table and build has its own.
            filename_base=f"{kept._impl.filename_base}.{name or 'all'}.{tables[:16]}{'.debug' if DEBUG else ''}",
            source_stamp=(sources, tables, DEBUG, Path(compiled.py_func.__code__.co_filename).read_bytes()),
        )
        compiled._cache = kept


@functools.cache
def _sources(folder: Path) -> str:
    """Return a digest of all modules in a folder.

    Raises RuntimeError for a folder without modules: a change of the sources would go unnoticed.
    """
    sources = sorted(folder.rglob("*.py"))
    if not sources:
        raise RuntimeError(f"there are no sources of compiled functions in {folder}.")
    digest = hashlib.sha256()
    for source in sources:
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _games(name: str) -> list[Any]:
    """Return the compiled game of this name.  Without a game's name, return all of them."""
    # Games are made of functions from here, so they can be looked up only once they exist.
    game: Any = importlib.import_module("wateringhole.sim.game")
    names = (name,) if name in game_names() else (kind.name for kind in kinds() if kind.compiled)
    return [game.compiled_game(each) for each in names]


@contextlib.contextmanager
def on_compile(tell: Callable[[], None]) -> Iterator[None]:
    """Within it, `tell` is called before something is compiled, once; what the cache holds is not."""
    listener = _Compiling(tell)
    _events.register("numba:compile", listener)
    try:
        yield
    finally:
        _events.unregister("numba:compile", listener)


class _Compiling(event.Listener):
    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell = tell
        self._told = False

    def on_start(self, event: Any) -> None:
        if not self._told:
            self._told = True
            self._tell()

    def on_end(self, event: Any) -> None:
        pass


DEVICES = ("cpu", "cuda")


def require_device(name: str) -> None:
    """Raises UsageError for a device that does not exist, or cannot be used here."""
    if name not in DEVICES:
        raise UsageError(f"there is no device {name!r}; there are {' and '.join(DEVICES)}.")
    if name == "cuda":
        require_cuda()


def require_cuda() -> Any:
    """Numba's CUDA side.  Raises UsageError where there is no GPU that it can use."""
    cuda = numba_cuda()
    if cuda.is_available():
        return cuda
    extra = "" if importlib.util.find_spec("numba_cuda") else " The extra for it: pip install 'wateringhole[cuda]'."
    raise UsageError(f"there is no CUDA device that can be used here; the device cpu plays the same games.{extra}")


def numba_cuda() -> Any:
    """Numba's CUDA side, whether there is a GPU or not."""
    # The package numba-cuda reaches for names that newer NumPy dropped.
    for old, new in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
        if not hasattr(np, old):
            setattr(np, old, getattr(np, new))
    return importlib.import_module("numba.cuda")


# ── what the language lacks ───────────────────────────────────────────────────────────────


@_intrinsic
def _mark_for_size(_context: Any) -> Any:
    def codegen(context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
        builder.function.attributes.add("optsize")
        return context.get_dummy_value()

    return types.void(), codegen


@ir_inline
def compact() -> None:
    """In a kernel: compile it for size, all that is inlined into it too.

    The loops of a game run a few times each.  Unrolled, they fill the instruction caches, for which
    threads wait then, and lead threads of a warp apart.
    """
    _mark_for_size()


@_intrinsic
def trailing_zeros(_context: Any, word: Any) -> Any:
    """How many zero bits a 64-bit word ends with; 64 for zero."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), codegen


@_intrinsic
def popcount(_context: Any, word: Any) -> Any:
    """How many bits of a 64-bit word are set."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), codegen


# `get` and its like are no functions: those would be compiled anew for every constant they are called with.


@_intrinsic
def get(_context: Any, row: Any, place: Any) -> Any:
    """A word of a row, as a 64-bit integer."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = builder.load(_element(context, builder, signature.args[0], *args))
        return context.cast(builder, word, signature.args[0].dtype, types.int64)

    return types.int64(row, types.int64), codegen


@_intrinsic
def put(_context: Any, row: Any, place: Any, value: Any) -> Any:
    """Set a word of a row."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = signature.args[0]
        word = context.cast(builder, args[2], types.int64, array.dtype)
        # Truth is one bit in a register and a byte in an array.
        context.pack_value(builder, array.dtype, word, _element(context, builder, array, *args[:2]))
        return context.get_dummy_value()

    return types.void(row, types.int64, types.int64), codegen


@_intrinsic
def get_byte(_context: Any, row: Any, place: Any) -> Any:
    """A byte of a row of 32-bit words, counted in bytes, the lowest of a word first."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.zext(builder.load(_byte(context, builder, signature.args[0], *args)), ir.IntType(64))

    return types.int64(row, types.int64), codegen


@_intrinsic
def put_byte(_context: Any, row: Any, place: Any, value: Any) -> Any:
    """Set a byte of a row of 32-bit words."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte = builder.trunc(args[2], ir.IntType(8))
        builder.store(byte, _byte(context, builder, signature.args[0], *args[:2]))
        return context.get_dummy_value()

    return types.void(row, types.int64, types.int64), codegen


def _element(context: Any, builder: Any, row: Any, value: Any, place: Any) -> Any:
    """Where an element of a row lies, whatever the distance between its elements."""
    array = context.make_array(row)(context, builder, value=value)
    if DEBUG and isinstance(context, CPUContext):
        _check(context, builder, place, builder.extract_value(array.shape, 0))
    if row.layout == "C":
        return builder.gep(array.data, [place])
    start = builder.bitcast(array.data, ir.IntType(8).as_pointer())
    at = builder.gep(start, [builder.mul(place, builder.extract_value(array.strides, 0))])
    return builder.bitcast(at, array.data.type)


def _check(context: Any, builder: Any, place: Any, length: Any) -> None:
    """Raise IndexError where a place lies outside its row."""
    # As an unsigned number, a negative place lies beyond every row.
    with _cgutils.if_unlikely(builder, builder.icmp_unsigned(">=", place, length)):
        context.call_conv.return_dynamic_user_exc(
            builder,
            IndexError,
            ("out of bounds, index and length:", place, length),
            (None, types.int64, types.int64),
        )
    # Numba gives every module such a function under the same name, for all to see.  A function that
    # comes from the cache would call the one of another module, which may be gone.
    for name, function in builder.module.globals.items():
        if name.startswith("__excinfo_unwrap_args"):
            function.linkage = "internal"


def _byte(context: Any, builder: Any, row: Any, value: Any, place: Any) -> Any:
    two, three = (ir.Constant(place.type, number) for number in (2, 3))
    word = _element(context, builder, row, value, builder.lshr(place, two))
    return builder.gep(builder.bitcast(word, ir.IntType(8).as_pointer()), [builder.and_(place, three)])
