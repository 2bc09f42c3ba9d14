# SPDX-License-Identifier: GPL-2.0-only
"""The SPARC V9 CPU state: its location in Unicorn, the reset state, and access to it."""

from __future__ import annotations

import ctypes
import functools
import struct
from collections.abc import Iterator

import unicorn
from unicorn import sparc_const as sparc

from emu.cpu.internals import LIBRARY, CpuStructures, UnknownUnicorn, find_cpu, handle_of

__all__ = [
    "PSTATE_IE", "PSTATE_PRIV", "WINDOW_REGISTERS", "Env",
    "condition_codes", "layout", "reset", "window_register", "windows",
]  # fmt: skip

u32, u64 = ctypes.c_uint32, ctypes.c_uint64

_get_ccr = LIBRARY.cpu_get_ccr_sparc64
_get_ccr.argtypes, _get_ccr.restype = [u64], u64

PSTATE_PEF, PSTATE_PRIV, PSTATE_IE = 0x10, 4, 2
_CC_FLAGS = 1  # QEMU's CC_OP_FLAGS: the condition codes are in psr and xcc
LSU_IM_DM = 0xC  # both MMUs on

# A locked, global, privileged, writable, cacheable 4 MiB translation (UltraSPARC User's Manual, 6.2).
TTE_KERNEL_4M = 1 << 63 | 3 << 61 | 1 << 6 | 0x30 | 4 | 2 | 1
BIG_PAGE = 4 << 20
LOCKED_ENTRIES = 8


WINDOW_REGISTERS = tuple(f"{kind}{n}" for kind in "oli" for n in range(8))  # in the order of their offsets from regwptr


def window_register(name: str) -> int:
    """The offset of a register of the current window from regwptr, in bytes."""
    return 8 * WINDOW_REGISTERS.index(name)


class TlbEntry(ctypes.Structure):
    _fields_ = (("tag", u64), ("tte", u64))


class TrapState(ctypes.Structure):
    _fields_ = (("tpc", u64), ("tnpc", u64), ("tstate", u64), ("tt", u32))


class Env(ctypes.Structure):
    """QEMU's CPUSPARCState in Unicorn 2.1.4, verified by layout()."""

    _fields_ = (
        ("gregs", u64 * 8), ("regwptr", u64), ("pc", u64), ("npc", u64), ("y", u64), ("cc_src", u64), ("cc_src2", u64),
        ("cc_dst", u64), ("cc_op", u32), ("cond", u64), ("psr", u32), ("fsr", u64), ("fpr", u64 * 32), ("cwp", u32),
        ("tbr", u64), ("psrpil", u32), ("pil_in", u32), ("interrupt_index", u32), ("regbase", u64 * (32 * 16 + 8)),
        ("version", u64), ("nwindows", u32), ("lsu", u64), ("immu", u64 * 16), ("dmmu", u64 * 16), ("itlb", TlbEntry * 64),
        ("dtlb", TlbEntry * 64), ("mmu_version", u32), ("qt", u64 * 4), ("fp_status", u64), ("ts", TrapState * 8),
        ("xcc", u32), ("asi", u32), ("pstate", u32), ("tl", u32), ("maxtl", u32), ("cansave", u32), ("canrestore", u32),
        ("otherwin", u32), ("wstate", u32), ("cleanwin", u32), ("agregs", u64 * 8), ("bgregs", u64 * 8), ("igregs", u64 * 8),
        ("mgregs", u64 * 8), ("glregs", u64 * 64), ("fprs", u64), ("tick_cmpr", u64), ("stick_cmpr", u64), ("tick", u64),
        ("stick", u64), ("gsr", u64), ("gl", u32),
    )  # fmt: skip


@functools.cache
def layout() -> CpuStructures:
    """Finds the layout by probing a scratch Uc.

    Raises:
        UnknownUnicorn: something is not at a recognisable place.
    """
    uc = unicorn.Uc(unicorn.UC_ARCH_SPARC, unicorn.UC_MODE_SPARC64 | unicorn.UC_MODE_BIG_ENDIAN)
    uc.mem_map(0, 0x2000)
    magic = [0x5EED_0000_0000_0000 + 0x0101_0101_0101 * (n + 1) for n in range(7)]
    for n, value in enumerate(magic):
        uc.reg_write(sparc.UC_SPARC_REG_G1 + n, value)
    cpu = find_cpu(uc, struct.pack("<7Q", *magic), 8, "sparc64")
    env = u64.from_address(handle_of(uc) + cpu.uc_cpu).value + cpu.cpu_env
    state = Env.from_address(env)
    uc.reg_write(sparc.UC_SPARC_REG_PC, 0x1234_5678_9ABC)
    if (
        state.regwptr != env + Env.regbase.offset + state.cwp * 128
        or (state.pc, state.npc) != (0x1234_5678_9ABC, 0x1234_5678_9AC0)
        or state.version & 0x1F != state.nwindows - 1
        or state.version >> 8 & 0xFF != state.maxtl
    ):
        raise UnknownUnicorn("the CPU state is not laid out as expected")
    return cpu


def reset(state: Env, *, entry: int, kernel: int, arguments: tuple[int, int]) -> None:
    """Puts a CPU into the board's reset state: privileged, interrupts off, the first 32 MiB mapped at `kernel` and locked."""
    for n in range(8):
        state.gregs[n] = 0
    ctypes.memset(ctypes.addressof(state) + Env.regbase.offset, 0, Env.regbase.size)
    for tlb in (state.itlb, state.dtlb):
        for n in range(64):
            tlb[n].tag, tlb[n].tte = 0, 0
        for n in range(LOCKED_ENTRIES):
            tlb[n].tag, tlb[n].tte = kernel + n * BIG_PAGE, TTE_KERNEL_4M | n * BIG_PAGE
    state.lsu = LSU_IM_DM
    state.cc_op, state.psr, state.xcc, state.cond = _CC_FLAGS, 0, 0, 0
    state.tl, state.pstate, state.psrpil, state.fprs, state.tbr = 0, PSTATE_PRIV | PSTATE_PEF, 15, 4, 0
    state.cansave, state.canrestore, state.otherwin = state.nwindows - 2, 0, 0
    state.cleanwin, state.wstate = state.nwindows - 1, 0
    out = (u64 * 8).from_address(state.regwptr)
    out[0], out[1] = arguments
    state.pc, state.npc = entry, entry + 4


def condition_codes(env: int) -> int:
    """The register CCR. QEMU computes the codes of the last instruction that set them only on demand."""
    return int(_get_ccr(env))


def windows(state: Env) -> Iterator[tuple[int, int, int]]:
    """(%sp, %fp, %i7) of the current register window, then of its callers' windows that are still in the CPU."""
    sp = int((u64 * 8).from_address(state.regwptr)[6])
    for n in range(state.canrestore + 1):
        # QEMU numbers windows from the innermost outwards. A window's ins are the next one's outs; the current one's ins follow
        # it.
        ins = (state.cwp + 1 if n == 0 else (state.cwp + n + 1) % state.nwindows) * 16
        fp = int(state.regbase[ins + 6])
        yield sp, fp, int(state.regbase[ins + 7])
        sp = fp
