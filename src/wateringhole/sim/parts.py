"""Compilation of functions as parts of a whole, which halves the time of a first compilation.

Numba optimizes every function together with all functions that it calls and translates it to machine code, so a
function deep in a call tree is optimized once for each function above it.  Here, only functions that Python calls
are wholes, which are optimized and translated.  Every other function is a part: Numba infers its types and lowers it
to LLVM's language, and it is optimized within the wholes that use it.  This concerns the CPU alone; for CUDA, Numba
compiles the same functions in its own way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import codegen, compiler

__all__ = ["CalledPart", "InlinedPart", "Whole", "keep_from_python"]

# Numba ships no annotations for them.
_Library: Any = codegen.JITCodeLibrary
_Compiler: Any = compiler.Compiler


class _PartLibrary(_Library):  # type: ignore[misc]
    """The code of one part, without the parts that it calls."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True


class _WholeLibrary(_Library):  # type: ignore[misc]
    """The code of a whole with all its parts."""

    _linking_libraries: list[Any]

    def finalize(self) -> None:
        self._linking_libraries = _with_parts(self._linking_libraries)
        super().finalize()

    def _optimize_final_module(self) -> None:
        # LLVM inlines a function with a single call if no other module can call it.
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage.name == "linkonce_odr":
                function.linkage = "internal"
        super()._optimize_final_module()


def _with_parts(libraries: list[Any]) -> list[Any]:
    """Return the libraries with all parts that they use, directly or not, each once."""
    found: dict[Any, None] = {}
    waiting = libraries[::-1]
    while waiting:
        library = waiting.pop()
        if library not in found:
            found[library] = None
            if isinstance(library, _PartLibrary):
                waiting += library._linking_libraries[::-1]
    return list(found)


class Whole(_Compiler):  # type: ignore[misc]
    """Numba's compiler for a function that Python calls."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, types: Any) -> None:
        flags.no_cfunc_wrapper = True
        library = _WholeLibrary(target.codegen(), "whole")
        library.enable_object_caching()
        super().__init__(typing, target, library, args, result, flags, types)


class InlinedPart(_Compiler):  # type: ignore[misc]
    """Numba's compiler for a function that only compiled functions call."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, types: Any) -> None:
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        super().__init__(typing, target, _PartLibrary(target.codegen(), "part"), args, result, flags, types)

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        compiled = super().compile_extra(function)

        def entry_point(*_: Any) -> None:
            raise TypeError(f"only compiled functions can call {function.__qualname__}; Python calls an `entry`.")

        # Numba looks up the code of a called function by its entry point.
        self.state.targetctx.insert_user_function(entry_point, compiled.fndesc, [compiled.library])
        return compiled._replace(entry_point=entry_point)


class CalledPart(InlinedPart):
    """The same for a function that LLVM need not inline, even where its caller is always inlined."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, types: Any) -> None:
        flags.forceinline = False  # otherwise inherited from the caller
        super().__init__(typing, target, library, args, result, flags, types)


def keep_from_python(dispatcher: Any) -> None:
    """Register the compiled versions of a part for compiled callers alone."""

    def add_overload(compiled: Any) -> None:
        dispatcher.overloads[tuple(compiled.signature.args)] = compiled

    dispatcher.add_overload = add_overload
