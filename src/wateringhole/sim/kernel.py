"""Compilation of the simulator's functions, for the CPU and for CUDA, from the same source.

A compiled game consists of plain functions over arrays of integers.  `force_inline` is for functions on
the main path, `jit` for functions that stay calls, `ir_inline` for functions that only combine others, and
`entry` for functions that Python calls.  CUDA kernels call the first three as they are, so those allocate
nothing, raise nothing and use no Python objects.
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
from wateringhole.formatting import choose_from
from wateringhole.registry import game_names, kinds
from wateringhole.sim import sources
from wateringhole.sim.parts import Part, WholeCompiler

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
"""Whether functions for the CPU check every index and raise IndexError if it is out of bounds."""

CHECKED: Final[Any] = {"boundscheck": True} if DEBUG else {}
"""Options of every function that is compiled for the CPU."""

# Numba's type annotations cover neither all these options nor the compiled functions.
_njit: Any = njit
_events: Any = event
_config: Any = config
_cgutils: Any = cgutils
_intrinsic: Callable[[F], Any] = intrinsic


def force_inline(function: F) -> F:
    """Compile a function of the main path, inlined by LLVM into every caller."""
    return _part(function, forceinline=True)


def jit(function: F) -> F:
    """Compile a function that is called rarely or from many places, and stays a call."""
    return _part(function)


def _part(function: F, **options: Any) -> F:
    if DEBUG:
        # An exception with index and length needs numba's runtime, and machine code of the function that raises it.
        checked: F = _njit(error_model="numpy", **options, **CHECKED)(function)
        return checked
    part: Any = Part(function, error_model="numpy", _nrt=False, **options)
    compiled: F = part
    return compiled


def ir_inline(function: F) -> F:
    """Compile a function that only combines others, inlined by Numba into every caller.

    LLVM then does not optimize the functions it calls a second time, which takes seconds at the top of a game.
    """
    compiled: F = _njit(inline="always", **CHECKED)(function)
    return compiled


def entry(function: F, *, name: str = "", variant: str = "") -> F:
    """Compile a function that Python calls.  It releases the interpreter's lock and is cached on disk.

    `name` and `variant` distinguish functions that the same source produces for several games, and for
    variants of one.
    """
    compiled: Any = _njit(pipeline_class=WholeCompiler, nogil=True, error_model="numpy", **CHECKED)(function)
    _cache(compiled, FunctionCache, name, function.__qualname__, variant)
    entered: F = compiled
    return entered


REGISTERS: Final = 64
"""The most registers of a kernel's thread.  More parallel threads are worth more than more registers, because
games wait for instructions and memory."""


def kernel(function: F, *, name: str, variant: str = "", players: Iterable[str] = ()) -> Any:
    """Compile a CUDA kernel, cached on disk as well.

    `players` distinguishes kernels that support only some of a game's compiled players.
    Raises UsageError if there is no device.
    """
    cuda = require_cuda()
    if _config.ENABLE_CUDASIM:
        _let_kernels_call_compiled_functions()
        return cuda.jit(function)
    from numba.cuda.dispatcher import CUDACache

    compiled = cuda.jit(max_registers=REGISTERS)(function)
    _cache(compiled, CUDACache, name, function.__qualname__, variant, *players)
    return compiled


def _let_kernels_call_compiled_functions() -> None:
    """Give kernels NumPy arrays where numba simulates a device.

    There, kernels run as Python with arrays of the simulator, which compiled functions do not accept.
    """
    simulator: Any = importlib.import_module("numba.cuda.simulator.kernel")
    simulator.FakeWithinKernelCUDAArray = lambda array: array._ary


def _cache(compiled: Any, cache: Any, name: str, *key: str) -> None:
    """Give a compiled function a cache that depends on every source and table it is made from.

    Numba's cache checks only the file of the function, and would keep code with outdated rules that were
    inlined from another file.  It also fails if a file cannot be read or written, e.g. on a full disk; this
    cache compiles the function again.
    """

    class SourceCache(cache):  # type: ignore[misc]  # ships no types
        def _index_key(self, sig: Any, codegen: Any) -> Any:
            # The stamp contains the sources, so names are enough here.  Numba would hash the closure of
            # a function, which for compiled functions differs from process to process.
            return sig, codegen.magic_tuple(), name, *key

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            found = None
            try:
                found = super().load_overload(sig, target_context)
            except Exception:  # a damaged pickle can raise anything
                with contextlib.suppress(OSError):
                    self.flush()  # allows saving the function again
            if found is None:
                # Numba does not send this event for CUDA.
                _events.start_event("numba:compile")
            return found

        def save_overload(self, sig: Any, data: Any) -> None:
            with contextlib.suppress(OSError):
                super().save_overload(sig, data)

    made_from = _games(name)
    module = compiled.py_func.__module__
    stamps = [_sim_stamp(), *(_stamp(game, module) for game in made_from)]
    tables = hashlib.sha256(repr([game.table for game in made_from]).encode()).hexdigest()
    # Without a writable folder, or without a source file, every process compiles again.
    with contextlib.suppress(RuntimeError, OSError):
        kept: Any = SourceCache(compiled.py_func)
        kept._cache_file = type(kept._cache_file)(
            cache_path=kept._cache_path,
            # A file is valid for one state of the sources, so each game, table and build has its own.
            filename_base=f"{kept._impl.filename_base}.{name or 'all'}.{tables[:16]}{'.debug' if DEBUG else ''}",
            source_stamp=(stamps, tables, DEBUG, Path(compiled.py_func.__code__.co_filename).read_bytes()),
        )
        compiled._cache = kept


@functools.cache
def _sim_stamp() -> str:
    return sources.digest(Path(__file__).parent.rglob("*.py"))


@functools.cache
def _stamp(game: Any, module: str) -> str:
    """Return a digest of the sources of a game's compiled functions, and of another module of the game."""
    modules = {value.__module__ for value in vars(game).values() if callable(value)}
    return sources.digest(sources.imported_files({*modules, module}, game.sources))


