# SPDX-License-Identifier: GPL-2.0-only
"""Compiling Python to machine code: `njit` and `cfunc` with a disk cache that is never stale.

numba's own cache notices neither a changed helper nor another build of Unicorn. So its directory is named after a hash of
everything the compiled code depends on: all sources below a folder called `native`, and the versions of what they use.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
import unicorn

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
    """Where this version's compiled code is kept: below `$EMU_CACHE_DIR`, `$XDG_CACHE_HOME/emu` or `~/.cache/emu`."""
    if root := os.environ.get("EMU_CACHE_DIR"):
        return Path(root) / _fingerprint()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "emu" / _fingerprint()


def is_cached() -> bool:
    """Whether an earlier process has compiled this version's native code."""
    return any(_CACHE.glob("**/*.nbi"))


_CACHE = cache_directory()
numba.config.CACHE_DIR = str(_CACHE)
llvmlite.binding.load_library_permanently(str(Path(unicorn.__file__).parent / "lib" / "libunicorn.so.2"))


def external(name: str, signature: Any) -> Any:
    """A function of Unicorn's library (or libc) that native code calls by its symbol: no address is compiled in."""
    return numba.core.types.ExternalFunction(name, signature)


def njit(*args: Any, **options: Any) -> Any:
    """`numba.njit` with the disk cache, inlined into its callers: that is a third of the cost of a traced call.

    Bounds are not checked, and division by zero is not an error: the model is C.
    """
    return numba.njit(*args, cache=True, error_model="numpy", forceinline=True, **options)


def cfunc(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """`numba.cfunc` with the disk cache: `.address` is a C function pointer."""
    decorated: Callable[[Callable[..., Any]], Any] = numba.cfunc(signature, cache=True, error_model="numpy")
    return decorated
