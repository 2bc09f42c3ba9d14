# SPDX-License-Identifier: GPL-2.0-only
"""A search of the CPU's state finds where Unicorn keeps a CPU's registers; it does not read beyond that on the heap."""

from __future__ import annotations

import ctypes

import unicorn

from emu.cpu.arch.x86_64 import state
from emu.cpu.internals import handle_of


def test_the_search_ends_where_the_cpu_state_does() -> None:
    layout = state.layout()
    usable = ctypes.CDLL(None).malloc_usable_size
    usable.argtypes, usable.restype = [ctypes.c_void_p], ctypes.c_size_t
    uc = unicorn.Uc(unicorn.UC_ARCH_X86, unicorn.UC_MODE_64)
    uc.reg_write(unicorn.x86_const.UC_X86_REG_RIP, 0)  # creates the CPU
    cpu = ctypes.c_uint64.from_address(handle_of(uc) + layout.uc_cpu).value
    assert layout.env_cpuid_1_ecx < state._ENV_SIZE <= usable(cpu) - layout.cpu_env
