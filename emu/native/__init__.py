# SPDX-License-Identifier: GPL-2.0-only
"""Compiling Python to machine code: `njit` and `cfunc`, with a disk cache (`emu.native.cache`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from numba.core import sigutils, typeinfer
from numba.core.ccallback import CFunc
from numba.core.registry import CPUDispatcher

from emu.native.access import Elements, Pointer
from emu.native.cache import Cache

__all__ = ["cfunc", "external", "njit", "outlined"]


def external(name: str, signature: Any) -> Any:
    """A function of Unicorn's library (or libc) that native code calls by its symbol: no address is compiled in."""
    from emu.native.functions import _load_unicorn

    _load_unicorn()
    return numba.core.types.ExternalFunction(name, signature)


def _as_number(kind: Any) -> Any:
    return numba.types.uint64 if isinstance(kind, Pointer | Elements) else kind


class _Dispatcher(CPUDispatcher):
    """A function that does not declare its types: what it knows of a record is the address."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return super().get_call_template(tuple(_as_number(kind) for kind in args), kws)


def njit(*signatures: Any) -> Any:
    """`numba.njit` with the disk cache. The compiled function is inlined into its callers.

    Bounds are not checked and integer division by zero is not an error: the model is C. Used as `@njit`, which
    compiles for the types of each call, or as `@njit(signature)`, which compiles now.
    """
    if len(signatures) == 1 and not isinstance(signatures[0], numba.core.typing.templates.Signature):
        return njit()(signatures[0])

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = _Dispatcher(function, targetoptions={"nopython": True, "error_model": "numpy", "forceinline": True})
        dispatcher._cache = Cache(function)
        if signatures:
            with typeinfer.register_dispatcher(dispatcher):
                for signature in signatures:
                    dispatcher.compile(signature)
                dispatcher.disable_compile()
        return dispatcher

    return decorate


def outlined(function: Callable[..., Any]) -> Any:
    """`numba.njit` with the disk cache, for what is rarely called: the compiled function stays apart from its callers' code."""
    options = {"nopython": True, "error_model": "numpy", "forceinline": False}  # unsaid, it would be as for the caller
    dispatcher = _Dispatcher(function, targetoptions=options)
    dispatcher._cache = Cache(function)
    return dispatcher


def cfunc(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """`numba.cfunc` with the disk cache: `.address` is a C function pointer."""

    def decorate(function: Callable[..., Any]) -> Any:
        compiled: Any = CFunc(function, sigutils.normalize_signature(signature), locals={}, options={"error_model": "numpy"})
        compiled._cache = Cache(function)
        compiled.compile()
        return compiled

    return decorate
