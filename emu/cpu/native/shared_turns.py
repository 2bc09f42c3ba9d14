# SPDX-License-Identifier: GPL-2.0-only
"""The loop over turns as a C function: ctypes lets other threads of Python run while it does."""

from __future__ import annotations

from numba import types

from emu.cpu.native import turns
from emu.native import cfunc


@cfunc(types.int64(types.uint64, types.int64))
def run(board, microseconds):
    return turns.run(board, microseconds)
