"""Compilation of functions as parts of the functions that call them."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import pytest
from numba.core import codegen

from wateringhole.sim.kernel import DEBUG, entry, force_inline, get, jit, put
from wateringhole.sim.parts import WholeCompiler

pytestmark = pytest.mark.skipif(DEBUG, reason="the debug build has no parts")

NEVER = False


@jit
def _add(row: Any, number: Any) -> None:
    put(row, 0, get(row, 0) + number)


@force_inline
def _add_if_wanted(row: Any, number: Any) -> None:
    if NEVER:
        _add(row, number)


@force_inline
def _add_twice(row: Any, number: Any) -> None:
    _add(row, number)
    _add(row, number)


def _both(row: Any, number: Any) -> None:
    _add_if_wanted(row, number)
    _add_twice(row, number)


# Numba's type annotations do not cover all its options.
_njit: Any = numba.njit


def _uncached_entry(function: Any) -> Any:
    return _njit(function, pipeline_class=WholeCompiler)


def _row() -> npt.NDArray[np.int32]:
    return np.full(1, 5, np.int32)


@pytest.mark.parametrize("compile_it", [entry, numba.njit, force_inline])
def test_function_calls_parts_of_parts(compile_it: Any) -> None:
    # The first part calls the last one only in code that LLVM removes, the second part really.
    row = _row()
    compile_it(_both)(row, 3)
    assert row[0] == 11


def test_python_can_call_a_part() -> None:
    row = _row()
    _add_twice(row, 2)
    _add_twice(row, number=1)
    assert row[0] == 11


def test_part_is_compiled_for_each_type_of_its_arguments() -> None:
    for dtype in (np.int8, np.int64, np.uint16):
        row = np.full(1, 100, dtype)
        _add_twice(row, 2)
        assert row.dtype == dtype
        assert row[0] == 104


def test_only_the_called_function_is_optimized(monkeypatch: pytest.MonkeyPatch) -> None:
    optimized = []
    optimize: Any = codegen.JITCodeLibrary._optimize_final_module

    def count(library: Any) -> None:
        optimized.append(library.name)
        optimize(library)

    monkeypatch.setattr(codegen.JITCodeLibrary, "_optimize_final_module", count)

    @jit
    def low(row: Any) -> Any:
        return get(row, 0)

    @force_inline
    def middle(row: Any) -> Any:
        return low(row) + 1

    @numba.njit
    def high(row: Any) -> Any:
        return middle(row) + low(row)

    assert high(_row()) == 11
    assert [name.rpartition(".")[2] for name in optimized] == ["high"]


def test_cuda_compiles_a_part_like_any_function() -> None:
    def function() -> None:
        pass

    plain = _njit(error_model="numpy", _nrt=False, forceinline=True)(function)
    part: Any = force_inline(function)
    # CUDA's compiler reads only these two.
    assert part.targetoptions == plain.targetoptions
    assert part.py_func is plain.py_func


def test_part_can_call_itself() -> None:
    @jit
    def factorial(number: Any) -> Any:
        if number <= 1:
            return 1
        return number * factorial(number - 1)

    assert _uncached_entry(lambda number: factorial(number))(5) == 120
    assert numba.njit(lambda number: factorial(number) + 1)(5) == 121


def test_function_that_stays_a_call_does_not_inherit_forced_inlining() -> None:
    @jit
    def called(row: Any) -> Any:
        return get(row, 0)

    @force_inline
    def inlined(row: Any) -> Any:
        return called(row)

    assert numba.njit(lambda row: inlined(row))(_row()) == 5
    assert [_is_always_inlined(part) for part in (called, inlined)] == [False, True]


def test_calls_with_a_constant_and_with_a_variable_share_a_part() -> None:
    @jit
    def scaled(row: Any, factor: Any) -> Any:
        return get(row, 0) * factor

    @numba.njit
    def both(row: Any, factor: Any) -> Any:
        return scaled(row, factor) + scaled(row, factor=4) + scaled(row, 5)

    assert both(_row(), 3) == 60
    assert len(scaled.overloads) == 1  # type: ignore[attr-defined]


def test_functions_with_the_same_part_each_call_their_own_copy() -> None:
    @jit
    def scramble(number: Any, step: Any) -> Any:
        for shift in range(1, 40):  # too long for inlining
            number = (number ^ number >> shift) * 3 + step
        return number

    def always_one(number: Any) -> Any:
        # LLVM finds out that the step is a constant here, and removes the argument.
        step = number * 0 + 1
        return scramble(number, step) ^ scramble(number + 1, step)

    def any_step(number: Any, step: Any) -> Any:
        return scramble(number, step) ^ scramble(number + 1, step)

    first = _uncached_entry(always_one)
    first(5)
    (whole,) = first.overloads.values()
    assert any("scramble" in function.name for function in whole.library.get_defined_functions())
    plain: Any = numba.njit(any_step)
    assert plain(5, 1) == first(5)
    assert plain(5, 2) == scramble(5, 2) ^ scramble(6, 2)
    assert _uncached_entry(any_step)(5, 2) == plain(5, 2)


def test_no_other_code_can_call_the_parts_in_machine_code() -> None:
    @jit
    def called(row: Any) -> Any:
        total = 0
        for index in range(len(row)):
            total += get(row, index)
        return total

    def sum_three_times(row: Any) -> Any:
        return called(row) + called(row[1:]) + called(row[2:])

    compiled = _uncached_entry(sum_three_times)
    assert compiled(_row()) == 5
    (whole,) = compiled.overloads.values()
    assert {function.linkage.name for function in whole.library.get_defined_functions()} <= {"external", "private"}


def _is_always_inlined(part: Any) -> bool:
    (compiled,) = part.overloads.values()
    function = compiled.library.get_function(compiled.fndesc.mangled_name)
    return any(b"alwaysinline" in attributes for attributes in function.attributes)
