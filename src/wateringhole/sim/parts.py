"""Compilation of functions as parts of others, which takes less than half of the time.

Numba optimizes every function and translates it to machine code, together with all functions that it calls.  So it
repeats this work for a function deep in a call tree, once for each function above it.  A part is a function that other
compiled functions call.  Numba infers its types and expresses it in LLVM's language; then it is optimized and
translated within the functions that Python calls.  This concerns the CPU alone, because CUDA's compiler reads the
Python source of a part.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from numba import njit, types
from numba.core import codegen, compiler
from numba.core.registry import CPUDispatcher

__all__ = ["Part", "WholeCompiler"]

# Numba's type annotations do not cover them.
_Dispatcher: Any = CPUDispatcher
_Compiler: Any = compiler.Compiler
_Library: Any = codegen.JITCodeLibrary
_njit: Any = njit
_unliteral: Any = types.unliteral


class Part(_Dispatcher):  # type: ignore[misc]
    """A compiled function that is optimized and translated only within its callers.

    Python can call it too, which is for tests: the first such call compiles the function a second time, by itself.
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        stages = _PartCompiler if options.get("forceinline") else _CalledPartCompiler
        # The same as `njit`, for CUDA's compiler.
        target_options = {"nopython": True, "boundscheck": None, **options}
        super().__init__(function, targetoptions=target_options, pipeline_class=stages)
        self._options = options

    def get_call_template(self, args: Any, kws: Any) -> Any:
        # By default, a call with a constant compiles the function once more, for this number.
        named = {name: _unliteral(each) for name, each in kws.items()}
        return super().get_call_template(tuple(map(_unliteral, args)), named)

    def add_overload(self, compiled: Any) -> None:
        # Numba finds the code of a called function by its entry point.  A part has no machine code to enter, so any
        # object takes its place.
        entry_point = object()
        compiled.target_context.insert_user_function(entry_point, compiled.fndesc, [compiled.library])
        self.overloads[tuple(compiled.signature.args)] = compiled._replace(entry_point=entry_point)

    def _compile_for_args(self, *_args: Any, **_named: Any) -> Any:
        """Return the function that runs when Python calls this one."""
        return self._whole

    @functools.cached_property
    def _whole(self) -> Any:
        return _njit(pipeline_class=WholeCompiler, **self._options)(self.py_func)


class _PartCompiler(_Compiler):  # type: ignore[misc]
    """Numba's compiler up to LLVM's language."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, types: Any) -> None:
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        library = _PartLibrary(target.codegen(), "part")
        super().__init__(typing, target, library, args, result, flags, types)


class _CalledPartCompiler(_PartCompiler):
    """The same for a function that stays a call.  By default, it inherits forced inlining from its first caller."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, types: Any) -> None:
        flags.forceinline = False
        super().__init__(typing, target, library, args, result, flags, types)


class _PartLibrary(_Library):  # type: ignore[misc]
    """The code of a part and of all functions that it calls, not optimized."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True


class WholeCompiler(_Compiler):  # type: ignore[misc]
    """Numba's compiler for a function that Python calls, whose machine code contains all its parts."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, types: Any) -> None:
        library = _WholeLibrary(target.codegen(), "whole")
        library.enable_object_caching()
        super().__init__(typing, target, library, args, result, flags, types)


class _WholeLibrary(_Library):  # type: ignore[misc]
    """The code of a function and of all its parts, which no other code can call.

    Numba names functions by their source and the order of their compilation.  Two processes can give the same name to
    different parts that one source makes.  A third process may read both from the cache, and must not confuse them.
    And LLVM may change the arguments of a part here, because it sees all its callers.  LLVM's loader finds functions
    by name even if they are internal, so another function that contains the same part would call this one with
    other arguments.  Private functions have no name in machine code.
    """

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage.name == "linkonce_odr":
                function.linkage = "private"
        super()._optimize_final_module()
