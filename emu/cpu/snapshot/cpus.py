# SPDX-License-Identifier: GPL-2.0-only
"""The state of a CPU between two turns: Unicorn's architectural state, and the CPU's record without its data about translations,
which is kept from the present."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from emu.cpu.cpu import Cpu
from emu.cpu.internals import LIBRARY
from emu.cpu.native.cpu_records import Cpu as CpuRecord
from emu.native.records import HOST

__all__ = ["CpuState", "CpuStates"]

_OF_THE_CPU = HOST.fields(CpuRecord)["translated"].offset // 8  # words; those after them are about translations

CpuState = tuple[bytes, npt.NDArray[np.uint64]]


class CpuStates:
    """Saves and restores the state of one CPU."""

    def __init__(self, cpu: Cpu) -> None:
        self._env = cpu.env
        self._heap = cpu.board.heap
        self._size = cpu.board.arch.state_size()
        self._words = cpu.record.words[:_OF_THE_CPU]
        self._cpu = ctypes.c_void_p(cpu.record.state.address)
        self._flush: Any = getattr(LIBRARY, f"tlb_flush_{cpu.board.arch.name}")
        self._flush.argtypes = [ctypes.c_void_p]

    def save(self) -> CpuState:
        return ctypes.string_at(self._env, self._size), self._words.copy()

    def put_back(self, state: CpuState) -> None:
        registers, words = state
        ctypes.memmove(self._env, registers, self._size)
        self._words[:] = words
        with self._heap:
            self._flush(self._cpu)
