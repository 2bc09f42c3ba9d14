# SPDX-License-Identifier: GPL-2.0-only
"""The CSRs that differ from Unicorn's.

* `cycle`, `time` and `instret` follow the CPU's virtual clock, as far as scounteren lets programs read them. Unicorn would give
  the host's clock, and has no `time`.
* `sstatus` has the bit SDT (Ssdbltrp, Supervisor Double Trap).
* `sie` has the bit of the NMI; the others are 1 and cannot be changed.

Unicorn has one table of CSRs for the whole process. So these functions also serve a Uc that is not a CPU of a board, and give it
what Unicorn's own would: those of the machine-level CSRs behind them, which are unchanged.
"""

from __future__ import annotations

import ctypes

from emu.cpu.arch.riscv64.state import USER
from emu.cpu.internals import LIBRARY, CpuStructures
from emu.cpu.native.arch.riscv64_env import Env, layouts
from emu.cpu.native.cpu_records import Cpu
from emu.native.functions import Native, external
from emu.native.records import Words, i32, u64

__all__ = ["DOUBLE_TRAP", "NMI_CAUSE", "NMI_ENABLED", "install"]

# Numbers of CSRs
SSTATUS, SIE, MSTATUS, MIE, MCYCLE, MINSTRET = 0x100, 0x104, 0x300, 0x304, 0xB00, 0xB02
CYCLE, TIME, INSTRET = 0xC00, 0xC01, 0xC02

DOUBLE_TRAP = u64(1 << 24)  # sstatus.SDT
IRQS_ON = u64(1 << 1)  # sstatus.SIE
FS, SD = u64(3 << 13), u64(1 << 63)  # Unicorn does not always set SD with FS = Dirty
# SD, MXR, SUM, XS, FS, SPP, UPIE, SPIE, UIE and SIE: the bits of mstatus that Unicorn shows in sstatus.
SSTATUS_BITS = u64(1 << 63 | 1 << 19 | 1 << 18 | 0xF << 13 | 1 << 8 | 0x33)
SUPERVISOR_CAUSES = u64(0x222)  # the bits of mie that Unicorn lets sie change

NMI_CAUSE = u64(63)
NMI_ENABLED = u64(1 << 63)  # sie


class CsrOperations(ctypes.Structure):
    """QEMU's riscv_csr_operations."""

    _fields_ = tuple((name, ctypes.c_uint64) for name in ("predicate", "read", "write", "op"))


def _replace(number: int, **functions: int) -> None:
    operations = CsrOperations()
    LIBRARY.riscv_get_csr_ops_riscv64(number, ctypes.byref(operations))
    for name, address in functions.items():
        setattr(operations, name, address)
    LIBRARY.riscv_set_csr_ops_riscv64(number, ctypes.byref(operations))


def install(layout: CpuStructures) -> None:
    """Compiles the functions and puts them into Unicorn's table."""
    native = Native(layouts(layout))
    to_opaque = layout.cpu_opaque - layout.cpu_env
    # riscv_csrrw_debug(env, number, address for the old value or 0, value, mask) ignores privileges
    access = external("riscv_csrrw_debug_riscv64", i32, u64, i32, u64, u64, u64)

    @native.njit
    def cpu_of(env: u64) -> Cpu | None:
        """The CPU of a board with this state; None if the Uc is not one."""
        return Cpu(Words(env + to_opaque)[0])

    @native.callback
    def read_counter(env: u64, number: i32, value: Words) -> i32:
        """Reads cycle, time or instret; -1: an illegal instruction."""
        cpu = cpu_of(env)
        if cpu is None:
            if number == TIME:
                return -1
            return access(env, MCYCLE if number == CYCLE else MINSTRET, value.address, 0, 0)
        if Env(env).priv == USER and not Env(env).scounteren >> u64(number - CYCLE) & 1:
            return -1
        value[0] = cpu.instructions if number == INSTRET else cpu.cycles
        return 0

    @native.callback
    def access_sstatus(env: u64, number: i32, old: u64, value: u64, mask: u64) -> i32:
        """Reads sstatus, and changes it under a mask."""
        state = Env(env)
        before = state.mstatus
        access(env, MSTATUS, 0, value, mask & SSTATUS_BITS)
        seen = SSTATUS_BITS
        if cpu_of(env) is not None:
            seen |= DOUBLE_TRAP
            after = state.mstatus & ~(mask & DOUBLE_TRAP) | value & mask & DOUBLE_TRAP
            state.mstatus = after & ~IRQS_ON if after & DOUBLE_TRAP else after
            if before & FS == FS:
                before |= SD
        if old != 0:
            Words(old)[0] = before & seen
        return 0

    @native.callback
    def access_sie(env: u64, number: i32, old: u64, value: u64, mask: u64) -> i32:
        """Reads sie, and changes it under a mask."""
        state = Env(env)
        before = state.mie
        if cpu_of(env) is None:
            before &= state.mideleg
            access(env, MIE, 0, value, mask & SUPERVISOR_CAUSES)
        else:
            state.mie = (before & ~mask | value & mask) & NMI_ENABLED
            before |= ~NMI_ENABLED
        if old != 0:
            Words(old)[0] = before
        return 0

    for number in (CYCLE, TIME, INSTRET):
        _replace(number, read=read_counter.address)
    _replace(SSTATUS, op=access_sstatus.address)
    _replace(SIE, op=access_sie.address)
