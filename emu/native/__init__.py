# SPDX-License-Identifier: GPL-2.0-only
"""Compiling Python to machine code: `njit` and `cfunc` with a disk cache that is never stale.

numba's own cache notices neither a changed helper nor another build of Unicorn. So its directory is named after a hash of
everything the compiled code depends on: all sources below a folder called `native`, and the versions of what they use.
It also never finds a function again that closes over another compiled one, because it tells those apart by an identity that
each process makes anew. So what a function closes over is described here by names and values.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib.metadata
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
import numpy as np
import unicorn
from numba.core import sigutils, typeinfer
from numba.core.caching import FunctionCache
from numba.core.ccallback import CFunc

__all__ = ["cache_directory", "cfunc", "external", "is_cached", "njit"]

_PACKAGE = Path(__file__).resolve().parent.parent


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for source in sorted(_PACKAGE.glob("**/native/**/*.py")):
        digest.update(str(source.relative_to(_PACKAGE)).encode() + b"\0" + source.read_bytes())
    for distribution in ("unicorn", "numba", "llvmlite", "numpy"):
        digest.update(importlib.metadata.version(distribution).encode())
    digest.update(sys.version.encode())
    return digest.hexdigest()[:16]


def cache_directory() -> Path:
    """Where this version's compiled code is kept: below `$EMU_CACHE_DIR`, `$XDG_CACHE_HOME/emu` or `~/.cache/emu`.

    Raises:
        RuntimeError: there is no home directory.
    """
    if root := os.environ.get("EMU_CACHE_DIR"):
        return Path(root) / _fingerprint()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "emu" / _fingerprint()


def is_cached() -> bool:
    """Whether an earlier process has compiled this version's native code."""
    return any(_CACHE.glob("**/*.nbi"))


def _usable_cache() -> Path:
    """The cache's directory; if nothing can be written there, a copy for this process: numba would turn to places in which code
    may be stale."""
    found = None
    try:
        found = cache_directory()
        found.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=found).close()
        return found
    except (OSError, RuntimeError) as error:  # RuntimeError: the user has no home
        warnings.warn(f"native code is not kept for the next time: {error}", RuntimeWarning, stacklevel=1)
    own = tempfile.mkdtemp(prefix="emu-cache-")
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    if found is not None and found.is_dir():
        shutil.copytree(found, own, dirs_exist_ok=True)
    return Path(own)


_CACHE = _usable_cache()
numba.config.CACHE_DIR = str(_CACHE)
llvmlite.binding.load_library_permanently(str(Path(unicorn.__file__).parent / "lib" / "libunicorn.so.2"))


def external(name: str, signature: Any) -> Any:
    """A function of Unicorn's library (or libc) that native code calls by its symbol: no address is compiled in."""
    return numba.core.types.ExternalFunction(name, signature)


def _description(value: Any) -> object:
    """What distinguishes a value that a compiled function closes over, the same in every process."""
    function = getattr(value, "__wrapped__", value)
    if callable(function) and hasattr(function, "__code__"):
        cells = function.__closure__ or ()
        return function.__module__, function.__qualname__, tuple(_description(cell.cell_contents) for cell in cells)
    if isinstance(value, (int, np.generic, numba.types.Type)):
        return repr(value)
    raise TypeError(f"native code cannot close over {value!r}")


class _Cache(FunctionCache):
    """numba's cache, which finds closures too."""

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return sig, codegen.magic_tuple(), _description(self._py_func)


def njit(*signatures: Any) -> Any:
    """`numba.njit` with the disk cache, inlined into its callers: that is a third of the cost of a traced call.

    Bounds are not checked and integer division by zero is not an error: the model is C. Used as `@njit`, which
    compiles for the types of each call, or as `@njit(signature)`, which compiles now.
    """
    if len(signatures) == 1 and not isinstance(signatures[0], numba.core.typing.templates.Signature):
        return njit()(signatures[0])

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(error_model="numpy", forceinline=True)(function)
        dispatcher._cache = _Cache(function)
        if signatures:
            with typeinfer.register_dispatcher(dispatcher):
                for signature in signatures:
                    dispatcher.compile(signature)
                dispatcher.disable_compile()
        return dispatcher

    return decorate


def cfunc(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """`numba.cfunc` with the disk cache: `.address` is a C function pointer."""

    def decorate(function: Callable[..., Any]) -> Any:
        compiled: Any = CFunc(function, sigutils.normalize_signature(signature), locals={}, options={"error_model": "numpy"})
        compiled._cache = _Cache(function)
        compiled.compile()
        return compiled

    return decorate
