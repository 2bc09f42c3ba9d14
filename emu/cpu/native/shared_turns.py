# SPDX-License-Identifier: GPL-2.0-only
"""The loop over turns as a C function: ctypes releases Python's interpreter for other threads during it."""

from __future__ import annotations

from emu.cpu.native import turns
from emu.cpu.native.cpu_records import Board
from emu.native.functions import callback
from emu.native.records import i64


@callback
def run(board: Board, microseconds: i64) -> i64:
    return turns.run(board, microseconds)
