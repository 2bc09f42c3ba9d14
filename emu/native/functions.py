# SPDX-License-Identifier: GPL-2.0-only
# mypy: disable-error-code="misc, untyped-decorator"
"""Compiled functions with a single signature each, given by their annotations, which type checkers can check.

    @njit
    def increment(ring: Ring, by: u64) -> u64:
        ring.entries += by
        return ring.entries + 1

    @callback
    def handle(cpu: Cpu, ring: Ring) -> None:  # `handle.address` is a C function pointer
        increment(ring, 1)

Values that are passed, returned or stored are converted, as in C. In expressions, a Python int combined with a u64 is a u64,
and None combined with a record is a record. u64 and i64 cannot be combined, and nothing becomes a float: numba would treat their
sum as signed, and compare them as floats.

Bounds are not checked, and integer division by zero is not an error.

numba has no type annotations: its decorators and base classes are not checked here.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, ParamSpec, Protocol, TypeVar, cast, get_type_hints, overload

import llvmlite.binding
import llvmlite.ir
from numba import extending, types
from numba.core import compiler, compiler_machinery, errors, ir
from numba.core.ccallback import CFunc
from numba.core.registry import CPUDispatcher, cpu_target
from numba.core.typed_passes import NopythonTypeInference
from numba.core.typing.templates import AbstractTemplate, Signature, infer_global, make_concrete_template, signature

from emu.native.access import Elements, Pointer, type_of
from emu.native.cache import Cache, Untyped
from emu.native.records import HOST, Layouts

__all__ = ["Compiled", "Native", "callback", "external", "njit", "outlined", "shared", "specialized", "unlikely"]

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Compiled(Protocol[P, R_co]):
    """The result of `callback`. `address`: a C function pointer."""

    address: int

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...


class Native:
    """Compiles functions for these layouts of records."""

    def __init__(self, layouts: Layouts) -> None:
        self._layouts = layouts

    def njit(self, function: Callable[P, R]) -> Callable[P, R]:
        """A function that is compiled when native code calls it, and inlined there."""
        return cast(Callable[P, R], _Function(function, self._layouts))

    def outlined(self, function: Callable[P, R]) -> Callable[P, R]:
        """The same for rarely called functions: not inlined."""
        return cast(Callable[P, R], _Function(function, self._layouts, forceinline=False))

    def shared(self, function: Callable[P, R]) -> Callable[P, R]:
        """The same for functions that Python also calls, with the addresses of records."""
        return cast(Callable[P, R], _Function(function, self._layouts, no_cpython_wrapper=False))

    def callback(self, function: Callable[P, R]) -> Compiled[P, R]:
        """A function that native code, including Unicorn, calls by its address. It is compiled immediately."""
        function.layouts = self._layouts  # type: ignore[attr-defined]
        kinds = _declared(function).args, _declared(function).return_type
        compiled: Untyped = CFunc(function, kinds, locals={}, options={"error_model": "numpy"}, pipeline_class=_Compiler)
        compiled._cache = Cache(function, is_linked=False)
        compiled.compile()
        return cast(Compiled[P, R], compiled)


njit, outlined, shared, callback = Native(HOST).njit, Native(HOST).outlined, Native(HOST).shared, Native(HOST).callback


def specialized(function: Callable[P, R]) -> Callable[P, R]:
    """For code over numpy arrays: compiled for the types of each call, and inlined. numba's own rules apply."""
    options = {"nopython": True, "error_model": "numpy", "forceinline": True, "no_cfunc_wrapper": True}
    dispatcher = CPUDispatcher(function, targetoptions=options)
    dispatcher._cache = Cache(function)
    return cast(Callable[P, R], dispatcher)


@functools.cache
def _load_unicorn() -> None:
    """Makes the symbols of Unicorn's library available to native code. Trace readers do not need this."""
    import unicorn

    llvmlite.binding.load_library_permanently(str(Path(unicorn.__file__).parent / "lib" / "libunicorn.so.2"))


@overload
def external(name: str, result: type[R], *arguments: Untyped) -> Callable[..., R]: ...
@overload
def external(name: str, result: None, *arguments: Untyped) -> Callable[..., None]: ...
def external(name: str, result: Untyped, *arguments: Untyped) -> Untyped:
    """A function of Unicorn's library (or libc), which native code calls by its symbol: no address is compiled in."""
    _load_unicorn()
    return types.ExternalFunction(name, signature(*(type_of(one, HOST) for one in (result, *arguments))))


@extending.intrinsic
def _unlikely(typing_context: Untyped, condition: Untyped) -> Untyped:
    def codegen(context: Untyped, builder: Untyped, sig: Untyped, args: Untyped) -> Untyped:
        bit = llvmlite.ir.IntType(1)
        expect = builder.module.declare_intrinsic("llvm.expect", [bit], llvmlite.ir.FunctionType(bit, [bit, bit]))
        return builder.call(expect, [args[0], bit(0)])

    return types.boolean(types.boolean), codegen


unlikely: Callable[[bool], bool] = _unlikely
"""`condition`, with a hint to the compiler that it is rarely true."""


