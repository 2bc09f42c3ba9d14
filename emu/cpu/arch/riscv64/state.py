# SPDX-License-Identifier: GPL-2.0-only
"""The RISC-V CPU state: where Unicorn keeps it, the reset state, and reading it."""

from __future__ import annotations

import ctypes
import functools
import struct

import unicorn
from unicorn import riscv_const as riscv

from emu.cpu.internals import CpuStructures, UnknownUnicorn, find_cpu, handle_of

__all__ = [
    "ALL_TRAPS", "FS_INITIAL", "REGISTERS", "SATP_SV39", "SIE", "SPIE", "SPP", "SUPERVISOR", "USER", "Env", "layout", "reset",
]  # fmt: skip

u8, u32, u64 = ctypes.c_uint8, ctypes.c_uint32, ctypes.c_uint64

USER, SUPERVISOR = 0, 1  # privilege levels
SIE, SPIE, SPP = 1 << 1, 1 << 5, 1 << 8  # mstatus
FS_INITIAL, UXL_64, SXL_64 = 1 << 13, 2 << 32, 2 << 34
SATP_SV39 = 8 << 60
ALL_TRAPS = (1 << 64) - 1  # medeleg, mideleg: the board takes the place of M-mode

# The psABI's names, in the order of their numbers.
REGISTERS = (
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", *(f"a{n}" for n in range(8)),
    *(f"s{n}" for n in range(2, 12)), *(f"t{n}" for n in range(3, 7)),
)  # fmt: skip


class PmpEntry(ctypes.Structure):
    _fields_ = (("addr_reg", u64), ("cfg_reg", u8))


class PmpAddress(ctypes.Structure):
    _fields_ = (("first", u64), ("last", u64))


class Env(ctypes.Structure):
    """QEMU's CPURISCVState as unicorn 2.1.4 has it, without what Unicorn itself keeps behind it; layout() checks it."""

    _fields_ = (
        ("gpr", u64 * 32), ("fpr", u64 * 32), ("pc", u64), ("load_res", u64), ("load_val", u64), ("frm", u64), ("badaddr", u64),
        ("guest_phys_fault_addr", u64), ("priv_ver", u64), ("misa", u64), ("misa_mask", u64), ("features", u32), ("priv", u64),
        ("virt", u64), ("resetvec", u64), ("mhartid", u64), ("mstatus", u64), ("mip", u64), ("miclaim", u32), ("mie", u64),
        ("mideleg", u64), ("sptbr", u64), ("satp", u64), ("sbadaddr", u64), ("mbadaddr", u64), ("medeleg", u64),
        ("stvec", u64), ("sepc", u64), ("scause", u64), ("mtvec", u64), ("mepc", u64), ("mcause", u64), ("mtval", u64),
        ("hypervisor", u64 * 24), ("scounteren", u64), ("mcounteren", u64), ("sscratch", u64), ("mscratch", u64),
        ("mfromhost", u64), ("mtohost", u64), ("timecmp", u64), ("pmp", PmpEntry * 16), ("pmp_addr", PmpAddress * 16),
        ("pmp_rules", u32), ("rdtime_fn", u64), ("debugger", ctypes.c_bool), ("fp_status", u8 * 12),
    )  # fmt: skip


@functools.cache
def layout() -> CpuStructures:
    """Finds the layout by probing a scratch Uc.

    Raises:
        UnknownUnicorn: something is not where it can be recognised.
    """
    uc = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV64)
    uc.mem_map(0, 0x1000)
    magic = [0x5EED_0000_0000_0000 + 0x0101_0101_0101 * (n + 1) for n in range(31)]
    for n, value in enumerate(magic):
        uc.reg_write(riscv.UC_RISCV_REG_X1 + n, value)
    cpu = find_cpu(uc, struct.pack("<31Q", *magic), 8, "riscv64")
    state = Env.from_address(u64.from_address(handle_of(uc) + cpu.uc_cpu).value + cpu.cpu_env)
    known = {
        "pc": (riscv.UC_RISCV_REG_PC, 0x1234_5678_9ABC), "stvec": (riscv.UC_RISCV_REG_STVEC, 0x1234_5678_9AB8),
        "sepc": (riscv.UC_RISCV_REG_SEPC, 0x2234_5678_9AB8), "scause": (riscv.UC_RISCV_REG_SCAUSE, 0x3234),
        "sbadaddr": (riscv.UC_RISCV_REG_STVAL, 0x4234), "sscratch": (riscv.UC_RISCV_REG_SSCRATCH, 0x5234),
        "satp": (riscv.UC_RISCV_REG_SATP, SATP_SV39 | 0x6234), "medeleg": (riscv.UC_RISCV_REG_MEDELEG, 0xB1FF & ~(1 << 10)),
        "mscratch": (riscv.UC_RISCV_REG_MSCRATCH, 0x7234), "mepc": (riscv.UC_RISCV_REG_MEPC, 0x8234),
        "mtvec": (riscv.UC_RISCV_REG_MTVEC, 0x9234), "mcause": (riscv.UC_RISCV_REG_MCAUSE, 0xA234),
    }  # fmt: skip
    for register, value in known.values():
        uc.reg_write(register, value)
    wrong = [name for name, (_, value) in known.items() if getattr(state, name) != value]
    if wrong or state.priv != 3 or state.misa >> 62 != 2 or state.pmp_rules:
        raise UnknownUnicorn(f"the CPU state is not laid out as expected ({', '.join(wrong)})")
    return cpu


def reset(state: Env, *, entry: int, page_table: int, arguments: tuple[int, int]) -> None:
    """Puts a CPU in the board's reset state: supervisor mode, interrupts off, sv39 with the image's own tables."""
    ctypes.memset(ctypes.addressof(state), 0, Env.pc.offset)
    state.gpr[10], state.gpr[11] = arguments
    state.load_res = ALL_TRAPS
    state.frm = state.badaddr = 0
    state.priv = SUPERVISOR
    state.mhartid = arguments[1]
    state.mstatus = SXL_64 | UXL_64
    state.mip = state.mie = 0
    state.medeleg = state.mideleg = ALL_TRAPS
    state.stvec = state.sepc = state.scause = state.sbadaddr = state.sscratch = 0
    state.satp = SATP_SV39 | page_table >> 12 if page_table else 0
    state.pc = entry
