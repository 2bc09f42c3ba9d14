# SPDX-License-Identifier: GPL-2.0-only
"""States in which a PC's CPUs start."""

from __future__ import annotations

import ctypes
import struct

from emu.cpu.arch.x86_64 import state
from emu.cpu.cpu import Cpu
from emu.cpu.internals import LIBRARY

__all__ = ["BOOT_GDT", "start_in_real_mode"]

# The descriptors of the 64-bit boot protocol: null, null, 10 code (64-bit), 18 data.
BOOT_GDT = struct.pack("<4Q", 0, 0, 0x00AF_9B00_0000_FFFF, 0x00CF_9300_0000_FFFF)
BOOT_CODE, BOOT_DATA = 0x10, 0x18

_FAMILY = 0x306C4  # EDX: the processor's signature
_CR0, _EFLAGS = 0x6000_0010, 2  # SDM volume 3, table 10-1
_DATA, _CODE, _LDT, _TASK = 0x9300, 0x9B00, 0x8200, 0x8B00  # QEMU: descriptor flags of present segments
_LIMIT = 0xFFFF
_REAL_MODE = 0x40  # QEMU: hflags, "all segment bases may be other than 0"
_GLOBAL_INTERRUPTS = 1  # QEMU: hflags2


def start_in_real_mode(cpu: Cpu, vector: int) -> None:
    """Puts a CPU into the state after INIT and a start-up message: real mode, at the page that the message's vector numbers (SDM
    volume 3, 9.4 and 10.1)."""
    env, at = cpu.env, state.layout()
    u32, u64 = ctypes.c_uint32.from_address, ctypes.c_uint64.from_address
    ctypes.memset(env, 0, 16 * 8)
    u64(env + state.register("dx")).value = _FAMILY
    control = (ctypes.c_uint64 * 5).from_address(env + at.env_cr3 - 3 * 8)
    control[:] = [_CR0, 0, 0, 0, 0]
    u64(env + at.env_star - 8).value = 0  # EFER
    caches = (state.SegmentCache * 10).from_address(env + at.env_segments)  # the segments, LDT, task, GDT, IDT
    flags = [_DATA] * 6 + [_LDT, _TASK, 0, 0]
    for cache, value in zip(caches, flags, strict=True):
        cache.selector, cache.base, cache.limit, cache.flags = 0, 0, _LIMIT, value
    code = caches[state.CS]
    code.selector, code.base, code.flags = vector << 8, vector << 12, _CODE
    u32(env + at.env_eflags).value = _EFLAGS
    u32(env + at.env_hflags).value = _REAL_MODE
    u32(env + at.env_hflags2).value = _GLOBAL_INTERRUPTS
    u64(env + at.env_eip).value = 0
    with cpu.board.heap:
        LIBRARY.tlb_flush_x86_64(ctypes.c_void_p(cpu.record.state.address))