def _declared(function: Untyped) -> Signature:
    *arguments, result = get_type_hints(function).values()
    return signature(*(type_of(one, function.layouts) for one in (result, *arguments)))


class _Function(CPUDispatcher):
    def __init__(self, function: Untyped, layouts: Layouts, **options: bool) -> None:
        function.layouts = layouts
        usual = {
            "nopython": True,
            "error_model": "numpy",
            "forceinline": True,
            "no_cpython_wrapper": True,
            "no_cfunc_wrapper": True,
        }
        super().__init__(function, targetoptions=usual | options, pipeline_class=_Compiler)
        self._cache = Cache(function)

    def __call__(self, *args: Untyped) -> Untyped:
        if self.targetoptions["no_cpython_wrapper"]:  # the wrapper that numba would jump to does not exist
            raise TypeError(f"only native code calls {self.py_func.__qualname__}()")
        return self._entry(*(getattr(one, "address", one) for one in args))

    @functools.cached_property
    def _entry(self) -> Untyped:
        return self.compile(self.declared)

    @functools.cached_property
    def declared(self) -> Signature:
        """Computed on demand: most functions are inlined in callers that were compiled long ago."""
        return _declared(self.py_func)

    def get_call_template(self, args: Untyped, kws: Untyped) -> Untyped:
        pysig, args = self._compiler.fold_argument_types(args, kws)
        self.compile(self.declared)
        return make_concrete_template(self.__name__, self.__name__, [self.declared]), pysig, args, {}


# The types of numbers

_ADDRESSES = (Pointer, Elements, types.ExternalFunctionPointer, types.NoneType)


def _is(kind: Untyped, signed: bool) -> bool:
    """Whether a type is a number with this signedness; a Python int's type depends on what it is combined with."""
    return isinstance(kind, types.Integer) and not isinstance(kind, types.Literal) and kind.signed == signed


def _meet(kinds: Untyped) -> Untyped:
    """The type of a Python int combined with an unsigned number, or of None with a record, in functions compiled here."""
    stack = cpu_target.typing_context.callstack
    if len(stack) and hasattr(stack[0].func_id.func, "layouts"):
        for one, other in (kinds, kinds[::-1]):
            if isinstance(one, types.IntegerLiteral) and _is(other, signed=False):
                return types.uint64
            if one == types.none and isinstance(other, Pointer | Elements):
                return other
    return None


class _Unsigned(AbstractTemplate):
    """A typing rule that takes precedence over numba's."""

    metadata: ClassVar = {"target": "cpu"}
    prefer_literal = True
    result: types.Type

    def generic(self, args: Untyped, kws: Untyped) -> Untyped:
        return signature(self.result, types.uint64, types.uint64) if len(args) == 2 and _meet(args) == types.uint64 else None


_ARITHMETIC = ("add", "sub", "mul", "floordiv", "mod", "and_", "or_", "xor")
for _names, _result in (
    ((*_ARITHMETIC, *(f"i{name.strip('_')}" for name in _ARITHMETIC)), types.uint64),
    (("eq", "ne", "lt", "le", "gt", "ge"), types.boolean),
):
    for _operation in (getattr(operator, name) for name in _names):
        infer_global(_operation)(type("Unsigned", (_Unsigned,), {"key": _operation, "result": _result}))

# The type of a variable with several assignments
_unify = cpu_target.typing_context.unify_pairs
cpu_target.typing_context.unify_pairs = lambda first, second: _meet((first, second)) or _unify(first, second)


@compiler_machinery.register_pass(mutates_CFG=True, analysis_only=False)
class _Inference(NopythonTypeInference):
    """numba's type inference, which here rejects conversions that nobody intends."""

    def run_pass(self, state: Untyped) -> Untyped:
        changed = super().run_pass(state)
        for block in state.func_ir.blocks.values():
            for assignment in block.find_insts(ir.Assign):
                self._check(state, assignment)
        return changed

    def _check(self, state: Untyped, assignment: ir.Assign) -> None:
        name, expression = state.func_id.func.__code__.co_name, assignment.value
        if isinstance(expression, ir.Expr) and expression.op in ("binop", "inplace_binop"):
            kinds = [state.typemap[side.name] for side in (expression.lhs, expression.rhs)]
            mixed = any(_is(kind, True) for kind in kinds) and any(_is(kind, False) for kind in kinds)
            if mixed and "shift" not in expression.fn.__name__:
                raise errors.TypingError(f"{name}: {kinds} meet", loc=expression.loc)
            if expression.fn in (operator.is_, operator.is_not) and not all(isinstance(kind, _ADDRESSES) for kind in kinds):
                raise errors.TypingError(f"{name}: only addresses are compared by `is`, not {kinds}", loc=expression.loc)
        kind = state.typemap[assignment.target.name]
        if isinstance(kind, (types.Float, types.Optional)):
            raise errors.TypingError(f"{name}: this would be {kind}", loc=assignment.loc)


class _Compiler(compiler.CompilerBase):
    def define_pipelines(self) -> Untyped:
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [(_Inference if one is NopythonTypeInference else one, *rest) for one, *rest in passes.passes]
        passes.finalize()
        return [passes]
