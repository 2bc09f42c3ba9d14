# SPDX-License-Identifier: GPL-2.0-only
"""The loop over turns, for machines that share Python's interpreter with other threads."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable

from emu.cpu.native import cpu_records

__all__ = ["shared_turns"]


@functools.cache
def shared_turns() -> Callable[[cpu_records.Board, int], int]:
    """The loop over turns, which releases Python's interpreter for other threads. Compiled when it is first used."""
    from emu.cpu.native import shared_turns

    run = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_uint64, ctypes.c_int64)(shared_turns.run.address)
    return lambda board, microseconds: int(run(board.address, microseconds))