def _games(name: str) -> list[Any]:
    """Return the compiled game of this name.  Without a game's name, return all of them."""
    # Games import this module, so it cannot import them at its top.
    game: Any = importlib.import_module("wateringhole.sim.game")
    names = (name,) if name in game_names() else (kind.name for kind in kinds() if kind.compiled)
    return [game.compiled_game(each) for each in names]


@contextlib.contextmanager
def on_compile(report: Callable[[], None]) -> Iterator[None]:
    """Call `report` once, before the first compilation within the context.  Code from the cache is not compiled."""
    listener = _CompileListener(report)
    _events.register("numba:compile", listener)
    try:
        yield
    finally:
        _events.unregister("numba:compile", listener)


class _CompileListener(event.Listener):
    def __init__(self, report: Callable[[], None]) -> None:
        self._report = report
        self._reported = False

    def on_start(self, event: Any) -> None:
        if not self._reported:
            self._reported = True
            self._report()

    def on_end(self, event: Any) -> None:
        pass


DEVICES = ("cpu", "cuda")


def require_device(name: str) -> None:
    """Raise UsageError for an unknown device, and for one that cannot be used here."""
    if name not in DEVICES:
        raise UsageError(f"there is no device {name!r}. {choose_from(name, DEVICES)}")
    if name == "cuda":
        require_cuda()


def require_cuda() -> Any:
    """Return numba's CUDA package.  Raises UsageError if there is no GPU that it can use."""
    cuda = numba_cuda()
    if cuda.is_available():
        return cuda
    hint = "" if importlib.util.find_spec("numba_cuda") else " Install the extra: pip install 'wateringhole[cuda]'."
    raise UsageError(f"there is no usable CUDA device here; the device cpu plays the same games.{hint}")


def numba_cuda() -> Any:
    """Return numba's CUDA package, even if there is no GPU."""
    # The package numba-cuda uses names that newer versions of NumPy removed.
    for old, new in (("row_stack", "vstack"), ("in1d", "isin"), ("trapz", "trapezoid")):
        if not hasattr(np, old):
            setattr(np, old, getattr(np, new))
    return importlib.import_module("numba.cuda")


# ── intrinsics ────────────────────────────────────────────────────────────────────────────


@_intrinsic
def _mark_for_size(_context: Any) -> Any:
    def codegen(context: Any, builder: Any, _signature: Any, _args: Any) -> Any:
        builder.function.attributes.add("optsize")
        return context.get_dummy_value()

    return types.void(), codegen


@ir_inline
def compact() -> None:
    """Compile the calling kernel for size, including all inlined functions.

    The loops of a game run only a few times each.  Unrolled, they would fill the instruction caches and
    make the threads of a warp diverge.
    """
    _mark_for_size()


@_intrinsic
def trailing_zeros(_context: Any, word: Any) -> Any:
    """Return the number of trailing zero bits of a 64-bit word, or 64 for zero."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), codegen


@_intrinsic
def popcount(_context: Any, word: Any) -> Any:
    """Return the number of set bits in a 64-bit word."""

    def codegen(_context: Any, builder: Any, _signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), codegen


# `get`, `put`, … are intrinsics: as functions they would be compiled for every constant argument.


@_intrinsic
def get(_context: Any, row: Any, place: Any) -> Any:
    """Return a word of a row as a 64-bit integer."""

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
        # A truth value is one bit in a register and one byte in an array.
        context.pack_value(builder, array.dtype, word, _element(context, builder, array, *args[:2]))
        return context.get_dummy_value()

    return types.void(row, types.int64, types.int64), codegen


@_intrinsic
def get_byte(_context: Any, row: Any, place: Any) -> Any:
    """Return a byte of a row of 32-bit words; `place` counts bytes, the lowest of a word first."""

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
    """Return the address of an element of a row, with any stride."""
    array = context.make_array(row)(context, builder, value=value)
    if DEBUG and isinstance(context, CPUContext):
        _check(context, builder, place, builder.extract_value(array.shape, 0))
    if row.layout == "C":
        return builder.gep(array.data, [place])
    start = builder.bitcast(array.data, ir.IntType(8).as_pointer())
    at = builder.gep(start, [builder.mul(place, builder.extract_value(array.strides, 0))])
    return builder.bitcast(at, array.data.type)


def _check(context: Any, builder: Any, place: Any, length: Any) -> None:
    """Raise IndexError if a place lies outside its row."""
    # As an unsigned number, a negative place lies beyond every row.
    with _cgutils.if_unlikely(builder, builder.icmp_unsigned(">=", place, length)):
        context.call_conv.return_dynamic_user_exc(
            builder,
            IndexError,
            ("out of bounds, index and length:", place, length),
            (None, types.int64, types.int64),
        )
    # Numba exports such a function from every module, under the same name.  A function from the cache
    # would call the one of another module, which may no longer exist.
    for name, function in builder.module.globals.items():
        if name.startswith("__excinfo_unwrap_args"):
            function.linkage = "internal"


def _byte(context: Any, builder: Any, row: Any, value: Any, place: Any) -> Any:
    two, three = (ir.Constant(place.type, number) for number in (2, 3))
    word = _element(context, builder, row, value, builder.lshr(place, two))
    return builder.gep(builder.bitcast(word, ir.IntType(8).as_pointer()), [builder.and_(place, three)])
